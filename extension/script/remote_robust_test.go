//go:build unix

package script_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// TestRemote_Killed: who kills the process from outside is reported once, and what waits for it
// ends. The next call starts it again, with what the extension has registered, once; the
// extension learns of the session. Another session has a process of its own.
func TestRemote_Killed(t *testing.T) {
	apart(t, func(t *testing.T, settings script.Settings) {
		source := `
import { Type } from "typebox";
export default (pi) => {
  let starts = "none";
  pi.registerFlag("level", { type: "string", default: "low" });
  pi.registerShortcut("ctrl+y", { handler: () => {} });
  pi.on("session_start", (e) => { starts = e.reason; });
  pi.on("agent_start", async (_, ctx) => { ctx.ui.notify("at work"); await new Promise(() => {}); });
  pi.on("agent_end", (_, ctx) => { ctx.ui.notify("heard " + starts); });
  pi.on("tool_call", () => ({ block: true, reason: "no " + starts }));
  pi.events.on("news", (n) => console.log("news " + n));
  pi.registerTool({ name: "pid", label: "Pid", description: "Tells.", parameters: Type.Object({}), async execute() { return { content: [{ type: "text", text: "" + process.pid }], details: {} }; } });
  pi.registerCommand("pid", { handler: (_, ctx) => { ctx.ui.notify("pid " + process.pid); } });
}`
		s, other := newStage(t, settings, source), newStage(t, settings, source)
		s.Emit(t.Context(), &extension.SessionStart{Reason: extension.ReasonStartup})
		var first int
		killed := make(chan struct{})
		go func() {
			defer close(killed)
			s.wait(t, "at work")
			first = s.pid(t)
			if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		}()
		s.Emit(t.Context(), &extension.AgentStart{}) // returns, since nobody answers any more
		<-killed
		s.wait(t, "SIGKILL; it is started again when it is needed")
		const again = 10
		for range again {
			s.Emit(t.Context(), &extension.AgentEnd{})
		}
		if n := strings.Count(s.all(), "heard reload"); n != again {
			t.Errorf("heard %d times: %s", n, s.all())
		}
		e := &extension.ToolCall{ToolName: "bash", ToolCallID: "c1", Input: []byte(`{}`)}
		if r, err := s.ToolCall(t.Context(), e); err != nil || r.Reason != "no reload" {
			t.Errorf("%+v %v", r, err)
		}
		tool := s.Tools()[0]
		r, err := tool.Execute(t.Context(), &agent.Call{ID: "1", Tool: tool.Tool.Tool, Args: []byte(`{}`)})
		if err != nil || r.Content.Text() == strconv.Itoa(first) || r.Content.Text() == "" {
			t.Errorf("%+v %v", r, err)
		}
		if len(s.Tools()) != 1 || len(s.Commands()) != 1 || len(s.Shortcuts()) != 1 || len(s.Flags()) != 1 {
			t.Errorf("%d tools, %d commands, %d shortcuts, %d flags", len(s.Tools()), len(s.Commands()), len(s.Shortcuts()), len(s.Flags()))
		}
		if n := strings.Count(s.failures(), "SIGKILL"); n != 1 {
			t.Errorf("told %d times: %s", n, s.failures())
		}
		other.Emit(t.Context(), &extension.AgentEnd{})
		other.wait(t, "heard none")
	})
}

// pid asks the extension for the number of its process.
func (s *stage) pid(t *testing.T) int {
	t.Helper()
	if err := s.RunCommand(t.Context(), s.Command("pid"), ""); err != nil {
		t.Error(err)
		return 0
	}
	s.wait(t, "pid ")
	_, after, _ := strings.Cut(s.all(), "pid ")
	text, _, _ := strings.Cut(after, "|")
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Error(err)
	}
	return n
}

// TestRemote_LoopsLater: a handler that has given way once and then loops is ended as well.
func TestRemote_LoopsLater(t *testing.T) {
	apart(t, func(t *testing.T, settings script.Settings) {
		settings.Limits.Turn = 500 * time.Millisecond
		s := newStage(t, settings, `export default (pi) => { pi.on("tool_call", async () => { await new Promise((r) => setTimeout(r, 20)); for (;;); }); }`)
		e := &extension.ToolCall{ToolName: "bash", ToolCallID: "c1", Input: []byte(`{}`)}
		if _, err := s.ToolCall(t.Context(), e); err == nil || !strings.Contains(err.Error(), script.ErrInterrupted.Error()) {
			t.Errorf("the failure is %v", err)
		}
	})
}

// TestRemote_PatientWork: what only takes long is not ended, also if nothing else can run
// meanwhile.
func TestRemote_PatientWork(t *testing.T) {
	apart(t, func(t *testing.T, settings script.Settings) {
		settings.Limits.Turn = time.Second
		s := newStage(t, settings, `
import { execSync } from "node:child_process";
export default (pi) => {
  pi.on("tool_call", async (e) => {
    if (e.toolName === "bash") execSync("sleep 3");
    else await new Promise((r) => setTimeout(r, 3000));
    return { block: true, reason: "after all" };
  });
}`)
		for _, name := range []string{"read", "bash"} {
			if name == "bash" && runtime.GOOS != "linux" {
				continue // whether the process works is known there alone
			}
			r, err := s.ToolCall(t.Context(), &extension.ToolCall{ToolName: name, ToolCallID: "c1", Input: []byte(`{}`)})
			if err != nil || r.Reason != "after all" {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
		}
	})
}

// TestRemote_Huge: 20 MB go there and back.
func TestRemote_Huge(t *testing.T) {
	apart(t, func(t *testing.T, settings script.Settings) {
		settings.Limits.Turn = -1 // it takes seconds on a machine with other work
		s := newStage(t, settings, `
import { Type } from "typebox";
export default (pi) => {
  pi.registerTool({ name: "echo", label: "Echo", description: "Echoes.", parameters: Type.Object({ text: Type.String() }),
    async execute(id, params) { return { content: [{ type: "text", text: params.text }], details: {} }; } });
}`)
		text := strings.Repeat("0123456789abcdefghijklmnopqrstuvwxyzé\n", 20<<20/39)
		tool := s.Tools()[0]
		r, err := tool.Execute(t.Context(), &agent.Call{ID: "1", Tool: tool.Tool.Tool, Args: fmt.Appendf(nil, `{"text":%s}`, mustQuote(text))})
		if err != nil {
			t.Fatal(err)
		}
		if r.Content.Text() != text {
			t.Errorf("%d of %d bytes came back", len(r.Content.Text()), len(text))
		}
	})
}

// TestRemote_Noise: whatever is written to the outputs is logged, and stdin is empty.
func TestRemote_Noise(t *testing.T) {
	apart(t, func(t *testing.T, settings script.Settings) {
		logged := make(chan string, 1000)
		settings.Log = func(line string) { logged <- line }
		s := newStage(t, settings, `
import { spawnSync } from "node:child_process";
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
export default (pi) => {
  pi.on("agent_start", async (_, ctx) => {
    console.log('{"t":"up"}');
    process.stdout.write("half a line");
    writeSync(1, " and its end\n");
    spawnSync("echo", ["from a child"], { stdio: "inherit" });
    const lines = createInterface({ input: process.stdin });
    let n = 0;
    for await (const line of lines) n++;
    lines.close();
    process.stdin.pause();
    ctx.ui.notify("read " + n);
  });
  pi.on("agent_end", (_, ctx) => { ctx.ui.notify("still there"); });
}`)
		s.Emit(t.Context(), &extension.AgentStart{})
		s.Emit(t.Context(), &extension.AgentEnd{})
		s.wait(t, "read 0|still there")
		for _, want := range []string{`{"t":"up"}`, "half a line and its end", "from a child"} {
			if got := <-logged; got != want {
				t.Errorf("logged %q, want %q", got, want)
			}
		}
	})
}

// TestRemote_Exits: process.exit ends the caller's own work alone, and asks for the end of the
// program.
func TestRemote_Exits(t *testing.T) {
	apart(t, func(t *testing.T, settings script.Settings) {
		codes := make(chan int, 1)
		settings.Exit = func(code int) { codes <- code }
		s := newStage(t, settings, `
export default (pi) => {
  pi.on("agent_start", (_, ctx) => { process.exit(3); ctx.ui.notify("goes on"); });
  pi.on("agent_end", (_, ctx) => { ctx.ui.notify("still there"); });
}`)
		s.Emit(t.Context(), &extension.AgentStart{})
		s.Emit(t.Context(), &extension.AgentEnd{})
		s.wait(t, "still there")
		if code := <-codes; code != 3 || s.all() != "still there" || !strings.Contains(s.failures(), "process.exit(3)") {
			t.Errorf("code %d, heard %q, failures %q", code, s.all(), s.failures())
		}
	})
}

// TestRemote_LeavesNothing: with the session end the process and what it has started, and no
// file of theirs is left. It works in the session's folder.
func TestRemote_LeavesNothing(t *testing.T) {
	apart(t, func(t *testing.T, settings script.Settings) {
		tmp := t.TempDir()
		t.Setenv("TMPDIR", tmp)
		settings.Dir = t.TempDir()
		s := newStage(t, settings, `
import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
export default (pi) => {
  setInterval(() => {}, 1000);
  process.on("SIGTERM", () => {});
  const child = spawn("sleep", ["1000"], { stdio: "inherit" });
  pi.registerCommand("pid", { handler: (_, ctx) => { ctx.ui.notify("pid " + process.pid); ctx.ui.notify("child " + child.pid); ctx.ui.notify("in " + realpathSync(process.cwd())); } });
}`)
		pid := s.pid(t)
		s.wait(t, "in ")
		_, text, _ := strings.Cut(s.all(), "child ")
		text, in, _ := strings.Cut(text, "|in ")
		child, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := filepath.EvalSymlinks(settings.Dir); err != nil || in != want {
			t.Errorf("it works in %s, want %s (%v)", in, want, err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, pid := range []int{pid, child} {
			for end := time.Now().Add(time.Minute); syscall.Kill(pid, 0) == nil; time.Sleep(5 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("%d is alive", pid)
				}
			}
		}
		if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	})
}

// TestRemote_Needs: a program that is missing, too old, or something else is named, with what has
// to be installed.
func TestRemote_Needs(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"old/node": "echo 'this is Node 16.20.2' >&2; exit 1", "mute/node": "exit 0"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	for command, want := range map[string]string{
		filepath.Join(dir, "none", "node"): "Node 20 or later in the PATH",
		filepath.Join(dir, "old", "node"):  "exit code 1; it wrote: this is Node 16.20.2: it needs Node 20 or later",
		filepath.Join(dir, "mute", "node"): "exit code 0: it needs Node 20 or later",
		filepath.Join(dir, "none", "bun"):  "Bun 1.2 or later in the PATH",
	} {
		s := newStage(t, script.Settings{Remote: &script.Remote{Command: []string{command}}})
		path := filepath.Join(s.dir, "a.ts")
		if err := os.WriteFile(path, []byte("export default () => {};"), 0o600); err != nil {
			t.Fatal(err)
		}
		failed := s.Load(t.Context(), extension.Source{Path: path})
		if len(failed) != 1 || !strings.Contains(failed[0].Error(), want) {
			t.Errorf("%s: %v, want %q", command, failed, want)
		}
	}
}

// TestRemote_Serves: an extension is a server as long as the session lives, and acts on the
// session when it is asked.
func TestRemote_Serves(t *testing.T) {
	apart(t, func(t *testing.T, settings script.Settings) {
		s := newStage(t, settings, `
import { createServer } from "node:http";
export default (pi) => {
  pi.on("session_start", async (_, ctx) => {
    const server = createServer((req, res) => {
      pi.setSessionName("asked for " + req.url);
      res.end(pi.getSessionName());
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    ctx.ui.notify("http://127.0.0.1:" + server.address().port);
  });
}`)
		s.Emit(t.Context(), &extension.SessionStart{Reason: extension.ReasonStartup})
		s.wait(t, "http://")
		for _, path := range []string{"/one", "/two"} {
			if got := get(t, s.all()+path); got != "asked for "+path {
				t.Errorf("got %q, failures %q", got, s.failures())
			}
		}
	})
}

func get(t *testing.T, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text := make([]byte, 100)
	n, _ := resp.Body.Read(text)
	return string(text[:n])
}

// TestRemote_WebAssembly: a module is compiled and called, back into JavaScript as well.
func TestRemote_WebAssembly(t *testing.T) {
	apart(t, func(t *testing.T, settings script.Settings) {
		s := newStage(t, settings, `
export default (pi) => {
  pi.on("session_start", async (_, ctx) => {
    // (import "m" "f" (func (param i32))) (func (export "add") (param i32 i32) (call 0 (i32.add (local.get 0) (local.get 1))))
    const code = Buffer.from("0061736d01000000010a0260017f0060027f7f000207" + "01016d0166" + "0000" + "03020101" + "0707" + "0103616464" + "0001" + "0a0b01" + "0900" + "20002001" + "6a1000" + "0b", "hex");
    const { instance } = await WebAssembly.instantiate(code, { m: { f: (n) => ctx.ui.notify("the sum is " + n) } });
    instance.exports.add(40, 2);
  });
}`)
		s.Emit(t.Context(), &extension.SessionStart{Reason: extension.ReasonStartup})
		s.wait(t, "the sum is 42")
	})
}

// TestRemote_NativeModule: a package with a compiled module is loaded where it is installed.
func TestRemote_NativeModule(t *testing.T) {
	dir := fromNPM(t, "crc32", `"@node-rs/crc32": "1.10.8"`)
	apart(t, func(t *testing.T, settings script.Settings) {
		file, err := os.CreateTemp(dir, "extension-*.ts")
		if err != nil {
			t.Fatal(err)
		}
		defer os.Remove(file.Name())
		defer file.Close()
		if _, err := file.WriteString(`
import { crc32 } from "@node-rs/crc32";
export default (pi: any) => { pi.on("session_start", (_: any, ctx: any) => { ctx.ui.notify("the sum is " + crc32("hello")); }); }`); err != nil {
			t.Fatal(err)
		}
		s := newStage(t, settings)
		for _, err := range s.Load(t.Context(), extension.Source{Path: file.Name()}) {
			t.Fatal(err)
		}
		s.Emit(t.Context(), &extension.SessionStart{Reason: extension.ReasonStartup})
		s.wait(t, "the sum is 907060870")
	})
}
