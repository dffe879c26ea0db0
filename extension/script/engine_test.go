package script_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// lab is an engine whose faults and log are kept.
type lab struct {
	*script.Engine
	t      *testing.T
	dir    string
	mu     sync.Mutex
	faults []script.Fault
	logged []string
	fault  chan script.Fault
}

func newLab(t *testing.T, opts script.Options) *lab {
	t.Helper()
	l := &lab{t: t, dir: t.TempDir(), fault: make(chan script.Fault, 100)}
	opts.Cache = cacheDir
	opts.Report = func(f script.Fault) {
		l.mu.Lock()
		l.faults = append(l.faults, f)
		l.mu.Unlock()
		select {
		case l.fault <- f:
		default:
		}
	}
	opts.Log = func(line string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.logged = append(l.logged, line)
	}
	e, err := script.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	l.Engine = e
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// write makes a file and returns its path.
func (l *lab) write(name, source string) string {
	l.t.Helper()
	p := filepath.Join(l.dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(source), 0o644); err != nil {
		l.t.Fatal(err)
	}
	return p
}

// load imports a module made of a source text.
func (l *lab) load(source string) error {
	l.t.Helper()
	b, err := script.NewBundle(l.write("test.ts", source), cacheDir)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(l.t.Context(), 30*time.Second)
	defer cancel()
	return l.Import(ctx, b)
}

// run imports a module which registers an entry "main", calls that and returns its result.
func (l *lab) run(source string) (string, error) {
	l.t.Helper()
	if err := l.load("import { entry } from 'rondo:host';\n" + source); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(l.t.Context(), 30*time.Second)
	defer cancel()
	return l.Invoke(ctx, "main", "null")
}

func (l *lab) want(source, want string) {
	l.t.Helper()
	got, err := l.run(source)
	if err != nil {
		l.t.Fatalf("%v", err)
	}
	if got != want {
		l.t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestEngineRunsTypeScript(t *testing.T) {
	l := newLab(t, script.Options{})
	l.want(`enum E { A = "a" }
		const x: string = await Promise.resolve("top level await");
		entry("main", async () => ({ x, e: E.A }));`, `{"x":"top level await","e":"a"}`)
}

func TestErrorsNameTheSourceLine(t *testing.T) {
	l := newLab(t, script.Options{})
	_, err := l.run(`
interface Unused { a: string }
function broken(): never {
	throw new TypeError("no luck");
}
entry("main", () => broken());`)
	se, ok := errors.AsType[*script.ScriptError](err)
	if !ok {
		t.Fatalf("%T %v", err, err)
	}
	if se.Name != "TypeError" || se.Message != "no luck" || !strings.Contains(se.Stack, filepath.Join(l.dir, "test.ts")+":5:") {
		t.Errorf("%+v", se)
	}
}

func TestNativeModulesFailWhenAskedFor(t *testing.T) {
	l := newLab(t, script.Options{})
	l.write("node_modules/fast-linux-x64/package.json", `{"name": "fast-linux-x64", "main": "fast.linux.node"}`)
	l.write("node_modules/fast-linux-x64/fast.linux.node", "\x7fELF")
	l.want(`const errors = [];
		try { require("./build/fast.node") } catch (e) { errors.push(e) }
		try { require("fast-linux-x64") } catch (e) { errors.push(e) }
		entry("main", () => errors.map((e) => e.code + " " + /fast\.(linux\.)?node is a native module/.test(e.message)));`,
		`["ERR_DLOPEN_FAILED true","ERR_DLOPEN_FAILED true"]`)
}

func TestUnhandledRejectionIsReported(t *testing.T) {
	l := newLab(t, script.Options{})
	l.want(`entry("main", () => { void (async () => { await null; throw new Error("nobody waits") })(); return 1 });`, "1")
	if f := <-l.fault; f.Kind != "rejection" || f.Message != "nobody waits" || f.File != filepath.Join(l.dir, "test.ts") {
		t.Errorf("%+v", f)
	}
}

func TestThrowInTimerIsReported(t *testing.T) {
	l := newLab(t, script.Options{})
	l.want(`entry("main", () => { setTimeout(() => { throw new Error("late") }, 1); return 1 });`, "1")
	if f := <-l.fault; f.Kind != "timer" || f.Message != "late" {
		t.Errorf("%+v", f)
	}
}

func TestEndlessLoopIsInterrupted(t *testing.T) {
	l := newLab(t, script.Options{Limits: script.Limits{Turn: 50 * time.Millisecond}})
	_, err := l.run(`entry("main", () => { for (;;); }); entry("next", () => 2);`)
	if !errors.Is(err, script.ErrInterrupted) {
		t.Fatal(err)
	}
	if out, err := l.Invoke(t.Context(), "next", "null"); out != "2" || err != nil {
		t.Error(out, err)
	}
}

func TestEndlessMicrotasksAreInterrupted(t *testing.T) {
	for name, source := range map[string]string{
		"async": `entry("main", async () => { for (;;) await null; });`,
		"then":  `entry("main", () => { (function f() { Promise.resolve().then(f) })(); return new Promise(() => {}); });`,
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, script.Options{Limits: script.Limits{Turn: 50 * time.Millisecond}})
			if err := l.load(`import { entry } from "rondo:host"; entry("next", () => 2);` + source); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			go l.Invoke(ctx, "main", "null")
			if f := <-l.fault; f.Kind != "interrupt" {
				t.Errorf("%+v", f)
			}
			if out, err := l.Invoke(ctx, "next", "null"); out != "2" || err != nil {
				t.Error(out, err)
			}
		})
	}
}

func TestMemoryBombIsAnError(t *testing.T) {
	l := newLab(t, script.Options{Limits: script.Limits{Memory: 64 << 20}})
	_, err := l.run(`entry("main", () => { const a = []; for (;;) a.push(new Array(1000).fill(1)); }); entry("next", () => 2);`)
	if err == nil {
		t.Fatal("no error")
	}
	if out, err := l.Invoke(t.Context(), "next", "null"); out != "2" || err != nil {
		t.Error(out, err)
	}
}

func TestCloseEndsEverything(t *testing.T) {
	l := newLab(t, script.Options{Ops: script.Table{"test.wait": script.Typed(func(ctx context.Context, _ any) (any, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})}})
	if err := l.load(`import { entry, hostAsync } from "rondo:host"; entry("main", () => hostAsync("test.wait")); setInterval(() => {}, 1); entry("loop", () => { for (;;); })`); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, name := range []string{"main", "loop"} {
		wg.Go(func() {
			if _, err := l.Invoke(t.Context(), name, "null"); err == nil {
				t.Error("no error")
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
}

// TestModulesAreCompiledOnce: a second machine takes the module from the cache, and its errors
// name the same places.
func TestModulesAreCompiledOnce(t *testing.T) {
	source := "import { entry } from 'rondo:host';\nentry(\"main\", () => {\n\tthrow new TypeError(\"no luck\");\n});"
	dir, cache := t.TempDir(), filepath.Join(t.TempDir(), "cache")
	file := filepath.Join(dir, "main.ts")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	var modules [2][]string
	for i := range modules {
		e, err := script.New(script.Options{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		b, err := script.NewBundle(file, cache)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Import(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		_, err = e.Invoke(t.Context(), "main", "null")
		if se, ok := errors.AsType[*script.ScriptError](err); !ok || se.Message != "no luck" || !strings.Contains(se.Stack, file+":3:") {
			t.Errorf("machine %d: %v", i, err)
		}
		if modules[i], err = filepath.Glob(filepath.Join(cache, "modules", "*")); err != nil || len(modules[i]) != 1 {
			t.Errorf("machine %d: the cache has %v, %v", i, modules[i], err)
		}
	}
}

// TestClosingIsNoFault: what a machine is doing when it is closed ends without a report.
func TestClosingIsNoFault(t *testing.T) {
	l := newLab(t, script.Options{})
	l.want(`entry("main", () => { setTimeout(() => { __rondo.require("rondo:host").log("begun"); for (;;); }, 1); return 1 });`, "1")
	for len(l.lines()) == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.faults) > 0 {
		t.Errorf("reported %+v", l.faults)
	}
}

// lines returns what scripts have logged.
func (l *lab) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.logged)
}

// An operation that fails later says where it was begun. Bun forgets functions that do no more
// than call another one.
func TestFailedOperationsHaveTheirPlace(t *testing.T) {
	everywhere(t, func(t *testing.T, settings script.Settings) {
		s := newStage(t, settings, `import { hostAsync, hostStream } from "rondo:host";
export default (pi) => { pi.on("agent_start", async (e, ctx) => {
	const streams = () => hostStream("fs.readFile", { path: "/none" }).done;
	const waits = async () => { await hostAsync("fs.readFile", { path: "/none" }); };
	for (const begins of [streams, waits]) {
		const error = await begins().catch((e) => e);
		const lines = error.stack.split("\n").filter((line) => !line.includes("hostAsync"));
		ctx.ui.notify(lines[0].startsWith("Error: ENOENT") + " " + (lines[1].includes(begins.name) || "bun" in process.versions && /\d\.mjs:/.test(lines[1])));
	}
}); }`)
		s.Emit(t.Context(), &extension.AgentStart{})
		if s.all() != "true true|true true" || s.failures() != "" {
			t.Error(s.all(), s.failures())
		}
	})
}

// Where memory ends by luck leaves room for an error or does not; it is told either way.
func TestOutOfMemoryIsTold(t *testing.T) {
	for i := range 16 {
		l := newLab(t, script.Options{Limits: script.Limits{Memory: 6 << 20}})
		_, err := l.run(fmt.Sprintf(`globalThis.all = [new ArrayBuffer(%d)];
			entry("main", () => { for (;;) globalThis.all.push(new Array(1000).fill(1)); });`, i*1024))
		if err == nil || !strings.Contains(err.Error(), "out of memory") {
			t.Errorf("with %d KiB in use: %v", i, err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}
