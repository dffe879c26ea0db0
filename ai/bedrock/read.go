package bedrock

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// redactedText stands for thinking that the service withheld.
const redactedText = "[thinking withheld by the provider]"

// metadataWait is how long the usage is waited for after the stop reason.
const metadataWait = 10 * time.Second

// reader turns the messages of one response into the events of an answer.
type reader struct {
	w     *ai.Writer
	model *ai.Model
	body  io.ReadCloser

	delta    delta
	open     []*openBlock // the newest last
	ids      map[string]bool
	stop     string
	complete bool // nothing more is to come
}

// openBlock is a content block that has not been stopped.
type openBlock struct {
	wire      int // its index on the wire
	at        int // its index in the message
	kind      deltaKind
	signature []byte
	redacted  bool
}

// read reads to the end of the answer.
func (r *reader) read(ctx context.Context) error {
	messages := frames{src: r.body}
	for !r.complete && !r.w.Ended() {
		m, err := messages.next()
		if err == io.EOF { //nolint:errorlint // an EOF inside another error is a broken connection
			break // between two messages
		}
		if err != nil {
			if r.stop != "" && ctx.Err() == nil { // all of the answer is here
				break
			}
			r.closeAll()
			return fmt.Errorf("the answer broke off: %w", err)
		}
		if err := r.message(m); err != nil {
			r.closeAll()
			return err
		}
	}
	r.closeAll()
	return r.end()
}

// message handles one message of the stream.
func (r *reader) message(m *message) error {
	switch string(m.kind) {
	case "exception":
		return exception(string(m.exception), m.payload)
	case "error":
		return exception(string(m.code), []byte(quoted(string(m.text))))
	}
	return r.event(m.event, m.payload)
}

// event handles one event; those that are not known are passed over.
func (r *reader) event(kind, data []byte) error {
	switch string(kind) {
	case "contentBlockDelta":
		if err := r.delta.read(data); err != nil {
			return fmt.Errorf("read the event %s: %w", kind, err)
		}
		r.piece(&r.delta)
	case "contentBlockStart":
		return decode(kind, data, r.blockStart)
	case "contentBlockStop":
		return decode(kind, data, func(ev *blockStop) {
			if b := r.find(indexOr(ev.Index)); b != nil {
				r.close(b)
			}
		})
	case "messageStop":
		return decode(kind, data, func(ev *messageStop) {
			r.stop = string(ev.Reason)
			r.w.SetRawStopReason(r.stop)
			wire.Hurry(r.body, metadataWait)
		})
	case "metadata":
		return decode(kind, data, func(ev *metadata) {
			if u := ev.usage(); u != nil {
				r.w.SetUsage(*u)
			}
			r.complete = r.stop != ""
		})
	}
	return nil
}

func decode[T any](kind, data []byte, handle func(*T)) error {
	var ev T
	if err := json.Unmarshal(data, &ev, wire.Lax); err != nil {
		return fmt.Errorf("read the event %s: %w", kind, err)
	}
	handle(&ev)
	return nil
}

// blockStart opens a call; blocks of the other kinds begin with their first piece.
func (r *reader) blockStart(ev *blockStart) {
	use := ev.Start.ToolUse
	if use == nil {
		return
	}
	index := indexOr(ev.Index)
	if index != newest {
		if old := r.find(index); old != nil { // the service forgot to stop it
			r.close(old)
		}
	}
	r.open = append(r.open, &openBlock{wire: index, kind: inputDelta, at: r.w.StartToolCall(r.callID(string(use.ID)), string(use.Name))})
}

// callID returns the id of a call, or a new one where it is missing or taken.
func (r *reader) callID(id string) string {
	if id == "" || r.ids[id] {
		id = "tooluse_" + rand.Text()
	}
	if r.ids == nil {
		r.ids = make(map[string]bool)
	}
	r.ids[id] = true
	return id
}

// piece appends a delta to its block. Arguments that belong to no call are left out: the
// call that they complete is not there either.
func (r *reader) piece(d *delta) {
	b := r.find(d.index)
	if b != nil && b.kind != d.kind {
		if d.index != newest && d.kind != otherDelta {
			r.close(b)
		}
		b = nil
	}
	if b == nil {
		if b = r.begin(d); b == nil {
			return
		}
	}
	if d.redacted != "" {
		b.signature = append(b.signature, d.redacted...)
		if !b.redacted {
			b.redacted = true
			r.w.SetRedacted(b.at)
			r.w.Append(b.at, redactedText) // Pi 0.85 sends a notice as a delta, too
		}
	}
	if d.text != "" {
		r.w.Append(b.at, d.text)
	}
	b.signature = append(b.signature, d.signature...)
}

func (r *reader) begin(d *delta) *openBlock {
	b := &openBlock{wire: d.index, kind: d.kind}
	switch d.kind {
	case textDelta:
		if d.text == "" {
			return nil
		}
		b.at = r.w.StartText()
	case reasoningDelta:
		b.at = r.w.StartThinking()
	case inputDelta, otherDelta:
		return nil
	}
	r.open = append(r.open, b)
	return b
}

// find returns the open block with this index.
func (r *reader) find(index int) *openBlock {
	for _, b := range slices.Backward(r.open) {
		if index == newest || b.wire == index {
			return b
		}
	}
	return nil
}

func (r *reader) close(b *openBlock) {
	r.open = slices.DeleteFunc(r.open, func(o *openBlock) bool { return o == b })
	if len(b.signature) > 0 {
		r.w.SetSignature(b.at, string(b.signature))
	}
	r.w.End(b.at)
}

func (r *reader) closeAll() {
	for len(r.open) > 0 {
		r.close(r.open[0])
	}
}

// stopReasons maps the wire's stop reasons (Pi 0.85); the others stand for failures.
var stopReasons = map[string]ai.StopReason{
	"end_turn":                      ai.StopEnd,
	"stop_sequence":                 ai.StopEnd,
	"max_tokens":                    ai.StopLength,
	"model_context_window_exceeded": ai.StopLength,
	"tool_use":                      ai.StopToolUse,
}

// malformed are slips of the model, which usually does better when asked again.
var malformed = map[string]bool{"malformed_model_output": true, "malformed_tool_use": true}

// errNoCall is a failure of the service, which usually does better when asked again.
var errNoCall = &ai.StatusError{Retry: new(true), Message: "the answer ended without the tool call that it announced"}

// end closes the answer.
func (r *reader) end() error {
	if r.w.Ended() {
		return nil
	}
	reason, ok := stopReasons[r.stop]
	switch {
	case r.stop == "":
		return fmt.Errorf("the answer ended before messageStop: %w", io.ErrUnexpectedEOF)
	case !ok:
		err := &ai.StatusError{Code: r.stop, Message: fmt.Sprintf("the service ended the answer with the stop reason %q", r.stop)}
		if malformed[r.stop] {
			err.Retry = new(true)
		}
		return err
	case reason == ai.StopToolUse && !r.w.HasToolCalls():
		return errNoCall
	case reason == ai.StopEnd && r.w.HasToolCalls():
		reason = ai.StopToolUse
	}
	r.w.Done(reason)
	return nil
}
