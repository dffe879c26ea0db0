package script

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-sourcemap/sourcemap"
)

// The bundler leaves an import or require alone whose path is computed. It would run with the
// bundle as what it is relative to, so it is given the file in which it stands.

// computed finds what may be an import of a computed path in a bundle. The helper __require is
// what the bundler writes for a require that nothing declares.
var computed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bimport\(|\b__require\d*\b`) })

// located makes imports of computed paths ask the library. What looks like one is one if the
// source file has it at the place that the source map says: texts of strings have none of
// their own. Names keep their length, and what they stand for gets a line of its own, which the
// map is told of, so that the places stay right. sources are the texts by absolute path; computes
// says that a file which is no package's has one.
func located(code, places, dir string, sources map[string]string) (newCode, newPlaces string, computes bool) {
	found := computed().FindAllStringIndex(code, -1)
	if len(found) == 0 {
		return code, places, false
	}
	m, err := sourcemap.Parse("", []byte(places))
	if err != nil {
		return code, places, false
	}
	var out, head strings.Builder
	names := map[string]string{} // by the word and the file
	at, line, start := 0, 1, 0
	for _, f := range found {
		line += strings.Count(code[start:f[0]], "\n")
		if nl := strings.LastIndexByte(code[:f[0]], '\n'); nl >= start {
			start = nl + 1
		}
		word := strings.TrimSuffix(code[f[0]:f[1]], "(")
		source, _, row, col, ok := m.Source(line, units(code[start:f[0]]))
		file := filepath.FromSlash(source)
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		if !ok || !stands(sources[file], row, col, word) || isMember(code, f[0], f[1]) {
			continue
		}
		name, known := names[word+file]
		if !known {
			name = fmt.Sprintf("$%c%0*d", word[len(word)-1], len(word)-2, len(names))
			names[word+file] = name
			maker := "requirer"
			if word == "import" {
				maker = "importer"
			}
			fmt.Fprintf(&head, "const %s=__rondo.%s(%s);", name, maker, strconv.Quote(file))
		}
		computes = computes || !inPackage(file)
		out.WriteString(code[at:f[0]])
		out.WriteString(name)
		at = f[0] + len(word)
	}
	if len(names) == 0 {
		return code, places, false
	}
	out.WriteString(code[at:])
	return head.String() + "\n" + out.String(), strings.Replace(places, `"mappings": "`, `"mappings": ";`, 1), computes
}

// inPackage reports whether a file is one of a package.
func inPackage(file string) bool {
	return strings.Contains(file, string(filepath.Separator)+"node_modules"+string(filepath.Separator))
}

// units counts as source maps do.
func units(text string) int { return len(utf16.Encode([]rune(text))) }

// stands reports whether a source text has the word at a place; rows count from 1.
func stands(text string, row, col int, word string) bool {
	for ; row > 1; row-- {
		_, rest, ok := strings.Cut(text, "\n")
		if !ok {
			return false
		}
		text = rest
	}
	for col > 0 && text != "" {
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		col -= utf16.RuneLen(r)
	}
	if word != "import" {
		word = "require"
	}
	return strings.HasPrefix(text, word)
}

// isMember reports whether the word is the name of a method.
func isMember(code string, from, to int) bool {
	if strings.HasSuffix(code[:from], ".") {
		return true
	}
	if code[to-1] != '(' {
		return false
	}
	for depth := 1; to < len(code) && depth > 0; to++ {
		switch code[to] {
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	return strings.HasPrefix(code[to:], "{")
}

// unknown is put before a path that begins with a text, ./plugins/ it may be, since the bundler
// would take in whatever there is in that folder.
const unknown = "__any+"

var beginsWithText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\\b((?:import|require)\\s*\\(\\s*)(`\\.\\.?/[^`]*\\$\\{|\"\\.\\.?/[^\"\\n]*\"\\s*\\+|'\\.\\.?/[^'\\n]*'\\s*\\+)")
})

// withoutGlobs marks paths that begin with a text; known takes the marks away again.
func withoutGlobs(source string) string {
	if !strings.Contains(source, "./") {
		return source
	}
	return beginsWithText().ReplaceAllString(source, "${1}"+unknown+"${2}")
}

func known(code string) string { return strings.ReplaceAll(code, unknown, "") }
