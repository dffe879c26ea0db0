//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
)

// client is a rondo in RPC mode, and what it has said.
type client struct {
	*running
	lines *bufio.Scanner
	ended []jsontext.Value // messages whose end was seen
	ran   []string         // commands of the user's whose response was seen
	sent  map[string]string
}

// serveSession starts rondo in RPC mode over the session s of a folder that has a script.json.
func serveSession(t *testing.T, dir string, args ...string) *client {
	t.Helper()
	p := &running{t: t, dir: dir}
	p.cmd = exec.Command("rondo", append([]string{"--mode", "rpc", "--script", "script.json", "--session-id", "s"}, args...)...)
	p.start()
	c := &client{running: p, lines: bufio.NewScanner(p.stdout), sent: make(map[string]string)}
	c.lines.Buffer(make([]byte, 64<<10), 16<<20)
	return c
}

func (c *client) prompt(text string) { c.send(fmt.Sprintf(`{"type":"prompt","message":%q}`, text)) }

// bash runs a command of the user's.
func (c *client) bash(command string) {
	id := fmt.Sprint(len(c.sent))
	c.sent[id] = command
	c.send(fmt.Sprintf(`{"type":"bash","id":%q,"command":%q}`, id, command))
}

// next reads a line and remembers what it acknowledges; nil at the end.
func (c *client) next() *line {
	c.t.Helper()
	if !c.lines.Scan() {
		if err := c.lines.Err(); err != nil {
			c.t.Fatal(err)
		}
		return nil
	}
	l := new(line)
	if err := json.Unmarshal(c.lines.Bytes(), l); err != nil {
		c.t.Fatalf("%v in the line %s", err, c.lines.Text())
	}
	switch {
	case l.Type == "message_end":
		c.ended = append(c.ended, l.Message)
	case l.Type == "response" && l.Command == "bash" && l.Success:
		c.ran = append(c.ran, c.sent[l.ID])
	}
	return l
}

// until reads up to a line of a type.
func (c *client) until(typ string) *line {
	c.t.Helper()
	for l := c.next(); l != nil; l = c.next() {
		if l.Type == typ {
			return l
		}
	}
	c.t.Fatalf("no %s comes; stderr: %s", typ, &c.stderr)
	return nil
}

// kill ends the program as nothing can prevent it, and reads what it had said by then.
func (c *client) kill() {
	c.t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		c.t.Fatal(err)
	}
	for c.next() != nil {
	}
	c.cmd.Wait()
}

// end lets the program end in order.
func (c *client) end() {
	c.t.Helper()
	c.stdin.Close()
	for c.next() != nil {
	}
	if code := c.exit(); code != 0 {
		c.t.Errorf("exit code %d; stderr: %s", code, &c.stderr)
	}
}

type line struct {
	Type       string         `json:"type"`
	ID         string         `json:"id"`
	Command    string         `json:"command"`
	Success    bool           `json:"success"`
	ToolCallID string         `json:"toolCallId"`
	Message    jsontext.Value `json:"message"`
	Data       jsontext.Value `json:"data"`
}

// theSession is the file of the one session below a folder; empty if there is none.
func theSession(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, ".rondo", "sessions", "*", "*.jsonl"))
	// A process that is killed between creating its file and writing the first lines, of
	// which nobody has heard, leaves an empty one, which is no session.
	files = slices.DeleteFunc(files, func(file string) bool {
		info, err := os.Stat(file)
		return err == nil && info.Size() == 0
	})
	if err != nil || len(files) > 1 {
		t.Fatalf("sessions: %v, %v", files, err)
	}
	if len(files) == 0 {
		return ""
	}
	return files[0]
}

// expectWhole checks that a session is one branch in which every call has one result.
func expectWhole(t *testing.T, file string) {
	t.Helper()
	store, err := jsonl.Open(file, &jsonl.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	reachable, results, calls := 0, map[string]int{}, []string{}
	for e, err := range store.Ancestors(store.Leaf()) {
		if err != nil {
			t.Fatal(err)
		}
		reachable++
		m, ok := e.(*transcript.MessageEntry)
		if !ok {
			continue
		}
		switch m := m.Message.(type) {
		case *ai.ToolResultMessage:
			results[m.ToolCallID]++
		case *ai.AssistantMessage:
			for _, call := range m.Content.ToolCalls() {
				calls = append(calls, call.ID)
			}
		}
	}
	if reachable != store.Len() {
		t.Errorf("%d of %d entries are on the branch", reachable, store.Len())
	}
	for _, call := range calls {
		if results[call] != 1 {
			t.Errorf("call %s has %d results", call, results[call])
		}
	}
}

// A program that is killed again and again, at any moment, while it answers, runs tools and
// the user's own commands, loses nothing that its client has been told.
func TestLaw_S5_NothingAcknowledgedIsLost(t *testing.T) {
	const rounds = 25
	dir := t.TempDir()
	script := `{"loop": true, "replies": [
		{"text": "I look.", "tools": [{"name": "bash", "args": {"command": "echo quick"}}, {"name": "bash", "args": {"command": "sleep 0.02; echo slow"}}], "paceMs": 1},
		{"text": "one two three four", "tools": [{"name": "write", "args": {"path": "out.txt", "content": "x"}}], "paceMs": 1},
		"That is all."]}`
	if err := os.WriteFile(filepath.Join(dir, "script.json"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	t.Log("seed", seed)
	var ended []jsontext.Value
	var ran []string
	for round := range rounds {
		c := serveSession(t, dir)
		c.prompt(fmt.Sprintf("prompt %d", round))
		last := random.IntN(110)
		if random.IntN(6) == 0 { // while it starts, or soon after
			last = 0
			time.Sleep(time.Duration(random.IntN(20_000)) * time.Microsecond)
		}
		for n := 1; n <= last; n++ {
			l := c.next()
			if l == nil {
				t.Fatalf("the program has ended by itself: %s", &c.stderr)
			}
			if l.Type == "agent_settled" {
				c.prompt(fmt.Sprintf("prompt %d, line %d", round, n))
			}
			if n%15 == 10 {
				c.bash(fmt.Sprintf("echo round %d line %d", round, n))
			}
		}
		time.Sleep(time.Duration(random.IntN(3000)) * time.Microsecond)
		c.kill()
		ended, ran = append(ended, c.ended...), append(ran, c.ran...)
		text := sessionText(t, dir)
		for _, m := range c.ended {
			if !bytes.Contains(text, m) {
				t.Fatalf("round %d: this message was seen and is not in the file: %s", round, m)
			}
		}
	}
	c := serveSession(t, dir)
	c.prompt("the last one")
	c.until("agent_settled")
	c.end()
	text := sessionText(t, dir)
	for _, m := range append(ended, c.ended...) {
		if !bytes.Contains(text, m) {
			t.Errorf("this message was seen and is not in the file: %s", m)
		}
	}
	for _, command := range ran {
		if n := bytes.Count(text, []byte(`"role":"bashExecution","command":"`+command+`"`)); n != 1 {
			t.Errorf("%q was answered and is %d times in the file", command, n)
		}
	}
	expectWhole(t, theSession(t, dir))
	if _, err := os.Stat(theSession(t, dir) + ".results"); err == nil {
		t.Error("a journal is left behind")
	}
	t.Logf("%d messages and %d commands were acknowledged", len(ended), len(ran))
}

func sessionText(t *testing.T, dir string) []byte {
	t.Helper()
	file := theSession(t, dir)
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func scriptFolder(t *testing.T, replies string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "script.json"), []byte(`{"replies": [`+replies+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestThePromptSurvivesAKillDuringTheRequest(t *testing.T) {
	dir := scriptFolder(t, `{"text": "never", "hold": "for ever"}`)
	c := serveSession(t, dir)
	c.prompt("hours of work")
	c.until("message_end")
	c.kill()
	if text := sessionText(t, dir); !bytes.Contains(text, []byte("hours of work")) || !bytes.HasSuffix(text, []byte("\n")) {
		t.Errorf("the file is %q", text)
	}
}

// Of two calls that run together one has ended when the program is killed. Its result is
// kept, the other call gets one that says that nothing is known, and what it ran has died.
func TestAFinishedResultSurvivesAKill(t *testing.T) {
	dir := scriptFolder(t, `{"tools": [
		{"id": "stalls", "name": "bash", "args": {"command": "echo $$ > pid; exec sleep 600"}},
		{"id": "quick", "name": "bash", "args": {"command": "until [ -s pid ]; do sleep 0.01; done; echo done already"}}]}`)
	c := serveSession(t, dir)
	c.prompt("go")
	if l := c.until("tool_execution_end"); l.ToolCallID != "quick" {
		t.Fatalf("%s ended first", l.ToolCallID)
	}
	pid := c.await("pid")
	c.kill()
	if runtime.GOOS == "linux" { // elsewhere the command is not told
		c.expectGone(pid)
	}

	again := serveSession(t, dir)
	again.send(`{"type":"get_messages"}`)
	l := again.until("response")
	for _, want := range []string{`"toolCallId":"quick","toolName":"bash","content":[{"type":"text","text":"done already\n"}]`, `"toolCallId":"stalls"`, "may or may not"} {
		if !bytes.Contains(l.Data, []byte(want)) {
			t.Errorf("the messages lack %s:\n%s", want, l.Data)
		}
	}
	again.end()
	expectWhole(t, theSession(t, dir))
}

func TestLaw_S5_ASecondWriterIsRefusedByName(t *testing.T) {
	dir := scriptFolder(t, `"first"`)
	c := serveSession(t, dir)
	c.prompt("one")
	c.until("agent_settled")
	file := theSession(t, dir)
	second := func() (int, string) {
		cmd := exec.Command("rondo", "--session", file, "--model", "scripted", "--script", "script.json", "-p", "two")
		cmd.Dir, cmd.Env = dir, c.cmd.Env
		out, _ := cmd.CombinedOutput()
		return cmd.ProcessState.ExitCode(), string(out)
	}
	code, out := second()
	if code != 2 || !strings.Contains(out, file) || runtime.GOOS == "linux" && !strings.Contains(out, fmt.Sprintf("process %d", c.cmd.Process.Pid)) {
		t.Errorf("exit code %d, output %q", code, out)
	}
	if text := sessionText(t, dir); bytes.Contains(text, []byte(`"two"`)) {
		t.Error("the second writer has written")
	}
	c.kill()
	if code, out := second(); code != 0 || !strings.Contains(out, "first") {
		t.Errorf("after the first was killed: exit code %d, output %q", code, out)
	}
	expectWhole(t, file)
}

// A session of a crashed run that is only looked at, or copied, stays as it is.
func TestLookingAddsNothing(t *testing.T) {
	dir := scriptFolder(t, `{"tools": [
		{"name": "bash", "args": {"command": "echo up > up; exec sleep 600"}},
		{"name": "bash", "args": {"command": "echo done already"}}]}`)
	c := serveSession(t, dir)
	c.prompt("go")
	c.until("tool_execution_end")
	c.await("up")
	c.kill()
	file := theSession(t, dir)
	state := func() string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		journal, err := os.ReadFile(file + ".results")
		if err != nil {
			t.Error(err)
		}
		return string(text) + "\n" + string(journal)
	}
	before := state()
	for _, args := range [][]string{
		{"--export", file, "page.html"},
		{"--export", file, "copy.jsonl"},
		{"--fork", file, "--session-dir", "forks", "--script", "script.json", "--mode", "rpc"},
	} {
		cmd := exec.Command("rondo", args...)
		cmd.Dir, cmd.Env = dir, c.cmd.Env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", args, err, out)
		}
		if state() != before {
			t.Fatalf("%s has changed the session", args)
		}
	}
	forks, _ := filepath.Glob(filepath.Join(dir, "forks", "*.jsonl"))
	if len(forks) != 1 {
		t.Fatalf("forks: %v", forks)
	}
	expectWhole(t, forks[0])
}
