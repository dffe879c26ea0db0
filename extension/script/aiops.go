package script

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/schema"
)

// anyModels returns the models of an extension; they are the same for all. It returns nil as
// long as there is none.
func (h *host) anyModels() extension.Models {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, in := range h.instances {
		if in.x == nil || in.x.Err() != nil {
			continue
		}
		if m := in.x.Models(); m != nil {
			return m
		}
	}
	return nil
}

// aiOps are the operations behind facade/ai. models returns nil as long as there are none.
func aiOps(models func() extension.Models) Table {
	return judgements().Add(Table{
		"ai.models": Typed(func(context.Context, struct{}) ([]*ai.Model, error) {
			if m := models(); m != nil {
				return m.All(), nil
			}
			return []*ai.Model{}, nil
		}),
		"ai.stream": Reaching(func(in *modelRequest) []Access { return toAsk(in.Model) }, func(ctx context.Context, in modelRequest) (struct{}, error) {
			m := models()
			if m == nil {
				return struct{}{}, fmt.Errorf("model %s/%s cannot be asked yet: wait for session_start", in.Model.Provider, in.Model.ID)
			}
			req, err := in.request()
			if err != nil {
				return struct{}{}, err
			}
			return struct{}{}, emitAll(ctx, m.Stream(ctx, req))
		}),
	})
}

// emitAll sends the events of a stream to JavaScript, without cumulative messages: those would
// cost the square of the answer's length.
func emitAll(ctx context.Context, stream *ai.Stream) error {
	for ev, err := range stream.Events() {
		if err != nil {
			return err
		}
		e, ok := ev.(interface{ AppendJSON([]byte) []byte })
		if !ok {
			continue
		}
		Emit(ctx, e.AppendJSON(nil))
	}
	return nil
}

// modelRequest is what facade/ai/models.js asks.
type modelRequest struct {
	Model        *ai.Model        `json:"model"`
	SystemPrompt string           `json:"systemPrompt"`
	Messages     []jsontext.Value `json:"messages"`
	Tools        []ai.ToolDecl    `json:"tools"`
	Options      modelOptions     `json:"options"`
}

// modelOptions are the options of Pi's streams that a wire can follow.
type modelOptions struct {
	APIKey          string                    `json:"apiKey"`
	Headers         map[string]*string        `json:"headers"`
	Temperature     *float64                  `json:"temperature"`
	MaxTokens       int                       `json:"maxTokens"`
	Reasoning       ai.ThinkingLevel          `json:"reasoning"`
	ThinkingBudgets map[ai.ThinkingLevel]int  `json:"thinkingBudgets"`
	SessionID       string                    `json:"sessionId"`
	CacheRetention  string                    `json:"cacheRetention"`
	Metadata        map[string]jsontext.Value `json:"metadata"`
	MaxRetries      int                       `json:"maxRetries"`
	MaxRetryDelay   int64                     `json:"maxRetryDelayMs"`
	Timeout         int64                     `json:"timeoutMs"`
	SamplingParams  map[string]jsontext.Value `json:"samplingParams"`
	ToolChoice      jsontext.Value            `json:"toolChoice"`
}

func (in *modelRequest) request() (*ai.Request, error) {
	req := &ai.Request{Model: in.Model, Context: ai.Context{SystemPrompt: in.SystemPrompt, Tools: in.Tools}}
	if req.Model == nil {
		return nil, fmt.Errorf("a request needs a model")
	}
	for i, raw := range in.Messages {
		m, err := ai.DecodeMessage(raw)
		if err != nil {
			return nil, fmt.Errorf("message %d of a request: %w", i, err)
		}
		req.Context.Messages = append(req.Context.Messages, m)
	}
	o := in.Options
	req.Options = ai.Options{
		APIKey: o.APIKey, Headers: map[string]string{}, Temperature: o.Temperature, MaxTokens: o.MaxTokens,
		Thinking: o.Reasoning, ThinkingBudgets: o.ThinkingBudgets, SessionID: o.SessionID,
		CacheRetention: o.CacheRetention, Metadata: map[string]string{}, MaxRetries: o.MaxRetries,
		MaxRetryDelay: time.Duration(o.MaxRetryDelay) * time.Millisecond, Timeout: time.Duration(o.Timeout) * time.Millisecond,
		SamplingParams: o.SamplingParams,
	}
	for name, value := range o.Headers {
		req.Options.Headers[name] = ""
		if value != nil {
			req.Options.Headers[name] = *value
		}
	}
	for name, value := range o.Metadata {
		var s string
		if json.Unmarshal(value, &s) == nil {
			req.Options.Metadata[name] = s
		}
	}
	if json.Unmarshal(o.ToolChoice, &req.Options.ToolChoice) != nil {
		req.Options.ToolChoice = "" // a tool by name is not among what wires know
	}
	return req, nil
}

// judgements are operations on messages and arguments that need nothing else.
func judgements() Table {
	type message struct {
		Message jsontext.Value `json:"message"`
		Window  int            `json:"window"`
		Max     int            `json:"max"`
	}
	judge := func(fn func(*ai.AssistantMessage, message) bool) Op {
		return Typed(func(_ context.Context, in message) (bool, error) {
			decoded, err := ai.DecodeMessage(in.Message)
			if err != nil {
				return false, err
			}
			m, ok := decoded.(*ai.AssistantMessage)
			return ok && fn(m, in), nil
		})
	}
	type call struct {
		Schema    jsontext.Value `json:"schema"`
		Tool      string         `json:"tool"`
		Arguments jsontext.Value `json:"arguments"`
	}
	return Table{
		"ai.overflow":    judge(func(m *ai.AssistantMessage, in message) bool { return ai.IsOverflow(m, in.Window) }),
		"ai.retryable":   judge(func(m *ai.AssistantMessage, _ message) bool { return ai.IsRetryable(m) }),
		"ai.recoverable": judge(func(m *ai.AssistantMessage, in message) bool { return ai.IsRecoverableLength(m, in.Max) }),
		"schema.validate": Typed(func(_ context.Context, in call) (jsontext.Value, error) {
			return validateCall(in.Schema, in.Tool, in.Arguments)
		}),
	}
}

func validateCall(raw jsontext.Value, tool string, args jsontext.Value) (jsontext.Value, error) {
	s, err := schema.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("the schema of tool %s: %w", tool, err)
	}
	out, err := s.Validate(args)
	if invalid, ok := errors.AsType[*schema.ValidationError](err); ok {
		return nil, fmt.Errorf("%s", invalid.Text(tool))
	}
	return out, err
}
