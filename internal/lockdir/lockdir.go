// Package lockdir makes processes take turns at a file. The lock is a folder beside it with
// the suffix .lock, which only one process can make: the protocol of the npm package
// proper-lockfile, so that programs that use that one keep to it as well.
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
	// stale is the age at which a lock belongs to a process that has died. Whoever holds
	// one for longer would have to renew it.
	stale = 10 * time.Second
	pause = 10 * time.Millisecond
	// renewal is how often [Keep] says that the holder lives.
	renewal = 3 * time.Second
)

// Hold takes the lock of the file at path, which need not exist, and waits for it until ctx
// is done. The holder must release it within ten seconds.
func Hold(ctx context.Context, path string) (release func(), err error) {
	dir := lockOf(path)
	for {
		err := os.Mkdir(dir, 0o700)
		if err == nil {
			return func() { os.Remove(dir) }, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > stale {
			os.Remove(dir)
			continue
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("lock %s: another process holds %s; if none does, remove it: %w", path, dir, context.Cause(ctx))
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

// Keep is Hold for work that may take longer: the lock stays fresh until it is released.
func Keep(ctx context.Context, path string) (release func(), err error) {
	remove, err := Hold(ctx, path)
	if err != nil {
		return nil, err
	}
	dir := lockOf(path)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		ticker := time.NewTicker(renewal)
		defer ticker.Stop()
		for {
			select {
			case now := <-ticker.C:
				_ = os.Chtimes(dir, now, now) // a lock that is gone is somebody else's soon
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
		remove()
	}, nil
}
