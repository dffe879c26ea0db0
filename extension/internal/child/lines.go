package child

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// headSize is how much is kept of a line that is too long.
const headSize = 4 << 10

// lines reads lines of a bounded length.
type lines struct {
	r     *bufio.Reader
	limit int
	buf   []byte
}

func newLines(r io.Reader, limit int) *lines {
	return &lines{r: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// next returns the next line that is not empty, valid until it is called again; long says
// that it is only the beginning of a line over the limit. The error is that of the reader.
func (l *lines) next() (line []byte, long bool, err error) {
	for {
		if line, long, err = l.read(); err != nil || long || len(line) > 0 {
			return line, long, err
		}
	}
}

func (l *lines) read() (line []byte, long bool, err error) {
	l.buf = l.buf[:0]
	for {
		piece, err := l.r.ReadSlice('\n')
		if err == nil && len(l.buf) == 0 && len(piece) <= l.limit {
			return trim(piece), false, nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, false, err
		}
		if !long && len(l.buf)+len(piece) > l.limit {
			long = true
			l.buf = append(l.buf, piece...)
			l.buf = l.buf[:min(len(l.buf), headSize)]
		}
		if !long {
			l.buf = append(l.buf, piece...)
		}
		if err == nil {
			return trim(l.buf), long, nil
		}
	}
}

func trim(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}
