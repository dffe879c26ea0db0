//go:build unix

package read_test

import (
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rondo-agent/rondo/tools/read"
)

func TestWhatCouldBlockIsRefused(t *testing.T) {
	dir := folder(t, nil)
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Skip(err) // the path can be too long for a socket
	}
	defer l.Close()
	tool := read.New(dir, nil)
	for name, want := range map[string]string{"fifo": "is a pipe", "s": "is a socket", "/dev/zero": "is a device", "/dev/tty": "is a device"} {
		if _, err := call(t, tool, args{"path": name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
