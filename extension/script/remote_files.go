package script

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/rondo-agent/rondo/internal/atomicfile"
)

// remoteFiles are what a remote machine loads. They lie in a folder of their own, which is
// removed with the machine.
type remoteFiles struct {
	dir  string
	main string
	n    atomic.Int32

	mu      sync.Mutex
	modules map[string]*foundModule // that scripts have asked for, by URL
}

func newRemoteFiles(cacheDir string) (f *remoteFiles, err error) {
	f = &remoteFiles{modules: map[string]*foundModule{}}
	if f.dir, err = os.MkdirTemp("", "rondo-script-"); err != nil {
		return nil, err
	}
	f.main = filepath.Join(f.dir, "main.mjs")
	main, err := facade.ReadFile("facade/remote.mjs")
	if err == nil {
		err = f.write(f.main, main)
	}
	if err == nil {
		var boot string
		if boot, err = librarySource(bootName); err == nil {
			err = f.write(filepath.Join(f.dir, "boot.cjs"), []byte(boot))
		}
	}
	if err != nil {
		f.remove()
		return nil, err
	}
	return f, nil
}

func (f *remoteFiles) write(file string, data []byte) error {
	return atomicfile.Write(file, data, &atomicfile.Options{Perm: 0o600})
}

func (f *remoteFiles) remove() { os.RemoveAll(f.dir) }

// library writes a module of the library.
func (f *remoteFiles) library(name string) (file string, err error) {
	source, err := librarySource(name)
	if err != nil {
		return "", err
	}
	file = filepath.Join(f.dir, strings.NewReplacer("/", "-", ":", "-", "@", "").Replace(name)+".cjs")
	return file, f.write(file, []byte(source))
}

// bundle writes an extension with its own files as one module. Packages stay where they are.
func (f *remoteFiles) bundle(b *Bundle) (name string, err error) {
	name, _, err = f.make(b, nil)
	return name, err
}

// module is bundle for a file that a script asks for while it runs. What lies in a package is
// for Node to load, and so is what is no script.
func (f *remoteFiles) module(m *foundModule, shares *sharing) (name string, wrapped bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ours := loaders[filepath.Ext(m.File)]; !ours || inPackage(m.File) {
		return m.URL, false, nil
	}
	if made := f.modules[m.URL]; made != nil {
		return made.Module, made.Wrapped, nil
	}
	if name, wrapped, err = f.make(&Bundle{Path: m.File}, shares); err == nil {
		f.modules[m.URL] = &foundModule{Module: name, Wrapped: wrapped}
	}
	return name, wrapped, err
}

func (f *remoteFiles) make(b *Bundle, shares *sharing) (name string, wrapped bool, err error) {
	code, places, computes, err := remoteCode(b, shares)
	if err == nil && computes && shares == nil {
		code, places, _, err = remoteCode(b, new(sharing))
	}
	if err != nil {
		return "", false, fmt.Errorf("load extension %s: %w", b.Path, err)
	}
	wrapped = isWrapped(b.Path, code)
	code += "//# sourceMappingURL=data:application/json;base64," + base64.StdEncoding.EncodeToString([]byte(places)) + "\n"
	n := f.n.Add(1)
	file := filepath.Join(f.dir, strconv.Itoa(int(n))+".mjs")
	return fileURL(file), wrapped, f.write(file, []byte(code))
}

func remoteCode(b *Bundle, shares *sharing) (code, places string, computes bool, err error) {
	dir, sources := filepath.Dir(b.Path), map[string]string{}
	opts := bundleOptions(dir, &loading{shares: shares, loaded: func(file, source string) { sources[file] = source }})
	opts.EntryPoints, opts.Format, opts.Outfile = []string{b.Path}, api.FormatESModule, b.Path+".bundle.mjs"
	opts.Sourcemap, opts.SourcesContent = api.SourceMapExternal, api.SourcesContentExclude
	opts.SourceRoot = dir + string(filepath.Separator)
	opts.Plugins = append([]api.Plugin{{Name: "packages", Setup: packagesOutside}}, opts.Plugins...)
	r := api.Build(opts)
	if err := buildError(&r); err != nil {
		return "", "", false, err
	}
	code, places, computes = module(&r, dir, sources)
	return code, places, computes, nil
}

// packagesOutside leaves Node's modules and packages outside of a bundle. Packages are named by
// their files, since the bundle lies elsewhere.
func packagesOutside(b api.PluginBuild) {
	b.OnResolve(api.OnResolveOptions{Filter: `^[^./#]`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
		if a.Kind == api.ResolveEntryPoint || a.PluginData == outside {
			return api.OnResolveResult{}, nil
		}
		name := canonical(a.Path)
		if strings.HasPrefix(name, "node:") {
			return api.OnResolveResult{Path: name, External: true}, nil
		}
		if name != "" && name != undici || filepath.IsAbs(a.Path) {
			return api.OnResolveResult{}, nil
		}
		found := b.Resolve(a.Path, api.ResolveOptions{ResolveDir: a.ResolveDir, Importer: a.Importer, Kind: a.Kind, PluginData: outside})
		switch {
		case len(found.Errors) > 0 && a.Kind == api.ResolveJSImportStatement:
			return api.OnResolveResult{}, fmt.Errorf("there is no package %s: install what the extension needs, such as with npm install in its folder", a.Path)
		case len(found.Errors) > 0 || found.External:
			return api.OnResolveResult{Path: a.Path, External: true}, nil // it may be optional
		}
		path := found.Path
		if a.Kind == api.ResolveJSImportStatement || a.Kind == api.ResolveJSDynamicImport {
			path = fileURL(path)
		}
		return api.OnResolveResult{Path: path, External: true}, nil
	})
	b.OnResolve(api.OnResolveOptions{Filter: `\.node$`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
		if !strings.HasPrefix(a.Path, ".") {
			return api.OnResolveResult{}, nil
		}
		return api.OnResolveResult{Path: filepath.Join(a.ResolveDir, a.Path), External: true}, nil
	})
}

// outside marks what packagesOutside asks for itself.
const outside = "outside"
