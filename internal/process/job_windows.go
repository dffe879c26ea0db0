package process

import (
	"os"
	"os/exec"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// reapsEarly: process ids are no handles here, the job is.
const reapsEarly = true

// containment is a job object that the command and its descendants run in. A child made
// before the command has been put into the job, within microseconds, is outside.
type containment struct{ job windows.Handle }

func prepare(cmd *exec.Cmd, _ string) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.HideWindow = true
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW
}

func awaitExit(int) {}

// contain leaves the job empty if it fails; stop then ends the command alone.
func (c *containment) contain(pid int) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		windows.CloseHandle(job)
		return
	}
	defer windows.CloseHandle(process)
	if windows.AssignProcessToJobObject(job, process) != nil {
		windows.CloseHandle(job)
		return
	}
	limit(job, windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE)
	c.job = job
}

func limit(job windows.Handle, flags uint32) {
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = flags
	_, _ = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
}

// release lets what the command left in the background live on.
func (c *containment) release() {
	if c.job == 0 {
		return
	}
	limit(c.job, 0)
	windows.CloseHandle(c.job)
}

// stop kills at once: there is no signal that asks a program without a window to end.
func (p *Process) stop(time.Duration) []int {
	if p.os.job == 0 || windows.TerminateJobObject(p.os.job, 1) != nil {
		_ = p.cmd.Process.Kill()
	}
	select {
	case <-p.exited:
		return nil
	case <-time.After(time.Second):
		return []int{p.Pid()}
	}
}

func exitOf(state *os.ProcessState, err error) (Exit, error) {
	if state == nil {
		return Exit{Code: -1}, err
	}
	return Exit{Code: state.ExitCode()}, nil
}

// SignalName is the name of a signal; there are none on Windows.
func SignalName(int) string { return "" }

// interrupt closes the file, which on Windows ends a read that is waiting.
func (r *reader) interrupt() { r.r.Close() }

func (r *reader) rest([]byte, func([]byte)) bool { return false }
