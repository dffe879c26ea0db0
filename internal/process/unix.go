//go:build unix

package process

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// markVariable holds the marks of the commands that a process descends from, the innermost
// last: a command may itself be a program that starts commands with this package.
const markVariable = "RONDO_PROCESS"

const (
	killRounds = 10 // a fork can be faster than one look at the process table
	killPause  = 100 * time.Millisecond
)

// containment has nothing to hold: sessions are known by their number.
type containment struct{}

func (containment) contain(int) {}
func (containment) release()    {}

func prepare(cmd *exec.Cmd, mark string) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setsid = true
	dieWithParent(cmd.SysProcAttr)
	if cmd.Env == nil {
		cmd.Env = cmd.Environ()
	}
	if outer := os.Getenv(markVariable); outer != "" {
		mark = outer + ":" + mark
	}
	cmd.Env = append(cmd.Env, markVariable+"="+mark)
}

func exitOf(state *os.ProcessState, err error) (Exit, error) {
	if state == nil {
		return Exit{Code: -1}, err
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return Exit{Code: state.ExitCode()}, nil
	}
	return Exit{Code: 128 + int(status.Signal()), Signal: SignalName(int(status.Signal()))}, nil
}

// SignalName is the name of a signal, such as SIGKILL for 9; empty if it has none.
func SignalName(n int) string { return unix.SignalName(syscall.Signal(n)) }

func (p *Process) stop(grace time.Duration) []int {
	s := &sweep{leader: p.Pid(), mark: p.mark, exited: p.exited, known: make(map[int]uint64)}
	if grace > 0 {
		s.signal(unix.SIGTERM, unix.SIGCONT)
		if s.wait(grace) {
			return nil
		}
	}
	for range killRounds {
		s.signal(unix.SIGKILL)
		if s.wait(killPause) {
			return nil
		}
	}
	return s.left()
}

// entry is a row of the system's process table.
type entry struct {
	pid, ppid, pgid, sid int
	start                uint64 // when it started, in a unit of the system's
	dead                 bool   // it has ended, and its parent has not asked how
}

// sweep finds and signals the members of one command's tree.
type sweep struct {
	leader int
	mark   string
	exited <-chan struct{}
	// known are the members seen so far with their starting times. An orphan's parent
	// does not lead to it any more.
	known map[int]uint64
}

// signal looks before it signals, while the members still have their parents.
func (s *sweep) signal(signals ...syscall.Signal) {
	members, _ := s.members()
	for _, sig := range signals {
		_ = unix.Kill(-s.leader, sig)
		for _, m := range members {
			if m.pgid != s.leader {
				_ = unix.Kill(m.pid, sig)
			}
		}
	}
}

// wait reports whether the whole tree has ended within limit.
func (s *sweep) wait(limit time.Duration) bool {
	end := time.Now().Add(limit)
	for pause := time.Millisecond; !s.over(); pause = min(2*pause, 25*time.Millisecond) {
		left := time.Until(end)
		if left <= 0 {
			return false
		}
		time.Sleep(min(pause, left))
	}
	return true
}

func (s *sweep) over() bool {
	select {
	case <-s.exited:
	default:
		return false
	}
	members, err := s.members()
	if err != nil { // without a process table, the command's end is all there is to know
		return true
	}
	return len(members) == 0
}

func (s *sweep) left() []int {
	members, _ := s.members()
	pids := make([]int, len(members))
	for i, m := range members {
		pids[i] = m.pid
	}
	return pids
}

// members returns the living members of the tree.
func (s *sweep) members() ([]entry, error) {
	table, err := processes()
	if err != nil {
		return nil, err
	}
	children := make(map[int][]entry)
	var born uint64
	for _, e := range table {
		children[e.ppid] = append(children[e.ppid], e)
		if e.pid == s.leader {
			born = e.start
		}
	}
	var alive []entry
	seen := map[int]bool{os.Getpid(): true}
	var visit func(e entry)
	visit = func(e entry) {
		if seen[e.pid] {
			return
		}
		seen[e.pid] = true
		s.known[e.pid] = e.start
		if !e.dead {
			alive = append(alive, e)
		}
		for _, child := range children[e.pid] {
			visit(child)
		}
	}
	for _, e := range table {
		if s.belongs(e, born) {
			visit(e)
		}
	}
	return alive, nil
}

func (s *sweep) belongs(e entry, born uint64) bool {
	if e.pid == s.leader || e.pgid == s.leader || e.sid == s.leader {
		return true
	}
	if start, known := s.known[e.pid]; known && start == e.start {
		return true
	}
	// Reading environments is the expensive part; nothing older than the command can
	// descend from it.
	return e.start >= born && !e.dead && marked(e.pid, s.mark)
}

func (r *reader) interrupt() { _ = r.r.SetReadDeadline(time.Unix(1, 0)) }

// rest reads what is in the pipe now, without waiting for more, and reports whether the
// output has come to its end. A deadline alone would lose what was written before it, when
// this program was too busy to read in time.
func (r *reader) rest(buf []byte, emit func([]byte)) (end bool) {
	if r.r.SetReadDeadline(time.Time{}) != nil {
		return false
	}
	raw, err := r.r.SyscallConn()
	if err != nil {
		return false
	}
	for total := 0; total < restLimit; {
		var n int
		readErr := error(syscall.EINTR)
		for errors.Is(readErr, syscall.EINTR) {
			if err := raw.Read(func(fd uintptr) bool {
				n, readErr = syscall.Read(int(fd), buf)
				return true
			}); err != nil {
				return errors.Is(err, io.EOF)
			}
		}
		if readErr != nil {
			return false
		}
		if n == 0 {
			return true
		}
		emit(buf[:n])
		total += n
	}
	return false
}
