package transcript

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/internal/lenient"
)

// Version is the version of the session format that this package writes: that of Pi 0.85
// and 1.6.
const Version = 3

// EntryID names an entry within its session: eight hexadecimal digits. The empty id
// stands for no entry, as the parent of a root has it; its JSON form is null.
type EntryID string

// MarshalJSONTo writes a string, or null for the empty id.
func (id EntryID) MarshalJSONTo(e *jsontext.Encoder) error {
	if id == "" {
		return e.WriteToken(jsontext.Null)
	}
	return e.WriteToken(jsontext.String(string(id)))
}

// UnmarshalJSONFrom reads a string or null.
func (id *EntryID) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	tok, err := d.ReadToken()
	if err != nil {
		return err
	}
	switch tok.Kind() {
	case 'n':
		*id = ""
	case '"':
		*id = EntryID(tok.String())
	default:
		return fmt.Errorf("an entry id is a string, not %s", tok.Kind())
	}
	return nil
}

// timeLayout is ISO 8601 in UTC with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Time is the time of an entry. Its JSON form is ISO 8601 in UTC with milliseconds.
type Time struct{ time.Time }

// Now returns the current time as precisely as it is written.
func Now() Time { return Time{time.Now().UTC().Truncate(time.Millisecond)} }

// Millis returns the milliseconds since 1970, as messages count; 0 for the zero time.
func (t Time) Millis() int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// String returns the JSON form without quotes.
func (t Time) String() string { return t.UTC().Format(timeLayout) }

// MarshalJSONTo writes the time as a string.
func (t Time) MarshalJSONTo(e *jsontext.Encoder) error {
	return e.WriteToken(jsontext.String(t.String()))
}

// UnmarshalJSONFrom reads ISO 8601, or a number of milliseconds since 1970. Anything else
// is the zero time: an entry is not lost for its date.
func (t *Time) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	*t = Time{}
	switch raw.Kind() {
	case '"':
		var text string
		if err := json.Unmarshal(raw, &text, lenient.Options); err != nil {
			return err
		}
		if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
			t.Time = at
		}
	case '0':
		var ms float64
		if err := json.Unmarshal(raw, &ms); err == nil {
			t.Time = time.UnixMilli(int64(ms))
		}
	}
	return nil
}

// TypeSession is the type of a header.
const TypeSession = "session"

// Header is the first line of a session file.
type Header struct {
	// Version is the version of the format; 0 stands for version 1, which had none.
	Version int `json:"version,omitzero"`
	// ID names the session; see [ValidID].
	ID        string `json:"id"`
	Timestamp Time   `json:"timestamp"`
	// CWD is the folder that the session works in.
	CWD string `json:"cwd"`
	// ParentSession is the file that this session was forked from.
	ParentSession string         `json:"parentSession,omitzero"`
	Unknown       jsontext.Value `json:",embed"`
}

type plainHeader Header

// NewHeader returns the header of a new session in the folder cwd.
func NewHeader(cwd string) *Header {
	return &Header{Version: Version, ID: NewID(), Timestamp: Now(), CWD: cwd}
}

// MarshalJSONTo writes the header with its type.
func (h *Header) MarshalJSONTo(e *jsontext.Encoder) error {
	return json.MarshalEncode(e, typed[plainHeader]{TypeSession, (*plainHeader)(h)})
}

// Entry is one entry of a session: [*MessageEntry], [*ThinkingLevelEntry], [*ModelEntry],
// [*CompactionEntry], [*BranchSummaryEntry], [*CustomEntry], [*CustomMessageEntry],
// [*LabelEntry], [*InfoEntry], [*UsageEntry], [*ContextEditEntry], or [*UnknownEntry] for
// what this package does not know.
//
// The entries of a session form a tree: each names its parent, and what the model sees is
// the path from the root to the leaf. Entries are used through pointers and never changed
// once a [Store] has them.
//
//sumtype:decl
type Entry interface {
	// Type is the entry's discriminant on the wire.
	Type() string
	// Base returns what all entries have.
	Base() *EntryBase
	entry()
}

// EntryBase is what all entries have. A [Store] fills in what is empty.
type EntryBase struct {
	ID EntryID `json:"id"`
	// ParentID is empty at a root.
	ParentID  EntryID `json:"parentId"`
	Timestamp Time    `json:"timestamp"`

	raw jsontext.Value
}

// Base returns b itself.
func (b *EntryBase) Base() *EntryBase { return b }

// Raw returns the JSON that the entry was read from or written as; nil for an entry that
// is neither. It must not be changed.
func (b *EntryBase) Raw() jsontext.Value { return b.raw }

// Rebase gives the entry another place in the tree; its JSON is written anew from its
// fields. It is for an entry that nobody else has seen yet.
func (b *EntryBase) Rebase(id, parent EntryID) { b.ID, b.ParentID, b.raw = id, parent, nil }

// typed is the JSON form of a header or entry, whose type is not a Go field.
type typed[T any] struct {
	Type string `json:"type"`
	Body *T     `json:",embed"`
}
