package theme

import (
	"cmp"
	"strconv"

	"github.com/charmbracelet/x/ansi"

	"github.com/rondo-agent/rondo/internal/term/palette"
	"github.com/rondo-agent/rondo/internal/term/text"
)

// emphasis are attributes that names have in every theme.
var emphasis = map[Name]text.Style{Heading: Bold, Tool: Bold, Thinking: Italic, Quote: Italic, Link: Underline}

// Of returns the theme of a file's colours. full says that the terminal shows all colours and
// not 256 of them.
func Of(p *palette.Palette, full bool) *Theme {
	t := &Theme{name: p.Name, styles: make(map[Name]text.Style), backgrounds: make(map[Name]text.Style)}
	for name, c := range p.Fg {
		t.styles[Name(name)] = emphasis[Name(name)].With(sgr(c, "38", full))
	}
	for name, c := range p.Bg {
		t.backgrounds[Name(name)] = sgr(c, "48", full)
	}
	return t
}

// sgr are the parameters that set a colour; layer is 38 for text and 48 for backgrounds.
func sgr(c palette.Colour, layer string, full bool) text.Style {
	switch {
	case c.SGR != "":
		return text.Style(c.SGR)
	case c.Indexed:
		return text.Style(layer + ";5;" + strconv.Itoa(c.Index))
	case c.Hex == "":
		return ""
	}
	n, err := strconv.ParseUint(c.Hex[1:], 16, 32)
	if err != nil { // palette.Read has checked it
		return ""
	}
	if !full {
		return text.Style(layer + ";5;" + strconv.Itoa(int(ansi.Convert256(ansi.HexColor(c.Hex)))))
	}
	part := func(shift int) string { return ";" + strconv.Itoa(int(n>>shift&0xff)) }
	return text.Style(layer + ";2" + part(16) + part(8) + part(0))
}

// Name is what the theme is called.
func (t *Theme) Name() string { return cmp.Or(t.name, palette.OwnName) }

// Named returns the theme under another name.
func (t *Theme) Named(name string) *Theme {
	other := *t
	other.name = name
	return &other
}
