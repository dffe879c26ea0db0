// Package walk lists what is below a folder in the order of the paths, without what ignore
// files exclude. Hidden files are listed, the .git folder is not, and links are not
// followed. It reads one folder at a time, so that a caller that has seen enough stops the
// work by leaving its loop.
//
// Nothing but the files decides: the user's Git configuration and the environment do not.
package walk

import (
	"context"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"

	"github.com/rondo-agent/rondo/internal/gitignore"
	"github.com/rondo-agent/rondo/tools/host"
)

// Options say what is left out. The zero value counts .gitignore everywhere.
type Options struct {
	// IgnoreFiles are the names of ignore files besides .gitignore that count anywhere, the
	// strongest first.
	IgnoreFiles []string
	// RequireGit makes .gitignore count only inside Git repositories.
	RequireGit bool
	// Override decides before all ignore files, unless it is nil or returns
	// [gitignore.None].
	Override func(rel string, dir bool) gitignore.Verdict
}

// Entry is a file, a folder or anything else.
type Entry struct {
	// Path is absolute and Rel relative to the folder of the walk; both have slashes.
	Path, Rel string
	// Type has the type bits only.
	Type fs.FileMode
}

// Dir returns the entries below root: each folder before what is in it. If a folder cannot
// be read, the sequence yields its entry a second time with the error, and goes on; for
// root itself, Rel is empty. When ctx is done the sequence yields its cause and ends.
func Dir(ctx context.Context, files host.Host, root string, opts *Options) iter.Seq2[Entry, error] {
	if opts == nil {
		opts = new(Options)
	}
	return func(yield func(Entry, error) bool) {
		// The ignore files above the real folder count, as they do for Git.
		base := strings.TrimSuffix(filepath.ToSlash(files.Real(root)), "/")
		w := &walker{rules: rules{ctx: ctx, files: files, opts: opts}, base: len(base) + 1, yield: yield}
		w.dir(Entry{Path: base, Type: fs.ModeDir}, w.above(base))
	}
}

type walker struct {
	rules
	base  int // where Rel begins in Path
	yield func(Entry, error) bool
}

// dir reports whether the walk goes on.
func (w *walker) dir(parent Entry, above *level) bool {
	if w.ctx.Err() != nil {
		w.yield(parent, context.Cause(w.ctx))
		return false
	}
	list, err := w.files.ReadDir(w.ctx, folder(parent.Path))
	if err != nil && !w.yield(parent, err) {
		return false
	}
	here := w.enter(above, parent.Path, list)
	for _, item := range list {
		if !w.item(parent, item, here) {
			return false
		}
	}
	return true
}

// folder is the name of a folder whose trailing slash was dropped: the root has only that.
func folder(path string) string {
	if path == filepath.ToSlash(filepath.VolumeName(path)) {
		return path + "/"
	}
	return path
}

func (w *walker) item(parent Entry, item fs.DirEntry, here *level) bool {
	if item.Name() == ".git" && item.IsDir() {
		return true
	}
	e := Entry{Path: parent.Path + "/" + item.Name(), Type: item.Type()}
	e.Rel = e.Path[w.base:]
	if w.ignored(here, e) {
		return true
	}
	if !w.yield(e, nil) {
		return false
	}
	return !e.Type.IsDir() || w.dir(e, here)
}
