package extui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/graphics"
	"github.com/rondo-agent/rondo/mode/tui/layer"
	"github.com/rondo-agent/rondo/mode/tui/prefs"
)

// UI is the terminal as extensions see it. All methods that [extension.UI] has may be called from
// any goroutine, and none but the dialogs waits. The others are for the loop.
type UI struct {
	asking
	components
	surroundings
	editing
	folding
	colours
	interceptors
	releases
	pictures

	on *stage
}

var (
	_ extension.UI      = (*UI)(nil)
	_ extension.ImageUI = (*UI)(nil)
)

// Options are what a [UI] needs besides the loop.
type Options struct {
	// Plain leaves colours out.
	Plain bool
	// Providers counts the providers of models that can be asked.
	Providers   func() int
	Preferences prefs.Preferences
}

// New returns the terminal as extensions see it.
func New(loop Loop, opts Options) *UI {
	on := &stage{loop: loop, theme: theme.New(!opts.Plain), keys: opts.Preferences.Keys}
	u := &UI{
		on:           on,
		asking:       asking{on},
		components:   components{on},
		surroundings: newSurroundings(on, opts.Providers),
		editing:      editing{on: on},
		folding:      folding{on: on},
		colours:      newColours(on, opts.Plain, opts.Preferences.Themes),
		interceptors: newInterceptors(on),
		releases:     releases{on: on},
		pictures:     pictures{on: on},
	}
	on.layers.Turned = func(from, to layer.Target) {
		on.notifyFocus(from, false)
		on.notifyFocus(to, true)
		u.releases.ask(to)
	}
	u.pictures.store.Changed = loop.Refresh
	u.pictures.prefer(opts.Preferences)
	on.layers.Ground(layer.Editor{})
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
	u.on.loop.Notify(level, message)
}

// SetTitle implements [extension.UI].
func (u *UI) SetTitle(title string) {
	u.on.later(func(m Model) { m.SetTitle(title) })
}

// SetHeader implements [extension.UI].
func (u *UI) SetHeader(factory extension.HeaderFactory) {
	if factory == nil {
		u.on.later(func(m Model) { m.Conversation().SetHeader(nil) })
		return
	}
	h := u.on.host(func(h *hosted) extension.Component {
		return factory(&componentScreen{on: u.on, h: h}, u.on.colours())
	})
	if !u.on.later(func(m Model) { m.Conversation().SetHeader(h) }) {
		h.Dispose()
	}
}

// Layers is what lies over what, and has the focus.
func (u *UI) Layers() *layer.Stack { return &u.on.layers }

// Images are those that are shown.
func (u *UI) Images() *graphics.Store { return &u.pictures.store }

// Writing reports whether what is typed goes to the editor.
func (u *UI) Writing() bool { return u.on.layers.Focus() == layer.Editor{} }

// Prefer takes other preferences.
func (u *UI) Prefer(p prefs.Preferences) {
	u.on.mu.Lock()
	u.on.keys = p.Keys
	u.on.mu.Unlock()
	u.colours.setPlaces(p.Themes)
	u.pictures.prefer(p)
}

// PreferImages shows images as the preferences say.
func (u *UI) PreferImages(p prefs.Preferences) { u.pictures.prefer(p) }

// Reset takes away what the extensions of a session have put on the screen: another session,
// or the same with its extensions loaded anew, begins without it.
func (u *UI) Reset() {
	u.surroundings.reset()
	u.editing.reset()
	u.interceptors.reset()
	u.on.later(func(m Model) {
		for l := u.on.layers.HideTop(); l != nil; l = u.on.layers.HideTop() {
			l.Target().(*overlay).dropped()
		}
		for _, d := range m.Dialogs().Open() {
			if d, ok := d.(*customDialog); ok {
				d.dropped()
				m.Dialogs().Remove(d)
			}
		}
		m.Conversation().SettleHeader()
		m.SetTitle("")
	})
}

// Recoloured draws all components anew, for other colours.
func (u *UI) Recoloured(m Model) {
	for _, l := range u.on.layers.Layers() {
		l.Target().(*overlay).h.again()
	}
	for _, d := range m.Dialogs().Open() {
		if d, ok := d.(*customDialog); ok {
			d.h.again()
		}
	}
	if h, ok := m.Conversation().Header().(*hosted); ok {
		h.again()
	}
	if e := u.on.customEditor(); e != nil {
		e.h.again()
	}
	u.surroundings.again()
}

// Indicator is what moves at a time while the agent works.
func (u *UI) Indicator(now time.Time) string { return u.surroundings.indicatorAt(now) }

// KeyEvent tells the component that wants to know of it that a key was repeated (2) or released
// (3); false if none does.
func (u *UI) KeyEvent(k tea.Key, event int) bool { return u.releases.notify(k, event) }

// WantsReleases reports whether the terminal is to report keys that are released.
func (u *UI) WantsReleases() bool { return u.releases.wanted() }
