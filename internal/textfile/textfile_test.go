package textfile_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/rondo-agent/rondo/internal/textfile"
)

func TestDecode(t *testing.T) {
	for _, tt := range []struct {
		name, data, text string
		encoding         textfile.Encoding
	}{
		{"empty", "", "", textfile.UTF8},
		{"plain", "héllo\n", "héllo\n", textfile.UTF8},
		{"not UTF-8", "caf\xe9 \xff", "caf\ufffd \ufffd", textfile.UTF8},
		{"mark", "\xef\xbb\xbfa", "a", textfile.UTF8Mark},
		{"mark alone", "\xef\xbb\xbf", "", textfile.UTF8Mark},
		{"little-endian", "\xff\xfeh\x00\xe9\x00\r\x00\n\x00", "hé\r\n", textfile.UTF16LE},
		{"big-endian", "\xfe\xff\x00h\x00\xe9\x00\n", "hé\n", textfile.UTF16BE},
		{"pair", "\xff\xfe\x3d\xd8\x00\xde", "😀", textfile.UTF16LE},
		{"half a pair", "\xff\xfe\x3d\xd8a\x00", "\ufffda", textfile.UTF16LE},
		{"odd byte", "\xfe\xff\x00a\x00", "a\ufffd", textfile.UTF16BE},
		{"mark of UTF-16 alone", "\xff\xfe", "", textfile.UTF16LE},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, encoding := textfile.Decode([]byte(tt.data))
			if text != tt.text || encoding != tt.encoding {
				t.Errorf("%q in %v", text, encoding)
			}
			r := encoding.Reader(iotest.OneByteReader(strings.NewReader(tt.data[len(encoding.Mark()):])))
			if read, err := io.ReadAll(r); err != nil || strings.ToValidUTF8(string(read), "\ufffd") != text {
				t.Errorf("read %q, %v", read, err)
			}
		})
	}
}

func FuzzEncode(f *testing.F) {
	f.Add("héllo 😀\r\n", 2)
	f.Add("", 3)
	f.Fuzz(func(t *testing.T, text string, encoding int) {
		e := textfile.Encoding(uint(encoding) % 4)
		if !utf8.ValidString(text) || e == textfile.UTF8 && textfile.Detect([]byte(text)) != e {
			return
		}
		got, as := textfile.Decode(e.Encode(text))
		if got != text || as != e {
			t.Errorf("%q in %v becomes %q in %v", text, e, got, as)
		}
	})
}
