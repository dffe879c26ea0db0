package bash

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/internal/truncate"
)

// The bounds of the files with whole outputs.
const (
	// maxLog bounds the file of one command, in bytes: an endless output must not fill the disk.
	maxLog = 64 << 20
	// maxLogs bounds all files of a host together; maxLogAge is how long one is kept. Both are
	// seen to when a new one is made.
	maxLogs   = 512 << 20
	maxLogAge = 72 * time.Hour
)

var errMaxLog = errors.New("only the first " + truncate.Size(maxLog) + " are kept")

const logPattern = "rondo-bash-????????????????.log"

// log is the file with the whole output of a command.
type log struct {
	path    string
	file    io.WriteCloser
	written int
	err     error // why the file lacks something
}

// openLog makes the file, and removes old ones.
func openLog(ctx context.Context, h host.Host) *log {
	ctx = context.WithoutCancel(ctx) // the output of a command that is stopped counts as well
	sweepLogs(ctx, h, time.Now())
	var id [8]byte
	rand.Read(id[:]) // never fails
	path := filepath.Join(h.TempDir(), "rondo-bash-"+hex.EncodeToString(id[:])+".log")
	file, err := h.Create(ctx, path)
	if err != nil {
		return &log{err: err}
	}
	return &log{path: path, file: file}
}

func (l *log) write(text []byte) {
	if l.file == nil || l.err != nil {
		return
	}
	fits := text[:min(len(text), maxLog-l.written)]
	l.written += len(fits)
	if _, l.err = l.file.Write(fits); l.err == nil && len(fits) < len(text) {
		l.err = errMaxLog
	}
}

func (l *log) close() {
	if l.file == nil {
		return
	}
	if err := l.file.Close(); l.err == nil {
		l.err = err
	}
	l.file = nil
}

// sweepLogs removes the files that are too old, and the oldest of too many. What cannot be
// removed is left: the next command tries again.
func sweepLogs(ctx context.Context, h host.Host, now time.Time) {
	entries, _ := h.ReadDir(ctx, h.TempDir()) // what it could read
	var logs []fs.FileInfo
	for _, e := range entries {
		if is, _ := filepath.Match(logPattern, e.Name()); !is {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			logs = append(logs, info)
		}
	}
	slices.SortFunc(logs, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	room := int64(maxLogs - maxLog)
	for _, info := range logs {
		if room -= info.Size(); room < 0 || now.Sub(info.ModTime()) > maxLogAge {
			_ = h.Remove(ctx, filepath.Join(h.TempDir(), info.Name()))
		}
	}
}
