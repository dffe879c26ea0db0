package script_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// command loads an extension whose command "main" is given as the body of an async function
// of args, ctx and pi, runs it and returns what it has told the person.
func command(t *testing.T, body string) string {
	t.Helper()
	s := newStage(t, script.Settings{Version: "1.2.3", Home: "/home/x"}, `
import * as agent from "@earendil-works/pi-coding-agent";
import { readFileSync } from "node:fs";
import { join } from "node:path";
export default function (pi) {
  const say = (v) => JSON.stringify(v);
  pi.registerCommand("main", { handler: async (args, ctx) => { const out = await (async () => { `+body+` })(); ctx.ui.notify(say(out)); } });
}`)
	if err := os.WriteFile(filepath.Join(s.dir, "f.txt"), []byte("one\ntwo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := s.RunCommand(ctx, s.Command("main"), ""); err != nil {
		t.Fatalf("%v %s", err, s.failures())
	}
	if s.failures() != "" {
		t.Error(s.failures())
	}
	return strings.ReplaceAll(s.all(), s.dir, "DIR")
}

func TestToolFactories(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"read":             {`return (await agent.createReadTool(ctx.cwd).execute("1", { path: "f.txt" })).content`, `[{"type":"text","text":"one\ntwo\n"}]`},
		"schema":           {`const t = agent.createReadTool(ctx.cwd); return [t.name, t.parameters.type, typeof t.description, t.promptSnippet ?? null, typeof agent.createReadToolDefinition(ctx.cwd).promptSnippet]`, `["read","object","string",null,"string"]`},
		"bash's snippet":   {`return [typeof agent.createBashTool(ctx.cwd).promptSnippet, Array.isArray(agent.createBashTool(ctx.cwd).promptGuidelines ?? [])]`, `["string",true]`},
		"bash":             {`const seen = []; const r = await agent.createBashTool(ctx.cwd).execute("1", { command: "echo hi" }, undefined, (u) => seen.push(1)); return [r.content[0].text, seen.length > 0]`, `["hi\n",true]`},
		"bash fails":       {`try { await agent.createBashTool(ctx.cwd).execute("1", { command: "exit 3" }); } catch (e) { return e.message.includes("3") }`, `true`},
		"hook":             {`return (await agent.createBashTool(ctx.cwd, { spawnHook: ({ command, cwd, env }) => ({ command: "echo $X; " + command, cwd, env: { ...env, X: "7" } }) }).execute("1", { command: "echo y" })).content[0].text`, `"7\ny\n"`},
		"bash operations":  {`return (await agent.createBashTool("/remote", { operations: { async exec(command, cwd, { onData }) { onData(Buffer.from(cwd + " " + command)); return { exitCode: 0 } } } }).execute("1", { command: "ls" })).content[0].text`, `"/remote ls"`},
		"read operations":  {`return (await agent.createReadTool("/remote", { operations: { access: async () => {}, readFile: async (p) => Buffer.from("at " + p) } }).execute("1", { path: "a" })).content[0].text`, `"at /remote/a"`},
		"edit operations":  {`let out; await agent.createEditTool("/remote", { operations: { access: async () => {}, readFile: async () => Buffer.from("a b"), writeFile: async (p, c) => { out = [p, c] } } }).execute("1", { path: "f", edits: [{ oldText: "b", newText: "c" }] }); return out`, `["/remote/f","a c"]`},
		"write operations": {`const out = []; await agent.createWriteTool("/remote", { operations: { mkdir: async (d) => { out.push(d) }, writeFile: async (p, c) => { out.push(p, c) } } }).execute("1", { path: "d/f", content: "x" }); return out`, `["/remote/d","/remote/d/f","x"]`},
		"write fails":      {`try { await agent.createWriteTool("/remote", { operations: { mkdir: async () => {}, writeFile: async () => { throw new Error("disk is full") } } }).execute("1", { path: "f", content: "x" }) } catch (e) { return e.message.includes("disk is full") }`, `true`},
		"ls operations":    {`return (await agent.createLsTool("/remote", { operations: { exists: () => true, stat: (p) => ({ isDirectory: () => !p.endsWith(".txt") }), readdir: () => ["b.txt", "a"] } }).execute("1", {})).content[0].text`, `"a/\nb.txt"`},
		"find operations":  {`return (await agent.createFindTool("/remote", { operations: { exists: () => true, glob: () => ["/remote/a.ts"] } }).execute("1", { pattern: "*.ts" })).content[0].text`, `"a.ts"`},
		"abort":            {`const c = new AbortController(); setTimeout(() => c.abort(), 30); const t = Date.now(); try { await agent.createBashTool(ctx.cwd).execute("1", { command: "sleep 20" }, c.signal) } catch (e) { return Date.now() - t < 5000 }`, `true`},
		"local bash":       {`let out = ""; const r = await agent.createLocalBashOperations().exec("echo a; exit 2", ctx.cwd, { onData: (d) => { out += d } }); return [out, r.exitCode]`, `["a\n",2]`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := command(t, c.body); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestHelpersOfThePackage(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"constants":   {`return [agent.VERSION, agent.CONFIG_DIR_NAME, agent.getAgentDir(), agent.DEFAULT_MAX_LINES, agent.DEFAULT_MAX_BYTES]`, `["1.2.3",".pi","/home/x",2000,51200]`},
		"truncate":    {`const h = agent.truncateHead("a\nb\nc", { maxLines: 2 }), t = agent.truncateTail("a\nb\nc", { maxLines: 2 }), b = agent.truncateTail("€€", { maxBytes: 4 }); return [h.content, h.truncatedBy, h.totalLines, t.content, b.content, b.lastLinePartial, agent.truncateHead("x").truncated, agent.truncateLine("abc", 2).text, agent.formatSize(2048)]`, `["a\nb","lines",3,"b\nc","€",true,false,"ab... [truncated]","2.0KB"]`},
		"frontmatter": {`const f = agent.parseFrontmatter("---\nname: x\ntags: [a, b]\n---\nBody\n"); return [f.frontmatter.name, f.frontmatter.tags, f.body, agent.parseFrontmatter("none").body]`, `["x",["a","b"],"Body","none"]`},
		"serialize":   {`return agent.serializeConversation(agent.convertToLlm([{ role: "user", content: "q" }, { role: "assistant", content: [{ type: "thinking", thinking: "t" }, { type: "text", text: "a" }, { type: "toolCall", name: "read", arguments: { path: "f" } }] }, { role: "toolResult", content: [{ type: "text", text: "r" }] }, { role: "bashExecution", command: "x", output: "", excludeFromContext: true }]))`, `"[User]: q\n\n[Assistant thinking]: t\n\n[Assistant]: a\n\n[Assistant tool calls]: read(path=\"f\")\n\n[Tool result]: r"`},
		"queue":       {`const order = []; await Promise.all([agent.withFileMutationQueue("f", async () => { await new Promise((r) => setTimeout(r, 10)); order.push(1) }), agent.withFileMutationQueue("./f", async () => { order.push(2) }), agent.withFileMutationQueue("g", async () => { order.push(3) })]); return order`, `[3,1,2]`},
		"missing":     {`const { InteractiveMode } = agent; try { new InteractiveMode() } catch (e) { return e.message }`, `"InteractiveMode of @earendil-works/pi-coding-agent is not supported by this host"`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := command(t, c.body); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestOlderNamesOfModules(t *testing.T) {
	s := newStage(t, script.Settings{}, `
import { VERSION } from "@mariozechner/pi-coding-agent";
import { Text } from "@mariozechner/pi-tui";
import { Type } from "@sinclair/typebox";
import { join } from "path";
export default (pi) => { pi.on("agent_start", (e, ctx) => ctx.ui.notify(JSON.stringify([typeof VERSION, typeof Text, Type.Object({ a: Type.Optional(Type.String()) }), join("a", "b")]))); }`)
	s.Emit(t.Context(), &extension.AgentStart{})
	var got []any
	if err := json.Unmarshal([]byte(s.all()), &got); err != nil || got[0] != "string" || got[1] != "function" || got[3] != "a/b" {
		t.Errorf("%v %s %s", err, s.all(), s.failures())
	}
}

// The theme of the person and the class that scripts import are one, and so are those that
// components are given.
func TestThemesAreOfOneClass(t *testing.T) {
	everywhere(t, func(t *testing.T, settings script.Settings) {
		s := newStage(t, settings, `
import { Theme, initTheme } from "@earendil-works/pi-coding-agent";
export default (pi) => { pi.on("agent_start", (e, ctx) => {
	initTheme();
	const own = new Theme({ accent: "#ff0000", thinkingOff: 1 }, { selectedBg: 4 }, "truecolor", { name: "own" });
	const of = ctx.ui.theme;
	const methods = Object.getOwnPropertyNames(Theme.prototype).filter((n) => n !== "constructor");
	ctx.ui.notify(JSON.stringify([
		of instanceof Theme, own instanceof Theme, of === ctx.ui.theme, of.constructor === Theme,
		methods.every((n) => typeof of[n] === "function" && of[n] === own[n]), of.name, of.fg("accent", "x"), of.bold("x"), of.getColorMode(), of.getThinkingBorderColor("high")("x"),
		own.name, own.fg("accent", "x"), own.bold("x"), own.getThinkingBorderColor("high")("x"), Object.keys(own),
	]));
}); }`)
		s.Emit(t.Context(), &extension.AgentStart{})
		want := `[true,true,true,true,true,"plain","x","x","none","x","own","\u001b[38;2;255;0;0mx\u001b[39m","\u001b[1mx\u001b[22m","\u001b[38;5;1mx\u001b[39m",["name","sourcePath","sourceInfo"]]`
		if s.all() != want || s.failures() != "" {
			t.Errorf("got  %s %s\nwant %s", s.all(), s.failures(), want)
		}
	})
}
