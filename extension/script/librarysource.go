package script

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// librarySource bundles a module of the library into a script that defines it.
func librarySource(name string) (string, error) {
	r := api.Build(api.BuildOptions{
		EntryPoints: []string{path.Join("facade", libraryFile(name))}, Bundle: true, Platform: api.PlatformNeutral,
		Format: api.FormatCommonJS, Target: api.ES2023, TsconfigRaw: "{}",
		MinifyWhitespace: true, MinifySyntax: true, LogLevel: api.LogLevelSilent,
		Plugins: []api.Plugin{{Name: "facade", Setup: facadeFiles}},
	})
	if len(r.Errors) > 0 {
		return "", fmt.Errorf("module %s: %s", name, messageText(r.Errors[0]))
	}
	code := string(r.OutputFiles[0].Contents)
	if name == bootName {
		return code, nil
	}
	return fmt.Sprintf("__rondo.define(%q,function(module,exports,require,__later){%s\n})", name, importLate(exportAsIs(code))), nil
}

// exportAsIs makes what a bundle exports the object that it has made of its names: esbuild would
// copy it.
func exportAsIs(code string) string {
	return strings.Replace(code, `__toCommonJS=mod=>__copyProps(__defProp({},"__esModule",{value:!0}),mod)`, `__toCommonJS=mod=>__defProp(mod,"__esModule",{value:!0})`, 1)
}

// imported is what a bundle has for an import of another module.
var imported = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(import_\w+)=(require\("[^"]+"\)|__toESM\(require\("[^"]+"\)(?:,1)?\))`)
})

// importLate makes a bundle load the modules that it imports when it first needs something of
// them, which most starts do not. Those that are always there stay as they are.
func importLate(code string) string {
	for _, m := range imported().FindAllStringSubmatch(code, -1) {
		name, load := m[1], m[2]
		if slices.Contains([]string{`require("rondo:host")`, `require("rondo:functions")`}, load) {
			continue
		}
		before, after, _ := strings.Cut(code, m[0])
		use := regexp.MustCompile(`\b` + name + `\b`)
		module := "(" + name + "())" // in parentheses for new module.Class()
		code = use.ReplaceAllString(before, module) + name + "=__later(()=>" + load + ")" + use.ReplaceAllString(after, module)
	}
	return code
}

// facadeFiles lets esbuild read the embedded files. A relative import is part of the module,
// unless its file is a module by itself; any other one is another module of the library.
func facadeFiles(b api.PluginBuild) {
	b.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
		if a.Kind == api.ResolveEntryPoint {
			return api.OnResolveResult{Path: path.Clean(a.Path), Namespace: "facade"}, nil
		}
		if !strings.HasPrefix(a.Path, ".") {
			return api.OnResolveResult{Path: a.Path, External: true}, nil
		}
		file := path.Join(path.Dir(a.Importer), a.Path)
		if name := "rondo:" + strings.TrimSuffix(strings.TrimPrefix(file, "facade/"), ".js"); libraryFile(name) != "" {
			return api.OnResolveResult{Path: name, External: true}, nil
		}
		return api.OnResolveResult{Path: file, Namespace: "facade"}, nil
	})
	b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "facade"}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
		raw, err := facade.ReadFile(a.Path)
		source := string(raw)
		return api.OnLoadResult{Contents: &source, Loader: api.LoaderJS}, err
	})
}

func messageText(m api.Message) string {
	if m.Location == nil {
		return m.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", m.Location.File, m.Location.Line, m.Location.Column+1, m.Text)
}
