package conformance

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// drainTime is how long the output may stay open after the program has ended: processes
// that it left behind can hold it.
const drainTime = 5 * time.Second

// process is a running program and its three streams.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	lines  *feed[ordered.Object]
	stderr []byte
	// exited is closed when the program has ended.
	exited  chan struct{}
	outputs []*os.File
	readers sync.WaitGroup
	waiter  sync.WaitGroup
}

func startProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, lines: newFeed[ordered.Object](), exited: make(chan struct{})}
	pipes, err := openPipes()
	if err != nil {
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pipes[0].r, pipes[1].w, pipes[2].w
	ownGroup(cmd)
	err = cmd.Start()
	for _, theirs := range []*os.File{pipes[0].r, pipes[1].w, pipes[2].w} {
		theirs.Close()
	}
	p.stdin, p.outputs = pipes[0].w, []*os.File{pipes[1].r, pipes[2].r}
	if err != nil {
		p.closeStreams()
		return nil, fmt.Errorf("start the program: %w", err)
	}
	p.readers.Go(func() { p.readLines(pipes[1].r) })
	p.readers.Go(func() { p.stderr, _ = io.ReadAll(pipes[2].r) })
	p.waiter.Go(func() {
		_ = p.cmd.Wait() // exitCode reads the state instead
		close(p.exited)
	})
	return p, nil
}

type pipe struct{ r, w *os.File }

func openPipes() (pipes [3]pipe, err error) {
	for i := range pipes {
		if pipes[i].r, pipes[i].w, err = os.Pipe(); err != nil {
			for _, open := range pipes[:i] {
				open.r.Close()
				open.w.Close()
			}
			return pipes, fmt.Errorf("open a pipe: %w", err)
		}
	}
	return pipes, nil
}

func (p *process) readLines(out io.Reader) {
	defer p.lines.close()
	for line := range readLines(out) {
		p.lines.add(line)
	}
}

// stop kills what still runs and waits for the streams to end.
func (p *process) stop() {
	killGroup(p.cmd)
	p.waiter.Wait()
	for _, out := range p.outputs {
		_ = out.SetReadDeadline(time.Now().Add(drainTime))
	}
	p.readers.Wait()
	p.closeStreams()
}

func (p *process) closeStreams() {
	p.stdin.Close()
	for _, out := range p.outputs {
		out.Close()
	}
}

// send writes to the program's input.
func (p *process) send(text string, timeout time.Duration) error {
	_ = p.stdin.SetWriteDeadline(time.Now().Add(timeout))
	_, err := io.WriteString(p.stdin, text)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errors.New("timed out writing to the program's input")
	case err != nil:
		return errors.New("program closed its input")
	}
	return nil
}

func (p *process) exitCode() int {
	state := p.cmd.ProcessState
	if state == nil {
		return -1
	}
	if sig := endSignal(state); sig != 0 {
		return -sig
	}
	return state.ExitCode()
}

func (p *process) stderrTail() string {
	const most = 4000
	return strings.TrimSpace(validText(p.stderr[max(0, len(p.stderr)-most):]))
}
