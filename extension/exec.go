package extension

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"
)

// DefaultMaxBuffer is how many bytes of each output [Exec] keeps by default.
const DefaultMaxBuffer = 10 << 20

// Exec runs a program without a shell, and returns when it has ended. That it fails, or is
// killed by the timeout or the context, is a result; an error means that it could not be run.
func Exec(ctx context.Context, name string, args []string, opts ExecOptions) (*ExecResult, error) {
	if opts.MaxBuffer <= 0 {
		opts.MaxBuffer = DefaultMaxBuffer
	}
	if opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opts.Timeout)
		defer cancel()
	}
	stdout, stderr := &bounded{limit: opts.MaxBuffer}, &bounded{limit: opts.MaxBuffer}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = opts.Dir, stdout, stderr
	cmd.WaitDelay = time.Second // of who keeps the output open
	err := cmd.Run()
	result := &ExecResult{
		Stdout: stdout.text.String(), Stderr: stderr.text.String(),
		Killed: ctx.Err() != nil, Truncated: stdout.cut || stderr.cut,
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		result.Code = max(exit.ExitCode(), 0)
		if exit.ExitCode() < 0 {
			result.Code = 1
		}
		return result, nil
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil {
		return nil, fmt.Errorf("run %s: %w", name, err)
	}
	return result, nil
}

// Exec runs a program in the session's folder.
func (api *API) Exec(ctx context.Context, name string, args []string, opts ExecOptions) (*ExecResult, error) {
	if opts.Dir == "" {
		opts.Dir = api.in.runner.opts.CWD
	}
	return Exec(ctx, name, args, opts)
}

// bounded keeps the beginning of an output.
type bounded struct {
	mu    sync.Mutex
	text  bytes.Buffer
	limit int
	cut   bool
}

// Write implements [io.Writer]; it takes everything.
func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	room := b.limit - b.text.Len()
	if len(p) > room {
		b.cut = true
		b.text.Write(p[:room])
		return len(p), nil
	}
	return b.text.Write(p)
}
