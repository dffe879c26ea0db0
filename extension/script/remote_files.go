package script

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/rondo-agent/rondo/internal/atomicfile"
)

// remoteFiles are what a remote machine loads. They lie in a folder of their own, which is
// removed with the machine.
type remoteFiles struct {
	dir  string
	main string
	n    int
}

func newRemoteFiles(cacheDir string) (f *remoteFiles, err error) {
	f = new(remoteFiles)
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
	opts := bundleOptions(filepath.Dir(b.Path), func(string, []byte) error { return nil })
	opts.EntryPoints, opts.Format, opts.Outfile = []string{b.Path}, api.FormatESModule, b.Path+".bundle.mjs"
	opts.Sourcemap, opts.SourcesContent = api.SourceMapInline, api.SourcesContentExclude
	opts.SourceRoot = filepath.Dir(b.Path) + string(filepath.Separator)
	opts.Plugins = append([]api.Plugin{{Name: "packages", Setup: packagesOutside}}, opts.Plugins...)
	r := api.Build(opts)
	if err := buildError(&r); err != nil {
		return "", fmt.Errorf("load extension %s: %w", b.Path, err)
	}
	f.n++
	file := filepath.Join(f.dir, strconv.Itoa(f.n)+".mjs")
	return fileURL(file), f.write(file, r.OutputFiles[0].Contents)
}

// packagesOutside leaves Node's modules and packages outside of a bundle. Packages are named by
// their files, since the bundle lies elsewhere.
func packagesOutside(b api.PluginBuild) {
	b.OnResolve(api.OnResolveOptions{Filter: `^[^./]`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
		if a.Kind == api.ResolveEntryPoint || a.PluginData == outside {
			return api.OnResolveResult{}, nil
		}
		name := canonical(a.Path)
		if strings.HasPrefix(name, "node:") {
			return api.OnResolveResult{Path: name, External: true}, nil
		}
		if name != "" || filepath.IsAbs(a.Path) {
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
