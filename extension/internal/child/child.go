package child

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/internal/process"
)

// Options say what is run, and who gets what it writes.
type Options struct {
	// Command is the program, looked up in PATH if it has no slash, and its arguments.
	Command []string
	Dir     string
	// Env is the whole environment.
	Env []string
	// MaxLine bounds a line in bytes; 0 is [DefaultMaxLine].
	MaxLine int
	// Line gets each line, valid until it returns, and TooLong the beginning of one that is
	// over the limit; nil drops those.
	Line    func(line []byte)
	TooLong func(head []byte)
	// Log gets what the program writes to stderr; nil drops it.
	Log io.Writer
	// Up, if set, gets the lines that the program writes to descriptor 3, on a goroutine of
	// their own; what [Child.Answer] writes comes on descriptor 4. Windows has neither.
	Up func(line []byte)
}

// DefaultMaxLine is the usual bound of a line, in bytes.
const DefaultMaxLine = 16 << 20

// lastWords is how long the output of a program that has ended is read, if somebody still
// holds it open.
const lastWords = 200 * time.Millisecond

// Reasons for which a program is ended.
var (
	ErrNotReading = errors.New("the process was ended, since it does not read what it is sent")
	ErrMute       = errors.New("the process was ended, since it has closed its stdout")
)

// Child is a program that runs.
type Child struct {
	proc    *process.Process
	release func()
	out     *outbox
	answers *outbox // nil without descriptor 4
	stderr  *tail
	done    chan struct{}

	mu     sync.Mutex
	reason error // that it was ended for
	over   bool  // nothing is to be started any more
	stops  sync.WaitGroup
	err    error
}

// Start starts a program. An error says that it could not be run.
func Start(opts *Options) (*Child, error) {
	files, err := newPipes(opts.Up != nil)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", opts.Command[0], err)
	}
	cmd := exec.Command(opts.Command[0], opts.Command[1:]...)
	cmd.Dir, cmd.Env = opts.Dir, opts.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files.stdin.r, files.stdout.w, files.stderr.w
	if opts.Up != nil {
		cmd.ExtraFiles = []*os.File{files.up.w, files.down.r}
	}
	proc, release, err := process.StartHeld(cmd)
	files.closeTheirs()
	if err != nil {
		files.closeOurs()
		return nil, fmt.Errorf("start %s: %w", opts.Command[0], err)
	}
	c := &Child{proc: proc, release: release, out: newOutbox(), stderr: &tail{to: opts.Log}, done: make(chan struct{})}
	if opts.Up != nil {
		c.answers = newOutbox()
	}
	go c.run(opts, files)
	return c, nil
}

// run lives as long as the program.
func (c *Child) run(opts *Options, files *pipes) {
	defer close(c.done)
	var readers, writer sync.WaitGroup
	writer.Go(func() { c.out.drain(files.stdin.w) })
	readers.Go(func() {
		c.read(files.stdout.r, opts.MaxLine, opts.Line, opts.TooLong)
		c.expectEnd()
	})
	if opts.Up != nil {
		writer.Go(func() { c.answers.drain(files.down.w) })
		readers.Go(func() { c.read(files.up.r, opts.MaxLine, opts.Up, nil) })
	}
	readers.Go(func() {
		_, _ = io.Copy(c.stderr, files.stderr.r)
		files.stderr.r.Close()
	})
	<-c.proc.Exited()
	c.proc.Stop(0) // what it has left behind
	c.release()
	c.out.close()
	files.stdin.w.Close()
	if opts.Up != nil {
		c.answers.close()
		files.down.w.Close()
	}
	expire := hurry(files.stdout.r, files.stderr.r, files.up.r)
	readers.Wait()
	expire()
	writer.Wait()
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	c.stops.Wait()
	c.conclude()
}

// expectEnd ends a program that has closed its stdout: it cannot answer any more.
func (c *Child) expectEnd() {
	patience := time.NewTimer(time.Second)
	defer patience.Stop()
	select {
	case <-c.proc.Exited():
	case <-patience.C:
		c.Kill(ErrMute, time.Second)
	}
}

// hurry makes the reading of files end soon, although somebody may hold them open.
func hurry(files ...*os.File) (stop func()) {
	var closers []*time.Timer
	for _, f := range files {
		if f == nil {
			continue
		}
		if f.SetReadDeadline(time.Now().Add(lastWords)) != nil { // pipes of Windows have none
			closers = append(closers, time.AfterFunc(lastWords, func() { f.Close() }))
		}
	}
	return func() {
		for _, t := range closers {
			t.Stop()
		}
	}
}

func (c *Child) read(r *os.File, limit int, take, tooLong func(line []byte)) {
	defer r.Close()
	if limit <= 0 {
		limit = DefaultMaxLine
	}
	in := newLines(r, limit)
	for {
		line, long, err := in.next()
		switch {
		case err != nil:
			return
		case !long:
			take(line)
		case tooLong != nil:
			tooLong(line)
		}
	}
}

// conclude finds out how the program has ended.
func (c *Child) conclude() {
	exit, err := c.proc.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	var how string
	switch {
	case c.reason != nil:
		c.err = c.reason
	case err != nil:
		c.err = fmt.Errorf("the process has ended: %w", err)
	case exit.Signal != "":
		how = "was ended by " + exit.Signal
	default:
		how = fmt.Sprintf("has ended with exit code %d", exit.Code)
	}
	if how == "" {
		return
	}
	if words := c.stderr.text(); words != "" {
		how += "; it wrote: " + words
	}
	c.err = errors.New("the process " + how)
}

// Send writes a line. It adds the LF, and takes line breaks out of the JSON that the line must
// be. What is sent to a program that has ended is dropped.
func (c *Child) Send(line []byte) { c.put(c.out, line) }

// Answer is Send for the lines of descriptor 4.
func (c *Child) Answer(line []byte) { c.put(c.answers, line) }

func (c *Child) put(to *outbox, line []byte) {
	if bytes.ContainsAny(line, "\r\n") {
		v := jsontext.Value(line)
		if v.Compact(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) == nil {
			line = v
		}
	}
	if !to.put(append(line, '\n')) {
		c.Kill(ErrNotReading, 0)
	}
}

// CloseInput ends the program's stdin when all that was sent has been read.
func (c *Child) CloseInput() { c.out.close() }

// Kill ends the program and all that it has started: it asks them to terminate, and kills
// those that are there after grace. It does not wait for that; the reason is what [Child.Err]
// returns then.
func (c *Child) Kill(reason error, grace time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reason == nil && !c.over {
		c.reason = reason
		c.stops.Go(func() { c.proc.Stop(grace) })
	}
}

// Done returns a channel that is closed when the program has ended and everything that it
// has written has been read.
func (c *Child) Done() <-chan struct{} { return c.done }

// Err says, once Done is closed, how the program has ended; that it has is always an error.
func (c *Child) Err() error {
	<-c.done
	return c.err
}

// pipe is the two ends of one.
type pipe struct{ r, w *os.File }

// pipes are those of a program; up and down may be absent.
type pipes struct{ stdin, stdout, stderr, up, down pipe }

func newPipes(upDown bool) (*pipes, error) {
	p := new(pipes)
	list := []*pipe{&p.stdin, &p.stdout, &p.stderr}
	if upDown {
		list = append(list, &p.up, &p.down)
	}
	for _, end := range list {
		var err error
		if end.r, end.w, err = os.Pipe(); err != nil {
			p.closeOurs()
			p.closeTheirs()
			return nil, err
		}
	}
	return p, nil
}

func (p *pipes) closeOurs()   { shut(p.stdin.w, p.stdout.r, p.stderr.r, p.up.r, p.down.w) }
func (p *pipes) closeTheirs() { shut(p.stdin.r, p.stdout.w, p.stderr.w, p.up.w, p.down.r) }

func shut(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
