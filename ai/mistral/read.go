package mistral

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/calls"
	"github.com/rondo-agent/rondo/ai/internal/sse"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// afterFinish is how long the stream may be silent between the finish reason and its end.
const afterFinish = 10 * time.Second

// reader turns the chunks of one response into the events of an answer.
type reader struct {
	w     *ai.Writer
	model *ai.Model
	body  io.ReadCloser

	chunk    chunk
	open     string // the kind of the block that is open: text, thinking or none
	block    int    // its content index
	calls    calls.Calls
	finish   string
	counted  bool
	complete bool // nothing more is to come
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
			r.w.EndAll()
			return fmt.Errorf("the answer broke off: %w", err)
		}
		if err := r.event(ev); err != nil {
			r.w.EndAll()
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
	case len(data) == 0 || data[0] != '{':
		return nil
	}
	c := &r.chunk
	if err := c.read(data); err != nil {
		return fmt.Errorf("the stream of %s holds what is no chunk of an answer: %w", r.model.Provider, err)
	}
	if c.Choices == 0 && c.Usage == nil {
		return failure(data)
	}
	r.w.SetResponse(c.ID.String(), c.Model.String())
	for _, p := range c.Pieces {
		r.piece(p)
	}
	for i := range c.Calls {
		r.close()
		r.calls.Add(r.w, &c.Calls[i])
	}
	if c.Usage != nil {
		r.counted = true
		r.w.SetUsage(c.Usage.usage())
	}
	if c.Finish != "" && r.finish == "" {
		r.finish = c.Finish
		r.w.SetRawStopReason(r.finish)
		wire.Hurry(r.body, afterFinish)
	}
	r.complete = r.finish != "" && r.counted
	return nil
}

// failure returns the error that stands in place of a piece; nil if it is none.
func failure(data []byte) error {
	var form struct {
		Object text           `json:"object"`
		Error  jsontext.Value `json:"error"`
	}
	if json.Unmarshal(data, &form, wire.Lax) != nil {
		return nil
	}
	if kind := form.Error.Kind(); form.Object == "error" || kind == '{' || kind == '"' {
		return ai.NewStatusError(0, nil, data)
	}
	return nil
}

// piece takes text or thinking, which goes on with the open block if that is of its kind.
func (r *reader) piece(p piece) {
	kind, start := ai.TypeText, r.w.StartText
	if p.thinking {
		kind, start = ai.TypeThinking, r.w.StartThinking
	}
	if r.open != kind {
		r.close()
		r.open, r.block = kind, start()
	}
	r.w.Append(r.block, p.text)
}

func (r *reader) close() {
	if r.open != "" {
		r.w.End(r.block)
		r.open = ""
	}
}

// end closes the answer. Being cut and a failure win over having calls.
func (r *reader) end() error {
	if r.w.Ended() {
		return nil
	}
	r.calls.Flush(r.w)
	switch r.finish {
	case "stop", "tool_calls":
		switch {
		case r.w.HasToolCalls():
			r.w.Done(ai.StopToolUse)
		case r.finish == "stop":
			r.w.Done(ai.StopEnd)
		default:
			r.w.EndAll()
			return errNoCall
		}
	case "length", "model_length":
		r.w.Done(ai.StopLength)
	case "":
		r.w.EndAll()
		return fmt.Errorf("the answer of %s has no finish reason: %w", r.model.Provider, ai.ErrUnterminated)
	default:
		r.w.EndAll()
		err := &ai.StatusError{Code: r.finish, Message: fmt.Sprintf("the provider ended the answer with the finish reason %q", r.finish)}
		if r.finish == "error" { // of the service
			err.Retry = new(true)
		}
		return err
	}
	return nil
}

// errNoCall is a failure of the service, which usually does better when asked again.
var errNoCall = &ai.StatusError{Retry: new(true), Message: "the answer ended without the tool call that it announced"}
