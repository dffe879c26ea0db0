package script

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/palette"
)

// themeName names a theme.
type themeName struct {
	Name string `json:"name"`
}

// loadedTheme is a theme with how its colours are to be written.
type loadedTheme struct {
	*palette.Palette
	Mode string `json:"mode"`
}

func colorMode(truecolor bool) string {
	if truecolor {
		return "truecolor"
	}
	return "256color"
}

// loadTheme returns one of the program's own themes, or of folders; nil if there is none.
func loadTheme(name string, truecolor bool, folders ...string) (*loadedTheme, error) {
	p, err := palette.Load(name, folders...)
	if errors.Is(err, palette.ErrUnknown) {
		return nil, nil //nolint:nilnil // undefined in JavaScript
	}
	if err != nil {
		return nil, err
	}
	return &loadedTheme{p, colorMode(truecolor)}, nil
}

// ThemeOps are the operations behind the themes of facade/agent-ui: the program's own and the
// files in folders. truecolor tells that the terminal shows all colours and not 256 of them.
func ThemeOps(truecolor bool, folders ...string) Table {
	return Table{
		"theme.current": Typed(func(context.Context, any) (string, error) { return "", nil }),
		"theme.load": Typed(func(_ context.Context, in themeName) (*loadedTheme, error) {
			return loadTheme(in.Name, truecolor, folders...)
		}),
	}
}

// themeOps are those of a host: the theme in use is that of the person.
func (h *host) themeOps() Table {
	own := filepath.Join(h.settings.Home, "themes")
	return ThemeOps(palette.FullColour(), own).Add(Table{
		"theme.current": Typed(func(context.Context, any) (string, error) {
			if ui := h.anyUI(); ui != nil {
				return ui.Theme().Name(), nil
			}
			return "", nil
		}),
		"theme.load": Typed(func(ctx context.Context, in themeName) (*loadedTheme, error) {
			if ui := h.anyUI(); ui != nil {
				for _, t := range ui.Themes() {
					if t.Name == in.Name && t.Path != "" {
						p, err := palette.Read(t.Path)
						return &loadedTheme{p, colorMode(palette.FullColour())}, err
					}
				}
			}
			return loadTheme(in.Name, palette.FullColour(), own)
		}),
	})
}

// anyUI is that of one of the sessions, which have the same; nil before there is one.
func (h *host) anyUI() extension.UI {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, in := range h.instances {
		if in.x != nil {
			return in.x.UI()
		}
	}
	return nil
}
