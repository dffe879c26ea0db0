package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	program "github.com/rondo-agent/rondo/extension/internal/child"
)

// Remote says that scripts run in a process of their own, which has Node's modules: native
// modules, WebAssembly, servers and threads work there. The facade is the same.
type Remote struct {
	// Command is the program and its arguments, such as node; the file to run is added.
	Command []string
	// Log gets what scripts write to stderr, and is closed with the machine; nil drops it.
	Log io.WriteCloser
}

// remote is a machine in another process. Calls go there on stdin, or on a pipe of their own
// while JavaScript waits for an operation; operations come back on another one.
type remote struct {
	opts  Options
	child *program.Child
	files *remoteFiles

	turns queue // of the goroutine that reads lines

	ctx    context.Context //nolint:containedctx // the machine's life: ends running operations
	cancel context.CancelCauseFunc
	ops    sync.WaitGroup

	mu      sync.Mutex
	next    int
	calls   map[int]*remoteCall
	cancels map[int]context.CancelFunc
	waits   map[int]bool // operations that JavaScript waits for, and that may call back
	loaded  []string     // files of extensions
	closing bool
	over    bool
	died    time.Time
	end     func() error  // close, once
	up      chan struct{} // closed when JavaScript is there
}

type remoteCall struct {
	*call
	wait    bool        // for a promise
	entered bool        // JavaScript has begun and given way
	slow    *time.Timer // calls late
	late    bool        // JavaScript was late, when the process had used so much of the processor
	used    time.Duration
}

// upward is a line of JavaScript.
type upward struct {
	T       string  `json:"t"`
	Seq     int     `json:"seq"`
	Op      string  `json:"op"`
	JSON    string  `json:"json"`
	Stack   string  `json:"stack"`
	ID      int     `json:"id"`
	S       *string `json:"s"`
	Kind    string  `json:"kind"`
	Message string  `json:"message"`
	Name    string  `json:"name"`
}

// downward is a line for JavaScript.
type downward struct {
	T       string  `json:"t"`
	ID      int     `json:"id,omitzero"`
	Name    string  `json:"name,omitzero"`
	Arg     string  `json:"arg,omitzero"`
	Kind    string  `json:"kind,omitzero"`
	Payload string  `json:"payload,omitzero"`
	Seq     int     `json:"seq,omitzero"`
	JSON    *string `json:"json,omitzero"`
	Error   string  `json:"error,omitzero"`
	File    string  `json:"file,omitzero"`
}

func (d *downward) line() []byte {
	raw, err := json.Marshal(d, jsontext.AllowInvalidUTF8(true))
	if err != nil { // of texts and numbers there is none
		panic(err)
	}
	return raw
}

// newRemote starts the process in a folder and waits until JavaScript is there.
func newRemote(ctx context.Context, r *Remote, dir string, opts Options) (*remote, error) {
	if runtime.GOOS == "windows" { // which has no further pipes for a program to inherit
		return nil, fmt.Errorf("start %s: extensions cannot run in a process of their own on Windows: take extensionHost out of the package.json of this one, and it runs inside rondo", r.Command[0])
	}
	if opts.Limits.Turn == 0 {
		opts.Limits.Turn = DefaultLimits.Turn
	}
	files, err := newRemoteFiles(opts.Cache)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", r.Command[0], err)
	}
	m := &remote{
		opts: opts, files: files, up: make(chan struct{}),
		calls: make(map[int]*remoteCall), cancels: make(map[int]context.CancelFunc), waits: make(map[int]bool),
	}
	m.ctx, m.cancel = context.WithCancelCause(context.Background())
	m.end = sync.OnceValue(m.close)
	started := make(chan struct{}) // lines wait for the child
	start := &program.Options{
		Command: append(slices.Clone(r.Command), files.main), Dir: dir, Env: os.Environ(),
		Line: m.print, Up: func(line []byte) { <-started; m.take(line) }, MaxLine: maxRemoteLine,
	}
	if r.Log != nil {
		start.Log = r.Log
	}
	m.child, err = program.Start(start)
	if err == nil {
		close(started)
	} else {
		m.cancel(err)
		files.remove()
		return nil, fmt.Errorf("%w: an extension asks for it as its extensionHost: %s", err, r.need())
	}
	m.ops.Go(m.mourn)
	limit := time.NewTimer(remoteStart)
	defer limit.Stop()
	select {
	case <-m.up:
		return m, nil
	case <-m.child.Done():
	case <-ctx.Done():
		m.child.Kill(context.Cause(ctx), 0)
	case <-limit.C:
		m.child.Kill(fmt.Errorf("%s was not ready within %v", r.Command[0], remoteStart), 0)
	}
	err = m.child.Err()
	return nil, errors.Join(fmt.Errorf("start %s: %w: %s", r.Command[0], err, r.need()), m.Close())
}

// need says what has to be there for a machine.
func (r *Remote) need() string {
	switch name := strings.TrimSuffix(filepath.Base(r.Command[0]), ".exe"); name {
	case "node":
		return "it needs Node 20 or later in the PATH, from nodejs.org"
	case "bun":
		return "it needs Bun 1.2 or later in the PATH, from bun.sh"
	default:
		return "it needs a " + name + " that runs as Node does"
	}
}

const (
	remoteStart   = 30 * time.Second
	remoteEnd     = 2 * time.Second
	maxRemoteLine = 256 << 20
)

// mourn fails what waits for a process that has ended.
func (m *remote) mourn() {
	<-m.child.Done()
	m.mu.Lock()
	m.over, m.died = true, time.Now()
	calls, expected := m.calls, m.closing
	m.calls = nil
	m.mu.Unlock()
	err := m.gone()
	m.cancel(err)
	for _, c := range calls {
		c.slow.Stop()
		c.finish("", err)
	}
	if !expected && m.opts.Report != nil {
		m.opts.Report(Fault{Kind: "process", Message: err.Error() + "; it is started again when it is needed"})
	}
}

// gone is the error of calls of a machine that is not there any more.
func (m *remote) gone() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closing {
		return ErrClosed
	}
	return fmt.Errorf("%w: %w", errDead, m.child.Err())
}

// errDead marks calls of a process that has ended. That it has is reported once.
var errDead = errors.New("the extension cannot answer")

// dead reports whether a call has failed since there is no machine any more.
func dead(err error) bool { return errors.Is(err, errDead) || errors.Is(err, ErrClosed) }

// ended reports whether there is no process any more.
func (m *remote) ended() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.over
}

// lived is how long one that has ended has run.
func (m *remote) lived(since time.Time) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.died.Sub(since)
}

// Close implements machine.
func (m *remote) Close() error { return m.end() }

func (m *remote) close() error {
	m.mu.Lock()
	m.closing = true
	m.mu.Unlock()
	m.cancel(ErrClosed)
	m.child.CloseInput()
	limit := time.NewTimer(remoteEnd)
	defer limit.Stop()
	select {
	case <-m.child.Done():
	case <-limit.C:
		m.child.Kill(ErrClosed, 0)
	}
	<-m.child.Done()
	m.ops.Wait()
	m.files.remove()
	return nil
}

func (m *remote) add(b *Bundle) (name string, err error) {
	m.mu.Lock()
	m.loaded = append(m.loaded, b.Path)
	m.mu.Unlock()
	return m.files.bundle(b)
}

func (m *remote) ordered() bool { return false }

func (m *remote) tell(name, arg string) {
	m.enter(newCall(), false, false, name, func() string { return arg })
}

// Invoke implements machine.
func (m *remote) Invoke(ctx context.Context, name, arg string) (string, error) {
	return m.invoke(ctx, name, false, func() string { return arg })
}

// Draw implements machine.
func (m *remote) Draw(ctx context.Context, name, arg string) (string, error) {
	return m.invoke(ctx, name, true, func() string { return arg })
}

type remoteKey struct{}

func (m *remote) invoke(ctx context.Context, name string, urgent bool, arg func() string) (string, error) {
	c := newCall()
	seq, _ := ctx.Value(remoteKey{}).(int)
	m.mu.Lock()
	within := m.waits[seq]
	m.mu.Unlock()
	if !m.enter(c, !within, urgent || within, name, arg) {
		return "", m.gone()
	}
	select {
	case <-c.done:
		return c.out, c.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// enter calls an entry. An urgent call comes to JavaScript that waits for an operation.
func (m *remote) enter(c *call, wait, urgent bool, name string, arg func() string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		return false
	}
	m.next++
	id := m.next
	m.calls[id] = &remoteCall{call: c, wait: wait, slow: time.AfterFunc(m.opts.Limits.Turn, func() { m.late(id) })}
	line := (&downward{T: "enter", ID: id, Name: name, Arg: arg()}).line()
	if urgent && len(m.waits) > 0 {
		m.child.Answer(line)
	} else {
		m.child.Send(line)
	}
	return true
}

// late is called when a call has not given way for long, and then again and again. A call that
// has given way is looked after as well, since what follows may never do so.
func (m *remote) late(id int) {
	turn := m.opts.Limits.Turn
	m.mu.Lock()
	c, busy := m.calls[id], len(m.waits) > 0
	if c == nil || turn < 0 {
		m.mu.Unlock()
		return
	}
	entered := c.entered
	looping := !entered && !busy && m.loops(c)
	c.slow.Reset(turn / 2)
	m.mu.Unlock()
	switch {
	case looping:
		m.child.Kill(ErrInterrupted, 0)
	case entered && !busy:
		m.tell("over", `{"c":0}`) // which does nothing
	}
}

// loops reports whether the process has worked since a call was late for the first time. One
// that has not waits, such as for a command that it runs, or does not get a processor.
func (m *remote) loops(c *remoteCall) bool {
	used, ok := m.child.Used()
	if !ok {
		return true
	}
	if !c.late {
		c.late, c.used = true, used
		return false
	}
	return used-c.used >= m.opts.Limits.Turn/4
}

func (m *remote) print(line []byte) {
	if m.opts.Log != nil {
		m.opts.Log(string(line))
	}
}
