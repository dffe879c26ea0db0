package resource

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/internal/gitignore"
)

// Limits of a search, so that a folder named by mistake does not hold up the start.
const (
	maxDepth   = 12
	maxFolders = 4000
)

// kind is a kind of resource and how its files are found.
type kind struct {
	flag, folder string
	named        []string // by flags
	off          bool     // nothing counts but what flags name
	agents       bool     // .agents is searched as well
	entries      func(List) []string
	// lookup finds the files that a path names; nil is that of Markdown files.
	lookup func(l *loader, path string, scope Scope) ([]found, error)
	// whole is the name of a file that makes its folder one resource; empty for none.
	whole string
	// counts reports whether a Markdown file is a resource, and below whether the folders
	// in a folder are searched.
	counts func(s *scan, depth int) bool
	below  func(s *scan) bool
}

// found is a file that may be a resource.
type found struct {
	path   string
	info   fs.FileInfo // of what a link points to
	source Source
	// loose files lie where other Markdown files may lie as well: they count only if they
	// look like a resource, and are no problem otherwise.
	loose bool
	host  string // of an extension; empty is this program
}

// scan looks through a folder.
type scan struct {
	*loader
	*kind
	agentic bool // the folder is one of .agents
	deep    bool // a settings file names the folder
	found   []found
	folders int
}

// dir looks through a folder in the order of the names. Links are followed; hidden files,
// node_modules and what ignore files exclude are left out.
func (s *scan) dir(path string, depth int, above *ignoring) {
	if s.folders++; s.folders > maxFolders || depth > maxDepth {
		if s.folders == maxFolders+1 {
			s.problem(path, errors.New("and what follows is not searched: there are too many folders"))
		}
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		s.problem(path, err)
		return
	}
	rules := above.enter(path, entries)
	if i := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return e.Name() == s.whole }); i >= 0 {
		file := filepath.Join(path, s.whole)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && !rules.ignores(file, false) {
			s.found = append(s.found, found{path: file, info: info})
			return
		}
	}
	for _, entry := range entries {
		s.entry(path, depth, entry, rules)
	}
}

func (s *scan) entry(dir string, depth int, entry fs.DirEntry, rules *ignoring) {
	name, link := entry.Name(), entry.Type()&fs.ModeSymlink != 0
	markdown := strings.HasSuffix(name, ".md") && s.counts(s, depth)
	if strings.HasPrefix(name, ".") || name == "node_modules" || !markdown && !link && !entry.IsDir() {
		return
	}
	path := filepath.Join(dir, name)
	info, err := os.Stat(path)
	if err != nil || rules.ignores(path, info.IsDir()) { // a link that leads nowhere is none
		return
	}
	switch {
	case info.IsDir() && s.below(s) && !(link && leadsUp(dir, info)):
		s.dir(path, depth+1, rules)
	case info.Mode().IsRegular() && markdown:
		s.found = append(s.found, found{path: path, info: info, loose: s.whole != ""})
	}
}

// leadsUp reports whether a folder is dir or one above it, so that going there would not end.
func leadsUp(dir string, folder fs.FileInfo) bool {
	for ; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && os.SameFile(info, folder) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// ignoring are the ignore files of a folder of a search, and of those above it in the same
// search.
type ignoring struct {
	above *ignoring
	dir   string
	files []*gitignore.File
}

// ignoreFiles are the names of ignore files (Pi 0.85).
var ignoreFiles = []string{".gitignore", ".ignore", ".fdignore"}

// enter adds the ignore files of a folder.
func (r *ignoring) enter(dir string, entries []fs.DirEntry) *ignoring {
	var files []*gitignore.File
	for _, entry := range entries {
		if !slices.Contains(ignoreFiles, entry.Name()) {
			continue
		}
		if text, err := readText(filepath.Join(dir, entry.Name()), maxText); err == nil {
			files = append(files, gitignore.Parse(text))
		}
	}
	if files == nil {
		return r
	}
	return &ignoring{r, dir, files}
}

// ignores asks the nearest folder first.
func (r *ignoring) ignores(path string, dir bool) bool {
	for ; r != nil; r = r.above {
		rel := filepath.ToSlash(strings.TrimPrefix(path[len(r.dir):], string(filepath.Separator)))
		for _, file := range r.files {
			if verdict := file.Match(rel, dir); verdict != gitignore.None {
				return verdict == gitignore.Ignore
			}
		}
	}
	return false
}
