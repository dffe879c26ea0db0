package ai

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Writer is a provider's side of a [Stream]. It accumulates the message and emits its
// events; the methods may be called in any order that the events allow, and do nothing
// once the stream has ended or its reader has left.
type Writer struct {
	a       answer
	yield   func(StreamEvent, error) bool
	leave   context.CancelCauseFunc // tells the provider that the reader has left
	started bool
	reading bool // the reader is at work on an event
	ended   bool // terminal event emitted, or reader gone
	flagged bool // that the price is not known
	final   *AssistantMessage
	deltas  slab
}

// begin starts an answer of model.
func (w *Writer) begin(model *Model, yield func(StreamEvent, error) bool, leave context.CancelCauseFunc) {
	w.yield, w.leave = yield, leave
	w.a.start, w.a.pricing = time.Now(), model.Cost
	w.a.head = AssistantMessage{
		API: model.API, Provider: model.Provider, Model: model.ID,
		StopReason: StopPending, Timestamp: w.a.start.UnixMilli(),
	}
}

func (w *Writer) run(ctx context.Context, produce func(context.Context, *Writer) error) {
	defer func() {
		if p := recover(); p != nil {
			if w.reading { // a panic of the reader, not of the provider
				panic(p)
			}
			w.fail(ctx, fmt.Errorf("the provider panicked: %v", p))
		}
	}()
	err := produce(ctx, w)
	if w.ended || w.final != nil {
		return
	}
	if err == nil {
		err = ErrUnterminated
	}
	w.fail(ctx, err)
}

func (w *Writer) send(ev StreamEvent) {
	if w.ended {
		return
	}
	w.reading = true
	ok := w.yield(ev, nil)
	w.reading = false
	if !ok {
		w.ended = true
		w.leave(context.Canceled)
	}
}

// Ended reports whether nothing more will be read: a terminal event has been sent, or
// the reader has left.
func (w *Writer) Ended() bool { return w.ended }

// Start sends the start event, unless it has been sent. Methods that open a block call
// it.
func (w *Writer) Start() {
	if w.started || w.ended {
		return
	}
	w.started = true
	w.send(&Start{Partial: w.a.now()})
}

// SetResponse records the answer's id and, where another model than the one asked
// answered, that model. Empty values change nothing.
func (w *Writer) SetResponse(id, model string) {
	w.a.mu.Lock()
	defer w.a.mu.Unlock()
	if id != "" {
		w.a.head.ResponseID = id
	}
	if model != "" && model != w.a.head.Model {
		w.a.head.ResponseModel = model
	}
}

// SetRawStopReason records the provider's own word for the stop reason.
func (w *Writer) SetRawStopReason(raw string) {
	w.a.mu.Lock()
	defer w.a.mu.Unlock()
	w.a.head.RawStopReason = valid(raw)
}

// SetProviderThinkingLevel records the level as it was sent.
func (w *Writer) SetProviderThinkingLevel(level string) {
	w.a.mu.Lock()
	defer w.a.mu.Unlock()
	w.a.head.ProviderThinkingLevel = level
}

// AddDiagnostic records a note about how the answer was made.
func (w *Writer) AddDiagnostic(typ string, details jsontext.Value) {
	w.a.mu.Lock()
	defer w.a.mu.Unlock()
	w.a.head.Diagnostics = append(slices.Clip(w.a.head.Diagnostics), Diagnostic{Type: typ, Timestamp: time.Now().UnixMilli(), Details: details})
}

// SetUsage records the token counts and prices them. A zero TotalTokens is filled in; a
// cost that the provider reported is kept.
func (w *Writer) SetUsage(u Usage) {
	if u.TotalTokens == 0 {
		u.TotalTokens = u.Input + u.Output + u.CacheRead + u.CacheWrite
	}
	if !u.Cost.Reported {
		u.Cost = w.a.pricing.Of(u)
		if w.a.pricing.unknown() && !w.flagged {
			w.flagged = true
			w.AddDiagnostic(DiagnosticPriceUnknown, nil)
		}
	}
	w.a.mu.Lock()
	defer w.a.mu.Unlock()
	w.a.head.Usage = u
}

// SetCost replaces the price that SetUsage computed, for wires whose tiers multiply it.
func (w *Writer) SetCost(c Cost) {
	w.a.mu.Lock()
	defer w.a.mu.Unlock()
	w.a.head.Usage.Cost = c
}

// Usage returns what SetUsage recorded.
func (w *Writer) Usage() Usage {
	w.a.mu.Lock()
	defer w.a.mu.Unlock()
	return w.a.head.Usage
}

// replacement stands for what is no Unicode.
const replacement = "\uFFFD"

// valid replaces what is no Unicode.
func valid(s string) string { return strings.ToValidUTF8(s, replacement) }

// StartText opens a text block and returns its content index.
func (w *Writer) StartText() int {
	w.Start()
	i := w.a.open(&part{kind: TypeText})
	w.send(&TextStart{ContentIndex: i, Partial: w.a.now()})
	return i
}

// StartThinking opens a thinking block and returns its content index.
func (w *Writer) StartThinking() int {
	w.Start()
	i := w.a.open(&part{kind: TypeThinking})
	w.send(&ThinkingStart{ContentIndex: i, Partial: w.a.now()})
	return i
}

// StartToolCall opens a tool call and returns its content index.
func (w *Writer) StartToolCall(id, name string) int {
	w.Start()
	id, name = valid(id), valid(name)
	i := w.a.open(&part{kind: TypeToolCall, id: id, name: name})
	w.send(&ToolCallStart{ContentIndex: i, ID: id, ToolName: name, Partial: w.a.now()})
	return i
}

// Append adds to the open block i: to its text or, for a tool call, to the JSON text of
// its arguments. Where delta ends with the first half of a character, the half belongs to the next
// delta; one that stays alone is U+FFFD at the end of the block.
func (w *Writer) Append(i int, delta string) {
	if w.ended {
		return
	}
	kind, delta, partial := w.a.append(i, delta)
	switch kind {
	case TypeText:
		ev := w.deltas.next()
		*ev = TextDelta{ContentIndex: i, Delta: delta, Partial: partial}
		w.send(ev)
	case TypeThinking:
		w.send(&ThinkingDelta{ContentIndex: i, Delta: delta, Partial: partial})
	case TypeToolCall:
		w.send(&ToolCallDelta{ContentIndex: i, Delta: delta, Partial: partial})
	}
}

// slab hands out events of the one kind that is frequent. They are allocated a few at a
// time: that halves what a delta costs, and an event that is kept holds only its slab.
type slab struct{ free []TextDelta }

func (s *slab) next() *TextDelta {
	if len(s.free) == 0 {
		s.free = make([]TextDelta, 16)
	}
	ev := &s.free[0]
	s.free = s.free[1:]
	return ev
}

// SetSignature records the provider's token for block i: the text's, the thinking's, or
// the thought signature of a call.
func (w *Writer) SetSignature(i int, signature string) {
	w.a.change(i, func(p *part) { p.signature = valid(signature) })
}

// SetRedacted marks the thinking block i as withheld.
func (w *Writer) SetRedacted(i int) { w.a.change(i, func(p *part) { p.redacted = true }) }

// SetToolCall records the id and name of call i, where they came late. Empty values
// change nothing.
func (w *Writer) SetToolCall(i int, id, name string) {
	w.a.change(i, func(p *part) {
		if id != "" {
			p.id = valid(id)
		}
		if name != "" {
			p.name = valid(name)
		}
	})
}

// SetText replaces the text of block i without an event, for wires that send the
// beginning of a text with the block's start.
func (w *Writer) SetText(i int, text string) {
	w.a.change(i, func(p *part) { p.replace(w.a.seq+1, text) })
}

// Complete sets the whole text of open block i where a wire repeats it at the end: what has not come
// yet is a delta, and a text that does not continue what came replaces it without one.
func (w *Writer) Complete(i int, whole string) {
	rest, continues := strings.CutPrefix(whole, w.a.text(i))
	switch {
	case !continues:
		w.SetText(i, whole)
	default:
		w.a.takeHalf(i)
		if rest != "" {
			w.Append(i, rest)
		}
	}
}

// SetArguments replaces the JSON text of call i's arguments, for wires that send the
// whole text at the end.
func (w *Writer) SetArguments(i int, text string) { w.SetText(i, text) }

// End closes block i; closing it again does nothing. The arguments of a tool call are
// parsed strictly here: if they are no complete JSON object, the call carries
// ArgumentsError.
func (w *Writer) End(i int) {
	if w.a.takeHalf(i) {
		w.Append(i, replacement)
	}
	kind, text, call, ok := w.a.end(i)
	if !ok {
		return
	}
	switch kind {
	case TypeText:
		w.send(&TextEnd{ContentIndex: i, Content: text, Partial: w.a.now()})
	case TypeThinking:
		w.send(&ThinkingEnd{ContentIndex: i, Content: text, Partial: w.a.now()})
	case TypeToolCall:
		w.send(&ToolCallEnd{ContentIndex: i, ToolCall: call, Partial: w.a.now()})
	}
}

// EndAll closes all open blocks in order.
func (w *Writer) EndAll() {
	for i := range w.a.size() {
		w.End(i)
	}
}

// Empty reports whether no block has been opened.
func (w *Writer) Empty() bool { return w.a.size() == 0 }

// Message returns the message so far, for wires that complete it themselves
// ([Writer.DoneWith]).
func (w *Writer) Message() *AssistantMessage {
	w.a.mu.Lock()
	defer w.a.mu.Unlock()
	return w.a.snapshot(w.a.seq + 1)
}

// HasToolCalls reports whether a tool call has been opened.
func (w *Writer) HasToolCalls() bool {
	w.a.mu.Lock()
	defer w.a.mu.Unlock()
	return slices.ContainsFunc(w.a.parts, func(p *part) bool { return p.kind == TypeToolCall })
}

// Done closes the answer with success.
func (w *Writer) Done(reason StopReason) {
	if w.ended || w.final != nil {
		return
	}
	w.Start()
	w.EndAll()
	w.final = w.a.finish(reason, nil)
	w.send(&Done{Message: w.final})
	w.ended = true
}

// DoneWith closes the answer with this message in place of what was streamed.
func (w *Writer) DoneWith(m *AssistantMessage) {
	if w.ended || w.final != nil {
		return
	}
	w.final = m
	if m.Failed() {
		w.send(&Error{Message: m})
	} else {
		w.send(&Done{Message: m})
	}
	w.ended = true
}

// Resolve records the final message of a stream whose wire has no terminal event: the
// end of the events is its end.
func (w *Writer) Resolve(m *AssistantMessage) { w.final = m }

// fail closes the answer with an error; a cancelled context makes it aborted.
func (w *Writer) fail(ctx context.Context, err error) {
	if w.ended || w.final != nil {
		return
	}
	reason := StopError
	if ctx.Err() != nil {
		reason = StopAborted
		if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
			err = cause
		}
	}
	w.final = w.a.finish(reason, err)
	w.send(&Error{Message: w.final})
	w.ended = true
}
