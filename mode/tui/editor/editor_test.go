package editor_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/rondo-agent/rondo/mode/tui/editor"
)

func with(s string) *editor.Editor {
	e := &editor.Editor{Measure: ansi.GraphemeWidth}
	e.Insert(s)
	return e
}

func TestCharactersAreThoseOfAReader(t *testing.T) {
	for _, c := range []string{"x", "日", "e\u0301", "👩‍🚀", "🇩🇪", "❤️", "👍🏽"} {
		e := with("a" + c + "b")
		e.Left()
		e.Backspace()
		if e.Value() != "ab" {
			t.Errorf("Backspace behind %q: %q", c, e.Value())
		}
		e = with("a" + c + "b")
		e.Home()
		e.Right()
		e.Delete()
		if e.Value() != "ab" {
			t.Errorf("Delete before %q: %q", c, e.Value())
		}
	}
}

func TestLines(t *testing.T) {
	e := with("one two\nthree")
	e.Draw(80, 10)
	e.Up()
	e.Insert("X")
	if e.Value() != "one tXwo\nthree" {
		t.Errorf("%q", e.Value())
	}
	e.DeleteToEnd()
	e.DeleteToEnd()
	if e.Value() != "one tXthree" {
		t.Errorf("%q", e.Value())
	}
	e.DeleteWordLeft()
	e.Yank()
	e.Home()
	e.WordRight()
	e.DeleteToStart()
	if e.Value() != " tXthree" {
		t.Errorf("%q", e.Value())
	}
}

func TestWrappedRows(t *testing.T) {
	e := with("the quick brown fox")
	v := e.Draw(11, 10) // a cell is for the cursor
	if strings.Join(v.Rows, "|") != "the quick |brown fox" || v.X != 9 || v.Y != 1 {
		t.Errorf("%+v", v)
	}
	e.Up()
	if v = e.Draw(11, 10); v.Y != 0 || v.X != 9 {
		t.Errorf("%+v", v)
	}
	e = with(strings.Repeat("x\n", 30))
	v = e.Draw(11, 5)
	if len(v.Rows) != 5 || v.Above != 26 || v.Below != 0 || v.Y != 4 {
		t.Errorf("%+v", v)
	}
}

func TestHistory(t *testing.T) {
	e := &editor.Editor{}
	e.Remember("first")
	e.Remember("second")
	e.Remember("second")
	e.Insert("draft")
	for _, want := range []string{"draft", "second", "first", "first"} {
		e.Up()
		if e.Value() != want {
			t.Errorf("up: %q, want %q", e.Value(), want)
		}
	}
	for _, want := range []string{"second", "draft", "draft"} {
		e.Down()
		if e.Value() != want {
			t.Errorf("down: %q, want %q", e.Value(), want)
		}
	}
}

func TestUndo(t *testing.T) {
	e := &editor.Editor{}
	for _, c := range "hello" {
		e.Insert(string(c))
	}
	e.Insert(" ")
	for _, c := range "you" {
		e.Insert(string(c))
	}
	for _, want := range []string{"hello ", "hello", "", ""} {
		e.Undo()
		if e.Value() != want {
			t.Errorf("%q, want %q", e.Value(), want)
		}
	}
}

func TestPaste(t *testing.T) {
	e := with("see ")
	long := strings.Repeat("line\r\n", 30)
	e.Paste(long)
	e.Paste("\x1b[31mred\x07")
	if e.Value() != "see [paste #1, 31 lines]red␇" {
		t.Errorf("%q", e.Value())
	}
	if want := "see " + strings.ReplaceAll(long, "\r\n", "\n") + "red␇"; e.Text() != want {
		t.Errorf("%q", e.Text())
	}
	e.Backspace()
	for range "red" {
		e.Backspace()
	}
	e.Backspace()
	if e.Value() != "see " {
		t.Errorf("the marker is not removed as a whole: %q", e.Value())
	}
}

func FuzzEditor(f *testing.F) {
	f.Add("日本 e\u0301\nx👩‍🚀 word", []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13})
	f.Fuzz(func(t *testing.T, s string, keys []byte) {
		e := with(s)
		do := []func(){
			e.Left, e.Right, e.Up, e.Down, e.Home, e.End, e.WordLeft, e.WordRight, e.Backspace, e.Delete,
			e.DeleteWordLeft, e.DeleteWordRight, e.DeleteToStart, e.DeleteToEnd, e.Yank, e.Undo,
			func() { e.Insert("é ") }, func() { e.Paste(s) }, func() { e.Remember(e.Text()) },
		}
		for i, k := range keys[:min(len(keys), 200)] {
			do[int(k)%len(do)]()
			width := 2 + i%30
			v := e.Draw(width, 1+i%7)
			if !utf8.ValidString(e.Value()) || !utf8.ValidString(e.Before()) {
				t.Fatalf("%q is cut inside of a character", e.Before())
			}
			if v.X < 0 || v.Y < 0 || v.Y >= len(v.Rows) {
				t.Fatalf("the cursor is at %d, %d of %q", v.X, v.Y, v.Rows)
			}
		}
	})
}
