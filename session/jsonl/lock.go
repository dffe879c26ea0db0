package jsonl

import (
	"errors"
	"fmt"
	"os"

	"github.com/gofrs/flock"
)

// LockedError means that another store writes the session, in this process or another.
type LockedError struct {
	Path string
	// PID is the process that writes; 0 if it is not known.
	PID int
}

// Error tells what to do.
func (e *LockedError) Error() string {
	by := "another process"
	switch e.PID {
	case 0:
	case os.Getpid():
		by = "this process"
	default:
		by = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("the session %s is in use by %s; end that first, or fork the session", e.Path, by)
}

// errReplaced means that the path led to another file by the time of the lock.
var errReplaced = errors.New("the session file was replaced while it was being opened")

// lock keeps others from writing a file. The operating system drops it with the process.
type lock struct{ f *flock.Flock }

// acquire locks the open file of a session. Where a file system has no locks, the session
// goes without.
func acquire(path string, file *os.File) (*lock, error) {
	l := &lock{flock.New(lockPath(path), flock.SetFlag(lockFlag), flock.SetPermissions(0o600))}
	locked, err := l.f.TryLock()
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil, nil
	case errors.Is(err, os.ErrNotExist):
		return nil, errReplaced
	case err != nil:
		return nil, fmt.Errorf("lock session: %w", err)
	case !locked:
		return nil, &LockedError{Path: path, PID: holder(file)}
	}
	if !isCurrent(path, file) {
		l.release()
		return nil, errReplaced
	}
	return l, nil
}

// isCurrent reports whether path still leads to the open file.
func isCurrent(path string, file *os.File) bool {
	byPath, err := os.Stat(path)
	if err != nil {
		return false
	}
	opened, err := file.Stat()
	return err == nil && os.SameFile(byPath, opened)
}

func (l *lock) release() {
	if l != nil {
		l.f.Unlock()
	}
}
