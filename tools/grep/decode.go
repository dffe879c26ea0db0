package grep

import (
	"bytes"
	"io"

	"github.com/rondo-agent/rondo/internal/textfile"
)

// begin reads the beginning of a file into buf. It drops a byte order mark, and for a file
// in UTF-16 it returns a reader that makes UTF-8 of the rest, as ripgrep does.
func begin(r io.Reader, buf []byte) (int, io.Reader, error) {
	n, err := io.ReadAtLeast(r, buf, textfile.MarkLen)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	e := textfile.Detect(buf[:n])
	body := buf[len(e.Mark()):n]
	switch {
	case !e.Wide():
		return copy(buf, body), r, err
	case err != nil && err != io.EOF:
		return 0, r, err
	}
	return 0, e.Reader(io.MultiReader(bytes.NewReader(bytes.Clone(body)), r)), nil
}
