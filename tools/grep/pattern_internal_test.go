package grep

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rondo-agent/rondo/internal/textfile"
)

func TestRequiredLiterals(t *testing.T) {
	tests := []struct {
		pattern    string
		ignoreCase bool
		want       string
		lower      bool
	}{
		{"hello", false, "hello", false},
		{"^func (\\w+)\\(", false, "func ", false},
		{"foo.*barbar", false, "barbar", false},
		{"apple|pear", false, "apple pear", false},
		{"(apple|[a-z]+)", false, "", false},
		{"(abc)+", false, "abc", false},
		{"(abc)*", false, "", false},
		{"(abc)?d", false, "d", false},
		{"(abc){2,}", false, "abc", false},
		{"a|b|c|dd|e|f", false, "", false},
		{"hello", true, "hello", true},
		{"kelvin", true, "elvin", true},
		{"sksk", true, "", false},
		{"(?i:Grün)Xyz", false, "xyz", true},
		{"\ufffd", false, "", false},
		{"İi", true, "i", true},
	}
	for _, tt := range tests {
		m, err := compile(tt.pattern, false, tt.ignoreCase)
		if err != nil {
			t.Fatal(err)
		}
		got := string(bytes.Join(m.literals, []byte(" ")))
		if tt.pattern == "(?i:Grün)Xyz" {
			got = strings.ToLower(got)
		}
		if got != tt.want || len(m.literals) > 0 && m.lower && !tt.lower {
			t.Errorf("%q: %q (lower %v), want %q", tt.pattern, got, m.lower, tt.want)
		}
	}
}

// FuzzSearch compares a search in blocks, which looks for literals first, with one that
// tries every line.
func FuzzSearch(f *testing.F) {
	f.Add("func|^package m.in", "package main\n\nfunc main() {}\r\n", false)
	f.Add("(?i)K+s", "kS\nKs\u212a\u017f\n", true)
	f.Add("[^a]b{2}c*", "xbb\nabb\n\xff bb", false)
	f.Fuzz(func(t *testing.T, pattern, content string, ignoreCase bool) {
		m, err := compile(pattern, false, ignoreCase)
		if err != nil || strings.Contains(content, "\x00") || strings.HasPrefix(content, "\xff\xfe") || strings.HasPrefix(content, "\xfe\xff") {
			return
		}
		var want, got []int
		re := regexp.MustCompile(map[bool]string{true: "(?i)"}[ignoreCase] + pattern)
		content = strings.TrimPrefix(content, "\ufeff")
		number := 0
		for line := range strings.Lines(content) {
			number++
			line = strings.TrimSuffix(line, "\n")
			if re.MatchString(line) || re.MatchString(strings.TrimSuffix(line, "\r")) {
				want = append(want, number)
			}
		}
		s := &scanner{search: &search{matcher: m, limit: 1e6}, buf: make([]byte, 16), hits: make([]int, len(m.literals))}
		for _, l := range s.scan(t.Context(), strings.NewReader("\ufeff"+content)).lines {
			got = append(got, l.number)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q in %q: lines %v, want %v", pattern, content, got, want)
		}
	})
}

// halves are characters of which a half is missing. At the end of a file two may count as one.
var halves = regexp.MustCompile("\ufffd+")

// FuzzUTF16 compares with the decoder of the standard library.
func FuzzUTF16(f *testing.F) {
	f.Add([]byte("a\x00\x3d\xd8\x00\xde\n\x00"), 1)
	f.Add([]byte("\x00\xd8\x00\xd8x"), 3)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		var units []uint16
		for i := 0; i+1 < len(data); i += 2 {
			units = append(units, uint16(data[i])|uint16(data[i+1])<<8)
		}
		want := string(utf16.Decode(units))
		if len(data)%2 == 1 {
			want += string(utf8.RuneError)
		}
		_, r, err := begin(io.MultiReader(strings.NewReader(textfile.UTF16LE.Mark()), &pieces{data, 1 + max(size, -size)%9}), make([]byte, 64))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || halves.ReplaceAllString(string(got), "?") != halves.ReplaceAllString(want, "?") {
			t.Errorf("%q: %q, %v, want %q", data, got, err, want)
		}
	})
}

// pieces is a reader that returns a few bytes at a time.
type pieces struct {
	data []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	n := copy(b, p.data[:min(p.size, len(p.data))])
	p.data = p.data[n:]
	if len(p.data) == 0 {
		return n, io.EOF
	}
	return n, nil
}

func BenchmarkScan(b *testing.B) {
	text := []byte(strings.Repeat("\tif err := store.Append(ctx, entry); err != nil {\n\t\treturn fmt.Errorf(\"append %s: %w\", entry.ID, err)\n\t}\n", 10000))
	for name, pattern := range map[string]string{
		"literal": "needle", "alternatives": "needle|haystack", "prefix": `needle\d+`, "nothing to look for": `\d{4}`, "ignore case": "(?i)needle", "context": "entry",
	} {
		b.Run(name, func(b *testing.B) {
			m, err := compile(pattern, false, false)
			if err != nil {
				b.Fatal(err)
			}
			s := newScanner(&search{matcher: m, limit: 100, context: map[bool]int{true: 2}[name == "context"]})
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				s.scan(context.Background(), bytes.NewReader(text))
			}
		})
	}
}
