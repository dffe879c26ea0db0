package google

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/sse"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// The stream has no terminal event: it ends. A server that holds the connection open
// after the finish reason is not waited for longer than this, or than usageWait if the
// usage may still come.
const (
	finishWait = time.Second
	usageWait  = 10 * time.Second
)

// reader turns the chunks of one response into the events of an answer.
type reader struct {
	w     *ai.Writer
	model *ai.Model
	body  io.ReadCloser

	chunk   chunk
	open    string // the kind of the block that is open: text, thinking or none
	block   int    // its content index
	ids     map[string]bool
	usage   usage
	counted bool
	finish  string
	message string // with the finish reason
}

// read reads to the end of the answer.
func (r *reader) read(ctx context.Context) error {
	events := sse.NewReader(r.body)
	for !r.w.Ended() {
		ev, err := events.Next()
		if err == nil {
			if err := r.event(ev); err != nil {
				return err
			}
			continue
		}
		if r.finish != "" && ctx.Err() == nil { // all of the answer is here
			break
		}
		r.w.EndAll()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the answer ended before its finish reason: %w", io.ErrUnexpectedEOF)
		}
		return fmt.Errorf("the answer broke off: %w", err)
	}
	return r.end()
}

// event handles one event of the stream.
func (r *reader) event(ev sse.Event) error {
	data := bytes.TrimSpace(ev.Data)
	if ev.Name == "error" {
		return r.failed(failure(data))
	}
	if len(data) == 0 || data[0] != '{' { // such as [DONE] of proxies
		return nil
	}
	c := &r.chunk
	if err := c.read(data); err != nil {
		return fmt.Errorf("the stream of %s holds what is no piece of an answer: %w", r.model.Provider, err)
	}
	if kind := c.Error.Kind(); kind == '{' || kind == '"' {
		return r.failed(failure(data))
	}
	r.w.SetResponse(c.ID.String(), c.Model.String())
	if len(c.Candidates) > 0 { // one is asked for
		if err := r.candidate(&c.Candidates[0]); err != nil {
			return err
		}
	}
	if c.Usage != nil && (*c.Usage != r.usage || !r.counted) {
		r.usage, r.counted = *c.Usage, true
		r.w.SetUsage(r.usage.usage())
	}
	if reason := c.Feedback.BlockReason; reason != "" && len(c.Candidates) == 0 {
		return r.failed(&ai.StatusError{
			Code: string(reason), Message: fmt.Sprintf("the service refuses this prompt (%s); rephrase it%s", reason, after(c.Feedback.BlockReasonMessage)),
		})
	}
	if r.finish != "" {
		r.hurry()
	}
	return nil
}

// failure reads an error that stands inside a stream. It has the HTTP status as a number
// and the same again as a word.
func failure(data []byte) error {
	var e struct {
		Error struct {
			Code wire.Count `json:"code"`
		} `json:"error"`
	}
	status := 0
	if json.Unmarshal(data, &e, wire.Lax) == nil && e.Error.Code >= 400 && e.Error.Code < 600 {
		status = int(e.Error.Code)
	}
	return ai.NewStatusError(status, nil, data)
}

// failed closes the blocks of an answer that the service breaks off.
func (r *reader) failed(err error) error {
	r.w.EndAll()
	return err
}

func (r *reader) hurry() {
	wait := usageWait
	if r.counted {
		wait = finishWait
	}
	wire.Hurry(r.body, wait)
}

func (r *reader) candidate(c *candidate) error {
	for i := range c.Content.Parts {
		p := &c.Content.Parts[i]
		if p.Text.given {
			r.text(p)
		}
		if p.FunctionCall != nil {
			r.call(p)
		}
	}
	if c.FinishReason == "" {
		return nil
	}
	r.finish, r.message = string(c.FinishReason), string(c.FinishMessage)
	r.w.SetRawStopReason(r.finish)
	if !known[r.finish] {
		return fmt.Errorf("the answer ended with the finish reason %q, which is not known", r.finish)
	}
	return nil
}

// text takes text or thinking, which goes on with the open block if that is of its kind.
// A part without text may carry the signature of what came before it, or of nothing that
// is shown.
func (r *reader) text(p *answerPart) {
	kind, start := ai.TypeText, r.w.StartText
	if p.Thought {
		kind, start = ai.TypeThinking, r.w.StartThinking
	}
	if r.open != kind {
		if p.Text.s == "" && p.Signature == "" {
			return
		}
		r.close()
		r.open, r.block = kind, start()
	}
	if p.Signature != "" {
		r.w.SetSignature(r.block, string(p.Signature))
	}
	r.w.Append(r.block, p.Text.s)
}

func (r *reader) close() {
	if r.open != "" {
		r.w.End(r.block)
		r.open = ""
	}
}

// call takes a function call, which comes as a whole.
func (r *reader) call(p *answerPart) {
	r.close()
	i := r.w.StartToolCall(r.callID(string(p.FunctionCall.ID)), string(p.FunctionCall.Name))
	if p.Signature != "" {
		r.w.SetSignature(i, string(p.Signature))
	}
	r.w.Append(i, arguments(p.FunctionCall.Args))
	r.w.End(i)
}

// callID returns the id of a call, or a new one where it is missing or taken.
func (r *reader) callID(id string) string {
	if id == "" || r.ids[id] {
		id = "call_" + rand.Text()
	}
	if r.ids == nil {
		r.ids = make(map[string]bool)
	}
	r.ids[id] = true
	return id
}

func arguments(raw jsontext.Value) string {
	switch raw.Kind() {
	case '{':
		compact := raw.Clone()
		if compact.Compact(wire.Lax) == nil {
			return string(compact)
		}
	case 'n', 0:
		return "{}"
	}
	return string(raw)
}

// end closes the answer. A limit and a failure win over having calls.
func (r *reader) end() error {
	switch {
	case r.finish == "STOP" && r.w.HasToolCalls():
		r.w.Done(ai.StopToolUse)
	case r.finish == "STOP":
		r.w.Done(ai.StopEnd)
	case r.finish == "MAX_TOKENS":
		r.w.Done(ai.StopLength)
	case r.w.Ended():
	default:
		err := &ai.StatusError{Code: r.finish, Message: fmt.Sprintf("the service ended the answer with the finish reason %s%s", r.finish, after(text(r.message)))}
		if malformed[r.finish] {
			err.Retry = new(true)
		}
		return r.failed(err)
	}
	return nil
}

func after(message text) string {
	if message == "" {
		return ""
	}
	return ": " + string(message)
}

// known are the finish reasons of Google's documentation.
var known = map[string]bool{
	"STOP": true, "MAX_TOKENS": true,
	"SAFETY": true, "RECITATION": true, "LANGUAGE": true, "OTHER": true, "BLOCKLIST": true,
	"PROHIBITED_CONTENT": true, "SPII": true, "FINISH_REASON_UNSPECIFIED": true,
	"MALFORMED_FUNCTION_CALL": true, "UNEXPECTED_TOOL_CALL": true, "TOO_MANY_TOOL_CALLS": true,
	"MISSING_THOUGHT_SIGNATURE": true, "MALFORMED_RESPONSE": true, "MODEL_ARMOR": true,
	"IMAGE_SAFETY": true, "IMAGE_PROHIBITED_CONTENT": true, "IMAGE_OTHER": true,
	"IMAGE_RECITATION": true, "NO_IMAGE": true,
}

// malformed are slips of the model, which usually does better when asked again.
var malformed = map[string]bool{"MALFORMED_FUNCTION_CALL": true, "MALFORMED_RESPONSE": true}
