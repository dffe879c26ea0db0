package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
)

// Suffixes are those of the files that a [Host] loads.
var Suffixes = []string{".ts", ".js", ".mjs", ".mts", ".cjs", ".cts", ".tsx", ".jsx"}

// Settings configure a [Host].
type Settings struct {
	Cache  string // folder for bundles and compiled modules; "" keeps nothing
	Limits Limits // of each machine
	Ops    Table  // further operations, over the host's own
	// Permit returns what bounds the extension of a file; nil bounds nothing, and a nil function
	// bounds none. An extension that is bounded gets a machine of its own.
	Permit func(file string) *Policy
	Log    func(string) // what extensions write to the console; nil drops it
	Home   string       // the program's state folder, which extensions ask for
	// Version is what extensions see as the program's.
	Version string
	// Dir is where relative paths of scripts begin; "" is the program's working folder.
	Dir string
	// Terminal is where scripts may write; nil if there is none, or if it is not theirs.
	Terminal Terminal
	// Exit is told of process.exit; nil asks the session to end.
	Exit func(code int)
	// Remote runs the scripts in a process of their own, with Node's modules, which no policy
	// and none of Ops reach; nil runs them in this one.
	Remote *Remote
}

// bundle makes a module of an extension; a remote machine makes its own.
func (s *Settings) bundle(file string) (*Bundle, error) {
	if s.Remote == nil {
		return NewBundle(file, s.Cache)
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("load extension %s: %w", file, err)
	}
	return &Bundle{Path: abs}, nil
}

// Host returns what opens a host of scripts for a runner. The extensions that it loads share
// one machine, as they share one process elsewhere: its globals, its limits. Those that
// [Settings.Permit] bounds have one each. A machine is made with its first extension.
func Host(s Settings) extension.OpenHost {
	return func(opts *extension.Options) (extension.Host, error) {
		return &hosts{settings: s, opts: opts, shared: newHost(s, opts, nil)}, nil
	}
}

// hosts are the machines of a runner's scripts.
type hosts struct {
	settings Settings
	opts     *extension.Options
	shared   *host

	mu  sync.Mutex
	own []*host // of bounded extensions
}

// Load implements [extension.Host]: it bundles the file.
func (h *hosts) Load(_ context.Context, path string) (extension.Factory, error) {
	file, err := entryFile(path)
	if err != nil {
		return nil, err
	}
	machine := h.shared
	if policy := h.permit(file); policy != nil {
		if h.settings.Remote != nil {
			return nil, &UnboundedError{Program: h.settings.Remote.Command[0], Policy: policy}
		}
		machine = newHost(h.settings, h.opts, policy)
		h.mu.Lock()
		h.own = append(h.own, machine)
		h.mu.Unlock()
	}
	bundle, err := h.settings.bundle(file)
	if err != nil {
		return nil, err
	}
	for _, file := range bundle.files {
		if err := machine.policy.module(file); err != nil {
			return nil, fmt.Errorf("load extension %s: it imports a file that is not its own: %w", path, err)
		}
	}
	return func(ctx context.Context, api *extension.API) error { return machine.run(ctx, api, bundle) }, nil
}

func (h *hosts) permit(file string) *Policy {
	if h.settings.Permit == nil {
		return nil
	}
	policy := h.settings.Permit(file)
	if policy != nil {
		policy.Folder = realPath(filepath.Dir(file), true)
	}
	return policy
}

// Close implements [extension.Host]. The machines are closed at the same time.
func (h *hosts) Close() error {
	h.mu.Lock()
	machines := append([]*host{h.shared}, h.own...)
	h.mu.Unlock()
	var closing sync.WaitGroup
	failed := make([]error, len(machines))
	for i, machine := range machines {
		closing.Go(func() { failed[i] = machine.Close() })
	}
	closing.Wait()
	return errors.Join(failed...)
}

// UnboundedError says that an extension is bounded which would run where nothing can bound
// it.
type UnboundedError struct {
	Program string // that would run it
	Policy  *Policy
}

// Error implements error.
func (e *UnboundedError) Error() string {
	var rules []string
	for _, r := range e.Policy.Rules {
		rules = append(rules, r.Source)
	}
	return fmt.Sprintf("the extension %s runs in %s, where its permissions cannot be checked: take the rule %s away to give it all rights, or let it run inside of rondo, without extensionHost", e.Policy.Extension, e.Program, strings.Join(rules, " and "))
}

// host is one machine, with its extensions.
type host struct {
	settings Settings
	opts     *extension.Options
	policy   *Policy // nil bounds nothing
	system   *system

	start  sync.Once
	engine machine
	failed error
	starts int // of the machine

	mu        sync.Mutex
	last      int
	instances map[int]*instance
	calls     map[int]*running
	held      map[int]any
	offs      map[int]func() // by the function that they end
	unready   map[int]func() // by the function that makes a component, and takes its time
	editors   map[int]*editor
	// components are those of the machine that are in use, by their numbers.
	components map[int]*component
	sending    map[*byte]bool // what is being sent on the bus, from here
	event      *byte          // the event that the machine has
	refs       refs
	began      *extension.SessionStart // the last one, told to a machine that is started again
}

func newHost(s Settings, opts *extension.Options, policy *Policy) *host {
	h := &host{settings: s, opts: opts, policy: policy, instances: map[int]*instance{}, calls: map[int]*running{}, held: map[int]any{}, offs: map[int]func(){}, unready: map[int]func(){}, refs: refs{map[string]*ref{}, map[string]bool{}, map[string]int{}}, editors: map[int]*editor{}, components: map[int]*component{}, sending: map[*byte]bool{}}
	if h.settings.Exit == nil {
		h.settings.Exit = h.exit
	}
	h.system = newSystem(&h.settings)
	return h
}

// instance is what operations act for: an extension, or the context of a session that has
// taken the place of another.
type instance struct {
	host *host
	id   int
	path string
	api  *extension.API // nil for a context alone
	code *Bundle        // of an extension
	x    *extension.Context
	cmd  *extension.CommandContext // of withSession
	w    extension.Writer          // of setup
}

// running is a call of Go into JavaScript.
type running struct {
	ctx   context.Context //nolint:containedctx // of the call, for operations that it begins
	event extension.Event
	tool  func(jsontext.Value) // reports a tool's progress
	bash  func([]byte)         // gets what a command writes
}

// entryFile finds the file of an extension that is named by its folder.
func entryFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("load extension: %w", err)
	}
	if !info.IsDir() {
		return path, nil
	}
	for _, name := range []string{"index.ts", "index.js", "index.mjs"} {
		file := filepath.Join(path, name)
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("load extension %s: the folder has no index.ts or index.js", path)
}

// run evaluates an extension and its factory.
func (h *host) run(ctx context.Context, api *extension.API, bundle *Bundle) error {
	if err := h.ready(); err != nil {
		return err
	}
	in := h.add(&instance{path: api.Source().Path, api: api, code: bundle, x: api.Context()})
	name, err := h.engine.add(bundle)
	if err == nil {
		_, err = h.call(ctx, &running{}, "load", map[string]any{"x": in.id, "path": name})
	}
	if err != nil {
		h.forget(in.id)
		_, _ = h.engine.Invoke(ctx, "drop", fmt.Sprintf(`{"x":%d}`, in.id))
	}
	return err
}

// ready makes the machine, once.
func (h *host) ready() error {
	h.start.Do(func() {
		opts := Options{Ops: h.ops(), CallsBack: callsBack, Limits: h.settings.Limits, Cache: h.settings.Cache, Policy: h.policy, Report: h.fault, Log: h.settings.Log}
		if h.engine, h.failed = h.machine(opts); h.failed == nil {
			_, h.failed = h.engine.Invoke(context.Background(), "require", `"rondo:pi"`)
		}
	})
	return h.failed
}

// machine starts what runs scripts.
func (h *host) machine(opts Options) (machine, error) {
	if h.settings.Remote == nil {
		e, err := New(opts)
		if err != nil {
			return nil, err
		}
		return e, nil
	}
	m, err := newLasting(h.settings.Remote, h.settings.Dir, opts, h.restore)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// ops are all operations of the machine.
func (h *host) ops() Table {
	return Table{}.Add(TerminalOps(), h.themeOps(), h.imageOps(), aiOps(h.anyModels), h.builtinOps(), h.piOps(), h.system.ops(), h.settings.Ops)
}

// Close ends the machine.
func (h *host) Close() error {
	h.start.Do(func() { h.failed = ErrClosed })
	if h.engine == nil {
		return nil
	}
	return h.engine.Close()
}

func (h *host) add(in *instance) *instance {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	in.host, in.id = h, h.last
	h.instances[in.id] = in
	return in
}

func (h *host) forget(id int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.instances, id)
}

func (h *host) instance(id int) (*instance, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	in, ok := h.instances[id]
	if !ok {
		return nil, extension.ErrStale
	}
	return in, nil
}

// call calls an entry of the facade and gives it the call's number as member c.
func (h *host) call(ctx context.Context, r *running, name string, arg map[string]any) (jsontext.Value, error) {
	return h.callUntil(ctx, context.WithoutCancel(ctx), r, name, arg)
}

// callUntil is call that does not wait longer than another context.
func (h *host) callUntil(ctx, wait context.Context, r *running, name string, arg map[string]any) (jsontext.Value, error) {
	r.ctx = ctx
	c := h.begin(r)
	defer h.end(c)
	arg["c"] = c
	raw, err := json.Marshal(arg, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("call a script: %w", err)
	}
	return h.invokeLate(ctx, wait, c, name, false, func() string {
		if _, isRef := arg["h"].(*ref); isRef { // whose number may be another one by now
			if again, err := json.Marshal(arg, jsontext.AllowInvalidUTF8(true)); err == nil {
				return string(again)
			}
		}
		return string(raw)
	})
}

func (h *host) begin(r *running) (c int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	h.calls[h.last] = r
	return h.last
}

func (h *host) end(c int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.calls, c)
}

func (h *host) running(c int) *running {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.calls[c]
}

// staleGrace is how long a call may go on when its instance of the extension has ended.
const staleGrace = 2 * time.Second

// invokeLate is Engine.invoke; the call's signal follows ctx. JavaScript that goes on after its
// signal is waited for, until wait is done: whoever called knows for how long. A call whose
// session has gone is not waited for.
func (h *host) invokeLate(ctx, wait context.Context, c int, name string, urgent bool, arg func() string) (jsontext.Value, error) {
	tell := func(what string) {
		h.engine.tell(what, fmt.Sprintf(`{"c":%d}`, c))
	}
	wait, leave := context.WithCancelCause(wait)
	defer leave(nil)
	stop := context.AfterFunc(ctx, func() {
		tell("abort")
		h.leaveWhenStale(wait, leave)
	})
	out, err := h.engine.invoke(wait, name, urgent, arg)
	if !stop() {
		tell("over")
	}
	return jsontext.Value(out), err
}

// leaveWhenStale ends a wait once all sessions of the machine have gone.
func (h *host) leaveWhenStale(wait context.Context, leave context.CancelCauseFunc) {
	time.AfterFunc(staleGrace, func() {
		switch {
		case wait.Err() != nil:
		case h.stale():
			leave(extension.ErrStale)
		default:
			h.leaveWhenStale(wait, leave)
		}
	})
}

func (h *host) stale() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, in := range h.instances {
		if !errors.Is(in.x.Err(), extension.ErrStale) {
			return false
		}
	}
	return true
}

// fault reports what went wrong where no call of Go waits for it.
func (h *host) fault(f Fault) {
	err := &extension.Error{Path: f.File, Event: f.Kind, Err: &ScriptError{Message: f.Message, Stack: f.Stack}, Stack: f.Stack}
	h.mu.Lock()
	var api *extension.API
	for _, in := range h.instances {
		if in.api != nil && (api == nil || in.path == f.File) {
			api = in.api
		}
	}
	h.mu.Unlock()
	if err.Path == "" {
		err.Path = "<runtime>"
	}
	if api != nil {
		api.Report(err)
	}
}

// exit is process.exit of a script: it is reported, and the program ends when the session
// has settled.
func (h *host) exit(code int) {
	h.fault(Fault{Kind: "process.exit", Message: fmt.Sprintf("process.exit(%d) was called; the program ends when its session has settled", code)})
	h.mu.Lock()
	var x *extension.Context
	for _, in := range h.instances {
		if in.x.Err() == nil {
			x = in.x
		}
	}
	h.mu.Unlock()
	if x != nil {
		_ = x.Shutdown()
	}
}
