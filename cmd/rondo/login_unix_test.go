//go:build !windows

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"github.com/rondo-agent/rondo/config"
)

// watched is a buffer that tells when it has a text.
type watched struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *watched) await(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		w.mu.Lock()
		found := strings.Contains(w.text.String(), text)
		w.mu.Unlock()
		if found {
			return
		}
	}
	t.Fatalf("%q does not come", text)
}

// terminalPair returns both sides of a terminal, and what is seen on it.
func terminalPair(t *testing.T) (keyboard, inside *os.File, screen *watched) {
	t.Helper()
	keyboard, inside, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	screen = new(watched)
	var wg sync.WaitGroup
	wg.Go(func() {
		buf := make([]byte, 1024)
		for {
			n, err := keyboard.Read(buf)
			if n > 0 {
				screen.Write(buf[:n])
			}
			if err != nil {
				return
			}
		}
	})
	t.Cleanup(func() {
		inside.Close()
		keyboard.Close()
		wg.Wait()
	})
	return keyboard, inside, screen
}

func terminalState(t *testing.T, terminal *os.File) *term.State {
	t.Helper()
	state, err := term.GetState(int(terminal.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// awaitSwitch waits until the terminal is in another state: a question comes just before that.
func awaitSwitch(t *testing.T, terminal *os.File, before *term.State) {
	t.Helper()
	for end := time.Now().Add(patience); reflect.DeepEqual(terminalState(t, terminal), before); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the terminal shows what is typed")
		}
	}
}

// TestAKeyIsNotShown while it is typed, and the terminal shows the next line again.
func TestAKeyIsNotShown(t *testing.T) {
	keyboard, inside, screen := terminalPair(t)
	before := terminalState(t, inside)
	cfg, err := config.Load(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	told := new(watched)
	p := newCommand(inside, &bytes.Buffer{}, told)
	done := make(chan error, 1)
	go func() { done <- p.login(t.Context(), cfg, "openai", &loginOptions{}) }()
	told.await(t, "it is not shown): ")
	awaitSwitch(t, inside, before)
	keyboard.WriteString("sk-typed\n")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	keyboard.WriteString("afterwards\n")
	screen.await(t, "afterwards")
	screen.mu.Lock()
	defer screen.mu.Unlock()
	if strings.Contains(screen.text.String(), "sk-typed") {
		t.Errorf("seen: %q", screen.text.String())
	}
	if cred, err := cfg.Grant(t.Context(), "openai"); err != nil || cred.Token != "sk-typed" {
		t.Errorf("not what was typed: %v", err)
	}
}

// TestAnInterruptGivesTheTerminalBack: it shows what is typed again.
func TestAnInterruptGivesTheTerminalBack(t *testing.T) {
	keyboard, inside, screen := terminalPair(t)
	before := terminalState(t, inside)
	cfg, err := config.Load(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	told := new(watched)
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	p := newCommand(inside, &bytes.Buffer{}, told)
	done := make(chan error, 1)
	go func() { done <- p.login(ctx, cfg, "openai", &loginOptions{}) }()
	told.await(t, "it is not shown): ")
	awaitSwitch(t, inside, before)
	cancel(interrupted)
	if err := <-done; !errors.Is(err, interrupted) {
		t.Errorf("%v", err)
	}
	keyboard.WriteString("visible\n")
	screen.await(t, "visible")
}
