package extui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/extension"
	schemes "github.com/rondo-agent/rondo/internal/term/palette"
	"github.com/rondo-agent/rondo/internal/term/theme"
)

// colours are the themes.
type colours struct {
	on    *stage
	plain bool

	mu      sync.Mutex
	places  []string           // files of themes, or folders of them
	unwatch context.CancelFunc // ends the watch of the theme's file
}

func newColours(on *stage, plain bool, places []string) colours {
	return colours{on: on, plain: plain, places: places, unwatch: func() {}}
}

func (u *colours) setPlaces(places []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.places = places
}

func (u *colours) find() ([]*schemes.Palette, []error) {
	u.mu.Lock()
	places := u.places
	u.mu.Unlock()
	return schemes.Find(places...)
}

// AddThemes makes more themes count, files or folders, until the preferences are others.
func (u *colours) AddThemes(places []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.places = append(slices.Clone(u.places), places...)
}

// Theme implements [extension.UI].
func (u *colours) Theme() extension.Theme { return u.on.colours() }

// Colours returns the theme in use.
func (u *colours) Colours() *theme.Theme {
	u.on.mu.Lock()
	defer u.on.mu.Unlock()
	return u.on.theme
}

// Themes implements [extension.UI]: those that are built in, and those of files.
func (u *colours) Themes() []extension.ThemeInfo {
	var all []extension.ThemeInfo
	for _, name := range schemes.BuiltIn {
		all = append(all, extension.ThemeInfo{Name: name})
	}
	found, _ := u.find()
	for _, p := range found {
		all = append(all, extension.ThemeInfo{Name: p.Name, Path: p.Path})
	}
	return all
}

// ThemeNamed implements [extension.UI].
func (u *colours) ThemeNamed(name string) extension.Theme {
	t, _, err := u.loadTheme(name)
	if err != nil {
		return nil
	}
	return palette{t}
}

// loadTheme returns a theme and its file. The error says what is wrong with the file, or which
// themes there are.
func (u *colours) loadTheme(name string) (t *theme.Theme, path string, err error) {
	if slices.Contains(schemes.BuiltIn, name) || name == "" {
		return theme.New(!u.plain).Named(name), "", nil
	}
	found, problems := u.find()
	names := slices.Clone(schemes.BuiltIn)
	for _, p := range found {
		if p.Name != name {
			names = append(names, p.Name)
			continue
		}
		if u.plain {
			return theme.New(false).Named(name), p.Path, nil
		}
		return theme.Of(p, schemes.FullColour()), p.Path, nil
	}
	err = fmt.Errorf("there is no theme %s; there are %s", name, strings.Join(names, ", "))
	return nil, "", errors.Join(append([]error{err}, problems...)...)
}

// SetTheme implements [extension.UI].
func (u *colours) SetTheme(t extension.Theme) error {
	if t == nil {
		return errors.New("no theme was given")
	}
	return u.UseTheme(t.Name())
}

// UseTheme draws with another theme. If that cannot be used, the present one stays.
func (u *colours) UseTheme(name string) error {
	t, path, err := u.loadTheme(name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	u.mu.Lock()
	u.unwatch()
	u.unwatch = cancel
	u.mu.Unlock()
	u.on.mu.Lock()
	u.on.theme = t
	u.on.mu.Unlock()
	if path != "" {
		go u.watchTheme(ctx, path, name) // it ends with the next theme or the terminal
	}
	u.on.later(func(m Model) { m.Recolour(t) })
	return nil
}

// Chosen is the name of the theme that a setting names: of two with a slash between them, the
// first is for light terminals.
func Chosen(setting string, dark bool) string {
	forLight, forDark, both := strings.Cut(setting, "/")
	if both && dark {
		return forDark
	}
	return forLight
}

// watchTime is how often the theme file in use is looked at.
const watchTime = time.Second

// watchTheme reads the theme file in use again when it has changed, until ctx is done.
func (u *colours) watchTheme(ctx context.Context, path, name string) {
	tick := time.NewTicker(watchTime)
	defer tick.Stop()
	seen := lastChange(path)
	for {
		select {
		case <-ctx.Done():
			return
		case <-u.on.loop.Stopped():
			return
		case <-tick.C:
		}
		now := lastChange(path)
		if now.IsZero() || now.Equal(seen) {
			continue
		}
		seen = now
		if err := u.UseTheme(name); err != nil {
			u.on.fail(err.Error()) // the colours stay, and so does the watch
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
