//go:build unix

package tui

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
)

func makeRaw(in, _ *os.File) (*term.State, error) { return term.MakeRaw(in.Fd()) }

// watchSize calls fn when the terminal has another size, until ctx is done.
func watchSize(ctx context.Context, fn func()) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	defer signal.Stop(changed)
	for {
		select {
		case <-changed:
			fn()
		case <-ctx.Done():
			return
		}
	}
}

// suspend gives the terminal back to the shell, until it is brought to the foreground again.
func (a *app) suspend() tea.Cmd {
	a.leave()
	return tea.Suspend
}
