package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
)

// piVersion is the Pi that Rondo is measured against.
const piVersion = "0.85.0"

// drivers are the scripts that measure Pi inside a process.
//
//go:embed js
var drivers embed.FS

// piSide is Pi: its command, and Node with the scripts that use its packages.
type piSide struct {
	program
	node        string
	nodeVersion string
	modules     string // node_modules with Pi's packages
	scripts     string // folder with the drivers
}

// newPiSide finds Pi, or installs it. folder is where it is to be found; empty means the
// cache folder of the user.
func newPiSide(ctx context.Context, folder, scratch string, log io.Writer) (*piSide, error) {
	modules := filepath.Join(folder, "node_modules")
	if folder == "" {
		var err error
		if modules, err = installPi(ctx, log); err != nil {
			return nil, err
		}
	}
	modules, err := filepath.Abs(modules)
	if err != nil {
		return nil, err
	}
	if err := checkPi(modules); err != nil {
		return nil, err
	}
	s := &piSide{modules: modules, scripts: filepath.Join(scratch, "js")}
	if s.node, s.nodeVersion, err = findNode(ctx, modules); err != nil {
		return nil, err
	}
	if err := os.CopyFS(scratch, drivers); err != nil {
		return nil, fmt.Errorf("unpack the drivers: %w", err)
	}
	cli := filepath.Join(modules, "@earendil-works", "pi-coding-agent", "dist", "bundle", "cli.js")
	s.program = program{argv: []string{s.node, cli}, stateVar: "PI_CODING_AGENT_DIR"}
	return s, nil
}

// driver runs a script with Node and returns what it measured.
func (s *piSide) driver(ctx context.Context, script string, p plan, args ...string) (values, error) {
	argv := append([]string{filepath.Join(s.scripts, script)}, args...)
	cmd := exec.CommandContext(ctx, s.node, argv...)
	cmd.Env = append(os.Environ(), "PI_MODULES="+s.modules,
		fmt.Sprintf("WINDOW_MS=%d", p.window.Milliseconds()), fmt.Sprintf("WINDOWS=%d", p.windows))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", script, err, tail(stderr.String(), 600))
	}
	return parseDriver(out)
}

// parseDriver reads a driver's lines: {"name": "...", "value": N}.
func parseDriver(out []byte) (values, error) {
	found := values{}
	for line := range bytes.Lines(out) {
		var result struct {
			Name  string  `json:"name"`
			Value float64 `json:"value"`
		}
		if err := json.Unmarshal(line, &result); err != nil {
			return nil, fmt.Errorf("driver printed %q: %w", strings.TrimSpace(string(line)), err)
		}
		found[result.Name] = append(found[result.Name], result.Value)
	}
	return found, nil
}
