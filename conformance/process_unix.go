//go:build unix

package conformance

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup starts the program in a session of its own, so that what it starts in turn can
// be ended with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// killGroup ends the program and all that still belongs to its group.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// endSignal is the signal that ended the program, 0 if it exited.
func endSignal(state *os.ProcessState) int {
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return int(status.Signal())
	}
	return 0
}
