package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// errUnsupported says that a number needs Linux's /proc.
var errUnsupported = errors.New("measured on Linux only")

// program is a command that is measured from outside.
type program struct {
	argv     []string
	stateVar string // variable that names its state folder
}

// command prepares a run in a workspace. The environment is the same for both sides: quiet,
// offline and without the caller's keys.
func (p *program) command(ctx context.Context, ws *workspace, args ...string) *exec.Cmd {
	argv := slices.Concat(p.argv, args)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = ws.work
	cmd.WaitDelay = 5 * time.Second
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if slices.Contains([]string{"PATH", "LANG", "TERM", "TMPDIR"}, name) {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	cmd.Env = append(cmd.Env, "HOME="+ws.top, p.stateVar+"="+ws.state, "PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1",
		"TZ=UTC", "LC_ALL=C.UTF-8", "NO_COLOR=1")
	return cmd
}
