package bedrock

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// Sizes of the framing (application/vnd.amazon.eventstream). A message is a prelude of its
// length, the length of its headers and a checksum of both; headers; payload; a checksum of
// all of it.
const (
	preludeLen = 12
	sumLen     = 4
	maxMessage = 24 << 20 // of the framing's specification
)

// errFrame means that the bytes are no message.
var errFrame = errors.New("the stream is damaged")

// frames reads messages, exactly and without waiting for more bytes than a message has. What
// AWS's SDK does with 38 allocations a message is done here with none: answers come in
// thousands of them.
type frames struct {
	src io.Reader
	buf []byte // buf[start:] has been read and not been consumed
	at  int
	err error // of src; what was read before it is still processed

	m message
}

// message is one message of the stream. Its bytes are valid until the next one is read.
type message struct {
	kind      []byte // :message-type
	event     []byte // :event-type
	exception []byte // :exception-type
	code      []byte // :error-code
	text      []byte // :error-message
	payload   []byte
}

// next returns the next message. The error is io.EOF between two messages and
// io.ErrUnexpectedEOF inside one, that of the source, or one that wraps errFrame.
func (f *frames) next() (*message, error) {
	if err := f.fill(preludeLen); err != nil {
		return nil, err
	}
	prelude := f.buf[f.at : f.at+preludeLen]
	total, headers := binary.BigEndian.Uint32(prelude), binary.BigEndian.Uint32(prelude[4:])
	switch {
	case crc32.ChecksumIEEE(prelude[:8]) != binary.BigEndian.Uint32(prelude[8:]):
		return nil, fmt.Errorf("%w: the checksum of a message's length is wrong", errFrame)
	case total > maxMessage:
		return nil, fmt.Errorf("%w: a message of %d bytes", errFrame, total)
	case total < preludeLen+sumLen || headers > total-preludeLen-sumLen:
		return nil, fmt.Errorf("%w: a message of %d bytes with headers of %d", errFrame, total, headers)
	}
	if err := f.fill(int(total)); err != nil {
		return nil, err
	}
	raw := f.buf[f.at : f.at+int(total)]
	f.at += int(total)
	body := raw[:total-sumLen]
	if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(raw[total-sumLen:]) {
		return nil, fmt.Errorf("%w: the checksum of a message is wrong", errFrame)
	}
	f.m = message{payload: body[preludeLen+headers:]}
	if err := f.m.readHeaders(body[preludeLen : preludeLen+headers]); err != nil {
		return nil, err
	}
	return &f.m, nil
}

// fill reads until n bytes are there.
func (f *frames) fill(n int) error {
	for len(f.buf)-f.at < n {
		if f.err != nil {
			if f.err == io.EOF && len(f.buf) > f.at { //nolint:errorlint // an EOF inside another error is a broken connection
				return io.ErrUnexpectedEOF
			}
			return f.err
		}
		if f.at > 0 {
			f.buf = f.buf[:copy(f.buf, f.buf[f.at:])]
			f.at = 0
		}
		// A length is believed only as far as bytes have come.
		f.buf = slices.Grow(f.buf, 4<<10)
		read, err := f.src.Read(f.buf[len(f.buf):cap(f.buf)])
		f.buf, f.err = f.buf[:len(f.buf)+read], err
	}
	return nil
}

// headerSizes are the lengths of the values of each type; negative for those that say it.
var headerSizes = []int{0, 0, 1, 2, 4, 8, -1, -1, 8, 16}

// stringHeader is the type of headers that are text.
const stringHeader = 7

func (m *message) readHeaders(raw []byte) error {
	for len(raw) > 0 {
		n := int(raw[0])
		if len(raw) < 1+n+1 || int(raw[1+n]) >= len(headerSizes) {
			return fmt.Errorf("%w: a header", errFrame)
		}
		name, kind := raw[1:1+n], raw[1+n]
		raw = raw[n+2:]
		size := headerSizes[kind]
		if size < 0 {
			if len(raw) < 2 {
				return fmt.Errorf("%w: a header", errFrame)
			}
			size, raw = int(binary.BigEndian.Uint16(raw)), raw[2:]
		}
		if len(raw) < size {
			return fmt.Errorf("%w: a header", errFrame)
		}
		if kind == stringHeader {
			m.set(name, raw[:size])
		}
		raw = raw[size:]
	}
	return nil
}

func (m *message) set(name, value []byte) {
	switch string(name) {
	case ":message-type":
		m.kind = value
	case ":event-type":
		m.event = value
	case ":exception-type":
		m.exception = value
	case ":error-code":
		m.code = value
	case ":error-message":
		m.text = value
	}
}
