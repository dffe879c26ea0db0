package script

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/go-json-experiment/json"
)

// wantedModule is one that a script asks for while it runs.
type wantedModule struct {
	Kind string `json:"kind"` // import, require, or resolve, which does not load it
	Name string `json:"name"`
	From string `json:"from"` // the file that asks
	// Shared are the files whose modules the machine has, as parts of others.
	Shared []string `json:"shared"`
	// remote says that the machine has packages of its own.
	remote bool
}

// foundModule is what it comes to: a module of the library, or a file.
type foundModule struct {
	Builtin string `json:"builtin,omitzero"`
	File    string `json:"file,omitzero"`
	URL     string `json:"url,omitzero"`
	Module  string `json:"module,omitzero"`  // the name by which the machine imports it
	Wrapped bool   `json:"wrapped,omitzero"` // see Bundle
	Shared  bool   `json:"shared,omitzero"`  // it is there as a part of another
	Anew    bool   `json:"anew,omitzero"`    // a ?query makes it another one
	suffix  string
}

// find looks a module up as Node does, without loading it.
func (w *wantedModule) find() (*foundModule, error) {
	if name := canonical(w.Name); name != "" && !(w.remote && name == undici) {
		return &foundModule{Builtin: name, URL: name}, nil
	}
	file, suffix := w.Name, ""
	if u, err := url.Parse(w.Name); err == nil && u.Scheme == "file" {
		file = pathOfURL(u)
		if u.RawQuery != "" {
			suffix = "?" + u.RawQuery
		}
	}
	if info, err := os.Stat(file); !filepath.IsAbs(file) || err != nil || info.IsDir() {
		kind := api.ResolveJSRequireCall
		if w.Kind == "import" {
			kind = api.ResolveJSDynamicImport
		}
		r := resolved(file, w.From, kind)
		if len(r.Errors) > 0 || r.External || r.Namespace != "file" {
			return nil, w.missing(&r)
		}
		file, suffix = r.Path, cmp.Or(suffix, r.Suffix)
	}
	file = filepath.Clean(file)
	return &foundModule{File: file, URL: fileURL(file) + suffix, Anew: suffix != "", suffix: suffix}, nil
}

func (w *wantedModule) missing(r *api.ResolveResult) error {
	e := &Error{Code: "MODULE_NOT_FOUND", Message: fmt.Sprintf("Cannot find module '%s' imported from %s", w.Name, w.From)}
	if w.Kind == "import" {
		e.Code = "ERR_" + e.Code
	}
	if len(r.Errors) > 0 && len(r.Errors[0].Notes) > 0 {
		e.Message += ": " + r.Errors[0].Notes[0].Text
	}
	return e
}

// resolved asks the bundler for the file that a name means.
func resolved(name, from string, kind api.ResolveKind) (r api.ResolveResult) {
	opts := bundleOptions(filepath.Dir(from), new(loading))
	opts.Stdin = &api.StdinOptions{ResolveDir: opts.AbsWorkingDir}
	opts.Plugins = []api.Plugin{{Name: "resolve", Setup: func(b api.PluginBuild) {
		subpathImports(b)
		b.OnStart(func() (api.OnStartResult, error) {
			r = b.Resolve(name, api.ResolveOptions{ResolveDir: opts.AbsWorkingDir, Importer: from, Kind: kind})
			return api.OnStartResult{}, nil
		})
	}}}
	api.Build(opts)
	return r
}

// pathOfURL returns the path of a file: URL.
func pathOfURL(u *url.URL) string {
	if runtime.GOOS == "windows" {
		return filepath.FromSlash(strings.TrimPrefix(u.Path, "/"))
	}
	return u.Path
}

// share reports whether the machine has the module as a part of another one.
func (f *foundModule) share(w *wantedModule) bool {
	f.Shared = !f.Anew && slices.Contains(w.Shared, f.File)
	return f.Shared
}

// sharing is what its bundle shares with others. One that is made anew is no other's.
func (f *foundModule) sharing(shared []string) *sharing {
	s := &sharing{files: shared}
	if f.Anew {
		s.anew = f.File
	}
	return s
}

// bundle makes a module of the file, if a policy lets all be read that goes into it.
func (f *foundModule) bundle(p *Policy, cacheDir string, shared []string) (*Bundle, error) {
	if err := p.module(f.File); err != nil {
		return nil, err
	}
	b, err := newBundle(f.File, cacheDir, f.sharing(shared))
	if err != nil {
		return nil, &Error{Code: "ERR_MODULE_NOT_LOADED", Message: err.Error()}
	}
	for _, file := range b.files {
		if err := p.module(file); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// moduleOps are those of modules that scripts ask for while they run.
func (s *system) moduleOps() Table {
	return Table{
		"module.builtins": Typed(func(context.Context, any) ([]string, error) { return nodeModules, nil }),
		// prepare fills the cache, while the machine does something else.
		"module.prepare": Reaching(asked, func(ctx context.Context, w wantedModule) (any, error) {
			f, err := w.find()
			if err != nil || f.Builtin != "" || s.settings.Cache == "" || s.settings.Remote != nil {
				return nil, err
			}
			_, err = f.bundle(policyOf(ctx), s.settings.Cache, w.Shared)
			return nil, err
		}),
	}
}

// hostModule is __module(json): it finds a module that a script asks for, and makes it one
// that can be imported. Its answer is that of an operation.
func (e *Engine) hostModule(args []any) (any, error) {
	resume := e.watch.pause(e.opts.Limits.Turn)
	defer resume()
	var w wantedModule
	if err := json.Unmarshal([]byte(text(args, 0)), &w); err != nil {
		return answer(nil, err)
	}
	f, err := e.module(&w)
	if err != nil {
		return answer(nil, err)
	}
	return answer(json.Marshal(f))
}

func (e *Engine) module(w *wantedModule) (*foundModule, error) {
	f, err := w.find()
	if err != nil || f.Builtin != "" {
		return f, err
	}
	if w.Kind == "resolve" || f.share(w) {
		return f, policyOf(e.ctx).module(f.File)
	}
	f.Module = "file:" + f.File + f.suffix
	b := e.modules[f.Module]
	if b == nil {
		if b, err = f.bundle(policyOf(e.ctx), e.opts.Cache, w.Shared); err != nil {
			return nil, err
		}
		b.name, b.owner = f.Module, e.ownerOf(w.From)
		e.know(b)
	}
	f.Wrapped = b.wrapped
	return f, nil
}

// ownerOf returns the extension that a file has come with.
func (e *Engine) ownerOf(file string) string {
	for _, b := range e.modules {
		if slices.Contains(b.files, file) {
			return b.extension()
		}
	}
	return ""
}

// hostEvaluate is __evaluate(name): it runs a module at once. What has become of it is what
// [raw.evaluate] says.
func (e *Engine) hostEvaluate(args []any) (any, error) {
	return e.raw.evaluate(text(args, 0)), nil
}
