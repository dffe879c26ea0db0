package script

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
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
	name  string // by which a machine imports it, if that is not the path
	// owner is the file of the extension that has asked for this one while it ran; "" if this
	// is an extension's own.
	owner string
	// wrapped says that the file is no module of ECMAScript: what it exports is the default.
	wrapped bool
}

// key is the name by which a machine imports the bundle.
func (b *Bundle) key() string { return cmp.Or(b.name, b.Path) }

// extension is the file of the extension that the bundle belongs to.
func (b *Bundle) extension() string { return cmp.Or(b.owner, b.Path) }

// manifest is what the cache knows of a bundle: it is good as long as every file that went
// into it is what it was.
type manifest struct {
	Inputs map[string]string `json:"inputs"` // absolute path to hash
	Code   string            `json:"code"`
	Map    string            `json:"map"`
	// Wrapped is Bundle.wrapped.
	Wrapped bool `json:"wrapped,omitzero"`
}

// NewBundle makes a module of an extension file, or takes it from the cache folder ("" for
// none). What the extension imports is found as Node finds it; modules that the library has
// stay outside.
func NewBundle(file, cacheDir string) (*Bundle, error) {
	return newBundle(file, cacheDir, nil)
}

// newBundle is NewBundle of a file that shares modules with others.
func newBundle(file, cacheDir string, shares *sharing) (*Bundle, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("load extension %s: %w", file, err)
	}
	if _, err := os.Stat(abs); err != nil {
		return nil, fmt.Errorf("load extension: %w", err)
	}
	c := cache{cacheDir}
	key := path.Join("extensions", digest([]byte(bundleFormat + abs + shares.key()))[:32])
	var m manifest
	if raw := c.read(key); raw != nil && json.Unmarshal(raw, &m) == nil && m.fresh() {
		return m.bundle(abs, c), nil
	}
	if m, err = build(abs, c, shares); err != nil {
		return nil, fmt.Errorf("load extension %s: %w", file, err)
	}
	if raw, err := json.Marshal(m); err == nil {
		c.write(key, raw)
	}
	return m.bundle(abs, c), nil
}

// bundleFormat changes when bundles are made in another way.
const bundleFormat = "6 "

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
	b := &Bundle{Path: abs, code: m.Code, maps: func() []byte { return c.read(key) }, files: slices.Sorted(maps.Keys(m.Inputs)), wrapped: m.Wrapped}
	if strings.HasPrefix(key, "{") {
		b.maps = func() []byte { return []byte(key) }
	}
	return b
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// build runs esbuild. What imports by computed paths is built once more, since its files may be
// asked for in this way too.
func build(abs string, c cache, shares *sharing) (manifest, error) {
	m, computes, err := buildWith(abs, shares)
	if err == nil && computes && shares == nil {
		m, _, err = buildWith(abs, new(sharing))
	}
	if err != nil {
		return manifest{}, err
	}
	if c.dir != "" {
		key := path.Join("maps", digest([]byte(m.Map))[:32])
		c.write(key, []byte(m.Map))
		m.Map = key
	}
	return m, nil
}

func buildWith(abs string, shares *sharing) (m manifest, computes bool, err error) {
	seen, sources := map[string]string{}, map[string]string{}
	dir := filepath.Dir(abs)
	opts := bundleOptions(dir, &loading{
		read:   func(file string, raw []byte) { seen[file] = digest(raw) },
		loaded: func(file, source string) { sources[file] = source },
		shares: shares,
	})
	opts.EntryPoints, opts.Format, opts.Outfile = []string{abs}, api.FormatESModule, abs+".bundle.js"
	opts.Sourcemap, opts.SourcesContent = api.SourceMapExternal, api.SourcesContentExclude
	r := api.Build(opts)
	if err := buildError(&r); err != nil {
		return manifest{}, false, err
	}
	if keepsStores(sources) {
		lowered := opts
		lowered.Supported = map[string]bool{"async-await": false, "async-generator": false, "for-await": false}
		if again := api.Build(lowered); len(again.Errors) == 0 { // an await outside of functions stays
			r = again
		}
	}
	m.Inputs = seen
	m.Code, m.Map, computes = module(&r, dir, sources)
	m.Wrapped = isWrapped(abs, m.Code)
	return m, computes, nil
}

// defaultAlone matches the end of a module that has been made of one of CommonJS.
var defaultAlone = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`export default require_\w+\(\);\s*$`) })

// isWrapped tells [Bundle].wrapped.
func isWrapped(file, code string) bool {
	return filepath.Ext(file) == ".json" || defaultAlone().MatchString(code)
}

// module returns the code of a bundle and its source map; computes says that it imports by
// computed paths.
func module(r *api.BuildResult, dir string, sources map[string]string) (code, places string, computes bool) {
	for _, f := range r.OutputFiles {
		if strings.HasSuffix(f.Path, ".map") {
			places = string(f.Contents)
		} else {
			code = string(f.Contents)
		}
	}
	code, places, computes = located(code, places, dir, sources)
	return libraryAsIs(known(code)), places, computes
}

// loading is told of the files of a bundle, of one at a time; a function may be nil.
type loading struct {
	mu     sync.Mutex // the bundler reads files at the same time
	read   func(file string, raw []byte)
	loaded func(file, source string) // with the text that is bundled
	shares *sharing                  // nil for none
}

func (l *loading) note(file string, raw []byte, source string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.read != nil {
		l.read(file, raw)
	}
	if l.loaded != nil {
		l.loaded(file, source)
	}
}

// keepsStores reports whether there is an AsyncLocalStorage: it must know what goes on after an
// await, which the engine does not tell. Without await, the callbacks of promises do.
func keepsStores(sources map[string]string) bool {
	for _, source := range sources {
		if strings.Contains(source, "AsyncLocalStorage") && newStorage().MatchString(source) {
			return true
		}
	}
	return false
}

var newStorage = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`new\s+(?:[\w$]+\.)*AsyncLocalStorage\b`) })

// bundleOptions are those of everything that is bundled.
func bundleOptions(dir string, l *loading) api.BuildOptions {
	return api.BuildOptions{
		Bundle: true, Platform: api.PlatformNode, Target: api.ES2023, TsconfigRaw: "{}", AbsWorkingDir: dir,
		LogLevel: api.LogLevelSilent, Charset: api.CharsetUTF8, LegalComments: api.LegalCommentsNone,
		// The engine takes long to find places in much text, and in long lines.
		MinifyWhitespace: true, LineLimit: 160,
		Define:  map[string]string{"import.meta.url": "__rondo_url", "import.meta.dirname": "__dirname", "import.meta.filename": "__filename", "import.meta.resolve": "__rondo_resolve"},
		Plugins: []api.Plugin{{Name: "extension", Setup: func(b api.PluginBuild) { extensionFiles(b, l) }}},
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

// extensionFiles is the plugin that keeps our modules outside, notes every file that is
// read, and gives each its own import.meta.
func extensionFiles(b api.PluginBuild, l *loading) {
	subpathImports(b)
	l.shares.resolve(b)
	b.OnResolve(api.OnResolveOptions{Filter: `^[@a-z]`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
		if a.Kind == api.ResolveEntryPoint {
			return api.OnResolveResult{}, nil
		}
		if name := canonical(a.Path); name != "" {
			return api.OnResolveResult{Path: name, Namespace: "library"}, nil
		}
		return api.OnResolveResult{}, nil
	})
	b.OnResolve(api.OnResolveOptions{Filter: `^bindings$`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
		return api.OnResolveResult{Path: filepath.Dir(a.Importer), Namespace: "native"}, nil // it loads the one of its importer
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
		source := string(raw)
		loader, ok := loaders[filepath.Ext(a.Path)]
		if ok && loader != api.LoaderJSON {
			source = l.shares.shared(a.Path, withMeta(a.Path, withoutGlobs(source)))
		}
		l.note(a.Path, raw, source)
		if !ok {
			return api.OnLoadResult{}, nil
		}
		return api.OnLoadResult{Contents: &source, Loader: loader, ResolveDir: filepath.Dir(a.Path)}, nil
	})
}

// nativeModule stands for a file of machine code. Packages often try one and do without it, so
// it fails when it is asked for.
func nativeModule(a api.OnLoadArgs) (api.OnLoadResult, error) {
	text := a.Path + ` is a native module, which needs Node: ask for "extensionHost": "node" in the package.json of the extension, or name it in extensionHosts of settings.json`
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
		{"import.meta.url", "__rondo_url", strconv.Quote(fileURL(file))},
		{"import.meta.resolve", "__rondo_resolve", "__rondo.resolver(" + strconv.Quote(file) + ")"},
		{"__dirname", "__dirname", strconv.Quote(filepath.Dir(file))},
		{"__filename", "__filename", strconv.Quote(file)},
	}
	var head strings.Builder
	for _, m := range meta {
		use := strings.Contains(source, m.use) || strings.Contains(source, "import.meta."+strings.TrimLeft(m.name, "_"))
		if use && !declares(source, m.name) {
			fmt.Fprintf(&head, "const %s = %s; ", m.name, m.value)
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
