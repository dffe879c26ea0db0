// Package glob matches paths below a folder with the patterns that models write: *, ?,
// [class], {a,b} and ** for any number of folders.
//
// A pattern without a slash is compared with the last element of a path. Any other is
// compared with the whole path relative to the folder, whichever way it is written: src/*.go,
// ./src/*.go and /the/folder/src/*.go are the same. A pattern that ends with a slash
// matches folders only. On Windows a backslash is a slash.
//
// Patterns become regular expressions, which match in linear time. Matchers that backtrack
// need exponential time for some sequences of braces and stars.
package glob

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// Options change how patterns are read.
type Options struct {
	// IgnoreCase makes letters match in both cases.
	IgnoreCase bool
	// Rooted makes a leading slash stand for the folder, as it does in ignore files.
	Rooted bool
}

// Glob is a pattern, ready to use.
type Glob struct {
	re      *regexp.Regexp
	whole   bool // compare the whole path
	dirOnly bool
	// suffix is what every match ends with: it is compared first, because it is cheap.
	suffix string
}

// Compile reads a pattern for the paths below dir, which is absolute. Its errors are made
// for models.
func Compile(dir, pattern string, opts *Options) (*Glob, error) {
	if opts == nil {
		opts = new(Options)
	}
	text, anchored, err := relative(dir, pattern, opts.Rooted)
	if err != nil {
		return nil, err
	}
	g := new(Glob)
	text, g.dirOnly = strings.CutSuffix(text, "/")
	g.whole = anchored || strings.Contains(text, "/")
	expr, err := translate(text)
	if err == nil {
		if opts.IgnoreCase {
			expr = "(?i)" + expr
		} else {
			g.suffix = text[strings.LastIndexAny(text, `*?[]{},\`)+1:]
		}
		g.re, err = regexp.Compile(expr)
	}
	if err != nil {
		return nil, fmt.Errorf("the pattern %q is not valid: %w", pattern, err)
	}
	return g, nil
}

// relative rewrites a pattern to start at dir. Anchored means that it is for a whole path
// even if there is no slash left.
func relative(dir, pattern string, rooted bool) (text string, anchored bool, err error) {
	text = filepath.ToSlash(pattern)
	if filepath.IsAbs(pattern) || strings.HasPrefix(text, "/") {
		anchored = true
		below, ok := strings.CutPrefix(text, strings.TrimSuffix(filepath.ToSlash(dir), "/")+"/")
		if !ok && !rooted {
			return "", false, fmt.Errorf("the pattern %q is an absolute path outside %s, where the search is; set path to the folder and write the pattern relative to it", pattern, dir)
		}
		text = strings.TrimLeft(below, "/")
	}
	for strings.HasPrefix(text, "./") {
		anchored = true
		text = strings.TrimLeft(text[2:], "/")
	}
	if text == "" {
		return "", false, errors.New("the pattern is empty; * matches every name")
	}
	if strings.Contains("/"+text+"/", "/../") {
		return "", false, fmt.Errorf("the pattern %q leaves the folder that is searched; set path to another folder instead of writing ..", pattern)
	}
	return text, anchored, nil
}

// Match says whether a path relative to the folder, with slashes, matches; dir says whether
// it is a folder itself.
func (g *Glob) Match(path string, dir bool) bool {
	if g.dirOnly && !dir || !strings.HasSuffix(path, g.suffix) {
		return false
	}
	if !g.whole {
		path = path[strings.LastIndexByte(path, '/')+1:]
	}
	return g.re.MatchString(path)
}
