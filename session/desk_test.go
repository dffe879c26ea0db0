package session_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
)

// desk is a runtime over files, with what has happened.
type desk struct {
	*session.Runtime
	t      *testing.T
	dir    string // of the sessions
	model  *model
	mu     sync.Mutex
	events []string
	failed error // that opening fails with
}

// seat begins a runtime with a new session in a folder of its own.
func seat(t *testing.T, opts *session.RuntimeOptions, replies ...func(context.Context, *ai.Writer) error) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir(), model: &model{replies: replies}}
	header := transcript.NewHeader(t.TempDir())
	store, err := jsonl.Create(filepath.Join(d.dir, jsonl.FileName(header)), header, nil)
	if err != nil {
		t.Fatal(err)
	}
	if opts == nil {
		opts = &session.RuntimeOptions{}
	}
	opts.Repository, opts.Open = jsonl.Files{}, d.open
	first, err := d.open(store)
	if err != nil {
		t.Fatal(err)
	}
	d.Runtime = session.NewRuntime(first, opts)
	d.Subscribe(func(ev event.Event) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.events = append(d.events, ev.Type())
	})
	t.Cleanup(func() { d.Close(context.Background()) })
	return d
}

func (d *desk) open(store transcript.Store) (*session.Session, error) {
	if d.failed != nil {
		return nil, d.failed
	}
	return session.New(store, &session.Options{CWD: store.Header().CWD, Stream: d.model.stream, Model: labModel})
}

func (d *desk) prompt(text string) {
	d.t.Helper()
	if _, err := d.Session().Prompt(d.t.Context(), session.Prompt{Text: text}); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) said(want ...string) {
	d.t.Helper()
	if got := spoken(d.Session()); !slices.Equal(got, want) {
		d.t.Errorf("the transcript is %q, want %q", got, want)
	}
}

// count returns how many events of a type have come.
func (d *desk) count(typ string) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, ev := range d.events {
		if ev == typ {
			n++
		}
	}
	return n
}

func (d *desk) files() []string {
	d.t.Helper()
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// streaming is ready when the session shows the first text of an answer.
func streaming(s *session.Session) <-chan struct{} {
	begun := make(chan struct{})
	var once sync.Once
	s.Subscribe(func(ev event.Event) {
		if update, ok := ev.(*agent.MessageUpdate); ok && update.Stream.Type() == ai.EventTextDelta {
			once.Do(func() { close(begun) })
		}
	})
	return begun
}
