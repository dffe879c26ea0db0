package session

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/rondo-agent/rondo/transcript"
)

// writer appends a session's entries to its store. An entry that has happened and could not be
// stored, since the disk is full, is a pending write: it precedes the next entry, so that a
// session that goes on when there is room again has no gap.
type writer struct {
	store transcript.Store

	mu      sync.Mutex
	pending []transcript.Entry
	at      transcript.EntryID // the leaf that the pending entries belong below
	sealed  bool               // no entry is added any more; pending ones still are
}

// UnstoredError means that a message could not be written to the session's file. It stays in
// the conversation, and is written as soon as that is possible.
type UnstoredError struct {
	Path string
	Err  error
}

// Error says what to do.
func (e *UnstoredError) Error() string {
	return fmt.Sprintf("store a message in %s: %v; make room there and go on, or keep sessions elsewhere with --session-dir", e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *UnstoredError) Unwrap() error { return e.Err }

// add stores entries that are of no use unless they are stored: after an error they are
// forgotten. It returns [transcript.ErrClosed] when the session has ended.
func (w *writer) add(entries ...transcript.Entry) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sealed {
		return transcript.ErrClosed
	}
	for _, e := range entries {
		if err := checkSummary(e); err != nil {
			return err
		}
	}
	if err := w.writePending(); err != nil {
		return err
	}
	return w.store.Append(entries...)
}

// errEmptySummary keeps a summary without text from taking the place of what it stands for.
var errEmptySummary = errors.New("the summary is empty: nothing was replaced by it")

// checkSummary refuses an entry whose summary has no text.
func checkSummary(e transcript.Entry) error {
	summary := "none"
	switch e := e.(type) {
	case *transcript.CompactionEntry:
		summary = e.Summary
	case *transcript.BranchSummaryEntry:
		summary = e.Summary
	default:
	}
	if strings.TrimSpace(summary) == "" {
		return errEmptySummary
	}
	return nil
}

// keep stores an entry that says what has happened. If the error is an [*UnstoredError], the
// entry is pending.
func (w *writer) keep(e transcript.Entry) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.writePending()
	if err == nil {
		err = w.unstored(w.store.Append(e))
	}
	if _, pending := errors.AsType[*UnstoredError](err); pending {
		if len(w.pending) == 0 {
			w.at = w.store.Leaf()
		}
		w.pending = append(w.pending, e)
	}
	return err
}

// flush stores the pending entries.
func (w *writer) flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.writePending()
}

// seal closes the writer for new entries, or opens it again.
func (w *writer) seal(sealed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sealed = sealed
}

// isSealed reports whether the session has ended.
func (w *writer) isSealed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sealed
}

// writePending stores the pending entries, on their own branch if the leaf has moved to another
// one; the mutex is held.
func (w *writer) writePending() error {
	if len(w.pending) == 0 {
		return nil
	}
	leaf := w.store.Leaf()
	moved, err := w.isElsewhere(leaf)
	if err == nil && moved {
		err = w.store.SetLeaf(w.at)
	}
	if err != nil {
		return err
	}
	if err = w.unstored(w.store.Append(w.pending...)); err == nil {
		w.pending = nil
	}
	if moved {
		err = errors.Join(err, w.store.SetLeaf(leaf))
	}
	return err
}

// isElsewhere reports whether a leaf is on another branch than the pending entries.
func (w *writer) isElsewhere(leaf transcript.EntryID) (bool, error) {
	if w.at == "" {
		return false, nil
	}
	if leaf == "" {
		return true, nil
	}
	for e, err := range w.store.Ancestors(leaf) {
		if err != nil {
			return false, err
		}
		if e.Base().ID == w.at {
			return false, nil
		}
	}
	return true, nil
}

// unstored tells an error of the file from that of an entry that no file could hold and that
// would block all later ones.
func (w *writer) unstored(err error) error {
	if _, file := errors.AsType[*fs.PathError](err); file {
		return &UnstoredError{Path: w.store.Path(), Err: err}
	}
	return err
}
