package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// The parts of the package: what makes the types that JSON Schema has, and all that computes
// types from others, which is ten times as much.
const (
	index = "index" // names alone
	core  = "core"
	rest  = "rest"
)

// cores are the files of the smaller part, and folders.
var cores = []string{
	"guard/globals.mjs", "guard/guard.mjs", "guard/native.mjs", "guard/string.mjs", "system/memory", "system/settings", "type/types",
	"type/action/_add_immutable.mjs", "type/action/_add_optional.mjs", "type/action/_add_readonly.mjs",
	"type/engine/enum/typescript_enum_to_enum_values.mjs", "type/engine/immutable/instantiate_add.mjs",
	"type/engine/optional/instantiate_add.mjs", "type/engine/readonly/instantiate_add.mjs",
}

// parts divides the files that the package's first entry point uses into parts, which import each
// other as modules of the library.
type parts struct {
	build string
	files []string            // paths below build
	names map[string][]string // what a file exports; nothing for one that only passes on
}

// divide reads the files below a folder.
func divide(build string) (*parts, error) {
	p := &parts{build: build, names: map[string][]string{}}
	used := []string{filepath.Join(build, "index.mjs")}
	for i := 0; i < len(used); i++ {
		source, err := os.ReadFile(used[i])
		if err != nil {
			return nil, err
		}
		for _, m := range importing.FindAllStringSubmatch(string(source), -1) {
			if file := filepath.Join(filepath.Dir(used[i]), m[1]); !slices.Contains(used, file) {
				used = append(used, file)
			}
		}
		name, err := filepath.Rel(build, used[i])
		if err != nil {
			return nil, err
		}
		name = filepath.ToSlash(name)
		if names := exports(string(source)); len(names) > 0 {
			p.files, p.names[name] = append(p.files, name), names
		}
	}
	slices.Sort(p.files)
	return p, nil
}

var (
	importing = regexp.MustCompile(`from '(\.[^']+)'`)
	declaring = regexp.MustCompile(`(?m)^export (?:const|let|var|function|function\*|class) (\w+)`)
	exporting = regexp.MustCompile(`\b\w+_\d+\b`)
	listing   = regexp.MustCompile(`(?m)^export \{([^}]*)\};?\s*(?://.*)?$`)
)

// exports are the names that a file declares and exports.
func exports(source string) []string {
	var names []string
	for _, m := range declaring.FindAllStringSubmatch(source, -1) {
		names = append(names, m[1])
	}
	for _, m := range listing.FindAllStringSubmatch(source, -1) {
		for name := range strings.SplitSeq(m[1], ",") {
			if _, as, ok := strings.Cut(name, " as "); ok {
				name = as
			}
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// part is the one that a file belongs to, "" for one that only passes on.
func (p *parts) part(file string) string {
	switch {
	case len(p.names[file]) == 0:
		return ""
	case slices.ContainsFunc(cores, func(c string) bool { return c == file || strings.HasPrefix(file, c+"/") }):
		return core
	}
	return rest
}

// name is that which a part has for what a file exports: files have names in common.
func (p *parts) name(file, export string) string {
	return fmt.Sprintf("%s_%d", export, slices.Index(p.files, file))
}

// entry exports what others import of a part.
func (p *parts) entry(part string, others ...string) string {
	imported := map[string]bool{}
	for _, name := range exporting.FindAllString(strings.Join(others, "\n"), -1) {
		imported[name] = true
	}
	var b strings.Builder
	for _, file := range p.files {
		if p.part(file) != part {
			continue
		}
		for _, name := range p.names[file] {
			if as := p.name(file, name); imported[as] {
				fmt.Fprintf(&b, "export {%s as %s} from './%s';\n", name, as, file)
			}
		}
	}
	return b.String()
}

// outside makes a bundle import what the files of other parts export from these.
func (p *parts) outside(part string) []api.Plugin {
	return []api.Plugin{{Name: "parts", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `^rondo:`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: a.Path, External: true}, nil
		})
		b.OnResolve(api.OnResolveOptions{Filter: `^\.`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			file, err := filepath.Rel(p.build, filepath.Join(a.ResolveDir, a.Path))
			if of := p.part(filepath.ToSlash(file)); err != nil || of == "" || of == part {
				return api.OnResolveResult{}, err
			}
			return api.OnResolveResult{Path: filepath.ToSlash(file), Namespace: "outside", SideEffects: api.SideEffectsFalse}, nil
		})
		b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "outside"}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			var source strings.Builder
			for _, name := range p.names[a.Path] {
				fmt.Fprintf(&source, "export {%s as %s} from 'rondo:typebox/%s';\n", p.name(a.Path, name), name, p.part(a.Path))
			}
			text := source.String()
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
		})
	}}}
}
