package tui_test

import (
	"context"
	"regexp"
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
func (c *console) listen(wants, overlay bool) (e *ear, stop func()) {
	c.t.Helper()
	e = &ear{wants: wants, heard: make(chan string, 100)}
	ctx, cancel := context.WithCancel(context.Background())
	var shown sync.WaitGroup
	shown.Go(func() {
		c.term.UI().Custom(ctx, func(extension.Screen, extension.Theme, extension.Keybindings, func(any)) (extension.Component, error) {
			return e, nil
		}, &extension.CustomOptions{Overlay: overlay})
	})
	return e, func() {
		cancel()
		shown.Wait()
	}
}

// TestKeyReleases: the terminal is asked for releases of keys while a component has the focus
// that wants them, on both screens, and no longer.
func TestKeyReleases(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, overlay := range []bool{false, true} {
			c := prepare(t, `"ok"`).show(80, 24)
			e, stop := c.listen(true, overlay)
			c.written(withReleases)
			c.sees("an ear")
			c.types("a" + aReleased + "\x1b[A" + upRepeated + upReleased)
			for _, want := range []string{"a", aReleased, "\x1b[A", upRepeated, upReleased} {
				if got := <-e.heard; got != want {
					t.Errorf("overlay %v: %q was heard, and not %q", overlay, got, want)
				}
			}
			stop()
			if overlay {
				c.written("\x1b[<1u\x1b[?1049l") // with the screen go its keys
			} else {
				c.written(withoutReleases)
			}
			c.types(aReleased + "typed" + aReleased)
			c.sees("typed")
		}
	})
}

// TestKeyReleases_OnlyForThoseWhoWantThem: others are not told of them, even by a terminal that
// has not been asked.
func TestKeyReleases_OnlyForThoseWhoWantThem(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := prepare(t, `"ok"`).show(80, 24)
		e, stop := c.listen(false, false)
		c.sees("an ear")
		c.types("a" + aReleased + "\x1b[A" + upReleased + "b")
		for _, want := range []string{"a", "\x1b[A", "b"} {
			if got := <-e.heard; got != want {
				t.Errorf("%q was heard, and not %q", got, want)
			}
		}
		stop()
		c.types("typed")
		c.sees("typed")
		if c.wrote(regexp.QuoteMeta(withReleases)) {
			t.Error("the terminal was asked")
		}
	})
}

// TestKeyReleases_Ended: the program gives the keys back as they were, also if it ends under a
// component that wants releases.
func TestKeyReleases_Ended(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := prepare(t, `"ok"`).show(80, 24)
		_, stop := c.listen(true, false)
		c.written(withReleases)
		c.cancel(errOver)
		<-c.ended
		stop()
		c.written(withoutReleases)
		c.written("\x1b[<1u\x1b[>4m")
	})
}
