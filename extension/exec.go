package extension

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/internal/process"
)

// DefaultMaxBuffer is how many bytes of each output [Exec] keeps by default.
const DefaultMaxBuffer = 10 << 20

// Of programs: how long they get to end by themselves, and how long the output is waited for
// that what they have left behind holds open.
const (
	execGrace = 500 * time.Millisecond
	execDrain = time.Second
)

// Exec runs a program without a shell, and returns when it has ended. That it fails, or is
// killed by the timeout or the context, with all that it has started, is a result; an error
// means that it could not be run.
func Exec(ctx context.Context, name string, args []string, opts ExecOptions) (*ExecResult, error) {
	if opts.MaxBuffer <= 0 {
		opts.MaxBuffer = DefaultMaxBuffer
	}
	if opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opts.Timeout)
		defer cancel()
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = opts.Dir, opts.Env
	stdout, stderr := newOutput(opts.MaxBuffer), newOutput(opts.MaxBuffer)
	var err error
	if cmd.Stdout, err = stdout.open(); err == nil {
		cmd.Stderr, err = stderr.open()
	}
	var p *process.Process
	if err == nil {
		p, err = process.Start(cmd, nil)
	}
	stdout.begin(err == nil)
	stderr.begin(err == nil)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", name, err)
	}
	result := &ExecResult{}
	select {
	case <-p.Exited():
	case <-ctx.Done():
		p.Stop(execGrace)
		result.Killed = true
	}
	end, err := p.Wait()
	until := time.Now().Add(execDrain)
	result.Stdout, result.Stderr = stdout.end(until), stderr.end(until)
	result.Truncated = stdout.cut || stderr.cut
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", name, err)
	}
	result.Code = end.Code
	return result, nil
}

// Exec runs a program in the session's folder.
func (api *API) Exec(ctx context.Context, name string, args []string, opts ExecOptions) (*ExecResult, error) {
	if opts.Dir == "" {
		opts.Dir = api.in.runner.opts.CWD
	}
	return Exec(ctx, name, args, opts)
}

// output keeps the beginning of what a program writes.
type output struct {
	read, write *os.File
	done        sync.WaitGroup
	text        bytes.Buffer
	limit       int
	cut         bool
}

func newOutput(limit int) *output { return &output{limit: limit} }

// open returns the end that the program writes to.
func (o *output) open() (*os.File, error) {
	var err error
	o.read, o.write, err = os.Pipe()
	return o.write, err
}

// begin reads what comes, if the program runs.
func (o *output) begin(runs bool) {
	if o.read == nil {
		return
	}
	o.write.Close()
	if !runs {
		o.read.Close()
		return
	}
	o.done.Go(func() { _, _ = io.Copy(o, o.read) })
}

// end waits for the rest, and returns the text.
func (o *output) end(until time.Time) string {
	_ = o.read.SetReadDeadline(until) // without deadlines, whoever holds the output open is waited for
	o.done.Wait()
	o.read.Close()
	return o.text.String()
}

// Write implements [io.Writer]; it takes everything.
func (o *output) Write(p []byte) (int, error) {
	room := o.limit - o.text.Len()
	if len(p) > room {
		o.cut = true
		o.text.Write(p[:room])
		return len(p), nil
	}
	return o.text.Write(p)
}
