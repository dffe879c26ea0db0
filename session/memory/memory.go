// Package memory keeps a session in memory: for --no-session, and for tests.
package memory

import (
	"iter"
	"slices"
	"sync"

	"github.com/rondo-agent/rondo/session"
)

// Store is a [session.Store] without a file. Make one with [New].
type Store struct {
	header *session.Header

	mu      sync.Mutex
	index   session.Index
	entries []session.Entry
	closed  bool
}

var _ session.Store = (*Store)(nil)

// New returns an empty session.
func New(header *session.Header) *Store { return &Store{header: header} }

// Header returns the session's header.
func (s *Store) Header() *session.Header { return s.header }

// Path returns an empty string.
func (s *Store) Path() string { return "" }

// Append implements [session.Store]. It fails only for entries that do not fit into the
// tree, and after Close.
func (s *Store) Append(entries ...session.Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return session.ErrClosed
	}
	undo, err := s.index.Admit(entries)
	if err != nil {
		return err
	}
	for _, e := range entries { // what a file could not hold is refused here as well
		if _, err := session.EncodeEntry(e); err != nil {
			undo()
			return err
		}
	}
	s.entries = append(s.entries, entries...)
	return nil
}

// Leaf implements [session.Store].
func (s *Store) Leaf() session.EntryID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.index.Leaf()
}

// SetLeaf implements [session.Store].
func (s *Store) SetLeaf(id session.EntryID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.index.SetLeaf(id)
}

// Len implements [session.Store].
func (s *Store) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.index.Len()
}

// Entry implements [session.Store].
func (s *Store) Entry(id session.EntryID) (session.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.index.Find(id)
	if !ok {
		return nil, session.NoEntry(id)
	}
	return s.entries[i], nil
}

// Entries implements [session.Store].
func (s *Store) Entries(types ...string) iter.Seq2[session.Entry, error] {
	return s.After("", types...)
}

// After implements [session.Store].
func (s *Store) After(id session.EntryID, types ...string) iter.Seq2[session.Entry, error] {
	return func(yield func(session.Entry, error) bool) {
		s.mu.Lock()
		i, ok := s.index.After(id)
		n := s.index.Len()
		s.mu.Unlock()
		if !ok {
			yield(nil, session.NoEntry(id))
			return
		}
		for ; i < n; i++ {
			if e := s.entryAt(i); wanted(e, types) && !yield(e, nil) {
				return
			}
		}
	}
}

// Ancestors implements [session.Store].
func (s *Store) Ancestors(from session.EntryID, types ...string) iter.Seq2[session.Entry, error] {
	return func(yield func(session.Entry, error) bool) {
		s.mu.Lock()
		i, ok := s.index.Find(from)
		s.mu.Unlock()
		if !ok {
			yield(nil, session.NoEntry(from))
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

// Close implements [session.Store]. Reading goes on working.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

func (s *Store) entryAt(i int) session.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entries[i]
}

func wanted(e session.Entry, types []string) bool {
	return len(types) == 0 || slices.Contains(types, e.Type())
}
