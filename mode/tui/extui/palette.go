package extui

import (
	"strings"

	"github.com/rondo-agent/rondo/extension"
	schemes "github.com/rondo-agent/rondo/internal/term/palette"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
)

// palette is a theme as extensions see it. What it switches on it switches off again, and
// nothing else, so that styles can be nested.
type palette struct{ t *theme.Theme }

var _ extension.Theme = palette{}

func (p palette) style(name string, background bool) text.Style {
	if background {
		return p.t.Background(theme.Name(name))
	}
	return p.t.Style(theme.Name(name))
}

func (p palette) wrap(s text.Style, str string) string {
	if s == "" {
		return str
	}
	return "\x1b[" + string(s) + "m" + str + "\x1b[" + undo(s) + "m"
}

// undo returns what switches a style off.
func undo(s text.Style) string {
	var off []string
	parts := strings.Split(string(s), ";")
	for i := 0; i < len(parts); i++ {
		p := parts[i]
		switch {
		case p == "38", p == "48": // of many colours
			off = append(off, string(p[0])+"9")
			if i+1 < len(parts) && parts[i+1] == "5" {
				i += 2
			} else {
				i += 4
			}
		case p == "1", p == "2":
			off = append(off, "22")
		case len(p) == 1:
			off = append(off, "2"+p)
		case strings.HasPrefix(p, "4"):
			off = append(off, "49")
		default:
			off = append(off, "39")
		}
	}
	return strings.Join(off, ";")
}

// Name implements [extension.Theme].
func (p palette) Name() string { return p.t.Name() }

// Fg implements [extension.Theme].
func (p palette) Fg(color, s string) string { return p.wrap(p.style(color, false), s) }

// Bg implements [extension.Theme].
func (p palette) Bg(color, s string) string { return p.wrap(p.style(color, true), s) }

// Bold implements [extension.Theme].
func (p palette) Bold(s string) string { return p.wrap(theme.Bold, s) }

// Italic implements [extension.Theme].
func (p palette) Italic(s string) string { return p.wrap(theme.Italic, s) }

// Underline implements [extension.Theme].
func (p palette) Underline(s string) string { return p.wrap(theme.Underline, s) }

// Inverse implements [extension.Theme].
func (p palette) Inverse(s string) string { return p.wrap(theme.Inverse, s) }

// Strikethrough implements [extension.Theme].
func (p palette) Strikethrough(s string) string { return p.wrap(theme.Strikethrough, s) }

// FgANSI implements [extension.Theme].
func (p palette) FgANSI(color string) string { return sgr(p.style(color, false)) }

// BgANSI implements [extension.Theme].
func (p palette) BgANSI(color string) string { return sgr(p.style(color, true)) }

func sgr(s text.Style) string {
	if s == "" {
		return ""
	}
	return "\x1b[" + string(s) + "m"
}

// ColorMode implements [extension.Theme].
func (p palette) ColorMode() string {
	switch {
	case !p.t.Colours():
		return "none"
	case schemes.FullColour():
		return "truecolor"
	}
	return "256color"
}
