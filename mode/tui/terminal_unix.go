//go:build unix

package tui

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
)

func makeRaw(in, _ *os.File) (*term.State, error) { return term.MakeRaw(in.Fd()) }

// watchSize calls fn when the terminal has another size, until ctx is done.
func watchSize(ctx context.Context, _ tty, fn func()) {
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

// stopTime is how long the system has to stop the program. It does not stop one whose shell
// is gone, or that is the first of its session.
const stopTime = 300 * time.Millisecond

// suspend gives the terminal back to the shell, until it is brought to the foreground again.
func (a *app) suspend() tea.Cmd {
	a.leave()
	return func() tea.Msg {
		resumed := make(chan os.Signal, 1)
		signal.Notify(resumed, syscall.SIGCONT)
		defer signal.Stop(resumed)
		if err := syscall.Kill(0, syscall.SIGTSTP); err == nil {
			select {
			case <-resumed:
			case <-time.After(stopTime):
			}
		}
		return call(a.enter)
	}
}
