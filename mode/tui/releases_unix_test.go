//go:build unix

package tui_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/rondo-agent/rondo/extension"
)

// What the terminal is asked for, and what it sends for a key that is pressed, held and let go.
const (
	withReleases    = "\x1b[=3;1u"
	withoutReleases = "\x1b[=1;1u"
	aReleased       = "\x1b[97;1:3u"
	upRepeated      = "\x1b[1;1:2A"
	upReleased      = "\x1b[1;1:3A"
)

// ear is a component that hears what is typed.
type ear struct {
	wants bool
	heard chan string
}

func (e *ear) Render(int) []string     { return []string{"an ear"} }
func (e *ear) HandleInput(data string) { e.heard <- data }
func (e *ear) Invalidate()             {}
func (e *ear) WantsKeyRelease() bool   { return e.wants }

// listen shows an ear until stop is called.
func (st *stage) listen(wants, overlay bool) (e *ear, stop func()) {
	st.t.Helper()
	e = &ear{wants: wants, heard: make(chan string, 100)}
	ctx, cancel := context.WithCancel(context.Background())
	var shown sync.WaitGroup
	shown.Go(func() {
		st.term.UI().Custom(ctx, func(extension.Screen, extension.Theme, extension.Keybindings, func(any)) (extension.Component, error) {
			return e, nil
		}, &extension.CustomOptions{Overlay: overlay})
	})
	return e, func() {
		cancel()
		shown.Wait()
	}
}

func (st *stage) count(text string) int {
	st.mu.Lock()
	defer st.mu.Unlock()
	return strings.Count(st.raw.String(), text)
}

// TestKeyReleases: the terminal is asked for releases of keys while a component has the focus
// that wants them, on both screens, and no longer.
func TestKeyReleases(t *testing.T) {
	for _, overlay := range []bool{false, true} {
		st := play(t)
		e, stop := st.listen(true, overlay)
		st.sees(withReleases)
		st.sees("an ear")
		st.types("a" + aReleased + "\x1b[A" + upRepeated + upReleased)
		for _, want := range []string{"a", aReleased, "\x1b[A", upRepeated, upReleased} {
			if got := <-e.heard; got != want {
				t.Errorf("overlay %v: %q was heard, and not %q", overlay, got, want)
			}
		}
		stop()
		if overlay {
			st.sees("\x1b[<1u\x1b[?1049l") // with the screen go its keys
		} else {
			st.sees(withoutReleases)
		}
		st.types(aReleased + "typed" + aReleased)
		st.sees("typed")
	}
}

// TestKeyReleases_OnlyForThoseWhoWantThem: others are not told of them, even by a terminal that
// has not been asked.
func TestKeyReleases_OnlyForThoseWhoWantThem(t *testing.T) {
	st := play(t)
	e, stop := st.listen(false, false)
	st.sees("an ear")
	st.types("a" + aReleased + "\x1b[A" + upReleased + "b")
	for _, want := range []string{"a", "\x1b[A", "b"} {
		if got := <-e.heard; got != want {
			t.Errorf("%q was heard, and not %q", got, want)
		}
	}
	stop()
	st.types("typed")
	st.sees("typed")
	if n := st.count(withReleases); n != 0 {
		t.Errorf("the terminal was asked %d times", n)
	}
}

// TestKeyReleases_Ended: the program gives the keys back as they were, also if it ends under a
// component that wants releases.
func TestKeyReleases_Ended(t *testing.T) {
	st := play(t)
	_, stop := st.listen(true, false)
	st.sees(withReleases)
	st.cancel(errEnded)
	<-st.ended
	st.ended <- nil
	stop()
	st.sees(withoutReleases)
	st.sees("\x1b[<1u\x1b[>4m")
}
