package resource

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Themes finds the files of themes: those of the project, if it is trusted, and those of the
// user, what settings name before the folders themes. Nothing of them has been read.
func (p *Project) Themes(opts *Options) ([]string, []Problem) {
	l := &loader{Project: p, opts: opts, set: &Set{}}
	k := &kind{entries: func(list List) []string { return list.Themes }, lookup: (*loader).themeAt}
	var all []found
	if opts.Trusted {
		var searched []found
		for _, folder := range l.folders {
			searched = append(searched, l.themesIn(folder, ProjectScope)...)
		}
		all = l.owned(k, true, searched)
	}
	all = append(all, l.owned(k, false, l.themesIn(l.home, User))...)
	files := make([]string, len(all))
	for i, file := range all {
		files[i] = file.path
	}
	return files, l.set.Problems
}

// themesIn looks into the folder themes of base.
func (l *loader) themesIn(base string, scope Scope) []found {
	dir := filepath.Join(base, "themes")
	if !isDir(dir) {
		return nil
	}
	files, err := themeFolder(dir, Source{Kind: Auto, Scope: scope, BaseDir: base})
	if err != nil {
		l.problem(dir, err)
	}
	return files
}

// themeAt returns the themes that a path names: a file, or those of a folder.
func (l *loader) themeAt(path string, scope Scope) ([]found, error) {
	switch info, err := os.Stat(path); {
	case os.IsNotExist(err):
		return nil, errors.New("does not exist")
	case err != nil:
		return nil, err
	case info.IsDir():
		return themeFolder(path, Source{Kind: Local, Scope: scope})
	}
	return []found{{path: path, source: Source{Path: path, Kind: Local, Scope: scope}}}, nil
}

// themeFolder returns the theme files of a folder, by their names.
func themeFolder(dir string, source Source) ([]found, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []found
	for _, e := range entries {
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") || !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		source.Path = filepath.Join(dir, e.Name())
		files = append(files, found{path: source.Path, source: source})
	}
	return files, nil
}
