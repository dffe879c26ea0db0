package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/extension"
	schemes "github.com/rondo-agent/rondo/internal/term/palette"
	"github.com/rondo-agent/rondo/internal/term/theme"
)

// Theme implements [extension.UI].
func (u *UI) Theme() extension.Theme { return palette{u.themeNow()} }

func (u *UI) themeNow() *theme.Theme {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.theme
}

// Themes implements [extension.UI]: those that are built in, and those of files.
func (u *UI) Themes() []extension.ThemeInfo {
	var all []extension.ThemeInfo
	for _, name := range schemes.BuiltIn {
		all = append(all, extension.ThemeInfo{Name: name})
	}
	found, _ := schemes.Find(u.preferences().Themes...)
	for _, p := range found {
		all = append(all, extension.ThemeInfo{Name: p.Name, Path: p.Path})
	}
	return all
}

// ThemeNamed implements [extension.UI].
func (u *UI) ThemeNamed(name string) extension.Theme {
	t, _, err := u.loadTheme(name)
	if err != nil {
		return nil
	}
	return palette{t}
}

// loadTheme returns a theme and its file. The error says what is wrong with the file, or which
// themes there are.
func (u *UI) loadTheme(name string) (t *theme.Theme, path string, err error) {
	if slices.Contains(schemes.BuiltIn, name) || name == "" {
		return theme.New(!u.t.opts.Plain).Named(name), "", nil
	}
	found, problems := schemes.Find(u.preferences().Themes...)
	names := slices.Clone(schemes.BuiltIn)
	for _, p := range found {
		if p.Name != name {
			names = append(names, p.Name)
			continue
		}
		if u.t.opts.Plain {
			return theme.New(false).Named(name), p.Path, nil
		}
		return theme.Of(p, schemes.FullColour()), p.Path, nil
	}
	err = fmt.Errorf("there is no theme %s; there are %s", name, strings.Join(names, ", "))
	return nil, "", errors.Join(append([]error{err}, problems...)...)
}

// SetTheme implements [extension.UI].
func (u *UI) SetTheme(t extension.Theme) error {
	if t == nil {
		return errors.New("no theme was given")
	}
	return u.useTheme(t.Name())
}

// useTheme draws with another theme. If that cannot be used, the present one stays.
func (u *UI) useTheme(name string) error {
	t, path, err := u.loadTheme(name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	u.mu.Lock()
	u.unwatch()
	u.theme, u.unwatch = t, cancel
	u.mu.Unlock()
	if path != "" {
		go u.watchTheme(ctx, path, name) // it ends with the next theme or the terminal
	}
	u.t.later(func(a *app) { a.recolour(t) })
	return nil
}

// chosen is the name of the theme that a setting names: of two with a slash between them, the
// first is for light terminals.
func chosen(setting string, dark bool) string {
	forLight, forDark, both := strings.Cut(setting, "/")
	if both && dark {
		return forDark
	}
	return forLight
}

// applyTheme uses the theme of the preferences.
func (a *app) applyTheme() {
	name := chosen(a.opts.Theme, !a.light)
	a.do(func(context.Context) callMsg {
		if err := a.opts.ui.useTheme(name); err != nil {
			return func(a *app) { a.fail(err) }
		}
		return nil
	})
}

// recolour draws all that can be drawn again with another theme.
func (a *app) recolour(t *theme.Theme) {
	a.theme = t
	a.redrawTurn()
	for _, p := range a.paintings {
		p.version = -1 // what draws it gets the theme
	}
	again := func(h *hosted) {
		if h != nil {
			h.with(extension.Component.Invalidate)
			h.changed()
		}
	}
	for _, l := range a.opts.ui.layers.Layers() {
		again(l.Target().(*overlay).h)
	}
	for _, m := range a.modals {
		if m, ok := m.(*customModal); ok {
			again(m.h)
		}
	}
	if a.header != nil {
		again(a.header.h)
	}
	a.opts.ui.eachHosted(again)
}

// eachHosted calls fn for the components beside the conversation.
func (u *UI) eachHosted(fn func(h *hosted)) {
	u.mu.Lock()
	all := []*hosted{u.footer}
	for _, w := range u.widgets {
		all = append(all, w.h)
	}
	if u.editor != nil {
		all = append(all, u.editor.h)
	}
	u.mu.Unlock()
	for _, h := range all {
		fn(h)
	}
}

// watchTime is how often the theme file in use is looked at.
const watchTime = time.Second

// watchTheme reads the theme file in use again when it has changed, until ctx is done.
func (u *UI) watchTheme(ctx context.Context, path, name string) {
	tick := time.NewTicker(watchTime)
	defer tick.Stop()
	seen := lastChange(path)
	for {
		select {
		case <-ctx.Done():
			return
		case <-u.t.stopped():
			return
		case <-tick.C:
		}
		now := lastChange(path)
		if now.IsZero() || now.Equal(seen) {
			continue
		}
		seen = now
		if err := u.useTheme(name); err != nil {
			u.Notify(err.Error(), "error") // the colours stay, and so does the watch
		}
	}
}

// lastChange is when a file was changed last; zero if there is none.
func lastChange(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
