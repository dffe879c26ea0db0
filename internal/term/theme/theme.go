// Package theme gives things on the screen their colours. Unless a theme file says otherwise,
// it uses the sixteen colours that a user has chosen for the terminal, so that it fits dark
// and light ones alike.
package theme

import (
	"strings"
	"sync"

	"github.com/rondo-agent/rondo/internal/term/highlight"
	"github.com/rondo-agent/rondo/internal/term/palette"
	"github.com/rondo-agent/rondo/internal/term/text"
)

// Name is what a colour is for. The names are those of Pi 0.85's themes, since extensions
// use them.
type Name string

// The names that Rondo itself uses.
const (
	Text     Name = "text"
	Accent   Name = "accent"
	Muted    Name = "muted"
	Dim      Name = "dim"
	Success  Name = "success"
	Error    Name = "error"
	Warning  Name = "warning"
	Border   Name = "border"
	Thinking Name = "thinkingText"
	User     Name = "userMessageText"
	Custom   Name = "customMessageLabel"
	Tool     Name = "toolTitle"
	Output   Name = "toolOutput"
	Added    Name = "toolDiffAdded"
	Removed  Name = "toolDiffRemoved"
	Context  Name = "toolDiffContext"
	BashMode Name = "bashMode"

	Heading    Name = "mdHeading"
	Link       Name = "mdLink"
	LinkURL    Name = "mdLinkUrl"
	Code       Name = "mdCode"
	CodeBlock  Name = "mdCodeBlock"
	Quote      Name = "mdQuote"
	QuoteBar   Name = "mdQuoteBorder"
	Rule       Name = "mdHr"
	ListBullet Name = "mdListBullet"
)

// Attributes that are no colours.
const (
	Bold          text.Style = "1"
	Faint         text.Style = "2"
	Italic        text.Style = "3"
	Underline     text.Style = "4"
	Inverse       text.Style = "7"
	Strikethrough text.Style = "9"
)

// Theme is a set of colours, or of none.
type Theme struct {
	plain               bool
	name                string
	styles, backgrounds map[Name]text.Style
}

// own is the theme of the terminal's own colours.
var own = sync.OnceValue(func() *Theme {
	t := &Theme{styles: make(map[Name]text.Style), backgrounds: make(map[Name]text.Style)}
	p := palette.Own("")
	for name, c := range p.Fg {
		t.styles[Name(name)] = text.Style(c.SGR)
	}
	for name, c := range p.Bg {
		t.backgrounds[Name(name)] = text.Style(c.SGR)
	}
	t.styles[Link] = emphasis[Link].With(t.styles[Link]) // a colour alone does not say that it is one
	return t
})

// New returns the theme of the terminal's own colours. Without colours, bold and the like
// remain.
func New(colours bool) *Theme {
	t := *own()
	t.plain = !colours
	return &t
}

// Style returns the style of a name; that of an unknown one is plain.
func (t *Theme) Style(n Name) text.Style { return t.allowed(t.styles[n]) }

// Background is [Theme.Style] for backgrounds.
func (t *Theme) Background(n Name) text.Style { return t.allowed(t.backgrounds[n]) }

// Colours reports whether the theme has colours.
func (t *Theme) Colours() bool { return !t.plain }

func (t *Theme) allowed(s text.Style) text.Style {
	if !t.plain {
		return s
	}
	var kept []string
	for _, p := range strings.Split(string(s), ";") {
		if len(p) == 1 { // attributes have one digit, colours two
			kept = append(kept, p)
		}
	}
	return text.Style(strings.Join(kept, ";"))
}

// Source returns the lines of clean code in the colours of its language, which may be nil.
func (t *Theme) Source(code string, lang *highlight.Language) []text.Line {
	if lang == nil {
		var lines []text.Line
		for l := range strings.SplitSeq(code, "\n") {
			lines = append(lines, text.Plain(l, t.Style(CodeBlock)))
		}
		return lines
	}
	lines := []text.Line{nil}
	for kind, piece := range lang.Pieces(code) {
		style := t.Style(Name(palette.Code(kind)))
		for i, part := range strings.Split(piece, "\n") {
			if i > 0 {
				lines = append(lines, nil)
			}
			if part != "" {
				last := len(lines) - 1
				lines[last] = append(lines[last], text.Span{Text: part, Style: style})
			}
		}
	}
	return lines
}
