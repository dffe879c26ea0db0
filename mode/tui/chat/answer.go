package chat

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/term/markdown"
	"github.com/rondo-agent/rondo/internal/term/text"
)

// answer is an answer that streams: what of each of its contents is shown.
type answer struct{ parts []*part }

// part is one content of an answer.
type part struct {
	source string // what was shown last
	shown  int    // bytes of it that are in final blocks
	block  *Block // the open one; nil if there is none
	// opening stands before what is not in final blocks: the fence of code that goes on.
	opening string
}

// update shows an answer as it is now, finished or not.
func (t *Transcript) update(m *ai.AssistantMessage) {
	if t.answer == nil {
		t.answer = &answer{}
	}
	for i, content := range m.Content {
		if i == len(t.answer.parts) {
			t.closeTexts()
			t.answer.parts = append(t.answer.parts, &part{})
		}
		p := t.answer.parts[i]
		last := i == len(m.Content)-1
		switch c := content.(type) {
		case *ai.Text:
			t.grow(p, Answer, c.Text, !last)
		case *ai.Thinking:
			t.grow(p, Thinking, c.Thinking, !last)
		case *ai.ToolCall:
			t.call(c.ID, c.Name, c.Arguments)
		default:
		}
	}
}

// closeTexts ends the texts that are open: another content follows.
func (t *Transcript) closeTexts() {
	for _, p := range t.answer.parts {
		p.finish()
	}
}

func (p *part) finish() {
	if p.block != nil {
		p.block.Text = strings.TrimRight(p.block.Text, " \n")
		p.block.Final = true
		p.block.touch()
		p.shown, p.block, p.opening = len(p.source), nil, ""
	}
}

// grow shows what has been added to a text. If it is no longer what was shown, since an
// extension has replaced it, all of it is shown again.
func (t *Transcript) grow(p *part, kind Kind, source string, whole bool) {
	if len(source) == len(p.source) && !whole {
		return
	}
	if p.shown > 0 && !strings.HasPrefix(source, p.source[:p.shown]) {
		p.finish()
		p.shown = 0
	}
	p.source = source
	rest := p.opening + source[p.shown:]
	if kind == Answer && !whole && !t.Whole {
		rest = t.divide(p, rest)
	}
	if strings.TrimSpace(rest) != "" || p.block != nil {
		t.show(p, kind, rest)
	}
	if whole {
		p.finish()
	}
}

// codeLines is how many lines of code that goes on are shown as a block of their own.
const codeLines = 60

// divide makes final blocks of what is finished, and returns the rest.
func (t *Transcript) divide(p *part, rest string) string {
	if n := markdown.Split(rest); n > 0 {
		t.show(p, Answer, rest[:n])
		p.close(n)
		rest = rest[n:]
	}
	for {
		n, closing, opening := markdown.SplitCode(rest, codeLines)
		if n == 0 {
			return rest
		}
		t.show(p, Answer, rest[:n]+closing)
		p.close(n)
		p.opening = opening
		rest = opening + rest[n:]
	}
}

// close makes the open block final; n is how many bytes it has, with the opening.
func (p *part) close(n int) {
	p.block.Text = strings.TrimRight(p.block.Text, " \n")
	p.block.Final = true
	p.shown, p.block, p.opening = p.shown+n-len(p.opening), nil, ""
}

// show makes a text that of the open block.
func (t *Transcript) show(p *part, kind Kind, source string) {
	if p.block == nil {
		p.block = t.push(&Block{Kind: kind, Joined: p.opening != ""})
	}
	p.block.Text = strings.TrimLeft(text.CleanSource(source), "\n")
	p.block.touch()
}

// call shows a call that the model makes.
func (t *Transcript) call(id, name string, args jsontext.Value) *Block {
	if b := t.calls[id]; b != nil {
		if !b.Final && !b.Call.Running {
			b.Call.Name, b.Call.Args = text.OneLine(name), args
			b.touch()
		}
		return b
	}
	if t.calls == nil {
		t.calls = make(map[string]*Block)
	}
	b := t.push(&Block{Kind: Tool, Call: &Call{ID: id, Name: text.OneLine(name), Args: args}})
	t.calls[id] = b
	return b
}

// answerEnded closes the texts of an answer, and says why it is not what was asked for.
func (t *Transcript) answerEnded(m *ai.AssistantMessage) {
	t.closeTexts()
	t.answer = nil
	switch m.StopReason {
	case ai.StopAborted:
		t.skip(m)
		t.Add(Warning, "Aborted.")
	case ai.StopError:
		t.skip(m)
		t.Add(Failure, "Error: "+orElse(m.ErrorMessage, "the model's service failed without saying why"))
	case ai.StopLength:
		t.Add(Warning, "The answer was cut at the model's output limit.")
	default:
	}
}

// skip closes the calls of an answer that failed: they never run.
func (t *Transcript) skip(m *ai.AssistantMessage) {
	for _, c := range m.Content.ToolCalls() {
		if b := t.calls[c.ID]; b != nil && !b.Call.Running && !b.Final {
			b.Call.Skipped, b.Final = true, true
			b.touch()
		}
	}
}

func (t *Transcript) callStart(ev *agent.ToolExecutionStart) {
	b := t.call(ev.ToolCallID, ev.ToolName, ev.Args)
	if b.Final { // an id that was used before
		delete(t.calls, ev.ToolCallID)
		b = t.call(ev.ToolCallID, ev.ToolName, ev.Args)
	}
	b.Call.Args, b.Call.Running = ev.Args, true
	b.touch()
}

func (t *Transcript) callUpdate(ev *agent.ToolExecutionUpdate) {
	if b := t.calls[ev.ToolCallID]; b != nil && !b.Final {
		b.Call.Result = ev.PartialResult
		b.touch()
	}
}

func (t *Transcript) callEnd(ev *agent.ToolExecutionEnd) {
	b := t.call(ev.ToolCallID, ev.ToolName, nil)
	if b.Final {
		return
	}
	b.Call.Result, b.Call.IsError, b.Call.DurationMs = ev.Result, ev.IsError, ev.DurationMs
	b.Call.Running = false
	b.Final = true
	b.touch()
}

// callResult takes the result message of a call, which counts for one that never ran.
func (t *Transcript) callResult(m *ai.ToolResultMessage) {
	b := t.calls[m.ToolCallID]
	if b == nil {
		return
	}
	if !b.Final || b.Call.Skipped && b.Call.Result == nil && !b.Final {
		b.Call.Result = &agent.ToolResult{Content: m.Content, Details: m.Details}
		b.Call.IsError, b.Call.DurationMs = m.IsError, m.DurationMs
		b.Call.Running, b.Final = false, true
		b.touch()
	}
}

func orElse(s, otherwise string) string {
	if strings.TrimSpace(s) == "" {
		return otherwise
	}
	return s
}
