package openai

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/calls"
	"github.com/rondo-agent/rondo/ai/internal/sse"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// APICompletions is the name of this wire in a model's record.
const APICompletions = "openai-completions"

const defaultBaseURL = "https://api.openai.com/v1"

// afterFinish is how long the stream may be silent between the finish reason and its
// end. What can still come is the usage.
const afterFinish = 10 * time.Second

// Completions is an [ai.StreamFunc] for Chat Completions. The model's BaseURL is the
// address that /chat/completions is added to; empty means OpenAI's own.
func Completions(ctx context.Context, req *ai.Request) *ai.Stream {
	return ai.NewStream(ctx, req.Model, func(ctx context.Context, w *ai.Writer) error {
		compat, err := CompatOf(req.Model)
		if err != nil {
			return err
		}
		b := &builder{req: req, model: req.Model, compat: compat}
		payload, err := b.build()
		if err != nil {
			return err
		}
		resp, err := wire.Post(ctx, req, b.baseURL()+"/chat/completions", b.header(), payload)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if err := wire.RefuseJSON(resp, "one JSON object"); err != nil {
			return err
		}
		w.Start()
		r := &reader{w: w, compat: &compat, model: req.Model, body: resp.Body}
		r.calls.NewID = func() string { return "call_" + rand.Text() }
		return r.read(ctx)
	})
}

func (b *builder) baseURL() string {
	if b.model.BaseURL == "" {
		return defaultBaseURL
	}
	return strings.TrimRight(b.model.BaseURL, "/")
}

// reader turns the events of one response into those of an answer.
type reader struct {
	w      *ai.Writer
	compat *Compat
	model  *ai.Model
	body   io.ReadCloser

	chunk    chunk
	text     block
	thinking block
	field    string // in which thinking came first
	calls    calls.Calls
	details  details
	usage    usage
	finish   string
	stray    string // what came last that is no chunk
	complete bool   // nothing more is to come
}

// block is the place of a block that is begun with its first piece.
type block struct {
	index int
	open  bool
}

// read reads to the end of the answer.
func (r *reader) read(ctx context.Context) error {
	events := sse.NewReader(r.body)
	for !r.complete && !r.w.Ended() {
		ev, err := events.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			if r.finish != "" && ctx.Err() == nil { // all of the answer is here
				break
			}
			if r.thinking.open {
				r.sign()
			}
			r.w.EndAll()
			return fmt.Errorf("the answer broke off: %w", err)
		}
		if err := r.event(ev); err != nil {
			if r.thinking.open {
				r.sign()
			}
			return err
		}
	}
	return r.end()
}

// event handles one event of the stream.
func (r *reader) event(ev sse.Event) error {
	data := bytes.TrimSpace(ev.Data)
	switch {
	case string(data) == "[DONE]":
		r.complete = true
		return nil
	case ev.Name == "error":
		return ai.NewStatusError(0, nil, data)
	case len(data) == 0 || data[0] != '{': // such as null or ping, to keep the connection alive
		if len(data) > 0 && string(data) != "null" {
			r.stray = string(data[:min(len(data), 200)])
		}
		return nil
	}
	if err := r.chunk.read(ev.Data); err != nil {
		return fmt.Errorf("the stream of %s holds what is no chunk of an answer: %w", r.model.Provider, err)
	}
	c := &r.chunk
	if c.failed() {
		return ai.NewStatusError(0, nil, ev.Data)
	}
	r.w.SetResponse(c.ID.String(), c.Model.String())
	if len(c.Choices) > 0 { // one is asked for: the first counts, whatever index it has
		if err := r.choice(&c.Choices[0]); err != nil {
			return err
		}
	}
	r.count(c)
	return nil
}

// count takes the usage of a chunk. It ends the answer if it comes alone after the
// finish reason, since that is the last chunk there is.
func (r *reader) count(c *chunk) {
	found := c.Usage
	if found == nil && len(c.Choices) > 0 {
		found = c.Choices[0].Usage
	}
	if found == nil {
		return
	}
	if !found.zero() || r.usage.zero() {
		r.usage = *found
		r.w.SetUsage(found.usage(r.model))
	}
	if len(c.Choices) == 0 && r.finish != "" {
		r.complete = true
	}
}

func (r *reader) choice(c *choice) error {
	if present(c.Error) {
		return ai.NewStatusError(0, nil, c.Error)
	}
	r.think(&c.Delta)
	if text := c.Delta.Content; text != "" {
		r.append(&r.text, r.w.StartText, string(text))
	}
	if text := c.Delta.Refusal; text != "" {
		r.append(&r.text, r.w.StartText, string(text))
	}
	for i := range c.Delta.ToolCalls {
		r.calls.Add(r.w, c.Delta.ToolCalls[i].piece())
	}
	if f := c.Delta.FunctionCall; f != nil {
		r.calls.Add(r.w, (&callDelta{Function: *f}).piece())
	}
	if c.FinishReason != "" && r.finish == "" {
		r.finish = string(c.FinishReason)
		r.w.SetRawStopReason(r.finish)
		wire.Hurry(r.body, afterFinish)
	}
	return nil
}

func (r *reader) append(b *block, start func() int, text string) {
	if !b.open {
		*b = block{index: start(), open: true}
	}
	r.w.Append(b.index, text)
}

// think takes the thinking of a delta. Servers may send it as plain text, as details, or
// as both; the form that comes first is the one that is shown.
func (r *reader) think(d *delta) {
	field, plain := d.reasoning()
	text := string(plain)
	if present(d.ReasoningDetails) {
		r.details.add(d.ReasoningDetails)
		if text == "" && (r.field == "" || r.field == fieldReasoningDetails) {
			field, text = fieldReasoningDetails, shown(d.ReasoningDetails)
		}
	}
	if text == "" || r.field == fieldReasoningDetails && field != r.field {
		return
	}
	if r.field == "" {
		r.field = field
	}
	r.append(&r.thinking, r.w.StartThinking, text)
}

// end closes the answer.
func (r *reader) end() error {
	if r.w.Ended() {
		return nil
	}
	r.calls.Flush(r.w)
	r.sign()
	if r.finish == "" && (r.compat.SupportsFinishReason || !r.complete) {
		r.w.EndAll()
		if r.stray != "" {
			return fmt.Errorf("the answer of %s has no finish reason, the server said %q: %w", r.model.Provider, r.stray, ai.ErrUnterminated)
		}
		return fmt.Errorf("the answer of %s has no finish reason: %w", r.model.Provider, ai.ErrUnterminated)
	}
	reason, ok := r.reason()
	if !ok {
		r.w.EndAll()
		return &ai.StatusError{Code: r.finish, Message: fmt.Sprintf("the provider ended the answer with the finish reason %q", r.finish)}
	}
	r.w.Done(reason)
	return nil
}

// reason maps the finish reason; false if it stands for a failure. Being cut wins over
// having calls.
func (r *reader) reason() (ai.StopReason, bool) {
	switch r.finish {
	case "stop", "end", "":
		if r.w.HasToolCalls() {
			return ai.StopToolUse, true
		}
		return ai.StopEnd, true
	case "length":
		return ai.StopLength, true
	case "tool_calls", "function_call":
		return ai.StopToolUse, true
	}
	return "", false
}

// sign attaches what has to come back with thinking and calls in later requests.
func (r *reader) sign() {
	for id, detail := range r.details.takeFor(r.calls.Block) {
		r.w.SetSignature(r.calls.Block(id), detail)
	}
	signature := r.details.json()
	if signature == "" && r.field != fieldReasoningDetails {
		signature = r.field
	}
	if signature == "" {
		return
	}
	if !r.thinking.open {
		r.thinking = block{index: r.w.StartThinking(), open: true}
	}
	r.w.SetSignature(r.thinking.index, signature)
}
