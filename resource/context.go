package resource

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ContextFile is a text with instructions that every request carries.
type ContextFile struct {
	Path string
	Text string
}

// contextNames are the names of context files; of each folder the first that exists counts
// (Pi 0.85).
var contextNames = []string{"AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"}

// contextFiles returns the file of the state folder, then those from the root down to the
// project.
func (l *loader) contextFiles() []ContextFile {
	dirs := []string{l.home}
	for _, dir := range slices.Backward(l.above) {
		if dir != l.home {
			dirs = append(dirs, dir)
		}
	}
	copies := l.worktree()
	var files []ContextFile
	var seen []os.FileInfo
	for _, dir := range dirs {
		path, info := contextFile(dir)
		if path == "" || copies.shadow(path) || slices.ContainsFunc(seen, func(other os.FileInfo) bool { return os.SameFile(info, other) }) {
			continue
		}
		seen = append(seen, info)
		text, err := readText(path, maxText)
		if err != nil {
			l.problem(path, err)
			continue
		}
		if strings.TrimSpace(text) != "" {
			files = append(files, ContextFile{Path: path, Text: text})
		}
	}
	return files
}

func contextFile(dir string) (string, os.FileInfo) {
	for _, name := range contextNames {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, info
		}
	}
	return "", nil
}

// worktree is a linked worktree of Git that lies inside the folder that it is a worktree of.
// Both have the same files, which should not be read twice.
type worktree struct {
	main, top string   // the two folders; empty if there is no such worktree
	dirs      []string // the folders that context files are read from
}

// worktree looks whether the project is in such a worktree: .git is a file then, and names
// a folder that names the common one.
func (p *Project) worktree() *worktree {
	w := &worktree{dirs: p.above}
	if p.git == "" || isDir(p.git) {
		return w
	}
	top := filepath.Dir(p.git)
	text, _ := readText(p.git, maxText)
	target, ok := strings.CutPrefix(text, "gitdir:")
	if !ok {
		return w
	}
	own := p.resolve(top, strings.TrimSpace(target))
	common, err := readText(filepath.Join(own, "commondir"), maxText)
	if err != nil {
		return w
	}
	git, err := canonical(p.resolve(own, strings.TrimSpace(common)))
	if err == nil && filepath.Base(git) == ".git" && inside(top, filepath.Dir(git)) {
		w.main, w.top = filepath.Dir(git), top
	}
	return w
}

// shadow reports whether a file of the main folder has a copy in the worktree that is read.
func (w *worktree) shadow(path string) bool {
	if w.main == "" || inside(path, w.top) || !inside(path, w.main) {
		return false
	}
	rel, err := filepath.Rel(w.main, path)
	if err != nil {
		return false
	}
	copied := filepath.Join(w.top, rel)
	if !slices.Contains(w.dirs, filepath.Dir(copied)) {
		return false
	}
	read, _ := contextFile(filepath.Dir(copied))
	return read == copied
}

// inside reports whether path lies below dir.
func inside(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator)))
	return ok && rest != "" && os.IsPathSeparator(rest[0])
}
