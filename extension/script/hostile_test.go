package script_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// TestReport_EXT01_HostileExtensionsLeaveTheSessionWorking: whatever an extension does, it is
// reported, and the next extension hears the next event.
func TestReport_EXT01_HostileExtensionsLeaveTheSessionWorking(t *testing.T) {
	limits := script.Limits{Turn: time.Second, Memory: 64 << 20}
	for name, c := range map[string]struct{ body, report string }{
		"endless loop":       {`for (;;);`, "did not give way"},
		"endless microtasks": {`(function f() { Promise.resolve().then(f) })();`, "did not give way"},
		"memory bomb":        {`const a = []; for (;;) a.push(new Array(1000).fill(1));`, ""},
		"throw":              {`throw new Error("thrown");`, "thrown"},
		"throw in a timer":   {`setTimeout(() => { throw new Error("in a timer") }, 1);`, "in a timer"},
		"rejected promise":   {`void Promise.reject(new Error("rejected"));`, "rejected"},
		"endless recursion":  {`(function f() { f() })();`, "stack"},
		"process.exit":       {`process.exit(3);`, "process.exit"},
		"circular result":    {`const o = {}; o.o = o; return o;`, ""},
		"missing module":     {`const w = await import("node:worker_threads"); new w.Worker("x");`, "not supported"},
		"re-entrant":         {`pi.setSessionName("x"); pi.events.emit("x", 1);`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, script.Settings{Limits: limits},
				`export default (pi) => { pi.on("agent_start", async () => { `+c.body+` }); pi.on("session_info_changed", () => { pi.getSessionName() }); pi.events.on("x", () => pi.events.emit("y", 2)); }`,
				`export default (pi) => { pi.on("agent_end", (e, ctx) => ctx.ui.notify("still here")); }`)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			s.Emit(ctx, &extension.AgentStart{})
			s.Emit(ctx, &extension.AgentEnd{})
			if s.all() != "still here" {
				t.Errorf("heard %q, failures %s", s.all(), s.failures())
			}
			for end := time.Now().Add(2 * time.Second); !strings.Contains(s.failures(), c.report) && time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
			if !strings.Contains(s.failures(), c.report) {
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
