package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// clientPackage has the client that programs in TypeScript use for Pi.
const (
	clientPackage = "@earendil-works/pi-coding-agent"
	clientVersion = "0.85.0"
)

// TestPiClientDrivesRondo runs Pi's own RPC client, unmodified, from npm: what it sends and
// expects is the protocol. The package is installed once, in the user's cache folder.
func TestPiClientDrivesRondo(t *testing.T) {
	node, client := piClient(t)
	rondo, err := exec.LookPath("rondo")
	if err != nil {
		t.Fatal(err)
	}
	work, home := t.TempDir(), t.TempDir()
	server := serveModels(closer{t}, filepath.Join(t.TempDir(), "requests"))
	thinking := strings.Replace(labModels(server.URL, server.URL), `{"id": "eyes", `, `{"id": "eyes", "reasoning": true, `, -1)
	files := map[string]string{
		"models.json":      thinking,
		"prompts/greet.md": "Say hello.",
	}
	for name, content := range files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	here, err := filepath.Abs("testdata/rpcclient")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, filepath.Join(here, "drive.mjs"))
	cmd.Env = append(os.Environ(), "RONDO="+rondo, "RONDO_HOME="+home, "WORK="+work, "CLI="+filepath.Join(here, "cli.mjs"), "CLIENT=file://"+filepath.ToSlash(client))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// closer ends things with a test.
type closer struct{ t *testing.T }

func (c closer) Defer(f func()) { c.t.Cleanup(f) }

// piClient returns node and the file of the client, which it installs if need be.
func piClient(t *testing.T) (node, client string) {
	t.Helper()
	if testing.Short() {
		t.Skip("installs a package from npm")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Pi's client needs Node, which is not in the PATH")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("Pi's client comes from npm, which is not in the PATH")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(cache, "rondo-test", "pi-client-"+clientVersion)
	client = filepath.Join(dir, "node_modules", filepath.FromSlash(clientPackage), "dist", "modes", "rpc", "rpc-client.js")
	if _, err := os.Stat(client); err == nil {
		return node, client
	}
	if err := install(t.Context(), npm, dir); err != nil {
		t.Skipf("Pi's client could not be installed from npm: %v", err)
	}
	return node, client
}

// install puts the package into dir in one step, so that a test that is ended in the middle
// leaves nothing that looks whole.
func install(ctx context.Context, npm, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "install-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "install", "--prefix", part, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", clientPackage+"@"+clientVersion)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	err = os.Rename(part, dir)
	if _, exists := os.Stat(dir); exists == nil {
		return nil // another test was faster, or this one is done
	}
	return err
}
