package telemetry

import (
	"context"
	"errors"
	"net/url"
	"regexp"
	"strconv"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/rondo-agent/rondo/ai"
)

// Names of the conventions for requests to models.
const (
	keyProvider      = attribute.Key("gen_ai.provider.name")
	keyRequestModel  = attribute.Key("gen_ai.request.model")
	keyMaxTokens     = attribute.Key("gen_ai.request.max_tokens")
	keyTemperature   = attribute.Key("gen_ai.request.temperature")
	keyResponseModel = attribute.Key("gen_ai.response.model")
	keyResponseID    = attribute.Key("gen_ai.response.id")
	keyFinish        = attribute.Key("gen_ai.response.finish_reasons")
	keyFirstChunk    = attribute.Key("gen_ai.response.time_to_first_chunk")
	keyInput         = attribute.Key("gen_ai.usage.input_tokens") // includes what was cached
	keyOutput        = attribute.Key("gen_ai.usage.output_tokens")
	keyCacheRead     = attribute.Key("gen_ai.usage.cache_read.input_tokens")
	keyCacheWrite    = attribute.Key("gen_ai.usage.cache_creation.input_tokens")
	keyReasoning     = attribute.Key("gen_ai.usage.reasoning.output_tokens")
	keyTokenType     = attribute.Key("gen_ai.token.type")
	keyServer        = attribute.Key("server.address")
	keyPort          = attribute.Key("server.port")
	// What the conventions have no name for.
	keyThinking = attribute.Key("rondo.request.thinking_level")
	keyCost     = attribute.Key("rondo.usage.cost_usd")
)

// providers are the conventions' names for providers that have another one here; the others
// keep theirs.
var providers = map[string]string{
	"openai-codex": "openai", "azure-openai-responses": "azure.ai.openai", "amazon-bedrock": "aws.bedrock",
	"google": "gcp.gemini", "google-vertex": "gcp.vertex_ai", "mistral": "mistral_ai", "xai": "x_ai", "moonshotai": "moonshot_ai", "moonshotai-cn": "moonshot_ai",
}

// Stream returns ask with a span around each answer.
func (s *Session) Stream(ask ai.StreamFunc) ai.StreamFunc {
	if s == nil {
		return ask
	}
	return func(ctx context.Context, req *ai.Request) *ai.Stream {
		inner := ask(ctx, req)
		events := func(yield func(ai.StreamEvent, error) bool) {
			r := s.request(req)
			defer func() { r.end(inner.Result()) }()
			for ev, err := range inner.Events() {
				r.event(ev)
				if !yield(ev, err) {
					return
				}
			}
		}
		return ai.StreamOf(events, inner.Result)
	}
}

// request is one that is under way.
type request struct {
	*span
	s      *Session
	common []attribute.KeyValue // of the metrics as well
	first  bool                 // the first piece has come
}

func (s *Session) request(req *ai.Request) *request {
	m := req.Model
	provider := m.Provider
	if name := providers[provider]; name != "" {
		provider = name
	}
	r := &request{s: s, common: []attribute.KeyValue{keyOperation.String("chat"), keyProvider.String(provider), keyRequestModel.String(m.ID)}}
	attributes := append([]attribute.KeyValue(nil), r.common...)
	if u, err := url.Parse(m.BaseURL); err == nil && u.Hostname() != "" {
		attributes = append(attributes, keyServer.String(u.Hostname()))
		if port, err := strconv.Atoi(u.Port()); err == nil {
			attributes = append(attributes, keyPort.Int(port))
		}
	}
	if n := req.Options.MaxTokens; n > 0 {
		attributes = append(attributes, keyMaxTokens.Int(n))
	}
	if t := req.Options.Temperature; t != nil {
		attributes = append(attributes, keyTemperature.Float64(*t))
	}
	if level := req.Options.Thinking; level != "" {
		attributes = append(attributes, keyThinking.String(string(level)))
	}
	if s.t.content {
		attributes = append(attributes, inputAttributes(&req.Context)...)
	}
	r.span = s.begin(s.parent(), "chat "+m.ID, trace.SpanKindClient, attributes...)
	return r
}

// event notices the first piece of the answer.
func (r *request) event(ev ai.StreamEvent) {
	if r.first || ev == nil {
		return
	}
	switch ev.(type) {
	case *ai.Start, *ai.Done, *ai.Error:
	default:
		r.first = true
		waited := since(r.start)
		r.SetAttributes(keyFirstChunk.Float64(waited))
		r.s.t.meters.firstChunk.Record(r.ctx, waited, metric.WithAttributes(r.common...))
	}
}

// end ends the span with the answer; nil if its reader has left.
func (r *request) end(m *ai.AssistantMessage) {
	defer r.End()
	common := r.common
	if m == nil {
		r.SetAttributes(keyError.String("aborted"))
		r.SetStatus(codes.Error, "")
		r.s.t.meters.request.Record(r.ctx, since(r.start), metric.WithAttributes(append(common, keyError.String("aborted"))...))
		return
	}
	model := m.Model
	if m.ResponseModel != "" {
		model = m.ResponseModel
	}
	common = append(common, keyResponseModel.String(model))
	r.SetAttributes(keyResponseModel.String(model))
	if m.ResponseID != "" {
		r.SetAttributes(keyResponseID.String(m.ResponseID))
	}
	if reason := m.RawStopReason; reason != "" {
		r.SetAttributes(keyFinish.StringSlice([]string{reason}))
	}
	r.usage(&m.Usage, common)
	if r.s.t.content {
		r.SetAttributes(outputAttribute(m))
	}
	if kind := r.s.fail(r.span, m); kind != "" {
		common = append(common, keyError.String(kind))
	}
	r.s.t.meters.request.Record(r.ctx, since(r.start), metric.WithAttributes(common...))
}

func (r *request) usage(u *ai.Usage, common []attribute.KeyValue) {
	if u.TotalTokens == 0 {
		return // the provider has not said
	}
	input := u.Input + u.CacheRead + u.CacheWrite
	r.SetAttributes(keyInput.Int(input), keyOutput.Int(u.Output), keyCacheRead.Int(u.CacheRead), keyCacheWrite.Int(u.CacheWrite))
	if u.Reasoning != nil {
		r.SetAttributes(keyReasoning.Int(*u.Reasoning))
	}
	if u.Cost.Total > 0 {
		r.SetAttributes(keyCost.Float64(u.Cost.Total))
	}
	for kind, n := range map[string]int{"input": input, "output": u.Output} {
		r.s.t.meters.tokens.Record(r.ctx, int64(n), metric.WithAttributes(append(common, keyTokenType.String(kind))...))
	}
}

// codeWord is what a provider's word for an error looks like; anything else may be text.
var codeWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`) })

// errorType names the kind of a failure in one word: the provider's own, the HTTP status, or
// the class.
func errorType(m *ai.AssistantMessage) string {
	if m.StopReason == ai.StopAborted {
		return "aborted"
	}
	if status, ok := errors.AsType[*ai.StatusError](m.Err); ok {
		if codeWord().MatchString(status.Code) {
			return status.Code
		}
		if status.Status != 0 {
			return strconv.Itoa(status.Status)
		}
	}
	if _, ok := errors.AsType[*ai.TimeoutError](m.Err); ok {
		return "timeout"
	}
	return ai.Classify(m.Err, m.ErrorMessage).String()
}
