package main

import (
	"context"
	"errors"

	"github.com/rondo-agent/rondo"
	"github.com/rondo-agent/rondo/ai"
)

// options are the command line as the App takes it.
func (p *program) options() *rondo.Options {
	f := &p.flags
	o := &rondo.Options{
		Version: version, Note: func(text string) { p.note(text) },
		Models: rondo.ModelOptions{
			Provider: f.provider, Model: f.model, Thinking: ai.ThinkingLevel(f.thinking), APIKey: f.apiKey, Scope: f.models, Script: f.script,
		},
		Storage: rondo.StorageOptions{Dir: f.sessionDir, InMemory: f.noSession},
		Tools:   rondo.ToolOptions{Names: f.tools, Exclude: f.excludeTools, None: f.noTools, NoBuiltin: f.noBuiltinTools},
		Resources: rondo.ResourceOptions{
			Skills: f.skills, Templates: f.promptTemplates, Themes: f.themes,
			NoSkills: f.noSkills, NoTemplates: f.noPromptTemplates, NoThemes: f.noThemes, NoContextFiles: f.noContextFiles,
		},
		Extensions: rondo.ExtensionOptions{Paths: f.extensions, None: f.noExtensions},
	}
	if f.noSession {
		o.Storage.Dir = ""
	}
	if f.approve || f.noApprove {
		o.Trust.Decision = &f.approve
	}
	if p.cmd.Flags().Changed("system-prompt") {
		text := rondo.TextOrFile(f.systemPrompt)
		o.Prompt.System = &text
	}
	for _, value := range f.appendSystemPrompt {
		o.Prompt.Append = append(o.Prompt.Append, rondo.TextOrFile(value))
	}
	return o
}

// open makes the App. change, if set, adds to what the command line says.
func (p *program) open(ctx context.Context, change func(*rondo.Options)) (*rondo.App, error) {
	o := p.options()
	if change != nil {
		change(o)
	}
	app, err := rondo.New(ctx, o)
	return app, asUsage(err)
}

// withTelemetry sends telemetry, where the environment says so.
func withTelemetry(o *rondo.Options) { o.Telemetry = true }

// closeApp sends what is left of the telemetry.
func (p *program) closeApp(ctx context.Context, app *rondo.App) {
	if err := app.Close(ctx); err != nil {
		p.note(err.Error())
	}
}

// enter enters the working folder, and gives its extensions their flags.
func (p *program) enter(ctx context.Context, app *rondo.App) (*rondo.Workspace, error) {
	w, err := app.Workspace(ctx, "")
	if err != nil {
		return nil, opening(err)
	}
	for _, flag := range w.Flags() {
		if p.cmd.Flags().Lookup(flag.Name) != nil {
			p.note("the flag --" + flag.Name + " of an extension keeps its default: rondo has one of this name")
		}
	}
	if err := p.settleFlags(w); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// opening marks an error of opening as a mistake of the user's, unless an extension has failed.
func opening(err error) error {
	if _, failed := errors.AsType[*rondo.LoadError](err); failed {
		return err
	}
	return asUsage(err)
}

// session opens the session that the command line asks for.
func (p *program) session(ctx context.Context, app *rondo.App, w *rondo.Workspace) (*rondo.Session, error) {
	f := &p.flags
	o := &rondo.SessionOptions{Workspace: w, Name: f.name, ID: f.sessionID}
	var s *rondo.Session
	var err error
	switch {
	case f.fork != "":
		s, err = app.Fork(ctx, f.fork, o)
	case f.session != "":
		s, err = app.Resume(ctx, f.session, o)
	case f.sessionID != "" && !f.noSession:
		s, err = app.ResumeID(ctx, f.sessionID, o)
	case f.continued:
		s, err = app.Continue(ctx, o)
	default:
		s, err = app.Open(ctx, o)
	}
	return s, asUsage(err)
}
