package script

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/go-json-experiment/json"
)

// Bundle is an extension file and everything that it imports, as one module.
type Bundle struct {
	Path string // of the extension file
	code string
	maps func() []byte // the source map, read when a place is asked for
	// files are those that went into it.
	files []string
}

// manifest is what the cache knows of a bundle: it is good as long as every file that went
// into it is what it was.
type manifest struct {
	Inputs map[string]string `json:"inputs"` // absolute path to hash
	Code   string            `json:"code"`
	Map    string            `json:"map"`
}

// NewBundle makes a module of an extension file, or takes it from the cache folder ("" for
// none). What the extension imports is found as Node finds it; modules that the library has
// stay outside.
func NewBundle(file, cacheDir string) (*Bundle, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("load extension %s: %w", file, err)
	}
	if _, err := os.Stat(abs); err != nil {
		return nil, fmt.Errorf("load extension: %w", err)
	}
	c := cache{cacheDir}
	key := path.Join("extensions", digest([]byte(bundleFormat + abs))[:32])
	var m manifest
	if raw := c.read(key); raw != nil && json.Unmarshal(raw, &m) == nil && m.fresh() {
		return m.bundle(abs, c), nil
	}
	if m, err = build(abs, c); err != nil {
		return nil, fmt.Errorf("load extension %s: %w", file, err)
	}
	if raw, err := json.Marshal(m); err == nil {
		c.write(key, raw)
	}
	return m.bundle(abs, c), nil
}

// bundleFormat changes when bundles are made in another way.
const bundleFormat = "2 "

func (m *manifest) fresh() bool {
	for file, sum := range m.Inputs {
		b, err := os.ReadFile(file)
		if err != nil || digest(b) != sum {
			return false
		}
	}
	return true
}

// bundle uses the map of the manifest, or the one that the cache has under its name.
func (m *manifest) bundle(abs string, c cache) *Bundle {
	key := m.Map
	b := &Bundle{Path: abs, code: m.Code, maps: func() []byte { return c.read(key) }, files: slices.Sorted(maps.Keys(m.Inputs))}
	if strings.HasPrefix(key, "{") {
		b.maps = func() []byte { return []byte(key) }
	}
	return b
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// build runs esbuild.
func build(abs string, c cache) (manifest, error) {
	seen := map[string]string{}
	opts := bundleOptions(filepath.Dir(abs), func(file string, raw []byte) error { seen[file] = digest(raw); return nil })
	opts.EntryPoints, opts.Format, opts.Outfile = []string{abs}, api.FormatESModule, abs+".bundle.js"
	opts.Sourcemap, opts.SourcesContent = api.SourceMapExternal, api.SourcesContentExclude
	r := api.Build(opts)
	if err := buildError(&r); err != nil {
		return manifest{}, err
	}
	var m manifest
	m.Inputs = seen
	for _, f := range r.OutputFiles {
		if strings.HasSuffix(f.Path, ".map") {
			m.Map = string(f.Contents)
		} else {
			m.Code = string(f.Contents)
		}
	}
	if c.dir != "" {
		key := path.Join("maps", digest([]byte(m.Map))[:32])
		c.write(key, []byte(m.Map))
		m.Map = key
	}
	return m, nil
}

// bundleOptions are those of everything that is bundled; read is told of each file, and may
// refuse it.
func bundleOptions(dir string, read func(file string, raw []byte) error) api.BuildOptions {
	return api.BuildOptions{
		Bundle: true, Platform: api.PlatformNode, Target: api.ES2023, TsconfigRaw: "{}", AbsWorkingDir: dir,
		LogLevel: api.LogLevelSilent, Charset: api.CharsetUTF8, LegalComments: api.LegalCommentsNone,
		// The engine takes long to find places in much text, and in long lines.
		MinifyWhitespace: true, LineLimit: 160,
		Define:  map[string]string{"import.meta.url": "__rondo_url", "import.meta.dirname": "__dirname", "import.meta.filename": "__filename"},
		Plugins: []api.Plugin{{Name: "extension", Setup: func(b api.PluginBuild) { extensionFiles(b, read) }}},
	}
}

func buildError(r *api.BuildResult) error {
	if len(r.Errors) == 0 {
		return nil
	}
	texts := make([]string, 0, len(r.Errors))
	for _, m := range r.Errors {
		texts = append(texts, messageText(m))
	}
	return errors.New(strings.Join(texts, "; "))
}

// moduleOps are the operations of createRequire.
func moduleOps() Table {
	return Table{
		"module.builtins": Typed(func(context.Context, any) ([]string, error) { return nodeModules, nil }),
		"module.load": Reaching(asked, func(ctx context.Context, a struct {
			Name string `json:"name"`
			Dir  string `json:"dir"`
		},
		) (loadedModule, error) {
			return loadModule(ctx, a.Name, a.Dir)
		}),
	}
}

// loadedModule is one of the library, or a file as CommonJS.
type loadedModule struct {
	Builtin string `json:"builtin"`
	File    string `json:"file"`
	Code    string `json:"code"`
}

// loadModule finds and bundles what a script asks for while it runs.
func loadModule(ctx context.Context, name, dir string) (m loadedModule, err error) {
	if m.Builtin = canonical(name); m.Builtin != "" {
		return m, nil
	}
	var refused error
	opts := bundleOptions(dir, func(file string, _ []byte) error {
		if m.File == "" {
			m.File = file
		}
		refused = cmp.Or(refused, policyOf(ctx).module(file))
		return refused
	})
	opts.Format = api.FormatCommonJS
	opts.Stdin = &api.StdinOptions{Contents: "module.exports = require(" + strconv.Quote(name) + ")", ResolveDir: dir, Loader: api.LoaderJS}
	r := api.Build(opts)
	if refused != nil {
		return loadedModule{}, refused
	}
	if buildError(&r) != nil {
		return m, &Error{Code: "MODULE_NOT_FOUND", Message: "Cannot find module '" + name + "': " + buildError(&r).Error()}
	}
	m.Code = string(r.OutputFiles[0].Contents)
	return m, nil
}

// extensionFiles is the plugin that keeps our modules outside, notes every file that is
// read, and gives each its own import.meta.
func extensionFiles(b api.PluginBuild, read func(file string, raw []byte) error) {
	var mu sync.Mutex // esbuild reads files at the same time
	subpathImports(b)
	b.OnResolve(api.OnResolveOptions{Filter: `^[@a-z]`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
		if a.Kind == api.ResolveEntryPoint {
			return api.OnResolveResult{}, nil
		}
		if name := canonical(a.Path); name != "" {
			return api.OnResolveResult{Path: name, Namespace: "library"}, nil
		}
		return api.OnResolveResult{}, nil
	})
	b.OnResolve(api.OnResolveOptions{Filter: `\.node$`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
		return api.OnResolveResult{Path: a.Path, Namespace: "native"}, nil
	})
	b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "native"}, nativeModule)
	b.OnLoad(api.OnLoadOptions{Filter: `\.node$`, Namespace: "file"}, nativeModule) // what a package's name stands for
	b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "library"}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
		source := "module.exports = __rondo.require(" + strconv.Quote(a.Path) + ")"
		return api.OnLoadResult{Contents: &source, Loader: api.LoaderJS}, nil
	})
	b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "file"}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
		raw, err := os.ReadFile(a.Path)
		if err != nil {
			return api.OnLoadResult{}, err
		}
		mu.Lock()
		err = read(a.Path, raw)
		mu.Unlock()
		if err != nil {
			return api.OnLoadResult{}, err
		}
		loader, ok := loaders[filepath.Ext(a.Path)]
		if !ok {
			return api.OnLoadResult{}, nil
		}
		source := string(raw)
		if loader != api.LoaderJSON {
			source = withMeta(a.Path, source)
		}
		return api.OnLoadResult{Contents: &source, Loader: loader, ResolveDir: filepath.Dir(a.Path)}, nil
	})
}

// nativeModule stands for a file of machine code. Packages often try one and do without it, so
// it fails when it is asked for.
func nativeModule(a api.OnLoadArgs) (api.OnLoadResult, error) {
	text := a.Path + ` is a native module, which needs Node: ask for "extensionHost": "node" in the package.json of the extension`
	source := `throw Object.assign(new Error(` + strconv.Quote(text) + `), { code: "ERR_DLOPEN_FAILED" })`
	return api.OnLoadResult{Contents: &source, Loader: api.LoaderJS}, nil
}

var loaders = map[string]api.Loader{
	".ts": api.LoaderTS, ".mts": api.LoaderTS, ".cts": api.LoaderTS, ".tsx": api.LoaderTSX,
	".js": api.LoaderJS, ".mjs": api.LoaderJS, ".cjs": api.LoaderJS, ".jsx": api.LoaderJSX,
	".json": api.LoaderJSON,
}

// withMeta declares what stands for import.meta, on the first line, so that lines keep their
// numbers.
func withMeta(file, source string) string {
	meta := []struct{ use, name, value string }{
		{"import.meta.url", "__rondo_url", fileURL(file)},
		{"__dirname", "__dirname", filepath.Dir(file)},
		{"__filename", "__filename", file},
	}
	var head strings.Builder
	for _, m := range meta {
		use := strings.Contains(source, m.use) || strings.Contains(source, "import.meta."+strings.TrimLeft(m.name, "_"))
		if use && !declares(source, m.name) {
			fmt.Fprintf(&head, "const %s = %s; ", m.name, strconv.Quote(m.value))
		}
	}
	if strings.HasPrefix(source, "#!") {
		source = "//" + source
	}
	return head.String() + source
}

// declares reports whether a file makes a __dirname of its own, as modules often do.
func declares(source, name string) bool {
	return slices.ContainsFunc([]string{"const ", "let ", "var "}, func(k string) bool { return strings.Contains(source, k+name) })
}

// fileURL returns the file: URL of a path.
func fileURL(file string) string {
	p := filepath.ToSlash(file)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return "file://" + escapePath(p)
}

func escapePath(p string) string {
	var b strings.Builder
	for i := range len(p) {
		switch c := p[i]; {
		case c > ' ' && c < 0x7f && !strings.ContainsRune(`"#%<>?[\]^`+"`{|}", rune(c)):
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
