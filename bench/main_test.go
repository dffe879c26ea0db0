package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// TestMain lets the test binary play the program that is measured.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], fakePrefix) {
		os.Exit(fakeProgram(strings.TrimPrefix(os.Args[1], fakePrefix), os.Args[2:]))
	}
	goleak.VerifyTestMain(m)
}

func TestRun_WrongCommandLine(t *testing.T) {
	for _, args := range [][]string{{"-no-such-flag"}, {"extra"}, {"-only", "startup,nothing"}} {
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), args, &stdout, &stderr); code != 2 {
			t.Errorf("%q: exit code %d, want 2", args, code)
		}
		if stdout.Len() > 0 || stderr.Len() == 0 {
			t.Errorf("%q: stdout %q, stderr %q", args, &stdout, &stderr)
		}
	}
}

func TestChooseGroups(t *testing.T) {
	for only, want := range map[string]string{
		"":             "startup rpc session prompt serve wires text arguments tools extension",
		"tools":        "tools",
		"tools,prompt": "prompt tools", // the order of the table
	} {
		chosen, err := chooseGroups(only)
		var names []string
		for _, g := range chosen {
			names = append(names, g.name)
		}
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("%q: %q (%v), want %q", only, got, err, want)
		}
	}
}
