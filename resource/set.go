package resource

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Options say what of the resources counts. The zero value counts all that is not gated.
type Options struct {
	// Trusted says that the gated files of the project count; see [Project.Judge].
	Trusted bool
	// Lists are those of the settings files, the strongest first. Those of a project count
	// only if it is trusted.
	Lists []List
	// Skills and Templates are files and folders named on the command line. They count
	// whatever else is said.
	Skills, Templates []string
	// Extensions are files and folders named on the command line; NoExtensions leaves out all
	// others. They are for [Project.Extensions].
	Extensions   []string
	NoExtensions bool
	// NoSkills, NoTemplates and NoContextFiles leave out what is not named on the command
	// line.
	NoSkills, NoTemplates, NoContextFiles bool
}

// List is what one settings file says about resources. An entry is a file or a folder, or a
// filter of all that the file's owner, user or project, has: !pattern leaves out what fits,
// as a line of an ignore file would; +path brings one back; -path leaves one out.
type List struct {
	Dir     string // of the settings file; relative entries start there
	Project bool   // whether it is a project's
	Skills  []string
	Prompts []string
	// Extensions are for [Project.Extensions], and Themes for [Project.Themes].
	Extensions []string
	Themes     []string
}

// Set is what has been found.
type Set struct {
	// ContextFiles are in the order in which a model reads them.
	ContextFiles []ContextFile
	// System replaces the built-in system prompt, unless it is empty; AppendSystem is added
	// to it.
	System, AppendSystem string
	// Skills and Templates have different names each.
	Skills    []*Skill
	Templates []*Template
	// Problems are what was left out or is not as it should be.
	Problems []Problem
}

// Problem is something wrong with a file.
type Problem struct {
	Path string
	Text string // completes a sentence that begins with the path
}

// String is the whole sentence.
func (p Problem) String() string { return p.Path + " " + p.Text }

// loader fills a set.
type loader struct {
	*Project
	opts *Options
	set  *Set
}

// Load finds the resources. What is wrong with one of them is a problem of the set; an error
// means that something named on the command line is not there.
func (p *Project) Load(opts *Options) (*Set, error) {
	if opts == nil {
		opts = &Options{}
	}
	l := &loader{Project: p, opts: opts, set: &Set{}}
	if !opts.NoContextFiles {
		l.set.ContextFiles = l.contextFiles()
	}
	l.set.System = l.systemFile("SYSTEM.md")
	l.set.AppendSystem = l.systemFile("APPEND_SYSTEM.md")
	if err := l.skills(); err != nil {
		return nil, err
	}
	if err := l.templates(); err != nil {
		return nil, err
	}
	return l.set, nil
}

// systemFile returns the text of the first file with this name; empty if there is none.
func (l *loader) systemFile(name string) string {
	for _, dir := range append(l.trustedFolders(), l.home) {
		path := filepath.Join(dir, name)
		if !exists(path) {
			continue
		}
		text, err := readText(path, maxText)
		if err != nil {
			l.problem(path, err)
			continue
		}
		return text
	}
	return ""
}

// trustedFolders are the project's own folders, if they count.
func (l *loader) trustedFolders() []string {
	if !l.opts.Trusted {
		return nil
	}
	return slices.Clone(l.folders)
}

func (l *loader) problem(path string, err error) {
	l.set.Problems = append(l.set.Problems, Problem{path, cause(err).Error()})
}

// find collects files of one kind: first those of flags, then those of the project and then
// those of the user, settings before the folders that are searched.
func (l *loader) find(k *kind) ([]found, error) {
	var all []found
	for _, name := range k.named {
		if name == "" {
			return nil, fmt.Errorf("%s is empty: give it a value, or leave it out", k.flag)
		}
		path := l.resolve(l.dir, name)
		files, err := l.named(k, path, Temporary)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", k.flag, name, err)
		}
		all = append(all, files...)
	}
	if k.off {
		return all, nil
	}
	if l.opts.Trusted {
		var searched []found
		for _, folder := range l.folders {
			searched = append(searched, l.search(k, folder, false, ProjectScope)...)
		}
		if k.agents {
			for _, dir := range l.agents {
				searched = append(searched, l.search(k, filepath.Dir(dir), true, ProjectScope)...)
			}
		}
		all = append(all, l.owned(k, true, searched)...)
	}
	searched := l.search(k, l.home, false, User)
	if k.agents && l.userHome != "" {
		searched = append(searched, l.search(k, filepath.Join(l.userHome, filepath.Dir(agentsSkills)), true, User)...)
	}
	return append(all, l.owned(k, false, searched)...), nil
}

// owned puts what the settings of one owner name before what was found by searching, and
// applies their filters to both.
func (l *loader) owned(k *kind, project bool, searched []found) []found {
	var named []found
	var filters []*filter
	scope := User
	if project {
		scope = ProjectScope
	}
	for _, list := range l.opts.Lists {
		if list.Project != project {
			continue
		}
		f := newFilter(list.Dir)
		for _, entry := range k.entries(list) {
			if f.add(entry) {
				continue
			}
			path := l.resolve(list.Dir, entry)
			lookup := k.lookup
			if lookup == nil {
				lookup = func(l *loader, path string, scope Scope) ([]found, error) { return l.named(k, path, scope) }
			}
			files, err := lookup(l, path, scope)
			if err != nil {
				l.problem(path, err)
			}
			named = append(named, files...)
		}
		filters = append(filters, f)
	}
	return slices.DeleteFunc(append(named, searched...), func(file found) bool {
		return slices.ContainsFunc(filters, func(f *filter) bool { return !f.keeps(file) })
	})
}

// search looks through the folder of this kind in base.
func (l *loader) search(k *kind, base string, agents bool, scope Scope) []found {
	dir := filepath.Join(base, k.folder)
	if !isDir(dir) {
		return nil
	}
	s := scan{kind: k, agentic: agents, loader: l}
	s.dir(dir, 0, nil)
	for i := range s.found {
		s.found[i].source = Source{Path: s.found[i].path, Kind: Auto, Scope: scope, BaseDir: base}
	}
	return s.found
}

// named returns the file at path, or those in the folder there.
func (l *loader) named(k *kind, path string, scope Scope) ([]found, error) {
	info, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		return nil, errors.New("does not exist")
	case err != nil:
		return nil, err
	}
	s := scan{kind: k, loader: l, deep: scope != Temporary}
	if info.IsDir() {
		s.dir(path, 0, nil)
	} else {
		s.found = []found{{path: path, info: info}}
	}
	for i := range s.found {
		s.found[i].source = Source{Path: s.found[i].path, Kind: Local, Scope: scope}
		if scope == Temporary {
			s.found[i].source.BaseDir = filepath.Dir(s.found[i].path)
		}
	}
	return s.found, nil
}
