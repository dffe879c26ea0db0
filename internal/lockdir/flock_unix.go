//go:build unix && !solaris && !aix

package lockdir

import (
	"os"

	"golang.org/x/sys/unix"
)

// flockWorks says that the system has flock.
const flockWorks = true

// flock opens a folder and locks it; nil if another process has it locked, or if the file system
// has no such locks.
func flock(dir string) *os.File {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		_ = f.Close()
		return nil
	}
	return f
}
