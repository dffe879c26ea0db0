//go:build unix

package tui

import (
	"io"
	"os"
	"os/exec"
	"syscall"

	"github.com/rondo-agent/rondo/mode/tui/screen"
)

// guardScript waits for a line. Without one, this program is gone: then the terminal, at the
// descriptors 3 and 4, is made sane, what was switched on is switched off, and the rest of the frame
// is erased from the cursor on.
const guardScript = `trap '' INT TERM HUP QUIT TSTP TTIN TTOU
read -r line || { stty sane <&3; printf %s "$0" >&4; }`

// guard starts a shell that switches the terminal back if this program ends without having done
// so: after a crash of a goroutine that is not the screen's, or a kill that cannot be caught. It
// waits for the end of a pipe. Without a shell there is no guard.
func (t tty) guard() (dismiss func()) {
	none := func() {}
	cmd := exec.Command("/bin/sh", "-c", guardScript, screen.Rescue+"\r\x1b[J")
	cmd.ExtraFiles = []*os.File{t.in, t.out}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what ends this program's group does not end it
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return none
	}
	if err := cmd.Start(); err != nil {
		return none
	}
	return func() { // the terminal has been switched back
		_, _ = io.WriteString(pipe, "done\n")
		_ = pipe.Close()
		_ = cmd.Wait()
	}
}
