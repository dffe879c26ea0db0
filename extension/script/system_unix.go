//go:build unix

package script

import (
	"io/fs"
	"syscall"
)

// idsOf are the numbers that only the system knows.
func idsOf(info fs.FileInfo) fileIDs {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileIDs{}
	}
	return fileIDs{Ino: uint64(s.Ino), Dev: uint64(s.Dev), Nlink: uint64(s.Nlink), UID: s.Uid, GID: s.Gid} //nolint:unconvert // types differ between systems
}

var signals = map[string]syscall.Signal{
	"0": 0, "SIGHUP": syscall.SIGHUP, "SIGINT": syscall.SIGINT, "SIGQUIT": syscall.SIGQUIT, "SIGKILL": syscall.SIGKILL,
	"SIGTERM": syscall.SIGTERM, "SIGUSR1": syscall.SIGUSR1, "SIGUSR2": syscall.SIGUSR2, "SIGSTOP": syscall.SIGSTOP,
	"SIGCONT": syscall.SIGCONT, "SIGWINCH": syscall.SIGWINCH,
}

// sendSignal signals a process, or its group for a negative number.
func sendSignal(pid int, name string) error {
	signal, ok := signals[name]
	if !ok {
		return &Error{Name: "TypeError", Code: "ERR_UNKNOWN_SIGNAL", Message: "Unknown signal: " + name}
	}
	if err := syscall.Kill(pid, signal); err != nil {
		code, _, number := errnoName(err)
		if code == "" {
			code = "ESRCH"
		}
		return &Error{Code: code, Errno: -number, Syscall: "kill", Message: "kill " + code}
	}
	return nil
}

// ownGroup makes a program lead a group of its own.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a program and what it has started.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

func signalName(s syscall.Signal) string {
	for name, n := range signals {
		if n == s {
			return name
		}
	}
	return s.String()
}
