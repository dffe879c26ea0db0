package child

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

type lineRead struct {
	text string
	long bool
}

func readAll(t testing.TB, r io.Reader, limit int) []lineRead {
	t.Helper()
	in := newLines(r, limit)
	var list []lineRead
	for {
		line, long, err := in.next()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, lineRead{string(line), long})
	}
}

func TestLines(t *testing.T) {
	huge := strings.Repeat("x", 300<<10)
	for _, test := range []struct {
		name, in string
		limit    int
		want     []lineRead
	}{
		{"plain", "a\nb\n", 10, []lineRead{{"a", false}, {"b", false}}},
		{"without end", "a\nb", 10, []lineRead{{"a", false}}},
		{"empty", "\n\r\n\n", 10, nil},
		{"windows", "a\r\nb\r\n", 10, []lineRead{{"a", false}, {"b", false}}},
		{"line separators of Unicode", "a\u2028b\u2029c\u0085\n", 20, []lineRead{{"a\u2028b\u2029c\u0085", false}}},
		{"at the limit", "1234567890\nb\n", 11, []lineRead{{"1234567890", false}, {"b", false}}},
		{"over the limit", "12345678901\nb\n", 11, []lineRead{{"12345678901", true}, {"b", false}}},
		{"larger than the buffer", huge + "\nb\n", 1 << 20, []lineRead{{huge, false}, {"b", false}}},
		{"far over the limit", huge + "\nb\n", 70 << 10, []lineRead{{huge[:headSize], true}, {"b", false}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(test.in), iotest.HalfReader(strings.NewReader(test.in))} {
				got := readAll(t, r, test.limit)
				if len(got) != len(test.want) {
					t.Fatalf("%d lines, want %d", len(got), len(test.want))
				}
				for i := range got {
					if got[i] != test.want[i] {
						t.Errorf("line %d: %.40q (%v), want %.40q (%v)", i, got[i].text, got[i].long, test.want[i].text, test.want[i].long)
					}
				}
			}
		})
	}
}

// FuzzLines compares the reader with a split of the whole input.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n\nlonger than the limit\nc"), uint8(8))
	f.Add([]byte("\xff\xfe\n\r\r\n"), uint8(1))
	f.Fuzz(func(t *testing.T, in []byte, most uint8) {
		limit := int(most) + 1
		var want []lineRead
		rest := in
		for {
			line, after, ok := bytes.Cut(rest, []byte("\n"))
			if !ok {
				break
			}
			rest = after
			long := len(line)+1 > limit
			line = bytes.TrimSuffix(line, []byte("\r"))
			if long || len(line) > 0 {
				want = append(want, lineRead{string(line), long})
			}
		}
		got := readAll(t, iotest.OneByteReader(bytes.NewReader(in)), limit)
		if len(got) != len(want) {
			t.Fatalf("%d lines, want %d", len(got), len(want))
		}
		for i := range got {
			if got[i].long != want[i].long || got[i].text != want[i].text {
				t.Fatalf("line %d: %q (%v), want %q (%v)", i, got[i].text, got[i].long, want[i].text, want[i].long)
			}
		}
	})
}
