package script

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/palette"
)

// truecolor reports whether the terminal says that it shows all colours.
func truecolor() bool {
	c := os.Getenv("COLORTERM")
	return c == "truecolor" || c == "24bit"
}

// ThemeOps are the operations behind the themes of facade/agent-ui: the program's own and the
// files in folders. truecolor tells that the terminal shows all colours and not 256 of them.
func ThemeOps(truecolor bool, folders ...string) Table {
	type name struct {
		Name string `json:"name"`
	}
	type answer struct {
		*palette.Palette
		Mode string `json:"mode"`
	}
	mode := "256color"
	if truecolor {
		mode = "truecolor"
	}
	return Table{
		"theme.current": Typed(func(context.Context, any) (string, error) { return "", nil }),
		"theme.load": Typed(func(_ context.Context, in name) (*answer, error) {
			p, err := palette.Load(in.Name, folders...)
			if errors.Is(err, palette.ErrUnknown) {
				return nil, nil //nolint:nilnil // undefined in JavaScript
			}
			if err != nil {
				return nil, err
			}
			return &answer{p, mode}, nil
		}),
	}
}

// themeOps are those of a host: the theme in use is that of the person.
func (h *host) themeOps() Table {
	return ThemeOps(truecolor(), filepath.Join(h.settings.Home, "themes")).Add(Table{
		"theme.current": Typed(func(context.Context, any) (string, error) {
			if ui := h.anyUI(); ui != nil {
				return ui.Theme().Name(), nil
			}
			return "", nil
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
