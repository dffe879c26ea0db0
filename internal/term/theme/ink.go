package theme

import (
	"strings"

	"github.com/rondo-agent/rondo/internal/term/text"
)

// Ink is what lines are drawn with: the colours, and how wide the terminal shows a character.
type Ink struct {
	*Theme
	Measure text.Measure
}

// Width returns how many cells a text takes.
func (k Ink) Width(s string) int { return text.Width(s, k.Measure) }

// Wrap breaks a line where words end, so that each line has at most width cells.
func (k Ink) Wrap(l text.Line, width int) []text.Line { return text.Wrap(l, width, nil, k.Measure) }

// Fit cuts a line to a width; what is left out is marked by an ellipsis.
func (k Ink) Fit(l text.Line, width int) text.Line { return l.Cut(width, "…", k.Measure) }

// Dim returns a line of text that is less important.
func (k Ink) Dim(s string) text.Line { return text.Plain(s, k.Style(Dim)) }

// Rule returns a line across the width.
func (k Ink) Rule(width int) text.Line {
	return text.Plain(strings.Repeat("─", width), k.Style(Border))
}
