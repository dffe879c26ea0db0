package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/schema"
)

func TestLaw_L5_TerminateNeedsEveryResult(t *testing.T) {
	ends := toolOf("ends", func(context.Context, *agent.Call) (*agent.ToolResult, error) {
		return &agent.ToolResult{Content: ai.TextContent("bye"), Terminate: new(true)}, nil
	})
	for _, c := range []struct {
		calls    []string
		requests int
	}{{[]string{"ends:1", "ends:2"}, 1}, {[]string{"ends:1", "x:2"}, 2}} {
		model := answers(calls(c.calls...), says("done"))
		a := agent.New(model.stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{ends, okTool("x")}})
		mustPrompt(t, a, "go")
		if got := len(model.seen()); got != c.requests {
			t.Errorf("%v: %d requests", c.calls, got)
		}
	}
}

func TestACutAnswerRunsNothing(t *testing.T) {
	cut := calls("x:1", "x:2")
	cut.StopReason = ai.StopLength
	ran := false
	tool := toolOf("x", func(context.Context, *agent.Call) (*agent.ToolResult, error) { ran = true; return nil, nil })
	model := answers(cut, says("smaller"))
	a := agent.New(model.stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{tool}})
	mustPrompt(t, a, "go")
	if ran || strings.Count(results(a), "!") != 2 || !strings.Contains(results(a), "again") {
		t.Errorf("ran %v, results %s", ran, results(a))
	}
	if first := a.State().Messages[1].(*ai.AssistantMessage); first.StopReason != ai.StopLength || len(model.seen()) != 2 {
		t.Errorf("stop reason %s, %d requests", first.StopReason, len(model.seen()))
	}
}

func TestOneSequentialToolMakesTheBatchSequential(t *testing.T) {
	written := false
	write := toolOf("write", func(context.Context, *agent.Call) (*agent.ToolResult, error) {
		time.Sleep(5 * time.Millisecond)
		written = true
		return nil, nil
	})
	review := toolOf("review", func(context.Context, *agent.Call) (*agent.ToolResult, error) {
		if !written {
			t.Error("the review came before the write")
		}
		return nil, nil
	})
	review.Mode = agent.Sequential
	a := agent.New(answers(calls("write:1", "review:2"), says("done")).stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{write, review}})
	mustPrompt(t, a, "go")
}

func TestAFailingAfterHookFailsItsCallAlone(t *testing.T) {
	a := agent.New(answers(calls("x:A", "x:B", "x:C"), says("done")).stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{okTool("x")}, Hooks: agent.Hooks{
		AfterToolCall: func(_ context.Context, c *agent.FinishedCall) (*agent.ResultPatch, error) {
			if c.Call.ID == "A" {
				panic("broken hook")
			}
			return nil, nil
		},
	}})
	mustPrompt(t, a, "go")
	if got := results(a); !strings.HasPrefix(got, "!A=") || !strings.Contains(got, "B=ok | C=ok") {
		t.Errorf("results %s", got)
	}
}

func TestEndsAreNotHeldBackByTheBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		wait := func(d time.Duration) func(context.Context, *agent.Call) (*agent.ToolResult, error) {
			return func(context.Context, *agent.Call) (*agent.ToolResult, error) { time.Sleep(d); return nil, nil }
		}
		tools := []*agent.Tool{toolOf("quick", wait(10*time.Millisecond)), toolOf("slow", wait(5*time.Second))}
		a := agent.New(answers(calls("slow:B", "quick:A"), says("done")).stream, &agent.Options{Model: labModel("m"), Tools: tools})
		a.Subscribe(func(_ context.Context, ev agent.Event) error {
			if end, ok := ev.(*agent.ToolExecutionEnd); ok && end.ToolCallID == "A" && time.Since(begin) != 10*time.Millisecond {
				t.Errorf("A ended after %v", time.Since(begin))
			}
			return nil
		})
		mustPrompt(t, a, "go")
	})
}

func TestToolErrorsAreNeverProviderErrors(t *testing.T) {
	runs := 0
	tool := toolOf("x", func(context.Context, *agent.Call) (*agent.ToolResult, error) {
		runs++
		return nil, &ai.StatusError{Status: 429}
	})
	model := answers(calls("x:1"), says("done"))
	a := agent.New(model.stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{tool}})
	mustPrompt(t, a, "go")
	if runs != 1 || a.State().Error != "" || !strings.HasPrefix(results(a), "!1=") {
		t.Errorf("%d runs, error %q, results %s", runs, a.State().Error, results(a))
	}
}

func TestNothingRunsBeforeTheTerminalEvent(t *testing.T) {
	stream := func(ctx context.Context, req *ai.Request) *ai.Stream {
		return ai.NewStream(ctx, req.Model, func(_ context.Context, w *ai.Writer) error {
			i := w.StartToolCall("1", "x")
			w.Append(i, "{}")
			w.End(i)
			return errors.New("the connection broke")
		})
	}
	ran := false
	tool := toolOf("x", func(context.Context, *agent.Call) (*agent.ToolResult, error) { ran = true; return nil, nil })
	a := agent.New(stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{tool}})
	mustPrompt(t, a, "go")
	if ran {
		t.Error("a call of a broken answer was run")
	}
}

// arguments is an answer that calls x with this text as its arguments, streamed.
func arguments(text string) ai.StreamFunc {
	first := true
	return func(ctx context.Context, req *ai.Request) *ai.Stream {
		call := first
		first = false
		return ai.NewStream(ctx, req.Model, func(_ context.Context, w *ai.Writer) error {
			if call {
				i := w.StartToolCall("1", "x")
				w.Append(i, text)
				w.Done(ai.StopToolUse)
				return nil
			}
			w.Append(w.StartText(), "done")
			w.Done(ai.StopEnd)
			return nil
		})
	}
}

func TestArgumentsOfToolCalls(t *testing.T) {
	params := schema.MustParse(`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"},"timeout":{"type":"number"},"oldText":{"type":"string"},"newText":{"type":"string"}}}`)
	for _, c := range []struct{ report, text, runs, fails string }{
		{"cut short", `{"path":"/tmp/a","content":"hel`, "", `{"path":"/tmp/a","content":"hel`},
		{"no value", `{"path":"ls", "timeout": }`, "", `"timeout": }`},
		{"bad escape", `{"oldText":"\usepackage{a}","newText":"b"}`, `\\usepackage{a}`, ""},
		{"none", ``, `{}`, ""},
		{"wrong type", `{"path":{"cmd":"ls"}}`, "", "path"},
	} {
		t.Run(c.report, func(t *testing.T) {
			var got string
			tool := &agent.Tool{Name: "x", Parameters: params, Execute: func(_ context.Context, call *agent.Call) (*agent.ToolResult, error) {
				got = string(call.Args)
				return agent.TextResult("ok"), nil
			}}
			a := agent.New(arguments(c.text), &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{tool}})
			mustPrompt(t, a, "go")
			result := a.State().Messages[2].(*ai.ToolResultMessage)
			if c.fails != "" {
				if got != "" || !result.IsError || !strings.Contains(result.Content.Text(), c.fails) {
					t.Errorf("ran with %q, result %q", got, result.Content.Text())
				}
			} else if result.IsError || !strings.Contains(got, c.runs) {
				t.Errorf("ran with %q, result %q", got, result.Content.Text())
			}
		})
	}
}

func TestPreparationSeesTheRawArguments(t *testing.T) {
	var saw string
	tool := &agent.Tool{
		Name:       "x",
		Parameters: schema.MustParse(`{"type":"object","properties":{"edits":{"type":"array"}},"required":["edits"],"additionalProperties":false}`),
		PrepareArguments: func(args jsontext.Value) (jsontext.Value, error) {
			saw = string(args)
			return jsontext.Value(`{"edits":[1]}`), nil
		},
		Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) { return nil, nil },
	}
	const legacy = `{"path":"a","oldText":"x","newText":"y"}`
	a := agent.New(arguments(legacy), &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{tool}})
	mustPrompt(t, a, "go")
	if saw != legacy || a.State().Messages[2].(*ai.ToolResultMessage).IsError {
		t.Errorf("saw %s", saw)
	}
}

func TestStoredCallsHoldNothingPrivate(t *testing.T) {
	a := agent.New(arguments(`{"a":1}`), &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{okTool("x")}})
	mustPrompt(t, a, "go")
	got := string(raw(a.State().Messages[1].(*ai.AssistantMessage).Content))
	if want := `[{"type":"toolCall","id":"1","name":"x","arguments":{"a":1}}]`; got != want {
		t.Errorf("stored %s", got)
	}
}

func TestAnUnknownToolIsAResultThatNamesTheOthers(t *testing.T) {
	hidden := okTool("hidden")
	hidden.Hidden = true
	a := agent.New(answers(calls("bash:1"), says("sorry")).stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{okTool("read"), hidden, okTool("write")}})
	r := &recorder{}
	a.Subscribe(r.listen)
	mustPrompt(t, a, "go")
	if got := results(a); got != "!1=Tool bash not found: call one of read, write" || !strings.Contains(r.String(), "run:1 failed:1") {
		t.Errorf("%s, events %s", got, r)
	}
}

func TestExclusiveCallsFollowTheirOrder(t *testing.T) {
	var order []string
	tool := toolOf("edit", func(_ context.Context, call *agent.Call) (*agent.ToolResult, error) {
		if call.ID == "1" {
			time.Sleep(5 * time.Millisecond)
		}
		order = append(order, call.ID) // the race detector watches
		return nil, nil
	})
	tool.Exclusive = func(jsontext.Value) string { return "the file" }
	a := agent.New(answers(calls("edit:1", "edit:2", "edit:3"), says("done")).stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{tool}})
	mustPrompt(t, a, "go")
	if got := strings.Join(order, ""); got != "123" {
		t.Errorf("order %s", got)
	}
}

// A listener sees what a tool gave, also what says nothing and what Rondo does not know.
func TestResultsReachListenersWhole(t *testing.T) {
	for given, want := range map[string]string{
		`{"content":[],"terminate":false}`: `{"content":[],"terminate":false}`,
		`{"content":[],"terminate":true}`:  `{"content":[],"terminate":true}`,
		`{"content":[]}`:                   `{"content":[]}`,
		"{\"content\":[],\"score\": {\n \"a\": [1.50, null]\n},\"kind\":\"x\"}": `{"content":[],"score":{"a":[1.50,null]},"kind":"x"}`,
	} {
		tool := toolOf("x", func(context.Context, *agent.Call) (*agent.ToolResult, error) {
			r := &agent.ToolResult{}
			return r, json.Unmarshal([]byte(given), r)
		})
		a := agent.New(answers(calls("x:1"), says("done")).stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{tool}})
		var lines []string
		a.Subscribe(func(_ context.Context, ev agent.Event) error {
			if _, is := ev.(*agent.ToolExecutionEnd); is {
				lines = append(lines, string(ev.AppendJSON(nil)))
			}
			return nil
		})
		mustPrompt(t, a, "go")
		if len(lines) != 1 || !strings.Contains(lines[0], `"result":`+want+`,`) || strings.Contains(lines[0], "\n") {
			t.Errorf("%s is reported as %s", given, lines)
		}
	}
}
