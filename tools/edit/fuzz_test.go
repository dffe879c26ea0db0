package edit_test

import (
	"bytes"
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/tools/edit"
)

// FuzzEdit checks that edits are made completely or not at all, and that they change
// nothing outside of their places. Without old2 there is only one edit.
func FuzzEdit(f *testing.F) {
	f.Add("one\ntwo\nthree\n", "two", "2", "three", "3")
	f.Add("\ufeffa\r\n“b” \nc\r\n", "\"b\"\nc", "\"b\"\nC", "a", "A")
	f.Add("a “1” \r\nb “2”\t\nc\n", "a \"1\"\nb \"2\"\nc", "a \"1\"\nb\nc", "", "")
	f.Add("foo\nfoo\nfoo\n", "foo\nfoo\n", "x", "foo", "y")
	f.Add("ﬁ e\u0301 \u00a0\n\n", "fi é", "x", "", "")
	f.Add("a\xff\n\r\n\r", "a", "\r\n", "\r", "b")
	f.Fuzz(func(t *testing.T, before, old1, new1, old2, new2 string) {
		edits := []edit.Edit{{OldText: old1, NewText: new1}}
		if old2 != "" {
			edits = append(edits, edit.Edit{OldText: old2, NewText: new2})
		}
		dir, path := file(t, before)
		args, err := json.Marshal(map[string]any{"path": filepath.Base(path), "edits": edits})
		if err != nil {
			return // arguments are JSON, which is UTF-8
		}
		result, err := run(t, edit.New(dir, nil), args)
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
		if len(edits) == 1 {
			checkExtent(t, before, after, edits[0])
		}
		checkExact(t, before, after, edits)
	})
}

// checkExtent checks that the part that differs has no more lines than oldText.
func checkExtent(t *testing.T, before, after string, e edit.Edit) {
	t.Helper()
	start := 0
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	end := len(before)
	for end > start && len(after)-len(before)+end > start && before[end-1] == after[len(after)-len(before)+end-1] {
		end--
	}
	if got, most := strings.Count(before[start:end], "\n"), strings.Count(e.OldText, "\n"); got > most {
		t.Errorf("%q became %q: %d line ends differ, but oldText %q has %d", before, after, got, e.OldText, most)
	}
}

// checkExact compares with a plain replacement, where all texts are literally in the file.
func checkExact(t *testing.T, before, after string, edits []edit.Edit) {
	t.Helper()
	want, last := "", 0
	slices.SortFunc(edits, func(a, b edit.Edit) int {
		return cmp.Compare(strings.Index(before, a.OldText), strings.Index(before, b.OldText))
	})
	for _, e := range edits {
		at := strings.Index(before, e.OldText)
		if at < 0 || strings.ContainsAny(before+e.OldText+e.NewText, "\r\ufeff") {
			return
		}
		want += before[last:at] + e.NewText
		last = at + len(e.OldText)
	}
	if want += before[last:]; after != want {
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
