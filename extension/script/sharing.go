package script

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// sharing lets bundles of one machine have the modules of an extension's own files in common, as
// they would where each file is a module. A module that has run makes itself known to
// __rondo.share; bundles that are made later take it from there. Packages are not shared.
type sharing struct {
	files []string // whose modules the machine has
	anew  string   // the file that the bundle is made of, if it is to have a module of its own
}

func (s *sharing) key() string {
	if s == nil {
		return ""
	}
	return "\x00" + s.anew + "\x00" + strings.Join(slices.Sorted(slices.Values(s.files)), "\x00")
}

// Files of each kind, as far as their text tells.
var (
	isModule = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)(?:^|[;}])\s*(?:import\s*["'{*]|import\s+\w|export\b)`)
	})
	isCommonJS = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bmodule\.exports\b|(?m)^\s*exports\.`) })
)

// shared lets the module of a file make itself known, at its end, where it moves no line.
func (s *sharing) shared(file, source string) string {
	if s == nil || file == s.anew || inPackage(file) {
		return source
	}
	name := strconv.Quote(file)
	esm, cjs := isModule().MatchString(source), isCommonJS().MatchString(source)
	switch {
	case esm && !cjs:
		return source + "\n;import*as __rondo_self from" + name + ";__rondo.share(" + name + ",__rondo_self,true);"
	case cjs && !esm:
		return source + "\n;__rondo.share(" + name + ",module.exports);"
	}
	return source
}

// fromOutside marks what resolve asks for itself.
type fromOutside struct{}

// resolve takes modules that the machine has from there.
func (s *sharing) resolve(b api.PluginBuild) {
	if s == nil || len(s.files) == 0 {
		return
	}
	b.OnResolve(api.OnResolveOptions{Filter: `^\.|^/|^[A-Za-z]:[\\/]`, Namespace: "file"}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
		if _, ours := a.PluginData.(fromOutside); ours || a.Kind == api.ResolveEntryPoint {
			return api.OnResolveResult{}, nil
		}
		r := b.Resolve(a.Path, api.ResolveOptions{Importer: a.Importer, Namespace: a.Namespace, ResolveDir: a.ResolveDir, Kind: a.Kind, PluginData: fromOutside{}})
		if len(r.Errors) > 0 || r.Suffix != "" || r.Path == a.Importer || !slices.Contains(s.files, r.Path) {
			return api.OnResolveResult{}, nil
		}
		return api.OnResolveResult{Path: r.Path, Namespace: "shared"}, nil
	})
	// The names of what it exports are known when it runs, so they are those of CommonJS; its
	// default is what it says, also for importers that take all of CommonJS for the default.
	b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "shared"}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
		name := strconv.Quote(a.Path)
		source := "export*from" + name + ";const m=__rondo.shared(" + name + ");export default \"default\"in Object(m)?m.default:m"
		return api.OnLoadResult{Contents: &source, Loader: api.LoaderJS}, nil
	})
	b.OnResolve(api.OnResolveOptions{Filter: ".*", Namespace: "shared"}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
		return api.OnResolveResult{Path: a.Path, Namespace: "having"}, nil
	})
	b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "having"}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
		source := "module.exports=__rondo.shared(" + strconv.Quote(a.Path) + ")"
		return api.OnLoadResult{Contents: &source, Loader: api.LoaderJS}, nil
	})
}
