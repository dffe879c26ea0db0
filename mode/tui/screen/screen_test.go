package screen_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"

	"github.com/rondo-agent/rondo/mode/tui/graphics"
	"github.com/rondo-agent/rondo/mode/tui/screen"
)

// visible returns the scrollback and the screen of an emulator without blanks at ends.
func visible(em *vt.Emulator) []string {
	var rows []string
	for y := range em.ScrollbackLen() {
		var b strings.Builder
		for x := range em.Width() {
			if c := em.ScrollbackCellAt(x, y); c != nil && c.Content != "" {
				b.WriteString(c.Content)
			} else {
				b.WriteByte(' ')
			}
		}
		rows = append(rows, strings.TrimRight(b.String(), " "))
	}
	for y := range em.Height() {
		var b strings.Builder
		for x := range em.Width() {
			if c := em.CellAt(x, y); c != nil && c.Content != "" {
				b.WriteString(c.Content)
			} else {
				b.WriteByte(' ')
			}
		}
		rows = append(rows, strings.TrimRight(b.String(), " "))
	}
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// TestDraw draws random frames: all that was printed stands in order above the region.
func TestDraw(t *testing.T) {
	const width, height = 20, 8
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		em := vt.NewEmulator(width, height)
		var s screen.Screen
		s.Resize(height)
		var printed []string
		for step := range 30 {
			f := &screen.Frame{X: r.IntN(width)}
			if r.IntN(2) == 0 {
				for i := range r.IntN(12) {
					f.Print = append(f.Print, fmt.Sprintf("p%d.%d%s", step, i, strings.Repeat("x", r.IntN(width-8))))
				}
			}
			for i := range 1 + r.IntN(height) {
				line := fmt.Sprintf("l%d.%d", i, r.IntN(3))
				if r.IntN(4) == 0 {
					line += strings.Repeat("#", width-len(line)) // as wide as the screen
				}
				f.Live = append(f.Live, line)
			}
			f.Y = r.IntN(len(f.Live))
			_, _ = em.Write(s.Draw(f))
			printed = append(printed, f.Print...)
			want := append(slices.Clone(printed), f.Live...)
			if got := visible(em); !slices.Equal(got, want) {
				t.Fatalf("seed %d, step %d:\n%s\nwant:\n%s", seed, step, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if pos := em.CursorPosition(); pos.X != f.X {
				t.Fatalf("seed %d, step %d: the cursor is at %v, not in column %d", seed, step, pos, f.X)
			}
		}
		_, _ = em.Write(s.Leave())
		if got := visible(em); !slices.Equal(got, printed) {
			t.Fatalf("seed %d: something of the region stays:\n%s", seed, strings.Join(got, "\n"))
		}
	}
}

func TestDraw_NothingNew(t *testing.T) {
	var s screen.Screen
	s.Resize(10)
	f := &screen.Frame{Live: []string{"a", "b"}, X: 1, Y: 1}
	if s.Draw(f) == nil {
		t.Error("the first frame is not drawn")
	}
	if data := s.Draw(f); data != nil {
		t.Errorf("the same frame is drawn again: %q", data)
	}
	if data := s.Draw(&screen.Frame{Live: []string{"a", "c"}, X: 1, Y: 1}); strings.Contains(string(data), "a") {
		t.Errorf("a line that has not changed is written: %q", data)
	}
}

func TestDraw_Clear(t *testing.T) {
	em := vt.NewEmulator(20, 5)
	var s screen.Screen
	s.Resize(5)
	_, _ = em.Write(s.Draw(&screen.Frame{Print: []string{"old"}, Live: []string{"region"}}))
	_, _ = em.Write(s.Draw(&screen.Frame{Print: []string{"new"}, Live: []string{"other"}, Clear: true}))
	if got := strings.Join(visible(em), "|"); got != "new|other" {
		t.Error(got)
	}
}

// TestDraw_Images: a terminal is given an image once for each of its two screens, and again
// after another program has had it.
func TestDraw_Images(t *testing.T) {
	drawn := make(chan struct{}, 1)
	store := &graphics.Store{Changed: func() { drawn <- struct{}{} }}
	store.Use(graphics.Protocol{Name: "kitty", Placeholders: true})
	var buf bytes.Buffer
	if err := png.Encode(&buf, image.NewGray(image.Rect(0, 0, 18, 18))); err != nil {
		t.Fatal(err)
	}
	refs := store.Add(base64.StdEncoding.EncodeToString(buf.Bytes()), "image/png", 10, 10)
	<-drawn
	need := make(graphics.Shown)
	live := store.Resolve(refs, false, func(s string) string { return s }, need)
	var s screen.Screen
	s.Resize(10)
	for i, step := range []struct {
		full, given bool
	}{{false, true}, {false, false}, {true, true}, {true, false}, {false, false}, {true, true}, {false, false}} {
		f := &screen.Frame{Live: append(live, strconv.Itoa(i)), Images: need, Full: step.full}
		if got := strings.Contains(string(s.Draw(f)), "\x1b_Ga=T"); got != step.given {
			t.Errorf("step %d: given %v", i, got)
		}
	}
	s.Leave()
	if !strings.Contains(string(s.Draw(&screen.Frame{Live: live, Images: need})), "\x1b_Ga=T") {
		t.Error("the terminal has been another program's, and is not given the image again")
	}
}
