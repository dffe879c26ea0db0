package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/resource"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/jsonl"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/tools/read"
)

// assembly is what a mode works with.
type assembly struct {
	session *session.Session
	models  *models
	here    *project
	notes   []string // for the user
	store   session.Store
	told    int // problems of the session's file that the notes have named
}

// prepare enters the working folder and loads the extensions that count there.
func (p *program) prepare(ctx context.Context, cfg *config.Config) (*project, *extensions, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, nil, asUsage(fmt.Errorf("find the working folder: %w", err))
	}
	here, err := p.enter(ctx, cfg, cwd)
	if err != nil {
		return nil, nil, asUsage(err)
	}
	e, err := p.loadExtensions(ctx, here)
	if err != nil {
		return nil, nil, err
	}
	if err := p.settleFlags(e.runner); err != nil {
		return nil, nil, errors.Join(err, e.close())
	}
	return here, e, nil
}

// assemble puts a session together from the configuration and the command line. Nothing
// has been run when it fails.
func (p *program) assemble(here *project, e *extensions) (*assembly, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the working folder: %w", err)
	}
	m := &models{cfg: here.cfg, brought: e.providers, servers: p.servers}
	if err := m.choose(&p.flags); err != nil {
		return nil, err
	}
	a := &assembly{models: m}
	if a.store, err = p.openStore(here.cfg, cwd, &a.notes); err != nil {
		return nil, err
	}
	a.notes = append(a.notes, a.damage()...)
	if err := p.open(a, here, cwd, e); err != nil {
		return nil, errors.Join(err, a.store.Close())
	}
	if p.flags.name != "" {
		if err := a.session.SetName(p.flags.name); err != nil {
			return nil, errors.Join(err, a.store.Close())
		}
	}
	a.notes = append(a.notes, m.notes...)
	return a, nil
}

// open makes the session over the store. The extensions are those of the folder cwd, which
// the session takes over; they are left to the caller if this fails.
func (p *program) open(a *assembly, here *project, cwd string, e *extensions) error {
	m, fresh := a.models, a.store.Leaf() == ""
	if !fresh {
		var err error
		if here, cwd, err = p.goHome(a, here, cwd, e); err != nil {
			return err
		}
	}
	a.notes = append(a.notes, e.notes...)
	a.here = here
	set, notes, err := here.load(&p.flags)
	if err != nil {
		return err
	}
	a.notes = append(a.notes, notes...)
	m.limit(p.scope(here.cfg))
	opts := configured(here.cfg)
	opts.CWD, opts.Resources = cwd, set
	if opts.Model, opts.Thinking, err = m.start(fresh); err != nil {
		return err
	}
	var opened *session.Session
	opts.Bash.Env = func() []string { return environment(opened) }
	if err := p.equip(opts, here, e); err != nil {
		return err
	}
	e.providers.asked.Store(m)
	opts.FindModel, opts.Ready, opts.Scope, opts.Available, opts.Successors = m.find, m.ready, m.scope, m.Available, m.successors
	watch := p.telemetry.Session(a.store.Header().ID)
	opts.Stream = watch.Stream(m.stream())
	if opened, err = session.New(a.store, opts); err != nil {
		return err
	}
	a.session = opened
	if watch != nil {
		opened.Subscribe(watch.Event)
	}
	m.checkSuccessors(opened.State().Model)
	if opened.State().Model != nil {
		return nil
	}
	if m.asked != nil { // and the session's own model cannot go on
		return opened.SetModel(m.asked)
	}
	model, _, err := m.fallBack()
	if err != nil {
		return err
	}
	return opened.SetModel(model)
}

// goHome enters the folder of a session that has begun elsewhere than in cwd, with the
// extensions that count there in place of e.
func (p *program) goHome(a *assembly, here *project, cwd string, e *extensions) (*project, string, error) {
	if a.store.Header().CWD == "" {
		return here, cwd, nil
	}
	home, err := a.store.Header().Dir()
	if err != nil || home == session.CanonicalDir(cwd) {
		return here, cwd, err
	}
	a.notes = append(a.notes, "the session goes on in its own folder, "+home)
	if here, err = p.enter(context.Background(), here.cfg, home); err != nil {
		return nil, "", err
	}
	other, err := p.loadExtensions(context.Background(), here)
	if err != nil {
		return nil, "", err
	}
	if err := e.close(); err != nil {
		return nil, "", errors.Join(err, other.close())
	}
	*e = *other
	a.models.cfg, a.models.brought = here.cfg, e.providers
	return here, home, nil
}

// equip gives the session its tools, its prompt and its extensions.
func (p *program) equip(opts *session.Options, here *project, e *extensions) error {
	builtin := tools.Builtin(opts.CWD, &tools.Options{Bash: opts.Bash, Read: &read.Options{KeepImageSize: opts.KeepImageSize}})
	chosen, err := p.selectTools(here.cfg, builtin, e)
	if err != nil {
		return err
	}
	prompt, err := p.systemPrompt(opts.Resources, opts.CWD)
	if err != nil {
		return err
	}
	prompt.Tools = chosen
	opts.Tools, opts.Toolbox, opts.ToolAllowed = tools.Tools(chosen), builtin, p.toolAllowed
	opts.SystemPrompt, opts.Prompt = prompt.String(), &prompt
	opts.Extensions, opts.Program = e.runner, e.program(p, here)
	return nil
}

// scope returns the patterns of the models to switch between.
func (p *program) scope(cfg *config.Config) []string {
	if p.flags.models != nil {
		return p.flags.models
	}
	return cfg.Settings.EnabledModels
}

// damage says what of the session's file could not be read and has not been told yet.
func (a *assembly) damage() []string {
	file, ok := a.store.(*jsonl.Store)
	if !ok {
		return nil
	}
	problems := file.Problems()
	fresh := problems[min(a.told, len(problems)):]
	a.told = len(problems)
	if len(fresh) == 0 {
		return nil
	}
	text := fmt.Sprintf("a part of the session %s cannot be read: %v", file.Path(), fresh[0])
	if len(fresh) > 1 {
		text = fmt.Sprintf("%d parts of the session %s cannot be read, the first on %v", len(fresh), file.Path(), fresh[0])
	}
	return []string{text + "; the rest is used, and the file keeps all of it"}
}

// configured returns what the configuration says of a session.
func configured(cfg *config.Config) *session.Options {
	set := cfg.Settings
	return &session.Options{
		Bash:            &bash.Options{Shell: set.ShellPath, CommandPrefix: set.ShellCommandPrefix},
		SteeringMode:    agent.QueueMode(set.SteeringMode),
		FollowUpMode:    agent.QueueMode(set.FollowUpMode),
		PlainTools:      set.ToolChanges == config.ToolChangesOff,
		KeepImageSize:   !set.Images.AutoResize,
		Retry:           retryOptions(cfg),
		Compaction:      compactionOptions(cfg),
		BranchSummaries: session.BranchSummaries{ReserveTokens: max(set.BranchSummary.ReserveTokens, 1)},
		Request:         requestOptions(cfg),
		DefaultThinking: cfg.DefaultThinking,
		LevelFor:        cfg.PreferredThinking,
	}
}

func requestOptions(cfg *config.Config) ai.Options {
	r := cfg.Settings.Retry.Provider
	return ai.Options{
		ThinkingBudgets: cfg.Settings.ThinkingBudgets,
		IdleTimeout:     milliseconds(cfg.Settings.HTTPIdleTimeoutMs, -1),
		Timeout:         milliseconds(r.TimeoutMs, 0),
		MaxRetries:      r.MaxRetries, MaxRetryDelay: milliseconds(r.MaxRetryDelayMs, math.MaxInt64),
		CacheRetention: cmp.Or(os.Getenv("RONDO_CACHE_RETENTION"), os.Getenv("PI_CACHE_RETENTION")),
	}
}

func retryOptions(cfg *config.Config) session.Retry {
	r := cfg.Settings.Retry
	o := session.Retry{
		Disabled: !r.Enabled, MaxRetries: r.MaxRetries,
		BaseDelay: milliseconds(r.BaseDelayMs, -1), MaxServerDelay: milliseconds(r.Provider.MaxRetryDelayMs, -1),
	}
	if r.MaxRetries == 0 {
		o.MaxRetries = -1
	}
	return o
}

func compactionOptions(cfg *config.Config) session.Compaction {
	c := cfg.Settings.Compaction
	return session.Compaction{Disabled: !c.Enabled, ReserveTokens: max(c.ReserveTokens, 1), KeepRecentTokens: max(c.KeepRecentTokens, 1)}
}

// milliseconds makes a duration of a setting in which 0 stands for no bound.
func milliseconds(n int, unbounded time.Duration) time.Duration {
	if n == 0 {
		return unbounded
	}
	return time.Duration(n) * time.Millisecond
}

// environment is what commands see of the session. The names are Pi 0.85's, so that
// scripts written for it work.
func environment(s *session.Session) []string {
	if s == nil {
		return nil
	}
	env := []string{"PI_CODING_AGENT=true", "PI_SESSION_ID=" + s.ID(), "PI_SESSION_FILE=" + s.Store().Path()}
	st := s.State()
	if st.Model != nil {
		env = append(env, "PI_PROVIDER="+st.Model.Provider, "PI_MODEL="+st.Model.ID)
	}
	return append(env, "PI_REASONING_LEVEL="+string(st.Thinking))
}

func (p *program) selectTools(cfg *config.Config, all []tools.Definition, e *extensions) ([]tools.Definition, error) {
	f := &p.flags
	names := tools.Default
	if cfg.Settings.DefaultTools != nil {
		names = cfg.Settings.DefaultTools
	}
	if f.tools != nil {
		names = f.tools
	}
	if f.noTools || f.noBuiltinTools {
		names = nil
	}
	brought := func(name string) bool { // those of extensions are no built-in ones
		return !slices.ContainsFunc(all, func(d tools.Definition) bool { return d.Name == name }) &&
			slices.ContainsFunc(e.runner.Tools(), func(t extension.OwnedTool) bool { return t.Name == name })
	}
	exclude := slices.DeleteFunc(trimmed(f.excludeTools), brought)
	if _, err := tools.Select(all, exclude); err != nil {
		return nil, err
	}
	return tools.Select(all, slices.DeleteFunc(trimmed(names), func(name string) bool { return slices.Contains(exclude, name) || brought(name) }))
}

// toolAllowed reports whether a tool of an extension is active from the start.
func (p *program) toolAllowed(name string) bool {
	f := &p.flags
	return !f.noTools && !slices.Contains(trimmed(f.excludeTools), name) && (f.tools == nil || slices.Contains(trimmed(f.tools), name))
}

// trimmed returns the names of a list that people have written, as in "read, bash".
func trimmed(names []string) []string {
	var out []string
	for _, name := range names {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// systemPrompt makes the prompt, without tools. What the command line says counts instead of
// the files SYSTEM.md and APPEND_SYSTEM.md.
func (p *program) systemPrompt(set *resource.Set, cwd string) (session.SystemPrompt, error) {
	prompt := session.SystemPrompt{
		Custom: set.System, Append: []string{set.AppendSystem}, CWD: cwd,
		ContextFiles: set.ContextFiles, Skills: set.Skills,
	}
	var err error
	if p.cmd.Flags().Changed("system-prompt") {
		if prompt.Custom, err = textOrFile(p.flags.systemPrompt); err != nil {
			return prompt, err
		}
	}
	if p.flags.appendSystemPrompt != nil {
		prompt.Append = nil
	}
	for _, value := range p.flags.appendSystemPrompt {
		text, err := textOrFile(value)
		if err != nil {
			return prompt, err
		}
		prompt.Append = append(prompt.Append, text)
	}
	return prompt, nil
}

// textOrFile returns the content of the file that value names, or else value itself.
func textOrFile(value string) (string, error) {
	if info, err := os.Stat(value); value == "" || err != nil || !info.Mode().IsRegular() {
		return value, nil
	}
	data, err := os.ReadFile(value)
	if err != nil {
		return "", err
	}
	return string(data), nil
}
