package script_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// node is the setting that runs scripts in Node, or skips the test on a machine without it.
func node(t testing.TB) script.Settings {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("scripts do not run in Node there")
	}
	if out, err := exec.Command("node", "--version").Output(); err != nil || string(out) < "v20" {
		t.Skip("there is no node of version 20 or later here")
	}
	return script.Settings{Remote: &script.Remote{Command: []string{"node", "--enable-source-maps"}}}
}

func (s *stage) wait(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if strings.Contains(s.all(), text) || strings.Contains(s.failures(), text) {
			return
		}
	}
	t.Fatalf("no %q; heard %q, failures %q", text, s.all(), s.failures())
}

// bun is the setting that runs scripts in Bun, or skips the test on a machine without it.
func bun(t testing.TB) script.Settings {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("scripts do not run in Bun there")
	}
	path, err := exec.LookPath("bun")
	if err != nil {
		name := "@oven/bun-" + runtime.GOOS + "-" + strings.NewReplacer("amd64", "x64", "arm64", "aarch64").Replace(runtime.GOARCH)
		path = filepath.Join(fromNPM(t, "bun", `"`+name+`": "1.4.5"`), "node_modules", filepath.FromSlash(name), "bin", "bun")
	}
	return script.Settings{Remote: &script.Remote{Command: []string{path}}}
}

// fromNPM returns a folder of the cache with packages of npm, which it installs if
// RONDO_TEST_NPM asks for it. Without them it skips the test.
func fromNPM(t testing.TB, name, dependencies string) string {
	t.Helper()
	root, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	manifest := `{"private": true, "dependencies": {` + dependencies + `}}`
	sum := sha256.Sum256([]byte(manifest))
	dir := filepath.Join(root, "rondo-test", name+"-"+hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	npm, err := exec.LookPath("npm")
	if err != nil || os.Getenv("RONDO_TEST_NPM")+os.Getenv("RONDO_EXAMPLES") == "" {
		t.Skipf("%s is not here; RONDO_TEST_NPM=install installs it from npm", name)
	}
	if err := npmInstall(t.Context(), npm, manifest, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// apart runs a test in Node and in Bun.
func apart(t *testing.T, test func(t *testing.T, settings script.Settings)) {
	t.Run("node", func(t *testing.T) { test(t, node(t)) })
	t.Run("bun", func(t *testing.T) { test(t, bun(t)) })
}

// everywhere runs a test in the engine, in Node and in Bun: what a script sees is the same.
func everywhere(t *testing.T, test func(t *testing.T, settings script.Settings)) {
	t.Run("engine", func(t *testing.T) { test(t, script.Settings{}) })
	apart(t, test)
}

func TestRemote_HearsAndAnswers(t *testing.T) {
	everywhere(t, func(t *testing.T, settings script.Settings) {
		s := newStage(t, settings, `
import { Type } from "typebox";
import { visibleWidth } from "@earendil-works/pi-tui";
import * as path from "node:path";
enum Colour { Red = 3 }
export default function (pi: any) {
  pi.on("session_start", async (e, ctx) => { ctx.ui.notify(e.type + " " + e.reason + " " + (await ctx.ui.select("?", ["a", "b"])), "info"); });
  pi.on("session_info_changed", (e, ctx) => { ctx.ui.notify("named " + e.name); });
  pi.on("tool_call", async (e, ctx) => { e.input.command += " two"; if (e.input.command.startsWith("bad")) return { block: true, reason: "bad" }; });
  pi.on("agent_start", () => { throw new TypeError("no agent"); });
  pi.registerCommand("name", { handler: async (args, ctx) => {
    pi.setSessionName(args); // the event comes while this waits
    ctx.ui.notify("name " + pi.getSessionName());
    ctx.ui.notify([visibleWidth("好"), Colour.Red, path.basename(import.meta.url)].join(" "));
    await new Promise((done) => setTimeout(done, 5));
    Promise.reject(new Error("nobody cares"));
    setTimeout(() => { throw new Error("too late"); }, 1);
  } });
  pi.registerTool({ name: "add", label: "Add", description: "Adds.", parameters: Type.Object({ a: Type.Number(), b: Type.Number() }),
    async execute(id, params, signal, onUpdate, ctx) {
      onUpdate({ content: [{ type: "text", text: "adding" }] });
      return { content: [{ type: "text", text: String(params.a + params.b) }], details: { id } };
    } });
}`)
		s.Emit(t.Context(), &extension.SessionStart{Reason: extension.ReasonStartup})
		if err := s.RunCommand(t.Context(), s.Command("name"), "box"); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"session_start startup b", "named box", "name box", "2 3 a.ts", "rejection: nobody cares", "too late"} {
			s.wait(t, want)
		}
		e := &extension.ToolCall{ToolName: "bash", ToolCallID: "c1", Input: []byte(`{"command":"one"}`)}
		if _, err := s.ToolCall(t.Context(), e); err != nil || string(e.Input) != `{"command":"one two"}` {
			t.Errorf("%s, %v", e.Input, err)
		}
		e.Input = []byte(`{"command":"bad"}`)
		if r, err := s.ToolCall(t.Context(), e); err != nil || !r.Block {
			t.Errorf("%+v, %v", r, err)
		}
		tool := s.Tools()[0]
		r, err := tool.Execute(t.Context(), &agent.Call{ID: "1", Tool: tool.Tool.Tool, Args: []byte(`{"a":1,"b":2}`)})
		if err != nil || r.Content.Text() != "3" || string(r.Details) != `{"id":"1"}` {
			t.Errorf("%+v, %v", r, err)
		}
		s.Emit(t.Context(), &extension.AgentStart{})
		s.wait(t, "agent_start: no agent")
	})
}

// TestRemote_OwnModules: in Node, scripts have Node's modules, WebAssembly and packages.
func TestRemote_OwnModules(t *testing.T) {
	apart(t, func(t *testing.T, settings script.Settings) {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"node_modules/esm/package.json": `{"name":"esm","type":"module","exports":{"import":"./a.js"}}`,
			"node_modules/esm/a.js":         `export const where = import.meta.url; export default "esm";`,
			"node_modules/cjs/index.js":     `module.exports = { name: "cjs", node: require("node:os").EOL };`,
			"part.ts":                       `export const part: string = "part";`,
			"index.ts": `
import esm, { where } from "esm";
import cjs from "cjs";
import { part } from "./part.ts";
import { createServer } from "node:http";
import { Worker } from "node:worker_threads";
export default async function (pi: any) {
  const server = createServer((_, res) => res.end("served"));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address() as { port: number };
  const text = await (await fetch("http://127.0.0.1:" + address.port)).text();
  server.close();
  const wasm = new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])) instanceof WebAssembly.Module;
  console.log("to the log");
  pi.on("session_start", (_, ctx) => ctx.ui.notify([esm, cjs.name, part, text, wasm, typeof Worker, where.includes("node_modules")].join(" ")));
}`,
		} {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		logged := make(chan string, 10)
		settings.Log = func(line string) { logged <- line }
		s := newStage(t, settings)
		for _, err := range s.Load(t.Context(), extension.Source{Path: filepath.Join(dir, "index.ts")}) {
			t.Fatal(err)
		}
		s.Emit(t.Context(), &extension.SessionStart{Reason: extension.ReasonStartup})
		s.wait(t, "esm cjs part served true function true")
		if line := <-logged; line != "to the log" {
			t.Errorf("logged %q", line)
		}
	})
}

// TestRemote_Dies: a process that ends fails what waits for it, closed.
func TestRemote_Dies(t *testing.T) {
	apart(t, func(t *testing.T, settings script.Settings) {
		s := newStage(t, settings, `
export default (pi) => {
  pi.on("tool_call", () => { console.error("goodbye"); process.kill(process.pid, "SIGKILL"); });
  pi.on("agent_start", () => {});
}`)
		e := &extension.ToolCall{ToolName: "bash", ToolCallID: "c1", Input: []byte(`{}`)}
		for range 2 {
			if _, err := s.ToolCall(t.Context(), e); err == nil || !strings.Contains(err.Error(), "SIGKILL; it wrote: goodbye") {
				t.Errorf("the failure is %v", err)
			}
		}
		s.wait(t, "it is started again when it is needed")
	})
}

// TestRemote_Loops: JavaScript that does not give way is ended.
func TestRemote_Loops(t *testing.T) {
	apart(t, func(t *testing.T, settings script.Settings) {
		settings.Limits.Turn = time.Second
		s := newStage(t, settings, `export default (pi) => { pi.on("tool_call", () => { for (;;); }); }`)
		e := &extension.ToolCall{ToolName: "bash", ToolCallID: "c1", Input: []byte(`{}`)}
		if _, err := s.ToolCall(t.Context(), e); err == nil || !strings.Contains(err.Error(), script.ErrInterrupted.Error()) {
			t.Errorf("the failure is %v", err)
		}
	})
}

// TestRemote_FailsToLoad: an extension that cannot be loaded says why, with places in its own
// file.
func TestRemote_FailsToLoad(t *testing.T) {
	apart(t, func(t *testing.T, settings script.Settings) {
		s := newStage(t, settings)
		path := filepath.Join(s.dir, "broken.ts")
		text := "interface Nothing {}\nexport default (pi: any) => {\n  throw new Error('not today');\n};\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		failed := s.Load(t.Context(), extension.Source{Path: path})
		if len(failed) != 1 || !strings.Contains(failed[0].Error(), "not today") {
			t.Fatalf("failures: %v", failed)
		}
		if err := os.WriteFile(path, []byte("import x from 'not-installed';\nexport default () => x;\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		failed = s.Load(t.Context(), extension.Source{Path: path})
		if len(failed) != 1 || !strings.Contains(failed[0].Error(), "npm install") {
			t.Fatalf("failures: %v", failed)
		}
		settings.Remote.Command = []string{"there-is-no-such-program"}
		s = newStage(t, settings)
		failed = s.Load(t.Context(), extension.Source{Path: path})
		if len(failed) != 1 || !strings.Contains(failed[0].Error(), "there-is-no-such-program") {
			t.Fatalf("failures: %v", failed)
		}
	})
}

// TestRemote_ChangesInPlace: whatever a handler changes in a call's input is noticed, and an input
// that it leaves alone stays as the model has written it.
func TestRemote_ChangesInPlace(t *testing.T) {
	everywhere(t, func(t *testing.T, settings script.Settings) {
		s := newStage(t, settings, `
export default (pi: any) => {
  pi.on("tool_call", (e: any) => { new Function("i", e.toolName)(e.input); });
}`)
		const before = `{"a": {"b": [1, "x"]}, "c": null}`
		for code, want := range map[string]string{
			`return i.a.b[1]`:     before,
			`i.c = null`:          before,
			`i.a.b[1] += "y"`:     `{"a":{"b":[1,"xy"]},"c":null}`,
			`i.a.b.push(null)`:    `{"a":{"b":[1,"x",null]},"c":null}`,
			`delete i.c`:          `{"a":{"b":[1,"x"]}}`,
			`i.d = 0; delete i.c`: `{"a":{"b":[1,"x"]},"d":0}`,
			`i.a = [i.c]`:         `{"a":[null],"c":null}`,
			`i.a.b = {0: 1}`:      `{"a":{"b":{"0":1}},"c":null}`,
		} {
			e := &extension.ToolCall{ToolName: code, ToolCallID: "c1", Input: []byte(before)}
			if _, err := s.ToolCall(t.Context(), e); err != nil || string(e.Input) != want {
				t.Errorf("%s: %s, %v; want %s", code, e.Input, err, want)
			}
		}
	})
}
