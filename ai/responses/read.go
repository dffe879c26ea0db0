package responses

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/sse"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// reader turns the events of one response into those of an answer.
type reader struct {
	w     *ai.Writer
	model *ai.Model
	tier  string // the service tier that was asked for

	delta delta
	items items
	held  held
	ids   map[string]bool // of calls
	stray bool            // pieces of arguments came for an item that is not known
}

// read reads up to the terminal event; it does not wait for the end of the body.
func (r *reader) read(body io.Reader) error {
	events := sse.NewReader(body)
	for !r.w.Ended() {
		ev, err := events.Next()
		switch {
		case errors.Is(err, io.EOF):
			return fmt.Errorf("the answer ended before response.completed: %w", io.ErrUnexpectedEOF)
		case err != nil:
			return fmt.Errorf("the answer broke off: %w", err)
		}
		if err := r.event(ev.Name, ev.Data); err != nil {
			return err
		}
	}
	return nil
}

// event handles one event; those that are not known are passed over. The type inside the
// data counts, since many servers leave out the name.
func (r *reader) event(name string, data []byte) error {
	if r.delta.skim(data) {
		return r.piece(&r.delta)
	}
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '{' { // such as [DONE]
		if name == "error" {
			return failure(data)
		}
		return nil
	}
	var ev event
	if err := json.Unmarshal(data, &ev, wire.Lax); err != nil {
		return fmt.Errorf("the stream of %s holds what is no event of an answer: %w", r.model.Provider, err)
	}
	if ev.Type == "" {
		ev.Type = text(name)
	}
	switch ev.Type {
	case "response.created", "response.in_progress", "response.queued":
		r.w.SetResponse(string(ev.Response.ID), string(ev.Response.Model))
	case "response.output_item.added":
		return r.added(&ev)
	case "response.output_item.done":
		return r.itemDone(ev.OutputIndex, &ev.Item)
	case "response.function_call_arguments.done":
		return r.argumentsDone(&ev)
	case "response.reasoning_summary_part.done":
		return r.summaryPartDone(&ev)
	case "response.completed", "response.done", "response.incomplete", "response.failed", "response.cancelled":
		return r.end(strings.TrimPrefix(string(ev.Type), "response."), &ev.Response)
	case "error":
		return failure(data)
	case "":
		if len(ev.Error) > 0 && ev.Error.Kind() != 'n' {
			return failure(data)
		}
	default:
		if strings.HasSuffix(string(ev.Type), ".delta") {
			return r.unusualPiece(&ev)
		}
	}
	return nil
}

// unusualPiece handles a delta that was not skimmed.
func (r *reader) unusualPiece(ev *event) error {
	d := delta{kind: []byte(`"` + ev.Type + `"`), index: ev.OutputIndex, text: string(ev.Delta)}
	if ev.ItemID != "" {
		d.itemID = []byte(`"` + ev.ItemID + `"`)
	}
	return r.piece(&d)
}

// piece appends a delta to its item.
func (r *reader) piece(d *delta) error {
	var of kind
	switch string(d.kind) {
	case `"response.output_text.delta"`, `"response.refusal.delta"`:
		of = message
	case `"response.reasoning_summary_text.delta"`, `"response.reasoning_text.delta"`:
		of = thought
	case `"response.function_call_arguments.delta"`:
		of = call
	default:
		return nil
	}
	it, err := r.items.find(d.index, unquoted(d.itemID), of)
	if err != nil {
		return err
	}
	switch {
	case of == call && (it == nil || it.kind != call): // the item's end may bring it all
		r.stray = true
		return nil
	case it == nil:
		it = r.begin(&item{kind: of, index: d.index, id: string(unquoted(d.itemID))})
	}
	if it.kind == of && !it.done {
		it.pieces, it.gap = true, false
		r.w.Append(it.block, d.text)
	}
	return nil
}

func unquoted(raw []byte) []byte {
	if len(raw) < 2 {
		return nil
	}
	return raw[1 : len(raw)-1]
}

// begin opens the block of an item and remembers it.
func (r *reader) begin(it *item) *item {
	switch it.kind {
	case message:
		it.block = r.w.StartText()
	case thought:
		it.block = r.w.StartThinking()
	case call:
		it.block = r.w.StartToolCall(r.callID(it), it.name)
	case other:
		it.block = -1
	}
	r.items.add(it)
	return it
}

// callID joins the two ids of a call. Results are told apart by it, so that it is made up
// where the server gives none or the same one again.
func (r *reader) callID(it *item) string {
	id := it.callID
	if it.id != "" && id != "" {
		id += separator + it.id
	}
	if id == "" || r.ids[id] {
		id = "call_" + rand.Text()
	}
	if r.ids == nil {
		r.ids = make(map[string]bool)
	}
	r.ids[id] = true
	return id
}

func newItem(index wire.Index, o *outputItem) *item {
	return &item{
		kind: kindOf(o.Type), index: index, id: string(o.ID), callID: string(o.CallID),
		name: string(o.Name), phase: string(o.Phase),
	}
}

func (r *reader) added(ev *event) error {
	if r.items.at(ev.OutputIndex, &ev.Item) != nil {
		return nil // announced twice, or after its first piece
	}
	it := r.begin(newItem(ev.OutputIndex, &ev.Item))
	if it.kind == call && ev.Item.Arguments != "" {
		r.w.SetArguments(it.block, string(ev.Item.Arguments))
	}
	return r.release()
}

// summaryPartDone separates the parts of a summary (Pi 0.85).
func (r *reader) summaryPartDone(ev *event) error {
	it, err := r.items.find(ev.OutputIndex, []byte(ev.ItemID), thought)
	if err != nil || it == nil || it.kind != thought || it.done {
		return err
	}
	it.gap = true
	r.w.Append(it.block, summaryGap)
	return nil
}

const summaryGap = "\n\n"

// argumentsDone takes the whole text of arguments. What of it has not been seen yet comes
// as a delta (Pi 0.85).
func (r *reader) argumentsDone(ev *event) error {
	it, err := r.items.find(ev.OutputIndex, []byte(ev.ItemID), call)
	if err != nil || it == nil || it.kind != call || it.done {
		return err
	}
	if ev.Arguments != "" {
		it.whole = true
		if !it.pieces {
			it.pieces = true
			r.w.SetArguments(it.block, "")
		}
		r.w.Complete(it.block, string(ev.Arguments))
	}
	return nil
}

// itemDone takes the end of an item, which repeats all of it. An item that was never
// announced waits for those before it, since their order is that of the conversation.
func (r *reader) itemDone(index wire.Index, end *outputItem) error {
	it, err := r.items.finished(index, end)
	if err != nil {
		return err
	}
	if it == nil {
		if !r.items.complete(index) {
			r.held = append(r.held, heldItem{index, *end})
			return nil
		}
		it = r.begin(newItem(index, end))
	}
	r.finish(it, end)
	return r.release()
}

// release takes in the items that need not wait any more.
func (r *reader) release() error {
	for len(r.held) > 0 {
		h, ok := r.held.take(r.items.complete)
		if !ok {
			return nil
		}
		r.finish(r.begin(newItem(h.index, &h.item)), &h.item)
	}
	return nil
}

// finish closes the block of an item with what its end says.
func (r *reader) finish(it *item, end *outputItem) {
	if it.done || it.kind != kindOf(end.Type) {
		return
	}
	it.done = true
	switch it.kind {
	case message:
		if end.Content != nil {
			r.setText(it, strings.Join(end.Content, ""))
		}
		r.sign(it, end)
	case thought:
		r.setText(it, r.thinking(it, end))
		r.w.SetSignature(it.block, string(end.raw))
		if !present(end.Encrypted) {
			it.unsealed = end.raw
		}
	case call:
		if end.Arguments != "" && it.pieces {
			r.w.Complete(it.block, string(end.Arguments))
		} else if end.Arguments != "" {
			r.w.SetArguments(it.block, string(end.Arguments))
		}
		if it.name == "" {
			r.w.SetToolCall(it.block, "", string(end.Name))
		}
	case other:
		return
	}
	r.w.End(it.block)
}

// setText replaces what came in pieces, unless the item's end has lost it.
func (r *reader) setText(it *item, text string) {
	if text != "" || !it.pieces {
		r.w.SetText(it.block, text)
	}
}

// thinking returns the text of a reasoning item: its summary, or the reasoning itself
// where the model is open about it.
func (it *outputItem) thinking() string {
	for _, parts := range []texts{it.Summary, it.Content} {
		if text := strings.Join(parts, summaryGap); text != "" {
			return text
		}
	}
	return ""
}

// thinking returns the text of a reasoning item that has ended; empty leaves it as it came.
func (r *reader) thinking(it *item, end *outputItem) string {
	if text := end.thinking(); text != "" {
		return text
	}
	if !it.gap {
		return ""
	}
	soFar := r.w.Message().Content[it.block].(*ai.Thinking).Thinking
	return strings.TrimSuffix(soFar, summaryGap)
}

func (r *reader) sign(it *item, end *outputItem) {
	s := textSignature{V: 1, ID: it.id, Phase: it.phase}
	if end.ID != "" {
		s.ID = string(end.ID)
	}
	if end.Phase != "" {
		s.Phase = string(end.Phase)
	}
	if signature := s.String(); signature != "" {
		r.w.SetSignature(it.block, signature)
	}
}
