package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/anthropic"
	"github.com/rondo-agent/rondo/ai/openai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/jsonl"
	"github.com/rondo-agent/rondo/session/memory"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/tools/read"
)

// assembly is what a mode works with.
type assembly struct {
	session *session.Session
	models  *models
	notes   []string // for the user
}

// assemble puts a session together from the configuration and the command line.
func (p *program) assemble(cfg *config.Config) (*assembly, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the working folder: %w", err)
	}
	m, err := p.selectModel(cfg)
	if err != nil {
		return nil, asUsage(err)
	}
	store, err := p.openStore(cfg, cwd)
	if err != nil {
		return nil, err
	}
	a := &assembly{models: m, notes: m.notes}
	var opened *session.Session
	shell := &bash.Options{
		Shell: cfg.Settings.ShellPath, CommandPrefix: cfg.Settings.ShellCommandPrefix,
		Env: func() []string { return environment(opened) },
	}
	chosen, err := p.selectTools(cfg, tools.Builtin(cwd, &tools.Options{Bash: shell, Read: &read.Options{KeepImageSize: !cfg.Settings.Images.AutoResize}}))
	if err != nil {
		store.Close()
		return nil, err
	}
	prompt, err := p.systemPrompt(chosen, cwd)
	if err != nil {
		store.Close()
		return nil, err
	}
	opened, err = session.New(store, &session.Options{
		CWD: cwd, Stream: m.router(cfg), Model: m.selected, Thinking: m.thinking, LevelFor: cfg.PreferredThinking, Ready: m.ready,
		Tools: tools.Tools(chosen), SystemPrompt: prompt, Bash: shell,
		SteeringMode: agent.QueueMode(cfg.Settings.SteeringMode), FollowUpMode: agent.QueueMode(cfg.Settings.FollowUpMode),
		PlainTools: cfg.Settings.ToolChanges == config.ToolChangesOff, KeepImageSize: !cfg.Settings.Images.AutoResize,
		Request: requestOptions(cfg),
	})
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	a.session = opened
	return a, nil
}

func requestOptions(cfg *config.Config) ai.Options {
	r := cfg.Settings.Retry.Provider
	return ai.Options{
		ThinkingBudgets: cfg.Settings.ThinkingBudgets,
		IdleTimeout:     time.Duration(cfg.Settings.HTTPIdleTimeoutMs) * time.Millisecond,
		Timeout:         time.Duration(r.TimeoutMs) * time.Millisecond,
		MaxRetries:      r.MaxRetries, MaxRetryDelay: time.Duration(r.MaxRetryDelayMs) * time.Millisecond,
		CacheRetention: os.Getenv("RONDO_CACHE_RETENTION"),
	}
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

// models are the models that can be asked, with the scripted one where that is in use.
type models struct {
	cfg      *config.Config
	selected *ai.Model
	thinking ai.ThinkingLevel
	scripted ai.StreamFunc // nil if not in use
	notes    []string
}

func (p *program) selectModel(cfg *config.Config) (*models, error) {
	f := &p.flags
	m := &models{cfg: cfg, thinking: ai.ThinkingLevel(f.thinking)}
	if f.thinking != "" && !slices.Contains(ai.ThinkingLevels, m.thinking) {
		return nil, fmt.Errorf("unknown thinking level %q: use one of %v", f.thinking, ai.ThinkingLevels)
	}
	if f.model == scripted.ModelID || f.provider == scripted.Provider || f.script != "" {
		return m, m.useScript(f.script)
	}
	found, level, err := cfg.Find(f.provider, f.model)
	switch {
	case errors.Is(err, config.ErrNoModels) && f.model == "" && f.provider == "":
		m.notes = append(m.notes, "no model is set up, so the scripted demo model answers; set ANTHROPIC_API_KEY or OPENAI_API_KEY for a real one")
		return m, m.useScript("")
	case err != nil:
		return nil, err
	}
	if f.apiKey != "" {
		cfg.SetAPIKey(found.Provider, f.apiKey)
	}
	m.selected = found
	if m.thinking == "" {
		m.thinking = level
	}
	if m.thinking == "" {
		m.thinking = cfg.DefaultThinking(found)
	}
	return m, nil
}

// useScript selects the scripted model: the demo, or one that replays a file.
func (m *models) useScript(file string) error {
	m.thinking = ai.ThinkingOff
	if file == "" {
		m.selected, m.scripted = scripted.DemoRecord(), scripted.Demo()
		return nil
	}
	in, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("read the script: %w", err)
	}
	defer in.Close()
	script, err := scripted.Load(in)
	if err != nil {
		return fmt.Errorf("read the script %s: %w", file, err)
	}
	m.selected, m.scripted = scripted.Record(), scripted.Stream(script)
	return nil
}

// router sends requests to the wires. None of them does anything before it is asked.
func (m *models) router(cfg *config.Config) ai.StreamFunc {
	return ai.Router{
		openai.APICompletions: cfg.Authorize(openai.Completions),
		anthropic.API:         cfg.Authorize(anthropic.Messages),
		scripted.API:          m.scripted,
	}.Stream
}

func (m *models) ready(model *ai.Model) error {
	if model.API == scripted.API && m.scripted != nil {
		return nil
	}
	return m.cfg.Ready(model)
}

// Available implements [rpc.Models].
func (m *models) Available() []*ai.Model {
	list := m.cfg.Available()
	if m.scripted != nil {
		list = append(list, m.selected)
	}
	return list
}

// Get implements [rpc.Models].
func (m *models) Get(provider, id string) *ai.Model {
	for _, model := range m.Available() {
		if model.Provider == provider && model.ID == id {
			return model
		}
	}
	return nil
}

// openStore opens the session that the command line asks for, or makes a new one.
func (p *program) openStore(cfg *config.Config, cwd string) (session.Store, error) {
	f := &p.flags
	header := session.NewHeader(session.CanonicalDir(cwd))
	if f.noSession {
		return memory.New(header), nil
	}
	dir, shared, err := cfg.SessionDir(f.sessionDir)
	if err != nil {
		return nil, asUsage(err)
	}
	if !shared {
		dir = jsonl.Dir(dir, cwd)
	}
	path, err := p.findSession(dir, cwd)
	if err != nil {
		return nil, asUsage(err)
	}
	if path != "" {
		return jsonl.Open(path, nil)
	}
	if f.sessionID != "" {
		header.ID = f.sessionID
	}
	store, err := jsonl.Create(filepath.Join(dir, jsonl.FileName(header)), header, nil)
	return store, asUsage(err)
}

// findSession returns the file of the session to go on with; empty for a new one.
func (p *program) findSession(dir, cwd string) (string, error) {
	f := &p.flags
	switch {
	case f.session != "":
		if strings.ContainsRune(f.session, filepath.Separator) || strings.HasSuffix(f.session, ".jsonl") || exists(f.session) {
			return filepath.Abs(f.session)
		}
		info, err := jsonl.Find(dir, f.session)
		if err != nil {
			return "", err
		}
		return info.Path, nil
	case f.sessionID != "":
		info, err := jsonl.Find(dir, f.sessionID)
		if _, none := errors.AsType[*jsonl.NotFoundError](err); none || err == nil && info.Header.ID != f.sessionID {
			return "", nil
		} else if err != nil {
			return "", err
		}
		return info.Path, nil
	case f.continued:
		info, err := jsonl.Recent(dir, session.CanonicalDir(cwd))
		if _, none := errors.AsType[*jsonl.NotFoundError](err); none {
			return "", nil
		} else if err != nil {
			return "", err
		}
		return info.Path, nil
	}
	return "", nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (p *program) selectTools(cfg *config.Config, all []tools.Definition) ([]tools.Definition, error) {
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
	if _, err := tools.Select(all, f.excludeTools); err != nil {
		return nil, asUsage(err)
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(f.excludeTools, name) })
	chosen, err := tools.Select(all, names)
	return chosen, asUsage(err)
}

func (p *program) systemPrompt(chosen []tools.Definition, cwd string) (string, error) {
	custom, err := textOrFile(p.flags.systemPrompt)
	if err != nil {
		return "", err
	}
	prompt := session.SystemPrompt{Custom: custom, Tools: chosen, CWD: cwd}
	for _, value := range p.flags.appendSystemPrompt {
		text, err := textOrFile(value)
		if err != nil {
			return "", err
		}
		prompt.Append = append(prompt.Append, text)
	}
	return prompt.String(), nil
}

// textOrFile returns the content of the file that value names, or else value itself.
func textOrFile(value string) (string, error) {
	if info, err := os.Stat(value); value == "" || err != nil || !info.Mode().IsRegular() {
		return value, nil
	}
	data, err := os.ReadFile(value)
	if err != nil {
		return "", asUsage(err)
	}
	return string(data), nil
}
