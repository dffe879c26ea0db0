package extui

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/view"
)

// surroundings are what extensions show around the conversation and the editor.
type surroundings struct {
	on        *stage
	providers func() int

	mu        sync.Mutex
	statuses  map[string]string
	widgets   []*widget
	footer    *hosted
	message   *string // while the agent works
	invisible bool
	spin      *extension.Indicator
	label     *string // for thinking
	branch    string
	branches  map[int]func() // that are called when the branch is another one
	nextID    int
}

func newSurroundings(on *stage, providers func() int) surroundings {
	return surroundings{on: on, providers: providers, statuses: make(map[string]string), branches: make(map[int]func())}
}

// widget is what an extension shows beside the editor.
type widget struct {
	key   string
	below bool
	lines []string
	h     *hosted // nil for lines
}

// maxWidgetLines bounds what one widget takes of the screen.
const maxWidgetLines = 10

// change changes what is shown.
func (u *surroundings) change(fn func()) {
	u.mu.Lock()
	fn()
	u.mu.Unlock()
	u.on.loop.Refresh()
}

// SetStatus implements [extension.UI].
func (u *surroundings) SetStatus(key string, s *string) {
	u.change(func() {
		if s == nil {
			delete(u.statuses, key)
		} else {
			u.statuses[key] = *s
		}
	})
}

// SetWidget implements [extension.UI].
func (u *surroundings) SetWidget(key string, w *extension.Widget) {
	var made *widget
	if w != nil {
		made = &widget{key: key, below: w.Placement == "belowEditor", lines: w.Lines}
		if w.Component != nil {
			made.h = u.on.host(func(h *hosted) extension.Component {
				return w.Component(&componentScreen{on: u.on, h: h}, u.on.colours())
			})
		}
	}
	u.change(func() {
		i := slices.IndexFunc(u.widgets, func(w *widget) bool { return w.key == key })
		if i >= 0 && u.widgets[i].h != nil {
			u.widgets[i].h.Dispose()
		}
		switch {
		case made == nil && i >= 0:
			u.widgets = slices.Delete(u.widgets, i, i+1)
		case made != nil && i >= 0:
			u.widgets[i] = made
		case made != nil:
			u.widgets = append(u.widgets, made)
		}
	})
}

// SetFooter implements [extension.UI].
func (u *surroundings) SetFooter(factory extension.FooterFactory) {
	var made *hosted
	if factory != nil {
		made = u.on.host(func(h *hosted) extension.Component {
			return factory(&componentScreen{on: u.on, h: h}, u.on.colours(), footerData{u})
		})
	}
	u.change(func() {
		if u.footer != nil {
			u.footer.Dispose()
		}
		u.footer = made
	})
}

// SetWorkingMessage implements [extension.UI].
func (u *surroundings) SetWorkingMessage(s *string) { u.change(func() { u.message = s }) }

// SetWorkingVisible implements [extension.UI].
func (u *surroundings) SetWorkingVisible(visible bool) { u.change(func() { u.invisible = !visible }) }

// SetWorkingIndicator implements [extension.UI].
func (u *surroundings) SetWorkingIndicator(i *extension.Indicator) { u.change(func() { u.spin = i }) }

// SetHiddenThinkingLabel implements [extension.UI].
func (u *surroundings) SetHiddenThinkingLabel(label *string) { u.change(func() { u.label = label }) }

// StatusLine joins the texts of SetStatus.
func (u *surroundings) StatusLine() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(u.statuses)) {
		parts = append(parts, strings.ReplaceAll(u.statuses[key], "\n", " "))
	}
	return strings.Join(parts, " ")
}

// WorkingMessage is what is shown while the agent works; empty for nothing.
func (u *surroundings) WorkingMessage() string {
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

func (u *surroundings) indicatorAt(now time.Time) string {
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
	return view.Coloured(frames[int(now.UnixMilli()/max(interval.Milliseconds(), 1))%len(frames)]) + " "
}

// ThinkingLabel stands before thinking that is folded.
func (u *surroundings) ThinkingLabel() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.label != nil {
		return text.OneLine(*u.label)
	}
	return "Thinking:"
}

// Beside draws the widgets above or below the editor.
func (u *surroundings) Beside(p *view.Painter, below bool) []string {
	u.mu.Lock()
	widgets := slices.Clone(u.widgets)
	u.mu.Unlock()
	var out []string
	for _, w := range widgets {
		if w.below != below {
			continue
		}
		lines := w.lines
		if w.h != nil {
			lines = w.h.Draw(p.Width, p.Height)
		}
		for _, l := range lines[:min(len(lines), maxWidgetLines)] {
			out = append(out, p.Foreign(l, p.Width))
		}
	}
	return out
}

// Footer draws the footer of an extension; false if there is none.
func (u *surroundings) Footer(p *view.Painter) ([]string, bool) {
	u.mu.Lock()
	h := u.footer
	u.mu.Unlock()
	if h == nil {
		return nil, false
	}
	h.mu.Lock()
	h.stale = true // what it shows changes without a call
	h.mu.Unlock()
	var out []string
	lines := h.Draw(p.Width, p.Height)
	for _, l := range lines[:min(len(lines), maxWidgetLines)] {
		out = append(out, p.Foreign(l, p.Width))
	}
	return out, true
}

// SetBranch tells of the branch of the session's folder.
func (u *surroundings) SetBranch(branch string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.branch != branch {
		u.branch = branch
		for _, fn := range u.branches {
			go fn() // it may wait for a script
		}
	}
}

// hosted returns the components that are shown.
func (u *surroundings) hosted() []*hosted {
	u.mu.Lock()
	defer u.mu.Unlock()
	var all []*hosted
	for _, w := range u.widgets {
		if w.h != nil {
			all = append(all, w.h)
		}
	}
	if u.footer != nil {
		all = append(all, u.footer)
	}
	return all
}

func (u *surroundings) again() {
	for _, h := range u.hosted() {
		h.again()
	}
}

func (u *surroundings) reset() {
	gone := u.hosted()
	u.change(func() {
		u.widgets, u.footer = nil, nil
		u.message, u.invisible, u.spin, u.label = nil, false, nil, nil
		clear(u.statuses)
		clear(u.branches)
	})
	for _, h := range gone {
		h.Dispose()
	}
}

// footerData implements [extension.FooterData].
type footerData struct{ u *surroundings }

// GitBranch implements [extension.FooterData].
func (f footerData) GitBranch() string {
	f.u.mu.Lock()
	defer f.u.mu.Unlock()
	return f.u.branch
}

// ExtensionStatuses implements [extension.FooterData].
func (f footerData) ExtensionStatuses() map[string]string {
	f.u.mu.Lock()
	defer f.u.mu.Unlock()
	return maps.Clone(f.u.statuses)
}

// AvailableProviderCount implements [extension.FooterData].
func (f footerData) AvailableProviderCount() int { return f.u.providers() }

// OnBranchChange implements [extension.FooterData].
func (f footerData) OnBranchChange(fn func()) (off func()) {
	f.u.mu.Lock()
	defer f.u.mu.Unlock()
	f.u.nextID++
	id := f.u.nextID
	f.u.branches[id] = fn
	return func() {
		f.u.mu.Lock()
		defer f.u.mu.Unlock()
		delete(f.u.branches, id)
	}
}
