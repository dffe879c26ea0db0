package resource

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/internal/gitignore"
)

// filter leaves files out, as the lists of a settings file say.
type filter struct {
	dir      string
	patterns strings.Builder
	exclude  *gitignore.File // of the patterns, once all are known
	plus     []string
	minus    []string
}

func newFilter(dir string) *filter { return &filter{dir: dir} }

// add takes an entry of a list, and reports whether that is all: it names no file.
func (f *filter) add(entry string) bool {
	if entry == "" {
		return true
	}
	rest := entry[1:]
	switch {
	case strings.HasPrefix(entry, "!"):
		f.patterns.WriteString(strings.TrimPrefix(rest, "./") + "\n")
	case strings.HasPrefix(entry, "+"):
		f.plus = append(f.plus, exact(rest))
	case strings.HasPrefix(entry, "-"):
		f.minus = append(f.minus, exact(rest))
	default:
		return false
	}
	return true
}

func exact(path string) string { return filepath.ToSlash(filepath.Clean(path)) }

// keeps reports whether a file stays.
func (f *filter) keeps(file found) bool {
	names := f.names(file)
	has := func(list []string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return slices.Contains(list, name) || slices.Contains(list, strings.TrimSuffix(name, "/"+skillFile))
		})
	}
	switch {
	case has(f.minus):
		return false
	case has(f.plus):
		return true
	}
	if f.exclude == nil {
		f.exclude = gitignore.Parse(f.patterns.String())
	}
	return !slices.ContainsFunc(names, f.excludes)
}

// names are the ways in which a list may name a file: from the folder that it belongs to,
// from that of the settings, and in full.
func (f *filter) names(file found) []string {
	names := []string{filepath.ToSlash(file.path)}
	for _, base := range []string{file.source.BaseDir, f.dir} {
		if base != "" && inside(file.path, base) {
			names = append(names, filepath.ToSlash(file.path[len(strings.TrimSuffix(base, string(filepath.Separator)))+1:]))
		}
	}
	return names
}

// excludes asks about the folders above a file first: what is in one that is left out is
// left out as well.
func (f *filter) excludes(name string) bool {
	if f.exclude.Empty() {
		return false
	}
	name = strings.TrimPrefix(name, "/")
	for i := range len(name) {
		if name[i] == '/' && f.exclude.Match(name[:i], true) == gitignore.Ignore {
			return true
		}
	}
	return f.exclude.Match(name, false) == gitignore.Ignore
}
