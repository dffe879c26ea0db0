package jsonl

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/rondo-agent/rondo/transcript"
)

// Options are the settings of a store. The zero value is a plain store.
type Options struct {
	// ReadOnly opens a file without a lock and refuses to write.
	ReadOnly bool
	// Header is the header that an empty file gets. Without it, an empty file is an
	// error.
	Header *transcript.Header
	// Sync makes Append wait until the disk has the entries, so that they survive a
	// loss of power; it takes milliseconds.
	Sync bool
}

// Store is a [transcript.Store] in a file. Make one with [Create] or [Open].
type Store struct {
	path   string
	header *transcript.Header
	opts   Options

	mu       sync.Mutex
	index    transcript.Index
	kinds    kinds
	records  []record
	held     [][]byte // the entries, as long as none is in the file
	problems []Problem
	disk     diskFile
	data     io.ReaderAt // what records point into
	recent   recent      // the newest lines, for a file that is emptied
	notify   func(error) // gets what happens to the file; nil if it is not wanted
	closed   bool
	buf      []byte
}

var _ transcript.Store = (*Store)(nil)

// record says where an entry is.
type record struct {
	off   int64
	size  int
	kind  uint32
	moved bool // id or parent are not those in the file
	lost  bool // another program has emptied the file
}

// kinds numbers the types of entries, so that records are small.
type kinds struct {
	names   []string
	numbers map[string]uint32
}

// number returns the number of a type.
func (k *kinds) number(typ string) uint32 { return k.numberOf([]byte(typ)) }

// numberOf is number for a type that is not a string yet and need not become one.
func (k *kinds) numberOf(typ []byte) uint32 {
	if n, known := k.numbers[string(typ)]; known {
		return n
	}
	if k.numbers == nil {
		k.numbers = make(map[string]uint32)
	}
	n := uint32(len(k.names))
	k.names = append(k.names, string(typ))
	k.numbers[k.names[n]] = n
	return n
}

func (k *kinds) name(number uint32) string { return k.names[number] }

// Create returns a new session that will be stored at path. The file and its folder are
// made when the first message of the conversation is appended; until then, entries are
// held back. If the file exists by then, that Append fails with [fs.ErrExist].
func Create(path string, header *transcript.Header, opts *Options) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("create session: %w", err)
	}
	if !transcript.ValidID(header.ID) {
		return nil, fmt.Errorf("create session: the id %q is not allowed; use letters, digits, and . _ -", header.ID)
	}
	s := &Store{path: path, header: header}
	if opts != nil {
		s.opts = *opts
	}
	return s, nil
}

// Open opens a session file for writing, or for reading with [Options.ReadOnly].
//
// It returns a [*LockedError] if another store writes the file, a [*FormatError] if it is
// not a session or one of a newer version, and an error that is [fs.ErrNotExist] if it is
// not there.
func Open(path string, opts *Options) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	s := &Store{path: path}
	if opts != nil {
		s.opts = *opts
	}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.release())
	}
	return s, nil
}

func (s *Store) open() error {
	if info, err := os.Stat(s.path); err != nil {
		return fmt.Errorf("open session: %w", err)
	} else if !info.Mode().IsRegular() { // opening a pipe would wait for its other end
		return &FormatError{Path: s.path, Reason: "it is not a regular file"}
	}
	if err := s.openFile(); err != nil {
		return err
	}
	loaded, err := load(s.path, s.disk.file)
	if err != nil {
		return err
	}
	if loaded.header == nil {
		return s.initEmpty()
	}
	if loaded.header.Version < transcript.Version {
		return s.upgrade(loaded)
	}
	s.take(loaded, s.disk.file)
	return nil
}

// openFile opens the file and, for writing, locks it.
func (s *Store) openFile() (err error) {
	if s.opts.ReadOnly {
		if s.disk.file, err = os.Open(s.path); err != nil {
			return fmt.Errorf("open session: %w", err)
		}
		return nil
	}
	for range 10 {
		if s.disk.file, err = os.OpenFile(s.path, os.O_RDWR|os.O_APPEND, 0); err != nil {
			return fmt.Errorf("open session for writing: %w", err)
		}
		l, err := acquire(s.path, s.disk.file)
		if err == nil {
			return s.disk.open(s.disk.file, l)
		}
		if !errors.Is(err, errReplaced) {
			return err
		}
		s.disk.file.Close()
	}
	return err
}

func (s *Store) initEmpty() error {
	if s.opts.Header == nil || s.opts.ReadOnly {
		return &FormatError{Path: s.path, Reason: "it is empty"}
	}
	s.header, s.data = s.opts.Header, s.disk.file
	return nil
}

// take makes what was loaded the content of the store.
func (s *Store) take(l *loader, data io.ReaderAt) {
	s.header, s.data, s.disk.saved = l.header, data, true
	s.index, s.kinds, s.records, s.problems = l.index, l.kinds, l.records, l.problems
	s.disk.size, s.disk.torn = l.size, l.torn
	if !s.opts.ReadOnly {
		s.recent.fill(s.records, data)
	}
}

// ReadOnly reports whether the store was opened for reading only.
func (s *Store) ReadOnly() bool { return s.opts.ReadOnly }

// Header implements [transcript.Store]. It changes together with Path.
func (s *Store) Header() *transcript.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.header
}

// Path implements [transcript.Store]. It changes if another program has put another file at the
// place of the session: then the session goes on in a file of its own.
func (s *Store) Path() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.path
}

// OnProblem says what gets the errors that tell what other programs have done to the file: a
// [*transcript.FileError]. It is called during Append and must not call the store.
func (s *Store) OnProblem(fn func(error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notify = fn
}

// Problems lists the lines of the file that could not be read, in order.
func (s *Store) Problems() []Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// Saved reports whether the session is in its file.
func (s *Store) Saved() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.disk.saved
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
	i, ok := s.index.Find(id)
	s.mu.Unlock()
	if !ok {
		return nil, transcript.NoEntry(id)
	}
	return s.read(i)
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
			if s.wanted(i, types) && !yield(s.read(i)) {
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
			if s.wanted(i, types) && !yield(s.read(i)) {
				return
			}
			s.mu.Lock()
			i = s.index.Parent(i)
			s.mu.Unlock()
		}
	}
}

func (s *Store) wanted(i int, types []string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(types) == 0 || slices.Contains(types, s.kinds.name(s.records[i].kind))
}

// read reads the entry at position i.
func (s *Store) read(i int) (transcript.Entry, error) {
	s.mu.Lock()
	r, data := s.records[i], s.data
	id, parent := s.index.ID(i), s.index.ParentID(i)
	var raw []byte
	if i < len(s.held) {
		raw = slices.Clone(s.held[i])
	}
	s.mu.Unlock()
	if raw == nil {
		if r.lost {
			return nil, fmt.Errorf("entry %s of %s was lost when another program emptied the file", id, s.Path())
		}
		raw = make([]byte, r.size)
		if _, err := data.ReadAt(raw, r.off); err != nil {
			return nil, fmt.Errorf("read entry %s of %s: %w", id, s.Path(), err)
		}
	}
	e, err := transcript.DecodeEntry(raw)
	if err != nil {
		return nil, fmt.Errorf("entry %s of %s has changed on disk: %w", id, s.Path(), err)
	}
	if r.moved {
		e.Base().Rebase(id, parent)
	}
	return e, nil
}

// Close implements [transcript.Store] and lets others write the file. A file that was made
// and could not be written does not stay.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if s.disk.created && !s.disk.saved {
		return s.remove()
	}
	return s.release()
}

// Discard closes the store and takes back what it has stored: the file is removed if the
// store has made it, for a copy that cannot be completed.
func (s *Store) Discard() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if s.disk.created {
		return s.remove()
	}
	return s.release()
}

// remove deletes the file before somebody else can open it, or else, where an open file
// cannot be deleted, right after.
func (s *Store) remove() error {
	err := os.Remove(s.path)
	released := s.release()
	if err != nil {
		err = os.Remove(s.path)
	}
	return errors.Join(err, released)
}

func (s *Store) release() error {
	return s.disk.close()
}
