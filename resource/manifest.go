package resource

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// What runs an extension that is not run in this program.
const (
	HostProcess = "process"
	HostNode    = "node"
	HostBun     = "bun"
)

// ErrNoManifest means that a path says nothing of how an extension is to be run.
var ErrNoManifest = errors.New("there is no extension.json, no package.json that names an extensionHost, and it is no program")

// Manifest says how an extension is run outside of this program.
type Manifest struct {
	// Name names the extension in logs; the folder's or the file's name by default.
	Name string `json:"name"`
	// Host is [HostProcess], [HostNode] or [HostBun].
	Host string `json:"extensionHost"`
	// Command is the program and its arguments. A program with a slash in its name is
	// relative to Dir.
	Command []string `json:"command"`
	// Env names variables with keys of providers that the program is to get.
	Env []string `json:"env"`
	// Extensions are the files to load, for Node and Bun.
	Extensions []string `json:"extensions"`

	// Dir is the folder of the extension, where the program is run.
	Dir string `json:"-"`
}

// scripts are the suffixes of files that are no programs, whatever their permissions say.
var scripts = []string{".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"}

// FindManifest returns the manifest of an extension. The path is a folder with an extension.json or a
// package.json, one of these files, a script with a package.json beside it that names a host,
// or a program. The error is [ErrNoManifest] for all others.
func FindManifest(path string) (*Manifest, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return inFolder(path)
	}
	switch base := filepath.Base(path); {
	case base == "extension.json":
		return readManifest(path)
	case base == "package.json":
		return readPackage(path)
	case slices.Contains(scripts, strings.ToLower(filepath.Ext(base))):
		return besideScript(path)
	}
	if _, err := exec.LookPath(path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, ErrNoManifest)
	}
	m := &Manifest{Host: HostProcess, Command: []string{path}, Dir: filepath.Dir(path)}
	return m, m.check(path)
}

func inFolder(dir string) (*Manifest, error) {
	m, err := readManifest(filepath.Join(dir, "extension.json"))
	if errors.Is(err, fs.ErrNotExist) {
		m, err = readPackage(filepath.Join(dir, "package.json"))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoManifest)
	}
	return m, err
}

// besideScript finds out whether a script asks for Node or Bun.
func besideScript(path string) (*Manifest, error) {
	m, err := readPackage(filepath.Join(filepath.Dir(path), "package.json"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && m.Host == HostProcess {
		return nil, fmt.Errorf("%s: %w", path, ErrNoManifest)
	}
	if err != nil {
		return nil, err
	}
	m.Extensions = []string{path}
	return m, nil
}

func readManifest(path string) (*Manifest, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := &Manifest{Host: HostProcess, Dir: filepath.Dir(path)}
	if err := decodeManifest(raw, m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, m.check(path)
}

// readPackage reads the part of a package.json that is for this program: the object rondo, or
// pi.
func readPackage(path string) (*Manifest, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Name  string         `json:"name"`
		Rondo jsontext.Value `json:"rondo"`
		Pi    jsontext.Value `json:"pi"`
	}
	if err := decodeManifest(raw, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	part := file.Rondo
	if part == nil {
		part = file.Pi
	}
	m := &Manifest{Name: file.Name, Dir: filepath.Dir(path)}
	if part != nil && part.Kind() == '{' {
		if err := decodeManifest(part, m); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if m.Host == "" {
		return nil, fmt.Errorf("%s: %w", path, ErrNoManifest)
	}
	return m, m.check(path)
}

// decodeManifest reads what people write.
func decodeManifest(raw []byte, into any) error {
	return json.Unmarshal(raw, into, jsontext.AllowDuplicateNames(true))
}

// check completes a manifest and tells what is wrong with it.
func (m *Manifest) check(path string) error {
	if m.Name == "" {
		m.Name = filepath.Base(m.Dir)
		if base := filepath.Base(path); base != "extension.json" && base != "package.json" {
			m.Name = base
		}
	}
	for i, file := range m.Extensions {
		m.Extensions[i] = within(m.Dir, file)
	}
	switch m.Host {
	case HostNode, HostBun:
		return nil
	case HostProcess:
	default:
		return fmt.Errorf("%s: extensionHost is %q: use %q, %q or %q", path, m.Host, HostProcess, HostNode, HostBun)
	}
	if len(m.Command) == 0 || m.Command[0] == "" {
		return fmt.Errorf(`%s: it has no command; write "command": ["python3", "main.py"]`, path)
	}
	if strings.ContainsAny(m.Command[0], `/\`) {
		m.Command[0] = within(m.Dir, m.Command[0])
	}
	return nil
}

func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}
