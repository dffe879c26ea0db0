package jsonl

import "os"

// A lock keeps others from reading on Windows; so a file beside the session is locked.
const (
	lockFlag = os.O_RDWR | os.O_CREATE
	lockSelf = false
)

func lockPath(path string) string { return path + ".writer" }
