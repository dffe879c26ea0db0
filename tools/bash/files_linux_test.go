package bash_test

import (
	"os"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/tools/bash"
)

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestFilesAreClosed(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	tool := bash.New(t.TempDir(), nil)
	run := func(n int) {
		for range n {
			text := call(t, tool, map[string]any{"command": "printf '\\n%.0s' {1..2500}"}).Content.Text()
			if !strings.Contains(text, "Full output: ") {
				t.Fatalf("no notice: %q", text)
			}
		}
	}
	run(5)
	before := openFiles(t)
	n := 500
	if testing.Short() {
		n = 50
	}
	run(n)
	if after := openFiles(t); after > before {
		t.Errorf("%d files were open, now %d", before, after)
	}
}
