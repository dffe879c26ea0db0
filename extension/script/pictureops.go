package script

import (
	"context"

	"github.com/rondo-agent/rondo/internal/picture"
	"github.com/rondo-agent/rondo/tools/edit"
)

// pictureOps make images and texts of what scripts give.
func pictureOps() Table {
	return Table{"picture.fit": Typed(fitPicture), "text.diff": Typed(diffTexts)}
}

type fitted struct {
	Data           []byte `json:"data"`
	MimeType       string `json:"mimeType"`
	OriginalWidth  int    `json:"originalWidth"`
	OriginalHeight int    `json:"originalHeight"`
	Width          int    `json:"width"`
	Height         int    `json:"height"`
	WasResized     bool   `json:"wasResized"`
}

func fitPicture(_ context.Context, a struct {
	Data     []byte `json:"data"`
	MaxSide  int    `json:"maxSide"`
	MaxBytes int    `json:"maxBytes"` // in base64; 0 is the limit of models
},
) (*fitted, error) {
	p, err := picture.Fit(a.Data, &picture.Limits{MaxSide: a.MaxSide, MaxBase64: a.MaxBytes})
	if err != nil {
		return nil, err
	}
	return &fitted{
		Data: p.Data, MimeType: p.MIMEType, OriginalWidth: p.OriginalWidth, OriginalHeight: p.OriginalHeight, Width: p.Width, Height: p.Height,
		WasResized: p.Width != p.OriginalWidth || p.Height != p.OriginalHeight,
	}, nil
}

func diffTexts(_ context.Context, a struct {
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
},
) (*edit.Details, error) {
	return edit.Describe(a.Name, a.Before, a.After)
}
