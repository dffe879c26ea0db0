//go:build unix

package host_test

import (
	"errors"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/host/hosttest"
)

func TestLocalCommands(t *testing.T) { hosttest.Commands(t, onDisk) }

func TestPipeInPlaceOfTheFile(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := host.Local.Open(t.Context(), fifo)
	if err == nil {
		f.Close()
	}
	if runtime.GOOS == "linux" && !errors.Is(err, host.ErrNotRegular) {
		t.Errorf("the pipe was opened: %v", err)
	}
}
