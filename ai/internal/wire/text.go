package wire

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai/internal/skim"
)

// Text is a string of a server, as [skim.UnquotePiece] reads it. It is empty for null; any other value is taken as its JSON,
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
		*t = Text(skim.UnquotePiece(raw))
	case 'n':
		*t = ""
	default:
		*t = Text(raw)
	}
	return nil
}

// Repeated is a string that is the same in every chunk of an answer. It is kept instead of
// made anew; what is no string is empty.
type Repeated struct {
	raw []byte
	s   string
}

// String returns the string.
func (r *Repeated) String() string { return r.s }

// UnmarshalJSONFrom reads any value.
func (r *Repeated) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	r.set(raw)
	return nil
}

// Skim reads a string; false for any other value.
func (r *Repeated) Skim(s *skim.Scanner) bool {
	var raw []byte
	ok := s.Raw(&raw)
	if ok {
		r.set(raw)
	}
	return ok
}

func (r *Repeated) set(raw []byte) {
	if string(raw) == string(r.raw) {
		return
	}
	r.raw = append(r.raw[:0], raw...)
	r.s = ""
	if raw[0] == '"' {
		r.s = skim.Unquote(raw)
	}
}
