package extui

import (
	"os"

	"github.com/rondo-agent/rondo/mode/tui/graphics"
	"github.com/rondo-agent/rondo/mode/tui/prefs"
	"github.com/rondo-agent/rondo/mode/tui/view"
)

// pictures are the images that components show.
type pictures struct {
	on    *stage
	store graphics.Store
}

// prefer shows images as the preferences say.
func (u *pictures) prefer(p prefs.Preferences) {
	u.store.Use(graphics.Detect(p.ImageProtocol, os.Getenv))
	u.store.SetOff(p.HideImages)
}

// ImageProtocol implements [extension.ImageUI].
func (u *pictures) ImageProtocol() (name string, cellWidth, cellHeight int) {
	p, cell := u.store.Protocol()
	return p.Name, cell.Width, cell.Height
}

// ImageRows implements [extension.ImageUI].
func (u *pictures) ImageRows(data, mimeType string, columns, rows int) []string {
	screenColumns, screenRows := u.on.loop.Size()
	if rows <= 0 {
		rows = screenRows
	}
	return u.store.Add(data, mimeType, min(columns, screenColumns), min(rows, view.Tallest(screenRows)))
}
