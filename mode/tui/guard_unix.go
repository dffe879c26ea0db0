//go:build unix

package tui

import (
	"io"
	"os"
	"os/exec"
	"syscall"

	"github.com/rondo-agent/rondo/mode/tui/screen"
)

// guard switches the terminal back if this program ends without having done so: after a crash
// of a goroutine that is not the screen's, or a kill that cannot be caught. It is a shell that
// waits for the end of a pipe.
type guard struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser
}

// guardScript waits for a line. Without one, this program is gone: then the terminal, at the
// descriptors 3 and 4, is made sane and what was switched on is switched off.
const guardScript = `trap '' INT TERM HUP QUIT TSTP TTIN TTOU
read -r line || { stty sane <&3; printf %s "$0" >&4; }`

// newGuard starts one. Without a shell there is none.
func newGuard(in, out *os.File) *guard {
	cmd := exec.Command("/bin/sh", "-c", guardScript, screen.Rescue+"\r\n")
	cmd.ExtraFiles = []*os.File{in, out}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what ends this program's group does not end it
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil
	}
	if err := cmd.Start(); err != nil {
		return nil
	}
	return &guard{cmd, pipe}
}

// dismiss ends the guard: the terminal has been switched back.
func (g *guard) dismiss() {
	if g == nil {
		return
	}
	_, _ = io.WriteString(g.pipe, "done\n")
	_ = g.pipe.Close()
	_ = g.cmd.Wait()
}
