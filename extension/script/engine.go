package script

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"modernc.org/quickjs"
)

// Limits bound what JavaScript may use. A field that is zero takes the value of
// [DefaultLimits]; a negative one stands for no limit.
type Limits struct {
	Turn   time.Duration // how long JavaScript may run before it gives way to others
	Memory int64         // bytes of the machine's heap
	// Payload is how large, in bytes, an argument of a call or of an action, and a result, may
	// be. What is larger is an error.
	Payload int64
	// Log is how much, in bytes, the console may write in a second. The rest is left out.
	Log int64
}

// DefaultLimits are generous for handlers and far below what hurts.
var DefaultLimits = Limits{Turn: 10 * time.Second, Memory: 512 << 20, Payload: 64 << 20, Log: 1 << 20}

// orDefault fills in what is zero.
func (l Limits) orDefault() Limits {
	return Limits{
		Turn: cmp.Or(l.Turn, DefaultLimits.Turn), Memory: cmp.Or(l.Memory, DefaultLimits.Memory),
		Payload: cmp.Or(l.Payload, DefaultLimits.Payload), Log: cmp.Or(l.Log, DefaultLimits.Log),
	}
}

// fits returns an error for a payload that is too large.
func (l *Limits) fits(what string, size int) error {
	if l.Payload <= 0 || int64(size) <= l.Payload {
		return nil
	}
	const mib = 1 << 20
	return fmt.Errorf("%s is too large: %.1f MiB of at most %.1f; keep large data in a file", what, float64(size)/mib, float64(l.Payload)/mib)
}

// Fault is something that went wrong in JavaScript where nobody waits for it: a timer that
// threw, a promise that was rejected with no handler, an endless loop.
type Fault struct {
	Kind    string `json:"kind"` // "timer", "rejection", "interrupt", "exit", …
	Message string `json:"message"`
	Stack   string `json:"stack,omitzero"` // with places in the source files
	File    string `json:"-"`              // the extension whose code stands in the stack, if known
}

// Options configure an [Engine].
type Options struct {
	Ops Table
	// CallsBack says of which operations JavaScript may be called again before they return.
	// Those run on goroutines of their own; all others run on the machine's.
	CallsBack func(name string) bool
	Limits    Limits
	Policy    *Policy      // of what the operations do outside of the machine; nil allows everything
	Cache     string       // folder for compiled modules; "" keeps them in memory alone
	Report    func(Fault)  // called on the machine's goroutine; nil drops faults
	Log       func(string) // lines of console.log; nil drops them
}

// ErrClosed is returned by calls of an engine that has been closed or has stopped.
var ErrClosed = errors.New("script engine is closed")

// ErrInterrupted is returned when JavaScript was stopped because it did not give way.
var ErrInterrupted = errors.New("script did not give way in time and was interrupted")

// Engine is one JavaScript machine and the goroutine that owns it. Its methods may be called
// from any goroutine.
type Engine struct {
	opts   Options
	vm     *quickjs.VM
	ctx    context.Context //nolint:containedctx // the engine's life: ends running operations
	cancel context.CancelCauseFunc
	ops    sync.WaitGroup // goroutines of asynchronous operations
	done   chan struct{}  // closed when the machine's goroutine has ended

	mu     sync.Mutex
	queue  []job
	wake   chan struct{}
	closed bool

	watch watchdog
	raw   raw

	// What follows belongs to the machine's goroutine.
	enter   quickjs.Value
	deliver quickjs.Value
	fire    quickjs.Value
	calls   map[int]*call
	nextID  int
	cancels map[int]context.CancelFunc
	timers  map[int]*time.Timer
	turns   queue
	modules map[string]*Bundle
	console console
	nest    *nest // the operation that JavaScript waits for, if it may call back
}

// job is work for the machine's goroutine. An urgent one may also run while JavaScript waits
// for an operation.
type job struct {
	run    func()
	urgent bool
}

// firstCollection is the size of the heap at which the engine looks for cycles for the first
// time. Loading makes hardly any, and the engine's own quarter of a mebibyte would look for them
// six times before the first event.
const firstCollection = 4 << 20

// New starts a machine. Close must be called.
func New(opts Options) (*Engine, error) {
	opts.Limits = opts.Limits.orDefault()
	ctx, cancel := context.WithCancelCause(context.Background())
	if opts.Policy != nil {
		ctx = context.WithValue(ctx, policyKey{}, opts.Policy)
	}
	e := &Engine{
		opts: opts, ctx: ctx, cancel: cancel,
		done: make(chan struct{}), wake: make(chan struct{}, 1),
		calls: map[int]*call{}, cancels: map[int]context.CancelFunc{},
		timers: map[int]*time.Timer{}, modules: map[string]*Bundle{},
	}
	started := make(chan error, 1)
	go e.run(started)
	if err := <-started; err != nil {
		<-e.done
		return nil, err
	}
	return e, nil
}

// run is the machine's goroutine.
func (e *Engine) run(started chan<- error) {
	defer close(e.done)
	reserveStack(false)
	err := e.boot()
	started <- err
	if err == nil {
		e.serve()
	}
	e.shut()
}

// reserveStack makes the stack of a goroutine as large as the engine needs it at least. It would
// grow to that by and by, and each time all that is on it would be looked at and copied. The
// frame of this function is large and never touched.
//
//go:noinline
func reserveStack(touch bool) {
	if touch {
		var frame [64 << 10]byte
		fill(&frame)
	}
}

//go:noinline
func fill(frame *[64 << 10]byte) { frame[0] = 1 }

func (e *Engine) serve() {
	for {
		job, ok := e.next()
		if !ok {
			return
		}
		job()
	}
}

// next waits for a job; ok is false when the engine is closed.
func (e *Engine) next() (job func(), ok bool) {
	for {
		e.mu.Lock()
		if e.closed {
			e.mu.Unlock()
			return nil, false
		}
		if len(e.queue) > 0 {
			job := e.queue[0]
			e.queue[0].run = nil
			e.queue = e.queue[1:]
			e.mu.Unlock()
			return job.run, true
		}
		e.mu.Unlock()
		<-e.wake
	}
}

// post gives the machine's goroutine a job; false when the engine is closed.
func (e *Engine) post(run func()) bool { return e.enqueue(job{run: run}) }

func (e *Engine) enqueue(j job) bool {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return false
	}
	e.queue = append(e.queue, j)
	e.mu.Unlock()
	select {
	case e.wake <- struct{}{}:
	default:
	}
	return true
}

// hurry runs the urgent jobs, while JavaScript waits for an operation.
func (e *Engine) hurry() {
	for {
		e.mu.Lock()
		i := slices.IndexFunc(e.queue, func(j job) bool { return j.urgent })
		if i < 0 || e.closed {
			e.mu.Unlock()
			return
		}
		run := e.queue[i].run
		e.queue = slices.Delete(e.queue, i, i+1)
		e.mu.Unlock()
		run()
	}
}

// Close ends JavaScript, operations and timers, and waits for them. Calls under way return
// ErrClosed.
func (e *Engine) Close() error {
	e.stop(ErrClosed)
	<-e.done
	e.ops.Wait()
	return nil
}

// stop makes the machine's goroutine end; it does not wait.
func (e *Engine) stop(cause error) {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.cancel(cause)
	e.watch.kill()
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// shut frees the machine, on its goroutine.
func (e *Engine) shut() {
	e.stop(ErrClosed)
	for _, t := range e.timers {
		t.Stop()
	}
	for _, c := range e.calls {
		c.finish("", context.Cause(e.ctx))
	}
	e.calls = nil
	if e.vm == nil {
		return
	}
	for _, v := range []*quickjs.Value{&e.enter, &e.deliver, &e.fire} {
		if v.VM() != nil {
			v.Free()
		}
	}
	if err := e.vm.Close(); err != nil {
		e.report(Fault{Kind: "close", Message: err.Error()})
	}
}

// boot makes the machine and what every module relies on.
func (e *Engine) boot() error {
	vm, err := quickjs.NewVM()
	if err != nil {
		return fmt.Errorf("start a script engine: %w", err)
	}
	e.vm = vm
	e.watch.vm = vm
	if e.raw, err = rawOf(vm); err != nil {
		return err
	}
	e.raw.collectFrom(firstCollection)
	if e.opts.Limits.Memory > 0 {
		vm.SetMemoryLimit(uintptr(e.opts.Limits.Memory))
	}
	vm.SetModuleLoader(e.loadModule, func(_ *quickjs.VM, _, name string) (string, error) { return name, nil })
	if err := e.registerHost(); err != nil {
		return fmt.Errorf("start a script engine: %w", err)
	}
	if err := e.runLibrary(bootName); err != nil {
		return fmt.Errorf("start a script engine: %w", err)
	}
	for name, into := range map[string]*quickjs.Value{"enter": &e.enter, "deliver": &e.deliver, "fire": &e.fire} {
		if *into, err = vm.EvalValue("__rondo."+name, quickjs.EvalGlobal); err != nil {
			return fmt.Errorf("start a script engine: %w", err)
		}
	}
	e.raw.trackRejections()
	return nil
}

// Import runs a bundle's module, whose name is then the bundle's path. It returns when the
// module has been evaluated; the errors are those of Invoke.
func (e *Engine) Import(ctx context.Context, b *Bundle) error {
	name, err := e.add(b)
	if err != nil {
		return err
	}
	arg, err := json.Marshal(name)
	if err != nil {
		return fmt.Errorf("import %s: %w", b.Path, err)
	}
	_, err = e.Invoke(ctx, "import", string(arg))
	return err
}

// loadModule gives the engine the source of a bundle, and of a file that the bundler has not
// seen the import of, since that was made of text.
func (e *Engine) loadModule(_ *quickjs.VM, name string) (string, error) {
	b, ok := e.modules[name]
	if ok {
		return b.code, nil
	}
	w := wantedModule{Kind: "import", Name: name}
	if !filepath.IsAbs(name) && !strings.HasPrefix(name, "file:") {
		return "", fmt.Errorf("no module %s: an import that is made of text needs an absolute path", name)
	}
	f, err := w.find()
	if err != nil {
		return "", err
	}
	if b, err = f.bundle(policyOf(e.ctx), e.opts.Cache, nil); err != nil {
		return "", err
	}
	b.name = name
	e.modules[name] = b
	return b.code, nil
}

func (e *Engine) report(f Fault) {
	if f.File == "" {
		f.File = e.culprit(f.Stack)
	}
	f.Stack = e.trace(f.Stack)
	if e.opts.Report != nil {
		e.opts.Report(f)
	}
}
