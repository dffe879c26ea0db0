//go:build !unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

var errIsDir = errors.New("is a directory")

func copyMetadata(*os.File, fs.FileInfo) error { return nil }

// syncDir does nothing: folders cannot be synced here, and renames are journalled.
func syncDir(string) error { return nil }
