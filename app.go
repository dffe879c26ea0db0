package rondo

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/telemetry"
	"github.com/rondo-agent/rondo/transcript/jsonl"
)

// App is the product without a frontend: configuration, trust, extensions, models and tools.
// It opens sessions. All methods may be called from any goroutine.
type App struct {
	opts      Options
	cfg       *config.Config // of the user, without a project
	dir       string
	loader    *loader
	models    *modelPicker
	storage   *storage
	telemetry *telemetry.Telemetry // nil unless it is sent

	mu   sync.Mutex
	told map[string]bool // notes of noteOnce
}

// noteOnce passes notes on that are the same for many sessions.
func (a *App) noteOnce(notes ...string) {
	for _, note := range notes {
		a.mu.Lock()
		known := a.told[note]
		a.told[note] = true
		a.mu.Unlock()
		if !known {
			a.opts.Note(note)
		}
	}
}

// New reads the user's configuration. It returns an [*OptionError] for options that cannot be
// used, and a [*config.FileError] for a file that is wrong. opts may be nil; the App keeps a
// copy. ctx bounds the start alone. Close the App when its sessions are closed.
//
// If the settings name a proxy and the environment names none, New sets HTTP_PROXY and
// HTTPS_PROXY of this process, so that commands use it as well.
func New(ctx context.Context, opts *Options) (*App, error) {
	if opts == nil {
		opts = &Options{}
	}
	if err := opts.check(); err != nil {
		return nil, err
	}
	a := &App{opts: *opts, told: make(map[string]bool)}
	if a.opts.Note == nil {
		a.opts.Note = func(string) {}
	}
	var err error
	if a.dir, err = absoluteDir(opts.Dir); err != nil {
		return nil, err
	}
	if a.cfg, err = loadConfig(opts.Home); err != nil {
		return nil, err
	}
	for _, wrong := range a.cfg.Warnings() {
		a.opts.Note(passedOver(wrong))
	}
	useProxy(a.cfg)
	a.loader = newLoader(&a.opts)
	a.models = &modelPicker{opts: &a.opts.Models}
	a.storage = &storage{&a.opts.Storage}
	if opts.Telemetry {
		if a.telemetry, err = telemetry.Start(ctx, &telemetry.Options{Version: opts.Version}); err != nil {
			a.opts.Note(err.Error())
		}
	}
	return a, nil
}

// passedOver tells what is wrong in a file and does not count.
func passedOver(wrong *config.FileError) string { return wrong.Error() + " (left out)" }

func absoluteDir(dir string) (string, error) {
	if dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the working folder: %w", err)
	}
	return dir, nil
}

// loadConfig reads the configuration in the state folder home.
func loadConfig(home string) (*config.Config, error) {
	if home == "" {
		var err error
		if home, err = config.Home(); err != nil {
			return nil, err
		}
	}
	return config.Load(home)
}

// telemetryLimit is how long the end of an App waits for what has not been sent yet.
const telemetryLimit = 3 * time.Second

// Close sends the telemetry that is left. It does not close sessions.
func (a *App) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), telemetryLimit)
	defer cancel()
	return a.telemetry.Shutdown(ctx)
}

// Config returns the user's configuration, without that of a project.
func (a *App) Config() *config.Config { return a.cfg }

// Dir returns the folder that sessions work in unless they name one.
func (a *App) Dir() string { return a.dir }

// SessionDir returns the folder with the session files of a folder; an empty dir stands for
// that of the App.
func (a *App) SessionDir(dir string) (string, error) {
	return a.storage.dir(a.cfg, cmp.Or(dir, a.dir))
}

// Sessions lists the sessions that are kept of a folder, the newest first; an empty dir stands
// for that of the App.
func (a *App) Sessions(ctx context.Context, dir string) ([]*jsonl.Summary, error) {
	files, err := a.SessionDir(dir)
	if err != nil {
		return nil, err
	}
	return jsonl.List(ctx, files, cmp.Or(dir, a.dir), nil)
}

// useProxy makes the proxy of the settings that of requests and commands, unless the
// environment names one.
func useProxy(cfg *config.Config) {
	if cfg.Settings.HTTPProxy == "" {
		return
	}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		if os.Getenv(name) == "" && os.Getenv(strings.ToLower(name)) == "" {
			_ = os.Setenv(name, cfg.Settings.HTTPProxy) // it fails for an impossible name alone
		}
	}
}
