//go:build unix

package rpc_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript/html"
)

// TestExport_PipesAreRefused: an export does not wait for a program that reads it.
func TestExport_PipesAreRefused(t *testing.T) {
	s := open(t, scripted.New(scripted.Say("an answer")).Stream, session.Options{})
	c := connect(t, s, nil)
	c.ask(`{"type":"prompt","message":"hello"}`)
	c.until("agent_settled")
	pipe := filepath.Join(t.TempDir(), "page.html")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, "/dev/null"} {
		if answer := c.ask(`{"type":"export_html","outputPath":"` + path + `"}`); !strings.Contains(answer, `"success":false`) || !strings.Contains(answer, "pipe or a device") {
			t.Errorf("%s: %s", path, answer)
		}
	}
	if _, err := html.File(s.Store(), pipe, nil); err == nil || !strings.Contains(err.Error(), "no program reads") {
		t.Errorf("the export into a pipe: %v", err)
	}
	c.end()
}
