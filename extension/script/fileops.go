package script

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// maxFile bounds what a script reads at once.
const maxFile = 256 << 20

type pathArg struct {
	Path      string  `json:"path"`
	To        string  `json:"to"`
	Data      []byte  `json:"data"`
	Text      string  `json:"text"`
	Flag      string  `json:"flag"`
	Flags     int     `json:"flags"` // bits
	Mode      uint32  `json:"mode"`
	Recursive bool    `json:"recursive"`
	Force     bool    `json:"force"`
	Exclusive bool    `json:"exclusive"`
	Length    int64   `json:"length"`
	Start     int64   `json:"start"`
	AsText    bool    `json:"asText"`
	UID       int     `json:"uid"`
	GID       int     `json:"gid"`
	Atime     float64 `json:"atime"`
	Mtime     float64 `json:"mtime"`

	asked string // the path as the script has given it
}

// fileOps are the operations of node:fs. Each is used both synchronously and not.
func (s *system) fileOps() Table {
	read := func(fn func(a *pathArg) (any, error)) Op { return s.onPath(Read, fn) }
	write := func(fn func(a *pathArg) (any, error)) Op { return s.onPath(Write, fn) }
	return Table{
		"fs.readFile":  read(readFile),
		"fs.stat":      read(func(a *pathArg) (any, error) { return stat(os.Stat(a.Path)) }),
		"fs.lstat":     s.onLink(Read, func(a *pathArg) (any, error) { return stat(os.Lstat(a.Path)) }),
		"fs.exists":    read(func(a *pathArg) (any, error) { _, err := os.Stat(a.Path); return err == nil, nil }),
		"fs.access":    read(access),
		"fs.readdir":   read(readdir),
		"fs.realpath":  read(func(a *pathArg) (any, error) { return filepath.EvalSymlinks(a.Path) }),
		"fs.readlink":  s.onLink(Read, func(a *pathArg) (any, error) { return os.Readlink(a.Path) }),
		"fs.writeFile": write(writeFile),
		"fs.mkdir":     write(mkdir),
		"fs.mkdtemp":   write(mkdtemp),
		"fs.rm":        s.onLink(Write, remove),
		"fs.unlink":    s.onLink(Write, unlink),
		"fs.rmdir":     write(rmdir),
		"fs.chmod":     write(func(a *pathArg) (any, error) { return nil, os.Chmod(a.Path, fs.FileMode(a.Mode)) }),
		"fs.truncate":  write(func(a *pathArg) (any, error) { return nil, os.Truncate(a.Path, a.Length) }),
		"fs.utimes":    write(utimes),
		"fs.rename": s.onFiles(func(a *pathArg) []Access {
			return []Access{{Kind: Write, Subject: a.Path, link: true}, {Kind: Write, Subject: a.To, link: true}}
		}, func(a *pathArg) (any, error) { return nil, os.Rename(a.Path, a.To) }),
		"fs.copyFile": s.onFiles(func(a *pathArg) []Access {
			return []Access{{Kind: Read, Subject: a.Path}, {Kind: Write, Subject: a.To}}
		}, copyFile),
		// What a link leads to can be reached through it.
		"fs.symlink": Reaching(func(a *pathArg) []Access {
			a.Path = s.path(a.Path)
			to := a.To
			if !filepath.IsAbs(to) {
				to = filepath.Dir(a.Path) + string(filepath.Separator) + to
			}
			return []Access{{Kind: Write, Subject: a.Path, link: true}, {Kind: Read, Subject: to}, {Kind: Write, Subject: to}}
		}, func(_ context.Context, a pathArg) (any, error) { return nil, os.Symlink(a.To, a.Path) }),
		"fs.link": s.onFiles(func(a *pathArg) []Access {
			return []Access{{Kind: Read, Subject: a.Path, link: true}, {Kind: Write, Subject: a.Path, link: true}, {Kind: Write, Subject: a.To, link: true}}
		}, func(a *pathArg) (any, error) { return nil, os.Link(a.Path, a.To) }),
		"fs.chown": write(func(a *pathArg) (any, error) { return nil, os.Chown(a.Path, a.UID, a.GID) }),
		"fs.watch": s.watch(),
	}.Add(s.descriptorOps())
}

// onPath makes an operation on what a path leads to.
func (s *system) onPath(kind Kind, fn func(a *pathArg) (any, error)) Op {
	return s.onFiles(func(a *pathArg) []Access { return []Access{{Kind: kind, Subject: a.Path}} }, fn)
}

// onLink makes an operation on a path that does not follow a link at its end.
func (s *system) onLink(kind Kind, fn func(a *pathArg) (any, error)) Op {
	return s.onFiles(func(a *pathArg) []Access { return []Access{{Kind: kind, Subject: a.Path, link: true}} }, fn)
}

// onFiles makes an operation on one path or two, which are absolute when it is called.
func (s *system) onFiles(accesses func(a *pathArg) []Access, fn func(a *pathArg) (any, error)) Op {
	return Reaching(func(a *pathArg) []Access {
		a.asked, a.Path = a.Path, s.path(a.Path)
		if a.To != "" {
			a.To = s.path(a.To)
		}
		return accesses(a)
	}, func(_ context.Context, a pathArg) (any, error) {
		out, err := fn(&a)
		if pe, ok := errors.AsType[*fs.PathError](err); ok && pe.Path == a.Path {
			err = &fs.PathError{Op: pe.Op, Path: a.asked, Err: pe.Err} // Node names paths as they were given
		}
		return out, err
	})
}

// readFile returns the text, or the bytes as base64.
func readFile(a *pathArg) (any, error) {
	f, err := os.Open(a.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &Error{Code: "EISDIR", Errno: -21, Syscall: "read", Message: "EISDIR: illegal operation on a directory, read"}
	}
	if a.Start > 0 {
		if _, err := f.Seek(a.Start, io.SeekStart); err != nil {
			return nil, err
		}
	}
	limit := int64(maxFile)
	if a.Length > 0 && a.Length < limit {
		limit = a.Length
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		if a.Length <= 0 {
			return nil, &Error{Code: "ERR_FS_FILE_TOO_LARGE", Message: "File " + a.Path + " is larger than 256 MiB: read it in parts, with createReadStream"}
		}
		data = data[:limit]
	}
	if a.AsText {
		return decodeBytes(data, "utf8")
	}
	return data, nil
}

func writeFile(a *pathArg) (any, error) {
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	switch a.Flag {
	case "a", "a+":
		flags = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	case "wx", "wx+":
		flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	case "ax", "ax+":
		flags = os.O_WRONLY | os.O_CREATE | os.O_APPEND | os.O_EXCL
	case "r+":
		flags = os.O_WRONLY
	}
	mode := fs.FileMode(0o666)
	if a.Mode != 0 {
		mode = fs.FileMode(a.Mode)
	}
	f, err := os.OpenFile(a.Path, flags, mode)
	if err != nil {
		return nil, err
	}
	data := a.Data
	if data == nil {
		data = []byte(a.Text)
	}
	_, err = f.Write(data)
	return nil, errors.Join(err, f.Close())
}

// fileInfo is what JavaScript makes a Stats or a Dirent of. Times are milliseconds.
type fileInfo struct {
	Name  string  `json:"name"`
	Type  string  `json:"type"`
	Mode  uint32  `json:"mode"`
	Size  int64   `json:"size"`
	Mtime float64 `json:"mtimeMs"`
	Dir   string  `json:"dir,omitzero"`
	fileIDs
}

type fileIDs struct {
	Ino   uint64 `json:"ino,omitzero"`
	Dev   uint64 `json:"dev,omitzero"`
	Nlink uint64 `json:"nlink,omitzero"`
	UID   uint32 `json:"uid,omitzero"`
	GID   uint32 `json:"gid,omitzero"`
}

func stat(info fs.FileInfo, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return fileInfo{Name: info.Name(), Type: typeOf(info.Mode()), Mode: nodeMode(info.Mode()), Size: info.Size(), Mtime: float64(info.ModTime().UnixMicro()) / 1000, fileIDs: idsOf(info)}, nil
}

func typeOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "directory"
	case m&fs.ModeSymlink != 0:
		return "link"
	case m&fs.ModeNamedPipe != 0:
		return "fifo"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeCharDevice != 0:
		return "character"
	case m&fs.ModeDevice != 0:
		return "block"
	}
	return "file"
}

// nodeMode is the mode with the type's bits, as stat(2) has them.
func nodeMode(m fs.FileMode) uint32 {
	bits := map[string]uint32{"directory": 0o040000, "link": 0o120000, "fifo": 0o010000, "socket": 0o140000, "character": 0o020000, "block": 0o060000, "file": 0o100000}
	return bits[typeOf(m)] | uint32(m.Perm())
}

func access(a *pathArg) (any, error) {
	const write, read = 2, 4
	info, err := os.Stat(a.Path)
	if err != nil {
		if pe, ok := errors.AsType[*fs.PathError](err); ok {
			pe.Op = "access"
		}
		return nil, err
	}
	flags := -1
	switch {
	case info.IsDir() || a.Mode&(read|write) == 0:
	case a.Mode&write != 0:
		flags = os.O_WRONLY
	default:
		flags = os.O_RDONLY
	}
	if flags < 0 {
		return nil, nil
	}
	f, err := os.OpenFile(a.Path, flags, 0)
	if err != nil {
		if pe, ok := errors.AsType[*fs.PathError](err); ok {
			pe.Op = "access"
		}
		return nil, err
	}
	return nil, f.Close()
}

func readdir(a *pathArg) (any, error) {
	list := []fileInfo{}
	if !a.Recursive {
		entries, err := os.ReadDir(a.Path)
		if pe, ok := errors.AsType[*fs.PathError](err); ok {
			pe.Op = "scandir"
		}
		for _, e := range entries {
			list = append(list, fileInfo{Name: e.Name(), Type: typeOf(e.Type()), Dir: a.Path})
		}
		return list, err
	}
	err := filepath.WalkDir(a.Path, func(p string, e fs.DirEntry, err error) error {
		if err != nil || p == a.Path {
			return err
		}
		list = append(list, fileInfo{Name: e.Name(), Type: typeOf(e.Type()), Dir: filepath.Dir(p)})
		return nil
	})
	return list, err
}

func mkdir(a *pathArg) (any, error) {
	mode := fs.FileMode(0o777)
	if a.Mode != 0 {
		mode = fs.FileMode(a.Mode)
	}
	if a.Recursive {
		return nil, os.MkdirAll(a.Path, mode)
	}
	return nil, os.Mkdir(a.Path, mode)
}

func mkdtemp(a *pathArg) (any, error) {
	return os.MkdirTemp(filepath.Dir(a.Path), filepath.Base(a.Path)+"*")
}

func remove(a *pathArg) (any, error) {
	info, err := os.Lstat(a.Path)
	if err != nil {
		if a.Force && errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	if info.IsDir() && !a.Recursive {
		return nil, &Error{Name: "SystemError", Code: "ERR_FS_EISDIR", Syscall: "rm", Path: a.Path, Message: "Path is a directory: rm returned EISDIR (is a directory) " + a.Path}
	}
	return nil, os.RemoveAll(a.Path)
}

func unlink(a *pathArg) (any, error) {
	info, err := os.Lstat(a.Path)
	if err == nil && info.IsDir() {
		err = &Error{Code: "EPERM", Syscall: "unlink", Path: a.Path, Message: "EPERM: operation not permitted, unlink '" + a.Path + "'"}
	}
	if err == nil {
		err = os.Remove(a.Path)
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		pe.Op = "unlink"
	}
	return nil, err
}

func rmdir(a *pathArg) (any, error) {
	info, err := os.Lstat(a.Path)
	if err == nil && !info.IsDir() {
		return nil, &Error{Code: "ENOTDIR", Syscall: "rmdir", Path: a.Path, Message: "ENOTDIR: not a directory, rmdir '" + a.Path + "'"}
	}
	if a.Recursive {
		return nil, errors.Join(err, os.RemoveAll(a.Path))
	}
	if err == nil {
		err = os.Remove(a.Path)
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		pe.Op = "rmdir"
	}
	return nil, err
}

func utimes(a *pathArg) (any, error) {
	at := func(ms float64) time.Time { return time.UnixMicro(int64(ms * 1000)) }
	return nil, os.Chtimes(a.Path, at(a.Atime), at(a.Mtime))
}

func copyFile(a *pathArg) (any, error) {
	in, err := os.Open(a.Path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if a.Exclusive {
		flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	}
	out, err := os.OpenFile(a.To, flags, info.Mode().Perm())
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(out, in)
	return nil, errors.Join(err, out.Close())
}

// watchEvery is how often a file that is watched is looked at.
const watchEvery = 200 * time.Millisecond

// watch is an asynchronous operation that tells of changes until it is cancelled.
func (s *system) watch() Op {
	return Reaching(func(a *pathArg) []Access {
		a.Path = s.path(a.Path)
		return []Access{{Kind: Read, Subject: a.Path}}
	}, func(ctx context.Context, a pathArg) (any, error) {
		before := looks(a.Path)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return nil, nil
			case <-tick.C:
			}
			now := looks(a.Path)
			for name, look := range now {
				was, known := before[name]
				switch {
				case !known:
					emitJSON(ctx, []string{"rename", name})
				case was != look:
					emitJSON(ctx, []string{"change", name})
				}
			}
			for name := range before {
				if _, still := now[name]; !still {
					emitJSON(ctx, []string{"rename", name})
				}
			}
			before = now
		}
	})
}

type look struct {
	size int64
	time time.Time
}

// looks describes a file, or the files of a folder, by name.
func looks(path string) map[string]look {
	out := map[string]look{}
	info, err := os.Stat(path)
	if err != nil {
		return out
	}
	if !info.IsDir() {
		out[info.Name()] = look{info.Size(), info.ModTime()}
		return out
	}
	entries, _ := os.ReadDir(path)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			out[e.Name()] = look{info.Size(), info.ModTime()}
		}
	}
	return out
}
