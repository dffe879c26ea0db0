package lockdir_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/internal/lockdir"
)

func TestOneHolderAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	var wg sync.WaitGroup
	var holders atomic.Int32
	for range 8 {
		wg.Go(func() {
			release, err := lockdir.Hold(t.Context(), path)
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			if n := holders.Add(1); n != 1 {
				t.Errorf("%d holders", n)
			}
			time.Sleep(time.Millisecond)
			holders.Add(-1)
		})
	}
	wg.Wait()
	if _, err := os.Stat(path + ".lock"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock is still there: %v", err)
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	release, err := lockdir.Hold(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := lockdir.Hold(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("Hold: %v", err)
	}
}

// A lock of another program counts for ten seconds, in either direction: a clock that was wrong may
// have dated it in the future.
func TestALockOfADeadProcessIsTaken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	for _, age := range []time.Duration{time.Minute, lockdir.Stale + time.Second, -time.Minute, -10_000 * time.Hour} {
		if err := os.Mkdir(path+".lock", 0o755); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(path+".lock", then, then); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), lockdir.Stale/2)
		release, err := lockdir.Hold(ctx, path)
		cancel()
		if err != nil {
			t.Fatalf("dated %v ago: %v", age, err)
		}
		release()
	}
}

// A fresh lock of another program is waited for.
func TestALockOfAnotherProgramIsWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.Mkdir(path+".lock", 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := lockdir.Hold(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Hold: %v", err)
	}
}

// A holder that was slow does not take away the lock of the one after it.
func TestALateHolderLeavesTheNextLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	late, err := lockdir.Hold(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path + ".lock"); err != nil { // as proper-lockfile does after ten seconds
		t.Fatal(err)
	}
	release, err := lockdir.Hold(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	late()
	if _, err := os.Stat(path + ".lock"); err != nil {
		t.Errorf("the lock of the next holder is gone: %v", err)
	}
	release()
}

func TestAMissingFolderIsSaid(t *testing.T) {
	if _, err := lockdir.Hold(t.Context(), filepath.Join(t.TempDir(), "none", "x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Hold: %v", err)
	}
}

// TestAKeptLockStaysFresh sets the lock back to the age of a dead process's: its holder makes
// it young again.
func TestAKeptLockStaysFresh(t *testing.T) {
	path := filepath.Join(t.TempDir(), "auth.json")
	release, err := lockdir.Keep(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-9 * time.Second)
	if err := os.Chtimes(path+".lock", old, old); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		info, err := os.Stat(path + ".lock")
		if err != nil || time.Now().After(end) {
			t.Fatalf("the lock was not renewed: %v", err)
		}
		if time.Since(info.ModTime()) < 5*time.Second {
			break
		}
	}
	release()
	if _, err := os.Stat(path + ".lock"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock is still there: %v", err)
	}
}

// TestAFileHasOneLock whatever name it is known by.
func TestAFileHasOneLock(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "auth.json"), filepath.Join(dir, "link.json")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	release, err := lockdir.Hold(t.Context(), link)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := lockdir.Hold(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the file has another lock than the link: %v", err)
	}
	release()
	if release, err = lockdir.Keep(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	release()
}
