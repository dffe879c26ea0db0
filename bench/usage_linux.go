package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// peakMemory runs a command and returns its peak resident memory in bytes.
//
// The kernel's own answer (ru_maxrss) is of no use for a small program: it counts the
// memory of the process that started it as well. So the high-water mark is read again and
// again until the program ends.
func peakMemory(cmd *exec.Cmd) (float64, error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	peak, err := followPeak(cmd.Process.Pid)
	if waitErr := cmd.Wait(); waitErr != nil {
		return 0, waitErr
	}
	return peak, err
}

// followPeak reads the high-water mark of a process until it has ended; the process must
// not have been waited for.
func followPeak(pid int) (float64, error) {
	status, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	defer status.Close()
	peak, buf := 0.0, make([]byte, 16<<10)
	for {
		n, err := status.ReadAt(buf, 0)
		if err != nil && !errors.Is(err, io.EOF) {
			return peak, nil // it has been reaped
		}
		mark, ok := procField(buf[:n], "VmHWM:")
		if !ok {
			return peak, nil // it has given its memory back: a zombie
		}
		peak = max(peak, mark)
	}
}

// memory is the resident memory of a process and its proportional share, in bytes.
func memory(pid int) (resident, proportional float64, err error) {
	rollup, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, 0, err
	}
	resident, ok := procField(rollup, "Rss:")
	proportional, ok2 := procField(rollup, "Pss:")
	if !ok || !ok2 {
		return 0, 0, fmt.Errorf("smaps_rollup of process %d has no Rss or Pss", pid)
	}
	return resident, proportional, nil
}

// procField finds "name  N kB" in a file of /proc and returns bytes.
func procField(data []byte, name string) (float64, bool) {
	for line := range bytes.Lines(data) {
		rest, ok := bytes.CutPrefix(line, []byte(name))
		if !ok {
			continue
		}
		number, _, _ := strings.Cut(strings.TrimSpace(string(rest)), " ")
		kib, err := strconv.ParseFloat(number, 64)
		return kib * 1024, err == nil
	}
	return 0, false
}

// processorTime is the processor time that all threads of a process have used, with the
// precision of the scheduler (/proc/PID/stat has 10 ms).
func processorTime(pid int) (time.Duration, error) {
	const schedulerClock = 2 // CPUCLOCK_SCHED; the layout is that of clock_getcpuclockid(3)
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|schedulerClock), &ts); err != nil {
		return 0, fmt.Errorf("read the clock of process %d: %w", pid, err)
	}
	return time.Duration(ts.Nano()), nil
}

// cpuModel is the processor's name, empty when it is unknown.
func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// load is the load average of the last minute, 0 when it is unknown.
func load() float64 {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(data), " ")
	value, _ := strconv.ParseFloat(first, 64) // 0 for what is no number
	return value
}
