package transcript

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/internal/lenient"
)

// EntryHead is what of an entry can be read without knowing its type.
type EntryHead struct {
	Type string `json:"type"`
	EntryBase
}

// DecodeHead reads the head of one entry; an error means that raw is no JSON object or
// that its type or ids are no strings.
func DecodeHead(raw []byte) (EntryHead, error) {
	var head EntryHead
	if err := json.Unmarshal(raw, &head, lenient.Options); err != nil {
		return head, fmt.Errorf("read entry: %w", err)
	}
	if head.Type == "" {
		return head, fmt.Errorf("read entry: it has no type")
	}
	return head, nil
}

// decoders maps the type of an entry to how it is read.
var decoders = map[string]func(jsontext.Value) (Entry, error){
	TypeMessage:       decodeMessage,
	TypeThinkingLevel: decodeAs(func(p *plainThinkingLevel) Entry { return (*ThinkingLevelEntry)(p) }),
	TypeModel:         decodeAs(func(p *plainModel) Entry { return (*ModelEntry)(p) }),
	TypeCompaction:    decodeAs(func(p *plainCompaction) Entry { return (*CompactionEntry)(p) }),
	TypeBranchSummary: decodeAs(func(p *plainBranchSummary) Entry { return (*BranchSummaryEntry)(p) }),
	TypeCustom:        decodeAs(func(p *plainCustom) Entry { return (*CustomEntry)(p) }),
	TypeCustomMessage: decodeAs(func(p *plainCustomMessage) Entry { return (*CustomMessageEntry)(p) }),
	TypeLabel:         decodeAs(func(p *plainLabel) Entry { return (*LabelEntry)(p) }),
	TypeInfo:          decodeAs(func(p *plainInfo) Entry { return (*InfoEntry)(p) }),
	TypeUsage:         decodeAs(func(p *plainUsage) Entry { return (*UsageEntry)(p) }),
	TypeContextEdit:   decodeAs(func(p *plainContextEdit) Entry { return (*ContextEditEntry)(p) }),
}

func decodeAs[T any](entry func(*T) Entry) func(jsontext.Value) (Entry, error) {
	return func(raw jsontext.Value) (Entry, error) {
		plain := new(T)
		if err := json.Unmarshal(raw, &typed[T]{Body: plain}); err != nil {
			return nil, err
		}
		return entry(plain), nil
	}
}

// messageWire is a message entry as it is decoded.
type messageWire struct {
	EntryBase
	Message messageField   `json:"message"`
	Unknown jsontext.Value `json:",embed"`
}

// messageField decodes a message where it stands, without a copy of its JSON.
type messageField struct{ agent.Message }

// UnmarshalJSONFrom reads a message of any kind.
func (f *messageField) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	f.Message, err = agent.DecodeMessage(raw)
	return err
}

func decodeMessage(raw jsontext.Value) (Entry, error) {
	if e := decodeUsual(raw); e != nil {
		return e, nil
	}
	var wire messageWire
	if err := json.Unmarshal(raw, &typed[messageWire]{Body: &wire}); err != nil {
		return nil, err
	}
	if wire.Message.Message == nil {
		return nil, errors.New("it has no message")
	}
	return &MessageEntry{EntryBase: wire.EntryBase, Message: wire.Message.Message, Unknown: wire.Unknown}, nil
}

// DecodeEntry reads one entry and keeps raw, which must not be changed afterwards, as its
// JSON form. An entry that does not have the form that its type asks for is an
// [*UnknownEntry] that says why, so that nothing is lost and its children stay reachable.
// An error means that raw is no entry at all; see [DecodeHead].
//
// Invalid Unicode and repeated names, which strict JSON does not allow, are mended: bad
// characters become U+FFFD, and the last value of a name counts.
func DecodeEntry(raw jsontext.Value) (Entry, error) {
	if e := decodeUsual(raw); e != nil {
		e.raw = raw
		return e, nil
	}
	head, err := DecodeHead(raw)
	if err != nil {
		return nil, err
	}
	e, err := decodeStrict(head.Type, raw)
	if err != nil {
		if mended, mendErr := lenient.JSON(raw); mendErr == nil {
			if again, againErr := decodeStrict(head.Type, mended); againErr == nil {
				e, err, raw = again, nil, mended
			}
		}
	}
	if err != nil {
		e, raw = unknown(head, raw, fmt.Errorf("read entry %s of type %q: %w", head.ID, head.Type, err))
	}
	e.Base().raw = raw
	return e, nil
}

func decodeStrict(typ string, raw jsontext.Value) (Entry, error) {
	if decode, known := decoders[typ]; known {
		return decode(raw)
	}
	e := &UnknownEntry{typ: typ}
	return e, json.Unmarshal(raw, &typed[plainUnknown]{Body: (*plainUnknown)(e)})
}

// unknown keeps an entry that cannot be decoded.
func unknown(head EntryHead, raw jsontext.Value, cause error) (*UnknownEntry, jsontext.Value) {
	e := &UnknownEntry{EntryBase: head.EntryBase, typ: head.Type, Err: cause}
	if mended, err := lenient.JSON(raw); err == nil {
		raw = mended
	}
	var fields plainUnknown
	if err := json.Unmarshal(raw, &typed[plainUnknown]{Body: &fields}, lenient.Options); err == nil {
		e.Fields = fields.Fields
	}
	return e, raw
}

// DecodeHeader reads the first line of a session file. An error says why raw is none; a
// version that is newer than [Version] is not an error here.
func DecodeHeader(raw jsontext.Value) (*Header, error) {
	head, err := DecodeHead(raw)
	if err != nil {
		return nil, fmt.Errorf("read session header: %w", err)
	}
	if head.Type != TypeSession {
		return nil, fmt.Errorf("read session header: the type is %q, not %q", head.Type, TypeSession)
	}
	if raw, err = lenient.JSON(raw); err != nil {
		return nil, fmt.Errorf("read session header: %w", err)
	}
	h := new(Header)
	if err := json.Unmarshal(raw, &typed[plainHeader]{Body: (*plainHeader)(h)}); err != nil {
		return nil, fmt.Errorf("read session header: %w", err)
	}
	if !ValidID(h.ID) {
		return nil, fmt.Errorf("read session header: the id %q is not allowed; it may have letters, digits, and . _ -", h.ID)
	}
	return h, nil
}
