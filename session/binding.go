package session

import (
	"context"
	"sync"
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

// Frontend is what shows a session, as extensions see it.
type Frontend struct {
	// UI is the person at the other end; nil if there is none.
	UI   extension.UI
	Mode extension.Mode
	// OnError gets the failures of extensions, from any goroutine.
	OnError func(*extension.Error)
	// Shutdown ends the program; it is called once, when the session has settled. Nil ends
	// nothing.
	Shutdown func()
}

// binding passes the events of a session to its extensions, and asks them through its hooks.
type binding struct {
	ext    *extension.Runner // nil if there are none
	images imageGate

	// Of the agent's goroutine: the number of the turn, and whether its end has been passed on.
	turns        int
	turnNotified bool

	mu       sync.Mutex
	frontend Frontend
	ending   chan struct{} // closed when the program has been ended by an extension; nil if none ends it
	runtime  *Runtime      // nil if there is none
}

// attach says what shows the session.
func (b *binding) attach(f Frontend) {
	b.mu.Lock()
	b.frontend = f
	b.mu.Unlock()
	b.ext.SetUI(f.UI, f.Mode)
	b.ext.OnError(f.OnError)
}

// setRuntime says which runtime holds the session.
func (b *binding) setRuntime(r *Runtime) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.runtime = r
}

// holder returns the runtime that holds the session.
func (b *binding) holder() (*Runtime, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.runtime == nil {
		return nil, ErrNoRepository
	}
	return b.runtime, nil
}

// takeShutdown returns the function that ends the program, once, and a channel to close when it
// has returned. The function is nil if there is none, or if it was taken before.
func (b *binding) takeShutdown() (end func(), ended chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	end, b.frontend.Shutdown = b.frontend.Shutdown, nil
	if end != nil {
		b.ending = make(chan struct{})
	}
	return end, b.ending
}

// awaitShutdown returns when an extension that ends the program has done so, if there is one.
func (b *binding) awaitShutdown() {
	b.mu.Lock()
	ending := b.ending
	b.mu.Unlock()
	if ending != nil {
		<-ending
	}
}

// notifyEnd tells the extensions that the session ends.
func (b *binding) notifyEnd(ctx context.Context, reason extension.StartReason, target string) {
	if b.ext.Has(extension.KindSessionShutdown) {
		b.ext.Emit(ctx, &extension.SessionShutdown{Reason: reason, TargetSessionFile: target})
	}
}

// closeTimeout is how long the end of a session waits for what its extensions still do.
const closeTimeout = 2 * time.Second

// close makes what the extensions hold stale. With wait it waits for what they still do, for a
// limited time: a command that has replaced the session goes on.
func (b *binding) close(wait bool) {
	if b.ext == nil {
		return
	}
	if !wait {
		b.ext.End()
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	_ = b.ext.Close(ctx) // what is still at work is left behind
}

// notifySelection tells the extensions of another level, and then of another model.
func (b *binding) notifySelection(ctx context.Context, before, after selection, source string) {
	if before.thinking != after.thinking && b.ext.Has(extension.KindThinkingLevelSelect) {
		b.ext.Fire(ctx, &extension.ThinkingLevelSelect{Level: after.thinking, PreviousLevel: before.thinking}, extension.FireGrace)
	}
	same := before.model == after.model || before.model != nil && after.model != nil && sameModel(before.model, after.model)
	if !same && b.ext.Has(extension.KindModelSelect) {
		b.ext.Emit(ctx, &extension.ModelSelect{Model: after.model, PreviousModel: before.model, Source: source})
	}
}

// notify passes an agent's event to the extensions, which come before all others (law S1). It
// returns the event as it counts for those.
func (b *binding) notify(ctx context.Context, ev agent.Event) agent.Event {
	if b.ext == nil {
		return ev
	}
	switch ev := ev.(type) {
	case *agent.AgentStart:
		b.turns = 0
		if b.ext.Has(extension.KindAgentStart) {
			b.ext.Emit(ctx, &extension.AgentStart{})
		}
	case *agent.TurnStart:
		if b.ext.Has(extension.KindTurnStart) {
			b.ext.Emit(ctx, &extension.TurnStart{TurnIndex: b.turns, Timestamp: time.Now().UnixMilli()})
		}
	case *agent.TurnEnd:
		if !b.turnNotified {
			b.notifyTurn(ctx, ev.Message, ev.ToolResults)
		}
		b.turnNotified = false
		b.turns++
	case *agent.MessageStart:
		if b.ext.Has(extension.KindMessageStart) {
			b.ext.Emit(ctx, &extension.MessageStart{Message: ev.Message})
		}
	case *agent.MessageUpdate:
		if b.ext.Has(extension.KindMessageUpdate) {
			b.ext.Emit(ctx, &extension.MessageUpdate{Stream: ev.Stream})
		}
	case *agent.MessageEnd:
		if m := b.ext.MessageEnd(ctx, ev.Message); m != ev.Message {
			m = b.images.message(m)
			ev.Replace(m)
			return &agent.MessageEnd{Message: m}
		}
	case *agent.AgentEnd:
		if b.ext.Has(extension.KindAgentEnd) {
			b.ext.Emit(ctx, &extension.AgentEnd{Messages: ev.Messages})
		}
	default:
		b.notifyTool(ctx, ev)
	}
	return ev
}

// notifyTool is notify for the events of tools.
func (b *binding) notifyTool(ctx context.Context, ev agent.Event) {
	switch ev := ev.(type) {
	case *agent.ToolExecutionStart:
		if b.ext.Has(extension.KindToolExecutionStart) {
			b.ext.Emit(ctx, &extension.ToolExecutionStart{ToolCallID: ev.ToolCallID, ToolName: ev.ToolName, Args: ev.Args})
		}
	case *agent.ToolExecutionUpdate:
		if b.ext.Has(extension.KindToolExecutionUpdate) {
			b.ext.Emit(ctx, &extension.ToolExecutionUpdate{ToolCallID: ev.ToolCallID, ToolName: ev.ToolName, Args: ev.Args, PartialResult: ev.PartialResult})
		}
	case *agent.ToolExecutionEnd:
		if b.ext.Has(extension.KindToolExecutionEnd) {
			b.ext.Emit(ctx, &extension.ToolExecutionEnd{ToolCallID: ev.ToolCallID, ToolName: ev.ToolName, Result: ev.Result, IsError: ev.IsError})
		}
	default:
	}
}

// notifyTurn passes the end of a turn on, once, and returns what the extensions decide.
func (b *binding) notifyTurn(ctx context.Context, m *ai.AssistantMessage, results []*ai.ToolResultMessage) agent.TurnAction {
	if !b.ext.Has(extension.KindTurnEnd) {
		return agent.TurnGoOn
	}
	if results == nil {
		results = []*ai.ToolResultMessage{}
	}
	return b.ext.TurnEnd(ctx, &extension.TurnEnd{TurnIndex: b.turns, Message: m, ToolResults: results})
}
