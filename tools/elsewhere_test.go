package tools_test

import (
	"context"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/host/hosttest"
)

// All tools work on a host in memory, in a folder that this machine does not have.
func TestToolsWorkElsewhere(t *testing.T) {
	const dir = "/srv/elsewhere"
	m := &hosttest.Memory{Exec: func(_ context.Context, cmd *host.Command, output func([]byte)) (host.Exit, error) {
		output([]byte("ran " + cmd.Text + " in " + cmd.Dir + "\n"))
		output([]byte(strings.Repeat("more\n", 3000)))
		return host.Exit{Code: 4}, nil
	}}
	m.Put(dir+"/.gitignore", "gen\n")
	m.Put(dir+"/gen/x.go", "package gen\n")
	m.Put("/home/memory/notes.txt", "a note")
	list := tools.Tools(tools.Builtin(dir, &tools.Options{Host: m}))
	results := newConversation(agent.Options{Tools: list},
		create("src/main.go", "package main\n"), replace("src/main.go", "main", "other"), call("bash", args{"command": "make"}),
	).run(t)
	mustSay(t, results, "Wrote 13 bytes to src/main.go.", "Made 1 replacement in src/main.go.")
	mustFail(t, results[2], "Command exited with code 4", "Full output: ")
	_, path, _ := strings.Cut(results[2].Content.Text(), "Full output: ")
	path, _, _ = strings.Cut(path, "]")
	if full, err := host.ReadFile(t.Context(), m, path, 1<<20); err != nil || !strings.HasPrefix(string(full), "ran make in "+dir+"\nmore\n") {
		t.Errorf("the whole output, %s: %q, %v", path, full[:min(len(full), 40)], err)
	}
	results = newConversation(agent.Options{Tools: list},
		call("ls", args{}), call("find", args{"pattern": "*.go"}), call("grep", args{"pattern": "package"}),
		call("read", args{"path": "src/main.go"}), call("read", args{"path": "~/notes.txt"}), call("read", args{"path": "none"}),
	).run(t)
	mustSay(t, results, ".gitignore\ngen/\nsrc/", "src/main.go", "gen/x.go:1: package gen\nsrc/main.go:1: package other",
		"package other\n", "a note")
	mustFail(t, results[5], "none", fs.ErrNotExist.Error())
	for _, p := range []string{dir, path} {
		if _, err := os.Stat(p); err == nil {
			t.Errorf("%s is on the disk", p)
		}
	}
}

// mustSay checks the texts of the first results.
func mustSay(t *testing.T, results []*ai.ToolResultMessage, texts ...string) {
	t.Helper()
	for i, want := range texts {
		if got := results[i].Content.Text(); got != want {
			t.Errorf("%s: %q, want %q", results[i].ToolName, got, want)
		}
	}
}

// Only the host of this machine uses its files and commands.
func TestToolsUseTheHostAlone(t *testing.T) {
	forbidden := []string{"os", "os/exec", "syscall", "io/ioutil", "github.com/rondo-agent/rondo/internal/atomicfile"}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path == "host" || d.Name() == "tooltest"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			if name, _ := strconv.Unquote(spec.Path.Value); slices.Contains(forbidden, name) {
				t.Errorf("%s imports %s: what a tool needs of a machine belongs to package host", path, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
