// Package lockdir makes processes take turns at a file. The lock is a folder beside it with
// the suffix .lock, which only one process can make: the protocol of the npm package
// proper-lockfile, so that programs that use that one keep to it as well.
//
// # A holder that has died
//
// proper-lockfile judges by time alone: a lock that has not been renewed for ten seconds is
// anybody's. That is what counts here for locks of other programs, and also for those that are dated
// as far in the future. A lock of this package is held with flock besides, and marked as such in its
// time: the system lets go of it when the process ends, however it ends, so that the next one can take
// the lock at once, and one whose holder lives is never taken. Where the system or the file system has
// no such locks, time counts.
package lockdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	suffix = ".lock"
	// Stale is the age at which a lock of another program belongs to a process that has died. To
	// wait for a lock for less time than this fails although nobody holds it.
	Stale = 10 * time.Second
	pause = 10 * time.Millisecond
	// renewal is how often [Keep] says that the holder lives.
	renewal = 3 * time.Second
	// mark is the part of a second in the time of a lock that is held with flock as well.
	mark = 271_828_183 * time.Nanosecond
)

// Hold takes the lock of the file at path, which need not exist, and waits for it until ctx
// is done. The holder must release it within ten seconds.
func Hold(ctx context.Context, path string) (release func(), err error) {
	l, err := take(ctx, path)
	if err != nil {
		return nil, err
	}
	return l.release, nil
}

// Keep is Hold for work that may take longer: the lock stays fresh until it is released.
func Keep(ctx context.Context, path string) (release func(), err error) {
	l, err := take(ctx, path)
	if err != nil {
		return nil, err
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		ticker := time.NewTicker(renewal)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				l.stamp() // a lock that is gone is another process's soon
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
		l.release()
	}, nil
}

// lock is a lock that this process holds.
type lock struct {
	dir  string
	held *os.File // the folder, with flock; nil where that does not work
}

// take waits for the lock of a file.
func take(ctx context.Context, path string) (*lock, error) {
	l := &lock{dir: lockOf(path)}
	for {
		err := os.Mkdir(l.dir, 0o700)
		if err == nil {
			l.held = flock(l.dir)
			l.stamp()
			return l, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if abandoned(l.dir) {
			continue
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("lock %s: another process holds %s; if none does, remove it: %w", path, l.dir, context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}

// lockOf returns the lock of a file, which is beside the file itself and not beside a link to
// it: others may know the file by another name.
func lockOf(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return path + suffix
}

// stamp gives the lock the present time, and the mark if it is held with flock.
func (l *lock) stamp() {
	now := time.Now()
	if l.held != nil {
		now = now.Truncate(time.Second).Add(mark)
	}
	_ = os.Chtimes(l.dir, now, now)
}

// release gives the lock up, unless it is another process's by now.
func (l *lock) release() {
	if l.held == nil {
		_ = os.Remove(l.dir)
		return
	}
	if same(l.held, l.dir) {
		_ = os.Remove(l.dir)
	}
	_ = l.held.Close()
}

// abandoned takes a lock away whose holder has died, and reports whether it has.
func abandoned(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	age := time.Since(info.ModTime())
	if marked(info) {
		held := flock(dir)
		if held != nil { // nobody else has it, so that its holder has died
			defer held.Close()
			return same(held, dir) && os.Remove(dir) == nil
		}
		if flockWorks {
			return false
		}
	}
	return (age > Stale || age < -Stale) && os.Remove(dir) == nil
}

// marked reports whether a lock is held with flock as well.
func marked(info fs.FileInfo) bool {
	return time.Duration(info.ModTime().Nanosecond()) == mark
}

// same reports whether a folder is still the one that is open.
func same(open *os.File, dir string) bool {
	a, err := open.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(dir)
	return err == nil && os.SameFile(a, b)
}
