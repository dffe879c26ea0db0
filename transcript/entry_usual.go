package transcript

import (
	"bytes"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
)

// decodeUsual reads a message entry of the form that [EncodeEntry] and Pi write, by hand
// up to the message: each level that is decoded as usual takes a pass over the text, which
// is nearly all of a session. It returns nil for any other form, which is decoded as usual.
func decodeUsual(raw jsontext.Value) *MessageEntry {
	e := new(MessageEntry)
	rest, ok := e.readHead(raw)
	if !ok || !bytes.HasSuffix(rest, []byte("}")) {
		return nil
	}
	m, err := agent.DecodeMessage(jsontext.Value(rest[:len(rest)-1]))
	if err != nil {
		return nil
	}
	e.Message = m
	return e
}

// readHead reads the base and returns what follows the name of the message.
func (e *MessageEntry) readHead(raw []byte) (rest []byte, ok bool) {
	var id, parent, at string
	if rest, ok = bytes.CutPrefix(raw, []byte(`{"type":"`+TypeMessage+`","id":`)); !ok {
		return nil, false
	}
	if id, rest, ok = cutPlain(rest); !ok {
		return nil, false
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(`,"parentId":`)); !ok {
		return nil, false
	}
	if root, isRoot := bytes.CutPrefix(rest, []byte("null")); isRoot {
		rest = root
	} else if parent, rest, ok = cutPlain(rest); !ok {
		return nil, false
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(`,"timestamp":`)); !ok {
		return nil, false
	}
	if at, rest, ok = cutPlain(rest); !ok {
		return nil, false
	}
	when, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return nil, false
	}
	e.ID, e.ParentID, e.Timestamp = EntryID(id), EntryID(parent), Time{when}
	return bytes.CutPrefix(rest, []byte(`,"message":`))
}

// cutPlain cuts a short string of printable ASCII without escapes off the text.
func cutPlain(text []byte) (value string, rest []byte, ok bool) {
	if len(text) == 0 || text[0] != '"' {
		return "", nil, false
	}
	for i, c := range text[1:min(len(text), 80)] {
		switch {
		case c == '"':
			return string(text[1 : 1+i]), text[i+2:], true
		case c < ' ' || c > '~' || c == '\\':
			return "", nil, false
		}
	}
	return "", nil, false
}
