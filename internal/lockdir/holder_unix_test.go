//go:build unix && !solaris && !aix

package lockdir_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/internal/lockdir"
)

// holderVariable makes the test binary a process that holds the lock of the file in it.
const holderVariable = "LOCKDIR_HOLD"

func TestMain(m *testing.M) {
	if path := os.Getenv(holderVariable); path != "" {
		if _, err := lockdir.Hold(context.Background(), path); err != nil {
			os.Exit(1)
		}
		os.Stdout.WriteString("held\n")
		time.Sleep(time.Hour) // until it is killed
	}
	os.Exit(m.Run())
}

// holder starts a process that holds a lock.
func holder(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holderVariable+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the holder says %q: %v", line, err)
	}
	return cmd
}

// A lock whose holder was killed is free at once, and not after the time that proper-lockfile
// waits.
func TestALockOfAKilledProcessIsTakenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	cmd := holder(t, path)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if _, err := os.Stat(path + ".lock"); err != nil {
		t.Fatalf("the killed process has left no lock: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), lockdir.Stale/2)
	defer cancel()
	release, err := lockdir.Hold(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	release()
}

// A lock whose holder lives is never taken, whatever its time says.
func TestALockOfALivingProcessIsNotTaken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	holder(t, path)
	info, err := os.Stat(path + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	for _, age := range []time.Duration{time.Hour, -time.Hour} {
		then := info.ModTime().Add(-age)
		if err := os.Chtimes(path+".lock", then, then); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		if _, err := lockdir.Hold(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("dated %v ago: Hold: %v", age, err)
		}
		cancel()
	}
}
