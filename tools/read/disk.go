package read

import (
	"context"
	"io"
	"io/fs"
	"os"
)

// Disk is the local file system.
var Disk Files = disk{}

type disk struct{}

func (disk) Stat(_ context.Context, path string) (fs.FileInfo, error) { return os.Stat(path) }

func (disk) Open(_ context.Context, path string) (io.ReadCloser, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = mustBeRegular(path, info.Mode())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
