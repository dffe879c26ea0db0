package process

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"
)

const (
	readSize = 64 << 10 // the capacity of a pipe on Linux
	// restLimit bounds what is read after the reading was interrupted: the largest
	// capacity that a program can give its end of a pipe without privileges on Linux.
	restLimit = 1 << 20
)

// reader reads one pipe that is both stdout and stderr of a command: only a common pipe
// keeps the order of what is written to them.
type reader struct {
	r, w   *os.File
	pieces atomic.Int64
	done   chan struct{}
	held   bool // set before done is closed
}

func newReader(cmd *exec.Cmd) (*reader, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = w, w
	return &reader{r: r, w: w, done: make(chan struct{})}, nil
}

// begin must be called when the command has been started, or could not be.
func (r *reader) begin(started bool, output func([]byte)) {
	r.w.Close()
	if !started {
		r.r.Close()
		return
	}
	go r.run(output)
}

func (r *reader) run(output func([]byte)) {
	defer close(r.done)
	defer r.r.Close()
	emit := func(piece []byte) {
		if len(piece) > 0 {
			r.pieces.Add(1)
			output(piece)
		}
	}
	buf := make([]byte, readSize)
	for {
		n, err := r.r.Read(buf)
		emit(buf[:n])
		switch {
		case err == nil:
		case errors.Is(err, os.ErrDeadlineExceeded):
			r.held = !r.rest(buf, emit)
			return
		default:
			r.held = !errors.Is(err, io.EOF)
			return
		}
	}
}

func (r *reader) drain(ctx context.Context, idle, limit time.Duration) Leftover {
	left := r.await(ctx, idle, limit)
	r.interrupt()
	<-r.done
	if !r.held {
		return Nobody
	}
	return left
}

// await waits as long as drain says, and returns what is left over if the output has not
// ended by then.
func (r *reader) await(ctx context.Context, idle, limit time.Duration) Leftover {
	end := time.NewTimer(limit)
	defer end.Stop()
	quiet := time.NewTimer(idle)
	defer quiet.Stop()
	seen := r.pieces.Load()
	for {
		select {
		case <-r.done:
			return Nobody
		case <-ctx.Done():
			return Silent
		case <-end.C:
			return Writing
		case <-quiet.C:
			now := r.pieces.Load()
			if now == seen {
				return Silent
			}
			seen = now
			quiet.Reset(idle)
		}
	}
}
