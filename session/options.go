package session

import (
	"errors"
	"fmt"
	"time"

	"github.com/rondo-agent/rondo/compaction"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/resource"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/tools/bash"
)

// Options are the settings of a [Session]. Stream is needed, and a model for a prompt; all
// else may be left out.
type Options struct {
	// CWD is the folder that the session works in.
	CWD string
	// Stream asks the model. It finds the key itself; see package config.
	Stream ai.StreamFunc
	// Model answers. If it is nil, a resumed session goes on with its own model only
	// when FindModel knows it.
	Model *ai.Model
	// Thinking is clamped to what the model supports; empty means off, or what a resumed
	// session had.
	Thinking ai.ThinkingLevel
	// DefaultThinking returns the level to begin with where neither the options nor the
	// session name one; nil means off.
	DefaultThinking func(*ai.Model) ai.ThinkingLevel
	// FindModel looks up the model that a resumed session names; nil if there is none.
	FindModel func(provider, id string) *ai.Model
	// LevelFor returns the thinking level that the user prefers for a model, when it is
	// switched to; empty keeps the level. Nil always keeps it.
	LevelFor func(*ai.Model) ai.ThinkingLevel
	// Scope are the models that the user switches between; without any, those of Available
	// are, which lists the models that can be asked.
	Scope     []ScopedModel
	Available func() []*ai.Model
	// Ready reports why a model cannot be asked, for instance since there is no key. A
	// prompt is refused with that error.
	Ready func(*ai.Model) error

	Tools        []*agent.Tool
	SystemPrompt string
	// Resources are the skills and templates that a prompt may name; nil if there are none.
	Resources     *resource.Set
	Hooks         agent.Hooks
	ToolExecution agent.ExecutionMode
	SteeringMode  agent.QueueMode
	FollowUpMode  agent.QueueMode
	// PlainTools leaves tool changes out of the transcript, as Pi 0.85 does; by default
	// they are recorded (law L11).
	PlainTools bool
	// Retry says how failed requests are repeated, Compaction when the conversation is
	// compacted. Their zero values are useful.
	Retry           Retry
	Compaction      compaction.Settings
	BranchSummaries BranchSummaries
	// Failures tells failures of providers apart, for both.
	Failures ai.Classifier
	// Successors lists the models that take over from one whose provider is overloaded or
	// broken, or whose quota is used up, the first that can be asked first. nil, or an
	// empty list, leaves the failure as it is. See [ModelFallback].
	Successors func(*ai.Model) []ScopedModel
	// Approve says which calls of tools need the approval of a person: the session asks with an
	// [event.Question] and waits for [Session.Answer]. Nil asks for none.
	Approve func(*agent.PendingCall) bool
	// Budget bounds what the work on a prompt may take; the zero value does not bound.
	Budget Budget
	// Request is the template of every request's options.
	Request ai.Options
	// AbortGrace is how long an abort waits for what ignores it; 0 means
	// [agent.DefaultAbortGrace].
	AbortGrace time.Duration
	// KeepImageSize sends images as large as they are, instead of within the limits of
	// providers.
	KeepImageSize bool
	// Bash runs the user's own commands; nil means the local shell.
	Bash *bash.Options

	// Extensions are those of this session, which owns them from then on; nil if there are
	// none. Program is what they ask of the program.
	Extensions *extension.Runner
	Program    Program
	// Toolbox are the tools that extensions can switch to, beside Tools. ToolAllowed says
	// which of the extensions' own tools may be active from the start; nil allows all.
	Toolbox     []tools.Definition
	ToolAllowed func(name string) bool
	// Prompt, if set, is what SystemPrompt is made of, so that it can be made again for
	// other tools.
	Prompt *SystemPrompt
}

// Errors of a session that refuses.
var (
	// ErrNoStream means that [Options].Stream is missing.
	ErrNoStream = errors.New("open a session: Options.Stream is missing; it is the function that asks the model, for example ai/wires.Stream")
	// ErrBusy means that a prompt is being worked on.
	ErrBusy = errors.New("the agent is working: queue the message as steering (for its next request) or as a follow-up (for when it would stop), or abort first")
	// ErrNoModel means that no model is selected.
	ErrNoModel = errors.New("no model is selected; choose one with --model, or set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY")
)

// check refuses options that cannot be meant.
func (o *Options) check() error {
	if o.Stream == nil {
		return ErrNoStream
	}
	seen := make(map[string]bool)
	for i, t := range o.Tools {
		switch {
		case t == nil || t.Name == "":
			return fmt.Errorf("open a session: tool %d of Options.Tools has no name", i)
		case seen[t.Name]:
			return fmt.Errorf("open a session: two of Options.Tools have the name %q; give each its own", t.Name)
		}
		seen[t.Name] = true
	}
	b := o.Budget
	if b.Turns < 0 || b.Tokens < 0 || b.Cost < 0 || b.Time < 0 {
		return fmt.Errorf("open a session: Options.Budget has a negative bound: %+v; 0 does not bound", b)
	}
	return nil
}
