package view

import (
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/graphics"
)

// Tallest is how many rows of a screen an image may take: it is drawn when all are seen.
func Tallest(rows int) int { return max(rows-2, 1) }

// imageRows shows the images of a result, or says what they are.
func (p *Painter) imageRows(c *chat.Call) []text.Line {
	if c.Result == nil {
		return nil
	}
	var lines []text.Line
	for _, part := range c.Result.Content {
		i, ok := part.(*ai.Image)
		if !ok {
			continue
		}
		rows := p.Images.Add(i.Data, i.MIMEType, min(p.ImageWidth, p.Width-2), Tallest(p.Height))
		if rows == nil {
			lines = append(lines, p.note(text.OneLine(graphics.Describe(i.Data, i.MIMEType)))...)
		}
		for _, row := range rows {
			lines = append(lines, text.Line{{Text: "  " + row}})
		}
	}
	return lines
}

// pictured reports whether the images of a block can be shown. lines are what an extension has
// drawn for it, nil if none draws it.
func (p *Painter) pictured(b *chat.Block, lines []string) bool {
	if b.Call != nil && b.Call.Images() > 0 && !p.Images.Ready(text.Strings(p.imageRows(b.Call))) {
		return false
	}
	return p.Images.Ready(lines)
}
