package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
)

// Program is what extensions ask of the program around a session. A nil field is absent.
type Program struct {
	// Models are those of the program.
	Models extension.Models
	// ProjectTrusted says that the files of the project count.
	ProjectTrusted bool
	// AddResources makes skills and templates that extensions have found count.
	AddResources func(s *Session, found *extension.ResourcesDiscoverResult) error
	// RegisterProvider and UnregisterProvider change which models there are.
	RegisterProvider   func(name string, p *extension.Provider) error
	UnregisterProvider func(name string) error
	// Started is called when the extensions of a session have begun with it.
	Started func(s *Session)
}

// Front is who shows a session, as extensions see it.
type Front struct {
	// UI is the person at the other end; nil if there is none.
	UI   extension.UI
	Mode extension.Mode
	// OnError is told of failures of extensions, by whichever goroutine.
	OnError func(*extension.Error)
	// Shutdown ends the program; it is called once, when the session has settled. Nil ends
	// nothing.
	Shutdown func()
}

// Extensions returns the session's extensions; nil if it has none.
func (s *Session) Extensions() *extension.Runner { return s.ext }

// SetFront says who shows the session.
func (s *Session) SetFront(f Front) {
	s.mu.Lock()
	s.front = f
	s.mu.Unlock()
	s.ext.SetUI(f.UI, f.Mode)
	s.ext.OnError(f.OnError)
}

// Begin tells the extensions that they work with the session from now on. Whoever shows a
// session calls it once, before the first prompt; a [Runtime] does so for the sessions that
// follow. previous is the file of the session before, if there was one.
func (s *Session) Begin(ctx context.Context, reason extension.StartReason, previous string) {
	if s.ext.Empty() {
		return
	}
	if started := s.opts.Program.Started; started != nil {
		defer started(s)
	}
	s.ext.Emit(ctx, &extension.SessionStart{Reason: reason, PreviousSessionFile: previous})
	if !s.ext.Has(extension.KindResourcesDiscover) {
		return
	}
	discover := extension.ReasonStartup // also of a new session (Pi 0.85)
	if reason == extension.ReasonReload {
		discover = reason
	}
	found := s.ext.Resources(ctx, &extension.ResourcesDiscover{CWD: s.opts.CWD, Reason: string(discover)})
	if add := s.opts.Program.AddResources; add != nil && len(found.SkillPaths)+len(found.PromptPaths)+len(found.ThemePaths) > 0 {
		if err := add(s, found); err != nil {
			s.ext.Report(&extension.Error{Path: "<runtime>", Event: "resources_discover", Err: err})
		}
	}
}

// ending tells the extensions that the session ends.
func (s *Session) ending(ctx context.Context, reason extension.StartReason, target string) {
	if s.ext.Has(extension.KindSessionShutdown) {
		s.ext.Emit(ctx, &extension.SessionShutdown{Reason: reason, TargetSessionFile: target})
	}
}

// endPatience is how long the end of a session waits for what its extensions still do.
const endPatience = 2 * time.Second

// endExtensions makes what the extensions hold stale. It waits for what they still do for a
// moment only: a command that has replaced the session goes on.
func (s *Session) endExtensions(wait bool) {
	if s.ext == nil {
		return
	}
	if !wait {
		s.ext.End()
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), endPatience)
	defer cancel()
	_ = s.ext.Close(ctx) // who is still at work is left behind
}

// tell passes an agent's event to the extensions, which come before all others (law S1). It
// returns the event as it counts for those.
func (s *Session) tell(ctx context.Context, ev agent.Event) agent.Event {
	if s.ext == nil {
		return ev
	}
	switch ev := ev.(type) {
	case *agent.AgentStart:
		s.turns = 0
		if s.ext.Has(extension.KindAgentStart) {
			s.ext.Emit(ctx, &extension.AgentStart{})
		}
	case *agent.TurnStart:
		if s.ext.Has(extension.KindTurnStart) {
			s.ext.Emit(ctx, &extension.TurnStart{TurnIndex: s.turns, Timestamp: time.Now().UnixMilli()})
		}
	case *agent.TurnEnd:
		if !s.toldTurn {
			s.tellTurn(ctx, ev.Message, ev.ToolResults)
		}
		s.toldTurn = false
		s.turns++
		s.awaitSends()
	case *agent.MessageStart:
		if s.ext.Has(extension.KindMessageStart) {
			s.ext.Emit(ctx, &extension.MessageStart{Message: ev.Message})
		}
	case *agent.MessageUpdate:
		if s.ext.Has(extension.KindMessageUpdate) {
			s.ext.Emit(ctx, &extension.MessageUpdate{Stream: ev.Stream})
		}
	case *agent.MessageEnd:
		if m := s.ext.MessageEnd(ctx, ev.Message); m != ev.Message {
			ev.Replace(m)
			return &agent.MessageEnd{Message: m}
		}
	case *agent.AgentEnd:
		if s.ext.Has(extension.KindAgentEnd) {
			s.ext.Emit(ctx, &extension.AgentEnd{Messages: ev.Messages})
		}
	default:
		s.tellTool(ctx, ev)
	}
	return ev
}

// tellTool is tell for the events of tools.
func (s *Session) tellTool(ctx context.Context, ev agent.Event) {
	switch ev := ev.(type) {
	case *agent.ToolExecutionStart:
		if s.ext.Has(extension.KindToolExecutionStart) {
			s.ext.Emit(ctx, &extension.ToolExecutionStart{ToolCallID: ev.ToolCallID, ToolName: ev.ToolName, Args: ev.Args})
		}
	case *agent.ToolExecutionUpdate:
		if s.ext.Has(extension.KindToolExecutionUpdate) {
			s.ext.Emit(ctx, &extension.ToolExecutionUpdate{ToolCallID: ev.ToolCallID, ToolName: ev.ToolName, Args: ev.Args, PartialResult: ev.PartialResult})
		}
	case *agent.ToolExecutionEnd:
		if s.ext.Has(extension.KindToolExecutionEnd) {
			s.ext.Emit(ctx, &extension.ToolExecutionEnd{ToolCallID: ev.ToolCallID, ToolName: ev.ToolName, Result: ev.Result, IsError: ev.IsError})
		}
	default:
	}
}

func (s *Session) tellTurn(ctx context.Context, m *ai.AssistantMessage, results []*ai.ToolResultMessage) agent.TurnAction {
	if !s.ext.Has(extension.KindTurnEnd) {
		return agent.TurnGoOn
	}
	if results == nil {
		results = []*ai.ToolResultMessage{}
	}
	return s.ext.TurnEnd(ctx, &extension.TurnEnd{TurnIndex: s.turns, Message: m, ToolResults: results})
}

// extensionHooks put the extensions behind the hooks of the options.
func (s *Session) extensionHooks(h agent.Hooks) agent.Hooks {
	if s.ext == nil {
		return h
	}
	transform, before, after, finish := h.TransformContext, h.BeforeToolCall, h.AfterToolCall, h.FinishTurn
	h.TransformContext = func(ctx context.Context, messages []agent.Message) ([]agent.Message, error) {
		if transform != nil {
			var err error
			if messages, err = transform(ctx, messages); err != nil {
				return nil, err
			}
		}
		return s.extensionContext(ctx, messages), nil
	}
	h.BeforeToolCall = func(ctx context.Context, call *agent.PendingCall) (agent.Decision, error) {
		if before != nil {
			if d, err := before(ctx, call); err != nil || d.Block {
				return d, err
			}
		}
		if !s.ext.Has(extension.KindToolCall) {
			return agent.Decision{}, nil
		}
		e := &extension.ToolCall{ToolCallID: call.Call.ID, ToolName: call.Call.Name, Input: call.Args}
		res, err := s.ext.ToolCall(ctx, e)
		call.Args = e.Input
		return agent.Decision{Block: res.Block, Reason: res.Reason, Terminate: res.Terminate}, err
	}
	h.AfterToolCall = func(ctx context.Context, call *agent.FinishedCall) (*agent.ResultPatch, error) {
		var patch *agent.ResultPatch
		if after != nil {
			var err error
			if patch, err = after(ctx, call); err != nil {
				return nil, err
			}
		}
		if !s.ext.Has(extension.KindToolResult) {
			return patch, nil
		}
		return merge(patch, s.ext.ToolResult(ctx, resultEvent(call, patch))), nil
	}
	h.FinishTurn = func(ctx context.Context, t *agent.Turn) (agent.TurnAction, error) {
		action := agent.TurnGoOn
		if finish != nil {
			var err error
			if action, err = finish(ctx, t); err != nil {
				return action, err
			}
		}
		s.toldTurn = true // what follows is turn_end itself
		if theirs := s.tellTurn(ctx, t.Message, t.ToolResults); action == agent.TurnGoOn {
			action = theirs
		}
		return action, nil
	}
	return h
}

// extensionContext passes the messages of a request through the extensions. Those of Pi 0.85
// do not know system messages, which are put back in their places.
func (s *Session) extensionContext(ctx context.Context, messages []agent.Message) []agent.Message {
	if s.ext.Has(extension.KindContext) {
		rest := slices.DeleteFunc(slices.Clone(messages), isSystem)
		changed := slices.Clone(s.ext.Context(ctx, rest))
		for i, m := range messages {
			if isSystem(m) {
				changed = slices.Insert(changed, min(i, len(changed)), m)
			}
		}
		messages = changed
	}
	return s.ext.ContextWithSystem(ctx, messages)
}

func isSystem(m agent.Message) bool {
	_, ok := m.(*ai.SystemMessage)
	return ok
}

// resultEvent is a finished call as an earlier hook has left it.
func resultEvent(call *agent.FinishedCall, patch *agent.ResultPatch) *extension.ToolResult {
	e := &extension.ToolResult{
		ToolCallID: call.Call.ID, ToolName: call.Call.Name, Input: call.Args,
		Content: call.Result.Content, Details: call.Result.Details, IsError: call.IsError, Usage: call.Result.Usage,
	}
	if patch == nil {
		return e
	}
	if patch.Content != nil {
		e.Content = patch.Content
	}
	if patch.Details != nil {
		e.Details = patch.Details
	}
	if patch.IsError != nil {
		e.IsError = *patch.IsError
	}
	if patch.Usage != nil {
		e.Usage = patch.Usage
	}
	return e
}

// merge lays a later patch over an earlier one.
func merge(p, over *agent.ResultPatch) *agent.ResultPatch {
	if p == nil || over == nil {
		if over != nil {
			return over
		}
		return p
	}
	out := *p
	if over.Content != nil {
		out.Content, out.Structured = over.Content, over.Structured
	}
	if over.Details != nil {
		out.Details = over.Details
	}
	if over.IsError != nil {
		out.IsError = over.IsError
	}
	if over.Usage != nil {
		out.Usage = over.Usage
	}
	return &out
}

// errHandled means that an extension has dealt with an input.
var errHandled = errors.New("an extension has dealt with the input")
