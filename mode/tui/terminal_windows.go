package tui

import (
	"context"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/windows"
)

// makeRaw also makes the console understand escape sequences.
func makeRaw(in, out *os.File) (*term.State, error) {
	var mode uint32
	h := windows.Handle(out.Fd())
	if err := windows.GetConsoleMode(h, &mode); err == nil {
		_ = windows.SetConsoleMode(h, mode|windows.ENABLE_PROCESSED_OUTPUT|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING|windows.DISABLE_NEWLINE_AUTO_RETURN)
	}
	return term.MakeRaw(in.Fd())
}

// watchSize calls fn now and then: a console does not signal a change of its size.
func watchSize(ctx context.Context, t tty, fn func()) {
	width, height := t.Size()
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if w, h := t.Size(); w != width || h != height {
				width, height = w, h
				fn()
			}
		case <-ctx.Done():
			return
		}
	}
}

// suspend does nothing: a console has no jobs.
func (*app) suspend() tea.Cmd { return nil }
