package script_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// ruled are settings whose rule bounds the files that it names, such as a.ts, and a log.
func ruled(dir string, rules map[string]script.Rule) (script.Settings, func() string) {
	var mu sync.Mutex
	var log []string
	settings := script.Settings{Dir: dir, Permit: func(file string) *script.Policy {
		rule, ok := rules[filepath.Base(file)]
		if !ok {
			return nil
		}
		rule.Source = `"a" in settings.json`
		return &script.Policy{Extension: "a", Home: dir, Dir: dir, Rules: []script.Rule{rule}, Log: func(d script.Decision) {
			mu.Lock()
			defer mu.Unlock()
			verdict := "refused"
			if d.Allowed {
				verdict = "allowed"
			}
			log = append(log, verdict+" "+string(d.Kind)+" "+d.Subject)
		}}
	}}
	return settings, func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(log, "\n")
	}
}

// attempt runs a text of JavaScript in an extension that a rule bounds, and returns what it
// comes to, or the code and the message of what it throws.
func attempt(t *testing.T, dir string, rule script.Rule, body string) string {
	t.Helper()
	settings, _ := ruled(dir, map[string]script.Rule{"a.ts": rule})
	return attemptIn(t, settings, dir, body)
}

func attemptIn(t *testing.T, settings script.Settings, dir, body string) string {
	t.Helper()
	s := newStage(t, settings, `
import * as fs from "node:fs";
import * as fsp from "node:fs/promises";
import * as cp from "node:child_process";
import * as net from "node:net";
import * as http from "node:http";
import * as os from "node:os";
import { createRequire } from "node:module";
import { createBashTool, createReadTool, createEditTool, createWriteTool, createLsTool, createGrepTool, createFindTool, createLocalBashOperations } from "@earendil-works/pi-coding-agent";
const dir = `+quote(dir)+`;
const text = (r) => r.content.map((c) => c.text).join("");
export default (pi) => { pi.on("agent_start", async (e, ctx) => {
	try { ctx.ui.notify(String(await (async () => { `+body+` })())); }
	catch (e) { ctx.ui.notify((e.code ?? "") + " " + e.message); }
}); }`)
	s.Emit(t.Context(), &extension.AgentStart{})
	if s.failures() != "" {
		t.Errorf("reported %s", s.failures())
	}
	return s.all()
}

// place is a folder with the files of a test, and a link out of it.
func place(t *testing.T) (dir, outside string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, outside = filepath.Join(root, "in"), filepath.Join(root, "out")
	for name, content := range map[string]string{"in/src/f.txt": "inside", "in/other.txt": "other", "out/secret.txt": "secret"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"src/away": outside, "src/dangling": filepath.Join(outside, "new.txt")} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir, outside
}

func TestPolicyOfFiles(t *testing.T) {
	rule := script.Rule{Read: []string{"src", "*.md"}, Write: []string{"src/out", "~/notes-?.txt"}}
	no := "EACCES EACCES: the extension a may not "
	for name, c := range map[string]struct{ body, want string }{
		"allowed":           {`return fs.readFileSync("src/f.txt", "utf8")`, "inside"},
		"promise":           {`return fsp.readFile(dir + "/src/f.txt", "utf8")`, "inside"},
		"pattern":           {`try { fs.readFileSync("x.md") } catch (e) { return e.code }`, "ENOENT"},
		"refused":           {`return fs.readFileSync("other.txt", "utf8")`, no + "read DIR/other.txt: the rule \"a\" in settings.json does not allow it; add it to \"read\" there"},
		"refused promise":   {`return fsp.readFile("other.txt", "utf8")`, no + "read DIR/other.txt"},
		"callback":          {`return new Promise((y) => fs.readFile("other.txt", (e) => y(e.code)))`, "EACCES"},
		"dots":              {`return fs.readFileSync("src/../other.txt")`, no + "read DIR/other.txt"},
		"link":              {`return fs.readFileSync("src/away/secret.txt")`, no + "read OUT/secret.txt"},
		"dots after a link": {`return fs.readFileSync(dir + "/src/away/../out/secret.txt")`, no + "read OUT/secret.txt"},
		"about a link":      {`return fs.lstatSync("src/away").isSymbolicLink()`, "true"},
		"prefix of a name":  {`return fs.readFileSync("src2")`, no + "read DIR/src2"},
		"existence":         {`return fs.existsSync("other.txt")`, "false"},
		"listing":           {`return fs.readdirSync(".")`, no + "read DIR"},
		"stream":            {`return new Promise((y) => fs.createReadStream("other.txt").on("error", (e) => y(e.code)).on("data", y))`, "EACCES"},
		"write stream":      {`return new Promise((y) => fs.createWriteStream("other.txt").on("error", (e) => y(e.code)).on("open", y).end("x"))`, "EACCES"},
		"descriptor":        {`const d = fs.openSync("other.txt", "r"); return fs.readSync(d, Buffer.alloc(3))`, no + "read DIR/other.txt"},
		"watching":          {`return new Promise((y) => fs.watch("other.txt").on("error", (e) => y(e.code)))`, no + "read DIR/other.txt"},
		"folder to be in":   {`process.chdir("/"); return fs.readFileSync("etc/passwd")`, no + "read /"},
		"write":             {`fs.mkdirSync("src/out/deep", { recursive: true }); fs.writeFileSync("src/out/deep/n", "x"); fs.renameSync("src/out/deep/n", "src/out/m"); fs.rmSync("src/out/deep", { recursive: true }); return fs.readdirSync("src/out")`, "m"},
		"write at home":     {`fs.writeFileSync("notes-1.txt", "x"); return fs.existsSync("notes-1.txt")`, "false"},
		"write refused":     {`fs.writeFileSync("src/f.txt", "x")`, no + "write DIR/src/f.txt"},
		"dangling link":     {`fs.writeFileSync("src/dangling", "x")`, no + "write OUT/new.txt"},
		"append":            {`fs.appendFileSync("other.txt", "x")`, no + "write DIR/other.txt"},
		"remove":            {`fs.rmSync("src", { recursive: true })`, no + "write DIR/src"},
		"a way out by link": {`fs.mkdirSync("src/out", { recursive: true }); fs.symlinkSync(dir + "/other.txt", "src/out/l"); return fs.readFileSync("src/out/l")`, no + "read DIR/other.txt"},
		"by hard link":      {`fs.mkdirSync("src/out", { recursive: true }); fs.linkSync("other.txt", "src/out/l")`, no + "read DIR/other.txt"},
		"by renaming":       {`fs.mkdirSync("src/out", { recursive: true }); fs.renameSync("other.txt", "src/out/l")`, no + "write DIR/other.txt"},
		"by copying":        {`fs.copyFileSync("other.txt", "src/out/l")`, no + "read DIR/other.txt"},
		"by a module":       {`return createRequire(dir + "/x.js")("./data.json")`, no + "read DIR/data.json"},
		"read tool":         {`return text(await createReadTool(dir).execute("1", { path: "src/f.txt" }))`, "inside"},
		"read tool refused": {`return text(await createReadTool(dir).execute("1", { path: "other.txt" }))`, " EACCES: the extension a may not read DIR/other.txt"},
		"edit tool":         {`return text(await createEditTool(dir).execute("1", { path: "src/f.txt", edits: [{ oldText: "inside", newText: "x" }] }))`, " EACCES: the extension a may not write DIR/src/f.txt"},
		"write tool":        {`return text(await createWriteTool(dir).execute("1", { path: "src/n.txt", content: "x" }))`, "the extension a may not write DIR/src"},
		"ls tool":           {`return text(await createLsTool(dir).execute("1", { path: "." }))`, "the extension a may not read DIR"},
		"grep tool":         {`return text(await createGrepTool(dir).execute("1", { pattern: "other" }))`, "the extension a may not read DIR"},
		"find tool":         {`return text(await createFindTool(dir).execute("1", { pattern: "*.txt" }))`, "the extension a may not read DIR"},
		"half a tool":       {`return text(await createReadTool(dir, { operations: { access: () => {} } }).execute("1", { path: "other.txt" }))`, "the extension a may not read DIR/other.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, outside := place(t)
			if err := os.WriteFile(filepath.Join(dir, "data.json"), []byte(`{"a": 1}`), 0o600); err != nil {
				t.Fatal(err)
			}
			want := strings.NewReplacer("DIR", dir, "OUT", outside).Replace(c.want)
			if got := attempt(t, dir, rule, c.body); got != want && !(strings.Contains(want, "may not") && strings.Contains(got, want)) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if _, err := os.Stat(filepath.Join(outside, "new.txt")); err == nil {
				t.Error("a file was written outside")
			}
		})
	}
}

func TestPolicyOfPrograms(t *testing.T) {
	t.Setenv("RONDO_TEST_SECRET", "hidden")
	t.Setenv("RONDO_TEST_KNOWN", "known")
	rule := script.Rule{Exec: []string{"echo", "env", "tools/*"}, Env: []string{"RONDO_TEST_K*"}, Write: []string{"."}}
	shells := script.Rule{Exec: []string{"bash", "sh"}}
	no := "EACCES EACCES: the extension a may not run "
	for name, c := range map[string]struct {
		body, want string
		rule       script.Rule
	}{
		"spawnSync":            {`return cp.spawnSync("echo", ["a"]).stdout`, "a\n", rule},
		"spawn":                {`return new Promise((y) => cp.spawn("echo", ["b"]).stdout.on("data", y))`, "b\n", rule},
		"pi.exec":              {`return (await pi.exec("echo", ["c"])).stdout`, "c\n", rule},
		"other program":        {`cp.spawnSync("ls", ["x"])`, no + "ls (ls x)", rule},
		"other by pi.exec":     {`await pi.exec("ls", [])`, no + "ls: the rule", rule},
		"shell":                {`cp.execSync("echo a; ls")`, no + "sh (sh -c echo a; ls)", rule},
		"exec":                 {`return new Promise((y) => { try { cp.exec("echo a", (e) => y(e.code)) } catch (e) { y(e.code) } })`, "EACCES", rule},
		"shell option":         {`cp.spawnSync("echo", ["a"], { shell: true })`, no + "sh", rule},
		"own shell":            {`cp.spawnSync("a", [], { shell: dir + "/echo" })`, no + "DIR/echo", rule},
		"the name of a file":   {`fs.writeFileSync("echo", "#!/bin/sh"); fs.chmodSync("echo", 0o755); cp.spawnSync("./echo", [])`, no + "DIR/echo", rule},
		"allowed folder":       {`try { cp.execFileSync("tools/x", []) } catch (e) { return e.code }`, "ENOENT", rule},
		"bash tool":            {`return text(await createBashTool(dir).execute("1", { command: "echo a" }))`, "the extension a may not run bash (bash -c echo a)", rule},
		"bash tool with hook":  {`return text(await createBashTool(dir, { spawnHook: (c) => c }).execute("1", { command: "echo a" }))`, "the extension a may not run bash", rule},
		"bash operations":      {`await createLocalBashOperations().exec("echo a", dir, {})`, no + "bash", rule},
		"signal":               {`process.kill(1, "SIGTERM")`, no + "kill (kill -s SIGTERM 1)", rule},
		"own shell tool":       {`return text(await createBashTool(dir).execute("1", { command: "echo a" }))`, "a\n", shells},
		"own shell's command":  {`return cp.execSync("echo a")`, "a\n", shells},
		"variable":             {`return process.env.RONDO_TEST_KNOWN + process.env.RONDO_TEST_SECRET + ("RONDO_TEST_SECRET" in process.env)`, "knownundefinedfalse", rule},
		"list of variables":    {`return Object.keys(process.env).filter((n) => n.startsWith("RONDO_TEST"))`, "RONDO_TEST_KNOWN", rule},
		"plain variables":      {`return Boolean(process.env.PATH && os.homedir())`, "true", rule},
		"variables of program": {`return String(cp.spawnSync("env").stdout).match(/RONDO_TEST.*/g)`, "RONDO_TEST_KNOWN=known", rule},
		"… of pi.exec":         {`return (await pi.exec("env", [])).stdout.match(/RONDO_TEST.*/g)`, "RONDO_TEST_KNOWN=known", rule},
		"… of the bash tool":   {`return text(await createBashTool(dir).execute("1", { command: "env; true" })).match(/RONDO_TEST.*/g)`, "null", shells},
		"… of the hook":        {`let seen; await createBashTool(dir, { spawnHook: (c) => { seen = c.env; return c } }).execute("1", { command: "true" }); return seen.RONDO_TEST_SECRET`, "undefined", shells},
		"arguments":            {`return process.argv.length`, "2", rule},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := place(t)
			want := strings.ReplaceAll(c.want, "DIR", dir)
			if got := attempt(t, dir, c.rule, c.body); got != want && !(strings.Contains(want, "may not") && strings.Contains(got, want)) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestPolicyOfTheNetwork(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		_, _ = w.Write([]byte("hello"))
	}))
	defer server.Close()
	address := server.Listener.Addr().String()
	_, port, _ := strings.Cut(address, ":")
	no := "EACCES EACCES: the extension a may not connect to "
	for name, c := range map[string]struct {
		body, want string
		allowed    string
	}{
		"host":         {`return (await fetch(url)).text()`, "hello", "127.0.0.1"},
		"host, port":   {`return (await fetch(url)).text()`, "hello", address},
		"pattern":      {`return (await fetch(url)).text()`, "hello", "127.*"},
		"other port":   {`return (await fetch(url)).text()`, no + address, "127.0.0.1:1"},
		"other name":   {`return (await fetch("http://localhost:" + port)).text()`, no + "localhost:" + port, "127.0.0.1"},
		"refused":      {`return (await fetch(url)).text()`, no + address, "example.com"},
		"default port": {`return (await fetch("https://example.com/x")).text()`, no + "example.com:443", "example.com:80"},
		"redirect":     {`return (await fetch(url + "?to=http://localhost:" + port)).text()`, no + "localhost:" + port, "127.0.0.1"},
		"http":         {`return new Promise((y) => http.get(url, y).on("error", (e) => y(e.code)))`, "EACCES", "example.com"},
		"socket":       {`return new Promise((y) => net.connect(Number(port), "127.0.0.1").on("error", (e) => y(e.code)).on("connect", y))`, "EACCES", "example.com"},
		"serves":       {`return listens(http.createServer(), 0, "127.0.0.1")`, "listening", "127.0.0.1"},
		"serves none":  {`return listens(net.createServer(), 0, "127.0.0.1")`, "EACCES", "example.com"},
		"serves all":   {`return listens(http.createServer(), 0)`, "EACCES", "127.0.0.1"},
		"local socket": {`return new Promise((y) => net.connect("/run/x.sock").on("error", (e) => y(e.message)))`, "EACCES: the extension a may not connect to unix:/run/x.sock", "example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := place(t)
			body := `const port = ` + quote(port) + `, url = "http://127.0.0.1:" + port + "/";
				const listens = (server, ...at) => new Promise((y) => server.on("error", (e) => y(e.code)).listen(...at, () => { server.close(); y("listening"); }));
				` + c.body
			if got := attempt(t, dir, script.Rule{Network: []string{c.allowed}}, body); got != c.want && !(strings.Contains(c.want, "may not") && strings.HasPrefix(got, c.want)) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
