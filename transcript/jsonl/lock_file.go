//go:build !windows

package jsonl

import "os"

// The session file itself is locked, so that the lock leaves nothing behind and holds for
// every name of the file.
const (
	lockFlag = os.O_RDWR
	lockSelf = true
)

func lockPath(path string) string { return path }
