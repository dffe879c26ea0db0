package telemetry_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	metrics "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
	trace "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/telemetry"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	secretKey    = "sk-secret-of-the-provider"
	secretHeader = "secret-of-the-collector"
	secretPrompt = "what only the model may know"
)

// echo is a tool that says what it got, or fails.
func echo() *agent.Tool {
	return &agent.Tool{
		Name: "echo",
		Execute: func(_ context.Context, c *agent.Call) (*agent.ToolResult, error) {
			if strings.Contains(string(c.Args), "fail") {
				return nil, errors.New("it failed over " + secretPrompt)
			}
			return &agent.ToolResult{Content: ai.TextContent("echo: " + secretPrompt)}, nil
		},
	}
}

// converse leads a conversation of one prompt that is watched.
func converse(t *testing.T, tel *telemetry.Telemetry, stream ai.StreamFunc) {
	t.Helper()
	watch := tel.Session("session-1")
	m := scripted.Record()
	m.Provider, m.BaseURL = "amazon-bedrock", "https://lab.example:8443/x"
	dir := t.TempDir()
	store := memory.New(transcript.NewHeader(dir))
	s, err := session.New(store, &session.Options{
		CWD: dir, Stream: watch.Stream(stream), Model: m, Tools: []*agent.Tool{echo()}, SystemPrompt: "Be brief.", Retry: session.Retry{Disabled: true},
		Request: ai.Options{APIKey: secretKey, Headers: map[string]string{"Authorization": "Bearer " + secretKey}, MaxTokens: 77, Temperature: new(0.5)},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Subscribe(watch.Event)
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: secretPrompt}); err != nil {
		t.Error(err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

func start(t *testing.T) *telemetry.Telemetry {
	t.Helper()
	tel, err := telemetry.Start(t.Context(), &telemetry.Options{Version: "1.2.3"})
	if err != nil || tel == nil {
		t.Fatalf("%v, %v", tel, err)
	}
	return tel
}

// twoTurns calls a tool twice, once with success, and answers.
func twoTurns() ai.StreamFunc {
	return scripted.New(
		scripted.Of(scripted.Call("c1", "echo", map[string]any{"text": secretPrompt}), scripted.Call("c2", "echo", map[string]any{"fail": true})),
		scripted.Say("The answer: "+secretPrompt),
	).Stream
}

func TestSpans(t *testing.T) {
	clean(t)
	r := newReceiver(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", r.URL+"/")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-token="+secretHeader+",x-odd=a%20b")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "team=lab")
	tel := start(t)
	converse(t, tel, twoTurns())
	if err := tel.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	runs, turns, chats, tools := r.named("invoke_agent"), r.named("turn"), r.named("chat "), r.named("execute_tool")
	if len(runs) != 1 || len(turns) != 2 || len(chats) != 2 || len(tools) != 2 || len(r.spans) != 7 {
		t.Fatalf("%d runs, %d turns, %d requests, %d tools of %d spans", len(runs), len(turns), len(chats), len(tools), len(r.spans))
	}
	run := runs[0]
	if len(run.ParentSpanId) != 0 || len(run.TraceId) != 16 || run.Kind != trace.Span_SPAN_KIND_INTERNAL || run.StartTimeUnixNano == 0 || run.EndTimeUnixNano < run.StartTimeUnixNano {
		t.Errorf("the run is %v", run)
	}
	for i, turn := range turns {
		if string(turn.ParentSpanId) != string(run.SpanId) || string(turn.TraceId) != string(run.TraceId) || string(chats[i].ParentSpanId) != string(turn.SpanId) {
			t.Errorf("turn %d and its request are not under the run", i)
		}
	}
	for _, tool := range tools {
		if string(tool.ParentSpanId) != string(turns[0].SpanId) {
			t.Error("a call is not under its turn")
		}
	}
	for _, s := range r.spans {
		if got := attributes(s.Attributes)["gen_ai.conversation.id"]; got != "session-1" {
			t.Errorf("%s is of the conversation %q", s.Name, got)
		}
	}
	if about := attributes(r.about.Attributes); about["service.name"] != "rondo" || about["service.version"] != "1.2.3" || about["team"] != "lab" || about["telemetry.sdk.language"] != "go" {
		t.Errorf("the resource is %v", about)
	}
	if r.scope.Name != "github.com/rondo-agent/rondo" || r.scope.Version != "1.2.3" {
		t.Errorf("the scope is %v", r.scope)
	}
	if h := r.headers[0]; h.Get("X-Token") != secretHeader || h.Get("X-Odd") != "a b" || h.Get("Content-Type") != "application/x-protobuf" {
		t.Errorf("headers: %v", h)
	}
	checkRequest(t, chats[0])
	checkTools(t, tools)
}

func checkRequest(t *testing.T, s *trace.Span) {
	got := attributes(s.Attributes)
	for name, want := range map[string]string{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "aws.bedrock", "gen_ai.request.model": scripted.Record().ID, "gen_ai.response.model": scripted.Record().ID,
		"server.address": "lab.example", "server.port": "8443", "gen_ai.request.max_tokens": "77", "gen_ai.request.temperature": "0.5",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	for _, name := range []string{"gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.response.time_to_first_chunk"} {
		if got[name] == "" || got[name] == "0" {
			t.Errorf("%s is %q", name, got[name])
		}
	}
	if s.Kind != trace.Span_SPAN_KIND_CLIENT || s.Status.GetCode() != trace.Status_STATUS_CODE_UNSET {
		t.Errorf("kind %v, status %v", s.Kind, s.Status)
	}
}

func checkTools(t *testing.T, tools []*trace.Span) {
	failed := 0
	for _, s := range tools {
		got := attributes(s.Attributes)
		if got["gen_ai.tool.name"] != "echo" || got["gen_ai.tool.call.id"] == "" || got["gen_ai.tool.type"] != "function" || s.Name != "execute_tool echo" {
			t.Errorf("%s: %v", s.Name, got)
		}
		if got["error.type"] == "tool_error" && s.Status.Code == trace.Status_STATUS_CODE_ERROR {
			failed++
		}
	}
	if failed != 1 {
		t.Errorf("%d calls are marked as failed", failed)
	}
}

// TestLaw_T2_NothingSaidIsSent: neither what was said nor a secret, unless what was said is
// asked for; and then still no secret.
func TestLaw_T2_NothingSaidIsSent(t *testing.T) {
	for _, capture := range []string{"", "true"} {
		clean(t)
		r := newReceiver(t)
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", r.URL)
		t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-token="+secretHeader)
		t.Setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", capture)
		tel := start(t)
		converse(t, tel, twoTurns())
		refused := &ai.StatusError{Status: 400, Message: "your prompt: " + secretPrompt, Code: "a code that " + secretPrompt}
		converse(t, tel, scripted.New(scripted.Fail(refused)).Stream)
		if err := tel.Shutdown(context.Background()); err != nil {
			t.Fatal(err)
		}
		sent := string(r.raw)
		for _, secret := range []string{secretKey, secretHeader} {
			if strings.Contains(sent, secret) {
				t.Errorf("capture %q: %q was sent", capture, secret)
			}
		}
		if strings.Contains(sent, secretPrompt) != (capture == "true") {
			t.Errorf("capture %q: what was said was sent: %t", capture, capture == "")
		}
		if capture == "" {
			continue
		}
		last := attributes(r.named("chat ")[1].Attributes)
		for name, want := range map[string]string{
			"gen_ai.system_instructions": "Be brief.", "gen_ai.input.messages": `"type":"tool_call_response"`, "gen_ai.output.messages": `"finish_reason":"stop"`,
		} {
			if !strings.Contains(last[name], want) {
				t.Errorf("%s is %s", name, last[name])
			}
		}
		tool := attributes(r.named("execute_tool")[0].Attributes)
		if tool["gen_ai.tool.call.arguments"] == "" || tool["gen_ai.tool.call.result"] == "" {
			t.Errorf("the call has %v", tool)
		}
	}
}

func TestMetrics(t *testing.T) {
	clean(t)
	r := newReceiver(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", r.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	tel := start(t)
	converse(t, tel, twoTurns())
	if err := tel.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]uint64)
	for _, m := range r.metrics {
		h := m.GetHistogram()
		if h.GetAggregationTemporality() != metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE {
			t.Errorf("%s: %v", m.Name, h.GetAggregationTemporality())
		}
		for _, p := range h.GetDataPoints() {
			var sum uint64
			for _, n := range p.BucketCounts {
				sum += n
			}
			if sum != p.Count || len(p.BucketCounts) != len(p.ExplicitBounds)+1 || !slices.IsSorted(p.ExplicitBounds) || p.GetSum() < p.GetMin() || p.GetMax() < p.GetMin() || p.TimeUnixNano < p.StartTimeUnixNano {
				t.Errorf("%s: %v", m.Name, p)
			}
			name := m.Name + " " + m.Unit
			if kind := attributes(p.Attributes)["gen_ai.token.type"]; kind != "" {
				name += " " + kind
			}
			if kind := attributes(p.Attributes)["error.type"]; kind != "" {
				name += " " + kind
			}
			counts[name] += p.Count
		}
	}
	for name, want := range map[string]uint64{
		"gen_ai.client.token.usage {token} input": 2, "gen_ai.client.token.usage {token} output": 2,
		"gen_ai.client.operation.duration s": 2, "gen_ai.client.operation.time_to_first_chunk s": 2,
		"gen_ai.execute_tool.duration s": 1, "gen_ai.execute_tool.duration s tool_error": 1, "gen_ai.invoke_agent.duration s": 1,
	} {
		if counts[name] != want {
			t.Errorf("%s: %d, want %d of %v", name, counts[name], want, counts)
		}
	}
}

func TestFailedAnswers(t *testing.T) {
	tests := map[string]error{
		"overloaded_error": &ai.StatusError{Status: 529, Code: "overloaded_error", Message: "busy"},
		"503":              &ai.StatusError{Status: 503},
		"timeout":          &ai.TimeoutError{Waiting: "x", After: time.Second},
		"transient":        io.ErrUnexpectedEOF,
		"permanent":        errors.New("odd"),
	}
	for want, failure := range tests {
		clean(t)
		r := newReceiver(t)
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", r.URL)
		tel := start(t)
		converse(t, tel, scripted.New(scripted.Fail(failure)).Stream)
		if err := tel.Shutdown(context.Background()); err != nil {
			t.Fatal(err)
		}
		for _, prefix := range []string{"chat ", "turn", "invoke_agent"} {
			for _, s := range r.named(prefix) {
				if got := attributes(s.Attributes)["error.type"]; got != want || s.Status.GetCode() != trace.Status_STATUS_CODE_ERROR || s.Status.GetMessage() != "" {
					t.Errorf("%s of %s: %q, %v", s.Name, want, got, s.Status)
				}
			}
		}
	}
}

// A reader that leaves a stream ends its span.
func TestAbandonedStreams(t *testing.T) {
	clean(t)
	r := newReceiver(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", r.URL)
	tel := start(t)
	stream := tel.Session("s").Stream(scripted.New(scripted.Say("a b c d e f")).Stream)
	for ev := range stream(t.Context(), &ai.Request{Model: scripted.Record(), Context: ai.Context{Messages: []ai.Message{agent.User("x")}}}).Events() {
		if _, ok := ev.(*ai.TextDelta); ok {
			break
		}
	}
	if err := tel.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	if spans := r.named("chat "); len(spans) != 1 || attributes(spans[0].Attributes)["error.type"] != "aborted" || len(spans[0].ParentSpanId) != 0 {
		t.Errorf("got %v", spans)
	}
}

func TestOffByDefault(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"nothing is set": {}, "switched off": {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1", "OTEL_SDK_DISABLED": "true"},
		"no exporters": {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1", "OTEL_TRACES_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "none"},
	} {
		clean(t)
		for key, value := range env {
			t.Setenv(key, value)
		}
		tel, err := telemetry.Start(t.Context(), nil)
		if tel != nil || err != nil {
			t.Fatalf("%s: %v, %v", name, tel, err)
		}
		converse(t, tel, twoTurns())
		if err := tel.Shutdown(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatCannotBeDone(t *testing.T) {
	for want, env := range map[string]map[string]string{
		"http/protobuf":               {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
		"OTEL_EXPORTER_OTLP_ENDPOINT": {"OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4318"},
		"OTEL_TRACES_EXPORTER":        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318", "OTEL_TRACES_EXPORTER": "zipkin"},
	} {
		clean(t)
		for key, value := range env {
			t.Setenv(key, value)
		}
		if tel, err := telemetry.Start(t.Context(), nil); tel != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, %v", env, tel, err)
		}
	}
}

func TestOneSignalOnly(t *testing.T) {
	clean(t)
	r := newReceiver(t)
	t.Setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", r.URL+"/v1/metrics")
	tel := start(t)
	converse(t, tel, twoTurns())
	if err := tel.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(r.spans) != 0 || len(r.metrics) == 0 {
		t.Errorf("%d spans, %d metrics", len(r.spans), len(r.metrics))
	}
}

// A collector that is busy is asked again; one that refuses or is not there is told of, and
// no session notices.
func TestCollectorsInTrouble(t *testing.T) {
	clean(t)
	t.Setenv("OTEL_METRICS_EXPORTER", "none")
	busy := newReceiver(t, 503)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", busy.URL)
	tel := start(t)
	converse(t, tel, twoTurns())
	if err := tel.Shutdown(context.Background()); err != nil || len(busy.spans) != 7 || busy.requests != 2 {
		t.Errorf("busy: %v, %d spans in %d requests", err, len(busy.spans), busy.requests)
	}
	refusing := newReceiver(t, 401, 401)
	gone := newReceiver(t)
	gone.Close()
	for name, at := range map[string]struct{ url, timeout string }{"401": {refusing.URL, "10000"}, "connection": {gone.URL, "50"}} {
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", at.url)
		t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization="+secretHeader)
		t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", at.timeout)
		tel := start(t)
		converse(t, tel, twoTurns())
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		err := tel.Shutdown(ctx)
		cancel()
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), secretHeader) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if refusing.requests != 1 {
		t.Errorf("a collector that refuses was asked %d times", refusing.requests)
	}
}
