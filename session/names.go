package session

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

// names are the name of a session and the labels of its entries.
type names struct {
	writer *writer
	events *dispatcher
	ext    *extension.Runner

	mu   sync.Mutex
	name *string // nil until it is asked for
}

// SetLabel marks an entry, or takes its mark away if the label is empty. It returns
// [transcript.ErrNoEntry] for an unknown entry.
func (s *Session) SetLabel(id transcript.EntryID, label string) error {
	if _, err := s.Store().Entry(id); err != nil {
		return fmt.Errorf("label an entry: %w", err)
	}
	defer s.events.flush()
	return s.names.writer.add(&transcript.LabelEntry{TargetID: id, Label: oneLine(label)})
}

// SetName names the session. Line breaks become spaces. An empty name is refused.
func (s *Session) SetName(name string) error { return s.names.rename(s.scheduler.ctx, name) }

// Name returns the name that the session was given last; empty if it has none.
func (s *Session) Name() (string, error) { return s.names.current() }

// rename is [Session.SetName] within ctx, which may be that of an extension's handler.
func (n *names) rename(ctx context.Context, name string) error {
	name = oneLine(name)
	if name == "" {
		return errors.New("the name of the session is empty: give it at least one character")
	}
	if err := n.set(name); err != nil {
		return err
	}
	if n.ext.Has(extension.KindSessionInfoChanged) {
		n.ext.Fire(ctx, &extension.SessionInfoChanged{Name: name}, extension.FireGrace)
	}
	return nil
}

func (n *names) set(name string) error {
	n.mu.Lock()
	defer n.events.flush()
	defer n.mu.Unlock()
	err := n.writer.add(&transcript.InfoEntry{Name: name})
	if errors.Is(err, transcript.ErrClosed) {
		return err
	}
	if err != nil {
		return fmt.Errorf("name the session %s: %w", n.writer.store.Path(), err)
	}
	n.name = &name
	n.events.post(&event.InfoChanged{Name: name})
	return nil
}

func (n *names) current() (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.name == nil {
		name, err := transcript.Name(n.writer.store)
		if err != nil {
			return "", fmt.Errorf("read the name of session %s: %w", n.writer.store.Path(), err)
		}
		n.name = &name
	}
	return *n.name, nil
}

var lineBreaks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\r\n]+`) })

// oneLine returns a text as a list can show it.
func oneLine(text string) string {
	return strings.TrimSpace(lineBreaks().ReplaceAllString(text, " "))
}
