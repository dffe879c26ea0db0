//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/go-json-experiment/json"
)

// hostile is a text that puts something into a clipboard, colours, and turns the direction.
const hostile = "\x1b]52;c;cm0gLXJm\a\x1b[31mred\u009b2J\u202egnp.exe"

// outputs runs rondo in a folder, with its standard output and error at a terminal or in pipes.
func outputs(t *testing.T, dir string, atTerminal bool, args ...string) string {
	t.Helper()
	cmd := exec.Command("rondo", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "TERM=xterm", "RONDO_LOCAL_SERVERS=off", "GORACE=" + os.Getenv("GORACE")}
	if !atTerminal {
		out, _ := cmd.CombinedOutput() // some are refused
		return string(out)
	}
	far, near, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = near, near
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	near.Close()
	var b bytes.Buffer
	_, _ = io.Copy(&b, far) // it ends with an error when the program has ended
	_ = cmd.Wait()
	far.Close()
	return b.String()
}

// Nothing that a model, a file or an argument says commands the terminal, outside of the terminal
// interface too. In a pipe an answer is what it is, and texts for people are clean there as well.
func TestNothingCommandsTheTerminal(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, value any) {
		t.Helper()
		text, err := json.Marshal(value)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write("script.json", map[string]any{"replies": []any{"answer " + hostile, "answer " + hostile, "answer " + hostile, "answer " + hostile}})
	write(".rondo/models.json", map[string]any{"providers": map[string]any{"lab": map[string]any{
		"baseUrl": "http://127.0.0.1:1/v1", "api": "openai-completions", "apiKey": "k", "models": []any{map[string]any{"id": "m", "name": hostile}},
	}}})
	for _, test := range []struct {
		name string
		raw  bool // in a pipe
		args []string
	}{
		{"an answer", true, []string{"--script", "script.json", "--name", hostile, "-p", "hi"}},
		{"events", true, []string{"--script", "script.json", "--no-session", "--mode", "json", "hi"}},
		{"the list of sessions", false, []string{"-r", "-p"}},
		{"the list of models", false, []string{"--list-models"}},
		{"an unknown model", false, []string{"--model", "lab/x" + hostile, "-p", "hi"}},
		{"a flag", false, []string{"--" + hostile, "hi"}},
		{"a mode", false, []string{"--mode", hostile, "hi"}},
		{"a file", false, []string{"-p", "@" + hostile}},
		{"a session", false, []string{"--session", hostile, "-p", "hi"}},
		{"a tool", false, []string{"--script", "script.json", "--no-session", "--tools", hostile, "-p", "hi"}},
		{"a provider", false, []string{"auth", "check", hostile}},
	} {
		got := outputs(t, dir, true, test.args...)
		if strings.ContainsAny(got, "\x1b\a\u009b\u202e") || !strings.Contains(got, "gnp.exe") {
			t.Errorf("%s: the terminal gets %q", test.name, got)
		}
		piped := outputs(t, dir, false, test.args...)
		if raw := strings.ContainsAny(piped, "\u009b\u202e"); raw != test.raw && test.name != "a tool" {
			t.Errorf("%s: a pipe gets %q", test.name, piped)
		}
	}
}
