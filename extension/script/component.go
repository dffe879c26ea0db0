package script

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/lenient"
)

// patience is how long the terminal waits for a script to draw. What comes later is shown
// with the next drawing.
const patience = 100 * time.Millisecond

// component is a component of the machine, by its number. The terminal calls it.
type component struct {
	in     *instance
	n      int
	screen atomic.Pointer[extension.Screen] // to draw again when something was late; may be nil

	mu     sync.Mutex
	lines  []string          // of the last drawing
	failed map[string]string // what an entry has failed with last, and is told of
}

var _ interface {
	extension.Component
	extension.Focuser
	extension.Disposer
	extension.KeyReleaser
} = (*component)(nil)

// draw calls an entry of the machine that returns at once. The error of ctx says that there was
// no answer in time.
func (c *component) draw(ctx context.Context, name string, arg map[string]any, into any) error {
	arg["n"] = c.n
	raw, err := json.Marshal(arg, lenient.Options)
	if err != nil {
		return err
	}
	out, err := c.in.host.engine.Draw(ctx, name, string(raw))
	if err == nil && into != nil && out != "" {
		err = json.Unmarshal([]byte(out), into, lenient.Options)
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	c.tell(name, err)
	return err
}

// tell reports what an entry has failed with, unless it has failed like that before: a report is
// shown, which draws the screen again.
func (c *component) tell(name string, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	c.mu.Lock()
	told := c.failed[name] == text
	if !told {
		if c.failed == nil {
			c.failed = make(map[string]string)
		}
		c.failed[name] = text
	}
	c.mu.Unlock()
	if !told && err != nil && !errors.Is(err, ErrClosed) { // a component may outlive its session for a moment
		c.in.report(name, err)
	}
}

// report tells of a failure that nothing returns. That the machine has ended is told by itself.
func (in *instance) report(what string, err error) {
	if in.api != nil && !dead(err) {
		in.api.Report(&extension.Error{Event: what, Err: err})
	}
}

// Render implements [extension.Component]. A script that is busy leaves the lines that it has
// drawn before.
func (c *component) Render(width int) []string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var lines []string
	err := c.draw(ctx, "component.render", map[string]any{"width": width}, &lines)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		c.lines = lines
	case ctx.Err() != nil: // it is late; one that fails would fail again
		time.AfterFunc(patience, c.again)
	}
	return c.lines
}

// HandleInput implements [extension.Component].
func (c *component) HandleInput(data string) {
	c.later("component.input", map[string]any{"data": data})
}

// Invalidate implements [extension.Component].
func (c *component) Invalidate() { c.later("component.invalidate", map[string]any{}) }

// SetFocused implements [extension.Focuser].
func (c *component) SetFocused(focused bool) {
	c.later("component.focus", map[string]any{"focused": focused})
}

// Dispose implements [extension.Disposer].
func (c *component) Dispose() {
	c.later("component.dispose", map[string]any{})
	h := c.in.host
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.components[c.n] == c {
		delete(h.components, c.n)
	}
}

// later calls an entry without waiting for longer than a drawing may take; calls keep their
// order.
func (c *component) later(name string, arg map[string]any) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_ = c.draw(ctx, name, arg, nil) // it is told of
	c.again()
}

// WantsKeyRelease implements [extension.KeyReleaser].
func (c *component) WantsKeyRelease() bool {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var about struct {
		KeyRelease bool `json:"keyRelease"`
	}
	_ = c.draw(ctx, "component.about", map[string]any{}, &about) // it is told of
	return about.KeyRelease
}

// make calls a function of the machine that makes a component; nil if it makes none.
func (in *instance) make(ctx context.Context, fn int, screen extension.Screen, args ...any) (extension.Component, error) {
	n, err := in.makeNumber(ctx, "component.make", fn, args)
	if err != nil || n == 0 {
		return nil, err
	}
	return in.shown(n, screen), nil
}

// shown is a component of the machine, the same for each of its uses; nil for number 0. The
// screen may be nil if it is not known.
func (in *instance) shown(n int, screen extension.Screen) extension.Component {
	if n == 0 {
		return nil
	}
	h := in.host
	h.mu.Lock()
	defer h.mu.Unlock()
	if e := h.editors[n]; e != nil {
		return e
	}
	c := h.components[n]
	if c == nil {
		c = &component{in: in, n: n}
		h.components[n] = c
	}
	if screen != nil {
		c.screen.Store(&screen)
	}
	return c
}

// again draws the component again, if it is known where.
func (c *component) again() {
	if s := c.screen.Load(); s != nil {
		(*s).RequestRender(false)
	}
}

func (in *instance) makeNumber(ctx context.Context, entry string, fn int, args []any) (n int, err error) {
	raw, err := json.Marshal(map[string]any{"x": in.id, "c": 0, "h": fn, "args": args}, lenient.Options)
	if err != nil {
		return 0, fmt.Errorf("make a component: %w", err)
	}
	out, err := in.host.engine.Draw(ctx, entry, string(raw))
	if err != nil {
		return 0, err
	}
	if err := json.Unmarshal([]byte(out), &n); err != nil {
		return 0, fmt.Errorf("make a component: %w", err)
	}
	return n, nil
}

// quickly is make where the terminal waits.
func (in *instance) quickly(what string, fn int, screen extension.Screen, args ...any) extension.Component {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c, err := in.make(ctx, fn, screen, args...)
	if err != nil {
		in.report(what, err)
		return nil
	}
	return c
}

// Arguments of factories, as components.js reads them.
func (in *instance) screenArg(s extension.Screen) any {
	return map[string]any{"screen": in.host.hold(s)}
}

func themeArg(t extension.Theme) any {
	name := ""
	if t != nil {
		name = t.Name()
	}
	return map[string]any{"theme": name}
}

func valueArg(v any) any { return map[string]any{"value": v} }

func (in *instance) renderCall(fn int) func(jsontext.Value, extension.Theme, *extension.RenderContext) extension.Component {
	return func(args jsontext.Value, theme extension.Theme, rc *extension.RenderContext) extension.Component {
		return in.quickly("renderCall", fn, nil, valueArg(args), themeArg(theme), in.contextArg(rc))
	}
}

func (in *instance) renderResult(fn int) func(*agent.ToolResult, extension.Theme, *extension.RenderContext) extension.Component {
	return func(result *agent.ToolResult, theme extension.Theme, rc *extension.RenderContext) extension.Component {
		options := map[string]any{"expanded": rc.Expanded, "isPartial": rc.IsPartial}
		return in.quickly("renderResult", fn, nil, valueArg(result), valueArg(options), themeArg(theme), in.contextArg(rc))
	}
}

func (in *instance) contextArg(rc *extension.RenderContext) any {
	before := 0
	if c, ok := rc.LastComponent.(*component); ok && c.in.host == in.host {
		before = c.n
	}
	return map[string]any{"context": map[string]any{
		"toolCallId": rc.ToolCallID, "args": rc.Args, "cwd": rc.CWD, "lastComponent": before,
		"invalidate": in.host.hold(rc.Invalidate), "executionStarted": rc.ExecutionStarted, "argsComplete": rc.ArgsComplete,
		"isPartial": rc.IsPartial, "isError": rc.IsError, "expanded": rc.Expanded, "showImages": rc.ShowImages,
	}}
}
