package client

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Options say which agent to start. The zero value starts rondo from the PATH in the current
// folder.
type Options struct {
	// Command starts the agent; empty means rondo. --mode rpc and Args follow it.
	Command []string
	Args    []string
	// Dir is the folder to work in; empty is the current one.
	Dir string
	// Env is the environment; nil is that of this process.
	Env []string
	// Stderr gets what the agent writes to standard error; nil keeps the end of it for
	// errors and drops the rest.
	Stderr io.Writer
	// CloseTimeout is how long the agent may take to end after Close, before it is killed;
	// 0 means 15 seconds.
	CloseTimeout time.Duration
}

// stderrLimit is how much of standard error an [EndedError] has.
const stderrLimit = 4 << 10

// Start starts an agent. It ends with [Client.Close].
func Start(opts *Options) (*Client, error) {
	if opts == nil {
		opts = &Options{}
	}
	command := opts.Command
	if len(command) == 0 {
		command = []string{"rondo"}
	}
	cmd := exec.Command(command[0], append(append(command[1:len(command):len(command)], "--mode", "rpc"), opts.Args...)...)
	cmd.Dir, cmd.Env = opts.Dir, opts.Env
	last := &tail{limit: stderrLimit, next: opts.Stderr}
	cmd.Stderr = last
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the agent: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start the agent: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the agent: %w", err)
	}
	timeout := opts.CloseTimeout
	if timeout <= 0 {
		timeout = 15 * time.Second
	}
	kill := func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = out.Close()        // what it has left behind may hold it open
	}
	stdin := &closer{WriteCloser: in, timeout: timeout, kill: kill}
	return newClient(stdin, out, kill, func(read error) *EndedError {
		waited := cmd.Wait()
		stdin.ended()
		return &EndedError{Err: errors.Join(read, waited), Stderr: last.String()}
	}), nil
}

// closer is a process's standard input. A process that does not end after its end is killed.
type closer struct {
	io.WriteCloser
	timeout time.Duration
	kill    func()

	mu    sync.Mutex
	timer *time.Timer
	done  bool
}

// Close implements [io.Closer].
func (c *closer) Close() error {
	c.mu.Lock()
	if c.timer == nil && !c.done {
		c.timer = time.AfterFunc(c.timeout, c.kill)
	}
	c.mu.Unlock()
	if err := c.WriteCloser.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

func (c *closer) ended() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = true
	if c.timer != nil {
		c.timer.Stop()
	}
}

// tail keeps the end of what is written.
type tail struct {
	limit int
	next  io.Writer

	mu   sync.Mutex
	text []byte
}

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	t.text = append(t.text, p...)
	if more := len(t.text) - t.limit; more > 0 {
		t.text = append(t.text[:0], t.text[more:]...)
	}
	t.mu.Unlock()
	if t.next == nil {
		return len(p), nil
	}
	return t.next.Write(p)
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
