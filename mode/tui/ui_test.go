package tui_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/extension"
)

func TestRun_EndsWithItsContext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := prepare(t, `"An answer."`).show(80, 24)
		c.types("hello\r")
		c.sees("An answer.")
		c.cancel(errOver)
		<-c.ended
		if !errors.Is(c.err, errOver) {
			t.Error(c.err)
		}
	})
}

func TestUI_DialogsAtTheSameTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := prepare(t, `"ok"`).show(80, 24)
		ui := c.term.UI()
		answers := make(chan string, 2)
		var asking sync.WaitGroup
		asking.Go(func() {
			s, _ := ui.Select(t.Context(), "below", []string{"b1", "b2"}, 0)
			answers <- s
		})
		c.sees("below")
		asking.Go(func() {
			s, _ := ui.Input(t.Context(), "above", "", 0)
			answers <- s
		})
		c.sees("above")
		c.types("text\r")
		if s := <-answers; s != "text" {
			t.Errorf("the upper dialog gives %q", s)
		}
		c.types("2")
		if s := <-answers; s != "b2" {
			t.Errorf("the lower dialog gives %q", s)
		}
		asking.Wait()
	})
}

func TestUI_DialogsEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := prepare(t, `"ok"`).show(80, 24)
		ui := c.term.UI()
		if _, ok := ui.Select(t.Context(), "in vain", []string{"a"}, 30*time.Millisecond); ok {
			t.Error("a dialog whose time is over is answered")
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		if ui.Confirm(ctx, "given up", "", 0) {
			t.Error("a dialog whose context is done is answered")
		}
		var open sync.WaitGroup
		open.Go(func() {
			if _, ok := ui.Editor(context.Background(), "at the end", ""); ok {
				t.Error("a dialog of a terminal that has ended is answered")
			}
		})
		c.sees("at the end")
		c.cancel(errOver)
		open.Wait()
		if _, ok := ui.Input(context.Background(), "after the end", "", 0); ok {
			t.Error("a dialog after the end is answered")
		}
	})
}

// slowComponent takes its time to draw, and panics at a key.
type slowComponent struct{ drawn chan struct{} }

func (c *slowComponent) Render(int) []string {
	<-c.drawn
	return []string{"drawn at last"}
}
func (c *slowComponent) HandleInput(string) { panic("a bug") }
func (c *slowComponent) Invalidate()        {}

func TestUI_SlowComponentHoldsUpNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := prepare(t, `"An answer."`).show(80, 24)
		slow := &slowComponent{drawn: make(chan struct{})}
		c.term.UI().SetWidget("slow", &extension.Widget{Component: func(extension.Screen, extension.Theme) extension.Component { return slow }})
		c.types("hello\r")
		c.sees("An answer.")
		close(slow.drawn)
		c.sees("drawn at last")
	})
}

func TestUI_PanicOfAComponentIsTold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := prepare(t, `"ok"`).show(80, 24)
		slow := &slowComponent{drawn: make(chan struct{})}
		close(slow.drawn)
		ctx, cancel := context.WithCancel(t.Context())
		var shown sync.WaitGroup
		shown.Go(func() {
			c.term.UI().Custom(ctx, func(extension.Screen, extension.Theme, extension.Keybindings, func(any)) (extension.Component, error) {
				return slow, nil
			}, nil)
		})
		c.sees("drawn at last")
		c.types("x")
		c.sees("A component of an extension has failed.")
		cancel()
		shown.Wait()
	})
}

func TestUI_TerminalInput(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := prepare(t, `"ok"`).show(80, 24)
		off := c.term.UI().OnTerminalInput(func(data string) (string, bool) {
			return strings.ToUpper(data), data == "x"
		})
		c.types("ab")
		c.types("x\x1b[D")
		c.types("c")
		c.sees("ACB")
		off()
		c.types("d")
		c.sees("ACdB")
	})
}

// tags completes #.
type tags struct{ extension.AutocompleteProvider }

func (p tags) Suggest(ctx context.Context, lines []string, line, col int, force bool) (*extension.Suggestions, error) {
	before := lines[line][:col]
	if i := strings.LastIndex(before, "#"); i >= 0 {
		return &extension.Suggestions{Prefix: before[i:], Items: []extension.AutocompleteItem{{Value: "#alpha", Label: "tag alpha"}, {Value: "#beta", Label: "tag beta"}}}, nil
	}
	return p.AutocompleteProvider.Suggest(ctx, lines, line, col, force)
}

func TestUI_AutocompleteProvider(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := prepare(t, `"ok"`).show(80, 24)
		added := make(chan struct{})
		c.term.UI().AddAutocompleteProvider(func(current extension.AutocompleteProvider) extension.AutocompleteProvider {
			defer close(added)
			return tags{current}
		})
		<-added
		c.types("see #")
		c.sees("tag beta")
		c.types("\x1b[B")
		c.sees("→ tag beta")
		c.types("\t")
		c.sees("see #beta")
	})
}
