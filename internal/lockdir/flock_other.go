//go:build !unix || solaris || aix

package lockdir

import "os"

// flockWorks says that the system has flock.
const flockWorks = false

func flock(string) *os.File { return nil }
