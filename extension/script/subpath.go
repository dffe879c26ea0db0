package script

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// subpathTried marks an import that esbuild is asked about by subpathImports itself.
type subpathTried struct{}

// subpathImports finds names such as #src/tools, which a package defines in "imports" of its
// package.json. esbuild takes what stands there for a whole path, as Node does. What loads
// extensions in Pi adds suffixes too, so "#src/*": "./src/*" leads to ./src/tools.ts.
func subpathImports(b api.PluginBuild) {
	b.OnResolve(api.OnResolveOptions{Filter: `^#`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
		if _, ok := a.PluginData.(subpathTried); ok {
			return api.OnResolveResult{}, nil
		}
		opts := api.ResolveOptions{Importer: a.Importer, Namespace: a.Namespace, ResolveDir: a.ResolveDir, Kind: a.Kind, PluginData: subpathTried{}}
		r := b.Resolve(a.Path, opts)
		if len(r.Errors) > 0 {
			if root, target := subpathTarget(a.ResolveDir, a.Path); target != "" {
				opts.ResolveDir = root
				if found := b.Resolve(target, opts); len(found.Errors) == 0 {
					r = found
				}
			}
		}
		return api.OnResolveResult{
			Errors: r.Errors, Warnings: r.Warnings, Path: r.Path, External: r.External, Namespace: r.Namespace,
			Suffix: r.Suffix, PluginData: r.PluginData,
		}, nil
	})
}

// subpathTarget looks a name up in the nearest package.json. It returns the package's folder
// and what stands for the name, a path or a package.
func subpathTarget(dir, name string) (root, target string) {
	for {
		raw, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err == nil {
			var manifest struct {
				Imports map[string]jsontext.Value `json:"imports"`
			}
			if json.Unmarshal(raw, &manifest) != nil {
				return "", ""
			}
			return dir, matchSubpath(manifest.Imports, name)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", ""
		}
		dir = up
	}
}

// matchSubpath prefers the name itself, then the pattern with the longest beginning.
func matchSubpath(imports map[string]jsontext.Value, name string) string {
	if v, ok := imports[name]; ok {
		return chooseSubpath(v)
	}
	best, target := -1, ""
	for pattern, v := range imports {
		head, tail, ok := strings.Cut(pattern, "*")
		if !ok || len(head) <= best || len(name) < len(head)+len(tail) || !strings.HasPrefix(name, head) || !strings.HasSuffix(name, tail) {
			continue
		}
		best = len(head)
		target = strings.ReplaceAll(chooseSubpath(v), "*", name[len(head):len(name)-len(tail)])
	}
	return target
}

// chooseSubpath takes the first condition that holds here, in the order in which they stand.
func chooseSubpath(v jsontext.Value) string {
	dec := jsontext.NewDecoder(bytes.NewReader(v))
	tok, err := dec.ReadToken()
	if err != nil {
		return ""
	}
	kind := tok.Kind()
	if kind == '"' {
		return tok.String()
	}
	for (kind == '{' || kind == '[') && dec.PeekKind() != '}' && dec.PeekKind() != ']' {
		holds := true
		if kind == '{' {
			name, err := dec.ReadToken()
			if err != nil {
				return ""
			}
			holds = strings.Contains(" node import module default ", " "+name.String()+" ")
		}
		inner, err := dec.ReadValue()
		if err != nil {
			return ""
		}
		if target := chooseSubpath(inner); holds && target != "" {
			return target
		}
	}
	return ""
}
