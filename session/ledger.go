package session

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/rondo-agent/rondo/transcript"
)

// ledger writes a session's entries to its store. What has happened and could not be
// stored, since the disk is full, is owed: it is written before the next entry, so that a
// session that goes on when there is room again has no gap.
type ledger struct {
	mu    sync.Mutex
	store transcript.Store
	owed  []transcript.Entry
	at    transcript.EntryID // the leaf that they belong below
}

// UnstoredError means that a message could not be written to the session's file. It stays in
// the conversation, and is written as soon as that is possible.
type UnstoredError struct {
	Path string
	Err  error
}

// Error tells what to do.
func (e *UnstoredError) Error() string {
	return fmt.Sprintf("store a message in %s: %v; make room there and go on, or keep sessions elsewhere with --session-dir", e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *UnstoredError) Unwrap() error { return e.Err }

// add stores entries that are of no use unless they are stored: after an error they are
// forgotten.
func (l *ledger) add(entries ...transcript.Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.pay(); err != nil {
		return err
	}
	return l.store.Append(entries...)
}

// keep stores an entry that says what has happened. If the error is an [*UnstoredError], it
// is owed.
func (l *ledger) keep(e transcript.Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.pay()
	if err == nil {
		err = l.unstored(l.store.Append(e))
	}
	if _, owed := errors.AsType[*UnstoredError](err); owed {
		if len(l.owed) == 0 {
			l.at = l.store.Leaf()
		}
		l.owed = append(l.owed, e)
	}
	return err
}

// settle stores what is owed.
func (l *ledger) settle() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pay()
}

// pay stores what is owed, on its own branch if the leaf has moved to another one; the mutex
// is held.
func (l *ledger) pay() error {
	if len(l.owed) == 0 {
		return nil
	}
	leaf := l.store.Leaf()
	moved, err := l.left(leaf)
	if err == nil && moved {
		err = l.store.SetLeaf(l.at)
	}
	if err != nil {
		return err
	}
	if err = l.unstored(l.store.Append(l.owed...)); err == nil {
		l.owed = nil
	}
	if moved {
		err = errors.Join(err, l.store.SetLeaf(leaf))
	}
	return err
}

// left reports whether the leaf is on another branch than what is owed.
func (l *ledger) left(leaf transcript.EntryID) (bool, error) {
	if l.at == "" {
		return false, nil
	}
	if leaf == "" {
		return true, nil
	}
	for e, err := range l.store.Ancestors(leaf) {
		if err != nil {
			return false, err
		}
		if e.Base().ID == l.at {
			return false, nil
		}
	}
	return true, nil
}

// unstored tells an error of the file from that of an entry that no file could hold, which
// would be in the way for ever.
func (l *ledger) unstored(err error) error {
	if _, file := errors.AsType[*fs.PathError](err); file {
		return &UnstoredError{Path: l.store.Path(), Err: err}
	}
	return err
}
