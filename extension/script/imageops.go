package script

import (
	"context"

	"github.com/rondo-agent/rondo/extension"
)

// imageTerminal is what a terminal says of images, as facade/tui has it.
type imageTerminal struct {
	Images   string `json:"images,omitzero"`
	WidthPx  int    `json:"widthPx,omitzero"`
	HeightPx int    `json:"heightPx,omitzero"`
}

// imageArgs ask for lines that show an image.
type imageArgs struct {
	Data     string `json:"data"`
	MIMEType string `json:"mimeType"`
	Columns  int    `json:"columns"`
	Rows     int    `json:"rows"`
}

// imageOps are the operations behind the images of facade/tui, of which the terminal of
// [TerminalOps] has none.
func imageOps(ui func() extension.UI) Table {
	shower := func() extension.ImageUI {
		shower, _ := ui().(extension.ImageUI)
		return shower
	}
	return Table{
		"image.terminal": Typed(func(context.Context, any) (t imageTerminal, err error) {
			if s := shower(); s != nil {
				t.Images, t.WidthPx, t.HeightPx = s.ImageProtocol()
			}
			return t, nil
		}),
		"image.rows": Typed(func(_ context.Context, in imageArgs) ([]string, error) {
			if s := shower(); s != nil {
				return s.ImageRows(in.Data, in.MIMEType, in.Columns, in.Rows), nil
			}
			return nil, nil
		}),
	}
}

func (h *host) imageOps() Table { return imageOps(h.anyUI) }
