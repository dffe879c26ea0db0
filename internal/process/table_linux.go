package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// reapsEarly: awaitExit leaves the command's process id taken.
const reapsEarly = false

func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// awaitExit waits until the process has ended, and does not reap it.
func awaitExit(pid int) {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

func processes() ([]entry, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	table := make([]entry, 0, len(names))
	buf := make([]byte, 1024)
	for _, name := range names {
		if name[0] < '1' || name[0] > '9' {
			continue
		}
		if e, ok := readStat(name, buf); ok {
			table = append(table, e)
		}
	}
	if len(table) == 0 {
		return nil, fmt.Errorf("no process is listed in /proc")
	}
	return table, nil
}

// readStat reports false for a process that has ended meanwhile.
func readStat(pid string, buf []byte) (entry, bool) {
	fd, err := unix.Open("/proc/"+pid+"/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return entry{}, false
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, buf)
	if err != nil {
		return entry{}, false
	}
	e, ok := parseStat(buf[:n])
	return e, ok
}

// parseStat reads /proc/PID/stat (see proc_pid_stat(5)). The second field is a name in
// parentheses, which may itself contain parentheses and spaces.
func parseStat(stat []byte) (e entry, ok bool) {
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return e, false
	}
	fields := bytes.Fields(stat[end+1:])
	const state, ppid, pgid, sid, start = 0, 1, 2, 3, 19
	if len(fields) <= start {
		return e, false
	}
	number := func(field []byte, into *int) {
		n, err := strconv.Atoi(string(field))
		ok = ok && err == nil
		*into = n
	}
	ok = true
	number(bytes.TrimSpace(stat[:open]), &e.pid)
	number(fields[ppid], &e.ppid)
	number(fields[pgid], &e.pgid)
	number(fields[sid], &e.sid)
	began, err := strconv.ParseUint(string(fields[start]), 10, 64)
	e.start = began
	e.dead = bytes.ContainsAny(fields[state], "ZXx")
	return e, ok && err == nil
}

func marked(pid int, mark string) bool {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(environ, []byte(mark))
}
