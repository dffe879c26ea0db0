package process

import (
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rondo-agent/rondo/resource"
)

// maxLog is the size at which a log is put aside, in bytes; one that was put aside before is
// dropped then.
const maxLog = 1 << 20

// logFile is where an extension's stderr goes. It is opened when there is something to write.
type logFile struct {
	path string

	mu   sync.Mutex
	file *os.File
	size int64
}

// newLog returns a log in a folder; nil if there is no folder. The name is that of the
// extension, with a mark of its place, since several may have the same.
func newLog(dir string, m *resource.Manifest) *logFile {
	if dir == "" {
		return nil
	}
	place := fnv.New32a()
	_, _ = fmt.Fprint(place, m.Dir, m.Command) // never fails
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '-'
		}
		return r
	}, m.Name)
	return &logFile{path: filepath.Join(dir, fmt.Sprintf("%s-%08x.log", name, place.Sum32()))}
}

// NewLog returns what writes to a file, which is opened when there is something to write. At a
// MiB the file is put aside, with .old behind its name.
func NewLog(path string) io.WriteCloser { return &logFile{path: path} }

// Write implements [io.Writer].
func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.open(); err != nil {
		return 0, err
	}
	if l.size > 0 && l.size+int64(len(p)) > maxLog {
		l.file.Close()
		l.file = nil
		if err := os.Rename(l.path, l.path+".old"); err != nil {
			return 0, err
		}
		if err := l.open(); err != nil {
			return 0, err
		}
	}
	p = p[max(0, len(p)-maxLog):]
	n, err := l.file.Write(p)
	l.size += int64(n)
	return n, err
}

// open opens the file, unless it is open.
func (l *logFile) open() error {
	if l.file != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return err
	}
	l.file, l.size = f, info.Size()
	return nil
}

// Close implements [io.Closer]. What is written after it opens the file again.
func (l *logFile) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}
