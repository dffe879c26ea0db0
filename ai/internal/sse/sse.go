// Package sse reads Server-Sent Events, exactly and without waiting for more bytes than
// an event needs.
//
// # Usage
//
//	events := sse.NewReader(resp.Body)
//	for {
//		ev, err := events.Next()
//		if err == io.EOF {
//			break // the stream ended between two events
//		}
//		if err != nil {
//			return err
//		}
//		handle(ev.Name, ev.Data)
//	}
//
// # Guarantees
//
//  1. The events do not depend on how the bytes were cut into reads: lines are found in
//     bytes, never in decoded text, and may end with LF, CRLF or a lone CR.
//  2. An event is returned as soon as the empty line after it has been read. An LF that
//     may follow a CR is skipped later instead of waited for.
//  3. An event that io.EOF follows without an empty line is returned; many servers leave
//     that line out. An event that any other read error cuts off is not.
//  4. One event holds at most [Reader.MaxEvent] bytes of memory.
//
// A Reader starts no goroutine. It is used by one goroutine at a time.
//
// The format is the WHATWG's, with guarantee 3 in place of its rule that such an event is
// dropped. The bytes of a field are passed on as they are: invalid UTF-8 is not replaced.
package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// DefaultMaxEvent is the limit of an event in bytes unless [Reader.MaxEvent] says
// otherwise.
const DefaultMaxEvent = 64 << 20

// ErrTooLarge is the error of an event that is larger than [Reader.MaxEvent].
var ErrTooLarge = errors.New("server-sent event is too large")

// Event is one event. An event has at least one data line; what has none is skipped.
type Event struct {
	// Name is the event field; empty if there was none.
	Name string
	// Data is the data lines, joined with LF. It is valid until the next call of
	// [Reader.Next].
	Data []byte
	// ID is the last id field of the stream so far.
	ID string
}

// Reader reads events from a byte stream.
type Reader struct {
	// MaxEvent limits an event, and the lines that lead to it, in bytes; 0 means
	// [DefaultMaxEvent]. It is set before the first call of Next.
	MaxEvent int

	src io.Reader
	err error // of src; what was read before it is still processed

	buf     []byte // buf[start:] has been read and not been consumed
	start   int
	scanned int  // buf[start:scanned] has no line end
	skipLF  bool // the last line ended with a CR: an LF now belongs to it
	begun   bool // the first line has been taken

	data    []byte
	hasData bool
	name    string
	id      string
	names   map[string]string
}

// NewReader returns a reader of the events in r.
func NewReader(r io.Reader) *Reader { return &Reader{src: r} }

// Next returns the next event. The error is io.EOF at the end of the stream, the error
// of the underlying reader, or one that wraps [ErrTooLarge]; it is the same from then on.
func (r *Reader) Next() (Event, error) {
	r.data, r.hasData, r.name = r.data[:0], false, ""
	for {
		line, ok := r.line()
		if !ok {
			break
		}
		if len(line) > 0 {
			r.field(line)
		} else if r.hasData {
			return r.event(), nil
		} else {
			r.name = ""
		}
		if len(r.data) > r.limit() {
			r.fail()
			break
		}
	}
	if r.ended() && r.hasData {
		return r.event(), nil
	}
	return Event{}, r.err
}

// ended reports whether the source has come to its end. An io.EOF inside another error is
// a broken connection.
func (r *Reader) ended() bool {
	return r.err == io.EOF //nolint:errorlint // see above
}

func (r *Reader) event() Event { return Event{Name: r.name, Data: r.data, ID: r.id} }

// field takes a line that is not empty into the event under construction.
func (r *Reader) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte{':'})
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(name) {
	case "data":
		if r.hasData {
			r.data = append(r.data, '\n')
		}
		r.data = append(r.data, value...)
		r.hasData = true
	case "event":
		r.name = r.intern(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 && string(value) != r.id {
			r.id = string(value)
		}
	}
}

// intern makes a string of an event's name: streams use a handful of names over and over.
func (r *Reader) intern(name []byte) string {
	const mostNames, longestName = 64, 64
	if s, ok := r.names[string(name)]; ok {
		return s
	}
	s := string(name)
	if len(s) <= longestName && len(r.names) < mostNames {
		if r.names == nil {
			r.names = make(map[string]string)
		}
		r.names[s] = s
	}
	return s
}

// line returns the next line without its end, valid until the next call; false when
// there is none. At io.EOF the rest is a line.
func (r *Reader) line() ([]byte, bool) {
	for {
		if r.skipLF && r.start < len(r.buf) {
			r.skipLF = false
			if r.buf[r.start] == '\n' {
				r.start++
			}
			r.scanned = r.start
		}
		if i := lineEnd(r.buf[r.scanned:]); i >= 0 {
			end := r.scanned + i
			r.skipLF = r.buf[end] == '\r'
			return r.take(end, end+1), true
		}
		r.scanned = len(r.buf)
		if r.err == nil {
			r.fill()
			continue
		}
		if !r.ended() || r.start == len(r.buf) {
			return nil, false
		}
		return r.take(len(r.buf), len(r.buf)), true
	}
}

func (r *Reader) take(end, next int) []byte {
	line := r.buf[r.start:end]
	r.start, r.scanned = next, next
	if !r.begun {
		r.begun = true
		line = bytes.TrimPrefix(line, []byte("\uFEFF"))
	}
	return line
}

// lineEnd returns the place of the first CR or LF, or -1. It looks at a window at a time:
// searching all of b for one of the two would be quadratic in a stream that only has the
// other.
func lineEnd(b []byte) int {
	const window = 512
	for from := 0; from < len(b); from += window {
		w := b[from:min(from+window, len(b))]
		end := bytes.IndexByte(w, '\n')
		if end >= 0 {
			w = w[:end]
		}
		if cr := bytes.IndexByte(w, '\r'); cr >= 0 {
			end = cr
		}
		if end >= 0 {
			return from + end
		}
	}
	return -1
}

// fill reads once. It moves what is left to the front of the buffer, or makes the buffer
// larger if there is little room.
func (r *Reader) fill() {
	const firstSize, leastRoom, mostEmptyReads = 4 << 10, 1 << 10, 100
	if len(r.buf)-r.start+len(r.data) > r.limit() {
		r.fail()
		return
	}
	if r.start > 0 {
		n := copy(r.buf, r.buf[r.start:])
		r.buf, r.start, r.scanned = r.buf[:n], 0, r.scanned-r.start
	}
	if cap(r.buf)-len(r.buf) < leastRoom {
		r.buf = slices.Grow(r.buf, max(firstSize, len(r.buf)))
	}
	for range mostEmptyReads {
		n, err := r.src.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf, r.err = r.buf[:len(r.buf)+n], err
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}

func (r *Reader) limit() int {
	if r.MaxEvent > 0 {
		return r.MaxEvent
	}
	return DefaultMaxEvent
}

// fail ends the stream at an event that is too large.
func (r *Reader) fail() {
	r.err = fmt.Errorf("%w: more than %d bytes without an end", ErrTooLarge, r.limit())
	r.buf, r.start, r.scanned = nil, 0, 0
	r.data, r.hasData = nil, false
}
