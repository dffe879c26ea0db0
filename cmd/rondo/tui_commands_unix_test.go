//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestTerminal_Shell(t *testing.T) {
	c := prepare(t, `"ok"`).show(70, 24)
	c.say("!printf 'one\\n\\033[31mtwo\\033[0m\\n'; exit 3")
	c.shows("  one", "  two", "  exit code 3")
	c.say("!!echo hidden")
	c.shows("!! echo hidden", "  hidden")
	c.leave()
}

// TestReport_ABT06_AllCommandsEnd starts three commands of the person's own and aborts them.
func TestReport_ABT06_AllCommandsEnd(t *testing.T) {
	c := prepare(t, `"ok"`).show(70, 30)
	for _, n := range []string{"1", "2", "3"} {
		c.say("!sleep 300; echo " + n)
		c.sees("! sleep 300; echo " + n)
	}
	c.types(escape)
	c.until("three ends", func() bool { return strings.Count(c.text(), "ended before it was done") == 3 })
	c.leave()
}

func TestTerminal_Completion(t *testing.T) {
	p := prepare(t, `"ok"`)
	for _, name := range []string{"alpha.go", "sub/beta.txt", "sub/gamma delta.md", ".gitignore", "skipped.log"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(p.dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		p.write(name, "*.log\n")
	}
	c := p.show(70, 24)
	c.types("/th")
	c.shows("→ thinking  choose how much the model thinks")
	c.types(escape, bksp, bksp, bksp)
	c.types("see @bet")
	c.sees("→ sub/beta.txt")
	c.types(tab)
	c.shows(strings.Repeat("─", 70), "see @sub/beta.txt")
	c.types(" @gam")
	c.sees("→ sub/gamma delta.md")
	c.types(enter)
	c.sees(`@"sub/gamma delta.md"`)
	c.types(" @skip")
	c.sees("@skip")
	c.loses("→ ")
	c.types(ctrlC)
	c.types("cat al", tab)
	c.sees("cat alpha.go")
	c.leave()
}

func TestTerminal_Pickers(t *testing.T) {
	c := prepare(t, `"First.", "Second.", "Third."`).show(80, 30)
	c.say("one")
	c.sees("First.")
	c.say("two")
	c.sees("Second.")
	c.types(escape, escape) // the tree
	c.sees("Place to go on from")
	c.shows("  you: one", "  answer: First.", "  you: two", "→ answer: Second. ✓")
	c.types(up)
	c.sees("→ you: two")
	c.types(enter)
	c.sees("Tell the model about the branch")
	c.types(enter)
	c.sees("The conversation goes on from here")
	c.shows(strings.Repeat("─", 80), "two", strings.Repeat("─", 80)) // to be written anew
	c.types(" again", enter)
	c.sees("Third.")
	c.say("/tree")
	c.shows("  you: one", "  answer: First.", "  │ you: two", "  │ answer: Second.", "  │ you: two again", "→ │ answer: Third. ✓")
	c.types(escape)
	c.loses("Place to go on from")
	c.say("/fork")
	c.sees("Begin a session before the message")
	c.types(escape)
	c.loses("Begin a session")
	c.say("/name The name of it")
	c.sees("• The name of it")
	c.say("/new")
	c.sees("New session")
	c.loses("• The name of it")
	c.say("/resume")
	c.sees("The name of it")
	c.types(enter)
	c.sees("• The name of it")
	c.say("/export page.html")
	c.sees("The session is in")
	c.say("/session")
	c.sees("tokens:")
	c.say("/nonsense")
	c.sees("there is no command /nonsense")
	c.types(ctrlC)
	c.types(ctrlL)
	c.sees("scripted/scripted ✓")
	c.types(escape)
	c.loses("scripted/scripted ✓")
	c.say("/quit")
	if code := c.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "page.html")); err != nil {
		t.Error(err)
	}
}

func TestTerminal_PasteAndHistory(t *testing.T) {
	c := prepare(t, `"ok", "ok"`).show(60, 20)
	c.types("\x1b[200~" + strings.Repeat("pasted line\n", 20) + "\x1b[201~")
	c.sees("[paste #1, 21 lines]")
	c.types(" and more", enter)
	c.sees("pasted line")
	c.sees("ok")
	c.types(up)
	c.sees("[paste #1, 21 lines] and more")
	c.types(ctrlC)
	c.types("first", ctrlJ, "second")
	rule := strings.Repeat("─", 60)
	c.shows(rule, "first", "second", rule)
	c.leave()
}

// TestTerminal_EscapeSequencesAreNeutralised: neither a tool nor a model commands the terminal.
func TestTerminal_EscapeSequencesAreNeutralised(t *testing.T) {
	evil := `\u001b]0;pwned\u0007\u001b[2J\u001b[H\u001b[?1049h\u001b]52;c;ZXZpbA==\u0007\u009b31mX\u202e`
	c := prepare(t, `{"thinking": "`+evil+`t", "text": "`+evil+`model", "tools": [{"name": "bash", "args": {"command": "printf '\\033]0;pwned\\007\\033[2J\\033[?1049htool\\n'; exit 1"}}]}, {"error": "`+evil+`failed"}`).show(70, 24)
	c.say("go")
	c.sees("failed")
	c.sees("model")
	c.sees("tool")
	c.mu.Lock()
	defer c.mu.Unlock()
	raw := c.raw.String()
	for _, seq := range []string{"pwned\a", "\x1b[2J", "\x1b[?1049h", "]52;c;ZXZ", "\u009b", "\u202e"} {
		if strings.Contains(raw, seq) {
			t.Errorf("%q has reached the terminal", seq)
		}
	}
}

// TestTerminal_SlowTerminalDelaysNothing: while nobody reads what the program draws, a run
// goes on to its end.
func TestTerminal_SlowTerminalDelaysNothing(t *testing.T) {
	var pieces []string
	for range 400 {
		pieces = append(pieces, `"some words of an answer that is rather long, so that the terminal would be full soon\n\n"`)
	}
	c := prepare(t, `{"text": [`+strings.Join(pieces, ",")+`], "paceMs": 1}`, "--session-id", "slow").show(80, 24)
	c.types("go")
	c.sees("go")
	c.mu.Lock() // the reader waits for it
	c.types(enter)
	found := false
	for end := time.Now().Add(patience); time.Now().Before(end) && !found; time.Sleep(5 * time.Millisecond) {
		files, _ := filepath.Glob(filepath.Join(c.dir, ".rondo/sessions/*/*slow.jsonl"))
		for _, file := range files {
			data, _ := os.ReadFile(file)
			found = found || strings.Contains(string(data), `"stopReason":"stop"`)
		}
	}
	c.mu.Unlock()
	if !found {
		t.Error("the run waits for the terminal")
	}
	c.loses("Working")
	c.leave()
}

// TestReport_RTY07_EscapeDuringTheDelay aborts while a repetition is waited for.
func TestReport_RTY07_EscapeDuringTheDelay(t *testing.T) {
	c := prepare(t, `{"error": {"status": 529, "message": "overloaded", "retryAfterMs": 50000}}, "never"`).show(80, 24)
	c.say("go")
	c.sees("Attempt 1 of 3")
	c.types(escape)
	c.loses("Attempt 1 of 3")
	c.say("/session")
	c.sees("tokens:")
	c.leave()
}

// TestReport_QUE07_SteeringComesFirst queues a follow-up and then steers.
func TestReport_QUE07_SteeringComesFirst(t *testing.T) {
	c := prepare(t, slow+`, "Heard now.", "Heard later."`).show(70, 30)
	c.say("work")
	c.sees("touch started")
	c.types("later")
	c.sees("later")
	c.types(altEnter)
	c.sees("Follow-up: later")
	c.say("now")
	c.sees("Steering: now")
	c.write("go", "")
	c.shows("❯ now", "", "Heard now.", "", "❯ later", "", "Heard later.")
	c.leave()
}

// TestReport_QUE11_WhatIsQueuedIsGivenBack aborts with a message of each kind in the queue.
func TestReport_QUE11_WhatIsQueuedIsGivenBack(t *testing.T) {
	c := prepare(t, slow+`, "never"`).show(70, 30)
	c.say("work")
	c.sees("touch started")
	c.say("now")
	c.types("later")
	c.sees("later")
	c.types(altEnter)
	c.sees("Follow-up: later")
	c.types(altUp) // by hand
	c.shows("now", "", "later")
	c.types(enter)
	c.sees("Steering: now")
	c.types(escape)
	c.loses("Working")
	c.shows("now", "", "later")
	c.sees("Aborted")
	c.leave()
}

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

func TestTerminal_Image(t *testing.T) {
	p := prepare(t, `"I see."`, "--session-id", "pic")
	p.write("a picture.png", "\x89PNG\r\n\x1a\n")
	c := p.show(80, 24)
	c.types("\x1b[200~what is in 'a picture.png'\x1b[201~")
	c.sees("a picture.png")
	c.types(enter)
	c.sees("I see.")
	c.sees("[image]")
	c.leave()
}

func TestTerminal_Compaction(t *testing.T) {
	p := prepare(t, `"First.", "Second.", "It was about numbers.", "Third."`)
	if err := os.MkdirAll(filepath.Join(p.dir, ".rondo"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.write(".rondo/settings.json", `{"compaction": {"keepRecentTokens": 1}}`)
	c := p.show(80, 24)
	c.say("/compact")
	c.sees("nothing to compact")
	c.say("one")
	c.sees("First.")
	c.say("two")
	c.sees("Second.")
	c.say("/compact numbers")
	c.sees("◇ Compacted from")
	c.types(ctrlO)
	c.sees("It was about numbers.")
	c.say("three")
	c.sees("Third.")
	c.leave()
}

// TestTerminal_KeysOfOtherProtocols: terminals that tell more about keys write them otherwise.
func TestTerminal_KeysOfOtherProtocols(t *testing.T) {
	c := prepare(t, `"ok"`).show(80, 24)
	rule := strings.Repeat("─", 80)
	c.types("a", "\x1b[13;2u", "b", "\x1b[27;2;13~", "c", "\x1b[106;5u", "d") // shift+enter twice, ctrl+j
	c.shows(rule, "a", "b", "c", "d", rule)
	c.types("\x1b[99;5u") // ctrl+c
	c.shows(rule, "", rule)
	c.types("again", "\x1b[27;5;119~") // ctrl+w
	c.loses("again")
	c.types("x")
	c.loses("ctrl+c again")
	c.types("\x1b[27u", "\x1b[99;5u", "\x1b[99;5u")
	if code := c.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
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

// TestTerminal_Sizes: no size, however small, is too much.
func TestTerminal_Sizes(t *testing.T) {
	c := prepare(t, `"An answer, which is longer than the screen is wide."`).show(80, 24)
	c.say("go")
	c.sees("An answer")
	for _, size := range [][2]int{{5, 3}, {1, 1}, {200, 2}, {2, 50}, {80, 24}} {
		c.resize(size[0], size[1])
		c.types("x")
	}
	c.sees("xxxxx")
	c.sees("An answer, which is longer than the screen is wide.")
	c.leave()
	c.sees("goes on with this session")
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
