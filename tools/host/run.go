package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/rondo-agent/rondo/internal/process"
)

const (
	killGrace = 500 * time.Millisecond
	// After a command has exited, its output is read to the end, if that comes soon. A
	// helper such as tee in "exec > >(tee log)" ends right after its shell; a server left
	// in the background does not.
	drainIdle  = 250 * time.Millisecond
	drainLimit = 1500 * time.Millisecond
)

// Run runs a command on this machine, in a session of its own, without a terminal and with
// nothing to read.
//
// When ctx is done the command and its descendants are asked to terminate, and killed half
// a second later. A process that a command leaves in the background lives on after the
// command, but its output is not read any more.
func (local) Run(ctx context.Context, cmd *Command, output func([]byte)) (Exit, error) {
	shell, err := findShell(cmd.Shell)
	if err != nil {
		return Exit{}, err
	}
	c := exec.Command(shell, "-c", cmd.Text)
	c.Dir = cmd.Dir
	c.Env = environment(cmd)
	p, err := process.Start(c, output)
	if err != nil {
		return Exit{}, startError(cmd, shell, err)
	}
	select {
	case <-p.Exited():
	case <-ctx.Done():
		return stop(ctx, p)
	}
	leftover := p.Drain(ctx, drainIdle, drainLimit)
	end, err := p.Wait()
	if err != nil {
		return Exit{}, fmt.Errorf("wait for %s: %w", shell, err)
	}
	return Exit{
		Code:       end.Code,
		Signal:     end.Signal,
		OutputHeld: leftover != process.Nobody,
		OutputLost: leftover == process.Writing,
	}, nil
}

func stop(ctx context.Context, p *process.Process) (Exit, error) {
	left := p.Stop(killGrace)
	p.Drain(ctx, 0, 0)
	return Exit{Left: left}, context.Cause(ctx)
}

// startError says what to do. It does not wrap the system's error, which looks like that
// of a network and might be taken for a reason to try again.
func startError(cmd *Command, shell string, err error) error {
	info, statErr := os.Stat(cmd.Dir)
	switch {
	case statErr != nil || !info.IsDir():
		return fmt.Errorf("the working folder %s does not exist any more: no command can run until it is there again", cmd.Dir)
	case strings.ContainsRune(cmd.Text, 0):
		return errors.New("the command contains a NUL character, which no shell accepts: remove it")
	case errors.Is(err, syscall.E2BIG):
		return fmt.Errorf("the command is too long for the system (%d bytes): write the script to a file and run that", len(cmd.Text))
	}
	return fmt.Errorf("start %s: %s", shell, err.Error())
}
