package extension

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Options are the settings of a [Runner]. The zero value has no person, no hosts and no
// flags.
type Options struct {
	CWD  string
	Mode Mode
	// UI is the person at the other end; nil if there is none.
	UI UI
	// Hosts load the extensions that are files.
	Hosts []HostKind
	// Flags are what the command line says, by name: bools and strings.
	Flags map[string]any
	// OnError is told of failures, by whichever goroutine; nil drops them.
	OnError func(*Error)
	// Deadline replaces those of the policies; 0 keeps them.
	Deadline time.Duration
	// Grace is how long a handler may take to return once its context is done; 0 is a
	// second.
	Grace time.Duration
}

// Error is a failure of an extension.
type Error struct {
	// Path names the extension, and Event what it was called for: an event, command:NAME,
	// shortcut:KEY, load, or an action.
	Path, Event string
	Err         error
	// Stack is where a panic happened; empty for others.
	Stack string
}

// Error names the extension and what it was called for.
func (e *Error) Error() string { return fmt.Sprintf("extension %s: %s: %v", e.Path, e.Event, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Place is where in the extension's source the failure comes from, as file:line:column, for a
// cause that knows it with a method of this name; else empty.
func (e *Error) Place() string {
	cause, ok := errors.AsType[interface {
		error
		Place() string
	}](e.Err)
	if !ok {
		return ""
	}
	return cause.Place()
}

// Detail is the error for people, who want to know its place too.
func (e *Error) Detail() string {
	if place := e.Place(); place != "" {
		return e.Error() + " (" + place + ")"
	}
	return e.Error()
}

// Runner holds the extensions of one session and calls them. A nil runner has none: every
// event passes through it unchanged, and at no cost. All methods may be called from any
// goroutine.
type Runner struct {
	opts   Options
	bus    *Bus
	ctx    context.Context // ends with Close
	cancel context.CancelCauseFunc

	handlers [kinds]atomic.Pointer[[]*handler] // copied on write

	mu        sync.Mutex
	phase     phase
	session   Session
	ui        UI
	instances []*instance
	hosts     map[int]Host // by the index of their kind
	calls     int          // of handlers that have not returned, plus one until Close
	ended     chan struct{}

	fired  firing
	prompt span
}

// phase is how far a runner has come.
type phase int

const (
	loading phase = iota
	bound
	gone
)

// instance is one extension of a runner.
type instance struct {
	runner *Runner
	source Source
	order  int
	api    *API
	x      *Context
	dead   atomic.Bool // its factory has failed

	tools        []*Tool
	commands     []*Command
	shortcuts    []*Shortcut
	flags        []*Flag
	messages     map[string]MessageRenderer
	entries      map[string]EntryRenderer
	transformers []MarkdownTransformer
	providers    []namedProvider
}

type namedProvider struct {
	name string
	*Provider
}

// NewRunner returns a runner without extensions; see [Runner.Load].
func NewRunner(opts *Options) *Runner {
	r := &Runner{bus: NewBus(), ended: make(chan struct{}), calls: 1, hosts: make(map[int]Host)}
	if opts != nil {
		r.opts = *opts
	}
	if r.opts.Grace <= 0 {
		r.opts.Grace = time.Second
	}
	r.ui = r.opts.UI
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	return r
}

// Load loads extensions, one after another. One that fails leaves nothing behind, is
// reported, and does not keep the others from being loaded.
func (r *Runner) Load(ctx context.Context, sources ...Source) []*Error {
	var failed []*Error
	for _, source := range sources {
		if err := r.load(ctx, source); err != nil {
			failed = append(failed, err)
		}
	}
	return failed
}

func (r *Runner) load(ctx context.Context, source Source) *Error {
	in := &instance{runner: r, source: source}
	in.api = &API{in: in}
	in.x = &Context{in: in}
	r.mu.Lock()
	in.order = len(r.instances)
	r.instances = append(r.instances, in)
	r.mu.Unlock()
	factory, err := r.factory(ctx, &source)
	if err == nil {
		_, err = call(ctx, r, &handler{in: in, what: "load", deadline: patient}, func(ctx context.Context) (None, error) {
			return None{}, factory(ctx, in.api)
		})
	}
	if err == nil {
		return nil
	}
	r.drop(in)
	failure, ok := errors.AsType[*Error](err)
	if !ok {
		failure = &Error{Path: source.Path, Event: "load", Err: err}
	}
	return failure
}

// factory finds out who loads a source.
func (r *Runner) factory(ctx context.Context, source *Source) (Factory, error) {
	if source.Factory != nil {
		return source.Factory, nil
	}
	suffix := strings.ToLower(filepath.Ext(source.Path))
	kind := slices.IndexFunc(r.opts.Hosts, func(k HostKind) bool {
		if source.Host != "" {
			return k.Name == source.Host
		}
		return slices.Contains(k.Suffixes, suffix)
	})
	switch {
	case kind < 0 && source.Host != "":
		return nil, fmt.Errorf("nothing here runs extensions whose host is %q", source.Host)
	case kind < 0:
		return nil, fmt.Errorf("nothing here loads files whose names end in %q", suffix)
	}
	host, err := r.host(kind)
	if err != nil {
		return nil, err
	}
	return host.Load(ctx, source.Path)
}

// host returns the runner's host of a kind.
func (r *Runner) host(kind int) (Host, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if host := r.hosts[kind]; host != nil {
		return host, nil
	}
	host, err := r.opts.Hosts[kind].Open(&r.opts)
	if err == nil {
		r.hosts[kind] = host
	}
	return host, err
}

// drop takes back what an instance has registered.
func (r *Runner) drop(in *instance) {
	in.dead.Store(true)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.instances = slices.DeleteFunc(r.instances, func(other *instance) bool { return other == in })
	for k := range kinds {
		r.edit(k, func(list []*handler) []*handler {
			return slices.DeleteFunc(list, func(h *handler) bool { return h.in == in })
		})
	}
	r.bus.drop(in)
}

// edit changes the handlers of a kind; the mutex is held.
func (r *Runner) edit(k Kind, change func([]*handler) []*handler) {
	var list []*handler
	if now := r.handlers[k].Load(); now != nil {
		list = slices.Clone(*now)
	}
	if list = change(list); len(list) == 0 {
		r.handlers[k].Store(nil)
		return
	}
	r.handlers[k].Store(&list)
}

// Bind makes the session the one that the extensions act on. Before it, their actions are
// refused.
func (r *Runner) Bind(s Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.phase == loading {
		r.phase, r.session = bound, s
	}
}

// SetUI changes who is asked; nil is nobody. A mode that starts after the session calls it.
func (r *Runner) SetUI(ui UI, mode Mode) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ui, r.opts.Mode = ui, mode
}

// OnError changes who is told of failures.
func (r *Runner) OnError(fn func(*Error)) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opts.OnError = fn
}

// Report tells of a failure.
func (r *Runner) Report(err *Error) {
	if r == nil {
		return
	}
	r.mu.Lock()
	tell := r.opts.OnError
	r.mu.Unlock()
	if tell != nil {
		tell(err)
	}
}

// Close makes what the extensions hold stale and cancels what they have begun. It waits for
// their calls to return, or for ctx, and closes the hosts then, which ends what is left. Whoever
// closes a runner sends [SessionShutdown] before.
func (r *Runner) Close(ctx context.Context) error {
	if r == nil {
		return nil
	}
	r.End()
	select {
	case <-r.ended:
		return nil
	case <-ctx.Done():
		r.closeHosts()
		return fmt.Errorf("extensions are still at work: %w", context.Cause(ctx))
	}
}

// End is the part of Close that does not wait. A command that replaces the session goes on
// after it, with a stale context.
func (r *Runner) End() {
	r.mu.Lock()
	ended := r.phase == gone
	r.phase = gone
	r.mu.Unlock()
	if !ended {
		r.cancel(ErrStale)
		r.release()
	}
}

// acquire counts a call; release ends it, and the last one closes the hosts, after which
// there are no further calls.
func (r *Runner) acquire() (ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls == 0 {
		return false
	}
	r.calls++
	return true
}

// errEnded is what comes of a call when the hosts are closed.
var errEnded = fmt.Errorf("the extensions of this session have been closed: %w", ErrStale)

func (r *Runner) release() {
	r.mu.Lock()
	r.calls--
	last := r.calls == 0
	r.mu.Unlock()
	if last {
		go func() { // whoever ends the extensions may be what a host waits for
			r.closeHosts()
			close(r.ended)
		}()
	}
}

// closeHosts closes the hosts, once, and at the same time, since each may wait for something.
func (r *Runner) closeHosts() {
	r.mu.Lock()
	hosts := r.hosts
	r.hosts = make(map[int]Host)
	r.mu.Unlock()
	var closing sync.WaitGroup
	for _, host := range hosts {
		closing.Go(func() {
			if err := host.Close(); err != nil {
				r.Report(&Error{Path: "<host>", Event: "close", Err: err})
			}
		})
	}
	closing.Wait()
}

// Has reports whether there are handlers of a kind.
func (r *Runner) Has(k Kind) bool { return r != nil && r.handlers[k].Load() != nil }

// Empty reports whether there are no extensions.
func (r *Runner) Empty() bool {
	if r == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.instances) == 0
}
