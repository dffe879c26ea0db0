package agent

import (
	"context"
	"slices"
	"time"

	"github.com/rondo-agent/rondo/ai"
)

// progress is how far a run has come: what would be missing if it ended now. The agent's
// mutex guards it.
type progress struct {
	added   []Message
	inTurn  bool
	open    Message              // between its start and its end
	answer  *ai.AssistantMessage // of the turn under way
	results []*ai.ToolResultMessage
	event   Event // that is being delivered, or was last
}

func (p *progress) note(ev Event) {
	p.event = ev
	switch ev := ev.(type) {
	case *TurnStart:
		p.inTurn, p.answer, p.results = true, nil, nil
	case *TurnEnd:
		p.inTurn = false
	case *MessageStart:
		p.open = ev.Message
	case *MessageEnd:
		p.open = nil
		p.added = append(p.added, ev.Message)
		switch m := ev.Message.(type) {
		case *ai.AssistantMessage:
			p.answer = m
		case *ai.ToolResultMessage:
			p.results = append(p.results, m)
		}
	default:
	}
}

func (p *progress) replace(old, with Message) {
	if i := slices.Index(p.added, old); i >= 0 {
		p.added = slices.Clone(p.added)
		p.added[i] = with
	}
	if answer, ok := with.(*ai.AssistantMessage); ok && Message(p.answer) == old {
		p.answer = answer
	}
}

// watch gives up a cancelled run in which nothing happens for the grace period: a hook,
// a listener or the provider ignores the cancellation (law L8). Tools have a limit of
// their own, which lets the run end in its usual order.
func (a *Agent) watch(r *run) {
	grace := a.grace
	if grace <= 0 {
		grace = DefaultAbortGrace
	}
	grace += grace / 4 // after the limit for tools
	ticker := time.NewTicker(grace)
	defer ticker.Stop()
	seen := a.steps(r)
	for {
		select {
		case <-r.done:
			return
		case <-ticker.C:
		}
		now := a.steps(r)
		if now == seen {
			a.giveUp(r)
			return
		}
		seen = now
	}
}

func (a *Agent) steps(r *run) uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return r.steps
}

// giveUp ends a run whose goroutine is stuck: it closes what is open, in order, and makes
// the agent idle. A listener that is stuck gets these events when it returns.
func (a *Agent) giveUp(r *run) {
	a.mu.Lock()
	if a.run != r {
		a.mu.Unlock()
		return
	}
	r.detached = true
	r.abandoned.Store(true)
	stuck := r.current.Load()
	for _, sub := range a.listeners.all() {
		if sub.id == stuck {
			sub.late.Store(true)
		}
	}
	unfinished := r.progress.event
	var events []Event
	if _, ended := unfinished.(*AgentEnd); !ended {
		events = a.closing(r)
	}
	a.mu.Unlock()

	ctx := context.WithoutCancel(r.ctx)
	if stuck != 0 { // the listeners before the one that is stuck have had its event
		for _, sub := range a.listeners.all() {
			if sub.id > stuck {
				_, _ = guard("a listener", func() (struct{}, error) { return struct{}{}, sub.call(ctx, unfinished) })
			}
		}
	}
	for _, ev := range events {
		a.mu.Lock()
		a.reduce(r, ev)
		a.mu.Unlock()
		for _, sub := range a.listeners.all() {
			// The run has failed already: an error has nobody to go to.
			_, _ = guard("a listener", func() (struct{}, error) { return struct{}{}, sub.call(ctx, ev) })
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end(r, ErrUnresponsive)
}

// closing lists the events that are missing for the run to end in order; the mutex is
// held.
func (a *Agent) closing(r *run) []Event {
	var events []Event
	p := &r.progress
	add := func(m Message) {
		events = append(events, &MessageStart{Message: m}, &MessageEnd{Message: m})
	}
	added := slices.Clone(p.added)
	results := slices.Clone(p.results)
	answer := p.answer
	switch open := a.streaming.now().(type) {
	case nil:
	case *ai.AssistantMessage:
		partial := *open
		partial.StopReason, partial.Err, partial.ErrorMessage = ai.StopAborted, ErrUnresponsive, ErrUnresponsive.Error()
		answer = &partial
		added = append(added, answer)
		events = append(events, &MessageEnd{Message: answer})
	default:
		added = append(added, open)
		events = append(events, &MessageEnd{Message: open})
		if result, ok := open.(*ai.ToolResultMessage); ok {
			results = append(results, result)
		}
	}
	if !p.inTurn && answer == nil {
		events = append(events, &TurnStart{})
		p.inTurn = true
	}
	if answer == nil {
		answer = failure(r, ErrUnresponsive)
		added = append(added, answer)
		add(answer)
	}
	if !answer.Failed() {
		for _, call := range answer.Content.ToolCalls() {
			if slices.ContainsFunc(results, func(m *ai.ToolResultMessage) bool { return m.ToolCallID == call.ID }) {
				continue
			}
			result := errorResult(errOperationAborted.Error())
			if a.pending.has(call.ID) {
				events = append(events, &ToolExecutionEnd{ToolCallID: call.ID, ToolName: call.Name, Result: result, IsError: true})
			}
			m := &ai.ToolResultMessage{ToolCallID: call.ID, ToolName: call.Name, Content: result.Content, Details: result.Details, IsError: true, Timestamp: now()}
			added, results = append(added, m), append(results, m)
			add(m)
		}
	}
	if p.inTurn {
		if results == nil {
			results = []*ai.ToolResultMessage{}
		}
		events = append(events, &TurnEnd{Message: answer, ToolResults: results})
	}
	return append(events, &AgentEnd{Messages: added})
}
