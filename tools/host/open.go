package host

import (
	"context"
	"io"
	"io/fs"
	"os"
	"time"
)

// Open asks the system for no more than it must: a search opens many files. What can make a
// reader wait has deadlines, and is looked at closely; files on a disk have none.
func (local) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	if f.SetReadDeadline(time.Time{}) != nil {
		return f, nil
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return interruptible(ctx, f), nil
}

// interruptible returns a file whose reads end when ctx is done. Some files of the kernel need
// that, such as /proc/kmsg.
func interruptible(ctx context.Context, f *os.File) io.ReadCloser {
	w := &waiting{File: f, ctx: ctx}
	w.stop = context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Unix(1, 0)) })
	return w
}

// waiting is a file whose reads can wait for data.
type waiting struct {
	*os.File
	ctx  context.Context
	stop func() bool
}

// Read returns the cause of the end of the context, if that ended the wait.
func (w *waiting) Read(p []byte) (int, error) {
	n, err := w.File.Read(p)
	if err != nil && w.ctx.Err() != nil {
		err = context.Cause(w.ctx)
	}
	return n, err
}

// Close closes the file.
func (w *waiting) Close() error {
	w.stop()
	return w.File.Close()
}
