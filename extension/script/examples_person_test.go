package script_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/extension"
	keynames "github.com/rondo-agent/rondo/internal/term/keys"
	"github.com/rondo-agent/rondo/internal/term/palette"
)

// terminalPerson is the person of testdata/examples/person.js in Go.
type terminalPerson struct {
	extension.NoUI
	*cannedSession
	colors *palette.Palette
	clock  *clock
	quiet  func() // waits until nothing happens any more without a key or the clock

	turn     chan struct{} // held by who uses a component
	mu       sync.Mutex
	shown    int // components since the last command
	parts    []part
	editor   extension.EditorFactory
	complete []func(extension.AutocompleteProvider) extension.AutocompleteProvider
}

// part is a component that stays.
type part struct {
	label string
	extension.Component
}

func (p *terminalPerson) Select(_ context.Context, title string, options []string, timeout time.Duration) (string, bool) {
	var answer any
	choice, ok := "", p.variant.Load()%3 != 2
	if ok {
		choice = options[(len(options)-1)*int(p.variant.Load()%3)]
		answer = choice
	}
	p.note("ui.select", title, options, timeout.Milliseconds(), map[string]any{"answer": answer})
	return choice, ok
}

func (p *terminalPerson) Confirm(_ context.Context, title, message string, timeout time.Duration) bool {
	yes := p.variant.Load()%2 == 0
	p.note("ui.confirm", title, message, timeout.Milliseconds(), map[string]any{"answer": yes})
	return yes
}

func (p *terminalPerson) Input(_ context.Context, title, placeholder string, timeout time.Duration) (string, bool) {
	text, ok := p.typed("typed text")
	p.note("ui.input", title, placeholder, timeout.Milliseconds(), map[string]any{"answer": text})
	return "typed text", ok
}

func (p *terminalPerson) Editor(_ context.Context, title, prefill string) (string, bool) {
	text, ok := p.typed(prefill + "\nedited")
	p.note("ui.editor", title, prefill, map[string]any{"answer": text})
	return prefill + "\nedited", ok
}

func (p *terminalPerson) typed(text string) (answer any, ok bool) {
	if p.variant.Load()%3 == 2 {
		return nil, false
	}
	return text, true
}

func (p *terminalPerson) Notify(message, kind string)        { p.note("ui.notify", message, kind) }
func (p *terminalPerson) SetStatus(key string, text *string) { p.note("ui.setStatus", key, text) }
func (p *terminalPerson) SetTitle(title string)              { p.note("ui.setTitle", title) }
func (p *terminalPerson) SetEditorText(text string)          { p.note("ui.setEditorText", text) }
func (p *terminalPerson) PasteToEditor(text string)          { p.note("ui.pasteToEditor", text) }
func (*terminalPerson) EditorText() string                   { return "draft" }
func (p *terminalPerson) SetWorkingMessage(text *string)     { p.note("ui.setWorkingMessage", text) }

func (p *terminalPerson) SetWorkingVisible(visible bool) { p.note("ui.setWorkingVisible", visible) }

func (p *terminalPerson) SetHiddenThinkingLabel(l *string) { p.note("ui.setHiddenThinkingLabel", l) }

func (p *terminalPerson) SetToolsExpanded(expanded bool) { p.note("ui.setToolsExpanded", expanded) }
func (p *terminalPerson) Theme() extension.Theme         { return cannedTheme{p.colors} }
func (*terminalPerson) Themes() []extension.ThemeInfo {
	return []extension.ThemeInfo{{Name: "dark"}, {Name: "light"}}
}

func (p *terminalPerson) ThemeNamed(name string) extension.Theme {
	named := *p.colors
	named.Name = name
	return cannedTheme{&named}
}

func (p *terminalPerson) SetTheme(t extension.Theme) error {
	p.note("ui.setTheme", t.Name())
	return nil
}

func (p *terminalPerson) SetWorkingIndicator(i *extension.Indicator) {
	if i == nil {
		p.note("ui.setWorkingIndicator", nil)
		return
	}
	frames := i.Frames
	if frames == nil {
		frames = []string{}
	}
	p.note("ui.setWorkingIndicator", with(map[string]any{"frames": frames}, some(map[string]any{"intervalMs": int(i.Interval.Milliseconds())})))
}

func (p *terminalPerson) SetWidget(key string, w *extension.Widget) {
	switch {
	case w == nil:
		p.note("ui.setWidget", key, nil, "")
	case w.Component != nil:
		p.note("ui.setWidget", key, "component", w.Placement)
		p.keep("widget "+key, w.Component(p, p.Theme()))
	default:
		p.note("ui.setWidget", key, w.Lines, w.Placement)
	}
}

func (p *terminalPerson) SetFooter(factory extension.FooterFactory) {
	p.note("ui.setFooter", factory != nil)
	if factory != nil {
		p.keep("footer", factory(p, p.Theme(), p))
	}
}

func (p *terminalPerson) SetHeader(factory extension.HeaderFactory) {
	p.note("ui.setHeader", factory != nil)
	if factory != nil {
		p.keep("header", factory(p, p.Theme()))
	}
}

func (p *terminalPerson) keep(label string, c extension.Component) {
	p.mu.Lock()
	p.parts = append(p.parts, part{label, c})
	p.mu.Unlock()
	p.show(label, c, 80, 37)
}

func (p *terminalPerson) SetEditorComponent(factory extension.EditorFactory) {
	p.note("ui.setEditorComponent", factory != nil)
	p.editor = factory
}

func (p *terminalPerson) AddAutocompleteProvider(wrap func(extension.AutocompleteProvider) extension.AutocompleteProvider) {
	p.note("ui.addAutocompleteProvider")
	p.complete = append(p.complete, wrap)
}

func (p *terminalPerson) OnTerminalInput(extension.TerminalInputHandler) func() {
	p.note("ui.onTerminalInput")
	return func() { p.note("ui.onTerminalInput ended") }
}

// GitBranch and the others implement [extension.FooterData].
func (*terminalPerson) GitBranch() string           { return "main" }
func (*terminalPerson) AvailableProviderCount() int { return 2 }
func (*terminalPerson) ExtensionStatuses() map[string]string {
	return map[string]string{"one": "first", "two": "second"}
}

func (p *terminalPerson) OnBranchChange(func()) func() {
	p.note("footer.onBranchChange")
	return func() { p.note("footer.onBranchChange ended") }
}

// RequestRender and the others implement [extension.Screen].
func (*terminalPerson) RequestRender(bool)             {}
func (*terminalPerson) Size() (columns, rows int)      { return 80, 40 }
func (p *terminalPerson) SetFocus(extension.Component) { p.note("tui.setFocus") }
func (p *terminalPerson) HideOverlay()                 { p.note("tui.hideOverlay") }
func (*terminalPerson) HasOverlay() bool               { return false }
func (p *terminalPerson) Stop()                        { p.note("tui.stop") }
func (p *terminalPerson) Start()                       { p.note("tui.start") }
func (p *terminalPerson) Write(b []byte) (int, error) {
	p.note("stdout", string(b))
	return len(b), nil
}

func (p *terminalPerson) ShowOverlay(c extension.Component, opts *extension.OverlayOptions) extension.Overlay {
	p.note("tui.showOverlay", placementWords(opts))
	p.show("overlay", c, 60)
	return &cannedOverlay{steps: p.steps, focused: true}
}

type cannedOverlay struct {
	*steps
	hidden, focused bool
}

func (o *cannedOverlay) Hide() { o.note("overlay.hide") }
func (o *cannedOverlay) SetHidden(hidden bool) {
	o.hidden = hidden
	o.note("overlay.setHidden", hidden)
}
func (o *cannedOverlay) IsHidden() bool  { return o.hidden }
func (o *cannedOverlay) Focus()          { o.focused = true; o.note("overlay.focus") }
func (o *cannedOverlay) Unfocus()        { o.focused = false; o.note("overlay.unfocus") }
func (o *cannedOverlay) IsFocused() bool { return o.focused }
func (o *cannedOverlay) UnfocusTo(extension.Component) {
	o.focused = false
	o.note("overlay.unfocus")
}
func (*cannedOverlay) Bounds() (b extension.Bounds, ok bool) { return b, false }

// Matches and Keys implement [extension.Keybindings].
func (p *terminalPerson) Matches(data, action string) bool {
	return slices.ContainsFunc(p.Bindings[action], keynames.Parse(data, false).Matches)
}
func (p *terminalPerson) Keys(action string) []string { return p.Bindings[action] }

// show renders a component at some widths.
func (p *terminalPerson) show(label string, c extension.Component, widths ...int) {
	if c == nil {
		p.note("render", label, "nothing")
		return
	}
	for _, width := range widths {
		p.note("render", label, width, p.draw(c, width))
	}
}

func (*terminalPerson) draw(c extension.Component, width int) []string {
	lines := c.Render(width)
	if lines == nil {
		lines = []string{}
	}
	return lines
}

var releaseOfKey = regexp.MustCompile(`^\x1b\[\d+;\d+:3u$`)

// press feeds keys until finished says so, and shows what changed.
func (p *terminalPerson) press(label string, c extension.Component, list []string, finished func() bool) {
	last := ""
	for _, key := range list {
		if finished() {
			return
		}
		if r, ok := c.(extension.KeyReleaser); releaseOfKey.MatchString(key) && (!ok || !r.WantsKeyRelease()) {
			continue
		}
		c.HandleInput(key)
		p.clock.advance(40)
		p.quiet()
		lines := p.draw(c, 72)
		if now := strings.Join(lines, "\n"); now == last {
			p.note("key", label, key, "same")
		} else {
			p.note("key", label, key, lines)
			last = now
		}
	}
}

// Custom shows a component and presses keys until it is done.
func (p *terminalPerson) Custom(_ context.Context, factory extension.CustomFactory, opts *extension.CustomOptions) (any, bool) {
	p.note("ui.custom", opts.Overlay, placementWords(opts.OverlayOptions()))
	var mu sync.Mutex
	var result any
	ended := false
	finished := func() bool { mu.Lock(); defer mu.Unlock(); return ended }
	done := func(v any) {
		mu.Lock()
		defer mu.Unlock()
		if !ended {
			ended, result = true, v
			p.note("custom done")
		}
	}
	c, err := factory(p, p.Theme(), p, done)
	if err != nil {
		return nil, false
	}
	if opts.OnHandle != nil {
		opts.OnHandle(&cannedOverlay{steps: p.steps, focused: true})
	}
	if f, ok := c.(extension.Focuser); ok {
		f.SetFocused(true)
	}
	if !finished() {
		p.show("custom", c, 80, 37, 12)
	}
	p.turn <- struct{}{} // the person uses one after another
	defer func() { <-p.turn }()
	p.clock.advance(300)
	p.quiet()
	if !finished() {
		p.use(c, finished)
	}
	if d, ok := c.(extension.Disposer); ok {
		d.Dispose()
	}
	p.note("custom ended", finished())
	mu.Lock()
	defer mu.Unlock()
	return result, true
}

// use presses all keys, and then those that close.
func (p *terminalPerson) use(c extension.Component, finished func() bool) {
	p.mu.Lock()
	p.shown++
	tired := p.shown > 10 // who is asked again and again gives up
	p.mu.Unlock()
	mine := slices.Clone(p.canned.Keys)
	if p.variant.Load()%2 == 1 {
		slices.Reverse(mine)
	}
	if p.variant.Load()%3 == 2 || tired {
		mine = nil
	}
	p.press("custom", c, mine, finished)
	if !finished() {
		p.press("custom", c, p.Closing, finished)
	}
}

// cannedTheme colours as Pi does with all colours.
type cannedTheme struct{ *palette.Palette }

func (t cannedTheme) Name() string { return t.Palette.Name }

func (t cannedTheme) Fg(color, text string) string   { return t.FgANSI(color) + text + "\x1b[39m" }
func (t cannedTheme) Bg(color, text string) string   { return t.BgANSI(color) + text + "\x1b[49m" }
func (cannedTheme) Bold(text string) string          { return around("1", text, "22") }
func (cannedTheme) Italic(text string) string        { return around("3", text, "23") }
func (cannedTheme) Underline(text string) string     { return around("4", text, "24") }
func (cannedTheme) Inverse(text string) string       { return around("7", text, "27") }
func (cannedTheme) Strikethrough(text string) string { return around("9", text, "29") }
func (cannedTheme) ColorMode() string                { return "truecolor" }
func (t cannedTheme) FgANSI(color string) string     { return ansi(38, t.Palette.Fg[color]) }
func (t cannedTheme) BgANSI(color string) string     { return ansi(48, t.Palette.Bg[color]) }

func around(on, text, off string) string {
	if text == "" {
		return ""
	}
	return "\x1b[" + on + "m" + text + "\x1b[" + off + "m"
}

func ansi(layer int, c palette.Colour) string {
	if c.Hex == "" {
		if c.Indexed {
			return fmt.Sprintf("\x1b[%d;5;%dm", layer, c.Index)
		}
		return fmt.Sprintf("\x1b[%dm", layer+1)
	}
	n, _ := strconv.ParseUint(c.Hex[1:], 16, 32)
	return fmt.Sprintf("\x1b[%d;2;%d;%d;%dm", layer, n>>16, n>>8&255, n&255)
}

// noSuggestions is what an example's completions wrap.
type noSuggestions struct{}

func (noSuggestions) Suggest(context.Context, []string, int, int, bool) (*extension.Suggestions, error) {
	return &extension.Suggestions{Items: []extension.AutocompleteItem{{Value: "/help", Label: "help"}}, Prefix: "/"}, nil
}

func (noSuggestions) Apply(lines []string, line, col int, _ extension.AutocompleteItem, _ string) ([]string, int, int) {
	return lines, line, col
}
func (noSuggestions) TriggersFiles([]string, int, int) bool { return true }
func (noSuggestions) Triggers() []string                    { return nil }
