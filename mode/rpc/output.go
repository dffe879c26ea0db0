package rpc

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/session/event"
)

// lineWriter writes whole lines, one after another. A client that does not read holds back
// whatever writes, until the writer gives it up; see [lineWriter.bound].
type lineWriter struct {
	w      io.Writer
	failed func()        // called once, when the client is gone
	turn   chan struct{} // holds a value while a line is being written
	gone   chan struct{} // closed when a client that does not read is given up
	buf    []byte        // of the one that has the turn

	mu      sync.Mutex
	started time.Time // when the write under way began; zero while none is
	broken  error
	bounded bool
	timer   *time.Timer
}

func newLineWriter(w io.Writer, failed func()) *lineWriter {
	return &lineWriter{w: w, failed: failed, turn: make(chan struct{}, 1), gone: make(chan struct{})}
}

// errNotRead is the error of a client that is given up.
var errNotRead = errors.New("it does not read what is written")

func (l *lineWriter) event(ev event.Event) { l.write(ev.AppendJSON) }

func (l *lineWriter) response(r *response) {
	r.Type = "response"
	raw, isRaw := r.Data.(rawData)
	if isRaw {
		r.Data = nil
	}
	data, err := json.Marshal(r, lenient)
	if isRaw && err == nil {
		data = append(append(append(data[:len(data)-1], `,"data":`...), raw...), '}')
	}
	if err != nil {
		data, _ = json.Marshal(&response{ID: r.ID, Type: r.Type, Command: r.Command, Error: "the answer cannot be written: " + err.Error()})
	}
	l.write(func(dst []byte) []byte { return append(dst, data...) })
}

// line sends a value as a line.
func (l *lineWriter) line(v any) {
	data, err := json.Marshal(v, lenient)
	if err != nil {
		return // the values are texts and numbers
	}
	l.write(func(dst []byte) []byte { return append(dst, data...) })
}

// write sends one line, which is written into the writer's own buffer.
func (l *lineWriter) write(line func(dst []byte) []byte) {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-l.gone:
		return
	}
	text := append(line(l.buf[:0]), '\n')
	if cap(text) <= 1<<20 {
		l.buf = text // reused, unless one huge line would keep its memory
	}
	if !l.begin() {
		return
	}
	_, err := l.w.Write(text)
	l.end(err)
}

// begin notes that a line is being written; false if no more are.
func (l *lineWriter) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.started = time.Now()
	return l.broken == nil
}

func (l *lineWriter) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.started = time.Time{}
	if err != nil && l.broken == nil {
		l.broken = fmt.Errorf("write to the client: %w", err)
		l.failed()
	}
}

// bound gives the client up when it takes longer than d for a line from now on. It is called when
// nothing is worth waiting for any more: the input has ended, or the program is to end.
func (l *lineWriter) bound(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bounded {
		return
	}
	l.bounded = true
	since := time.Now()
	l.timer = time.AfterFunc(d/8, func() { l.check(d, since) })
}

func (l *lineWriter) check(d time.Duration, since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer == nil || l.broken != nil {
		return
	}
	if l.started.After(since) {
		since = l.started
	}
	if l.started.IsZero() || time.Since(since) < d {
		l.timer.Reset(d / 8)
		return
	}
	l.broken = fmt.Errorf("write to the client: %w", errNotRead)
	close(l.gone)
	l.failed()
}

// stop ends the supervision, and returns the error of writing.
func (l *lineWriter) stop() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	l.bounded = true
	return l.broken
}
