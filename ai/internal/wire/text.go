package wire

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai/internal/skim"
)

// Text is a string of a server. It is empty for null; any other value is taken as its JSON,
// since some servers send arguments as an object.
type Text string

// UnmarshalJSONFrom reads any value.
func (t *Text) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	switch raw.Kind() {
	case '"':
		*t = Text(skim.Unquote(raw))
	case 'n':
		*t = ""
	default:
		*t = Text(raw)
	}
	return nil
}
