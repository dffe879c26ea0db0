package rondo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/tools/read"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
)

// Session is a session of an [App], with what belongs to it. Close it when it is no longer used.
type Session struct {
	*session.Session
	// Models are those that it can ask.
	Models *Models
	// Workspace is the folder that it works in.
	Workspace *Workspace
	// Notes are notices for people about its opening.
	Notes []string

	opts  SessionOptions
	store transcript.Store
	mu    sync.Mutex
	told  int // problems of the session's file that Damage has returned
}

// SessionOptions are the settings of one session. The zero value opens a new one in the folder
// of the App, with the App's options.
type SessionOptions struct {
	// Dir is the folder that a new session works in; empty stands for that of the App. One
	// that is resumed works in its own.
	Dir string
	// ID is the id of a new session; empty makes one.
	ID string
	// Name, if set, names the session.
	Name string
	// Store keeps the session, in place of a file of the App. The session owns it, and it is
	// closed if the session cannot be opened.
	Store transcript.Store
	// Models and Tools, if set, count in place of those of the App.
	Models *ModelOptions
	Tools  *ToolOptions
	// Hooks are called beside those of the program and of extensions, to approve calls of tools for
	// instance. Budget bounds the work on each prompt.
	Hooks  agent.Hooks
	Budget session.Budget
	// Frontend, if set, is attached to the session, whose extensions begin with it. Without it they
	// begin with [session.Session.Begin] or [session.Runtime.Show].
	Frontend *session.Frontend
	// Workspace, if set, is that of Dir. The session owns it, and it is closed if the session
	// cannot be opened.
	Workspace *Workspace
}

// Open opens a new session, or the one of [SessionOptions.Store]. No model is asked. Errors are
// those of the configuration of its folder ([*config.FileError]), of the choice of the model
// ([*config.NotFoundError]), of the extensions that the options name ([*LoadError]) and of the
// store.
func (a *App) Open(ctx context.Context, opts *SessionOptions) (*Session, error) {
	return a.open(ctx, opts, func(o *opening) (transcript.Store, error) {
		if opts != nil && opts.Store != nil {
			return opts.Store, nil
		}
		return a.storage.create(o)
	})
}

// Resume opens a session that is kept: its file, or a part of its id. It returns the errors of
// [App.Open], a [*jsonl.NotFoundError] or a [*jsonl.AmbiguousError].
func (a *App) Resume(ctx context.Context, which string, opts *SessionOptions) (*Session, error) {
	return a.open(ctx, opts, func(o *opening) (transcript.Store, error) { return a.storage.resume(o, which) })
}

// ResumeID opens the session of exactly this id, or a new one that has it.
func (a *App) ResumeID(ctx context.Context, id string, opts *SessionOptions) (*Session, error) {
	return a.open(ctx, opts, func(o *opening) (transcript.Store, error) { return a.storage.resumeID(o, id) })
}

// Continue opens the newest session of the folder, or a new one if there is none.
func (a *App) Continue(ctx context.Context, opts *SessionOptions) (*Session, error) {
	return a.open(ctx, opts, a.storage.newest)
}

// Fork opens a new session that begins with all that another one has, which may be in use or
// belong to another folder: its file, or a part of its id.
func (a *App) Fork(ctx context.Context, which string, opts *SessionOptions) (*Session, error) {
	return a.open(ctx, opts, func(o *opening) (transcript.Store, error) { return a.storage.fork(o, which) })
}

// check refuses options that cannot be used.
func (o *SessionOptions) check() error {
	if o.Tools != nil {
		if err := o.Tools.check("Tools"); err != nil {
			return err
		}
	}
	if o.Models != nil {
		return o.Models.check()
	}
	return nil
}

// opening is a session on its way.
type opening struct {
	opts      *SessionOptions
	workspace *Workspace
	header    *transcript.Header // of a new session
	dir       string             // of its files
	inMemory  bool
	notes     []string
}

// open opens a session over the store that target returns.
func (a *App) open(ctx context.Context, opts *SessionOptions, target func(*opening) (transcript.Store, error)) (*Session, error) {
	o := &opening{opts: cmp.Or(opts, &SessionOptions{})}
	if err := a.begin(ctx, o); err != nil {
		return nil, errors.Join(err, o.giveUp())
	}
	models, err := a.models.choose(ctx, o.workspace, cmp.Or(o.opts.Models, &a.opts.Models))
	if err != nil {
		return nil, errors.Join(err, o.giveUp())
	}
	store, err := target(o)
	if err != nil {
		return nil, errors.Join(err, o.giveUp())
	}
	s := &Session{Models: models, Workspace: o.workspace, Notes: o.notes, opts: *o.opts, store: store}
	if err := a.fill(ctx, s); err != nil {
		if s.Session != nil {
			return nil, errors.Join(err, s.Close(context.WithoutCancel(ctx)))
		}
		return nil, errors.Join(err, store.Close(), s.Workspace.Close())
	}
	return s, nil
}

// giveUp closes what the session would have owned.
func (o *opening) giveUp() (err error) {
	if o.opts.Store != nil {
		err = o.opts.Store.Close()
	}
	if o.workspace != nil {
		err = errors.Join(err, o.workspace.Close())
	}
	return err
}

// begin enters the workspace of a session, and finds where its file may be.
func (a *App) begin(ctx context.Context, o *opening) (err error) {
	o.workspace = o.opts.Workspace
	if err := o.opts.check(); err != nil {
		return err
	}
	dir := cmp.Or(o.opts.Dir, a.dir)
	if o.opts.Store != nil { // it says where the session works
		dir = cmp.Or(o.opts.Store.Header().CWD, dir)
	}
	if dir, err = absoluteDir(dir); err != nil {
		return err
	}
	if o.workspace == nil {
		if o.workspace, err = a.enter(ctx, a.cfg, dir); err != nil {
			return err
		}
	}
	o.header = transcript.NewHeader(transcript.CanonicalDir(dir))
	o.header.ID = cmp.Or(o.opts.ID, o.header.ID)
	if o.inMemory = a.opts.Storage.InMemory; o.inMemory || o.opts.Store != nil {
		return nil
	}
	o.dir, err = a.storage.dir(o.workspace.cfg, dir)
	return err
}

// fill makes the session over its store.
func (a *App) fill(ctx context.Context, s *Session) error {
	if s.store.Leaf() != "" {
		if err := a.enterOwn(ctx, s); err != nil {
			return err
		}
	}
	s.Notes = append(append(s.Notes, s.Damage()...), s.Workspace.notes...)
	if err := a.assemble(s); err != nil {
		return err
	}
	if s.opts.Name != "" {
		if err := s.SetName(s.opts.Name); err != nil {
			return err
		}
	}
	s.Notes = append(s.Notes, s.Models.notes.take()...)
	if front := s.opts.Frontend; front != nil {
		s.Attach(*front)
		s.Begin(ctx, extension.ReasonStartup, "")
	}
	return nil
}

// enterOwn enters the folder of a session that has begun elsewhere than in that of its
// workspace.
func (a *App) enterOwn(ctx context.Context, s *Session) error {
	if s.store.Header().CWD == "" {
		return nil
	}
	own, err := s.store.Header().Dir()
	if err != nil || own == transcript.CanonicalDir(s.Workspace.Dir()) {
		return err
	}
	s.Notes = append(s.Notes, "the session goes on in its own folder, "+own)
	w, err := a.enter(ctx, s.Models.cfg, own)
	if err != nil {
		return err
	}
	if err := s.Workspace.Close(); err != nil {
		return errors.Join(err, w.Close())
	}
	s.Workspace, s.Models.cfg, s.Models.brought = w, w.cfg, w.extensions.providers
	return nil
}

// assemble makes the session from the configuration and the options.
func (a *App) assemble(s *Session) error {
	w, m := s.Workspace, s.Models
	set, notes, err := w.load(nil, nil)
	if err != nil {
		return err
	}
	s.Notes = append(s.Notes, notes...)
	m.limit(a.scope(w.cfg, &s.opts))
	opts := configured(w.cfg)
	opts.Hooks, opts.Budget = s.opts.Hooks, s.opts.Budget
	opts.CWD, opts.Resources = cmp.Or(s.store.Header().CWD, w.Dir()), set
	if opts.Model, opts.Thinking, err = m.start(s.store.Leaf() == ""); err != nil {
		return err
	}
	opts.Bash.Env = func() []string { return environment(s.Session) }
	if err := a.equip(opts, w, cmp.Or(s.opts.Tools, &a.opts.Tools)); err != nil {
		return err
	}
	w.extensions.providers.asked.Store(m)
	opts.FindModel, opts.Ready, opts.Scope, opts.Available, opts.Successors = m.find, m.Ready, m.scope, m.Available, m.successors
	watch := a.telemetry.Session(s.store.Header().ID)
	opts.Stream = watch.Stream(m.Stream())
	if s.Session, err = session.New(s.store, opts); err != nil {
		return err
	}
	if watch != nil {
		s.Subscribe(watch.Event)
	}
	if w.extensions.runner.Empty() { // else they may register tools when they begin
		s.Notes = append(s.Notes, cmp.Or(s.opts.Tools, &a.opts.Tools).choice(w).unknown(allTools(s.Session))...)
	}
	m.checkSuccessors(s.State().Model)
	if s.State().Model != nil {
		return nil
	}
	if m.asked != nil { // and the session's own model cannot go on
		return s.SetModel(m.asked)
	}
	model, _, err := m.fallBack()
	if err != nil {
		return err
	}
	return s.SetModel(model)
}

// equip gives the session its tools, its prompt and its extensions.
func (a *App) equip(opts *session.Options, w *Workspace, choice *ToolOptions) error {
	opts.Bash.Host = choice.Host
	builtin := tools.Builtin(opts.CWD, &tools.Options{
		Host: choice.Host, Bash: opts.Bash, Read: &read.Options{KeepImageSize: opts.KeepImageSize},
	})
	builtin = slices.DeleteFunc(builtin, func(d tools.Definition) bool { return choice.isCustom(d.Name) })
	box, chosen := append(builtin, choice.Custom...), choice.choice(w)
	prompt, err := a.systemPrompt(opts.Resources, opts.CWD)
	if err != nil {
		return err
	}
	prompt.Tools = chosen.builtin(box)
	opts.Tools, opts.Toolbox, opts.ToolAllowed = tools.Tools(prompt.Tools), box, chosen.allows
	opts.SystemPrompt, opts.Prompt = prompt.String(), &prompt
	opts.Extensions, opts.Program = w.extensions.runner, a.program(w)
	opts.Program.Started = func(s *session.Session) { a.noteOnce(chosen.unknown(allTools(s))...) }
	return nil
}

// allTools lists the names of the tools that a session has.
func allTools(s *session.Session) (names []string) {
	for _, tool := range s.AllTools() {
		names = append(names, tool.Name)
	}
	return names
}

// scope returns the patterns of the models to switch between.
func (a *App) scope(cfg *config.Config, o *SessionOptions) []string {
	if scope := cmp.Or(o.Models, &a.opts.Models).Scope; scope != nil {
		return scope
	}
	return cfg.Settings.EnabledModels
}

// Damage says what of the session's file could not be read and has not been told by it yet.
func (s *Session) Damage() []string {
	file, ok := s.store.(*jsonl.Store)
	if !ok {
		return nil
	}
	problems := file.Problems()
	s.mu.Lock()
	fresh := problems[min(s.told, len(problems)):]
	s.told = len(problems)
	s.mu.Unlock()
	if len(fresh) == 0 {
		return nil
	}
	text := fmt.Sprintf("a part of the session %s cannot be read: %v", file.Path(), fresh[0])
	if len(fresh) > 1 {
		text = fmt.Sprintf("%d parts of the session %s cannot be read, the first on %v", len(fresh), file.Path(), fresh[0])
	}
	return []string{text + "; the rest is used, and the file keeps all of it"}
}
