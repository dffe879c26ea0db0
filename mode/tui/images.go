package tui

import (
	"os"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/graphics"
)

var _ extension.ImageUI = (*UI)(nil)

// useImages shows images as the preferences say.
func (u *UI) useImages(p Preferences) {
	u.images.Use(graphics.Detect(p.ImageProtocol, os.Getenv))
	u.images.SetOff(p.HideImages)
}

// ImageProtocol implements [extension.ImageUI].
func (u *UI) ImageProtocol() (name string, cellWidth, cellHeight int) {
	p, cell := u.images.Protocol()
	return p.Name, cell.Width, cell.Height
}

// ImageRows implements [extension.ImageUI].
func (u *UI) ImageRows(data, mimeType string, columns, rows int) []string {
	screenColumns, screenRows := u.t.size()
	if rows <= 0 {
		rows = screenRows
	}
	return u.images.Add(data, mimeType, min(columns, screenColumns), min(rows, tallest(screenRows)))
}

// reillustrate shows images as the preferences now say.
func (a *app) reillustrate() {
	a.opts.ui.useImages(a.opts.Preferences)
	a.redrawTurn()
}

// tallest is how many rows of a screen an image may take: it is drawn when all are seen.
func tallest(rows int) int { return max(rows-2, 1) }

// askCell asks the terminal how large a character is, if images are shown.
func (a *app) askCell() {
	if p, _ := a.opts.ui.images.Protocol(); p.Name != "" {
		a.term.write([]byte("\x1b[16t"))
	}
}

// imageRows shows the images of a result, or says what they are.
func (a *app) imageRows(c *chat.Call) []text.Line {
	if c.Result == nil {
		return nil
	}
	var lines []text.Line
	for _, part := range c.Result.Content {
		i, ok := part.(*ai.Image)
		if !ok {
			continue
		}
		rows := a.opts.ui.images.Add(i.Data, i.MIMEType, min(a.opts.ImageWidth, a.width-2), tallest(a.height))
		if rows == nil {
			lines = append(lines, a.note(text.OneLine(graphics.Describe(i.Data, i.MIMEType)))...)
		}
		for _, row := range rows {
			lines = append(lines, text.Line{{Text: "  " + row}})
		}
	}
	return lines
}

// pictured reports whether the images of a block can be shown. lines are what an extension has
// drawn for it, nil if none draws it.
func (a *app) pictured(b *chat.Block, lines []string) bool {
	if b.Call != nil && b.Call.Images() > 0 && !a.opts.ui.images.Ready(text.Strings(a.imageRows(b.Call))) {
		return false
	}
	return a.opts.ui.images.Ready(lines)
}

// illustrated puts images into lines that will be drawn again.
func (a *app) illustrated(lines []string) []string { return a.resolved(lines, false) }

func (a *app) resolved(lines []string, final bool) []string {
	if a.images == nil {
		a.images = make(graphics.Shown)
	}
	return a.opts.ui.images.Resolve(lines, final, a.theme.Style(theme.Dim).Wrap, a.images)
}
