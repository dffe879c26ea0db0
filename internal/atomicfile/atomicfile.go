// Package atomicfile replaces files in one step: whoever reads the file sees the old
// content or the new one, never a part, and a write that fails leaves the old one.
//
// The new content is written to a hidden file in the same folder, which is then renamed.
// The file keeps its permissions, its extended attributes and, where the system allows it, its
// owner; a symbolic link is followed, not replaced.
//
// A file that has several names (hard links), or something that cannot be copied, is overwritten
// in place, which a reader can see. If that fails, the old content is put back.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Options are the details of [Write]. The zero value is ready to use.
type Options struct {
	// Perm is the mode of a new file before the umask; 0 means 0o666. An existing file
	// keeps its own.
	Perm fs.FileMode
	// Sync waits until content and name are on the disk, so that they survive a power
	// failure.
	Sync bool
	// Check, if set, runs when the new content is written and not yet in place. An
	// error leaves the old file and is returned as it is.
	Check func() error
}

// ErrNotRegular is the reason why folders, devices, sockets and pipes are not replaced.
var ErrNotRegular = errors.New("not a regular file")

// Write makes data the content of the file at path. Its folder must exist. Errors are
// [*fs.PathError] with the path of the file itself, except those of [Options.Check].
//
// A file that cannot be replaced but can be written, because its folder is read-only, it
// belongs to somebody else or it is mounted on its own, is overwritten in place.
func Write(path string, data []byte, opts *Options) error {
	if opts == nil {
		opts = &Options{}
	}
	target, old, err := inspect(path)
	if err != nil {
		return err
	}
	if old != nil && links(old) > 1 {
		return overwrite(target, data, opts)
	}
	err = replace(target, old, data, opts)
	if r, ok := errors.AsType[*replaceError](err); ok {
		if old == nil {
			return &fs.PathError{Op: "write", Path: path, Err: cause(r.err)}
		}
		return overwrite(target, data, opts)
	}
	return err
}

// replaceError is a failure that overwriting in place may not have.
type replaceError struct{ err error }

func (e *replaceError) Error() string { return e.err.Error() }

// cause is err without the name of the hidden file, which would only confuse.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}

// inspect follows links and describes the file to be replaced; nil if there is none. It
// refuses what a plain write would refuse as well: renaming ignores a file's own mode.
func inspect(path string) (string, fs.FileInfo, error) {
	target, err := follow(path)
	if err != nil {
		return "", nil, err
	}
	info, err := os.Stat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return target, nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	if !info.Mode().IsRegular() {
		return "", nil, &fs.PathError{Op: "write", Path: path, Err: irregular(info)}
	}
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return "", nil, err
	}
	return target, info, f.Close()
}

func irregular(info fs.FileInfo) error {
	if info.IsDir() {
		return errIsDir
	}
	return ErrNotRegular
}

// follow resolves symbolic links at the end of path, also one whose target is missing.
func follow(path string) (string, error) {
	target := path
	for range 40 {
		link, err := os.Readlink(target)
		if err != nil {
			return target, nil // not a link, or missing; other errors come back from Stat
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(parent(target), link)
		}
		target = link
	}
	return "", &fs.PathError{Op: "write", Path: path, Err: errors.New("too many symbolic links")}
}

// parent is the folder of path with links resolved, so that .. in a link's target means
// what the system takes it to mean.
func parent(path string) string {
	dir := filepath.Dir(path)
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		return resolved
	}
	return dir
}

func replace(target string, old fs.FileInfo, data []byte, opts *Options) error {
	temp, err := create(target, old, opts)
	if err != nil {
		return &replaceError{err}
	}
	name := temp.Name()
	if err := fill(temp, target, old, data, opts); err != nil {
		os.Remove(name)
		if _, ok := errors.AsType[*replaceError](err); ok {
			return err
		}
		return &fs.PathError{Op: "write", Path: target, Err: cause(err)}
	}
	if opts.Check != nil {
		if err := opts.Check(); err != nil {
			os.Remove(name)
			return err
		}
	}
	if err := os.Rename(name, target); err != nil {
		os.Remove(name)
		return &replaceError{err}
	}
	if opts.Sync {
		return syncDir(filepath.Dir(target))
	}
	return nil
}

// create makes the hidden file. Until it has the old file's mode nobody else may read it.
func create(target string, old fs.FileInfo, opts *Options) (*os.File, error) {
	perm := opts.Perm
	switch {
	case old != nil:
		perm = 0o600
	case perm == 0:
		perm = 0o666
	}
	name := filepath.Join(filepath.Dir(target), "."+stem(target)+"."+rand.Text()+hidden)
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
}

// hidden is how the name of a hidden file ends.
const hidden = ".tmp"

// stem is the part of a hidden file's name that says whose it is. A long name is cut, since the
// hidden one must not be too long.
func stem(target string) string {
	name := filepath.Base(target)
	return name[:min(len(name), 100)]
}

// Sweep removes hidden files that writes of the file at path have left behind, because their process
// was killed, if they are older than age. It is for files that hold secrets. Failures are nothing to
// tell: what cannot be removed stays.
func Sweep(path string, age time.Duration) {
	target, err := follow(path)
	if err != nil {
		return
	}
	entries, err := os.ReadDir(filepath.Dir(target))
	if err != nil {
		return
	}
	prefix := "." + stem(target) + "."
	for _, entry := range entries {
		text, ok := strings.CutPrefix(entry.Name(), prefix)
		if text, ours := strings.CutSuffix(text, hidden); !ok || !ours || len(text) != len(rand.Text()) {
			continue
		}
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) >= age {
			_ = os.Remove(filepath.Join(filepath.Dir(target), entry.Name()))
		}
	}
}

// fill writes the content and the old file's metadata, and closes temp.
func fill(temp *os.File, target string, old fs.FileInfo, data []byte, opts *Options) (err error) {
	defer func() {
		if closeErr := temp.Close(); err == nil {
			err = closeErr
		}
	}()
	if old != nil {
		if err := errors.Join(copyMetadata(temp, old), copyAttributes(temp, target)); err != nil {
			return &replaceError{err}
		}
	}
	if _, err := temp.Write(data); err != nil {
		return err
	}
	if opts.Sync {
		return temp.Sync()
	}
	return nil
}

// overwrite is the way of a plain write, for files that cannot be replaced.
func overwrite(target string, data []byte, opts *Options) error {
	old, err := os.ReadFile(target)
	if err != nil && !errors.Is(err, fs.ErrPermission) { // a file may be writable alone
		return err
	}
	if opts.Check != nil {
		if err := opts.Check(); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if writeErr := fillInPlace(f, data); writeErr != nil {
		err = errors.Join(writeErr, putBack(f, old))
	}
	if err == nil && opts.Sync {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// fillInPlace makes data the content of an open file. It takes room on the disk only for what is
// longer than before.
func fillInPlace(f *os.File, data []byte) error {
	if _, err := f.WriteAt(data, 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(data)))
}

// putBack restores the old content, for which there was room; nil if it is not known.
func putBack(f *os.File, old []byte) error {
	if old == nil {
		return nil
	}
	if err := f.Truncate(int64(len(old))); err != nil {
		return err
	}
	_, err := f.WriteAt(old, 0)
	return err
}
