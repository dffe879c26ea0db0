package agenttest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

// CheckRuns reports every rule about the order of events that the events of some whole
// runs break:
//
//   - A run goes from agent_start to agent_end, which lists the messages that have ended in
//     it, in order. It consists of turns.
//   - A message ends before the next one starts. Only answers have updates.
//   - Calls start after their answer has ended, in its order and once each. They end once,
//     and updates come in between.
//   - Each call of an answer that did not fail has one result message, after its end, in the
//     order of the calls. turn_end has the answer and these results.
//
// A run that was broken off by an error of a listener or hook does not keep these rules,
// since its events stop in the middle.
func CheckRuns(t testing.TB, events []agent.Event) {
	t.Helper()
	var c checker
	for i, ev := range events {
		if problem := c.event(ev); problem != "" {
			t.Errorf("event %d, %s: %s; the events are\n%s", i, Short(ev), problem, list(events))
			return
		}
	}
	if c.inRun {
		t.Errorf("the run has no agent_end; the events are\n%s", list(events))
	}
}

// checker is how far the runs have come.
type checker struct {
	inRun, inTurn bool
	open          agent.Message // between its start and its end
	added         []agent.Message
	turn          turn
}

// turn is how far a turn has come.
type turn struct {
	answer        *ai.AssistantMessage
	calls         []*ai.ToolCall
	started       int // of calls
	running, done map[string]bool
	results       []*ai.ToolResultMessage
}

// event returns what is wrong with an event, or an empty text.
func (c *checker) event(ev agent.Event) string {
	if _, start := ev.(*agent.AgentStart); start == c.inRun {
		return "it is not between agent_start and agent_end of one run"
	}
	switch ev := ev.(type) {
	case *agent.AgentStart:
		*c = checker{inRun: true}
	case *agent.AgentEnd:
		return c.agentEnd(ev)
	case *agent.TurnStart:
		return c.turnStart()
	case *agent.TurnEnd:
		return c.turnEnd(ev)
	case *agent.MessageStart:
		if c.open != nil {
			return "the message before it has not ended"
		}
		c.open = ev.Message
	case *agent.MessageUpdate:
		if _, answer := c.open.(*ai.AssistantMessage); !answer {
			return "no answer is open"
		}
	case *agent.MessageEnd:
		return c.messageEnd(ev.Message)
	case *agent.ToolExecutionStart:
		return c.turn.start(ev.ToolCallID)
	case *agent.ToolExecutionUpdate:
		if !c.turn.running[ev.ToolCallID] {
			return "the call is not under way"
		}
	case *agent.ToolExecutionEnd:
		return c.turn.end(ev.ToolCallID)
	}
	return ""
}

func (c *checker) agentEnd(ev *agent.AgentEnd) string {
	c.inRun = false
	switch {
	case c.inTurn:
		return "the last turn has no turn_end"
	case c.open != nil:
		return "the last message has not ended"
	case !slices.Equal(ev.Messages, c.added):
		return fmt.Sprintf("it lists %d messages, which are not the %d that have ended", len(ev.Messages), len(c.added))
	}
	return ""
}

func (c *checker) turnStart() string {
	if c.inTurn {
		return "the turn before it has no turn_end"
	}
	c.inTurn = true
	c.turn = turn{running: make(map[string]bool), done: make(map[string]bool)}
	return ""
}

func (c *checker) turnEnd(ev *agent.TurnEnd) string {
	t := &c.turn
	wanted := len(t.calls)
	if t.answer != nil && t.answer.Failed() {
		wanted = 0
	}
	c.inTurn = false
	switch {
	case t.answer == nil || ev.Message != t.answer:
		return "its message is not the answer of the turn"
	case len(t.results) != wanted:
		return fmt.Sprintf("the answer has %d calls, but %d have a result", wanted, len(t.results))
	case !slices.Equal(ev.ToolResults, t.results):
		return "its results are not those of the turn"
	}
	return ""
}

func (c *checker) messageEnd(m agent.Message) string {
	switch {
	case c.open == nil:
		return "the message has not started"
	case c.open.Role() != m.Role():
		return "the message that has started is a " + c.open.Role() + " message"
	case !c.inTurn:
		return "it is not between turn_start and turn_end"
	}
	c.open = nil
	c.added = append(c.added, m)
	switch m := m.(type) {
	case *ai.AssistantMessage:
		if c.turn.answer != nil {
			return "the turn has an answer already"
		}
		c.turn.answer, c.turn.calls = m, m.Content.ToolCalls()
	case *ai.ToolResultMessage:
		return c.turn.result(m)
	}
	return ""
}

func (t *turn) start(id string) string {
	if t.started >= len(t.calls) || t.calls[t.started].ID != id {
		return "it is not the next call of an answer that has ended"
	}
	t.started++
	t.running[id] = true
	return ""
}

func (t *turn) end(id string) string {
	if !t.running[id] {
		return "the call is not under way"
	}
	delete(t.running, id)
	t.done[id] = true
	return ""
}

// result takes a result message: in a turn, those of its calls, in their order. Before the
// answer, it may be any that a prompt or a queue added.
func (t *turn) result(m *ai.ToolResultMessage) string {
	if t.answer == nil {
		return ""
	}
	n := len(t.results)
	if n >= len(t.calls) || t.calls[n].ID != m.ToolCallID {
		return "it is not the result of the next call"
	}
	if !t.done[m.ToolCallID] {
		return "the call has not ended"
	}
	t.results = append(t.results, m)
	return ""
}
