package extui

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/graphics"
	"github.com/rondo-agent/rondo/mode/tui/view"
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

// Drawer lets extensions draw blocks: their messages and entries, calls of their tools, and texts
// that they change. It belongs to the goroutine of the model; see [view.Drawer].
type Drawer struct {
	on         *stage
	images     *graphics.Store
	extensions func() *extension.Runner
	folder     func() string
	paintings  map[*chat.Block]*painting
}

var _ view.Drawer = (*Drawer)(nil)

// NewDrawer returns a drawer for the session that has these extensions and works in this folder.
func (u *UI) NewDrawer(extensions func() *extension.Runner, folder func() string) *Drawer {
	return &Drawer{on: u.on, images: u.Images(), extensions: extensions, folder: folder, paintings: make(map[*chat.Block]*painting)}
}

// Draw implements [view.Drawer].
func (d *Drawer) Draw(b *chat.Block, p *view.Painter) (lines []string, ready bool) {
	runner := d.extensions()
	if runner.Empty() {
		return nil, true
	}
	pt := d.paintings[b]
	if pt == nil || pt.version != b.Version || pt.expanded != p.Expanded {
		render := d.renderer(runner, b, p)
		if render == nil {
			return nil, true
		}
		if pt == nil {
			pt = &painting{state: make(map[string]any), h: &hosted{on: d.on, stale: true}}
			d.paintings[b] = pt
		}
		pt.version, pt.expanded, pt.asked = b.Version, p.Expanded, time.Now()
		pt.h.remake(render(pt))
	}
	lines = pt.h.Draw(p.Width, p.Height)
	return lines, pt.h.settled() || time.Since(pt.asked) > renderLimit
}

// Forget implements [view.Drawer].
func (d *Drawer) Forget(b *chat.Block) {
	if p := d.paintings[b]; p != nil {
		p.h.Dispose()
		delete(d.paintings, b)
	}
}

// ForgetAll ends the drawing of all blocks: the extensions are others.
func (d *Drawer) ForgetAll() {
	for b := range d.paintings {
		d.Forget(b)
	}
}

// Recoloured draws all blocks anew, for other colours.
func (d *Drawer) Recoloured() {
	for _, p := range d.paintings {
		p.version = -1
	}
}

// renderer returns what makes the component of a block; nil if no extension draws it.
func (d *Drawer) renderer(runner *extension.Runner, b *chat.Block, p *view.Painter) func(*painting) func(*hosted) extension.Component {
	theme, expanded := d.on.colours(), p.Expanded
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
		return d.callRenderer(runner, b, theme, expanded)
	case said[b.Kind] != "" && runner.Transforms():
		c := &transformed{runner: runner, block: *b, painter: *p}
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
	runner  *extension.Runner
	block   chat.Block
	painter view.Painter // a copy: it draws on the component's goroutine
}

// Render implements [extension.Component].
func (t *transformed) Render(width int) []string {
	about := extension.MarkdownContext{MessageType: said[t.block.Kind], IsStreaming: !t.block.Final, AvailableWidth: width}
	if t.block.Kind != chat.Answer {
		about.AvailableWidth = max(width-2, 1) // beside the mark
	}
	b := t.block
	b.Text = text.CleanSource(t.runner.TransformMarkdown(b.Text, about))
	if b.Kind == chat.User { // it is shown as it was written
		b.Text = text.Expand(b.Text)
	}
	p := t.painter
	p.Width = width
	return text.Strings(p.Block(&b))
}

// HandleInput implements [extension.Component].
func (*transformed) HandleInput(string) {}

// Invalidate implements [extension.Component].
func (*transformed) Invalidate() {}

// callRenderer is renderer for calls of tools that draw themselves.
func (d *Drawer) callRenderer(runner *extension.Runner, b *chat.Block, theme extension.Theme, expanded bool) func(*painting) func(*hosted) extension.Component {
	var tool *extension.Tool
	for _, t := range runner.Tools() {
		if t.Name == b.Call.Name {
			tool = t.Tool
		}
	}
	if tool == nil || tool.RenderCall == nil && tool.RenderResult == nil {
		return nil
	}
	call, dir, final := *b.Call, d.folder(), b.Final
	protocol, _ := d.images.Protocol()
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
