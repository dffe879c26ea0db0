package script

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// The bits of flags that scripts know, which are those of Linux.
const (
	flagWriteOnly = 1
	flagReadWrite = 2
	flagCreate    = 64
	flagExclusive = 128
	flagTruncate  = 512
	flagAppend    = 1024
)

// descriptorArg is about an open file. Position is -1 for where it stands.
type descriptorArg struct {
	FD       int     `json:"fd"`
	Data     []byte  `json:"data"`
	Length   int64   `json:"length"`
	Position int64   `json:"position"`
	Mode     uint32  `json:"mode"`
	Atime    float64 `json:"atime"`
	Mtime    float64 `json:"mtime"`
}

// descriptorOps are the operations of open files. What is open was allowed when it was opened.
func (s *system) descriptorOps() Table {
	with := func(fn func(f *os.File, a *descriptorArg) (any, error)) Op {
		return Typed(func(_ context.Context, a descriptorArg) (any, error) {
			f, err := s.file(a.FD)
			if err != nil {
				return nil, err
			}
			return fn(f, &a)
		})
	}
	// A file that may only be read is not changed by its descriptor either.
	change := func(fn func(f *os.File, a *descriptorArg) error) Op {
		return Typed(func(ctx context.Context, a descriptorArg) (any, error) {
			f, err := s.file(a.FD)
			if err == nil {
				err = permit(ctx, Access{Kind: Write, Subject: f.Name()})
			}
			if err == nil {
				err = fn(f, &a)
			}
			return nil, err
		})
	}
	return Table{
		"fs.open": s.onFiles(toOpen, s.openFile), "fs.close": with(s.closeFile), "fs.read": with(readAt), "fs.write": with(writeAt),
		"fs.fstat":     with(func(f *os.File, _ *descriptorArg) (any, error) { return stat(f.Stat()) }),
		"fs.ftruncate": with(func(f *os.File, a *descriptorArg) (any, error) { return nil, f.Truncate(a.Length) }),
		"fs.fsync":     with(func(f *os.File, _ *descriptorArg) (any, error) { return nil, f.Sync() }),
		"fs.fchmod":    change(func(f *os.File, a *descriptorArg) error { return f.Chmod(fs.FileMode(a.Mode)) }),
		"fs.futimes": change(func(f *os.File, a *descriptorArg) error {
			return os.Chtimes(f.Name(), time.UnixMicro(int64(a.Atime*1000)), time.UnixMicro(int64(a.Mtime*1000)))
		}),
	}
}

// file is an open file of the script.
func (s *system) file(fd int) (*os.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.files[fd]; f != nil {
		return f, nil
	}
	return nil, &Error{Code: "EBADF", Errno: -9, Message: "EBADF: bad file descriptor"}
}

func toOpen(a *pathArg) (list []Access) {
	if a.Flags&flagWriteOnly == 0 {
		list = append(list, Access{Kind: Read, Subject: a.Path})
	}
	if a.Flags&(flagWriteOnly|flagReadWrite|flagCreate|flagTruncate|flagAppend) != 0 {
		list = append(list, Access{Kind: Write, Subject: a.Path})
	}
	return list
}

func (s *system) openFile(a *pathArg) (any, error) {
	flags := os.O_RDONLY
	for bit, flag := range map[int]int{
		flagWriteOnly: os.O_WRONLY, flagReadWrite: os.O_RDWR, flagCreate: os.O_CREATE,
		flagExclusive: os.O_EXCL, flagTruncate: os.O_TRUNC, flagAppend: os.O_APPEND,
	} {
		if a.Flags&bit != 0 {
			flags |= flag
		}
	}
	f, err := os.OpenFile(a.Path, flags, fs.FileMode(a.Mode))
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened++
	fd := firstDescriptor + s.opened
	s.files[fd] = f
	return fd, nil
}

// firstDescriptor is above those that a process has from its start.
const firstDescriptor = 100

func (s *system) closeFile(f *os.File, a *descriptorArg) (any, error) {
	s.mu.Lock()
	delete(s.files, a.FD)
	s.mu.Unlock()
	return nil, f.Close()
}

func readAt(f *os.File, a *descriptorArg) (any, error) {
	p := make([]byte, min(max(a.Length, 0), maxFile))
	var n int
	var err error
	if a.Position >= 0 {
		n, err = f.ReadAt(p, a.Position)
	} else {
		n, err = f.Read(p)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return p[:n], nil
}

func writeAt(f *os.File, a *descriptorArg) (any, error) {
	if a.Position >= 0 {
		return f.WriteAt(a.Data, a.Position)
	}
	return f.Write(a.Data)
}
