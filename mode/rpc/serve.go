package rpc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
)

// Models are the models that a client may choose from.
type Models interface {
	// Available lists those that can be asked.
	Available() []*ai.Model
	// Get returns one of them by its provider and id; nil if there is none.
	Get(provider, id string) *ai.Model
}

// Settings keeps what a client has switched for the next start.
type Settings interface {
	// Save changes one setting; the key is that of settings.json, such as steeringMode or
	// compaction.enabled.
	Save(key string, value any) error
}

// noSettings stands for Settings that are nil.
type noSettings struct{}

func (noSettings) Save(string, any) error { return nil }

// Options are the settings of [Serve].
type Options struct {
	Models Models
	// Settings are those of the user; nil keeps nothing.
	Settings Settings
	// UI, if set, is called once, before the first command, with what asks and notifies the
	// client; it is for servers of extensions.
	UI func(*UI)
	// CloseTimeout bounds the wait for what runs when the input ends; 0 means ten
	// seconds.
	CloseTimeout time.Duration
	// MaxLine is how many bytes a command may have; 0 means 256 MiB, since a prompt may
	// carry several images. A longer one is refused.
	MaxLine int
}

const defaultMaxLine = 256 << 20

// noModels stands for Models that are nil.
type noModels struct{}

func (noModels) Available() []*ai.Model       { return nil }
func (noModels) Get(string, string) *ai.Model { return nil }

// Serve serves a session that cannot be replaced by another; see [ServeRuntime].
func Serve(ctx context.Context, s *session.Session, in io.Reader, out io.Writer, opts *Options) error {
	return ServeRuntime(ctx, session.NewRuntime(s, nil), in, out, opts)
}

// ServeRuntime reads commands from in and writes responses and events to out, until in ends
// or ctx is done. It closes the session that is worked with then. The error is that of
// reading, writing, or closing the session; the end of in is none.
func ServeRuntime(ctx context.Context, rt *session.Runtime, in io.Reader, out io.Writer, opts *Options) error {
	o := opts.orDefault()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	left := make(chan struct{})
	conn := &connection{runtime: rt, opts: &o, out: newLineWriter(out, cancel), left: left, leave: sync.OnceFunc(func() { close(left) })}
	conn.ui = newUI(conn.out)
	if o.UI != nil {
		o.UI(conn.ui)
	}
	unsubscribe := rt.Subscribe(func(ev event.Event) { conn.out.event(ev) })
	defer unsubscribe()

	defer context.AfterFunc(ctx, conn.boundOutput)()

	ahead, lines := newInbox(), make(chan []byte)
	readErr := make(chan error, 1)
	go func() { // ends with in, which the process's end closes at the latest
		readErr <- readLines(in, o.MaxLine, func(text []byte) bool { return ahead.put(ctx, text) })
		ahead.end()
		conn.boundOutput()
	}()
	go ahead.deliver(ctx, lines)
	worked := make(chan bool, 1)
	go func() { worked <- conn.work(ctx, lines) }() // outlives Serve if a client does not read
	var err error
	select {
	case all := <-worked:
		if all {
			err = <-readErr
		} else {
			cancel() // nothing is read any more
		}
	case <-conn.out.gone:
	}
	return errors.Join(err, conn.close(context.WithoutCancel(ctx)), conn.out.stop())
}

// readLines yields the lines of in without their ends, until yield returns false. One that
// is longer than limit is cut behind it.
func readLines(in io.Reader, limit int, yield func([]byte) bool) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(r, limit)
		if err != nil && !errors.Is(err, io.EOF) { // what has come of a line is no command
			return fmt.Errorf("read commands: %w", err)
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(bytes.TrimSpace(line)) > 0 && !yield(line) || err != nil {
			return nil
		}
	}
}

// readLine reads a line with its end, or one byte more than limit of it.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part[:min(len(part), limit+1-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// connection is what all commands of one client share.
type connection struct {
	runtime *session.Runtime
	opts    *Options
	out     *lineWriter
	ui      *UI
	waiting sync.WaitGroup // commands that are answered later
	prompts sync.WaitGroup // those that extensions are asked about, or are commands of theirs
	compact atomic.Pointer[compactCall]
	left    chan struct{} // closed by leave, when an extension ends the program
	leave   func()
	// what the client has switched, for the sessions that follow; nil where it has not
	autoCompaction, autoRetry atomic.Pointer[bool]
}

// closeTimeout bounds the end.
func (c *connection) closeTimeout() time.Duration {
	if c.opts.CloseTimeout > 0 {
		return c.opts.CloseTimeout
	}
	return 10 * time.Second
}

// boundOutput gives up a client that does not read: half of the time of the end is for that, and
// the other half for what runs.
func (c *connection) boundOutput() { c.out.bound(c.closeTimeout() / 2) }

func (c *connection) close(ctx context.Context) error {
	timeout := c.closeTimeout()
	select {
	case <-c.out.gone:
		timeout /= 2
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := c.runtime.Close(ctx); err != nil {
		return err
	}
	answered := make(chan struct{})
	go func() { // outlives Serve if a client does not read
		c.waiting.Wait()
		close(answered)
	}()
	select {
	case <-answered:
	case <-c.out.gone:
	}
	return nil
}

// request is a command as it came in.
type request struct {
	ID   jsontext.Value
	Type string
	raw  jsontext.Value
}

// lenient accepts halves of surrogate pairs, which JavaScript writes.
var lenient = jsontext.AllowInvalidUTF8(true)

// parse reads what all commands have. An error comes with the id, if there is one.
func (c *connection) parse(line []byte) (*request, error) {
	var envelope struct {
		ID   jsontext.Value `json:"id"`
		Type jsontext.Value `json:"type"`
	}
	req := &request{raw: line}
	if len(line) > c.opts.MaxLine {
		return req, fmt.Errorf("it is longer than %d bytes", c.opts.MaxLine)
	}
	if err := json.Unmarshal(line, &envelope, lenient); err != nil {
		if _, ok := errors.AsType[*json.SemanticError](err); ok {
			err = errors.New("it must be an object")
		}
		return req, err
	}
	if req.raw.Kind() != '{' {
		return req, errors.New("it must be an object")
	}
	req.ID = envelope.ID
	if envelope.Type.Kind() != '"' {
		return req, errors.New("its type must be a text")
	}
	return req, json.Unmarshal(envelope.Type, &req.Type, lenient)
}

// response is the answer to a command.
type response struct {
	ID      jsontext.Value `json:"id,omitzero"`
	Type    string         `json:"type"`
	Command string         `json:"command"`
	Success bool           `json:"success"`
	Data    any            `json:"data,omitzero"`
	Error   string         `json:"error,omitzero"`
}
