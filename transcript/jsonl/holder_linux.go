package jsonl

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// holder returns the process that has locked the file, or 0 if the kernel does not say or
// that process has ended.
// A line of /proc/locks is: 1: FLOCK ADVISORY WRITE pid major:minor:inode start end.
func holder(file *os.File) int {
	info, err := file.Stat()
	if err != nil {
		return 0
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	locks, err := os.Open("/proc/locks")
	if err != nil {
		return 0
	}
	defer locks.Close()
	inode := fmt.Sprintf(":%d", stat.Ino)
	for lines := bufio.NewScanner(locks); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) >= 6 && f[1] == "FLOCK" && f[3] == "WRITE" && strings.HasSuffix(f[5], inode) {
			if pid, err := strconv.Atoi(f[4]); err == nil && pid > 0 && lives(pid) {
				return pid
			}
			return 0
		}
	}
	return 0
}

// lives reports whether a process is there and no zombie. /proc/PID/stat is: pid (name) state.
func lives(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " ")
	return !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}
