//go:build unix

package host

import "syscall"

// nonBlocking keeps open from waiting for a pipe's writer, should a pipe have taken the
// place of the file since it was looked at.
const nonBlocking = syscall.O_NONBLOCK
