package tui

import (
	"context"
	"io"
	"os"

	"github.com/charmbracelet/x/term"
)

// Device is a terminal to draw on, such as that of a connection by SSH.
type Device interface {
	// Input is where keys are read from.
	Input() io.Reader
	// Write writes text and sequences.
	io.Writer
	// Size returns columns and rows.
	Size() (columns, rows int)
	// Raw switches the device over for a program that draws; restore undoes that.
	Raw() (restore func(), err error)
	// Watch calls fn when the size has changed, until ctx is done.
	Watch(ctx context.Context, fn func())
}

// guarded is a device that can be switched back by another process if this one is killed.
type guarded interface {
	// guard begins that, and returns what ends it. It may be called on any goroutine.
	guard() (dismiss func())
}

// tty is the terminal of a process.
type tty struct{ in, out *os.File }

// Input implements [Device].
func (t tty) Input() io.Reader { return t.in }

// Write implements [Device].
func (t tty) Write(p []byte) (int, error) { return t.out.Write(p) }

// Size implements [Device].
func (t tty) Size() (columns, rows int) {
	columns, rows, err := term.GetSize(t.out.Fd())
	if err != nil || columns <= 0 || rows <= 0 {
		return 80, 24
	}
	return columns, rows
}

// Raw implements [Device].
func (t tty) Raw() (restore func(), err error) {
	state, err := makeRaw(t.in, t.out)
	if err != nil {
		return nil, err
	}
	return func() { _ = term.Restore(t.in.Fd(), state) }, nil
}

// Watch implements [Device].
func (t tty) Watch(ctx context.Context, fn func()) { watchSize(ctx, t, fn) }

// Usable reports whether the files are a terminal that can be drawn on.
func Usable(in, out *os.File) bool {
	return term.IsTerminal(in.Fd()) && term.IsTerminal(out.Fd()) && os.Getenv("TERM") != "dumb"
}
