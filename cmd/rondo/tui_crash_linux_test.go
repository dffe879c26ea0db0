package main

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestTerminal_Crash: after a kill that cannot be caught, the terminal is as a shell needs it.
func TestTerminal_Crash(t *testing.T) {
	p := prepare(t, `"ok"`)
	p.cmd = exec.Command("sh", append([]string{"-c", `rondo "$@" & echo $! > pid; fg 2>/dev/null; wait; echo; echo back in the shell; read line`, "sh"}, p.cmd.Args[1:]...)...)
	p.cmd.Args[2] = "set -m; " + p.cmd.Args[2]
	c := p.show(70, 24)
	c.types("draft")
	c.sees("draft")
	pid, err := strconv.Atoi(strings.TrimSpace(c.await("pid")))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c.sees("back in the shell")
	c.until("a sane terminal", func() bool {
		tio, err := unix.IoctlGetTermios(int(c.pty.Fd()), unix.TCGETS)
		c.mu.Lock()
		defer c.mu.Unlock()
		return err == nil && tio.Lflag&unix.ECHO != 0 && tio.Lflag&unix.ICANON != 0 && strings.Contains(c.raw.String(), "\x1b[?2004l")
	})
}
