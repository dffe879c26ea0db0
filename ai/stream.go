package ai

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"os"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// StreamFunc asks a model. It returns at once; the request is sent when the stream is
// read. Cancelling ctx ends the stream with an [Error] event whose stop reason is
// aborted.
type StreamFunc func(ctx context.Context, req *Request) *Stream

// Request is what a model is asked.
type Request struct {
	Model   *Model
	Context Context
	Options Options
}

// Context is what a model sees.
type Context struct {
	// SystemPrompt instructs the model. Empty means none, or that Messages begins with
	// a [SystemMessage] that holds it.
	SystemPrompt string
	Messages     []Message
	Tools        []ToolDecl
}

// Options are the settings of one request. The zero value is a plain request.
type Options struct {
	APIKey string
	// Headers are added last, over the provider's and the model's; an empty value
	// removes a header.
	Headers map[string]string
	// Env are environment variables of the provider, which wires read before those of the
	// process: a place, a profile. See [Options.Getenv].
	Env map[string]string
	// Thinking is the level to think at; empty is off.
	Thinking ThinkingLevel
	// ThinkingBudgets replaces the tokens that a level may think for.
	ThinkingBudgets map[ThinkingLevel]int
	Temperature     *float64
	// MaxTokens bounds the answer; 0 is the model's own limit.
	MaxTokens int
	// SamplingParams are merged into the request last, as they are.
	SamplingParams map[string]jsontext.Value
	// ToolChoice is auto (default) or none.
	ToolChoice string
	// CacheRetention says how long the provider may keep the prompt: none, short
	// (default) or long.
	CacheRetention string
	// SessionID groups the requests of a session, for caches and routing.
	SessionID string
	Metadata  map[string]string
	// MaxRetries is how often a request is sent again before its first byte has come;
	// 0 is never, since a session retries visibly.
	MaxRetries int
	// MaxRetryDelay is the longest delay that a server may ask for; 0 means a minute.
	MaxRetryDelay time.Duration
	// Timeout bounds the wait for the response's headers; 0 means no bound.
	Timeout time.Duration
	// IdleTimeout bounds the silence between two reads of the response; 0 means five
	// minutes, a negative value no bound.
	IdleTimeout time.Duration
	// Client sends the request; nil means a client of the wire's own.
	Client *http.Client
	// OnHeaders may change the request's headers; it runs after all of them are set and
	// before OnPayload.
	OnHeaders func(ctx context.Context, header http.Header) error
	// OnPayload may replace the request's body.
	OnPayload func(ctx context.Context, body jsontext.Value) (jsontext.Value, error)
	// OnResponse sees status and headers before the body is read.
	OnResponse func(ctx context.Context, status int, header http.Header) error
}

// Getenv returns an environment variable as a wire sees it.
func (o *Options) Getenv(name string) string {
	if v := o.Env[name]; v != "" {
		return v
	}
	return os.Getenv(name)
}

// Stream is one answer of a model. It is read once.
type Stream struct {
	// Of events that are made here: by whom, and for whom.
	ctx     context.Context
	model   *Model
	produce func(ctx context.Context, w *Writer) error
	w       Writer
	read    bool

	// Of events that exist elsewhere.
	events iter.Seq2[StreamEvent, error]
	result func() *AssistantMessage
}

// ErrUnterminated means that a stream ended without saying how.
var ErrUnterminated = errors.New("the stream ended without a terminal event")

// errConsumed is what a second reader of a stream gets.
var errConsumed = errors.New("the stream has been read already")

// NewStream returns a stream whose events are made by produce, on the reader's goroutine
// and not before it reads. What produce leaves open is closed: an error or a panic of it,
// a cancelled ctx, or a missing terminal event become an [Error] event.
func NewStream(ctx context.Context, model *Model, produce func(ctx context.Context, w *Writer) error) *Stream {
	return &Stream{ctx: ctx, model: model, produce: produce}
}

// play makes the events.
func (s *Stream) play(yield func(StreamEvent, error) bool) {
	if s.read {
		yield(nil, errConsumed)
		return
	}
	s.read = true
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	s.w.begin(s.model, yield, cancel)
	s.w.run(ctx, s.produce)
}

// StreamOf returns a stream of events that exist elsewhere, for instance a recording.
// result, which may be nil, gives the final message when events end without a terminal
// one.
func StreamOf(events iter.Seq2[StreamEvent, error], result func() *AssistantMessage) *Stream {
	return &Stream{events: events, result: result}
}

// Events yields the answer's events in order. The error is nil but for a provider that
// breaks its contract.
func (s *Stream) Events() iter.Seq2[StreamEvent, error] {
	if s.events != nil {
		return s.events
	}
	return s.play
}

// Result returns the final message once the events have been read, whether the answer
// succeeded or failed; nil if the stream has not come to its end.
func (s *Stream) Result() *AssistantMessage {
	if s.result != nil {
		return s.result()
	}
	return s.w.final
}

// Complete asks a model and waits for the final message, which is returned for a failed
// answer as well. The error is for a provider that breaks its contract.
func Complete(ctx context.Context, ask StreamFunc, req *Request) (*AssistantMessage, error) {
	stream := ask(ctx, req)
	for ev, err := range stream.Events() {
		if err != nil {
			return nil, err
		}
		switch ev := ev.(type) {
		case *Done:
			return ev.Message, nil
		case *Error:
			return ev.Message, nil
		default:
		}
	}
	if m := stream.Result(); m != nil {
		return m, nil
	}
	return nil, ErrUnterminated
}

// Router sends each request to the wire that its model's API names.
type Router map[string]StreamFunc

// Stream implements [StreamFunc]. An API that the router does not know is an [Error]
// event that lists those it does.
func (r Router) Stream(ctx context.Context, req *Request) *Stream {
	if ask, ok := r[req.Model.API]; ok {
		return ask(ctx, req)
	}
	return NewStream(ctx, req.Model, func(context.Context, *Writer) error {
		return fmt.Errorf("model %s/%s needs the api %q, which is not supported; change \"api\" in models.json", req.Model.Provider, req.Model.ID, req.Model.API)
	})
}
