package host

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"

	"github.com/rondo-agent/rondo/internal/atomicfile"
)

// Local is this machine.
var Local Host = local{}

type local struct{}

// Stat is [os.Stat].
func (local) Stat(_ context.Context, path string) (fs.FileInfo, error) { return os.Stat(path) }

// ReadDir is [os.ReadDir].
func (local) ReadDir(_ context.Context, path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }

// MkdirAll is [os.MkdirAll]; the umask limits who may enter the folders.
func (local) MkdirAll(_ context.Context, dir string) error { return os.MkdirAll(dir, 0o777) }

// WriteFile keeps what the file has besides its content; see package atomicfile.
func (local) WriteFile(_ context.Context, path string, data []byte) error {
	return atomicfile.Write(path, data, nil)
}

// ReplaceFile compares the content last of all, so that little time is left for another program.
func (h local) ReplaceFile(ctx context.Context, path string, old, data []byte) error {
	return atomicfile.Write(path, data, &atomicfile.Options{Check: func() error {
		now, err := ReadFile(ctx, h, path, int64(len(old)))
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil || !bytes.Equal(now, old) {
			return ErrChanged
		}
		return nil
	}})
}

// Create opens the file with mode 0600.
func (local) Create(_ context.Context, path string) (io.WriteCloser, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
}

// Remove is [os.Remove].
func (local) Remove(_ context.Context, path string) error { return os.Remove(path) }

// TempDir is [os.TempDir].
func (local) TempDir() string { return os.TempDir() }

// HomeDir is the user's.
func (local) HomeDir() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}
