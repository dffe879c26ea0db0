package truncate_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/tools/internal/truncate"
)

func seq(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		b.WriteString(strconv.Itoa(i) + "\n")
	}
	return b.String()
}

func TestLinesAreCountedAsByWc(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "\n": 1, "a": 1, "a\n": 1, "a\nb": 2, "a\n\n": 2, seq(1, 2000): 2000,
	} {
		if got := truncate.Lines(text); got != want {
			t.Errorf("Lines(%.10q) = %d, want %d", text, got, want)
		}
	}
	for name, cut := range both {
		if r := cut(seq(1, 2000), 0, 0); r.Truncated || r.Content != seq(1, 2000) || r.TotalLines != 2000 || r.OutputLines != 2000 {
			t.Errorf("%s of 2000 lines: truncated %v, %d of %d lines", name, r.Truncated, r.OutputLines, r.TotalLines)
		}
		if r := cut(seq(1, 2001), 0, 0); !r.Truncated || r.OutputLines != 2000 || r.TotalLines != 2001 {
			t.Errorf("%s of 2001 lines: truncated %v, %d of %d lines", name, r.Truncated, r.OutputLines, r.TotalLines)
		}
	}
}

var both = map[string]func(string, int, int) truncate.Result{"Head": truncate.Head, "Tail": truncate.Tail}

func TestHead(t *testing.T) {
	tests := []struct {
		name            string
		text            string
		lines, bytes    int
		content         string
		by              truncate.Limit
		outLines, total int
		firstTooLong    bool
	}{
		{"fits", "a\nb\n", 2, 3, "a\nb\n", "", 2, 2, false},
		{"fits without newline", "a\nb", 2, 3, "a\nb", "", 2, 2, false},
		{"empty", "", 1, 1, "", "", 0, 0, false},
		{"lines", "a\nb\nc\n", 2, 100, "a\nb", truncate.ByLines, 2, 3, false},
		{"bytes", "aa\nbb\ncc\n", 9, 5, "aa\nbb", truncate.ByBytes, 2, 3, false},
		{"bytes inside a line", "aa\nbb\ncc\n", 9, 4, "aa", truncate.ByBytes, 1, 3, false},
		{"bytes before lines", "aa\nbb\ncc\n", 2, 4, "aa", truncate.ByBytes, 1, 3, false},
		{"first line too long", "aaaa\nb\n", 9, 3, "", truncate.ByBytes, 0, 2, true},
		{"blank lines", "\n\n\n", 2, 9, "\n", truncate.ByLines, 2, 3, false},
		{"one blank line", "\n\n\n", 1, 9, "", truncate.ByLines, 1, 3, false},
		{"one blank line in bytes", "\nabc", 9, 2, "", truncate.ByBytes, 1, 2, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := truncate.Head(tt.text, tt.lines, tt.bytes)
			want := truncate.Result{
				Content: tt.content, Truncated: tt.by != "", TruncatedBy: tt.by,
				TotalLines: tt.total, TotalBytes: len(tt.text),
				OutputLines: tt.outLines, OutputBytes: len(tt.content),
				FirstLineExceedsLimit: tt.firstTooLong, MaxLines: tt.lines, MaxBytes: tt.bytes,
			}
			if r != want {
				t.Errorf("got  %+v\nwant %+v", r, want)
			}
		})
	}
}

func TestTail(t *testing.T) {
	tests := []struct {
		name            string
		text            string
		lines, bytes    int
		content         string
		by              truncate.Limit
		outLines, total int
		partial         bool
	}{
		{"fits", "a\nb\n", 2, 3, "a\nb\n", "", 2, 2, false},
		{"lines", "a\nb\nc\n", 2, 100, "b\nc", truncate.ByLines, 2, 3, false},
		{"bytes", "aa\nbb\ncc", 9, 5, "bb\ncc", truncate.ByBytes, 2, 3, false},
		{"bytes inside a line", "aa\nbb\ncc\n", 9, 4, "cc", truncate.ByBytes, 1, 3, false},
		{"last line too long", "a\nbcdef\n", 9, 3, "def", truncate.ByBytes, 1, 2, true},
		{"emoji too long", "a\n😀😀😀", 9, 6, "😀", truncate.ByBytes, 1, 2, true},
		{"blank lines", "\n\n\n", 2, 9, "\n", truncate.ByLines, 2, 3, false},
		{"blank last line", "abc\n\n", 9, 2, "", truncate.ByBytes, 1, 2, false},
		{"leading newline", "\nab", 1, 9, "ab", truncate.ByLines, 1, 2, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := truncate.Tail(tt.text, tt.lines, tt.bytes)
			want := truncate.Result{
				Content: tt.content, Truncated: tt.by != "", TruncatedBy: tt.by,
				TotalLines: tt.total, TotalBytes: len(tt.text),
				OutputLines: tt.outLines, OutputBytes: len(tt.content),
				LastLinePartial: tt.partial, MaxLines: tt.lines, MaxBytes: tt.bytes,
			}
			if r != want {
				t.Errorf("got  %+v\nwant %+v", r, want)
			}
		})
	}
}

func TestNothingIsCutInsideACharacter(t *testing.T) {
	emoji := strings.Repeat("😀", 500)
	for n := range 2010 {
		if got := truncate.Prefix(emoji, n); !utf8.ValidString(got) || len(got) > n || len(got) < min(n-3, len(emoji)) {
			t.Fatalf("Prefix(emoji, %d) has %d bytes", n, len(got))
		}
		if r := truncate.Tail(emoji, 1, n+1); !utf8.ValidString(r.Content) || len(r.Content) > n+1 {
			t.Fatalf("Tail(emoji, %d) has %d bytes", n+1, len(r.Content))
		}
	}
	if got, cut := truncate.Line(emoji, 499); !cut || got != strings.Repeat("😀", 499) {
		t.Errorf("Line cut to %d bytes", len(got))
	}
	if got, cut := truncate.Line(emoji, 500); cut || got != emoji {
		t.Errorf("Line cut what fits to %d bytes", len(got))
	}
	if got := truncate.Prefix("a\xff\xfe\x80b", 3); got != "a\xff\xfe" {
		t.Errorf("stray bytes: %q", got)
	}
}

func TestResultHasTheFieldsOfDetails(t *testing.T) {
	data, err := json.Marshal(truncate.Head("a\nb\n", 1, 9))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"content":"a","truncated":true,"truncatedBy":"lines","totalLines":2,"totalBytes":4,` +
		`"outputLines":1,"outputBytes":1,"lastLinePartial":false,"firstLineExceedsLimit":false,"maxLines":1,"maxBytes":9}`
	if string(data) != want {
		t.Errorf("got  %s\nwant %s", data, want)
	}
}

func TestSize(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0B", 1023: "1023B", 50 << 10: "50.0KB", 3 << 19: "1.5MB", 5 << 29: "2.5GB"} {
		if got := truncate.Size(bytes); got != want {
			t.Errorf("Size(%d) = %s, want %s", bytes, got, want)
		}
	}
}

// FuzzTruncate compares with a plain implementation on a list of lines.
func FuzzTruncate(f *testing.F) {
	f.Add("a\nb\nc\n", 2, 100)
	f.Add("😀😀\n\xff\xfe", 5, 3)
	f.Add("\n\n\n", 2, 1)
	f.Add("é\r\n", 1, 1)
	f.Fuzz(func(t *testing.T, text string, maxLines, maxBytes int) {
		if maxLines < 1 || maxBytes < 1 {
			return
		}
		lines := splitLines(text)
		head := truncate.Head(text, maxLines, maxBytes)
		check(t, head, text, lines, lines[:fitting(lines, maxLines, maxBytes)])

		slices.Reverse(lines)
		kept := slices.Clone(lines[:fitting(lines, maxLines, maxBytes)])
		slices.Reverse(kept)
		tail := truncate.Tail(text, maxLines, maxBytes)
		if !tail.LastLinePartial {
			check(t, tail, text, lines, kept)
			return
		}
		if len(kept) != 0 || !strings.HasSuffix(lines[0], tail.Content) || len(tail.Content) > maxBytes {
			t.Errorf("partial tail %q", tail.Content)
		}
		if utf8.ValidString(text) && !utf8.ValidString(tail.Content) {
			t.Errorf("tail %q cuts a character", tail.Content)
		}
	})
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func fitting(lines []string, maxLines, maxBytes int) int {
	size := -1
	for i, line := range lines {
		if size += len(line) + 1; i == maxLines || size > maxBytes {
			return i
		}
	}
	return len(lines)
}

func check(t *testing.T, r truncate.Result, text string, lines, kept []string) {
	t.Helper()
	want := strings.Join(kept, "\n")
	if len(kept) == len(lines) {
		want = text
	}
	if r.Content != want || r.Truncated != (len(kept) < len(lines)) {
		t.Errorf("got %q (truncated %v), want %q", r.Content, r.Truncated, want)
	}
	if r.TotalLines != len(lines) || r.OutputLines != len(kept) || r.OutputBytes != len(want) || r.TotalBytes != len(text) {
		t.Errorf("%q: counts %+v", text, r)
	}
}

func BenchmarkTailOfOneLongLine(b *testing.B) {
	text := strings.Repeat("0123456789", 1<<20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		truncate.Tail(text, 0, 0)
	}
}
