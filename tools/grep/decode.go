package grep

import (
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// bom are the byte order marks that ripgrep knows.
var (
	bomUTF8    = []byte("\xef\xbb\xbf")
	bomUTF16LE = []byte("\xff\xfe")
	bomUTF16BE = []byte("\xfe\xff")
)

// begin reads the beginning of a file into buf. It drops a byte order mark, and for a file
// in UTF-16 it returns a reader that makes UTF-8 of the rest.
func begin(r io.Reader, buf []byte) (int, io.Reader, error) {
	n, err := io.ReadAtLeast(r, buf, len(bomUTF8))
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	head := buf[:n]
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(head, bomUTF8):
		return copy(buf, head[len(bomUTF8):]), r, err
	case bytes.HasPrefix(head, bomUTF16LE):
		order = binary.LittleEndian
	case bytes.HasPrefix(head, bomUTF16BE):
		order = binary.BigEndian
	default:
		return n, r, err
	}
	if err != nil && err != io.EOF {
		return 0, r, err
	}
	rest := bytes.NewReader(bytes.Clone(head[len(bomUTF16LE):]))
	return 0, &utf16Reader{src: io.MultiReader(rest, r), order: order}, nil
}

// utf16Reader turns UTF-16 into UTF-8. Half characters become U+FFFD.
type utf16Reader struct {
	src   io.Reader
	order binary.ByteOrder
	in    [4096]byte
	// start and end bound what is left in in.
	start, end int
	out        []byte // made and not yet read
	err        error
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.out) == 0 {
		if u.err != nil && u.end-u.start < 2 {
			return u.finish(p)
		}
		if u.err == nil {
			u.fill()
		}
		u.decode()
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}

// finish deals with a last odd byte.
func (u *utf16Reader) finish(p []byte) (int, error) {
	if u.start == u.end || len(p) < utf8.UTFMax {
		return 0, u.err
	}
	u.start = u.end
	return utf8.EncodeRune(p, utf8.RuneError), nil
}

func (u *utf16Reader) fill() {
	u.end = copy(u.in[:], u.in[u.start:u.end])
	u.start = 0
	var n int
	n, u.err = u.src.Read(u.in[u.end:])
	u.end += n
}

func (u *utf16Reader) decode() {
	u.out = u.out[:0]
	for u.end-u.start >= 2 {
		r, size := rune(u.order.Uint16(u.in[u.start:])), 2
		if utf16.IsSurrogate(r) {
			if u.end-u.start < 4 && u.err == nil {
				return // the other half is still to come
			}
			r, size = u.pair(r)
		}
		u.out = utf8.AppendRune(u.out, r)
		u.start += size
	}
}

func (u *utf16Reader) pair(first rune) (rune, int) {
	if u.end-u.start >= 4 {
		second := rune(u.order.Uint16(u.in[u.start+2:]))
		if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
			return r, 4
		}
	}
	return utf8.RuneError, 2
}
