package script

import (
	"io/fs"
	"os"
	"syscall"
)

func idsOf(fs.FileInfo) fileIDs { return fileIDs{} }

// sendSignal ends a process, whatever the signal; 0 asks whether it exists.
func sendSignal(pid int, name string) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return &Error{Code: "ESRCH", Syscall: "kill", Message: "kill ESRCH"}
	}
	if name == "0" {
		return p.Release()
	}
	return p.Kill()
}

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

func signalName(s syscall.Signal) string { return s.String() }
