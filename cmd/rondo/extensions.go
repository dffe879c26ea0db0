package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/pflag"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
	"github.com/rondo-agent/rondo/resource"
	"github.com/rondo-agent/rondo/session"
)

// extensions are those of one session, with what they bring to the program.
type extensions struct {
	runner    *extension.Runner // nil if there are none
	providers *providers
	notes     []string
}

// loadExtensions loads what is compiled in, and the files that count for a project. One that
// the command line names and that cannot be loaded is an error; any other is told.
func (p *program) loadExtensions(ctx context.Context, here *project) (*extensions, error) {
	e := &extensions{providers: &providers{base: here.cfg}}
	e.providers.now.Store(here.cfg)
	sources, notes, err := p.extensionSources(here)
	if err != nil {
		return nil, usage("%w", err)
	}
	e.notes = notes
	if len(sources) == 0 {
		return e, nil
	}
	e.runner = extension.NewRunner(&extension.Options{
		CWD: here.Dir(), Hosts: p.extensionHosts(&permissions{here.cfg, here.Dir()}), Flags: p.extensionFlags,
		OnError: p.tellError,
	})
	for _, source := range sources {
		for _, failure := range p.load(ctx, e.runner.Load, source) {
			err := fmt.Errorf("the extension %s cannot be loaded: %w", source.Path, failure.Err)
			if place := failure.Place(); place != "" {
				err = fmt.Errorf("%w (%s)", err, place)
			}
			if source.Info.Scope == string(resource.Temporary) {
				return nil, errors.Join(err, e.close())
			}
			e.notes = append(e.notes, err.Error())
		}
	}
	e.notes = append(e.notes, e.runner.Conflicts()...)
	for _, flag := range e.runner.Flags() {
		if p.cmd.Flags().Lookup(flag.Name) != nil {
			e.notes = append(e.notes, fmt.Sprintf("the flag --%s of an extension keeps its default: rondo has one of this name", flag.Name))
		}
	}
	e.runner.Providers(func(name string, provider *extension.Provider) {
		if err := e.providers.add(name, provider); err != nil {
			e.notes = append(e.notes, err.Error())
		}
	})
	return e, nil
}

// slowLoad is how long an extension may be loaded without a word. One of megabytes is compiled
// when it is loaded for the first time, which takes many seconds.
const slowLoad = time.Second

// load loads an extension, and tells the user if that takes its time.
func (p *program) load(ctx context.Context, load func(context.Context, ...extension.Source) []*extension.Error, source extension.Source) []*extension.Error {
	told := make(chan struct{})
	slow := time.AfterFunc(slowLoad, func() {
		defer close(told)
		p.note([]string{"loading the extension " + source.Path + ", which may take long the first time"})
	})
	defer func() {
		if !slow.Stop() {
			<-told
		}
	}()
	return load(ctx, source)
}

// tellError tells the user of a failure of an extension.
func (p *program) tellError(err *extension.Error) { p.note([]string{err.Detail()}) }

// close gives up extensions that no session has taken over.
func (e *extensions) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), killGrace)
	defer cancel()
	return e.runner.Close(ctx)
}

// extensionSources lists what is to be loaded, in order.
func (p *program) extensionSources(here *project) (sources []extension.Source, notes []string, err error) {
	if !p.flags.noExtensions {
		sources = extension.Registered()
	}
	opts := &resource.Options{Trusted: here.verdict.Trusted, Extensions: p.flags.extensions, NoExtensions: p.flags.noExtensions}
	for _, list := range here.cfg.Lists {
		opts.Lists = append(opts.Lists, resource.List(list))
	}
	files, wrong, err := here.Extensions(opts)
	if err != nil {
		return nil, nil, err
	}
	for _, problem := range wrong {
		notes = append(notes, problem.String())
	}
	for _, file := range files {
		host := file.Host
		if host == "" && slices.Contains(script.Suffixes, filepath.Ext(file.Path)) {
			host = here.cfg.ExtensionHost(file.Path)
		}
		sources = append(sources, extension.Source{Path: file.Path, Host: host, Info: extension.SourceInfo{
			Path: file.Path, Source: file.Source.Kind, Scope: string(file.Source.Scope), Origin: "top-level", BaseDir: file.Source.BaseDir,
		}})
	}
	return sources, notes, nil
}

// askExtensions asks the extensions of the user and of the command line whether a project
// may be trusted, before any file of the project counts; nil if they have no opinion.
func (p *program) askExtensions(ctx context.Context, cfg *config.Config, opened *resource.Project) (*bool, error) {
	e, err := p.loadExtensions(ctx, &project{Project: opened, cfg: cfg})
	if err != nil || e.runner == nil {
		return nil, err
	}
	answer := e.runner.Trust(ctx, opened.Dir())
	if ctx.Err() != nil {
		return nil, errors.Join(context.Cause(ctx), e.close())
	}
	if err := e.close(); err != nil || answer == nil {
		return nil, err
	}
	trusted := answer.Trusted == "yes"
	if answer.Remember {
		return &trusted, opened.Remember(trusted)
	}
	return &trusted, nil
}

// program returns what extensions may ask of the program.
func (e *extensions) program(p *program, here *project) session.Program {
	return session.Program{
		Models: e.providers, ProjectTrusted: here.verdict.Trusted,
		RegisterProvider: e.providers.add, UnregisterProvider: e.providers.remove,
		AddResources: func(s *session.Session, found *extension.ResourcesDiscoverResult) error {
			return p.addResources(s, here, found)
		},
	}
}

// addResources makes what extensions have found count, beside what the command line names.
func (p *program) addResources(s *session.Session, here *project, found *extension.ResourcesDiscoverResult) error {
	if d, ok := p.direct.(*directTerminal); ok && !p.flags.noThemes {
		d.addThemes(present(here, found.ThemePaths))
	}
	f := p.flags
	f.skills = append(append([]string(nil), f.skills...), present(here, found.SkillPaths)...)
	f.promptTemplates = append(append([]string(nil), f.promptTemplates...), present(here, found.PromptPaths)...)
	set, notes, err := here.load(&f)
	if err != nil {
		return err
	}
	p.note(notes)
	prompt, err := p.systemPrompt(set, here.Dir())
	if err != nil {
		return err
	}
	s.SetPrompt(set, prompt)
	return nil
}

// present returns those of the paths that there are: an extension may name a folder for what
// will be in it some day.
func present(here *project, paths []string) (out []string) {
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			path = filepath.Join(here.Dir(), path)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			out = append(out, path)
		}
	}
	return out
}

// providers are the configuration with the providers of extensions, which come and go while
// a session is worked with.
type providers struct {
	base *config.Config
	now  atomic.Pointer[config.Config]
	// asked are the models of the session, once there is one.
	asked atomic.Pointer[models]

	mu   sync.Mutex
	list []broughtProvider
}

type broughtProvider struct {
	name string
	*extension.Provider
}

var _ extension.Models = (*providers)(nil)

// add adds a provider, or puts it in the place of an earlier one of the name.
func (p *providers) add(name string, provider *extension.Provider) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := append(without(p.list, name), broughtProvider{name, provider})
	if err := p.use(list); err != nil {
		return fmt.Errorf("register the provider %q: %w", name, err)
	}
	p.list = list
	registerLogins(p.base, list, "")
	return nil
}

// remove takes a provider away, with its models.
func (p *providers) remove(name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = without(p.list, name)
	registerLogins(p.base, p.list, name)
	return p.use(p.list)
}

func without(list []broughtProvider, name string) []broughtProvider {
	var out []broughtProvider
	for _, other := range list {
		if other.name != name {
			out = append(out, other)
		}
	}
	return out
}

// use makes the configuration that the list comes to.
func (p *providers) use(list []broughtProvider) error {
	cfg := p.base
	for _, provider := range list {
		raw, err := json.Marshal(provider.Provider)
		if err != nil {
			return err
		}
		if cfg, err = cfg.WithProvider("the extension's provider", provider.name, raw, provider.Stream != nil); err != nil {
			return err
		}
	}
	p.now.Store(cfg)
	return nil
}

// streamOf returns how a provider of an extension asks its models; nil if by a wire.
func (p *providers) streamOf(name string) ai.StreamFunc {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, provider := range p.list {
		if provider.name == name {
			return provider.Stream
		}
	}
	return nil
}

// All implements [extension.Models].
func (p *providers) All() []*ai.Model { return p.now.Load().Models() }

// Available implements [extension.Models].
func (p *providers) Available() []*ai.Model { return p.models().Available() }

// Find implements [extension.Models].
func (p *providers) Find(provider, id string) *ai.Model { return p.now.Load().Model(provider, id) }

// HasAuth implements [extension.Models].
func (p *providers) HasAuth(m *ai.Model) bool { return p.now.Load().Ready(m) == nil }

// Auth implements [extension.Models].
func (p *providers) Auth(ctx context.Context, m *ai.Model) (string, map[string]string, error) {
	cred, err := p.now.Load().Credential(ctx, m)
	if err != nil {
		return "", nil, err
	}
	return cred.APIKey, cred.Headers, nil
}

// Stream implements [extension.Models].
func (p *providers) Stream(ctx context.Context, req *ai.Request) *ai.Stream {
	return p.models().stream()(ctx, req)
}

// models are those of the session, or, before there is one, those of the configuration.
func (p *providers) models() *models {
	if m := p.asked.Load(); m != nil {
		return m
	}
	return &models{cfg: p.base, brought: p}
}

// takeExtensionFlags takes flags that this program does not know out of a command line: they
// may be those of extensions. An argument behind one may be its value; it is replaced by a
// mark, until the extensions are known. flags are those that the program knows.
func (p *program) takeExtensionFlags(args []string, flags *pflag.FlagSet) []string {
	var rest []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(rest, args[i:]...)
		}
		name, value, hasValue := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		if !strings.HasPrefix(arg, "--") || name == "help" || name == "version" {
			rest = append(rest, arg)
			if takesValue(flags, arg) && i+1 < len(args) {
				i++
				rest = append(rest, args[i])
			}
			continue
		}
		if known := flags.Lookup(name); known != nil {
			rest = append(rest, arg)
			if !hasValue && known.NoOptDefVal == "" && i+1 < len(args) {
				i++
				rest = append(rest, args[i])
			}
			continue
		}
		flag := &unknownFlag{name: name, value: value, hasValue: hasValue}
		if !hasValue && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") && !strings.HasPrefix(args[i+1], "@") {
			i++
			flag.next = &args[i]
			rest = append(rest, flag.mark())
		}
		p.unknown = append(p.unknown, flag)
	}
	return rest
}

// takesValue reports whether a short flag takes the argument behind it.
func takesValue(flags *pflag.FlagSet, arg string) bool {
	if len(arg) != 2 || arg[0] != '-' {
		return false
	}
	f := flags.ShorthandLookup(arg[1:])
	return f != nil && f.NoOptDefVal == ""
}

// unknownFlag is a flag that this program does not know.
type unknownFlag struct {
	name, value string
	hasValue    bool
	next        *string // the argument behind it, which may be its value
}

// mark stands for the argument behind the flag.
func (f *unknownFlag) mark() string { return "\x00" + f.name }

// settleFlags gives the extensions their flags. What none of them knows is an error.
func (p *program) settleFlags(r *extension.Runner) error {
	values := make(map[string]any)
	known := r.Flags()
	taken := make(map[string]bool)
	for _, flag := range p.unknown {
		var def *extension.Flag
		for _, candidate := range known {
			if candidate.Name == flag.name {
				def = candidate
			}
		}
		if def == nil {
			return usage("%w; see rondo --help", p.suggestFor(&unknownFlagError{flag.name}, flag.name))
		}
		_, isBool := def.Default.(bool)
		switch {
		case isBool || def.Boolean:
			values[flag.name] = !flag.hasValue || flag.value != "false"
		case flag.hasValue:
			values[flag.name] = flag.value
		case flag.next != nil:
			values[flag.name], taken[flag.mark()] = *flag.next, true
		default:
			return usage("--%s needs a value, such as --%s=text", flag.name, flag.name)
		}
	}
	p.extensionFlags = values
	r.SetFlags(values)
	p.putBack(taken)
	return nil
}

// putBack puts the arguments that are nobody's values in their places again.
func (p *program) putBack(taken map[string]bool) {
	var args []string
	dash := p.flags.dash
	for i, arg := range p.flags.args {
		if i >= p.flags.dash || !strings.HasPrefix(arg, "\x00") {
			args = append(args, arg)
			continue
		}
		if taken[arg] {
			dash--
			continue
		}
		for _, flag := range p.unknown {
			if flag.next != nil && flag.mark() == arg {
				arg = *flag.next
				break
			}
		}
		args = append(args, arg)
	}
	p.flags.args, p.flags.dash = args, dash
}

// unknownFlagError says that there is no such flag.
type unknownFlagError struct{ name string }

func (e *unknownFlagError) Error() string { return "unknown flag: --" + e.name }
