package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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
	log   io.WriteCloser
	files *remoteFiles

	ctx    context.Context //nolint:containedctx // the machine's life: ends running operations
	cancel context.CancelCauseFunc
	ops    sync.WaitGroup

	mu      sync.Mutex
	next    int
	calls   map[int]*remoteCall
	cancels map[int]context.CancelFunc
	waits   map[int]bool // operations that JavaScript waits for, and that may call back
	closing bool
	over    bool
	up      chan struct{} // closed when JavaScript is there
}

type remoteCall struct {
	*call
	wait    bool        // for a promise
	entered bool        // JavaScript has begun and given way
	slow    *time.Timer // until then
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

// newRemote starts the process and waits until JavaScript is there.
func newRemote(r *Remote, opts Options) (*remote, error) {
	if opts.Limits.Turn == 0 {
		opts.Limits.Turn = DefaultLimits.Turn
	}
	files, err := newRemoteFiles(opts.Cache)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", r.Command[0], err)
	}
	m := &remote{
		opts: opts, log: r.Log, files: files, up: make(chan struct{}),
		calls: make(map[int]*remoteCall), cancels: make(map[int]context.CancelFunc), waits: make(map[int]bool),
	}
	m.ctx, m.cancel = context.WithCancelCause(context.Background())
	started := make(chan struct{}) // lines wait for the child
	start := &program.Options{
		Command: append(append([]string(nil), r.Command...), files.main), Env: os.Environ(),
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
		return nil, fmt.Errorf("%w: an extension asks for it as its extensionHost", err)
	}
	m.ops.Go(m.mourn)
	limit := time.NewTimer(remoteStart)
	defer limit.Stop()
	select {
	case <-m.up:
		return m, nil
	case <-m.child.Done():
	case <-limit.C:
		m.child.Kill(fmt.Errorf("%s was not ready within %v", r.Command[0], remoteStart), 0)
	}
	err = m.child.Err()
	return nil, errors.Join(fmt.Errorf("start %s: %w", r.Command[0], err), m.Close())
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
	m.over = true
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
		m.opts.Report(Fault{Kind: "process", Message: err.Error() + "; reload to start it again"})
	}
}

// gone is the error of calls of a machine that is not there any more.
func (m *remote) gone() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closing {
		return ErrClosed
	}
	return fmt.Errorf("the extension cannot answer: %w", m.child.Err())
}

// Close implements machine.
func (m *remote) Close() error {
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
	if m.log != nil {
		return m.log.Close()
	}
	return nil
}

func (m *remote) add(b *Bundle) (name string, err error) { return m.files.bundle(b) }

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

// late ends a process whose JavaScript does not give way, unless it waits for an operation.
func (m *remote) late(id int) {
	m.mu.Lock()
	c, busy := m.calls[id], len(m.waits) > 0
	stuck := c != nil && !c.entered && m.opts.Limits.Turn > 0
	if stuck && busy {
		c.slow.Reset(m.opts.Limits.Turn)
	}
	m.mu.Unlock()
	if stuck && !busy {
		m.child.Kill(ErrInterrupted, 0)
	}
}

func (m *remote) print(line []byte) {
	if m.opts.Log != nil {
		m.opts.Log(string(line))
	}
}
