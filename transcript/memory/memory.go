// Package memory keeps a session in memory: for --no-session, and for tests.
package memory

import (
	"iter"
	"slices"
	"sync"

	"github.com/rondo-agent/rondo/transcript"
)

// Store is a [transcript.Store] without a file. Make one with [New].
type Store struct {
	header *transcript.Header

	mu      sync.Mutex
	index   transcript.Index
	entries []transcript.Entry
	closed  bool
}

var _ transcript.Store = (*Store)(nil)

// New returns an empty session.
func New(header *transcript.Header) *Store { return &Store{header: header} }

// Header returns the session's header.
func (s *Store) Header() *transcript.Header { return s.header }

// Path returns an empty string.
func (s *Store) Path() string { return "" }

// Append implements [transcript.Store]. It fails only for entries that do not fit into the
// tree, and after Close.
func (s *Store) Append(entries ...transcript.Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return transcript.ErrClosed
	}
	undo, err := s.index.Admit(entries)
	if err != nil {
		return err
	}
	for _, e := range entries { // what a file could not hold is refused here as well
		if _, err := transcript.EncodeEntry(e); err != nil {
			undo()
			return err
		}
	}
	s.entries = append(s.entries, entries...)
	return nil
}

// Leaf implements [transcript.Store].
func (s *Store) Leaf() transcript.EntryID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.index.Leaf()
}

// SetLeaf implements [transcript.Store].
func (s *Store) SetLeaf(id transcript.EntryID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.index.SetLeaf(id)
}

// Len implements [transcript.Store].
func (s *Store) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.index.Len()
}

// Entry implements [transcript.Store].
func (s *Store) Entry(id transcript.EntryID) (transcript.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.index.Find(id)
	if !ok {
		return nil, transcript.NoEntry(id)
	}
	return s.entries[i], nil
}

// Entries implements [transcript.Store].
func (s *Store) Entries(types ...string) iter.Seq2[transcript.Entry, error] {
	return s.After("", types...)
}

// After implements [transcript.Store].
func (s *Store) After(id transcript.EntryID, types ...string) iter.Seq2[transcript.Entry, error] {
	return func(yield func(transcript.Entry, error) bool) {
		s.mu.Lock()
		i, ok := s.index.After(id)
		n := s.index.Len()
		s.mu.Unlock()
		if !ok {
			yield(nil, transcript.NoEntry(id))
			return
		}
		for ; i < n; i++ {
			if e := s.entryAt(i); wanted(e, types) && !yield(e, nil) {
				return
			}
		}
	}
}

// Ancestors implements [transcript.Store].
func (s *Store) Ancestors(from transcript.EntryID, types ...string) iter.Seq2[transcript.Entry, error] {
	return func(yield func(transcript.Entry, error) bool) {
		s.mu.Lock()
		i, ok := s.index.Find(from)
		s.mu.Unlock()
		if !ok {
			yield(nil, transcript.NoEntry(from))
			return
		}
		for i >= 0 {
			e := s.entryAt(i)
			if wanted(e, types) && !yield(e, nil) {
				return
			}
			s.mu.Lock()
			i = s.index.Parent(i)
			s.mu.Unlock()
		}
	}
}

// Close implements [transcript.Store]. Reading goes on working.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

func (s *Store) entryAt(i int) transcript.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entries[i]
}

func wanted(e transcript.Entry, types []string) bool {
	return len(types) == 0 || slices.Contains(types, e.Type())
}
