package tui

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/graphics"
	"github.com/rondo-agent/rondo/mode/tui/layer"
	"github.com/rondo-agent/rondo/mode/tui/screen"
)

// UI asks the person at the terminal, and shows things there: what extensions see of the
// terminal. All methods may be called from any goroutine, and none but the dialogs waits.
// Dialogs at the same time lie one over the other, the newest on top.
type UI struct {
	t *Terminal

	mu            sync.Mutex
	statuses      map[string]string
	widgets       []*widget
	message       *string // while the agent works
	invisible     bool
	spin          *extension.Indicator
	label         *string         // for thinking
	written       string          // what is in the editor
	writes, folds int             // changes of written and expanded that the model does not have yet
	pasted        <-chan struct{} // closed when written has the newest paste; nil for none
	branch        string
	branches      map[int]func()
	nextID        int
	expanded      bool
	footer        *hosted
	editor        *customEditor
	factory       extension.EditorFactory
	complete      extension.AutocompleteProvider // the outermost; nil without extensions
	inputs        map[int]extension.TerminalInputHandler
	theme         *theme.Theme
	unwatch       context.CancelFunc // ends the watch of the theme's file
	prefs         Preferences

	// These have locks of their own: what lies over what, and the images that are shown.
	layers layer.Stack
	images graphics.Store
}

var _ extension.UI = (*UI)(nil)

func newUI(t *Terminal) *UI {
	u := &UI{t: t, statuses: make(map[string]string), branches: make(map[int]func()), inputs: make(map[int]extension.TerminalInputHandler), theme: theme.New(!t.opts.Plain), unwatch: func() {}, prefs: t.opts.Preferences}
	u.layers.Turned = u.turned
	u.images.Changed = t.refresh
	u.useImages(t.opts.Preferences)
	u.layers.Ground(editorPlace{})
	return u
}

// Notify shows a message; kind is info, warning, error, or empty.
func (u *UI) Notify(message, kind string) {
	level := chat.Info
	switch kind {
	case "warning":
		level = chat.Warning
	case "error":
		level = chat.Failure
	}
	u.t.inbox.Put(&notice{level: level, message: message})
}

// change changes what is shown.
func (u *UI) change(fn func()) {
	u.mu.Lock()
	fn()
	u.mu.Unlock()
	u.t.refresh()
}

// promise changes what extensions see at once, and the model a little later.
// count counts those that the model does not have yet.
func (u *UI) promise(count *int, seen func(), then func(*app)) {
	u.change(func() {
		seen()
		*count++
	})
	kept := func() { u.change(func() { *count-- }) }
	if !u.t.later(func(a *app) {
		then(a)
		kept()
	}) {
		kept()
	}
}

// SetStatus implements [extension.UI].
func (u *UI) SetStatus(key string, s *string) {
	u.change(func() {
		if s == nil {
			delete(u.statuses, key)
		} else {
			u.statuses[key] = *s
		}
	})
}

// statusLine joins the texts of SetStatus.
func (u *UI) statusLine() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(u.statuses)) {
		parts = append(parts, strings.ReplaceAll(u.statuses[key], "\n", " "))
	}
	return strings.Join(parts, " ")
}

// SetTitle implements [extension.UI].
func (u *UI) SetTitle(title string) {
	u.t.later(func(a *app) { a.term.write([]byte(screen.Title(text.OneLine(title)))) })
}

// SetWorkingMessage implements [extension.UI].
func (u *UI) SetWorkingMessage(s *string) { u.change(func() { u.message = s }) }

// SetWorkingVisible implements [extension.UI].
func (u *UI) SetWorkingVisible(visible bool) { u.change(func() { u.invisible = !visible }) }

// SetWorkingIndicator implements [extension.UI].
func (u *UI) SetWorkingIndicator(i *extension.Indicator) { u.change(func() { u.spin = i }) }

// SetHiddenThinkingLabel implements [extension.UI].
func (u *UI) SetHiddenThinkingLabel(label *string) { u.change(func() { u.label = label }) }

// workingMessage is what is shown while the agent works; empty for nothing.
func (u *UI) workingMessage() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.invisible:
		return ""
	case u.message != nil:
		return text.OneLine(*u.message)
	}
	return "Working"
}

// indicator is what moves at a time.
func (u *UI) indicator(now time.Time) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	frames, interval := spinner, spinTime
	if u.spin != nil {
		frames = u.spin.Frames
		if u.spin.Interval > 0 {
			interval = u.spin.Interval
		}
	}
	if len(frames) == 0 {
		return ""
	}
	return coloured(frames[int(now.UnixMilli()/max(interval.Milliseconds(), 1))%len(frames)]) + " "
}

func (u *UI) thinkingLabel() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.label != nil {
		return text.OneLine(*u.label)
	}
	return "Thinking:"
}

// ToolsExpanded implements [extension.UI].
func (u *UI) ToolsExpanded() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.expanded
}

// SetToolsExpanded implements [extension.UI].
func (u *UI) SetToolsExpanded(on bool) {
	u.promise(&u.folds, func() { u.expanded = on }, func(a *app) { a.setExpanded(on) })
}

// mirror keeps what extensions may ask for at any time.
func (u *UI) mirror(a *app) {
	u.matchEditor(a)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.writes == 0 {
		u.written = a.editor.Text()
	}
	if u.folds == 0 {
		u.expanded = a.expanded
	}
	if u.branch != a.status.branch {
		u.branch = a.status.branch
		for _, fn := range u.branches {
			go fn() // it may wait for a script
		}
	}
}

// commandItems are the commands of extensions.
func (u *UI) commandItems(a *app) []item {
	var items []item
	for _, c := range a.session().Extensions().Commands() {
		if commandNamed(c.Invocation) == nil {
			items = append(items, item{label: c.Invocation, detail: c.Description})
		}
	}
	return items
}

// tellTaken tells which commands of extensions cannot be run, since the terminal has one of the
// name.
func (a *app) tellTaken() {
	for _, c := range a.session().Extensions().Commands() {
		if commandNamed(c.Invocation) != nil {
			a.info(fmt.Sprintf("The command /%s of %s is not used: the terminal has one of this name.", c.Invocation, c.Source.Path))
		}
	}
}

// suggestArguments asks an extension what may follow its command.
func (a *app) suggestArguments(name, args string) {
	extensions := a.session().Extensions()
	c := extensions.Command(name)
	if c == nil || c.Completions == nil {
		return
	}
	before := a.editor.Before()
	a.do(func(ctx context.Context) callMsg {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		found := extensions.Complete(ctx, c, args)
		return func(a *app) {
			if a.editor.Before() == before && a.writing() {
				a.suggest(extensionItems(found), len(args), true)
			}
		}
	})
}

func extensionItems(found []extension.AutocompleteItem) []item {
	var items []item
	for _, it := range found {
		items = append(items, item{label: text.OneLine(it.Label), detail: text.OneLine(it.Description), value: it.Value})
	}
	return items
}
