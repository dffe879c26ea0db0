package jsonl

import (
	"errors"
	"fmt"
	"os"
	"time"

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
	locked, pid, err := l.try(file)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil, nil
	case errors.Is(err, os.ErrNotExist):
		return nil, errReplaced
	case err != nil:
		return nil, fmt.Errorf("lock session: %w", err)
	case !locked:
		return nil, &LockedError{Path: path, PID: pid}
	}
	if !isCurrent(path, file) {
		l.release()
		return nil, errReplaced
	}
	return l, nil
}

// lingering is how long a lock may outlive its holder. A process that is killed while it
// starts a command leaves a copy of its open files to the command, until that has begun.
const lingering = 500 * time.Millisecond

// try locks the file, unless a process that lives has done so, whose id is returned where it
// is known.
func (l *lock) try(file *os.File) (locked bool, pid int, err error) {
	for end := time.Now().Add(lingering); ; time.Sleep(time.Millisecond) {
		if locked, err = l.f.TryLock(); locked || err != nil {
			return locked, 0, err
		}
		if pid = holder(file); pid != 0 || time.Now().After(end) {
			return false, pid, nil
		}
	}
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
		_ = l.f.Unlock() // closing the file, or the end of the process, releases it as well
	}
}
