package hosttest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing/fstest"
	"time"

	"github.com/rondo-agent/rondo/tools/host"
)

// Memory is a host whose files are in memory, so that nothing touches a disk. Its zero value has
// the root folder alone, and runs no commands.
type Memory struct {
	// Exec runs the commands; nil refuses them.
	Exec host.Exec

	mu    sync.Mutex
	files fstest.MapFS // by the path without its leading slash
}

// Put makes a file, and the folders above it.
func (m *Memory) Put(path, content string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(path, []byte(content))
}

// Paths returns the files that there are, in order.
func (m *Memory) Paths() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var paths []string
	for _, name := range slices.Sorted(maps.Keys(m.files)) {
		if !m.files[name].Mode.IsDir() {
			paths = append(paths, "/"+name)
		}
	}
	return paths
}

// key is the name of a path in the map.
func key(path string) string {
	name := strings.Trim(filepath.ToSlash(strings.TrimPrefix(path, filepath.VolumeName(path))), "/")
	if name == "" {
		return "."
	}
	return name
}

func (m *Memory) put(path string, data []byte) {
	if m.files == nil {
		m.files = fstest.MapFS{}
	}
	m.files[key(path)] = &fstest.MapFile{Data: bytes.Clone(data), Mode: 0o644, ModTime: time.Now()}
}

// at returns what has the path. An error names the path.
func (m *Memory) at(op, path string) (fs.FileInfo, error) {
	info, err := m.files.Stat(key(path))
	return info, named(op, path, err)
}

func named(op, path string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: op, Path: path, Err: p.Err}
	}
	return err
}

// begin takes the lock, unless ctx is done.
func (m *Memory) begin(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	m.mu.Lock()
	return nil
}

// Stat describes a file or a folder.
func (m *Memory) Stat(ctx context.Context, path string) (fs.FileInfo, error) {
	if err := m.begin(ctx); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	return m.at("stat", path)
}

// ReadDir lists a folder.
func (m *Memory) ReadDir(ctx context.Context, path string) ([]fs.DirEntry, error) {
	if err := m.begin(ctx); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	entries, err := m.files.ReadDir(key(path))
	return entries, named("open", path, err)
}

// Open opens a file as it is now.
func (m *Memory) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	if err := m.begin(ctx); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	if err := m.regular("open", path); err != nil {
		return nil, err
	}
	data := m.files[key(path)].Data
	return io.NopCloser(bytes.NewReader(data)), nil
}

func (m *Memory) regular(op, path string) error {
	info, err := m.at(op, path)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: op, Path: path, Err: host.ErrNotRegular}
	}
	return err
}

// MkdirAll makes folders.
func (m *Memory) MkdirAll(ctx context.Context, dir string) error {
	if err := m.begin(ctx); err != nil {
		return err
	}
	defer m.mu.Unlock()
	switch info, err := m.at("mkdir", dir); {
	case err == nil && !info.IsDir():
		return &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrExist}
	case err == nil:
		return nil
	}
	m.put(dir, nil)
	m.files[key(dir)].Mode = fs.ModeDir | 0o755
	return nil
}

// WriteFile makes or replaces a file.
func (m *Memory) WriteFile(ctx context.Context, path string, data []byte) error {
	if err := m.begin(ctx); err != nil {
		return err
	}
	defer m.mu.Unlock()
	return m.write(path, data)
}

func (m *Memory) write(path string, data []byte) error {
	if _, err := m.at("write", filepath.Dir(path)); err != nil {
		return err
	}
	if err := m.regular("write", path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	m.put(path, data)
	return nil
}

// ReplaceFile replaces a file that has the content old.
func (m *Memory) ReplaceFile(ctx context.Context, path string, old, data []byte) error {
	if err := m.begin(ctx); err != nil {
		return err
	}
	defer m.mu.Unlock()
	if err := m.regular("write", path); err != nil || !bytes.Equal(m.files[key(path)].Data, old) {
		return host.ErrChanged
	}
	return m.write(path, data)
}

// Create makes a new file; what is written to it is in it when it is closed.
func (m *Memory) Create(ctx context.Context, path string) (io.WriteCloser, error) {
	if err := m.begin(ctx); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	if _, err := m.at("create", path); err == nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	if err := m.write(path, nil); err != nil {
		return nil, err
	}
	return &created{memory: m, path: path}, nil
}

type created struct {
	bytes.Buffer
	memory *Memory
	path   string
}

// Close stores the content.
func (c *created) Close() error {
	return c.memory.WriteFile(context.Background(), c.path, c.Bytes())
}

// Remove removes a file or an empty folder.
func (m *Memory) Remove(ctx context.Context, path string) error {
	if err := m.begin(ctx); err != nil {
		return err
	}
	defer m.mu.Unlock()
	if _, err := m.at("remove", path); err != nil {
		return err
	}
	if entries, err := m.files.ReadDir(key(path)); err == nil && len(entries) > 0 {
		return &fs.PathError{Op: "remove", Path: path, Err: errors.New("the folder is not empty")}
	}
	delete(m.files, key(path))
	return nil
}

// Real returns the path: there are no links.
func (m *Memory) Real(path string) string { return filepath.Clean(path) }

// Exists looks into the map.
func (m *Memory) Exists(path string) bool {
	_, err := m.Stat(context.Background(), path)
	return err == nil
}

// HomeDir is a folder of its own.
func (m *Memory) HomeDir() string { return filepath.FromSlash("/home/memory") }

// TempDir is a folder of its own, which the first caller makes.
func (m *Memory) TempDir() string {
	dir := filepath.FromSlash("/tmp/memory")
	_ = m.MkdirAll(context.Background(), dir)
	return dir
}

// Run calls Exec.
func (m *Memory) Run(ctx context.Context, cmd *host.Command, output func([]byte)) (host.Exit, error) {
	if m.Exec == nil {
		return host.Exit{}, errors.New("there are no commands in memory")
	}
	return m.Exec(ctx, cmd, output)
}
