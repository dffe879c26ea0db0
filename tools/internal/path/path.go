// Package path finds the file that a model means by the path it wrote.
//
// Models repeat paths as people type them: with the @ of a mention, with ~, with plain
// spaces and quotes where the file's name has typographic ones, in another Unicode
// normal form. The path as it is written always comes first, so that a file with an odd
// name can be reached.
package path

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"
)

// Resolve returns the absolute path of a file that may not exist yet. A leading @ is
// dropped, a leading ~ is the home folder, Unicode spaces become plain ones, and a
// relative path starts at cwd. A name that exists exactly as it is written stays as it is.
//
// Exists says whether something has an absolute path; nil asks the local disk.
func Resolve(cwd, name string, exists func(string) bool) string {
	exists = orDisk(exists)
	if literal := absolute(cwd, expandHome(name)); exists(literal) {
		return literal
	}
	return absolute(cwd, plain(cwd, name, exists))
}

// Find returns the absolute path of a file that should exist. It is like [Resolve], but
// where nothing has that name it tries the spellings that macOS gives to files: decomposed
// accents, the typographic apostrophe, the narrow space before AM and PM. If none of them
// exists either, it returns what [Resolve] does.
func Find(cwd, name string, exists func(string) bool) string {
	exists = orDisk(exists)
	resolved := Resolve(cwd, name, exists)
	if exists(resolved) {
		return resolved
	}
	for _, variant := range variants(plain(cwd, name, exists)) {
		if p := absolute(cwd, variant); exists(p) {
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

func orDisk(exists func(string) bool) func(string) bool {
	if exists != nil {
		return exists
	}
	return func(p string) bool {
		_, err := os.Lstat(p)
		return err == nil
	}
}

func absolute(cwd, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(cwd, name)
}

// plain undoes what a model or a person adds to a name.
func plain(cwd, name string, exists func(string) bool) string {
	name = plainSpaces(name)
	if mentioned, ok := strings.CutPrefix(name, "@"); ok && !exists(absolute(cwd, firstElement(name))) {
		name = mentioned
	}
	return expandHome(name)
}

// firstElement is "@types" for "@types/node/index.d.ts", a folder that packages do have.
func firstElement(name string) string {
	if i := strings.IndexFunc(name, isSeparator); i >= 0 {
		return name[:i]
	}
	return name
}

func isSeparator(r rune) bool { return r == '/' || r < 0x80 && os.IsPathSeparator(uint8(r)) }

func expandHome(name string) string {
	rest, ok := strings.CutPrefix(name, "~")
	if !ok || rest != "" && !isSeparator(rune(rest[0])) {
		return name
	}
	home, err := os.UserHomeDir()
	if err != nil {
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

// maxLinks is how many symbolic links in a row are followed, as in Linux.
const maxLinks = 40

// Real returns p with all symbolic links followed. What does not exist yet stays as it is
// written, below the real path of what does; the target of a dangling link counts as
// such.
func Real(p string) string { return real(filepath.Clean(p), maxLinks) }

func real(p string, links int) string {
	if resolved, err := filepath.EvalSymlinks(p); err == nil {
		return resolved
	}
	if target, err := os.Readlink(p); err == nil && links > 0 {
		if !filepath.IsAbs(target) {
			target = filepath.Join(real(filepath.Dir(p), links-1), target)
		}
		return real(filepath.Clean(target), links-1)
	}
	dir := filepath.Dir(p)
	if dir == p {
		return p
	}
	return filepath.Join(real(dir, links), filepath.Base(p))
}

// Key is the same for all paths of one file: its real path, without differences that the
// system's usual file system does not make, nor those that [Find] looks past. That two
// files share a key is possible and harmless: one waits for the other.
func Key(p string) string {
	key := norm.NFC.String(strings.Map(plainRune, Real(p)))
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
