package read

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/rondo-agent/rondo/internal/textfile"
)

// source reads an open file in pieces, and stops between two of them when ctx is done.
type source struct {
	ctx  context.Context
	file io.Reader
	// head is what was read and not consumed yet.
	head []byte
}

// pieceSize is large enough that counting lines is as fast as the disk.
const pieceSize = 256 << 10

// peek returns the first n bytes, fewer if the file is shorter, without consuming them.
func (s *source) peek(n int) ([]byte, error) {
	s.head = make([]byte, n)
	read, err := io.ReadFull(reader{s}, s.head)
	s.head = s.head[:read]
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return s.head, err
}

// pieces calls use with all bytes of the file, in order. Use must not keep the slice.
func (s *source) pieces(use func([]byte)) error {
	use(s.head)
	buf := make([]byte, pieceSize)
	for {
		n, err := reader{s}.Read(buf)
		use(buf[:n])
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// text returns the source of a file's text, which for UTF-16 is another one.
func (s *source) text() *source {
	e := textfile.Detect(s.head)
	if !e.Wide() {
		return s
	}
	rest := io.MultiReader(bytes.NewReader(s.head[len(e.Mark()):]), reader{s})
	return &source{ctx: s.ctx, file: e.Reader(rest)}
}

// all returns the whole file, which must not be larger than limit.
func (s *source) all(limit int) ([]byte, error) {
	rest, err := io.ReadAll(io.LimitReader(reader{s}, int64(limit-len(s.head)+1)))
	if err != nil {
		return nil, err
	}
	s.head = append(s.head, rest...)
	if len(s.head) > limit {
		return nil, fmt.Errorf("the image is larger than %d MB", limit>>20)
	}
	return s.head, nil
}

// reader reads the part of the file behind the head.
type reader struct{ *source }

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.file.Read(p)
}
