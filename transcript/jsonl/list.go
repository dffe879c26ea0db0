package jsonl

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/transcript"
)

// extension is how the names of session files end.
const extension = ".jsonl"

// Dir returns the folder below root that holds the sessions of the working folder cwd, as
// Pi 0.85 names it. A folder has one name however it is reached.
func Dir(root, cwd string) string {
	cwd = strings.TrimLeft(transcript.CanonicalDir(cwd), `/\`)
	return filepath.Join(root, "--"+strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(cwd)+"--")
}

// FileName returns the name of a new session's file, as Pi 0.85 makes it: time and id.
func FileName(h *transcript.Header) string {
	return strings.NewReplacer(":", "-", ".", "-").Replace(h.Timestamp.String()) + "_" + h.ID + extension
}

// Info is what is known of a session without reading its entries.
type Info struct {
	Path   string
	Header *transcript.Header
	// Modified is when the file was written last.
	Modified time.Time
}

// NotFoundError means that no session fits.
type NotFoundError struct {
	// Wanted is the id that was looked for; empty for the most recent session.
	Wanted string
	Dir    string
}

// Error tells what to do.
func (e *NotFoundError) Error() string {
	if e.Wanted == "" {
		return fmt.Sprintf("there is no session of this folder in %s yet; start one with a prompt", e.Dir)
	}
	return fmt.Sprintf("no session in %s has an id like %q; give more of the id, or the path of its file", e.Dir, e.Wanted)
}

// AmbiguousError means that several sessions fit.
type AmbiguousError struct {
	Wanted  string
	Matches []*Info
}

// Error lists the sessions.
func (e *AmbiguousError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d sessions have an id like %q; give more of it:", len(e.Matches), e.Wanted)
	for _, m := range e.Matches[:min(len(e.Matches), 10)] {
		fmt.Fprintf(&b, "\n  %s  %s", m.Header.ID, m.Header.CWD)
	}
	return b.String()
}

// Recent returns the session of the working folder cwd in dir that was written last, for
// --continue. Sessions of other folders, which a shared dir holds as well, are left out; an
// empty cwd stands for any folder. If there is none, the error is a [*NotFoundError].
func Recent(dir, cwd string) (*Info, error) {
	if cwd != "" {
		cwd = transcript.CanonicalDir(cwd)
	}
	files, err := list(dir)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(files, func(a, b *Info) int {
		return cmp.Or(b.Modified.Compare(a.Modified), strings.Compare(b.Path, a.Path))
	})
	for _, info := range files {
		if info.read() != nil {
			continue
		}
		if cwd == "" || transcript.CanonicalDir(info.Header.CWD) == cwd {
			return info, nil
		}
	}
	return nil, &NotFoundError{Dir: dir}
}

// Find returns the session whose id is, begins with or else contains partial. It looks in
// dir first and, if dir is one project's folder as [Dir] names it, then in those of the
// other projects; the caller decides what it makes of a session of another one. The error is
// a [*NotFoundError] or an [*AmbiguousError].
func Find(dir, partial string) (*Info, error) {
	if partial == "" {
		return nil, &NotFoundError{Wanted: partial, Dir: dir}
	}
	files, err := list(dir)
	if err != nil {
		return nil, err
	}
	if info, err := pick(files, partial); info != nil || err != nil {
		return info, err
	}
	if isProjectDir(dir) {
		root := filepath.Dir(dir)
		if files, err = listProjects(root); err != nil {
			return nil, err
		}
		if info, err := pick(files, partial); info != nil || err != nil {
			return info, err
		}
		dir = root
	}
	return nil, &NotFoundError{Wanted: partial, Dir: dir}
}

func isProjectDir(dir string) bool {
	name := filepath.Base(dir)
	return len(name) > 4 && strings.HasPrefix(name, "--") && strings.HasSuffix(name, "--")
}

// pick returns the file that fits best, or nil.
func pick(files []*Info, partial string) (*Info, error) {
	for _, fits := range []func(id string) bool{
		func(id string) bool { return id == partial },
		func(id string) bool { return strings.HasPrefix(id, partial) },
		func(id string) bool { return strings.Contains(id, partial) },
	} {
		var matches []*Info
		for _, info := range files {
			if info.read() == nil && fits(info.Header.ID) {
				matches = append(matches, info)
			}
		}
		switch len(matches) {
		case 0:
		case 1:
			return matches[0], nil
		default:
			return nil, &AmbiguousError{Wanted: partial, Matches: matches}
		}
	}
	return nil, nil
}

// list returns the session files in a folder, whose headers have not been read. A folder
// that does not exist is empty.
func list(dir string) ([]*Info, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	var files []*Info
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), extension) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, &Info{Path: path, Modified: info.ModTime()})
		}
	}
	return files, nil
}

func listProjects(root string) ([]*Info, error) {
	dirs, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	var files []*Info
	for _, d := range dirs {
		if isProjectDir(d.Name()) {
			more, err := list(filepath.Join(root, d.Name()))
			if err != nil {
				return nil, err
			}
			files = append(files, more...)
		}
	}
	return files, nil
}

// read reads the header.
func (i *Info) read() error {
	if i.Header != nil {
		return nil
	}
	f, err := os.Open(i.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	l := &loader{path: i.Path}
	lines := lineReader{r: bufio.NewReader(io.LimitReader(f, maxHeader))}
	for l.header == nil {
		line, off, readErr := lines.next()
		l.number++
		if err := l.line(line, off); err != nil {
			return err
		}
		if readErr != nil {
			break
		}
	}
	if l.header == nil {
		return l.notASession("no line in it is a session header")
	}
	i.Header = l.header
	return nil
}
