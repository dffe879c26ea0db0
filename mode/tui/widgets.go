package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/graphics"
)

// widget is what an extension shows beside the editor.
type widget struct {
	key   string
	below bool
	lines []string
	h     *hosted // nil for lines
}

// SetWidget implements [extension.UI].
func (u *UI) SetWidget(key string, w *extension.Widget) {
	var made *widget
	if w != nil {
		made = &widget{key: key, below: w.Placement == "belowEditor", lines: w.Lines}
		if w.Component != nil {
			made.h = u.t.host(func(h *hosted) extension.Component { return w.Component(&componentScreen{u: u, h: h}, u.Theme()) })
		}
	}
	u.change(func() {
		i := slices.IndexFunc(u.widgets, func(w *widget) bool { return w.key == key })
		if i >= 0 && u.widgets[i].h != nil {
			u.widgets[i].h.dispose()
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

// mostWidgetLines bounds what one widget takes of the screen.
const mostWidgetLines = 10

// beside draws the widgets above or below the editor.
func (u *UI) beside(a *app, below bool) []string {
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
			lines = w.h.draw(a.width, a.height)
		}
		for _, l := range lines[:min(len(lines), mostWidgetLines)] {
			out = append(out, a.foreign(l))
		}
	}
	return out
}

// SetFooter implements [extension.UI].
func (u *UI) SetFooter(factory extension.FooterFactory) {
	var made *hosted
	if factory != nil {
		made = u.t.host(func(h *hosted) extension.Component {
			return factory(&componentScreen{u: u, h: h}, u.Theme(), footerData{u})
		})
	}
	u.change(func() {
		if u.footer != nil {
			u.footer.dispose()
		}
		u.footer = made
	})
}

// footerLines are those of an extension's footer; false if there is none.
func (u *UI) footerLines(a *app) ([]string, bool) {
	u.mu.Lock()
	h := u.footer
	u.mu.Unlock()
	if h == nil {
		return nil, false
	}
	h.mu.Lock()
	h.stale = true // what it shows changes without its being told
	h.mu.Unlock()
	var out []string
	lines := h.draw(a.width, a.height)
	for _, l := range lines[:min(len(lines), mostWidgetLines)] {
		out = append(out, a.foreign(l))
	}
	return out, true
}

// footerData implements [extension.FooterData].
type footerData struct{ u *UI }

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
	all := make(map[string]string, len(f.u.statuses))
	for key, s := range f.u.statuses {
		all[key] = s
	}
	return all
}

// AvailableProviderCount implements [extension.FooterData].
func (f footerData) AvailableProviderCount() int {
	providers := make(map[string]bool)
	for _, m := range f.u.t.opts.Models.Available() {
		providers[m.Provider] = true
	}
	return len(providers)
}

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

// foreign makes a line of an extension harmless: its colours and references to images stay, all
// else that commands a terminal goes, and it is cut to the width.
func (a *app) foreign(line string) string { return a.foreignCut(line, a.width) }

func (a *app) foreignCut(line string, width int) string {
	return a.measure.Truncate(coloured(line), width, "…") + "\x1b[m"
}

// coloured removes everything but text and the colours of text.
func coloured(line string) string {
	var b strings.Builder
	var state byte
	for line != "" {
		seq, width, n, next := ansi.DecodeSequence(line, state, nil)
		if n == 0 {
			break
		}
		switch {
		case width > 0:
			b.WriteString(strings.ReplaceAll(text.Clean(seq), "\n", " "))
		case strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m") && strings.Trim(seq[2:len(seq)-1], "0123456789;:") == "":
			b.WriteString(seq)
		case graphics.IsReference(seq):
			b.WriteString(seq)
		case seq == "\t":
			b.WriteString("    ")
		}
		state = next
		line = line[n:]
	}
	return b.String()
}
