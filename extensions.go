package rondo

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
	"github.com/rondo-agent/rondo/resource"
	"github.com/rondo-agent/rondo/session"
)

// loader loads extensions.
type loader struct {
	opts    *ExtensionOptions
	version string
	note    func(string)

	mu    sync.Mutex
	flags map[string]any // of extensions, by name
}

func newLoader(opts *Options) *loader {
	return &loader{opts: &opts.Extensions, version: opts.Version, note: opts.Note}
}

func (l *loader) setFlags(values map[string]any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flags = values
}

func (l *loader) flagValues() map[string]any {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.flags
}

// extensions are those of one session, with what they bring to the program.
type extensions struct {
	runner    *extension.Runner // nil if there are none
	providers *providers
	notes     []string
}

// load loads what is compiled in, and the files that count in a workspace. One that the options
// name and that cannot be loaded is an error; any other is a note.
func (l *loader) load(ctx context.Context, w *Workspace) (*extensions, error) {
	e := &extensions{providers: newProviders(w.cfg)}
	sources, notes, err := l.sources(w)
	if err != nil {
		return nil, err
	}
	e.notes = notes
	if len(sources) == 0 {
		return e, nil
	}
	e.runner = extension.NewRunner(&extension.Options{
		CWD: w.Dir(), Hosts: l.hosts(&permissions{w.cfg, w.Dir()}), Flags: l.flagValues(),
		OnError: func(err *extension.Error) { l.note(err.Detail()) },
	})
	for _, source := range sources {
		for _, failure := range l.loadOne(ctx, e.runner.Load, source) {
			err := &LoadError{Path: source.Path, Place: failure.Place(), Err: failure.Err}
			if source.Info.Scope == string(resource.Temporary) {
				return nil, errors.Join(err, e.close())
			}
			e.notes = append(e.notes, err.Error())
		}
	}
	e.notes = append(e.notes, e.runner.Conflicts()...)
	e.runner.Providers(func(name string, provider *extension.Provider) {
		if err := e.providers.add(name, provider); err != nil {
			e.notes = append(e.notes, err.Error())
		}
	})
	return e, nil
}

// LoadError is an extension that cannot be loaded. For one that [ExtensionOptions] name it is
// returned by [App.Workspace] and [App.Open]; for others it is a note.
type LoadError struct {
	Path  string
	Place string // file:line:column in its source; empty if unknown
	Err   error
}

func (e *LoadError) Error() string {
	text := fmt.Sprintf("the extension %s cannot be loaded: %v", e.Path, e.Err)
	if e.Place != "" {
		text += " (" + e.Place + ")"
	}
	return text
}

// Unwrap returns the cause.
func (e *LoadError) Unwrap() error { return e.Err }

// slowLoad is how long an extension may be loaded without a word. One of megabytes is compiled
// when it is loaded for the first time, which takes many seconds.
const slowLoad = time.Second

// loadOne loads an extension, and tells the user if that is slow.
func (l *loader) loadOne(ctx context.Context, load func(context.Context, ...extension.Source) []*extension.Error, source extension.Source) []*extension.Error {
	told := make(chan struct{})
	slow := time.AfterFunc(slowLoad, func() {
		defer close(told)
		l.note("loading the extension " + source.Path + ", which may take long the first time")
	})
	defer func() {
		if !slow.Stop() {
			<-told
		}
	}()
	return load(ctx, source)
}

// closeGrace is how long extensions that no session owns may take to end.
const closeGrace = 500 * time.Millisecond

// close ends extensions that no session owns.
func (e *extensions) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	return e.runner.Close(ctx)
}

// sources lists what is to be loaded, in order.
func (l *loader) sources(w *Workspace) (sources []extension.Source, notes []string, err error) {
	if !l.opts.None {
		sources = extension.Registered()
	}
	sources = append(sources, l.opts.Sources...)
	opts := w.options()
	opts.Extensions, opts.NoExtensions = l.opts.Paths, l.opts.None
	files, wrong, err := w.project.Extensions(opts)
	if err != nil {
		return nil, nil, err
	}
	for _, problem := range wrong {
		notes = append(notes, problem.String())
	}
	for _, file := range files {
		host := file.Host
		if host == "" && slices.Contains(script.Suffixes, filepath.Ext(file.Path)) {
			host = w.cfg.ExtensionHost(file.Path)
		}
		sources = append(sources, extension.Source{Path: file.Path, Host: host, Info: extension.SourceInfo{
			Path: file.Path, Source: file.Source.Kind, Scope: string(file.Source.Scope), Origin: "top-level", BaseDir: file.Source.BaseDir,
		}})
	}
	return sources, notes, nil
}

// askTrust asks the extensions of the user and of the options whether a project may be trusted,
// before any file of the project counts; nil if they have no opinion.
func (l *loader) askTrust(ctx context.Context, w *Workspace) (*bool, error) {
	e, err := l.load(ctx, w)
	if err != nil || e.runner == nil {
		return nil, err
	}
	answer := e.runner.Trust(ctx, w.Dir())
	if ctx.Err() != nil {
		return nil, errors.Join(context.Cause(ctx), e.close())
	}
	if err := e.close(); err != nil || answer == nil {
		return nil, err
	}
	trusted := answer.Trusted == "yes"
	if answer.Remember {
		return &trusted, w.project.Remember(trusted)
	}
	return &trusted, nil
}

// program returns what extensions may ask of the program.
func (a *App) program(w *Workspace) session.Program {
	brought := w.extensions.providers
	return session.Program{
		Models: brought, ProjectTrusted: w.Trusted(),
		RegisterProvider: brought.add, UnregisterProvider: brought.remove,
		AddResources: func(s *session.Session, found *extension.ResourcesDiscoverResult) error {
			return a.addResources(s, w, found)
		},
	}
}

// addResources makes what extensions have found count, beside what the options name.
func (a *App) addResources(s *session.Session, w *Workspace, found *extension.ResourcesDiscoverResult) error {
	if themes := a.opts.Extensions.Themes; themes != nil && !a.opts.Resources.NoThemes {
		themes(w.existing(found.ThemePaths))
	}
	set, notes, err := w.load(w.existing(found.SkillPaths), w.existing(found.PromptPaths))
	if err != nil {
		return err
	}
	for _, note := range notes {
		a.opts.Note(note)
	}
	prompt, err := a.systemPrompt(set, w.Dir())
	if err != nil {
		return err
	}
	s.SetPrompt(set, prompt)
	return nil
}
