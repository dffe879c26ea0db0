package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/memory"
)

// model answers the n-th request with the n-th function.
type model struct {
	mu       sync.Mutex
	requests []*ai.Request
	replies  []func(ctx context.Context, w *ai.Writer) error
}

func (m *model) stream(ctx context.Context, req *ai.Request) *ai.Stream {
	m.mu.Lock()
	n := len(m.requests)
	m.requests = append(m.requests, req)
	m.mu.Unlock()
	return ai.NewStream(ctx, req.Model, func(ctx context.Context, w *ai.Writer) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if n >= len(m.replies) {
			return fmt.Errorf("request %d has no reply", n+1)
		}
		return m.replies[n](ctx, w)
	})
}

func (m *model) asked() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.requests)
}

func text(s string) func(context.Context, *ai.Writer) error {
	return func(_ context.Context, w *ai.Writer) error {
		w.Append(w.StartText(), s)
		w.Done(ai.StopEnd)
		return nil
	}
}

// held streams a text and then waits for the gate, or for an abort.
func held(s string, gate <-chan struct{}) func(context.Context, *ai.Writer) error {
	return func(ctx context.Context, w *ai.Writer) error {
		w.Append(w.StartText(), s)
		select {
		case <-gate:
		case <-ctx.Done():
			return ctx.Err()
		}
		w.Done(ai.StopEnd)
		return nil
	}
}

func toolCalls(ids ...string) func(context.Context, *ai.Writer) error {
	return func(_ context.Context, w *ai.Writer) error {
		for _, id := range ids {
			w.Append(w.StartToolCall(id, id), "{}")
		}
		w.Done(ai.StopToolUse)
		return nil
	}
}

func open(t *testing.T, store transcript.Store, m *model, opts session.Options) *session.Session {
	t.Helper()
	opts.Stream, opts.Model = m.stream, labModel
	if opts.CWD == "" {
		opts.CWD = t.TempDir()
	}
	s, err := session.New(store, &opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

func inMemory() transcript.Store { return memory.New(transcript.NewHeader("/")) }

// log collects the types of a session's events, with details of some.
type log struct {
	mu   sync.Mutex
	list []string
}

func record(s *session.Session) *log {
	l := &log{}
	s.Subscribe(func(ev event.Event) {
		line := ev.Type()
		switch ev := ev.(type) {
		case *agent.MessageUpdate:
			return
		case *event.QueueUpdate:
			line += fmt.Sprint(ev.Steering, ev.FollowUp)
		case *agent.MessageEnd:
			if u, ok := ev.Message.(*ai.UserMessage); ok {
				line = "user:" + u.Content.Text()
			}
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.list = append(l.list, line)
	})
	return l
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.list, " ")
}

func (l *log) count(line string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, x := range l.list {
		if x == line {
			n++
		}
	}
	return n
}

func entries(t *testing.T, path string) []transcript.Entry {
	t.Helper()
	store, err := jsonl.Open(path, &jsonl.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var all []transcript.Entry
	for e, err := range store.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// waitAborted waits for a prompt that must have been aborted.
func waitAborted(t *testing.T, run *session.Run) {
	t.Helper()
	res, err := run.Wait(t.Context())
	if !errors.Is(err, agent.ErrAborted) || res.Cause != session.CauseAborted {
		t.Fatalf("the prompt came to %+v, %v", res, err)
	}
}
