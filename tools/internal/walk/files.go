package walk

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Files is where files are searched. Paths are absolute.
type Files interface {
	// Stat describes what a path leads to, with links followed.
	Stat(ctx context.Context, path string) (fs.FileInfo, error)
	// ReadDir lists a folder in the order of the names, links not followed. With an error
	// it returns what it could read.
	ReadDir(ctx context.Context, path string) ([]fs.DirEntry, error)
	// Open opens a regular file for reading.
	Open(ctx context.Context, path string) (io.ReadCloser, error)
}

// Disk is the local disk.
var Disk Files = disk{}

type disk struct{}

func (disk) Stat(_ context.Context, path string) (fs.FileInfo, error)      { return os.Stat(path) }
func (disk) ReadDir(_ context.Context, path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }
func (disk) Open(_ context.Context, path string) (io.ReadCloser, error)    { return os.Open(path) }

// real is the path without links: ignore files above it count, as they do for Git.
func real(files Files, path string) string {
	if files != Disk {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
