package resource

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// extensionSuffixes are those of files that are extensions (Pi 0.85; .mjs is an addition).
var extensionSuffixes = []string{".ts", ".js", ".mjs"}

// Extension is a file that can be loaded as an extension, or a folder for one that is a program.
// Nothing of it has run.
type Extension struct {
	Path   string
	Source Source
	// Host is what runs it: [HostProcess], [HostNode], [HostBun], or empty for this program.
	Host string
}

// Extensions finds the extensions: first those of flags, then those of the project and of the
// user, settings before the folders extensions. A folder is one extension if it has an
// extension.json, a package.json that lists some under pi.extensions, or a file index.ts or
// index.js. A program is an extension if it is named. An error means that something named on
// the command line is not there.
func (p *Project) Extensions(opts *Options) ([]Extension, []Problem, error) {
	l := &loader{Project: p, opts: opts, set: &Set{}}
	var all []found
	for _, name := range opts.Extensions {
		if name == "" {
			return nil, nil, errors.New("--extension is empty: give it a value, or leave it out")
		}
		before := len(l.set.Problems)
		files, err := l.extensionAt(l.resolve(l.dir, name), Temporary)
		if len(l.set.Problems) > before { // of what is wanted, nothing is left out
			err = errors.New(l.set.Problems[before].String())
		}
		if err != nil {
			return nil, nil, fmt.Errorf("--extension %s: %w", name, err)
		}
		all = append(all, files...)
	}
	if !opts.NoExtensions {
		k := &kind{entries: func(list List) []string { return list.Extensions }, lookup: (*loader).extensionAt}
		if opts.Trusted {
			var searched []found
			for _, folder := range l.folders {
				searched = append(searched, l.extensionsIn(folder, ProjectScope)...)
			}
			all = append(all, l.owned(k, true, searched)...)
		}
		all = append(all, l.owned(k, false, l.extensionsIn(l.home, User))...)
	}
	var list []Extension
	for _, file := range all {
		if !slices.ContainsFunc(list, func(other Extension) bool { return sameFile(other.Path, file.path) }) {
			list = append(list, Extension{file.path, file.source, file.host})
		}
	}
	return list, l.set.Problems, nil
}

// extensionsIn looks into the folder extensions of base, and into the folders there.
func (l *loader) extensionsIn(base string, scope Scope) []found {
	dir := filepath.Join(base, "extensions")
	if !isDir(dir) {
		return nil
	}
	files := l.extensionFolder(dir)
	for i := range files {
		files[i].source = Source{Path: files[i].path, Kind: Auto, Scope: scope, BaseDir: base}
	}
	return files
}

// extensionFolder returns the extensions among a folder's entries, in the order of the names.
func (l *loader) extensionFolder(dir string) []found {
	entries, err := os.ReadDir(dir)
	if err != nil {
		l.problem(dir, err)
		return nil
	}
	var files []found
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		switch {
		case strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules":
		case isDir(path):
			files = append(files, l.extensionPackage(path)...)
		case isExtension(entry.Name()):
			files = append(files, l.script(path))
		}
	}
	return files
}

// script is a file of a suffix for scripts, with what runs it.
func (l *loader) script(path string) found {
	m, err := FindManifest(path)
	switch {
	case err == nil:
		return found{path: path, host: m.Host}
	case !errors.Is(err, ErrNoManifest):
		l.problem(path, err)
	}
	return found{path: path}
}

// extensionAt returns the extensions that a path names.
func (l *loader) extensionAt(path string, scope Scope) ([]found, error) {
	info, err := os.Stat(path)
	if err != nil {
		if os.IsNotExist(err) {
			return nil, errors.New("does not exist")
		}
		return nil, err
	}
	var files []found
	switch {
	case info.IsDir():
		if files = l.extensionPackage(path); files == nil {
			files = l.extensionFolder(path)
		}
		if files == nil {
			return nil, errors.New("has no extension in it: neither index.ts, nor other .ts and .js files, nor a package.json with pi.extensions, nor an extension.json")
		}
	case isExtension(path):
		files = []found{l.script(path)}
	default: // a program, or whatever its host makes of it
		file := found{path: path}
		m, err := FindManifest(path)
		switch {
		case err == nil:
			file.host = m.Host
		case !errors.Is(err, ErrNoManifest):
			return nil, err
		case !slices.Contains(scripts, strings.ToLower(filepath.Ext(path))):
			return nil, errors.New(`is neither a script (.ts, .js) nor a program that may be run: chmod +x it, or name its "command" in an extension.json beside it and load the folder`)
		}
		files = []found{file}
	}
	for i := range files {
		files[i].source = Source{Path: files[i].path, Kind: Local, Scope: scope}
		if scope == Temporary {
			files[i].source.Kind = CLI
		}
	}
	return files, nil
}

// extensionPackage returns the extensions that a folder is; nil if it is none.
func (l *loader) extensionPackage(dir string) []found {
	m, err := FindManifest(dir)
	switch {
	case errors.Is(err, ErrNoManifest):
		return l.packageFiles(dir)
	case err != nil:
		l.problem(dir, fmt.Errorf("cannot be loaded: %w", err))
		return []found{}
	case m.Host == HostProcess:
		return []found{{path: dir, host: HostProcess}}
	}
	files := l.packageFiles(dir)
	for i := range files {
		files[i].host = m.Host
	}
	return files
}

// packageFiles returns the scripts of a package; nil if the folder is none.
func (l *loader) packageFiles(dir string) []found {
	manifest := filepath.Join(dir, "package.json")
	if exists(manifest) {
		files, listed := l.manifest(dir, manifest)
		if listed {
			return files
		}
	}
	for _, name := range []string{"index.ts", "index.js", "index.mjs"} {
		if path := filepath.Join(dir, name); exists(path) {
			return []found{l.script(path)}
		}
	}
	return nil
}

// manifest reads the extensions that a package lists; false if it lists none.
func (l *loader) manifest(dir, path string) (files []found, listed bool) {
	text, err := readText(path, maxText)
	if err != nil {
		l.problem(path, err)
		return nil, false
	}
	type part struct {
		Extensions []string `json:"extensions"`
	}
	var manifest struct {
		Rondo *part `json:"rondo"`
		Pi    part  `json:"pi"`
	}
	if err := json.Unmarshal([]byte(text), &manifest); err != nil {
		l.problem(path, fmt.Errorf("cannot be read: %w", err))
		return nil, false
	}
	if manifest.Rondo != nil { // it says in full what is for this program
		manifest.Pi = *manifest.Rondo
	}
	if manifest.Pi.Extensions == nil {
		return nil, false
	}
	for _, name := range manifest.Pi.Extensions {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if !inside(file, dir) {
			l.problem(path, fmt.Errorf("lists the extension %q, which lies outside of its folder", name))
			continue
		}
		if isDir(file) {
			files = append(files, l.extensionFolder(file)...)
		} else if exists(file) {
			files = append(files, l.script(file))
		} else {
			l.problem(path, fmt.Errorf("lists the extension %q, which does not exist", name))
		}
	}
	return files, true
}

func isExtension(name string) bool {
	return slices.Contains(extensionSuffixes, filepath.Ext(name)) && !strings.HasSuffix(name, ".d.ts")
}
