//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestTerminal_FirstPrompts(t *testing.T) {
	p := prepare(t, `"About the file.", "And the rest."`, "@notes.txt", "what is it", "and then")
	p.write("notes.txt", "milk\n")
	c := p.show(80, 24)
	c.sees("And the rest.")
	c.shows("  what is it", "", "About the file.", "", "❯ and then", "", "And the rest.")
	c.sees("notes.txt]")
	if strings.Contains(c.text(), "milk") {
		t.Error("the content of an attached file is shown")
	}
	c.leave()
}

func TestTerminal_LeavesWhileAToolRuns(t *testing.T) {
	c := prepare(t, busy).show(80, 24)
	c.say("work")
	pids := c.await("pids")
	if code := c.leave(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	c.expectGone(pids)
}

func TestTerminal_Keybindings(t *testing.T) {
	p := prepare(t, `"ok"`)
	if err := os.MkdirAll(filepath.Join(p.dir, ".rondo"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.write(".rondo/keybindings.json", `{"app.model.select": ["ctrl+y", "f2"], "tui.editor.cursorLineStart": "alt+a", "app.tools.expand": [], "app.nonsense": "x"}`)
	p.write(".rondo/settings.json", `{"quietStartup": true, "doubleEscapeAction": "fork"}`)
	c := p.show(100, 24)
	c.sees("not: app.nonsense")
	c.types("\x19")
	c.sees("scripted/scripted ✓")
	c.types(escape)
	c.loses("scripted/scripted ✓")
	c.types("\x1bOQ") // F2
	c.sees("scripted/scripted ✓")
	c.types(escape)
	c.loses("scripted/scripted ✓")
	c.types("end", "\x1ba", "begin ")
	c.sees("begin end")
	if strings.Contains(c.text(), "Rondo 0.") {
		t.Error("the start is not quiet")
	}
	c.leave()
}

func TestTerminal_Signals(t *testing.T) {
	c := prepare(t, slow).show(70, 24)
	c.say("work")
	c.sees("touch started")
	c.signal(syscall.SIGTERM)
	if code := c.exit(); code != 143 {
		t.Errorf("exit code %d", code)
	}
	<-c.read
	if raw := c.raw.String(); !strings.Contains(raw, "\x1b[?2004l") {
		t.Error("the terminal is not switched back")
	}
}

// TestTerminal_Resize: the program hears of another size of its terminal.
func TestTerminal_Resize(t *testing.T) {
	c := prepare(t, `"An answer."`).show(80, 24)
	c.say("go")
	c.sees("An answer.")
	c.resize(44, 16)
	rule := strings.Repeat("─", 44)
	c.until("the new width", func() bool { return matches(c.rows(), []string{rule, "", rule}) })
	c.leave()
}

func TestTerminal_Suspend(t *testing.T) {
	p := prepare(t, `"An answer."`)
	p.cmd = exec.Command("sh", append([]string{"-c", `set -m; rondo "$@"; echo stopped now; fg >/dev/null`, "sh"}, p.cmd.Args[1:]...)...)
	c := p.show(70, 24)
	c.types("draft")
	c.sees("draft")
	c.types(ctrlZ)
	c.sees("stopped now")
	c.sees("draft")
	c.types(enter)
	c.sees("An answer.")
	if code := c.leave(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestTerminal_WindowIsClosed: the session is kept when its terminal goes away.
func TestTerminal_WindowIsClosed(t *testing.T) {
	c := prepare(t, `{"text": "Begun.", "tools": [{"name": "bash", "args": {"command": "sleep 300"}}]}`, "--session-id", "gone").show(70, 24)
	c.say("work")
	c.sees("sleep 300")
	if err := c.pty.Close(); err != nil {
		t.Fatal(err)
	}
	if code := c.exit(); code != 129 {
		t.Errorf("exit code %d", code)
	}
	files, _ := filepath.Glob(filepath.Join(c.dir, ".rondo/sessions/*/*gone.jsonl"))
	if len(files) != 1 {
		t.Fatalf("%v", files)
	}
	if data, _ := os.ReadFile(files[0]); !strings.Contains(string(data), `"toolResult"`) {
		t.Errorf("the call has no result: %s", data)
	}
}

// TestTerminal_SuspendWithoutShell: the first process of a session cannot be stopped.
func TestTerminal_SuspendWithoutShell(t *testing.T) {
	c := prepare(t, `"An answer."`).show(70, 24)
	c.types(ctrlZ)
	c.types("go on")
	rule := strings.Repeat("─", 70)
	c.shows(rule, "go on", rule) // in the editor: until the program has the terminal back, that echoes
	c.leave()
}

func TestTerminal_ExternalEditor(t *testing.T) {
	p := prepare(t, `"ok"`)
	p.write("edit.sh", "#!/bin/sh\nprintf '%s and more\\nlines\\n' \"$(cat \"$1\")\" > \"$1\"\n")
	if err := os.Chmod(filepath.Join(p.dir, "edit.sh"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.cmd.Env = []string{"EDITOR=" + filepath.Join(p.dir, "edit.sh"), "PATH=" + os.Getenv("PATH")}
	c := p.show(70, 24)
	c.types("some text")
	c.sees("some text")
	c.types("\x07")
	rule := strings.Repeat("─", 70)
	c.shows(rule, "some text and more", "lines", rule)
	c.leave()
}
