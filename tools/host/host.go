// Package host is where the built-in tools do their work: the files and the commands of this
// machine ([Local]), or those of another place, such as a container or a machine behind SSH.
//
// A host is given to all tools at once (tools.Options.Host), so that a file that a command has
// made is the one that is read. Paths are absolute, and have the form of this machine
// (path/filepath). An error about something that does not exist is [fs.ErrNotExist]; every
// method ends soon after its ctx is done.
//
// The suite of package hosttest says what else is expected of a host.
package host

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/rondo-agent/rondo/internal/atomicfile"
)

// Host has the files and the commands of a place. Its methods may be called from any goroutine.
type Host interface {
	Files
	Commands
}

// Files are the files of a host.
type Files interface {
	Reader
	Writer
	Places
}

// Reader reads files and folders.
type Reader interface {
	// Stat describes what a path leads to, with links followed.
	Stat(ctx context.Context, path string) (fs.FileInfo, error)
	// ReadDir lists a folder in the order of the names, links not followed. With an error
	// it returns what it could read.
	ReadDir(ctx context.Context, path string) ([]fs.DirEntry, error)
	// Open opens for reading what Stat or ReadDir has called a regular file. If a folder, a pipe
	// or a device has taken its place since, it fails or the first read does; it never waits for
	// the writer of a pipe. A read that waits ends when ctx is done.
	Open(ctx context.Context, path string) (io.ReadCloser, error)
}

// Writer changes files.
type Writer interface {
	// MkdirAll makes a folder and those above it; one that exists is no error.
	MkdirAll(ctx context.Context, dir string) error
	// WriteFile makes data the content of a file in one step: a reader sees the old content or
	// the new one. The file need not exist, its folder must.
	WriteFile(ctx context.Context, path string, data []byte) error
	// ReplaceFile is WriteFile for a file whose content is old. If it is not so any more, it
	// returns [ErrChanged] and leaves the file.
	ReplaceFile(ctx context.Context, path string, old, data []byte) error
	// Create makes a file that nobody else may read, for writing. One that exists is
	// [fs.ErrExist].
	Create(ctx context.Context, path string) (io.WriteCloser, error)
	// Remove removes a file or an empty folder.
	Remove(ctx context.Context, path string) error
}

// Places is what a host knows of paths at once: its methods must not wait for a network. They are
// asked before the calls of an answer begin, to find out which of them write one file.
type Places interface {
	// Real returns a path with its links followed. What does not exist yet stays as it is
	// written, below the real path of what does; so does the target of a link that leads
	// nowhere. A host that cannot tell at once returns the path as it is.
	Real(path string) string
	// Exists says whether something is known to have the path, be it a link that leads nowhere.
	Exists(path string) bool
	// HomeDir is the folder that a leading ~ stands for; empty if there is none.
	HomeDir() string
	// TempDir is the folder for files that nobody keeps.
	TempDir() string
}

// Commands runs commands.
type Commands interface {
	// Run runs a shell command. It calls output with what the command writes to stdout and
	// stderr, one call at a time, and not any more after it has returned.
	//
	// When ctx is done it ends the command, with everything that it started, and returns an
	// error soon. Any other error says why the command could not be run; a command that fails
	// is none.
	Run(ctx context.Context, cmd *Command, output func([]byte)) (Exit, error)
}

// Exec is a function that runs commands; see [Commands] for what is expected of it.
type Exec func(ctx context.Context, cmd *Command, output func([]byte)) (Exit, error)

// Run calls the function.
func (e Exec) Run(ctx context.Context, cmd *Command, output func([]byte)) (Exit, error) {
	return e(ctx, cmd, output)
}

// WithCommands returns a host with the files of h, and other commands. A nil h is [Local].
func WithCommands(h Host, run Exec) Host {
	return struct {
		Files
		Commands
	}{Or(h), run}
}

// Or returns h, or [Local] if it is nil.
func Or(h Host) Host {
	if h == nil {
		return Local
	}
	return h
}

// The errors that a host's methods return besides those of package io/fs.
var (
	// ErrChanged says that a file was changed between reading and replacing it.
	ErrChanged = errors.New("the file was changed by something else in the meantime; read it again")
	// ErrNotRegular says that something is no regular file: a folder, a pipe, a device.
	ErrNotRegular = atomicfile.ErrNotRegular
)

// ReadFile returns the content of a regular file, which must not be larger than limit bytes: it
// returns [ErrTooLarge] otherwise.
func ReadFile(ctx context.Context, h Reader, path string, limit int64) ([]byte, error) {
	f, err := h.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(data)) > limit:
		return nil, ErrTooLarge
	}
	return data, nil
}

// ErrTooLarge says that a file is larger than what can be read at once.
var ErrTooLarge = errors.New("the file is too large")
