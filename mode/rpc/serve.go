package rpc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
)

// Models are the models that a client may choose from.
type Models interface {
	// Available lists those that can be asked.
	Available() []*ai.Model
	// Get returns one of them by its provider and id; nil if there is none.
	Get(provider, id string) *ai.Model
}

// Options are the settings of [Serve].
type Options struct {
	Models Models
	// AutoCompaction is the setting that get_state reports.
	AutoCompaction bool
	// CloseTimeout bounds the wait for what runs when the input ends; 0 means ten
	// seconds.
	CloseTimeout time.Duration
}

// maxLine bounds a command: a prompt may carry several images.
const maxLine = 256 << 20

// Serve reads commands from in and writes responses and events to out, until in ends or
// ctx is done. It closes the session. The error is that of reading, writing, or closing
// the session; the end of in is none.
func Serve(ctx context.Context, s *session.Session, in io.Reader, out io.Writer, opts *Options) error {
	if opts == nil {
		opts = &Options{}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	srv := &server{session: s, opts: opts, out: &lineWriter{w: out, failed: cancel}}
	unsubscribe := s.Subscribe(func(ev session.Event) { srv.out.event(ev) })
	defer unsubscribe()

	lines := make(chan []byte)
	readErr := make(chan error, 1)
	go func() { // ends with in, which the process's end closes at the latest
		readErr <- readLines(in, func(line []byte) bool {
			select {
			case lines <- line:
				return true
			case <-ctx.Done():
				return false
			}
		})
		close(lines)
	}()
	var err error
	for open := true; open; {
		select {
		case line, ok := <-lines:
			if open = ok; ok {
				srv.handle(ctx, line)
			} else {
				err = <-readErr
			}
		case <-ctx.Done():
			open = false
		}
	}
	return errors.Join(err, srv.close(context.WithoutCancel(ctx)), srv.out.err())
}

// readLines yields the lines of in without their ends, until yield returns false.
func readLines(in io.Reader, yield func([]byte) bool) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if len(line) > maxLine {
				return fmt.Errorf("a command is longer than %d bytes", maxLine)
			}
			continue
		case err != nil && len(line) == 0:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("read commands: %w", err)
		}
		full := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(bytes.TrimSpace(full)) > 0 && !yield(full) {
			return nil
		}
		line = nil
	}
}

// server is one connection.
type server struct {
	session *session.Session
	opts    *Options
	out     *lineWriter
	waiting sync.WaitGroup // commands that are answered later
}

func (s *server) close(ctx context.Context) error {
	timeout := s.opts.CloseTimeout
	if timeout <= 0 {
		timeout = 10 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := s.session.Close(ctx)
	if err == nil {
		s.waiting.Wait()
	}
	return err
}

// request is a command as it came in.
type request struct {
	ID   jsontext.Value `json:"id"`
	Type string         `json:"type"`
	raw  jsontext.Value
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

func (s *server) handle(ctx context.Context, line []byte) {
	req := request{raw: line}
	if err := json.Unmarshal(line, &req); err != nil || jsontext.Value(line).Kind() != '{' {
		if err == nil {
			err = errors.New("it must be an object")
		}
		s.out.response(&response{Command: "parse", Error: fmt.Sprintf("this line is no command: %v; send one JSON object a line, such as {\"type\":\"get_state\"}", err)})
		return
	}
	cmd, known := commands[req.Type]
	if !known {
		s.out.response(&response{ID: req.ID, Command: req.Type, Error: fmt.Sprintf("unknown command %q", req.Type)})
		return
	}
	answer := func() {
		data, err := cmd.run(ctx, s, &req)
		if data == answered {
			return
		}
		r := &response{ID: req.ID, Command: req.Type, Success: err == nil, Data: data}
		if err != nil {
			r.Data, r.Error = nil, err.Error()
		}
		s.out.response(r)
	}
	if cmd.waits {
		s.waiting.Go(answer)
	} else {
		answer()
	}
}

// read decodes the fields of a command.
func read[T any](req *request) (T, error) {
	var fields T
	if err := json.Unmarshal(req.raw, &fields); err != nil {
		return fields, fmt.Errorf("%s: %w", req.Type, err)
	}
	return fields, nil
}

// lineWriter writes whole lines, one after another.
type lineWriter struct {
	mu     sync.Mutex
	w      io.Writer
	buf    []byte
	broken error
	failed func() // called once, when the client is gone
}

func (l *lineWriter) event(ev session.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.write(ev.AppendJSON(l.buf[:0]))
}

func (l *lineWriter) response(r *response) {
	r.Type = "response"
	l.mu.Lock()
	defer l.mu.Unlock()
	data, err := json.Marshal(r, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		data, _ = json.Marshal(&response{ID: r.ID, Type: r.Type, Command: r.Command, Error: "the answer cannot be written: " + err.Error()})
	}
	l.write(append(l.buf[:0], data...))
}

// write sends one line; the mutex is held.
func (l *lineWriter) write(line []byte) {
	line = append(line, '\n')
	if cap(line) <= 1<<20 {
		l.buf = line // reused, unless one huge line would keep its memory
	}
	if l.broken != nil {
		return
	}
	if _, err := l.w.Write(line); err != nil {
		l.broken = fmt.Errorf("write to the client: %w", err)
		l.failed()
	}
}

func (l *lineWriter) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken
}
