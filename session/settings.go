package session

import (
	"context"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/resource"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/toolview"
)

// SetModel changes the model from the next request on, also of a run under way, and records it.
// The thinking level becomes what the user prefers for the model, or stays, as far as the model
// supports it. Extensions have been notified when it returns.
func (s *Session) SetModel(m *ai.Model) error {
	return s.conductor.choice.setModel(s.scheduler.ctx, m)
}

// SetThinking changes the thinking level from the next request on, also of a run under way, and
// records it. A level that the model does not support becomes the nearest that it does.
func (s *Session) SetThinking(level ai.ThinkingLevel) error {
	return s.conductor.choice.setThinking(s.scheduler.ctx, level)
}

// CycleModel switches to the next of the models of [Options].Scope that can be asked or,
// without a scope, of [Options].Available; after the last one comes the first. A selected
// model that is not among them counts as the first (Pi 0.85). It returns nil if there are
// not at least two.
func (s *Session) CycleModel() (*CycledModel, error) {
	return s.conductor.choice.cycleModel(s.scheduler.ctx, 1)
}

// CycleModelBack is [Session.CycleModel] in the other direction.
func (s *Session) CycleModelBack() (*CycledModel, error) {
	return s.conductor.choice.cycleModel(s.scheduler.ctx, -1)
}

// CycleThinking switches to the next level that the model supports; after the last one
// comes the first. It returns the empty level if the model cannot think.
func (s *Session) CycleThinking() (ai.ThinkingLevel, error) {
	return s.conductor.choice.cycleThinking(s.scheduler.ctx)
}

// SetAutoRetry switches the repetition of failed requests on or off. A repetition that was
// announced takes place; see [Session.AbortRetry].
func (s *Session) SetAutoRetry(on bool) { s.conductor.retry.enable(on) }

// AbortRetry gives up the repetition that is being waited for, and with it the run. Without
// one it does nothing.
func (s *Session) AbortRetry() {
	if a := s.scheduler.series(); a != nil {
		a.retry.abort()
	}
}

// RunBash runs a command in the session's folder and records it. Several may run at the
// same time, and beside the agent: then the record follows when the agent is done, since
// nothing may come between a call and its result. A command that fails or is aborted is a
// result; an error means that it could not be run or recorded.
func (s *Session) RunBash(ctx context.Context, cmd BashCommand) (*bash.Result, error) {
	return s.conductor.commands.run(ctx, cmd)
}

// AbortBash ends all commands of the user that run.
func (s *Session) AbortBash() { s.conductor.commands.abort() }

// Commands lists what a prompt may begin with, behind a slash.
func (s *Session) Commands() []resource.Command { return s.conductor.instructions.commands() }

// SetResources replaces the skills and templates that prompts may name, and the system
// prompt, from the next run on. A nil set has none.
func (s *Session) SetResources(set *resource.Set, systemPrompt string) {
	s.conductor.instructions.replace(set, nil, systemPrompt, nil)
}

// SetPrompt is SetResources for a prompt that is made again when the tools change.
func (s *Session) SetPrompt(set *resource.Set, p SystemPrompt) {
	_, active := s.conductor.tools.selected()
	s.conductor.instructions.replace(set, &p, "", active)
}

// ActiveTools names the tools that the model can call.
func (s *Session) ActiveTools() []string { return s.conductor.tools.names() }

// AllTools lists the tools that there are, active or not.
func (s *Session) AllTools() []extension.ToolInfo { return s.conductor.tools.all() }

// ToolView returns how the calls of a tool are shown to people; nil shows its arguments and its
// result as they are.
func (s *Session) ToolView(name string) *toolview.View { return s.conductor.tools.view(name) }

// ToolViews returns all views, by the names of the tools.
func (s *Session) ToolViews() map[string]*toolview.View { return s.conductor.tools.views() }

// SetActiveTools makes these tools those that the model can call, from the next request on.
// Unknown names are left out.
func (s *Session) SetActiveTools(names []string) error { return s.conductor.tools.setActive(names) }

// ToolsChanged takes in tools that extensions have registered after the start.
func (s *Session) ToolsChanged() error { return s.conductor.tools.takeIn() }

// Attach says what shows the session.
func (s *Session) Attach(f Frontend) { s.binding.attach(f) }

// Begin tells the extensions that they work with the session from now on. A frontend that shows
// a session calls it once, before the first prompt; a [Runtime] does so for the sessions that
// follow. previous is the file of the session before, if there was one.
func (s *Session) Begin(ctx context.Context, reason extension.StartReason, previous string) {
	ext := s.binding.ext
	if ext.Empty() {
		return
	}
	if started := s.opts.Program.Started; started != nil {
		defer started(s)
	}
	ext.Emit(ctx, &extension.SessionStart{Reason: reason, PreviousSessionFile: previous})
	if !ext.Has(extension.KindResourcesDiscover) {
		return
	}
	discover := extension.ReasonStartup // also of a new session (Pi 0.85)
	if reason == extension.ReasonReload {
		discover = reason
	}
	found := ext.Resources(ctx, &extension.ResourcesDiscover{CWD: s.opts.CWD, Reason: string(discover)})
	if add := s.opts.Program.AddResources; add != nil && len(found.SkillPaths)+len(found.PromptPaths)+len(found.ThemePaths) > 0 {
		if err := add(s, found); err != nil {
			ext.Report(&extension.Error{Path: "<runtime>", Event: "resources_discover", Err: err})
		}
	}
}
