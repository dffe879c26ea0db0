package tui

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/chat"
)

// renderLimit is how long a finished block waits for the extension that draws it, before it
// is shown as any other.
const renderLimit = 500 * time.Millisecond

// painting is a block that an extension draws.
type painting struct {
	h        *hosted
	version  int
	expanded bool
	call     extension.Component // the newest of the call, and of the result
	result   extension.Component
	state    map[string]any
	asked    time.Time
}

// painted returns what an extension draws for a block; false while it has drawn nothing yet
// for its newest state, and nil if no extension draws it.
func (a *app) paintedBlock(b *chat.Block) (lines []string, ready bool) {
	render := a.renderer(b)
	if render == nil {
		return nil, true
	}
	p := a.paintings[b]
	if p == nil {
		p = &painting{version: -1, state: make(map[string]any)}
		a.paintings[b] = p
	}
	if p.version != b.Version || p.expanded != a.expanded {
		p.version, p.expanded, p.asked = b.Version, a.expanded, time.Now()
		if p.h == nil {
			p.h = a.opts.ui.t.host(render(p))
		} else {
			p.h.remake(render(p))
		}
	}
	lines = p.h.draw(a.width, a.height)
	p.h.mu.Lock()
	ready = !p.h.drawing && !p.h.busy && (p.h.c == nil || !p.h.stale)
	p.h.mu.Unlock()
	if time.Since(p.asked) > renderLimit {
		ready = true
	}
	if !ready {
		a.after(spinTime)
	}
	return lines, ready
}

// unpaint forgets what an extension has drawn for a block.
func (a *app) unpaint(b *chat.Block) {
	if p := a.paintings[b]; p != nil {
		p.h.dispose()
		delete(a.paintings, b)
	}
}

// renderer returns what makes the component of a block; nil if no extension draws it.
func (a *app) renderer(b *chat.Block) func(*painting) func(*hosted) extension.Component {
	runner := a.session().Extensions()
	if runner.Empty() {
		return nil
	}
	theme, expanded := a.opts.ui.Theme(), a.expanded
	switch {
	case b.Message != nil:
		raw, err := json.Marshal(b.Message)
		if err != nil {
			return nil
		}
		return once(func() extension.Component { return runner.RenderMessage(b.Message.CustomType, raw, expanded, theme) })
	case b.Entry != nil:
		raw, err := json.Marshal(b.Entry)
		if err != nil {
			return nil
		}
		return once(func() extension.Component { return runner.RenderEntry(b.Entry.CustomType, raw, expanded, theme) })
	case b.Call != nil:
		return a.callRenderer(b, runner, theme, expanded)
	case said[b.Kind] != "" && runner.Transforms():
		c := &transformed{runner: runner, block: *b, draw: a.sketch()}
		return once(func() extension.Component { return c })
	}
	return nil
}

// once makes a renderer that needs nothing of the painting before.
func once(create func() extension.Component) func(*painting) func(*hosted) extension.Component {
	return func(*painting) func(*hosted) extension.Component {
		return func(*hosted) extension.Component { return create() }
	}
}

// said are the kinds of blocks whose Markdown extensions may change, as they call them (Pi
// 0.85).
var said = map[chat.Kind]string{chat.User: "user", chat.Answer: "assistant", chat.Thinking: "assistant-thinking"}

// transformed is a text that extensions change before the terminal shows it as any other.
type transformed struct {
	runner *extension.Runner
	block  chat.Block
	draw   *app
}

// sketch returns what draws blocks on another goroutine than that of the program.
func (a *app) sketch() *app {
	return &app{opts: a.opts, theme: a.theme, measure: a.measure, unfolded: a.unfolded, expanded: a.expanded}
}

// Render implements [extension.Component].
func (t *transformed) Render(width int) []string {
	about := extension.MarkdownContext{MessageType: said[t.block.Kind], IsStreaming: !t.block.Final, AvailableWidth: width}
	if t.block.Kind != chat.Answer {
		about.AvailableWidth = max(width-2, 1) // beside the mark
	}
	b := t.block
	b.Text = text.Clean(t.runner.TransformMarkdown(b.Text, about))
	t.draw.width = width
	return text.Strings(t.draw.block(&b))
}

// HandleInput implements [extension.Component].
func (*transformed) HandleInput(string) {}

// Invalidate implements [extension.Component].
func (*transformed) Invalidate() {}

// callRenderer is renderer for calls of tools that draw themselves.
func (a *app) callRenderer(b *chat.Block, runner *extension.Runner, theme extension.Theme, expanded bool) func(*painting) func(*hosted) extension.Component {
	var tool *extension.Tool
	for _, t := range runner.Tools() {
		if t.Name == b.Call.Name {
			tool = t.Tool
		}
	}
	if tool == nil || tool.RenderCall == nil && tool.RenderResult == nil {
		return nil
	}
	call, dir, final := *b.Call, folder(a.session()), b.Final
	protocol, _ := a.opts.ui.images.Protocol()
	shown := protocol.Name != ""
	if call.Args == nil {
		call.Args = jsontext.Value("{}")
	}
	return func(p *painting) func(*hosted) extension.Component {
		return func(h *hosted) extension.Component {
			rc := extension.RenderContext{
				ToolCallID: call.ID, Args: call.Args, CWD: dir, State: p.state, Invalidate: h.changed, ExecutionStarted: call.Running || final, ShowImages: shown,
				ArgsComplete: call.Running || final, IsPartial: !final, IsError: call.IsError, Expanded: expanded,
			}
			var parts stack
			if tool.RenderCall != nil {
				rc.LastComponent = p.call
				p.call = instead(p.call, tool.RenderCall(call.Args, theme, &rc))
				parts = append(parts, p.call)
			}
			if tool.RenderResult != nil && call.Result != nil {
				rc.LastComponent = p.result
				p.result = instead(p.result, tool.RenderResult(call.Result, theme, &rc))
				parts = append(parts, p.result)
			}
			return parts
		}
	}
}

// instead ends a component that another one takes the place of.
func instead(before, now extension.Component) extension.Component {
	if before != nil && before != now {
		dispose(before)
	}
	return now
}

func dispose(c extension.Component) {
	if d, ok := c.(extension.Disposer); ok {
		d.Dispose()
	}
}

// stack is components one below the other.
type stack []extension.Component

var _ extension.Disposer = stack(nil)

// Render implements [extension.Component].
func (s stack) Render(width int) []string {
	var lines []string
	for _, c := range s {
		if c != nil {
			lines = append(lines, c.Render(width)...)
		}
	}
	return lines
}

// HandleInput implements [extension.Component].
func (stack) HandleInput(string) {}

// Invalidate implements [extension.Component].
func (s stack) Invalidate() {
	for _, c := range s {
		if c != nil {
			c.Invalidate()
		}
	}
}

// Dispose implements [extension.Disposer].
func (s stack) Dispose() {
	for _, c := range s {
		dispose(c)
	}
}

// foreignLines makes lines of an extension those of a block.
func (a *app) foreignLines(lines []string) []text.Line {
	out := make([]text.Line, len(lines))
	for i, l := range lines {
		out[i] = text.Line{{Text: a.foreign(l)}}
	}
	return out
}
