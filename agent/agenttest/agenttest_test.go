package agenttest_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/agent/agenttest"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
)

// record runs a prompt and returns its events.
func record(t *testing.T, opts agent.Options, replies ...scripted.Reply) *agenttest.Recorder {
	t.Helper()
	opts.Model = scripted.Record()
	a := agent.New(scripted.New(replies...).Stream, &opts)
	events := new(agenttest.Recorder)
	a.Subscribe(events.Listen)
	if err := a.Prompt(t.Context(), agent.User("go")); err != nil {
		t.Fatal(err)
	}
	return events
}

func echo() *agent.Tool {
	return agent.NewTool("echo", "Repeats a text.", func(ctx context.Context, in struct {
		Text string `json:"text"`
	},
	) (string, error) {
		agent.CallFrom(ctx).Update(agent.TextResult("…"))
		if in.Text == "" {
			return "", fmt.Errorf("there is nothing to repeat")
		}
		return in.Text, nil
	})
}

func toolRun(t *testing.T) *agenttest.Recorder {
	t.Helper()
	return record(t, agent.Options{Tools: []*agent.Tool{echo()}, ToolExecution: agent.Sequential},
		scripted.Of(scripted.Call("c1", "echo", map[string]string{"text": "a"}), scripted.Call("c2", "echo", map[string]string{"text": ""})),
		scripted.Say("done"))
}

func TestRecorder_ShortForm(t *testing.T) {
	const want = `agent_start
turn_start
message_start user
message_end user
message_start assistant
message_end assistant
tool_execution_start c1
tool_execution_end c1
message_start toolResult c1
message_end toolResult c1
tool_execution_start c2
tool_execution_end c2 failed
message_start toolResult c2 failed
message_end toolResult c2 failed
turn_end
turn_start
message_start assistant
message_end assistant
turn_end
agent_end`
	events := toolRun(t)
	if got := events.String(); got != want {
		t.Errorf("got\n%s", got)
	}
	agenttest.InOrder(t, events.Events(), "message_update toolcall_delta", "tool_execution_update c1", "tool_execution_end c1", "agent_end")
	if events.Reset(); len(events.Events()) != 0 {
		t.Error("events are left after Reset")
	}
}

func TestCheckRuns_AcceptsRealRuns(t *testing.T) {
	for name, events := range map[string]*agenttest.Recorder{
		"text":   record(t, agent.Options{}, scripted.Say("hi")),
		"tools":  toolRun(t),
		"failed": record(t, agent.Options{}, scripted.Fail(ai.ErrUnterminated)),
		"cut": record(t, agent.Options{Tools: []*agent.Tool{echo()}},
			scripted.Reply{Blocks: []scripted.Block{scripted.Call("c1", "echo", nil)}, Stop: ai.StopLength}, scripted.Say("again")),
	} {
		t.Run(name, func(t *testing.T) { agenttest.CheckRuns(t, events.Events()) })
	}
}

// complaints is a testing.TB that keeps what is reported.
type complaints struct {
	testing.TB
	text string
}

func (*complaints) Helper() {}

func (c *complaints) Errorf(format string, args ...any) { c.text += fmt.Sprintf(format, args...) }

func TestCheckRuns_FindsWhatIsWrong(t *testing.T) {
	good := toolRun(t).Events()
	at := func(step string) int {
		return slices.IndexFunc(good, func(ev agent.Event) bool { return agenttest.Short(ev) == step })
	}
	without := func(step string) []agent.Event { return slices.Delete(slices.Clone(good), at(step), at(step)+1) }
	moved := func(step, before string) []agent.Event {
		return slices.Insert(without(step), at(before), good[at(step)])
	}
	unanswered := slices.DeleteFunc(slices.Clone(good), func(ev agent.Event) bool {
		return strings.Contains(agenttest.Short(ev), "toolResult c2")
	})
	for _, c := range []struct {
		name   string
		events []agent.Event
		want   string
	}{
		{"no result", unanswered, "the answer has 2 calls, but 1 have a result"},
		{"no agent_start", without("agent_start"), "not between agent_start and agent_end"},
		{"no agent_end", without("agent_end"), "the run has no agent_end"},
		{"no turn_start", without("turn_start"), "not between turn_start and turn_end"},
		{"no turn_end", without("turn_end"), "the turn before it has no turn_end"},
		{"open message", without("message_end user"), "the message before it has not ended"},
		{"end without start", without("message_start user"), "has not started"},
		{"update without start", without("message_start assistant"), "no answer is open"},
		{"call without start", without("tool_execution_start c1"), "not under way"},
		{"early call", moved("tool_execution_start c1", "message_end assistant"), "not the next call"},
		{"calls out of order", without("tool_execution_end c1"), "has not ended"},
		{"late update", moved("tool_execution_end c1", "tool_execution_update c1"), "not under way"},
		{"early result", moved("tool_execution_end c2 failed", "turn_end"), "has not ended"},
		{"message not listed", append(slices.Clone(good[:len(good)-1]), &agent.AgentEnd{}), "lists 0 messages"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got complaints
			agenttest.CheckRuns(&got, c.events)
			if !strings.Contains(got.text, c.want) {
				t.Errorf("reported %q, want %q", got.text, c.want)
			}
		})
	}
}

func TestInOrder_NamesTheMissingStep(t *testing.T) {
	var got complaints
	agenttest.InOrder(&got, toolRun(t).Events(), "tool_execution_end c1", "tool_execution_start c1")
	if want := `"tool_execution_start c1" does not come after tool_execution_end c1`; !strings.Contains(got.text, want) {
		t.Errorf("reported %q", got.text)
	}
}
