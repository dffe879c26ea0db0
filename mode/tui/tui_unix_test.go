//go:build unix

package tui_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/tui"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stage is a terminal with a session, without a program around it.
type stage struct {
	t       *testing.T
	master  *os.File
	term    *tui.Terminal
	session *session.Session
	ended   chan error
	cancel  context.CancelCauseFunc

	mu  sync.Mutex
	raw strings.Builder
}

func play(t *testing.T, replies ...scripted.Reply) *stage {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	s, err := session.New(memory.New(transcript.NewHeader(t.TempDir())), &session.Options{
		Stream: scripted.New(replies...).Stream, Model: scripted.Record(), Retry: session.Retry{Disabled: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	st := &stage{t: t, master: master, session: s, ended: make(chan error, 1), term: tui.New(&tui.Options{In: tty, Out: tty})}
	var helpers sync.WaitGroup
	helpers.Go(func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := master.Read(buf)
			st.mu.Lock()
			st.raw.Write(buf[:n])
			st.mu.Unlock()
			if err != nil {
				return
			}
		}
	})
	ctx, cancel := context.WithCancelCause(context.Background())
	st.cancel = cancel
	rt := session.NewRuntime(s, nil)
	helpers.Go(func() { st.ended <- st.term.Run(ctx, rt, nil) })
	t.Cleanup(func() {
		cancel(errEnded)
		<-st.ended
		tty.Close()
		master.Close()
		helpers.Wait()
		if err := rt.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	st.sees("\x1b[?2026l")
	return st
}

var errEnded = errors.New("the test has ended")

func (st *stage) sees(text string) {
	st.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		st.mu.Lock()
		found := strings.Contains(st.raw.String(), text)
		st.mu.Unlock()
		if found {
			return
		}
	}
	st.t.Fatalf("%q does not come", text)
}

func (st *stage) types(keys string) {
	st.t.Helper()
	if _, err := io.WriteString(st.master, keys); err != nil {
		st.t.Fatal(err)
	}
}

func TestRun_EndsWithItsContext(t *testing.T) {
	st := play(t, scripted.Say("An answer."))
	st.types("hello\r")
	st.sees("An answer.")
	st.cancel(errEnded)
	if err := <-st.ended; !errors.Is(err, errEnded) {
		t.Error(err)
	}
	st.ended <- nil
}

func TestUI_DialogsAtTheSameTime(t *testing.T) {
	st := play(t)
	ui := st.term.UI()
	answers := make(chan string, 2)
	var asking sync.WaitGroup
	asking.Go(func() {
		s, _ := ui.Select(t.Context(), "below", []string{"b1", "b2"}, 0)
		answers <- s
	})
	st.sees("below")
	asking.Go(func() {
		s, _ := ui.Input(t.Context(), "above", "", 0)
		answers <- s
	})
	st.sees("above")
	st.types("text\r")
	if s := <-answers; s != "text" {
		t.Errorf("the upper dialog gives %q", s)
	}
	st.types("2")
	if s := <-answers; s != "b2" {
		t.Errorf("the lower dialog gives %q", s)
	}
	asking.Wait()
}

func TestUI_DialogsEnd(t *testing.T) {
	st := play(t)
	ui := st.term.UI()
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
	st.sees("at the end")
	st.cancel(errEnded)
	open.Wait()
	if _, ok := ui.Input(context.Background(), "after the end", "", 0); ok {
		t.Error("a dialog after the end is answered")
	}
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
	st := play(t, scripted.Say("An answer."))
	c := &slowComponent{drawn: make(chan struct{})}
	st.term.UI().SetWidget("slow", &extension.Widget{Component: func(extension.Screen, extension.Theme) extension.Component { return c }})
	st.types("hello\r")
	st.sees("An answer.")
	close(c.drawn)
	st.sees("drawn at last")
}

func TestUI_PanicOfAComponentIsTold(t *testing.T) {
	st := play(t)
	c := &slowComponent{drawn: make(chan struct{})}
	close(c.drawn)
	ctx, cancel := context.WithCancel(t.Context())
	var shown sync.WaitGroup
	shown.Go(func() {
		st.term.UI().Custom(ctx, func(extension.Screen, extension.Theme, extension.Keybindings, func(any)) (extension.Component, error) {
			return c, nil
		}, nil)
	})
	st.sees("drawn at last")
	st.types("x")
	st.sees("A component of an extension has failed.")
	cancel()
	shown.Wait()
}

func TestUI_TerminalInput(t *testing.T) {
	st := play(t)
	off := st.term.UI().OnTerminalInput(func(data string) (string, bool) {
		return strings.ToUpper(data), data == "x"
	})
	st.types("ab")
	st.types("x\x1b[D")
	st.types("c")
	st.sees("ACB")
	off()
	st.types("d")
	st.sees("ACdB")
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
	st := play(t)
	added := make(chan struct{})
	st.term.UI().AddAutocompleteProvider(func(current extension.AutocompleteProvider) extension.AutocompleteProvider {
		defer close(added)
		return tags{current}
	})
	<-added
	st.types("see #")
	st.sees("tag beta")
	st.types("\x1b[B")
	st.sees("→ tag beta")
	st.types("\t")
	st.sees("see #beta")
}
