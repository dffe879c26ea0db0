// Package terminal shows the sessions of an App in the terminal: it makes settings, keys, accounts and
// questions of the product those of package tui.
package terminal

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/mode"
	"github.com/rondo-agent/rondo/mode/tui"
	"github.com/rondo-agent/rondo/session"
)

// Options are what a command line says of the terminal.
type Options struct {
	In, Out *os.File
	// Version is in the greeting.
	Version string
	// TUIMode and Theme count in place of the settings of these names; Themes are files and folders
	// beside those of the settings, which NoThemes leaves out.
	TUIMode, Theme string
	Themes         []string
	NoThemes       bool
	// Resume asks which session to go on with.
	Resume bool
	// App makes the App. change adds what the terminal needs.
	App func(ctx context.Context, change func(*rondo.Options)) (*rondo.App, error)
	// Open opens the session, with the first prompts. file is the one that a person has chosen;
	// empty without [Options.Resume].
	Open func(ctx context.Context, app *rondo.App, file string) (*rondo.Session, []session.Prompt, error)
	// Note tells a person something, and Divert says where from now on; it returns the writer before.
	Note   func(notes ...string)
	Divert func(to io.Writer) (before io.Writer)
}

// Run runs the interactive mode and closes the session.
func Run(ctx context.Context, p *Options) error {
	var ask func(context.Context, *rondo.TrustQuestion) (bool, error)
	direct := &directTerminal{}
	app, err := p.App(ctx, func(o *rondo.Options) {
		o.Telemetry = true
		o.Extensions.Terminal, o.Extensions.Themes = direct, direct.addThemes
		o.Trust.Ask = func(ctx context.Context, q *rondo.TrustQuestion) (bool, error) { return ask(ctx, q) }
	})
	if err != nil {
		return err
	}
	defer func() {
		if err := app.Close(ctx); err != nil {
			p.Note(err.Error())
		}
	}()
	t := &terminalApp{app: app}
	s := app.Config().Settings
	opts := &tui.Options{
		In: p.In, Out: p.Out, Models: t, Settings: t, Accounts: t, Sessions: t.sessions, Plain: os.Getenv("NO_COLOR") != "", Unfolded: !s.HideThinkingBlock,
	}
	if !s.QuietStartup {
		opts.Greeting = []string{"Rondo " + p.Version + " — / commands, @ files, ! shell, /hotkeys keys"}
	}
	opts.Preferences, _ = p.preferences(app.Config(), nil) // what is wrong is told once there is a project
	first := tui.New(opts)
	direct.use(first)
	ask = trustQuestion(first)
	var file string
	if p.Resume {
		if file, err = pickSession(ctx, first, opts); file == "" {
			return err
		}
	}
	opened, prompts, err := p.Open(ctx, app, file)
	if err != nil {
		return err
	}
	t.Runtime = app.Runtime(opened, func(now *session.Session, r *session.Change) {
		if r.Reason == session.ReasonReload {
			w := t.Current().Workspace
			prefs, wrong := p.preferences(w.Config(), w)
			p.Note(wrong...)
			t.term.Prefer(prefs)
		}
		t.term.Replaced(now, r)
	})
	if i := slices.Index(opened.Notes, opened.Models.NoModels()); i >= 0 {
		opened.Notes = slices.Delete(opened.Notes, i, i+1)
		opts.Greeting = firstRun(app.Config().Home, opened.Models)
	}
	prefs, wrong := p.preferences(opened.Workspace.Config(), opened.Workspace) // those of the project as well
	opts.Preferences = prefs
	t.term = tui.New(opts)
	direct.use(t.term)
	ask = trustQuestion(t.term)
	restore := p.divertErrors(t.term)
	p.Note(append(wrong, opened.Notes...)...)
	err = t.term.Run(ctx, t.Runtime.Runtime, prompts)
	restore()
	return errors.Join(err, t.Close(context.WithoutCancel(ctx)))
}

// preferences are the settings of the terminal. Of a project, nil before one is entered, the
// themes count as well.
func (p *Options) preferences(cfg *config.Config, w *rondo.Workspace) (prefs tui.Preferences, notes []string) {
	s := cfg.Settings
	keys, notes := loadKeys(cfg.Home)
	prefs = tui.Preferences{
		Keys: keys, SkipSummary: s.BranchSummary.SkipPrompt, DoubleEscape: s.DoubleEscapeAction, Editor: s.ExternalEditor,
		FullScreen: cmp.Or(p.TUIMode, s.TUIMode) == "fullscreen", ExitHint: s.FullscreenExitOutput == "resume-hint",
		HideImages: !s.Terminal.ShowImages, ImageWidth: s.Terminal.ImageWidthCells, ImageProtocol: imageProtocol(s),
		Completions: s.AutocompleteMaxVisible, Theme: cmp.Or(p.Theme, s.Theme), Themes: p.Themes,
	}
	if p.NoThemes {
		return prefs, notes
	}
	if w == nil {
		prefs.Themes = append(prefs.Themes, filepath.Join(cfg.Home, "themes"))
		return prefs, notes
	}
	files, wrong := w.Themes()
	prefs.Themes = append(prefs.Themes, files...)
	return prefs, append(notes, wrong...)
}

// imageProtocol is how the terminal is sent images: as the settings say, or else a variable.
func imageProtocol(s *config.Settings) string {
	if said := string(s.Terminal.Images); said != "auto" {
		return said
	}
	return os.Getenv("RONDO_IMAGE_PROTOCOL")
}

// directTerminal is the terminal for scripts, which may have been loaded before it is drawn on.
type directTerminal struct {
	mu  sync.Mutex
	now *tui.Terminal
}

func (d *directTerminal) use(t *tui.Terminal) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = t
}

func (d *directTerminal) direct() tui.Direct {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now.Direct()
}

// addThemes makes themes count that extensions have found.
func (d *directTerminal) addThemes(places []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now.AddThemes(places)
}

// Write implements [script.Terminal].
func (d *directTerminal) Write(p []byte) (int, error) { return d.direct().Write(p) }

// Size implements [script.Terminal].
func (d *directTerminal) Size() (columns, rows int) { return d.direct().Size() }

// divertErrors makes notices of what is written to standard error while the terminal is drawn
// on: notes of this program's, and whatever else writes there, such as scripts.
func (p *Options) divertErrors(term *tui.Terminal) (restore func()) {
	file, before := os.Stderr, p.Divert(term.Notes())
	r, w, err := os.Pipe()
	if err != nil {
		return func() { p.Divert(before) }
	}
	os.Stderr = w
	log.SetOutput(w)
	done := make(chan struct{})
	go func() {
		defer close(done)
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			term.UI().Notify(lines.Text(), "info")
		}
		_, _ = io.Copy(io.Discard, r) // behind a line that is too long
	}()
	return func() {
		p.Divert(before)
		os.Stderr = file
		log.SetOutput(file)
		_ = w.Close()
		<-done
		_ = r.Close()
	}
}

// keysFile is the file of the state folder that says which keys do what: an object whose keys
// are actions and whose values are keys, or lists of them (Pi 0.85).
const keysFile = "keybindings.json"

// loadKeys reads the keys of the user. What is wrong with them is told, and the usual ones
// count.
func loadKeys(home string) (k *tui.Keys, notes []string) {
	k, _ = tui.NewKeys(nil)
	file := filepath.Join(home, keysFile)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	var changes map[string]any
	if err == nil {
		err = json.Unmarshal(data, &changes)
	}
	if err != nil {
		return k, []string{fmt.Sprintf("%s cannot be used: %v", file, err)}
	}
	lists := make(map[string][]string)
	for action, value := range changes {
		switch v := value.(type) {
		case string:
			lists[action] = []string{v}
		case []any:
			lists[action] = []string{}
			for _, key := range v {
				if name, ok := key.(string); ok {
					lists[action] = append(lists[action], name)
				}
			}
		default:
			notes = append(notes, fmt.Sprintf("%s: the keys of %s must be a text or a list of texts", file, action))
		}
	}
	k, unknown := tui.NewKeys(lists)
	if len(unknown) > 0 {
		notes = append(notes, fmt.Sprintf("%s names actions that there are not: %s", file, strings.Join(unknown, ", ")))
	}
	return k, notes
}

// firstRun says, in a few lines, what to do without a key.
func firstRun(home string, models *rondo.Models) []string {
	return append([]string{
		"Welcome to Rondo. A scripted demo answers until there is a model: try help.",
		"For a real one: rondo auth login, or set ANTHROPIC_API_KEY or OPENAI_API_KEY,",
		"or list models, such as local ones, in " + filepath.Join(home, config.ModelsFile) + ".",
	}, models.Offers()...)
}

// pickSession asks which session to go on with; empty if none was chosen.
func pickSession(ctx context.Context, term *tui.Terminal, opts *tui.Options) (path string, err error) {
	sessions, err := opts.Sessions(ctx)
	if err != nil {
		return "", &mode.UsageError{Err: err}
	}
	if len(sessions) == 0 {
		return "", &mode.UsageError{Err: errors.New("there is no session of this folder to go on with; start one with rondo")}
	}
	path, ok, err := term.ChooseSession(ctx, sessions)
	if err != nil || !ok {
		return "", err
	}
	return path, nil
}

// trustQuestion asks whether the files of a folder count.
func trustQuestion(term *tui.Terminal) func(context.Context, *rondo.TrustQuestion) (bool, error) {
	return func(ctx context.Context, q *rondo.TrustQuestion) (bool, error) {
		answer, ok, err := term.Choose(ctx, &tui.Question{
			Title: "Do you trust the files of " + q.Dir + "?",
			Lines: []string{
				"Rondo can take these from the project: " + strings.Join(q.Gated, ", ") + ".",
				"They can change what is run and where your requests go. Trust them only if you know who wrote them.",
			},
			Options: []tui.Option{
				{Label: "Yes, and remember"},
				{Label: "Yes, this time"},
				{Label: "No, and remember"},
				{Label: "No, this time", Detail: "goes on without them"},
			},
		})
		if err != nil || !ok {
			return false, err
		}
		trusted := answer < 2
		if answer%2 == 0 {
			return trusted, q.Remember(trusted)
		}
		return trusted, nil
	}
}
