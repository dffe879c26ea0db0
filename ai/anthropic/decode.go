package anthropic

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/sse"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// redactedText stands for thinking that the service withheld.
const redactedText = "[thinking withheld by the provider]"

// decoder turns the wire's events into a writer's calls.
type decoder struct {
	w      *ai.Writer
	open   []*openBlock // the newest last
	usage  ai.Usage
	stop   ai.StopReason
	failed error // why an answer that ended in order is an error
}

// openBlock is a content block that has not been stopped.
type openBlock struct {
	wire      int // its index on the wire
	at        int // its index in the message; -1 for types that are left out
	kind      string
	takes     string // the type of the deltas that its text comes in
	signature []byte
	input     jsontext.Value // of a call whose arguments came with its start
	deltas    bool
}

// read decodes the stream up to message_stop; it does not wait for the end of the body.
func (d *decoder) read(r io.Reader) error {
	events := sse.NewReader(r)
	for !d.w.Ended() {
		if err := d.next(events); err != nil {
			for _, b := range d.open { // what has come of a signature belongs to what has come of its text
				d.sign(b)
			}
			return err
		}
	}
	return nil
}

// next handles the next event of the stream.
func (d *decoder) next(events *sse.Reader) error {
	ev, err := events.Next()
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("the answer ended before message_stop: %w", io.ErrUnexpectedEOF)
	case err != nil:
		return fmt.Errorf("the answer broke off: %w", err)
	}
	return d.event(ev.Name, ev.Data)
}

// event handles one event; those that are not known are ignored. data is not kept.
func (d *decoder) event(name string, data []byte) error {
	if name == "" || name == "message" { // a server that names events only inside their data
		name = typeOf(data)
	}
	switch name {
	case "content_block_delta":
		return d.blockDelta(data)
	case "message_start":
		return decode(name, data, d.messageStart)
	case "content_block_start":
		return decode(name, data, d.blockStart)
	case "content_block_stop":
		return decode(name, data, d.blockStop)
	case "message_delta":
		return decode(name, data, d.messageDelta)
	case "message_stop":
		return d.messageStop()
	case "error":
		return streamError(data)
	}
	return nil
}

func decode[T any](name string, data []byte, handle func(*T) error) error {
	var ev T
	if err := json.Unmarshal(data, &ev, wire.Lax); err != nil {
		return fmt.Errorf("read the event %s: %w", name, err)
	}
	return handle(&ev)
}

func typeOf(data []byte) string {
	var head typed
	if json.Unmarshal(data, &head, wire.Lax) != nil {
		return "" // such as [DONE]
	}
	return head.Type
}

// startEvent is message_start.
type startEvent struct {
	Message struct {
		ID    string    `json:"id"`
		Model string    `json:"model"`
		Usage wireUsage `json:"usage"`
	} `json:"message"`
}

func (d *decoder) messageStart(ev *startEvent) error {
	d.w.SetResponse(ev.Message.ID, ev.Message.Model)
	d.usage.CacheWrite1h = new(0) // 0 and not absent, as Pi 0.85 records it
	d.setUsage(&ev.Message.Usage)
	return nil
}

// blockStartEvent is content_block_start.
type blockStartEvent struct {
	Index *int `json:"index"`
	Block struct {
		Type      string         `json:"type"`
		Text      wire.Text      `json:"text"`
		Thinking  wire.Text      `json:"thinking"`
		Signature string         `json:"signature"`
		Data      string         `json:"data"`
		ID        string         `json:"id"`
		Name      string         `json:"name"`
		Input     jsontext.Value `json:"input"`
	} `json:"content_block"`
}

func (d *decoder) blockStart(ev *blockStartEvent) error {
	b := &openBlock{kind: ev.Block.Type, wire: indexOr(ev.Index), at: -1, signature: []byte(ev.Block.Signature)}
	if b.wire != newest {
		if old := d.find(b.wire); old != nil { // the server forgot to stop it
			d.close(old)
		}
	}
	d.open = append(d.open, b)
	switch b.kind {
	case "text":
		b.at, b.takes = d.w.StartText(), "text_delta"
		d.begin(b.at, string(ev.Block.Text))
	case "thinking":
		b.at, b.takes = d.w.StartThinking(), "thinking_delta"
		d.begin(b.at, string(ev.Block.Thinking))
	case "redacted_thinking":
		b.at = d.w.StartThinking()
		d.begin(b.at, redactedText)
		d.w.SetRedacted(b.at)
		b.signature = []byte(ev.Block.Data)
	case "tool_use":
		b.at, b.takes = d.w.StartToolCall(cmp.Or(ev.Block.ID, "toolu_"+rand.Text()), ev.Block.Name), "input_json_delta"
		b.input = ev.Block.Input
	}
	return nil
}

// begin sets the text that came with a block's start. It is no delta (Pi 0.85).
func (d *decoder) begin(at int, text string) {
	if text != "" {
		d.w.SetText(at, text)
	}
}

func (d *decoder) blockDelta(data []byte) error {
	delta, ok := scanDelta(data)
	if !ok {
		var err error
		if delta, err = parseDelta(data); err != nil {
			return err
		}
	}
	b := d.find(delta.index)
	if b == nil {
		return errors.New("the answer has a delta for a content block that is not open")
	}
	if b.at < 0 {
		return nil
	}
	switch {
	case delta.kind == "signature_delta" && b.kind == "thinking":
		b.signature = append(b.signature, delta.text...)
	case b.takes == delta.kind:
		b.deltas = b.deltas || delta.text != ""
		d.w.Append(b.at, delta.text)
	}
	return nil
}

// blockStopEvent is content_block_stop.
type blockStopEvent struct {
	Index *int `json:"index"`
}

func (d *decoder) blockStop(ev *blockStopEvent) error {
	if b := d.find(indexOr(ev.Index)); b != nil {
		d.close(b)
	}
	return nil
}

// newest stands for an index that is missing. It is not taken for 0.
const newest = -1

func indexOr(index *int) int {
	if index == nil {
		return newest
	}
	return *index
}

// find returns the open block with this index.
func (d *decoder) find(index int) *openBlock {
	for _, b := range slices.Backward(d.open) {
		if index == newest || b.wire == index {
			return b
		}
	}
	return nil
}

func (d *decoder) close(b *openBlock) {
	d.open = slices.DeleteFunc(d.open, func(o *openBlock) bool { return o == b })
	if b.at < 0 {
		return
	}
	d.sign(b)
	if !b.deltas && b.input.Kind() == '{' && len(b.input) > len("{}") {
		d.w.Append(b.at, string(b.input))
	}
	d.w.End(b.at)
}

func (d *decoder) sign(b *openBlock) {
	if b.at >= 0 && len(b.signature) > 0 {
		d.w.SetSignature(b.at, string(b.signature))
	}
}

// stopEvent is message_delta.
type stopEvent struct {
	Delta struct {
		StopReason  string `json:"stop_reason"`
		StopDetails struct {
			Explanation string `json:"explanation"`
		} `json:"stop_details"`
	} `json:"delta"`
	Usage wireUsage `json:"usage"`
}

func (d *decoder) messageDelta(ev *stopEvent) error {
	if raw := ev.Delta.StopReason; raw != "" {
		d.w.SetRawStopReason(raw)
		reason, known := stopReasons[raw]
		if !known {
			return fmt.Errorf("the answer ended with the stop reason %q, which is not known", raw)
		}
		d.stop = reason
		if reason == ai.StopError {
			d.failed = &RefusalError{Reason: raw, Explanation: ev.Delta.StopDetails.Explanation}
		}
	}
	d.setUsage(&ev.Usage)
	return nil
}

// stopReasons maps the wire's stop reasons (Pi 0.85).
var stopReasons = map[string]ai.StopReason{
	"end_turn":                      ai.StopEnd,
	"pause_turn":                    ai.StopEnd,
	"stop_sequence":                 ai.StopEnd,
	"max_tokens":                    ai.StopLength,
	"model_context_window_exceeded": ai.StopLength,
	"tool_use":                      ai.StopToolUse,
	"refusal":                       ai.StopError,
	"sensitive":                     ai.StopError,
}

func (d *decoder) messageStop() error {
	for len(d.open) > 0 {
		d.close(d.open[0])
	}
	switch {
	case d.failed != nil:
		return d.failed
	case d.stop == ai.StopToolUse && !d.w.HasToolCalls():
		return errNoCall
	case d.stop == "":
		return fmt.Errorf("the answer ended without a stop reason: %w", ai.ErrUnterminated)
	}
	d.w.Done(d.stop)
	return nil
}
