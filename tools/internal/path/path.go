// Package path finds the file that a model means by the path it wrote.
//
// Models repeat paths as people type them: with the @ of a mention, with ~, with plain
// spaces and quotes where the file's name has typographic ones, in another Unicode
// normal form. The path as it is written always comes first, so that a file with an odd
// name can be reached.
package path

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/rondo-agent/rondo/tools/host"
)

// Names are the names of files as a model writes them in a folder of a host.
type Names struct {
	Host host.Host
	// Dir is where relative names start.
	Dir string
}

// Find returns the absolute path of a file that should exist. It is like [Names.Resolve], but
// where nothing has that name it tries the spellings that macOS gives to files: decomposed
// accents, the typographic apostrophe, the narrow space before AM and PM. If none of them
// exists either, it returns what Resolve does.
func (n Names) Find(ctx context.Context, name string) string {
	return n.search(func(p string) bool {
		_, err := n.Host.Stat(ctx, p)
		return err == nil
	}).find(name)
}

// FindNow is Find without waiting for a network: a host that does not know
// at once what exists gets the path as it is written.
func (n Names) FindNow(name string) string { return n.search(n.Host.Exists).find(name) }

// Resolve returns the absolute path of a file that may not exist yet, without waiting for a
// network. A leading @ is dropped, a leading ~ is the home folder, Unicode spaces become plain
// ones, and a relative path starts at the folder. A name that exists exactly as it is written
// stays as it is.
func (n Names) Resolve(name string) string { return n.search(n.Host.Exists).resolve(name) }

func (n Names) search(exists func(string) bool) search {
	return search{cwd: n.Dir, home: n.Host.HomeDir, exists: exists}
}

// search finds the file of a name, by asking whether something has an absolute path.
type search struct {
	cwd    string
	home   func() string
	exists func(string) bool
}

func (s search) resolve(name string) string {
	if literal := s.absolute(s.expandHome(name)); s.exists(literal) {
		return literal
	}
	return s.absolute(s.plain(name))
}

func (s search) find(name string) string {
	resolved := s.resolve(name)
	if s.exists(resolved) {
		return resolved
	}
	for _, variant := range variants(s.plain(name)) {
		if p := s.absolute(variant); s.exists(p) {
			return p
		}
	}
	return resolved
}

// Error says which path a tool could not do its work on: the one that the model wrote, and
// the one that err is about, where that is another.
func Error(tool, name string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		if p.Path == name {
			return fmt.Errorf("%s %s: %w", tool, name, p.Err)
		}
		return fmt.Errorf("%s %s: %w (%s)", tool, name, p.Err, p.Path)
	}
	return fmt.Errorf("%s %s: %w", tool, name, err)
}

func (s search) absolute(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(s.cwd, name)
}

// plain undoes what a model or a person adds to a name.
func (s search) plain(name string) string {
	name = plainSpaces(name)
	if mentioned, ok := strings.CutPrefix(name, "@"); ok && !s.exists(s.absolute(firstElement(name))) {
		name = mentioned
	}
	return s.expandHome(name)
}

// firstElement is "@types" for "@types/node/index.d.ts", a folder that packages do have.
func firstElement(name string) string {
	if i := strings.IndexFunc(name, isSeparator); i >= 0 {
		return name[:i]
	}
	return name
}

func isSeparator(r rune) bool { return r == '/' || r == filepath.Separator }

func (s search) expandHome(name string) string {
	rest, ok := strings.CutPrefix(name, "~")
	if !ok || rest != "" && !isSeparator(rune(rest[0])) {
		return name
	}
	home := s.home()
	if home == "" {
		return name
	}
	return filepath.Join(home, rest)
}

func plainSpaces(name string) string {
	return strings.Map(func(r rune) rune {
		if IsUnicodeSpace(r) {
			return ' '
		}
		return r
	}, name)
}

// IsUnicodeSpace says whether r is a space that looks like the plain one but is not it.
func IsUnicodeSpace(r rune) bool {
	switch r {
	case '\u00a0', '\u202f', '\u205f', '\u3000':
		return true
	}
	return '\u2000' <= r && r <= '\u200a'
}

var beforeMeridiem = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i) ([ap]m)\b`) })

// variants are the other spellings of a name, the most likely first.
func variants(name string) []string {
	spellings := []string{name}
	for _, respell := range []func(string) string{
		func(s string) string { return beforeMeridiem().ReplaceAllString(s, "\u202f$1") },
		func(s string) string { return strings.ReplaceAll(s, "'", "\u2019") },
		norm.NFD.String,
		norm.NFC.String,
	} {
		for _, s := range spellings {
			if other := respell(s); other != s {
				spellings = append(spellings, other)
			}
		}
	}
	return spellings[1:]
}

// Key is the same for all paths of one file: its real path, without differences that the
// system's usual file system does not make, nor those that [Names.Find] looks past. That two
// files share a key is possible and harmless: one waits for the other.
func (n Names) Key(p string) string {
	key := norm.NFC.String(strings.Map(plainRune, n.Host.Real(p)))
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		key = strings.ToLower(key)
	}
	return key
}

// plainRune is the plain form of a character that names are spelled with in two ways.
func plainRune(r rune) rune {
	switch {
	case r == '\u2019':
		return '\''
	case IsUnicodeSpace(r):
		return ' '
	}
	return r
}
