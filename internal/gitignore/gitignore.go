// Package gitignore decides which paths the patterns of an ignore file exclude, exactly as
// Git does: negation, anchoring, **, directory-only patterns, escapes, trailing spaces and
// character classes. It compares bytes, as Git does on a file system that knows case.
package gitignore

import "strings"

// Verdict is what an ignore file says about a path.
type Verdict int8

// The verdicts. Include is the effect of a negated pattern: the path is wanted even though
// a weaker file or an earlier pattern ignores it.
const (
	None Verdict = iota
	Ignore
	Include
)

// File holds the patterns of one ignore file.
type File struct{ patterns []pattern }

// Parse reads the text of an ignore file. Every text is valid: a pattern that Git cannot
// make sense of matches nothing.
func Parse(text string) *File {
	f := new(File)
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
		if p, ok := parseLine(line); ok {
			f.patterns = append(f.patterns, p)
		}
	}
	return f
}

// Empty says that the file has no pattern that could match.
func (f *File) Empty() bool { return len(f.patterns) == 0 }

// Match returns the verdict of the last pattern that matches a path. The path is relative
// to the folder of the ignore file and separated by slashes; dir says whether it is a
// folder. The folders above the path are not considered: a walk does not enter those that
// are ignored.
func (f *File) Match(path string, dir bool) Verdict {
	base := path[strings.LastIndexByte(path, '/')+1:]
	for i := len(f.patterns) - 1; i >= 0; i-- {
		p := &f.patterns[i]
		if p.dirOnly && !dir {
			continue
		}
		name := base
		if p.anchored {
			name = path
		}
		if p.glob.match(name) {
			return p.verdict
		}
	}
	return None
}

type pattern struct {
	glob    wild
	verdict Verdict
	// dirOnly patterns end with a slash.
	dirOnly bool
	// anchored patterns contain another slash and are compared with the whole path, others
	// with its last element.
	anchored bool
}

func parseLine(line string) (pattern, bool) {
	if strings.HasPrefix(line, "#") {
		return pattern{}, false
	}
	p := pattern{verdict: Ignore}
	text := trimSpaces(strings.TrimSuffix(line, "\r"))
	if rest, ok := strings.CutPrefix(text, "!"); ok {
		p.verdict, text = Include, rest
	}
	text, p.dirOnly = strings.CutSuffix(text, "/")
	p.anchored = strings.Contains(text, "/")
	text = strings.TrimPrefix(text, "/")
	if text == "" {
		return pattern{}, false
	}
	var ok bool
	p.glob, ok = compile(text)
	return p, ok
}

// trimSpaces drops trailing spaces, except one after a backslash and what stands before it.
func trimSpaces(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			continue
		case '\\':
			if i++; i == len(s) {
				return s
			}
		}
		end = i + 1
	}
	return s[:end]
}
