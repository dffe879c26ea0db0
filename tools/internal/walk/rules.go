package walk

import (
	"context"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/internal/gitignore"
	"github.com/rondo-agent/rondo/tools/host"
)

// maxIgnoreFile is how much of an ignore file is read, in bytes.
const maxIgnoreFile = 4 << 20

type rules struct {
	ctx   context.Context // of the one walk that the rules are for
	files host.Host
	opts  *Options
}

// level is a folder that ignore files or a repository begin in. Folders without either
// have the level of the one above.
type level struct {
	above *level
	// start is where paths relative to the folder begin in absolute ones.
	start int
	// files are in the order of their strength: Options.IgnoreFiles, .gitignore,
	// .git/info/exclude. Those that do not exist are nil.
	files []*gitignore.File
	// repo says that the folder is the top of a repository, inRepo that it is in one.
	repo, inRepo bool
}

// above is the level of the folders above the absolute path dir.
func (r *rules) above(dir string) *level {
	i := strings.LastIndexByte(dir, '/')
	if i < 0 {
		return nil
	}
	return r.level(r.above(dir[:i]), dir[:i], func(name string) bool {
		_, err := r.files.Stat(r.ctx, dir[:i]+"/"+name)
		return err == nil
	})
}

// enter is the level of a folder in a walk.
func (r *rules) enter(above *level, dir string, list []fs.DirEntry) *level {
	var hidden []string
	for _, item := range list {
		if strings.HasPrefix(item.Name(), ".") {
			hidden = append(hidden, item.Name())
		}
	}
	return r.level(above, dir, func(name string) bool { return slices.Contains(hidden, name) })
}

func (r *rules) level(above *level, dir string, has func(name string) bool) *level {
	l := &level{above: above, start: len(dir) + 1, repo: has(".git")}
	found := l.repo
	add := func(file *gitignore.File) {
		l.files = append(l.files, file)
		found = found || file != nil
	}
	for _, name := range r.opts.IgnoreFiles {
		add(r.read(dir, name, has))
	}
	add(r.read(dir, ".gitignore", has))
	if !found {
		return above
	}
	add(nil)
	if l.repo {
		l.files[len(l.files)-1] = r.exclude(dir)
	}
	l.inRepo = l.repo || above != nil && above.inRepo
	return l
}

func (r *rules) read(dir, name string, has func(name string) bool) *gitignore.File {
	if !has(name) {
		return nil
	}
	file := gitignore.Parse(r.text(dir + "/" + name))
	if file.Empty() {
		return nil
	}
	return file
}

// exclude reads the ignore file inside the repository's own folder. In a worktree or a
// submodule .git is a file that names this folder.
func (r *rules) exclude(dir string) *gitignore.File {
	git := dir + "/.git"
	if target, ok := strings.CutPrefix(r.text(git), "gitdir:"); ok {
		git = resolve(dir, target)
		if common := r.text(git + "/commondir"); common != "" {
			git = resolve(git, common)
		}
	}
	file := gitignore.Parse(r.text(git + "/info/exclude"))
	if file.Empty() {
		return nil
	}
	return file
}

func resolve(dir, name string) string {
	name = strings.TrimSpace(name)
	if filepath.IsAbs(name) || path.IsAbs(name) {
		return filepath.ToSlash(name)
	}
	return path.Join(dir, filepath.ToSlash(name))
}

// text is the content of a regular file, or nothing.
func (r *rules) text(name string) string {
	if info, err := r.files.Stat(r.ctx, name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := r.files.Open(r.ctx, name)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	return string(data)
}

// ignored applies the first verdict in the order of strength; among files of the same
// name, the deepest one is the strongest.
func (r *rules) ignored(here *level, e Entry) bool {
	dir := e.Type.IsDir()
	if r.opts.Override != nil {
		if v := r.opts.Override(e.Rel, dir); v != gitignore.None {
			return v == gitignore.Ignore
		}
	}
	if here == nil {
		return false
	}
	for i := range here.files {
		git := i >= len(r.opts.IgnoreFiles)
		if git && r.opts.RequireGit && !here.inRepo {
			return false
		}
		if v := here.verdict(i, git, e.Path, dir); v != gitignore.None {
			return v == gitignore.Ignore
		}
	}
	return false
}

// verdict asks the i-th files of all levels, but what Git reads only up to the top of the
// repository.
func (l *level) verdict(i int, git bool, path string, dir bool) gitignore.Verdict {
	for ; l != nil; l = l.above {
		if f := l.files[i]; f != nil {
			if v := f.Match(path[l.start:], dir); v != gitignore.None {
				return v
			}
		}
		if git && l.repo {
			break
		}
	}
	return gitignore.None
}
