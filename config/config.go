package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/config/catalogue"
	"github.com/rondo-agent/rondo/internal/atomicfile"
)

// The files of the state folder.
const (
	SettingsFile = "settings.json"
	ModelsFile   = "models.json"
	AuthFile     = "auth.json"
	SessionsDir  = "sessions"
)

// Environment variables that move folders.
const (
	EnvHome       = "RONDO_HOME"
	EnvSessionDir = "RONDO_SESSION_DIR"
)

// Config is the user's configuration. Make one with [Load].
type Config struct {
	// Home is the state folder, an absolute path.
	Home string
	// Settings are those of settings.json, or defaults. They must not be changed.
	Settings *Settings
	// Lists are the resources that settings files name, the strongest first.
	Lists []Lists

	settingsWarnings, modelWarnings []*FileError

	extensionRules []extensionRules // of each settings file
	extensionHosts map[string]string

	registry    *registry
	credentials *credentials
}

// Home returns the state folder: RONDO_HOME, or .rondo in the user's home folder. It need
// not exist.
func Home() (string, error) {
	if dir := os.Getenv(EnvHome); dir != "" {
		return absolute(dir)
	}
	user, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the state folder: %w; set %s to a folder", err, EnvHome)
	}
	return filepath.Join(user, ".rondo"), nil
}

// leftover is the age at which a file that is being written is one of a process that was killed.
const leftover = time.Minute

// Load reads settings.json, models.json and auth.json of the state folder, which need not
// exist. A single wrong value is one of [Config.Warnings]; a [*FileError] is a file that is no
// JSON, or a setting whose default would be unsafe. No command runs and nothing is looked up
// before a credential is asked for.
func Load(home string) (*Config, error) {
	home, err := absolute(home)
	if err != nil {
		return nil, err
	}
	for _, file := range []string{SettingsFile, AuthFile} {
		atomicfile.Sweep(filepath.Join(home, file), leftover)
	}
	c, err := (&Config{Home: home, registry: &registry{catalogue: catalogue.Open(filepath.Join(home, catalogue.File))}, credentials: &credentials{logins: standardLogins(), renewals: make(map[string]*renewal)}}).WithProject()
	if err != nil {
		return nil, err
	}
	if c.modelWarnings, err = c.registry.read(filepath.Join(home, ModelsFile)); err != nil {
		return nil, err
	}
	c.credentials.path, c.credentials.shell = filepath.Join(home, AuthFile), c.Settings.ShellPath
	if _, err := c.credentials.read(); err != nil {
		return nil, err
	}
	return c, nil
}

// Warnings are what is wrong in the files and was passed over: the default counts instead of a
// wrong setting, and a model or a provider that cannot be reached as it is described is left out.
func (c *Config) Warnings() []*FileError {
	return append(append(slices.Clone(c.settingsWarnings), c.modelWarnings...), c.credentials.warnings()...)
}

// SessionDir returns the folder that sessions are kept in, from the first of: the flag
// --session-dir, RONDO_SESSION_DIR, the setting sessionDir, and sessions in the state folder.
// Only the last has a folder for each project below it; in the others, which shared reports,
// all sessions lie side by side.
func (c *Config) SessionDir(flag string) (dir string, shared bool, err error) {
	for _, dir := range []string{flag, os.Getenv(EnvSessionDir), c.Settings.SessionDir} {
		if dir != "" {
			dir, err := absolute(dir)
			return dir, true, err
		}
	}
	return filepath.Join(c.Home, SessionsDir), false, nil
}

// absolute returns an absolute path; ~ stands for the user's home folder.
func absolute(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		user, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("expand %s: %w", path, err)
		}
		path = filepath.Join(user, rest)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", path, err)
	}
	return abs, nil
}
