package script_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// hostile are bodies of a handler, and what is reported of each.
var hostile = map[string]struct{ body, report string }{
	"endless loop":          {`for (;;);`, "did not give way"},
	"endless loop later":    {`await null; for (;;);`, "did not give way"},
	"endless microtasks":    {`(function f() { Promise.resolve().then(f) })();`, "did not give way"},
	"memory bomb":           {`const a = []; for (;;) a.push(new Array(1000).fill(1));`, "out of memory"},
	"one huge text":         {`"x".repeat(2 ** 29).split("")`, "out of memory"},
	"throw":                 {`throw new Error("thrown");`, "thrown"},
	"throw nothing":         {`throw null;`, "null"},
	"throw what throws":     {`throw { get message() { throw 1 }, get stack() { throw 2 }, toJSON() { throw 3 } };`, "an error without text"},
	"error that throws":     {`throw Object.defineProperty(new Error("x"), "message", { get() { throw 1 } });`, "an error without text"},
	"throw in a timer":      {`setTimeout(() => { throw new Error("in a timer") }, 1);`, "timer: in a timer"},
	"rejected promise":      {`void Promise.reject(new Error("rejected"));`, "rejection: rejected"},
	"endless recursion":     {`(function f() { f() })();`, "stack"},
	"process.exit":          {`process.exit(3);`, "process.exit(3) was called"},
	"circular result":       {`const o = {}; o.o = o; return o;`, "circular"},
	"getter in a result":    {`return { get content() { throw new Error("got it") } };`, "got it"},
	"proxy as a result":     {`return new Proxy({}, { ownKeys() { throw new Error("no keys") } });`, "no keys"},
	"bigint in a result":    {`return { n: 1n };`, "BigInt"},
	"then that throws":      {`return { get then() { throw new Error("no then") } };`, "no then"},
	"missing module":        {`const w = await import("node:worker_threads"); new w.Worker("x");`, "not supported"},
	"huge result":           {`return { text: "x".repeat(3 << 20) };`, "what the script returned is too large: 3.0 MiB of at most 2.0"},
	"huge message":          {`pi.sendMessage({ customType: "x", content: "x".repeat(3 << 20) });`, "what pi.sendMessage was given is too large: 3.0 MiB"},
	"flood of the console":  {`for (let i = 0; i < 5000; i++) console.log("x".repeat(100));`, "bytes were written to the console within a second"},
	"huge line":             {`console.log("x".repeat(1 << 20));`, "bytes were written to the console within a second"},
	"huge number of timers": {`for (;;) setTimeout(() => {}, 1e6);`, "there are 10000 timers already"},
	"promises for ever":     {`const a = []; for (;;) a.push(new Promise(() => {}), new Array(1000).fill(1));`, "out of memory"},
	"re-entrant name":       {`pi.setSessionName("a");`, "in a circle"},
	"re-entrant bus":        {`pi.events.emit("x", 1);`, "events:x"},
}

// TestHostileExtensionsLeaveTheSessionWorking: whatever an extension does, it is
// reported, and the next extension hears the next event, also one in the same machine.
func TestHostileExtensionsLeaveTheSessionWorking(t *testing.T) {
	limits := script.Limits{Turn: 2 * time.Second, Memory: 64 << 20, Payload: 2 << 20, Log: 100 << 10}
	for name, c := range hostile {
		t.Run(name, func(t *testing.T) {
			written := 0
			s := newStage(t, script.Settings{Limits: limits, Log: func(line string) { written += len(line) }},
				`export default (pi) => {
					let names = 0;
					pi.on("agent_start", async () => { `+c.body+` });
					pi.on("session_info_changed", () => { if (++names > 20) throw new Error("in a circle"); pi.setSessionName("b" + names) });
					pi.events.on("x", (n) => pi.events.emit("x", n + 1));
				}`,
				`export default (pi) => { pi.on("agent_end", (e, ctx) => ctx.ui.notify("still here")); }`)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			s.Emit(ctx, &extension.AgentStart{})
			s.Emit(ctx, &extension.AgentEnd{})
			if s.all() != "still here" {
				t.Errorf("heard %q, failures %.1000s", s.all(), s.failures())
			}
			until(t, c.report, s.failures)
			if written > 110<<10 {
				t.Errorf("%d bytes were written", written)
			}
		})
	}
}

// An event that is too large for scripts is reported by each of their handlers, and the next
// event is the right one; one of tens of megabytes is heard.
func TestHugeEvents(t *testing.T) {
	source := `export default (pi) => { pi.on("tool_execution_start", (e, ctx) => ctx.ui.notify(e.toolCallId + " " + e.args.text.length)); }`
	s := newStage(t, script.Settings{Limits: script.Limits{Payload: 40 << 20}}, source, source)
	for _, c := range []struct {
		id   string
		size int
	}{{"small", 1}, {"large", 30 << 20}, {"too large", 50 << 20}, {"last", 2}} {
		s.Emit(t.Context(), &extension.ToolExecutionStart{ToolCallID: c.id, ToolName: "bash", Args: []byte(`{"text":"` + strings.Repeat("x", c.size) + `"}`)})
	}
	if want := "small 1|small 1|large 31457280|large 31457280|last 2|last 2"; s.all() != want {
		t.Errorf("heard %s", s.all())
	}
	if n := strings.Count(s.failures(), "the event is too large: 50.0 MiB of at most 40.0"); n != 2 {
		t.Errorf("reported %s", s.failures())
	}
}

// What a bounded extension does to the objects of its machine stays there, and is reported.
func TestPollutedPrototypes(t *testing.T) {
	for name, body := range map[string]string{
		"Object":   `Object.prototype.toJSON = () => { throw new Error("polluted") }; Object.prototype.x = 1;`,
		"JSON":     `JSON.stringify = JSON.parse = () => { throw new Error("polluted") };`,
		"Promise":  `Promise.prototype.then = () => { throw new Error("polluted") }; Promise.resolve = null;`,
		"Array":    `Array.prototype.push = Array.prototype[Symbol.iterator] = () => { throw new Error("polluted") };`,
		"Map":      `Map.prototype.get = Map.prototype.set = () => { throw new Error("polluted") };`,
		"Function": `Function.prototype.call = Function.prototype.apply = () => { throw new Error("polluted") }; Error.prototype.toString = () => { throw 1 };`,
	} {
		t.Run(name, func(t *testing.T) {
			settings, _ := ruled(t.TempDir(), map[string]script.Rule{"a.ts": {}})
			good := `export default (pi) => { pi.on("agent_end", async (e, ctx) => { await null; ctx.ui.notify("here " + e.type); }); }`
			s := newStage(t, settings, `export default (pi) => { pi.on("agent_start", () => { `+body+` }); pi.on("agent_end", () => { throw new Error("seen") }) }`, good, good)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			s.Emit(ctx, &extension.AgentStart{})
			s.Emit(ctx, &extension.AgentEnd{})
			if s.all() != "here agent_end|here agent_end" {
				t.Errorf("heard %q, failures %s", s.all(), s.failures())
			}
			until(t, "a.ts agent_", s.failures)
		})
	}
}

// What goes on when its session has been replaced is told so, and changes nothing.
func TestStaleContexts(t *testing.T) {
	s := newStage(t, script.Settings{}, `export default (pi) => {
		const use = (what, fn) => { try { fn(); return what + " worked" } catch (e) { return what + ": " + e.message } };
		pi.on("agent_start", async (e, ctx) => {
			ctx.ui.notify("begun");
			const timer = new Promise((y) => setTimeout(() => y(use("timer", () => pi.setSessionName("t"))), 200));
			throw new Error(await timer + "; " + use("ui", () => ctx.ui.notify("late")) + "; " + use("session", () => ctx.sessionManager.getEntries()));
		});
	}`)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Emit(t.Context(), &extension.AgentStart{})
	}()
	until(t, "begun", s.all)
	s.End()
	<-done
	const ended = "this instance of the extension has ended"
	for _, what := range []string{"timer: ", "ui: ", "session: "} {
		until(t, what+ended, s.failures)
	}
}

// Whatever a script does when it is told to stop, whoever waits for it goes on, and that is
// reported.
func TestCancellationWins(t *testing.T) {
	for name, body := range map[string]string{
		"never":        `await new Promise(() => {});`,
		"no promise":   `return { then() {} };`,
		"slow":         `for (;;) await new Promise((y) => setTimeout(y, 5));`,
		"dialog":       `await ctx.ui.select("?", ["a"]); await new Promise(() => {});`,
		"program":      `await pi.exec("sleep", ["60"]); await new Promise(() => {});`,
		"busy with it": `signal?.addEventListener("abort", () => { for (;;); }); await new Promise(() => {});`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, script.Settings{Limits: script.Limits{Turn: time.Second}}, `export default (pi) => {
				const work = async (ctx, signal) => { `+body+` };
				pi.on("agent_start", (e, ctx) => work(ctx));
				pi.registerCommand("go", { handler: (a, ctx) => work(ctx) });
				pi.registerTool({ name: "go", label: "go", description: "", parameters: { type: "object" }, execute: (id, p, signal, update, ctx) => work(ctx, signal) });
			}`)
			within := func(run func(ctx context.Context)) {
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				defer cancel()
				run(ctx)
			}
			within(func(ctx context.Context) { s.Emit(ctx, &extension.AgentStart{}) })
			within(func(ctx context.Context) {
				if err := s.RunCommand(ctx, s.Command("go"), ""); err == nil {
					t.Error("the command has not failed")
				}
			})
			within(func(ctx context.Context) {
				tool := s.Tools()[0]
				if _, err := tool.Execute(ctx, agent.NewCall("1", tool.Tool.Tool, []byte(`{}`), func(*agent.ToolResult) {})); err == nil {
					t.Error("the tool has not failed")
				}
			})
			if !strings.Contains(s.failures(), "command:go command: it does not return although its work was cancelled") {
				t.Errorf("reported %q", s.failures())
			}
		})
	}
}

// BenchmarkStart makes a host with one extension, from the cache.
func BenchmarkStart(b *testing.B) {
	s := newStage(b, script.Settings{}, `import { Type } from "typebox"; export default (pi) => { pi.on("agent_start", () => Type.Object({})); }`)
	path := s.dir + "/a.ts"
	for b.Loop() {
		r := extension.NewRunner(&extension.Options{Hosts: []extension.HostKind{{Suffixes: script.Suffixes, Open: script.Host(script.Settings{Cache: cacheDir})}}})
		for _, err := range r.Load(b.Context(), extension.Source{Path: path}) {
			b.Fatal(err)
		}
		if err := r.Close(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
