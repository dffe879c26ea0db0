package ai

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/rondo-agent/rondo/ai/internal/partialjson"
	"github.com/rondo-agent/rondo/ai/internal/skim"
)

// Partial is an answer as it stood at one event. It is a handle: the message is built
// when asked for. The zero Partial is an empty message.
type Partial struct {
	a   *answer
	seq uint32
}

// Message returns the message so far. Texts share memory with the stream, so that the
// cost does not depend on their length; a tool call's arguments are what can be salvaged
// of the text so far.
func (p Partial) Message() *AssistantMessage {
	if p.a == nil {
		return &AssistantMessage{StopReason: StopPending}
	}
	return p.a.at(p.seq)
}

// Usage returns the token counts so far.
func (p Partial) Usage() Usage {
	if p.a == nil {
		return Usage{}
	}
	p.a.mu.Lock()
	defer p.a.mu.Unlock()
	return p.a.head.Usage
}

// Arguments returns the arguments of the tool call at this content index as far as they
// have arrived, without copying them; nil if there is no such call. The map must not be
// changed.
func (p Partial) Arguments(contentIndex int) map[string]any {
	if p.a == nil {
		return nil
	}
	return p.a.arguments(contentIndex, p.seq)
}

// ArgumentsText returns the text of the arguments of the tool call at this content index as
// far as it has arrived; empty if there is no such call. It shares memory with the stream.
func (p Partial) ArgumentsText(contentIndex int) string {
	if p.a == nil {
		return ""
	}
	p.a.mu.Lock()
	defer p.a.mu.Unlock()
	if contentIndex < 0 || contentIndex >= len(p.a.parts) {
		return ""
	}
	if call := p.a.parts[contentIndex]; call.kind == TypeToolCall && call.opened <= p.seq {
		return call.textAt(p.seq)
	}
	return ""
}

// answer is the message that a Writer accumulates. Its mutex guards against readers of
// an earlier Partial on other goroutines.
type answer struct {
	mu      sync.Mutex
	start   time.Time
	seq     uint32 // of the newest event
	head    AssistantMessage
	pricing Pricing
	parts   []*part
}

// part is a block under construction.
type part struct {
	kind      string
	id, name  string
	signature string
	redacted  bool
	text      growing
	half      string // of a character at the end of what came, whose other half has not come yet
	past      []past // texts that were replaced by ones that do not continue them
	marks     []mark // the text's length after each event that changed it
	opened    uint32
	closed    uint32 // 0: open
	call      *ToolCall
	parser    partialjson.Parser
}

// mark says how long a text was from event seq on.
type mark struct{ seq, size uint32 }

// past is the text of the events before until.
type past struct {
	until uint32
	text  growing
}

// replace sets the text from event seq on. Partials of earlier events keep theirs.
func (p *part) replace(seq uint32, text string) {
	text, p.half = skim.Join("", text)
	if rest, ok := strings.CutPrefix(text, string(p.text.buf)); ok {
		p.text.add(rest)
	} else {
		p.past = append(p.past, past{seq, p.text})
		p.text.reset(text)
	}
	p.mark(seq)
}

// mark records the text's length from event seq on.
func (p *part) mark(seq uint32) {
	m := mark{seq, uint32(len(p.text.buf))}
	if n := len(p.marks); n > 0 && p.marks[n-1].seq == seq {
		p.marks[n-1] = m
		return
	}
	p.marks = append(p.marks, m)
}

// textAt returns the text at event seq.
func (p *part) textAt(seq uint32) string {
	for i := range p.past {
		if seq < p.past[i].until {
			return p.past[i].text.slice(0, p.sizeAt(seq))
		}
	}
	return p.text.slice(0, p.sizeAt(seq))
}

// sizeAt returns the length of the text at event seq.
func (p *part) sizeAt(seq uint32) int {
	if n := len(p.marks); n == 0 || p.marks[n-1].seq <= seq {
		return len(p.text.buf)
	}
	i, found := slices.BinarySearchFunc(p.marks, seq, func(m mark, seq uint32) int { return int(m.seq) - int(seq) })
	if !found {
		i--
	}
	if i < 0 {
		return 0
	}
	return int(p.marks[i].size)
}

// growing is text whose prefixes are handed out as strings that share its memory: bytes
// are only ever appended.
type growing struct{ buf []byte }

func (g *growing) add(s string) string {
	from := len(g.buf)
	g.buf = append(g.buf, s...)
	return g.slice(from, len(g.buf))
}

func (g *growing) reset(s string) { g.buf = []byte(s) }

func (g *growing) slice(from, to int) string {
	if from == to {
		return ""
	}
	return unsafe.String(&g.buf[from], to-from)
}

func (a *answer) now() Partial {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seq++
	return Partial{a, a.seq}
}

func (a *answer) size() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.parts)
}

func (a *answer) open(p *part) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	p.opened = a.seq + 1
	a.parts = append(a.parts, p)
	return len(a.parts) - 1
}

func (a *answer) append(i int, delta string) (kind, shared string, partial Partial) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.parts[i]
	delta, p.half = skim.Join(p.half, delta)
	shared = p.text.add(delta)
	a.seq++
	p.mark(a.seq)
	return p.kind, shared, Partial{a, a.seq}
}

// text returns the text of part i so far.
func (a *answer) text(i int) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.parts[i].text.slice(0, len(a.parts[i].text.buf))
}

func (a *answer) change(i int, f func(*part)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f(a.parts[i])
}

// takeHalf reports whether open part i ends with half a character, which is dropped.
func (a *answer) takeHalf(i int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.parts[i]
	cut := p.closed == 0 && p.half != ""
	p.half = ""
	return cut
}

func (a *answer) end(i int) (kind, text string, call *ToolCall, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.parts[i]
	if p.closed != 0 {
		return "", "", nil, false
	}
	p.closed = a.seq + 1
	text = p.text.slice(0, len(p.text.buf))
	if p.kind == TypeToolCall {
		p.call = p.finishCall(text)
	}
	return p.kind, text, p.call, true
}

// finishCall parses the arguments of a call whose text is complete.
func (p *part) finishCall(text string) *ToolCall {
	call := &ToolCall{ID: p.id, Name: p.name, ThoughtSignature: p.signature}
	args, err := partialjson.Object(text)
	call.Arguments = args
	if err != nil {
		call.ArgumentsError = err.Error()
		call.RawArguments = text
	}
	return call
}

// at builds the message as it stood at event seq.
func (a *answer) at(seq uint32) *AssistantMessage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.snapshot(seq)
}

func (a *answer) snapshot(seq uint32) *AssistantMessage {
	m := a.head
	m.Content = make(Content, 0, len(a.parts))
	for _, p := range a.parts {
		if p.opened > seq {
			break
		}
		m.Content = append(m.Content, p.block(seq))
	}
	return &m
}

func (p *part) block(seq uint32) Block {
	switch p.kind {
	case TypeText:
		return &Text{Text: p.textAt(seq), Signature: p.signature}
	case TypeThinking:
		return &Thinking{Thinking: p.textAt(seq), Signature: p.signature, Redacted: p.redacted}
	}
	if p.call != nil && p.closed <= seq {
		return p.call
	}
	return &ToolCall{ID: p.id, Name: p.name, ThoughtSignature: p.signature, Arguments: partialjson.Salvage(p.textAt(seq))}
}

func (a *answer) arguments(i int, seq uint32) map[string]any {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i < 0 || i >= len(a.parts) || a.parts[i].kind != TypeToolCall || a.parts[i].opened > seq {
		return nil
	}
	p := a.parts[i]
	return p.parser.Object(p.textAt(seq))
}

func (a *answer) finish(reason StopReason, err error) *AssistantMessage {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.parts {
		if p.half != "" { // of a block that a failure has left open
			p.half = ""
			p.text.add(replacement)
			p.mark(a.seq + 1)
		}
	}
	m := a.snapshot(a.seq + 1)
	m.StopReason = reason
	m.DurationMs = time.Since(a.start).Milliseconds()
	if err != nil {
		m.Err = err
		m.ErrorMessage = err.Error()
	}
	return m
}
