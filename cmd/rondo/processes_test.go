//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// dialog is a line of an extension's user interface, or an entry of the session.
type dialog struct {
	Type    string         `json:"type"`
	ID      string         `json:"id"`
	Method  string         `json:"method"`
	Title   string         `json:"title"`
	Message jsontext.Value `json:"message"`
}

// untilDialog reads up to a line of the user interface.
func (c *client) untilDialog(method string) *dialog {
	c.t.Helper()
	for c.lines.Scan() {
		var d dialog
		if err := json.Unmarshal(c.lines.Bytes(), &d); err != nil {
			c.t.Fatalf("%v in the line %s", err, c.lines.Text())
		}
		if d.Type == "extension_ui_request" && d.Method == method {
			return &d
		}
	}
	c.t.Fatalf("no %s comes; stderr: %s", method, &c.stderr)
	return nil
}

// example returns the folder of an example, or skips the test where it cannot be run.
func example(t *testing.T, name string) string {
	t.Helper()
	dir, err := filepath.Abs("../../examples/extensions/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(name, "python") {
		if err := exec.Command("python3", "-c", "").Run(); err != nil {
			t.Skip("there is no python3 here")
		}
		return dir
	}
	if strings.HasPrefix(name, "typescript") {
		return dir
	}
	program := filepath.Join(t.TempDir(), name)
	if out, err := exec.Command("go", "build", "-o", program, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestExamples_InRPC runs the examples with the real program: a dangerous command is asked
// about and blocked, the tool is called, and the command keeps its lines.
func TestExamples_InRPC(t *testing.T) {
	for _, name := range []string{"python-gate", "go-gate", "typescript-gate", "typescript-gate in node"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := example(t, strings.TrimSuffix(name, " in node"))
			if strings.HasSuffix(name, " in node") {
				path = inNode(t, path)
			}
			c := serveExample(t, path, `
				{"tools": [{"name": "bash", "args": {"command": "rm -rf precious"}}]}, {"text": "I may not."},
				{"tools": [{"name": "word_count", "args": {"text": "to be or not"}}]}, {"text": "Four."}`)
			if err := os.Mkdir(filepath.Join(c.dir, "precious"), 0o700); err != nil {
				t.Fatal(err)
			}
			c.prompt("Tidy up")
			ask := c.untilDialog("select")
			if !strings.Contains(ask.Title, "rm -rf precious") {
				t.Errorf("asked: %s", ask.Title)
			}
			c.send(`{"type":"extension_ui_response","id":"` + ask.ID + `","value":"No"}`)
			c.until("agent_settled")
			c.prompt("How many words?")
			c.until("agent_settled")
			for _, want := range []string{"1 on the list", "2 on the list"} {
				c.prompt("/todo buy milk")
				if got := c.untilDialog("notify"); string(got.Message) != `"`+want+`"` {
					t.Errorf("notified: %s", got.Message)
				}
			}
			results := strings.Join(texts(c.ended), "\n")
			if !strings.Contains(results, "does not want this command") || !strings.Contains(results, "4 words") {
				t.Errorf("messages:\n%s", results)
			}
			if _, err := os.Stat(filepath.Join(c.dir, "precious")); err != nil {
				t.Error(err)
			}
			c.end()
		})
	}
}

// inNode copies an example and makes it one that asks for Node.
func inNode(t *testing.T, from string) string {
	t.Helper()
	if out, err := exec.Command("node", "--version").Output(); err != nil || string(out) < "v20" {
		t.Skip("there is no node of version 20 or later here")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	text := `{"rondo": {"extensionHost": "node", "extensions": ["./index.ts"]}}`
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func texts(messages []jsontext.Value) []string {
	list := make([]string, len(messages))
	for i, m := range messages {
		list[i] = string(m)
	}
	return list
}

func serveExample(t *testing.T, path, replies string) *client {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "script.json"), []byte(`{"replies": [`+replies+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return serveSession(t, dir, "-e", path)
}

// TestActions_InRPC does what needs a whole program behind it.
func TestActions_InRPC(t *testing.T) {
	if err := exec.Command("python3", "-c", "").Run(); err != nil {
		t.Skip("there is no python3 here")
	}
	path, err := filepath.Abs("testdata/process")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "script.json"), []byte(`{"replies": [{"text": "Four."}, {"text": "Hello."}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	c := serveSession(t, dir, "-e", path, "--depth", "7")
	do := func(action string) string {
		c.prompt("/do " + action)
		var text string
		if err := json.Unmarshal(c.untilDialog("notify").Message, &text); err != nil {
			t.Fatal(err)
		}
		return text
	}
	for _, test := range [][2]string{
		{`getFlag {"name": "depth"}`, `"7"`},
		{`getContext`, `"mode": "rpc", "hasUI": true, "idle": true`},
		{`getModels {"available": true}`, `"provider": "scripted"`},
		{`ask {"messages": [{"role": "user", "content": "2+2?", "timestamp": 0}]}`, `"text": "Four."`},
		{`setSessionName {"name": "blue"}`, `null`},
		{`getSessionName`, `"blue"`},
		{`exec {"command": "echo", "args": ["a b"]}`, `"stdout": "a b`},
		{`getAllTools`, `"name": "bash"`},
		{`setActiveTools {"names": ["read"]}`, `null`},
		{`getActiveTools`, `["read"]`},
		{`getSystemPrompt`, `read`},
		{`setModel {"provider": "no", "id": "such"}`, `there is no model no/such`},
		{`fork {"entryId": "nothing"}`, `error: `},
		{`getTree {"typo": 1}`, `error: the action's params`},
	} {
		if got := do(test[0]); !strings.Contains(got, test[1]) {
			t.Errorf("%s: %s, want %s", test[0], got, test[1])
		}
	}
	c.prompt(`/do sendUserMessage {"content": "Hi"}`)
	c.untilDialog("notify") // null
	c.prompt(`/do newSession {"withSession": true}`)
	if got := c.untilDialog("notify"); string(got.Message) != `"in the new session"` {
		t.Errorf("notified: %s", got.Message)
	}
	c.until("session_info_changed")
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if got := do("getSessionName"); got == `"fresh"` {
			break
		} else if time.Now().After(end) {
			t.Fatalf("the session's name is %s", got)
		}
	}
	c.end()
}

// TestExtensionDiesWithRondo: not even SIGKILL of rondo leaves an extension behind.
func TestExtensionDiesWithRondo(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "pidfile")
	text := "#!/bin/sh\necho $$ > pid\nread hello\necho '{\"type\":\"ready\",\"protocol\":1}'\nwhile read line; do :; done\n"
	if err := os.WriteFile(program, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	c := serveExample(t, program, `{"text": "Hello."}`)
	c.prompt("Hello")
	c.until("agent_settled")
	raw, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	c.kill()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if syscall.Kill(pid, 0) != nil {
			return
		}
	}
	t.Errorf("the extension %d is alive", pid)
}

// TestExtensionHasNoKeys: the environment of an extension is that of rondo without the keys of
// providers, but for those that its manifest names.
func TestExtensionHasNoKeys(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.sh":        "echo \"$OPENAI_API_KEY,$GROQ_API_KEY,$MY_SETTING\" > env\nread hello\necho '{\"type\":\"ready\",\"protocol\":1}'\nwhile read line; do :; done\n",
		"extension.json": `{"command": ["sh", "main.sh"], "env": ["GROQ_API_KEY"]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := filepath.Join(t.TempDir(), "script.json")
	if err := os.WriteFile(script, []byte(`{"replies": [{"text": "Hello."}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("rondo", "-e", dir, "--no-session", "--script", script, "-p", "hello")
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+cmd.Dir, "RONDO_HOME="+cmd.Dir, "OPENAI_API_KEY=secret1", "GROQ_API_KEY=wanted", "MY_SETTING=on")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(filepath.Join(dir, "env"))
	if err != nil || string(got) != ",wanted,on\n" {
		t.Errorf("%q, %v", got, err)
	}
}
