package process

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// Exit says how a command ended.
type Exit struct {
	// Code is the exit code; after a death by signal n it is 128+n, as in a shell.
	Code int
	// Signal is the signal's name, such as SIGKILL; empty if the command exited by itself.
	Signal string
}

// Process is a command that has been started, and its descendants.
type Process struct {
	cmd    *exec.Cmd
	mark   string
	output *reader
	os     containment

	exited chan struct{} // the command has ended; its process id is still taken
	reaped chan struct{}
	exit   Exit
	err    error

	mu   sync.Mutex
	pins int // while there are any, the process id is not given back
	free sync.Cond
	gone bool
}

// running holds what [KillAll] ends. Its lock is held while a command is started, so that
// none is missed.
var running struct {
	sync.Mutex
	set map[*Process]struct{}
}

// Start starts cmd in a session or job of its own. Stdin is the null device unless cmd has
// one.
//
// If output is not nil, it gets what the command and its descendants write to stdout and
// stderr, in the order in which it was written, on one goroutine; the slice is valid until
// it returns. [Process.Drain] must then be called in the end. Otherwise cmd has its own
// files: not those of cmd.StdoutPipe, which are closed as soon as the command has ended.
//
// An error is that of [exec.Cmd.Start]: the command did not run.
func Start(cmd *exec.Cmd, output func([]byte)) (*Process, error) { return start(cmd, output, 0) }

// StartHeld is Start without an output, for a command that is to leave nothing behind: its
// process id stays taken, also after it has ended, until release is called. Until then
// [Process.Stop] ends what the command has left in the background, and [Process.Wait] does not
// return. On macOS the id is not kept.
func StartHeld(cmd *exec.Cmd) (p *Process, release func(), err error) {
	if p, err = start(cmd, nil, 1); err != nil {
		return nil, nil, err
	}
	return p, sync.OnceFunc(p.unpin), nil
}

func start(cmd *exec.Cmd, output func([]byte), pins int) (*Process, error) {
	var id [8]byte
	rand.Read(id[:]) // never fails
	p := &Process{cmd: cmd, pins: pins, mark: hex.EncodeToString(id[:]), exited: make(chan struct{}), reaped: make(chan struct{})}
	p.free.L = &p.mu
	prepare(cmd, p.mark)
	if output != nil {
		r, err := newReader(cmd)
		if err != nil {
			return nil, err
		}
		p.output = r
	}
	started := make(chan error)
	go p.own(started)
	err := <-started
	if p.output != nil {
		p.output.begin(err == nil, output)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// own starts the command and lives until it has ended.
func (p *Process) own(started chan<- error) {
	runtime.LockOSThread() // see the package comment: the parent-death signal
	defer runtime.UnlockOSThread()
	err := p.launch()
	started <- err
	if err != nil {
		return
	}
	awaitExit(p.cmd.Process.Pid)
	p.reap()
}

func (p *Process) launch() error {
	running.Lock()
	defer running.Unlock()
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.os.contain(p.cmd.Process.Pid)
	if running.set == nil {
		running.set = make(map[*Process]struct{})
	}
	running.set[p] = struct{}{}
	return nil
}

// reap gives the process id back once nobody is about to signal it.
func (p *Process) reap() {
	early := reapsEarly
	if early {
		p.err = p.cmd.Wait()
	}
	close(p.exited)
	p.mu.Lock()
	for p.pins > 0 {
		p.free.Wait()
	}
	p.gone = true
	p.mu.Unlock()
	if !early {
		p.err = p.cmd.Wait()
	}
	p.exit, p.err = exitOf(p.cmd.ProcessState, p.err)
	running.Lock()
	delete(running.set, p)
	running.Unlock()
	p.os.release()
	close(p.reaped)
}

// pin keeps the process id taken until unpin is called. It reports false if the command
// has ended.
func (p *Process) pin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return false
	}
	p.pins++
	return true
}

func (p *Process) unpin() {
	p.mu.Lock()
	p.pins--
	p.mu.Unlock()
	p.free.Signal()
}

// Pid is the command's process id, which is also that of its group and session on Unix.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Exited returns a channel that is closed when the command has ended. Its descendants may
// still be alive.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Wait waits until the command has ended and returns how. An error means that the system
// did not tell.
func (p *Process) Wait() (Exit, error) {
	<-p.reaped
	return p.exit, p.err
}

// Stop ends the command and its descendants: it asks them to terminate, and kills those
// that are still there after grace. With a grace of 0 it kills at once. It returns when
// they are gone, or with the ids of those that do not even react to being killed (which
// takes about a second to find out).
//
// If the command has ended by itself, Stop does nothing: what it left in the background is
// left alone.
func (p *Process) Stop(grace time.Duration) (left []int) {
	if !p.pin() {
		return nil
	}
	defer p.unpin()
	return p.stop(grace)
}

// KillAll stops all commands that are running, as [Process.Stop] does, at the same time.
func KillAll(grace time.Duration) {
	running.Lock()
	all := make([]*Process, 0, len(running.set))
	for p := range running.set {
		all = append(all, p)
	}
	running.Unlock()
	var wg sync.WaitGroup
	for _, p := range all {
		wg.Go(func() { p.Stop(grace) })
	}
	wg.Wait()
}

// Leftover says who still had the output open when reading it ended.
type Leftover int

// What can be left over.
const (
	// Nobody: the output was read to its end.
	Nobody Leftover = iota
	// Silent: a process that the command left behind holds the output open.
	Silent
	// Writing: such a process kept writing, and what it writes from now on is lost.
	Writing
)

// Drain ends the reading of output, after the command has exited or has been stopped. A
// process left in the background may hold the output open for ever, so Drain waits for its
// end only until nothing has come for idle, or until limit has passed, or ctx is done. What
// had been written by then is always read.
//
// It returns when the output function will not be called any more.
func (p *Process) Drain(ctx context.Context, idle, limit time.Duration) Leftover {
	if p.output == nil {
		return Nobody
	}
	return p.output.drain(ctx, idle, limit)
}
