package script_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
)

// canned is what testdata/examples/canned.js has for both harnesses.
type canned struct {
	Models   []*ai.Model                 `json:"models"`
	Messages []jsontext.Value            `json:"messages"`
	Reply    jsontext.Value              `json:"reply"`
	Entries  []jsontext.Value            `json:"entries"`
	Events   map[string][]jsontext.Value `json:"events"`
	Keys     []string                    `json:"keys"`
	Closing  []string                    `json:"closing"`
	Bindings map[string][]string         `json:"bindings"`
}

// cannedSession is the session of testdata/examples/fakes.js in Go. Handlers call it one at a
// time, as far as it matters.
type cannedSession struct {
	extension.Session // panics where no example should come
	*steps
	canned
	runner  *extension.Runner
	cwd     string
	home    string
	variant atomic.Int32
	answer  func() // waits until a model may answer

	labels map[string]string
	active []string
	name   string
	level  ai.ThinkingLevel
	known  []*extension.Tool
	sent   []*extension.CustomMessage
}

var builtin = []string{"read", "bash", "edit", "write", "grep", "find", "ls"}

func (s *cannedSession) Header() jsontext.Value {
	raw, _ := json.Marshal(map[string]any{"type": "session", "version": 3, "id": s.SessionID(), "timestamp": "2025-06-15T15:06:30.000Z", "cwd": s.cwd})
	return raw
}

func (*cannedSession) SessionID() string { return "0197f0a0-0000-7000-8000-000000000001" }

func (s *cannedSession) SessionFile() string                 { return s.home + "/sessions/one.jsonl" }
func (s *cannedSession) SessionDir() string                  { return s.home + "/sessions" }
func (s *cannedSession) SessionName() string                 { return s.name }
func (s *cannedSession) LeafID() string                      { return idOf(s.Entries()[len(s.Entries())-1]) }
func (s *cannedSession) Entries() []jsontext.Value           { return s.canned.Entries }
func (s *cannedSession) Label(id string) string              { return s.labels[id] }
func (*cannedSession) Tree() []jsontext.Value                { return []jsontext.Value{} }
func (s *cannedSession) CWD() string                         { return s.cwd }
func (s *cannedSession) Model() *ai.Model                    { return s.canned.Models[0] }
func (s *cannedSession) Models() extension.Models            { return s }
func (*cannedSession) ScopedModels() []extension.ScopedModel { return nil }
func (s *cannedSession) ThinkingLevel() ai.ThinkingLevel     { return s.level }
func (s *cannedSession) Idle() bool                          { return s.variant.Load()%2 == 0 }
func (*cannedSession) HasPendingMessages() bool              { return false }
func (*cannedSession) ProjectTrusted() bool                  { return true }
func (*cannedSession) SystemPrompt() string                  { return "You are a helper.\nBe short." }
func (*cannedSession) RunContext() context.Context           { return nil }
func (s *cannedSession) ActiveTools() []string               { return slices.Clone(s.active) }
func (s *cannedSession) Abort()                              { s.note("ctx.abort") }
func (s *cannedSession) Shutdown()                           { s.note("ctx.shutdown") }

func idOf(entry jsontext.Value) string {
	var e struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(entry, &e, lax)
	return e.ID
}

func (s *cannedSession) SystemPromptOptions() *extension.SystemPromptOptions {
	return &extension.SystemPromptOptions{CWD: s.cwd, SelectedTools: builtin}
}

func (*cannedSession) ContextUsage() *extension.ContextUsage {
	tokens, percent := 150_000, 75.0
	return &extension.ContextUsage{Tokens: &tokens, ContextWindow: 200_000, Percent: &percent}
}

func (s *cannedSession) Compact(instructions string, done func(jsontext.Value, error)) {
	s.note("ctx.compact", instructions)
	if s.variant.Load() == 1 {
		done(nil, errors.New("compaction failed"))
		return
	}
	done(jsontext.Value(`{"summary":"short","firstKeptEntryId":"entry0002","tokensBefore":1000}`), nil)
}

func (s *cannedSession) SendMessage(m *extension.CustomMessage, opts extension.SendOptions) error {
	s.note("pi.sendMessage", messageWords(m), opts)
	s.sent = append(s.sent, m)
	return nil
}

func (s *cannedSession) SendUserMessage(_ context.Context, m *extension.UserMessage, accepted func(error)) {
	s.note("pi.sendUserMessage", m.Content, some(map[string]any{"deliverAs": string(m.DeliverAs), "expandPromptTemplates": m.Expand}))
	accepted(nil)
}

func (s *cannedSession) AppendEntry(customType string, data jsontext.Value) (string, error) {
	s.note("pi.appendEntry", customType, data)
	id := fmt.Sprintf("entry%04d", len(s.canned.Entries))
	entry := map[string]any{"type": "custom", "customType": customType, "id": id, "parentId": s.LeafID(), "timestamp": "2025-06-15T15:06:40.000Z"}
	if data != nil {
		entry["data"] = data
	}
	raw, err := json.Marshal(entry, lax)
	s.canned.Entries = append(s.canned.Entries, raw)
	return id, err
}

func (s *cannedSession) SetName(_ context.Context, name string) error {
	s.note("pi.setSessionName", name)
	s.name = name
	return nil
}

func (s *cannedSession) SetLabel(id, label string) error {
	s.note("pi.setLabel", id, label)
	s.labels[id] = label
	return nil
}

func (s *cannedSession) AllTools() []extension.ToolInfo {
	names := slices.Clone(builtin)
	for _, t := range s.runner.Tools() {
		names = append(names, t.Name)
	}
	var list []extension.ToolInfo
	for _, name := range names {
		list = append(list, extension.ToolInfo{
			Name: name, Description: "The " + name + " tool.", Parameters: jsontext.Value(`{"type":"object","properties":{}}`),
			SourceInfo: extension.SourceInfo{Source: "builtin", Path: "<" + name + ">", Scope: "user", Origin: "top-level"},
		})
	}
	return list
}

func (s *cannedSession) SetActiveTools(names []string) error {
	s.note("pi.setActiveTools", names)
	s.active = names
	return nil
}

// ToolsChanged tells of the tools that were registered after the start.
func (s *cannedSession) ToolsChanged() error {
	var now []*extension.Tool
	for _, t := range s.runner.Tools() {
		now = append(now, t.Tool)
		if !slices.Contains(s.known, t.Tool) {
			s.note("registered a tool", toolWords(t.Tool))
		}
	}
	s.known = now
	return nil
}

func (s *cannedSession) Commands() []extension.CommandInfo {
	info := func(path, source string) extension.SourceInfo {
		return extension.SourceInfo{Path: path, Source: source, Scope: "user", Origin: "top-level"}
	}
	list := []extension.CommandInfo{
		{Name: "review", Description: "Review it", Source: "prompt", SourceInfo: info(s.home+"/prompts/review.md", "user")},
		{Name: "skill:pdf", Description: "PDF", Source: "skill", SourceInfo: info(s.home+"/skills/pdf/SKILL.md", "user")},
	}
	for _, c := range s.runner.Commands() {
		list = append(list, extension.CommandInfo{Name: c.Name, Description: c.Description, Source: "extension", SourceInfo: extension.SourceInfo{Path: "<extension>", Source: "cli", Scope: "temporary", Origin: "top-level"}})
	}
	return list
}

func (s *cannedSession) SetModel(_ context.Context, m *ai.Model) (bool, error) {
	s.note("pi.setModel", m.ID)
	return true, nil
}

func (s *cannedSession) SetThinkingLevel(_ context.Context, level ai.ThinkingLevel) error {
	s.note("pi.setThinkingLevel", level)
	s.level = level
	return nil
}

func (s *cannedSession) Wait(context.Context) error { s.note("ctx.waitForIdle"); return nil }

func (s *cannedSession) Reload(context.Context) error { s.note("ctx.reload"); return nil }

func (s *cannedSession) NewSession(ctx context.Context, opts extension.NewSessionOptions) (bool, error) {
	s.note("ctx.newSession", opts.ParentSession)
	if opts.Setup != nil {
		if err := opts.Setup(ctx, newEntries{s, s.steps}); err != nil {
			return false, err
		}
	}
	if opts.With != nil {
		if err := opts.With(ctx, s.runner.CommandContext()); err != nil {
			return false, err
		}
	}
	return s.variant.Load() == 2, nil
}

// newEntries is a session that is filled.
type newEntries struct {
	extension.Reader
	*steps
}

func (w newEntries) Append(entry jsontext.Value) (string, error) {
	w.note("setup.append", entry)
	return "entry9999", nil
}

// All and the others implement [extension.Models].
func (s *cannedSession) All() []*ai.Model       { return s.canned.Models }
func (s *cannedSession) Available() []*ai.Model { return s.canned.Models }
func (*cannedSession) HasAuth(*ai.Model) bool   { return true }

func (s *cannedSession) Find(provider, id string) *ai.Model {
	for _, m := range s.canned.Models {
		if m.Provider == provider && m.ID == id {
			return m
		}
	}
	return nil
}

func (*cannedSession) Auth(context.Context, *ai.Model) (string, map[string]string, error) {
	return "key", map[string]string{}, nil
}

func (s *cannedSession) Stream(ctx context.Context, req *ai.Request) *ai.Stream {
	tools := []string{}
	for _, t := range req.Context.Tools {
		tools = append(tools, t.Name)
	}
	s.answer()
	s.note("complete", req.Model.ID, map[string]any{"systemPrompt": req.Context.SystemPrompt, "messages": req.Context.Messages, "tools": tools})
	m, err := agent.DecodeMessage(s.Reply.Clone())
	return ai.NewStream(ctx, req.Model, func(_ context.Context, w *ai.Writer) error {
		if err != nil {
			return err
		}
		w.DoneWith(m.(*ai.AssistantMessage))
		return nil
	})
}
