package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestRecentNode(t *testing.T) {
	for version, want := range map[string]bool{
		"22.19.0": true, "22.23.5": true, "24.0.0": true, "22.18.9": false, "20.20.2": false, "": false, "22": false, "x.y.z": false,
	} {
		if got := recentNode(version); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}

// installFake writes the manifests of Pi's packages.
func installFake(t *testing.T, modules, version string) {
	t.Helper()
	for _, name := range piPackages {
		folder := filepath.Join(modules, piScope, name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "package.json"), []byte(`{"version":"`+version+`"}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCheckPi(t *testing.T) {
	modules := t.TempDir()
	if err := checkPi(modules); err == nil {
		t.Error("an empty folder is no error")
	}
	installFake(t, modules, piVersion)
	if err := checkPi(modules); err != nil {
		t.Error(err)
	}
	installFake(t, modules, "0.85.1")
	if err := checkPi(modules); err == nil || !strings.Contains(err.Error(), "version 0.85.1, want 0.85.0") {
		t.Errorf("another version: %v", err)
	}
}

func TestInstallPi_WithoutNPM(t *testing.T) {
	t.Setenv("PATH", "")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", "")
	_, err := installPi(t.Context(), &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "npm is not installed") {
		t.Errorf("got %v", err)
	}
}

func TestInstallPi_ABrokenInstallationLeavesNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake npm is a shell script")
	}
	bin, cache := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte("#!/bin/sh\necho no network\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(cache, "pi")
	err := npmInstall(t.Context(), filepath.Join(bin, "npm"), folder, false)
	if err == nil || !strings.Contains(err.Error(), "no network") {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(cache); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWriteManifest_PinsEveryPackage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "package.json")
	if err := writeManifest(path, true); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Dependencies, Overrides map[string]string }
	if err := json.Unmarshal(data, &got, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	for _, name := range piPackages {
		if got.Dependencies[piScope+"/"+name] != piVersion {
			t.Errorf("%s is not pinned: %s", name, data)
		}
	}
	for _, name := range piIndirect {
		if got.Overrides[piScope+"/"+name] != piVersion {
			t.Errorf("%s is not pinned: %s", name, data)
		}
	}
	if got.Dependencies[nodePackage] != "22" {
		t.Errorf("Node is missing: %s", data)
	}
}
