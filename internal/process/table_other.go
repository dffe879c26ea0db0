//go:build unix && !linux && !darwin

package process

import (
	"errors"
	"syscall"
)

const reapsEarly = true

func dieWithParent(*syscall.SysProcAttr) {}

func awaitExit(int) {}

// processes is not implemented: only the command's group is signalled.
func processes() ([]entry, error) { return nil, errors.ErrUnsupported }

func marked(int, string) bool { return false }
