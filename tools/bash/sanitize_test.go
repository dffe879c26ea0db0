package bash

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// clean returns the text of pieces of at most n bytes.
func clean(raw string, n int) string {
	var s sanitizer
	var text []byte
	for len(raw) > n {
		text = s.write(text, []byte(raw[:n]))
		raw = raw[n:]
	}
	text = s.write(text, []byte(raw))
	return string(s.end(text))
}

func TestSanitizer(t *testing.T) {
	for _, test := range []struct{ name, raw, want string }{
		{"plain", "a b\tc\n", "a b\tc\n"},
		{"unicode", "é € 😀 \u0600 👩\u200d💻\n", "é € 😀 \u0600 👩\u200d💻\n"},
		{"one invalid byte", "a\xffb\n", "a\ufffdb\n"},
		{"a sequence cut by the end", "caf\xc3\xa9 \xe2\x82", "café \ufffd"},
		{"a sequence cut by a character", "\xe2\x82x\xf0\x9f\x98y", "\ufffdx\ufffdy"},
		{"a sequence cut by another", "\xe2\x82\xe2\x82\xac", "\ufffd€"},
		{"surrogate", "\xed\xa0\x80", "\ufffd\ufffd\ufffd"},
		{"overlong", "\xc0\x80\xe0\x80\x80", "\ufffd\ufffd\ufffd\ufffd\ufffd"},
		{"above the last character", "\xf4\x90\x80\x80\xf5", "\ufffd\ufffd\ufffd\ufffd\ufffd"},
		{"the replacement character itself", "\ufffd", "\ufffd"},
		{"NUL and other controls", "a\x00b\x01\x07\x08c\x7fd\u0085e", "abcde"},
		{"interlinear annotation", "a\ufff9b\ufffac\ufffbd", "abcd"},
		{"colours", "\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mx\x1b[m", "red x"},
		{"cursor", "\x1b[2J\x1b[Htop\x1b[?25l\x1b[1 q", "top"},
		{"title, ended by BEL", "\x1b]0;title\x07text", "text"},
		{"link, ended by ST", "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\.", "link."},
		{"device control", "\x1bPq#0~\x1b\\text", "text"},
		{"character set", "\x1b(Btext\x1b=\x1b#8.", "text."},
		{"eight bit forms", "\u009b31mred\u009b0m\u009d0;t\u009c.", "red."},
		{"a string broken off", "\x1b]0;never ended\nnext\n", "\nnext\n"},
		{"a string broken off by a sequence", "\x1b]0;t\x1b[1mtext", "text"},
		{"a sequence broken off", "\x1b[31\nnext \x1b", "\nnext "},
		{"a sequence broken off by text", "\x1b[31é\x1bé", "éé"},
		{"a sequence broken off by another", "\x1b\x1b[1mx\x1b[3\x1b[1my", "xy"},
		{"CRLF", "a\r\nb\r\r\nc\r\n", "a\nb\nc\n"},
		{"progress", "\r 1%\r 2%\r\x1b[K100%\r\ndone\r", " 1%\n 2%\n100%\ndone"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for n := range len(test.raw) {
				if got := clean(test.raw, n+1); got != test.want {
					t.Errorf("in pieces of %d bytes: got %q, want %q", n+1, got, test.want)
				}
			}
		})
	}
}

func TestSplitEmoji(t *testing.T) {
	want := strings.Repeat("😀", 100_000)
	for _, n := range []int{1, 2, 3, 4095, 4096, 4097} {
		if got := clean(want, n); got != want {
			t.Errorf("pieces of %d bytes: the text was changed", n)
		}
	}
}

func FuzzSanitizer(f *testing.F) {
	for _, seed := range []string{"text\n", "\x1b[1mx\x1b]0;t\x07", "\xe2\x82\xac\xff\xf0\x9f", "a\r\nb\rc", "\x1bP\x1b\\\u009b\u009d"} {
		f.Add(seed, 1, 3)
	}
	f.Fuzz(func(t *testing.T, raw string, a, b int) {
		whole := clean(raw, max(len(raw), 1))
		if !utf8.ValidString(whole) {
			t.Errorf("not UTF-8: %q", whole)
		}
		for _, r := range whole {
			if r < ' ' && r != '\n' && r != '\t' || 0x7f <= r && r <= 0x9f {
				t.Errorf("control character %q in %q", r, whole)
			}
		}
		if again := clean(whole, max(len(whole), 1)); again != whole {
			t.Errorf("not stable: %q became %q", whole, again)
		}
		for _, n := range []int{a, b} {
			if n < 1 {
				continue
			}
			if parts := clean(raw, n); parts != whole {
				t.Errorf("in pieces of %d bytes: %q, as a whole: %q", n, parts, whole)
			}
		}
	})
}

func BenchmarkSanitizer(b *testing.B) {
	for name, line := range map[string]string{
		"ascii":   strings.Repeat("the quick brown fox ", 4) + "\n",
		"colours": "\x1b[32mok\x1b[0m   package/with/a/name\t0.012s\n",
		"cjk":     strings.Repeat("漢字", 20) + "\n",
		"crlf":    strings.Repeat("the quick brown fox ", 4) + "\r\n",
	} {
		piece := bytes.Repeat([]byte(line), 65536/len(line))
		b.Run(name, func(b *testing.B) {
			var s sanitizer
			var text []byte
			b.SetBytes(int64(len(piece)))
			b.ReportAllocs()
			for b.Loop() {
				text = s.write(text[:0], piece)
			}
		})
	}
}
