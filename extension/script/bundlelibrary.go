package script

import (
	"regexp"
	"strings"
	"sync"
)

var (
	libraryRequire = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(require_\w+)=__commonJS\(\{\s*"library:`) })
	libraryImport  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`__toESM\((\s*require_\w+\(\)\))`) })
)

// libraryAsIs lets a bundle use the library's modules themselves. esbuild would give each file
// that imports one a copy with as many getters as the module has names; a CommonJS module of a
// package needs that, these do not. Places in the text stay what they are.
func libraryAsIs(code string) string {
	ours := map[string]bool{}
	for _, m := range libraryRequire().FindAllStringSubmatch(code, -1) {
		ours[m[1]+"())"] = true
	}
	return libraryImport().ReplaceAllStringFunc(code, func(use string) string {
		required := strings.TrimPrefix(use, "__toESM(")
		if !ours[strings.TrimSpace(required)] {
			return use
		}
		return "       (" + required
	})
}
