package edit_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/tools/edit"
)

// FuzzEdit checks that an edit is made completely or not at all, and that it changes
// nothing but the lines of oldText that it has to.
func FuzzEdit(f *testing.F) {
	f.Add("one\ntwo\nthree\n", "two", "2", "three", "3")
	f.Add("\ufeffa\r\n“b” \nc\r\n", "\"b\"\nc", "\"b\"\nC", "a", "A")
	f.Add("foo\nfoo\nfoo\n", "foo\nfoo\n", "x", "foo", "y")
	f.Add("ﬁ e\u0301 \u00a0\n\n", "fi é", "x", "\n", "")
	f.Add("a\xff\n\r\n\r", "a", "\r\n", "\r", "b")
	f.Fuzz(func(t *testing.T, before, old1, new1, old2, new2 string) {
		for _, s := range []string{old1, new1, old2, new2} {
			if strings.ToValidUTF8(s, "") != s {
				return // arguments are JSON
			}
		}
		dir, path := file(t, before)
		tool := edit.New(dir, nil)
		edits := []edit.Edit{{OldText: old1, NewText: new1}, {OldText: old2, NewText: new2}}
		args, err := json.Marshal(map[string]any{"path": filepath.Base(path), "edits": edits})
		if err != nil {
			t.Fatal(err)
		}
		result, err := run(t, tool, args)
		after := content(t, path)
		if err != nil {
			if after != before {
				t.Errorf("the edit failed (%v) but %q became %q", err, before, after)
			}
			return
		}
		if !result.Details.IsValid() || after == before {
			t.Errorf("%q is unchanged, or the details are %s", before, result.Details)
		}
		sameOutside(t, before, after, edits)
	})
}

// sameOutside checks that what differs is no larger than the edits can explain: the lines
// that are no part of an exact oldText are still there, in order.
func sameOutside(t *testing.T, before, after string, edits []edit.Edit) {
	t.Helper()
	if !strings.Contains(before, edits[0].OldText) || !strings.Contains(before, edits[1].OldText) || strings.Contains(before, "\r") {
		return
	}
	if strings.Contains(edits[0].OldText+edits[1].OldText, "\r") || strings.HasPrefix(before, "\ufeff") {
		return
	}
	if strings.Contains(edits[0].OldText+edits[1].OldText, "\ufeff") {
		return
	}
	a, b := edits[0], edits[1]
	at, bt := strings.Index(before, a.OldText), strings.Index(before, b.OldText)
	if bt < at {
		a, b, at, bt = b, a, bt, at
	}
	plain := func(s string) string {
		return strings.ReplaceAll(strings.TrimPrefix(s, "\ufeff"), "\r\n", "\n")
	}
	want := before[:at] + plain(a.NewText) + before[at+len(a.OldText):bt] + plain(b.NewText) + before[bt+len(b.OldText):]
	if after != want {
		t.Errorf("%q became %q, want %q", before, after, want)
	}
}

func BenchmarkEditBigFile(b *testing.B) {
	var buf bytes.Buffer
	for buf.Len() < 20<<20 {
		buf.WriteString("the quick brown fox jumps over the lazy dog\n")
	}
	middle := buf.Len() / 2
	text := buf.String()[:middle] + "“needle” one\n" + buf.String()[middle:]
	for name, pair := range map[string][2]string{"exact": {"“needle” one", "“needle” two"}, "fuzzy": {"\"needle\" one", "\"needle\" two"}} {
		b.Run(name, func(b *testing.B) {
			dir, path := file(b, text)
			tool := edit.New(dir, nil)
			args := arguments(b, "a.txt", pair[0], pair[1])
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				put(b, path, text)
				if _, err := run(b, tool, args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("not found", func(b *testing.B) {
		dir, _ := file(b, text)
		tool := edit.New(dir, nil)
		args := arguments(b, "a.txt", "the quick brown cat jumps\nover", "x")
		b.ReportAllocs()
		for b.Loop() {
			if _, err := run(b, tool, args); err == nil {
				b.Fatal("found")
			}
		}
	})
}
