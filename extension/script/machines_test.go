package script_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// until waits for what comes from another machine.
func until(t *testing.T, what string, got func() string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !strings.Contains(got(), what); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("got %.600q, want %q", got(), what)
		}
	}
}

// Extensions share the globals of one machine, those that a rule bounds have their own.
func TestBoundedExtensionsHaveMachinesOfTheirOwn(t *testing.T) {
	dir := t.TempDir()
	settings, _ := ruled(dir, map[string]script.Rule{"b.ts": {}, "c.ts": {}})
	source := `export default (pi) => { globalThis.count = (globalThis.count ?? 0) + 1; pi.on("agent_start", (e, ctx) => ctx.ui.notify("" + globalThis.count)); }`
	s := newStage(t, settings, source, source, source, source)
	s.Emit(t.Context(), &extension.AgentStart{})
	if s.all() != "2|1|1|2" || s.failures() != "" {
		t.Errorf("%s %s", s.all(), s.failures())
	}
}

// What is sent on the bus reaches the extensions of other machines, in order.
func TestBusReachesOtherMachines(t *testing.T) {
	dir := t.TempDir()
	settings, _ := ruled(dir, map[string]script.Rule{"b.ts": {}, "c.ts": {}})
	listener := func(name string) string {
		return `export default (pi) => {
			const heard = [];
			pi.events.on("news", (data) => { heard.push(data.n); if (data.n === 3) pi.events.emit("heard", { by: "` + name + `", heard }); });
		}`
	}
	s := newStage(t, settings, `export default (pi) => {
		let ui;
		pi.events.on("heard", ({ by, heard }) => ui.notify(by + " " + heard));
		pi.on("agent_start", (e, ctx) => { ui = ctx.ui; for (const n of [1, 2, 3]) pi.events.emit("news", { n }); });
	}`, listener("b"), listener("c"), listener("d"))
	s.Emit(t.Context(), &extension.AgentStart{})
	for _, name := range []string{"b", "c", "d"} {
		until(t, name+" 1,2,3", s.all)
	}
	if n := strings.Count(s.all(), "1,2,3"); n != 3 || s.failures() != "" {
		t.Errorf("%s %s", s.all(), s.failures())
	}
}

// Two machines that answer each other for ever hold up nobody.
func TestMachinesThatAnswerEachOther(t *testing.T) {
	dir := t.TempDir()
	settings, _ := ruled(dir, map[string]script.Rule{"b.ts": {}})
	echo := func(from, to string) string {
		return `export default (pi) => { let n = 0; pi.events.on("` + from + `", () => { n++; pi.events.emit("` + to + `", n); }); pi.on("agent_start", () => pi.events.emit("ping", 0)); pi.registerCommand("` + to + `", { handler: (a, ctx) => ctx.ui.notify("` + to + ` " + (n > 10)) }); }`
	}
	s := newStage(t, settings, echo("ping", "pong"), echo("pong", "ping"))
	s.Emit(t.Context(), &extension.AgentStart{})
	for _, name := range []string{"ping", "pong"} {
		until(t, name+" true", func() string {
			if err := s.RunCommand(t.Context(), s.Command(name), ""); err != nil {
				t.Fatal(err)
			}
			return s.all()
		})
	}
}

// A machine that is lost leaves the others working, and is reported.
func TestLostMachine(t *testing.T) {
	for name, c := range map[string]struct{ body, report string }{
		"memory": {`globalThis.a = []; for (;;) globalThis.a.push(new Array(1000).fill(1));`, "out of memory"},
		"loop":   {`for (;;);`, "did not give way"},
		"jobs":   {`(function f() { for (let i = 0; i < 100; i++) Promise.resolve().then(f) })(); await new Promise(() => {});`, "did not give way"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			settings, _ := ruled(dir, map[string]script.Rule{"b.ts": {}})
			settings.Limits = script.Limits{Turn: time.Second, Memory: 32 << 20}
			good := `export default (pi) => { pi.on("agent_end", (e, ctx) => ctx.ui.notify("here")); pi.on("agent_start", () => pi.events.emit("x", 1)); }`
			bad := `export default (pi) => { pi.events.on("x", async () => { ` + c.body + ` }); }`
			s := newStage(t, settings, good, bad, good)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			s.Emit(ctx, &extension.AgentStart{})
			s.Emit(ctx, &extension.AgentEnd{})
			if s.all() != "here|here" {
				t.Errorf("heard %q, failures %s", s.all(), s.failures())
			}
			until(t, "b.ts", s.failures)
			until(t, c.report, s.failures)
		})
	}
}

// What an extension imports becomes its code, so that counts as reading.
func TestPolicyOfImports(t *testing.T) {
	for name, c := range map[string]struct{ imports, want string }{
		"own file":       {`import x from "./lib/x.json"`, "1"},
		"own package":    {`import x from "dep"`, "2"},
		"other's file":   {`import x from "../other/x.json"`, "it imports a file that is not its own: EACCES: the extension a may not read"},
		"other's text":   {`import x from "../other/x.json" with { type: "text" }`, "may not read"},
		"other's module": {`import x from "../other/x.js"`, "may not read"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for file, content := range map[string]string{
				"ext/lib/x.json": "1", "node_modules/dep/index.js": "export default 2", "other/x.json": "3", "other/x.js": "export default 3",
				"ext/a.ts": c.imports + `; export default (pi) => { pi.on("agent_start", (e, ctx) => ctx.ui.notify(String(x))); }`,
			} {
				path := filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			settings, _ := ruled(root, map[string]script.Rule{"a.ts": {}})
			s := newStage(t, settings)
			for range 2 { // built, and from the cache
				errs := s.Load(t.Context(), extension.Source{Path: filepath.Join(root, "ext", "a.ts")})
				if len(errs) > 0 {
					if !strings.Contains(errs[0].Error(), c.want) {
						t.Error(errs[0])
					}
					continue
				}
				s.Emit(t.Context(), &extension.AgentStart{})
				if !strings.HasPrefix(s.all(), c.want) {
					t.Error(s.all())
				}
			}
		})
	}
}

// The log has refusals, and what is allowed if a rule asks for that.
func TestPolicyLog(t *testing.T) {
	dir, _ := place(t)
	body := `fs.readFileSync("src/f.txt"); try { fs.readFileSync("other.txt") } catch {}; process.env.RONDO_NO_SUCH; return process.env.PATH ? "ok" : ""`
	for _, logs := range []bool{false, true} {
		settings, log := ruled(dir, map[string]script.Rule{"a.ts": {Read: []string{"src"}, Log: logs}})
		if got := attemptIn(t, settings, dir, body); got != "ok" {
			t.Fatal(got)
		}
		want := "refused read " + filepath.Join(dir, "other.txt")
		if logs {
			want = "allowed read " + filepath.Join(dir, "src", "f.txt") + "\n" + want
		}
		if log() != want {
			t.Errorf("log %v:\n%s\nwant\n%s", logs, log(), want)
		}
	}
}

// All rules must allow: one of a project adds to that of the user.
func TestPolicyOfSeveralRules(t *testing.T) {
	dir, _ := place(t)
	settings := script.Settings{Dir: dir, Permit: func(string) *script.Policy {
		return &script.Policy{Extension: "a", Dir: dir, Rules: []script.Rule{{Read: []string{"*"}, Source: "one"}, {Read: []string{"src"}, Source: "two"}}}
	}}
	if got := attemptIn(t, settings, dir, `return fs.readFileSync("src/f.txt", "utf8")`); got != "inside" {
		t.Error(got)
	}
	if got := attemptIn(t, settings, dir, `return fs.readFileSync("other.txt", "utf8")`); !strings.Contains(got, `the rule two does not allow it; add it to "read" there`) {
		t.Error(got)
	}
}

// Nothing can bound a script in a process of its own, so one with a rule does not run there.
func TestRemoteScriptsCannotBeBounded(t *testing.T) {
	dir := t.TempDir()
	settings, _ := ruled(dir, map[string]script.Rule{"b.ts": {}})
	settings.Remote = &script.Remote{Command: []string{"no-such-program"}}
	s := newStage(t, settings)
	path := filepath.Join(dir, "b.ts")
	if err := os.WriteFile(path, []byte(`export default () => {}`), 0o600); err != nil {
		t.Fatal(err)
	}
	errs := s.Load(t.Context(), extension.Source{Path: path})
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), `the extension a runs in no-such-program, where its permissions cannot be checked: take the rule "a" in settings.json away`) {
		t.Error(errs)
	}
}

// BenchmarkStartBounded makes a host with extensions that rules bound, from the cache.
func BenchmarkStartBounded(b *testing.B) {
	for _, n := range []int{1, 5} {
		b.Run(string(rune('0'+n)), func(b *testing.B) {
			s := newStage(b, script.Settings{}, strings.Split(strings.Repeat(`import { Type } from "typebox"; export default (pi) => { pi.on("agent_start", () => Type.Object({})); }|`, n), "|")[:n]...)
			settings := script.Settings{Cache: cacheDir, Permit: func(string) *script.Policy { return &script.Policy{Rules: []script.Rule{{}}} }}
			for b.Loop() {
				r := extension.NewRunner(&extension.Options{Hosts: []extension.HostKind{{Suffixes: script.Suffixes, Open: script.Host(settings)}}})
				for i := range n {
					for _, err := range r.Load(b.Context(), extension.Source{Path: filepath.Join(s.dir, string(rune('a'+i))+".ts")}) {
						b.Fatal(err)
					}
				}
				if err := r.Close(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Machines are closed at the same time: what one waits for holds up no other.
func TestMachinesCloseTogether(t *testing.T) {
	dir := t.TempDir()
	settings, _ := ruled(dir, map[string]script.Rule{"b.ts": {}, "c.ts": {}, "d.ts": {}})
	const machines = 4
	began, closing, all := make(chan struct{}, machines), make(chan struct{}, machines), make(chan struct{})
	settings.Ops = script.Table{"test.linger": script.Typed(func(ctx context.Context, _ any) (any, error) {
		began <- struct{}{}
		<-ctx.Done()
		closing <- struct{}{}
		<-all // what takes its time to end
		return nil, nil
	})}
	source := `import { hostAsync } from "rondo:host"; export default (pi) => { pi.on("agent_start", () => { hostAsync("test.linger"); }); }`
	s := newStage(t, settings, source, source, source, source)
	s.Emit(t.Context(), &extension.AgentStart{})
	for range machines {
		<-began
	}
	go func() {
		defer close(all)
		for range machines {
			select {
			case <-closing:
			case <-time.After(time.Minute):
				t.Error("machines are closed one after another")
				return
			}
		}
	}()
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
