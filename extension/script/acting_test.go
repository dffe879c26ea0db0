package script_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/extension"
)

// actor is a person with a terminal: it answers dialogs, draws what it is shown at two widths,
// and presses keys until that goes away. What it has met is its diary.
type actor struct {
	extension.NoUI
	hide *strings.Replacer // of what differs from run to run

	mu     sync.Mutex
	diary  []string
	beside []string // what has happened at the same time
	text   string
	shown  int
	others sync.WaitGroup
}

var _ extension.UI = (*actor)(nil)

// moments are times and random numbers.
var moments = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z|\d{1,2}:\d\d:\d\d( [AP]M)?|\b\d{13}\b|0\.\d{6,}`)

func (a *actor) line(format string, args []any) string {
	return moments.ReplaceAllString(a.hide.Replace(fmt.Sprintf(format, args...)), "<moment>")
}

func (a *actor) note(format string, args ...any) {
	line := a.line(format, args)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.diary = append(a.diary, line)
}

func (a *actor) noteBeside(format string, args ...any) {
	line := a.line(format, args)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.beside = append(a.beside, line)
}

// notes ends with what was beside, in the order of its text. It waits for that.
func (a *actor) notes() []string {
	a.others.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	slices.Sort(a.beside)
	return slices.Concat(a.diary, a.beside)
}

func (a *actor) Notify(message, kind string) { a.note("notify %s %s", kind, message) }

func (a *actor) Select(_ context.Context, title string, options []string, _ time.Duration) (string, bool) {
	a.note("select %s %q", title, options)
	if len(options) == 0 {
		return "", false
	}
	return options[0], true
}

func (a *actor) Confirm(_ context.Context, title, message string, _ time.Duration) bool {
	a.note("confirm %s %s", title, message)
	return true
}

func (a *actor) Input(_ context.Context, title, placeholder string, _ time.Duration) (string, bool) {
	a.note("input %s %s", title, placeholder)
	return "an answer", true
}

func (a *actor) Editor(_ context.Context, title, prefill string) (string, bool) {
	a.note("editor %s %s", title, prefill)
	return prefill + "!", true
}

func (a *actor) SetStatus(key string, text *string) {
	if text == nil {
		a.note("status %s is gone", key)
		return
	}
	a.note("status %s %s", key, *text)
}

func (a *actor) SetTitle(title string) { a.note("title %s", title) }

func (a *actor) SetEditorText(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text = text
}

func (a *actor) EditorText() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.text
}

func (a *actor) SetWorkingMessage(text *string) { a.note("working message %v", text != nil) }

func (a *actor) SetWorkingVisible(visible bool) { a.note("working visible %v", visible) }

func (a *actor) SetWorkingIndicator(i *extension.Indicator) { a.note("working indicator %v", i) }

func (a *actor) SetHiddenThinkingLabel(label *string) { a.note("thinking label %v", label != nil) }

func (a *actor) SetWidget(key string, w *extension.Widget) {
	switch {
	case w == nil:
		a.note("widget %s is gone", key)
	case w.Component == nil:
		a.note("widget %s %q", key, w.Lines)
	default:
		a.show("widget "+key, func() extension.Component { return w.Component(screen{a}, a.Theme()) })
	}
}

func (a *actor) SetHeader(factory extension.HeaderFactory) {
	if factory != nil {
		a.show("header", func() extension.Component { return factory(screen{a}, a.Theme()) })
	}
}

func (a *actor) SetFooter(factory extension.FooterFactory) {
	if factory != nil {
		a.show("footer", func() extension.Component { return factory(screen{a}, a.Theme(), footer{}) })
	}
}

func (a *actor) SetEditorComponent(factory extension.EditorFactory) {
	if factory == nil {
		return
	}
	a.show("editor component", func() extension.Component {
		e := factory(screen{a}, a.Theme(), bindings{})
		if e == nil {
			return nil
		}
		e.OnSubmit(func(text string) { a.noteBeside("submitted %q", text) })
		e.SetText("two words")
		for _, key := range []string{"\x1b[D", "x", "\x7f", "y", "\r"} {
			e.HandleInput(key)
		}
		a.noteBeside("editor has %q", e.Text())
		return e
	})
}

// show draws a component that stays, as a terminal does: beside everything else.
func (a *actor) show(what string, create func() extension.Component) {
	a.others.Go(func() {
		c := create()
		if c == nil {
			a.noteBeside("%s is nothing", what)
			return
		}
		a.noteBeside("%s %q", what, c.Render(80))
		c.Invalidate()
		if d, ok := c.(extension.Disposer); ok {
			d.Dispose()
		}
	})
}

// keys are pressed in what asks, then those that end it.
var keys = []string{"\x1b[B", "\x1b[A", "\t", " ", "a", "\x7f", "2", "\r", "\x1b[C", "p", "\r", "q", "\x1b", "\x03", "q", "\x1b"}

func (a *actor) Custom(ctx context.Context, factory extension.CustomFactory, _ *extension.CustomOptions) (any, bool) {
	over := make(chan any, 1)
	var once sync.Once
	c, err := factory(screen{a}, a.Theme(), bindings{}, func(v any) { once.Do(func() { over <- v }) })
	if err != nil || c == nil {
		a.note("custom failed: %v", err)
		return nil, false
	}
	if d, ok := c.(extension.Disposer); ok {
		defer d.Dispose()
	}
	a.note("custom %q %q", c.Render(80), c.Render(37))
	a.mu.Lock()
	a.shown++
	mine := keys
	if a.shown > 12 { // who is asked again and again gives up
		mine = keys[len(keys)-4:]
	}
	a.mu.Unlock()
	for _, key := range mine {
		select {
		case v := <-over:
			a.note("custom ended")
			return v, true
		case <-time.After(5 * time.Millisecond): // what a key causes may come later
			c.HandleInput(key)
			a.note("after %q: %q", key, c.Render(80))
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	select {
	case v := <-over:
		return v, true
	case <-ctx.Done():
		a.note("custom does not end")
		return nil, false
	}
}

// screen is a terminal of 80 columns that nobody looks at.
type screen struct{ a *actor }

func (screen) RequestRender(bool)           {}
func (screen) Size() (columns, rows int)    { return 80, 24 }
func (screen) SetFocus(extension.Component) {}
func (screen) HideOverlay()                 {}
func (screen) HasOverlay() bool             { return false }
func (screen) Stop()                        {}
func (screen) Start()                       {}

func (s screen) ShowOverlay(c extension.Component, _ *extension.OverlayOptions) extension.Overlay {
	s.a.show("overlay", func() extension.Component { return c })
	return overlay{}
}

type overlay struct{}

func (overlay) Hide()                                 {}
func (overlay) SetHidden(bool)                        {}
func (overlay) IsHidden() bool                        { return false }
func (overlay) Focus()                                {}
func (overlay) Unfocus()                              {}
func (overlay) IsFocused() bool                       { return true }
func (overlay) UnfocusTo(extension.Component)         {}
func (overlay) Bounds() (b extension.Bounds, ok bool) { return b, false }

type bindings struct{}

func (bindings) Matches(data, action string) bool {
	return action == "tui.select.cancel" && data == "\x1b" || action == "tui.select.confirm" && data == "\r" || action == "app.interrupt" && data == "\x1b"
}

func (bindings) Keys(string) []string { return []string{"escape"} }

type footer struct{}

func (footer) GitBranch() string                    { return "main" }
func (footer) ExtensionStatuses() map[string]string { return map[string]string{"k": "v"} }
func (footer) AvailableProviderCount() int          { return 1 }
func (footer) OnBranchChange(func()) (off func())   { return func() {} }

// arguments makes arguments for a tool of its JSON schema.
func arguments(raw []byte) map[string]any {
	var schema map[string]any
	if json.Unmarshal(raw, &schema) != nil {
		return nil
	}
	out, _ := argument("", schema).(map[string]any)
	return out
}

var knownArguments = map[string]any{
	"path": "notes.txt", "command": "echo hello", "pattern": "hello", "oldText": "hello", "newText": "goodbye", "duration": "2 days", "timeout": 5,
}

func argument(name string, schema map[string]any) any {
	if v, ok := knownArguments[name]; ok {
		return v
	}
	if v, ok := schema["const"]; ok {
		return v
	}
	for _, key := range []string{"enum", "anyOf", "oneOf"} {
		list, ok := schema[key].([]any)
		if !ok || len(list) == 0 {
			continue
		}
		if first, ok := list[0].(map[string]any); ok {
			return argument(name, first)
		}
		return list[0]
	}
	switch schema["type"] {
	case "object":
		out := map[string]any{}
		properties, _ := schema["properties"].(map[string]any)
		for key, s := range properties {
			if s, ok := s.(map[string]any); ok {
				out[key] = argument(key, s)
			}
		}
		return out
	case "array":
		items, _ := schema["items"].(map[string]any)
		return []any{argument(name, items)}
	case "number", "integer":
		return 1
	case "boolean":
		return true
	}
	return "some text"
}
