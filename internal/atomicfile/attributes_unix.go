//go:build linux || darwin

package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// links is how many names a file has.
func links(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink) //nolint:unconvert // it is narrower on other systems
	}
	return 1
}

// copyAttributes gives f the extended attributes of the file at path, access lists among them. A
// file system without attributes has none to lose.
func copyAttributes(f *os.File, path string) error {
	list, err := attribute(func(buf []byte) (int, error) { return unix.Listxattr(path, buf) })
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOSYS) {
		return nil
	}
	if err != nil {
		return err
	}
	fd := int(f.Fd())
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		if name == "" {
			continue
		}
		value, err := attribute(func(buf []byte) (int, error) { return unix.Getxattr(path, name, buf) })
		if err != nil {
			return err
		}
		is, err := attribute(func(buf []byte) (int, error) { return unix.Fgetxattr(fd, name, buf) })
		if err == nil && bytes.Equal(is, value) {
			continue // such as the label of a system's policy
		}
		if err := unix.Fsetxattr(fd, name, value, 0); err != nil {
			return err
		}
	}
	return nil
}

// attribute calls get for the size and for the content, again if that grows in between.
func attribute(get func([]byte) (int, error)) ([]byte, error) {
	for {
		size, err := get(nil)
		if err != nil || size == 0 {
			return nil, err
		}
		buf := make([]byte, size)
		n, err := get(buf)
		if errors.Is(err, unix.ERANGE) {
			continue
		}
		return buf[:max(n, 0)], err
	}
}
