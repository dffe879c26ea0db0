package extui

import (
	"strings"

	"github.com/rondo-agent/rondo/mode/tui/view"
)

// Over draws the overlays that are seen on a picture of the whole screen; false if there are
// none.
func (u *UI) Over(c *view.Conversation, picture func() []string) (lines []string, ok bool) {
	for _, l := range u.on.layers.Layers() {
		o := l.Target().(*overlay)
		if o.IsHidden() {
			continue
		}
		drawn := c.Resolve(o.h.Draw(c.Width, c.Height), false)
		p, seen := o.Bounds()
		if !seen || len(drawn) == 0 { // it is not drawn yet, or the screen is too small for it
			continue
		}
		if lines == nil {
			lines = picture()
			lines = append(lines, make([]string, max(c.Height-len(lines), 0))...)
		}
		for i, l := range drawn {
			if row := p.Row + i; row < len(lines) {
				lines[row] = onto(&c.Painter, lines[row], c.Foreign(l, p.Width), p.Col, p.Width)
			}
		}
	}
	return lines, lines != nil
}

// onto puts a piece of a width over a line.
func onto(p *view.Painter, line, piece string, col, width int) string {
	left := p.Measure.Truncate(line, col, "")
	right := p.Measure.TruncateLeft(line, col+width, "")
	wide := p.Measure.StringWidth
	blank := func(n int) string { return strings.Repeat(" ", max(n, 0)) }
	gap := wide(line) - col - width - wide(right) // half of a wide character
	return left + "\x1b[m" + blank(col-wide(left)) + piece + blank(width-wide(piece)) + blank(gap) + right + "\x1b[m"
}
