package html

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/yuin/goldmark/parser"

	"github.com/rondo-agent/rondo/toolview"
	"github.com/rondo-agent/rondo/transcript"
)

// ErrEmpty means that nothing has been said in the session yet.
var ErrEmpty = errors.New("there is nothing to export yet: the session has no messages")

// Theme is a choice of colours.
type Theme string

// The themes of the page, which its reader may change.
const (
	ThemeAuto  Theme = ""      // light or dark, as the reader's system has it
	ThemeLight Theme = "light" // black on white
	ThemeDark  Theme = "dark"  // white on black
	ThemePaper Theme = "paper" // warm, for long reading
)

// Options are the settings of [HTML]. The zero value is ready to use.
type Options struct {
	// Title is the page's heading; empty means the session's name, or else the beginning
	// of its first prompt.
	Title string
	// Theme is what the page opens with.
	Theme Theme
	// Leaf is the end of the branch that the page opens with; empty means the store's
	// leaf.
	Leaf transcript.EntryID
	// ToolView returns how the calls of a tool are shown; nil, as for a tool without a view, shows
	// arguments and results as they are.
	ToolView func(name string) *toolview.View
}

// HTML writes the session as a page. Entries that are added meanwhile are not in it.
//
// The error is that of the store or of w, [ErrEmpty], or [transcript.ErrNoEntry] for an
// unknown leaf. Nothing is written when the session itself is at fault, unless an entry
// cannot be read any more when its turn comes.
func HTML(w io.Writer, store transcript.Store, opts *Options) error {
	if opts == nil {
		opts = &Options{}
	}
	switch opts.Theme {
	case ThemeAuto, ThemeLight, ThemeDark, ThemePaper:
	default:
		return fmt.Errorf("export: unknown theme %q; use light, dark or paper, or none", opts.Theme)
	}
	leaf := opts.Leaf
	if leaf == "" {
		leaf = store.Leaf()
	}
	o, err := survey(store)
	if err != nil {
		return err
	}
	if o.empty() {
		return ErrEmpty
	}
	if leaf == "" { // the next entry would begin a new branch
		leaf = o.nodes[len(o.nodes)-1].id
	}
	if _, ok := o.index[leaf]; !ok {
		return fmt.Errorf("export: %w", transcript.NoEntry(leaf))
	}
	x := &exporter{page: newPage(w), store: store, opts: opts, outline: o, path: o.path(leaf), placed: make(map[int32]bool)}
	if err := x.document(); err != nil {
		return err
	}
	if err := x.w.Flush(); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// exporter writes one page.
type exporter struct {
	*page
	*outline
	store transcript.Store
	opts  *Options
	// path are the positions of the branch that the page opens with.
	path   []int32
	parser parser.Parser
	// results are those of the answer that is being written, by the ids of their calls.
	results map[string]int32
	// placed are the results that stand in the cards of their calls.
	placed map[int32]bool
}

// FileName returns the name that [File] gives to the page of a session.
func FileName(store transcript.Store) string {
	base := strings.TrimSuffix(filepath.Base(store.Path()), ".jsonl")
	if store.Path() == "" {
		base = store.Header().ID
	}
	return "rondo-session-" + base + ".html"
}

// File exports a session to the file path, which it returns. An empty path stands for
// [FileName] in the working folder. A file that exists is replaced in one step, when all of
// the page is written; a new one can be read by its owner alone, since sessions hold
// secrets. The session's own file is refused.
func File(store transcript.Store, path string, opts *Options) (string, error) {
	if path == "" {
		path = FileName(store)
	}
	if err := writeFile(store, path, opts); err != nil {
		return "", err
	}
	return path, nil
}

func writeFile(store transcript.Store, path string, opts *Options) error {
	info, err := os.Stat(path)
	if err == nil {
		if own, err := os.Stat(store.Path()); err == nil && os.SameFile(own, info) {
			return fmt.Errorf("export to %s: that is the session itself; choose another name", path)
		}
		if info.IsDir() {
			return fmt.Errorf("export to %s: that is a folder; name a file in it", path)
		}
		if !info.Mode().IsRegular() { // a pipe or a device
			return writeTo(store, path, opts)
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".export-*.tmp")
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("export to %s: its folder does not exist; create it first", path)
	} else if err != nil {
		return fmt.Errorf("export to %s: %w", path, err)
	}
	defer os.Remove(temp.Name()) // fails when it has been renamed
	err = HTML(temp, store, opts)
	if info != nil && err == nil {
		err = temp.Chmod(info.Mode().Perm())
	}
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("export to %s: %w", path, err)
	}
	return nil
}

func writeTo(store transcript.Store, path string, opts *Options) error {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) {
		return fmt.Errorf("export to %s: that is a pipe that no program reads; name a file", path)
	}
	if err != nil {
		return fmt.Errorf("export to %s: %w", path, err)
	}
	err = HTML(f, store, opts)
	return errors.Join(err, f.Close())
}
