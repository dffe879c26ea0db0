package responses

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai/internal/skim"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// event is one event of the stream; each type has some of the fields.
type event struct {
	Type        text           `json:"type"`
	OutputIndex wire.Index     `json:"output_index"`
	ItemID      text           `json:"item_id"`
	Delta       text           `json:"delta"`
	Arguments   text           `json:"arguments"`
	Item        outputItem     `json:"item"`
	Response    response       `json:"response"`
	Error       jsontext.Value `json:"error"`
}

// outputItem is an item of an answer.
type outputItem struct {
	Type      text           `json:"type"`
	ID        text           `json:"id"`
	CallID    text           `json:"call_id"`
	Name      text           `json:"name"`
	Arguments text           `json:"arguments"`
	Phase     text           `json:"phase"`
	Content   texts          `json:"content"`
	Summary   texts          `json:"summary"`
	Encrypted jsontext.Value `json:"encrypted_content"`
	raw       jsontext.Value // of a reasoning item
}

type response struct {
	ID          text           `json:"id"`
	Model       text           `json:"model"`
	Status      text           `json:"status"`
	ServiceTier text           `json:"service_tier"`
	Output      jsontext.Value `json:"output"`
	Usage       *usage         `json:"usage"`
	Error       jsontext.Value `json:"error"`
	Incomplete  struct {
		Reason text `json:"reason"`
	} `json:"incomplete_details"`
}

// UnmarshalJSONFrom reads an item; what is no object is an empty one.
func (it *outputItem) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	raw, err := d.ReadValue()
	if err != nil || raw.Kind() != '{' {
		return err
	}
	type plain outputItem
	if err := json.Unmarshal(raw, (*plain)(it), wire.Lax); err != nil {
		return err
	}
	if it.Type == "reasoning" {
		it.raw = raw.Clone()
		return it.raw.Compact(wire.Lax)
	}
	return nil
}

// delta is an event that brings a piece, and of which there are thousands. Its kind and
// itemID share memory with the event.
type delta struct {
	kind   []byte // the event's type as it is written
	index  wire.Index
	itemID []byte // as it is written; nil if there is none
	text   string
}

// skim reads a delta; false for events of other types and for all that looks unusual.
func (d *delta) skim(data []byte) bool {
	*d = delta{}
	s := skim.New(data)
	return s.Object(func(name []byte) bool {
		switch string(name) {
		case "type":
			return s.Raw(&d.kind) && bytes.HasSuffix(d.kind, []byte(`.delta"`))
		case "output_index":
			d.index.Given = true
			return s.Int(&d.index.N)
		case "item_id":
			return s.Raw(&d.itemID)
		case "delta":
			return s.Text(&d.text)
		}
		return s.Skip()
	}) && s.End() && d.kind != nil
}

type text = wire.Text

// texts are the texts of a list of parts. What is no such list is empty.
type texts []string

// UnmarshalJSONFrom reads any value.
func (t *texts) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	*t = nil
	var parts []struct {
		Text    text `json:"text"`
		Refusal text `json:"refusal"`
	}
	switch raw.Kind() {
	case '"':
		*t = texts{skim.Unquote(raw)}
	case '[':
		if json.Unmarshal(raw, &parts, wire.Lax) != nil {
			return nil
		}
	}
	for _, p := range parts {
		*t = append(*t, string(p.Text+p.Refusal))
	}
	return nil
}
