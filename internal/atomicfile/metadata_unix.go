//go:build unix

package atomicfile

import (
	"io/fs"
	"os"
	"syscall"
)

const errIsDir = syscall.EISDIR

// copyMetadata gives f the owner and mode of old. Changing the owner clears mode bits, so
// the mode comes last.
func copyMetadata(f *os.File, old fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	was, ok := old.Sys().(*syscall.Stat_t)
	is, okNow := info.Sys().(*syscall.Stat_t)
	if ok && okNow && (was.Uid != is.Uid || was.Gid != is.Gid) {
		if err := f.Chown(int(was.Uid), int(was.Gid)); err != nil {
			return err
		}
	}
	return f.Chmod(old.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
