package transcript

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/lenient"
)

// EncodeEntry returns the entry's JSON, which is also what its Raw returns from then on.
// Invalid Unicode and repeated names are mended as in [DecodeEntry], so that the line can
// be read by anyone. The JSON is one line.
func EncodeEntry(e Entry) (jsontext.Value, error) {
	base := e.Base()
	if base.raw != nil && !bytes.ContainsAny(base.raw, "\n\r") {
		return base.raw, nil
	}
	raw, err := encodeEntry(e)
	if err != nil {
		raw, err = encodeMended(e)
	}
	if err != nil {
		return nil, fmt.Errorf("write entry of type %q: %w", e.Type(), err)
	}
	base.raw = raw
	return raw, nil
}

// encodeEntry writes messages by hand: they are what is appended while a model works, and
// most of the time would go into finding out what they consist of.
func encodeEntry(e Entry) (jsontext.Value, error) {
	m, ok := e.(*MessageEntry)
	if !ok || m.raw != nil || len(m.Unknown) > 0 || m.Message == nil {
		return json.Marshal(e, lenient.UTF8)
	}
	scratch := scratches.Get().(*[]byte)
	raw, err := m.appendJSON((*scratch)[:0])
	if cap(raw) <= maxScratch {
		*scratch = raw
	}
	defer scratches.Put(scratch)
	return bytes.Clone(raw), err
}

// scratches are buffers in which entries are put together. One that a large entry has taken
// is not kept.
var scratches = sync.Pool{New: func() any { return new([]byte) }}

const maxScratch = 64 << 10

func (e *MessageEntry) appendJSON(raw []byte) (_ []byte, err error) {
	raw = append(raw, `{"type":"`+TypeMessage+`","id":`...)
	if raw, err = e.ID.appendJSON(raw); err != nil {
		return nil, err
	}
	raw = append(raw, `,"parentId":`...)
	if raw, err = e.ParentID.appendJSON(raw); err != nil {
		return nil, err
	}
	raw = append(raw, `,"timestamp":"`...)
	raw = e.Timestamp.UTC().AppendFormat(raw, timeLayout)
	raw = append(raw, `","message":`...)
	if known, ok := e.Message.(ai.Message); ok {
		raw, err = ai.AppendMessage(raw, known)
	} else {
		var message []byte
		message, err = json.Marshal(e.Message, lenient.UTF8)
		raw = append(raw, message...)
	}
	if err != nil {
		return nil, err
	}
	return append(raw, '}'), nil
}

func (id EntryID) appendJSON(dst []byte) ([]byte, error) {
	if id == "" {
		return append(dst, "null"...), nil
	}
	return jsontext.AppendQuote(dst, string(id))
}

func encodeMended(e Entry) (jsontext.Value, error) {
	raw, err := json.Marshal(e, lenient.Options)
	if err != nil {
		return nil, err
	}
	return lenient.JSON(raw)
}
