package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/schema"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/tools"
)

// In a sequential batch the first result is stored before the second call is checked.
func TestToolCallSeesTheEarlierResult(t *testing.T) {
	var d diary
	p := &llm{replies: []answerFunc{func(_ context.Context, w *ai.Writer) error {
		w.Append(w.StartToolCall("c1", "look"), "{}")
		w.Append(w.StartToolCall("c2", "look"), "{}")
		w.Done(ai.StopToolUse)
		return nil
	}, saying("done", 10)}}
	look := toolReturning("look", func() string { return "seen" })
	look.Mode = agent.Sequential
	s := extended(t, &d, p, session.Options{Tools: []*agent.Tool{look}}, func(api *api) {
		extension.Observe(api, func(_ context.Context, _ *extx, e *extension.MessageEnd) error {
			time.Sleep(5 * time.Millisecond)
			return nil
		})
		extension.Observe(api, func(_ context.Context, x *extx, e *extension.ToolCall) error {
			s, err := x.Session()
			if err != nil {
				return err
			}
			n := 0
			for _, entry := range s.Entries() {
				if strings.Contains(string(entry), `"role":"toolResult"`) {
					n++
				}
			}
			d.add("%s sees %d", e.ToolCallID, n)
			return nil
		})
	})
	mustPrompt(t, s, "go")
	if d.String() != "c1 sees 0, c2 sees 1" {
		t.Error(d.String())
	}
}

// The model calls a tool that is not active: it gets a failed result with its events.
func TestAToolThatIsNotActive(t *testing.T) {
	var d diary
	p := &llm{replies: []answerFunc{calling("c1", "bash", "{}", 10), saying("done", 10)}}
	s := extended(t, &d, p, session.Options{Toolbox: tools.Builtin("/", nil)},
		observing(&d, func(e *extension.ToolExecutionStart) string { return "start " + e.ToolName }),
		observing(&d, func(e *extension.ToolExecutionEnd) string {
			return fmt.Sprintf("end %v %s", e.IsError, e.Result.Content.Text())
		}))
	mustPrompt(t, s, "go")
	if d.String() != "start bash, end true Tool bash not found: there are no tools" {
		t.Error(d.String())
	}
}

// An input that a handler changes into something invalid fails its call, and nothing else.
func TestAnInvalidInput(t *testing.T) {
	var d diary
	p := &llm{replies: []answerFunc{calling("c1", "read", `{"path":"x"}`, 10), saying("done", 10)}}
	box := tools.Builtin("/", nil)
	s := extended(t, &d, p, session.Options{Tools: tools.Tools(box)}, func(api *api) {
		extension.On(api, func(_ context.Context, _ *extx, e *extension.ToolCall) (*extension.ToolCallResult, error) {
			e.Input = jsontext.Value(`{"path":7}`)
			return nil, nil
		})
	}, observing(&d, func(e *extension.ToolExecutionEnd) string { return fmt.Sprint("end ", e.IsError) }))
	mustPrompt(t, s, "go")
	if d.String() != "end true" || s.LastAnswer().Content.Text() != "done" {
		t.Error(d.String())
	}
}

// A result of an extension's tool that has not the form of a result is made one, or fails.
func TestResultsAreNormal(t *testing.T) {
	for name, c := range map[string]struct {
		result *agent.ToolResult
		want   string
	}{
		"nothing":     {nil, "false "},
		"no content":  {&agent.ToolResult{}, "false "},
		"nil block":   {&agent.ToolResult{Content: ai.Content{nil}}, "true the tool's result is not as it must be"},
		"bad block":   {&agent.ToolResult{Content: ai.Content{&ai.ToolCall{ID: "x", Name: "y"}}}, "true the tool's result is not as it must be: its content has a block of the type toolCall in place 0; it may have text and images"},
		"bad details": {&agent.ToolResult{Details: jsontext.Value(`{"a":`)}, "true the tool's result is not as it must be"},
	} {
		t.Run(name, func(t *testing.T) {
			var d diary
			p := &llm{replies: []answerFunc{calling("c1", "odd", "{}", 10), saying("done", 10)}}
			s := extended(t, &d, p, session.Options{}, func(api *api) {
				err := api.RegisterTool(&extension.Tool{Tool: &agent.Tool{Name: "odd", Parameters: schema.Empty, Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) {
					return c.result, nil
				}}})
				if err != nil {
					t.Error(err)
				}
			}, observing(&d, func(e *extension.ToolExecutionEnd) string {
				return fmt.Sprintf("%v %s", e.IsError, e.Result.Content.Text())
			}))
			mustPrompt(t, s, "go")
			if !strings.HasPrefix(d.String(), c.want) {
				t.Errorf("got %q", d.String())
			}
			for _, m := range s.Messages() {
				if r, ok := m.(*ai.ToolResultMessage); ok && r.Content == nil {
					t.Error("the content is null")
				}
			}
			mustPrompt(t, s, "and on")
		})
	}
}

func TestActiveTools(t *testing.T) {
	var d diary
	var a *api
	p := &llm{replies: []answerFunc{calling("c1", "unlock", "{}", 10), calling("c2", "hidden", "{}", 10), saying("done", 10), saying("more", 10)}}
	named := func(name string, run func() error) *extension.Tool {
		return &extension.Tool{PromptSnippet: name + "-SNIPPET", Tool: &agent.Tool{Name: name, Parameters: schema.Empty, Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) {
			return agent.TextResult(name), run()
		}}}
	}
	box := tools.Builtin("/", nil)
	s := extended(t, &d, p, session.Options{Tools: tools.Tools(box)[:1], Toolbox: box, Prompt: &session.SystemPrompt{}, PlainTools: true}, func(api *api) {
		a = api
		_ = api.RegisterTool(named("hidden", func() error { return nil }))
		_ = api.RegisterTool(named("unlock", func() error {
			names, err := api.ActiveTools()
			return errors.Join(err, api.SetActiveTools(append(names, "hidden")))
		}))
		extension.Observe(api, func(context.Context, *extx, *extension.SessionStart) error {
			return api.SetActiveTools([]string{"read", "unlock", "nothing"})
		})
	}, observing(&d, func(e *extension.ToolExecutionEnd) string {
		return fmt.Sprintf("%s %v adds %q", e.ToolName, e.IsError, e.Result.AddedToolNames)
	}))
	mustPrompt(t, s, "go")
	if want := `unlock false adds ["hidden"], hidden false adds []`; d.String() != want {
		t.Errorf("got %s", d.String())
	}
	var offered []string
	for _, decl := range p.asked[1].Context.Tools {
		offered = append(offered, decl.Name)
	}
	if !slices.Equal(offered, []string{"read", "unlock", "hidden"}) {
		t.Errorf("the second request offers %q", offered)
	}
	if first, second := p.asked[0].Context.SystemPrompt, p.asked[1].Context.SystemPrompt; strings.Contains(first, "hidden-SNIPPET") || !strings.Contains(second, "hidden-SNIPPET") {
		t.Errorf("%s\n\n%s", first, second)
	}
	if err := a.RegisterTool(named("late", func() error { return nil })); err != nil {
		t.Fatal(err)
	}
	mustPrompt(t, s, "more")
	if !slices.ContainsFunc(p.asked[3].Context.Tools, func(d ai.ToolDecl) bool { return d.Name == "late" }) {
		t.Error("a tool that was registered later is not offered")
	}
	if all, _ := a.AllTools(); len(all) != len(box)+3 || all[0].SourceInfo.Source != "builtin" || all[len(all)-1].SourceInfo.Path != "<a>" {
		t.Errorf("%+v", all)
	}
}

// A tool of an extension that ignores its context cannot keep the session.
func TestAToolThatIgnoresAborts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		p := &llm{replies: []answerFunc{calling("c1", "stuck", "{}", 10), saying("done", 10)}}
		gate := make(chan struct{})
		s := extended(t, &d, p, session.Options{}, func(api *api) {
			_ = api.RegisterTool(&extension.Tool{Tool: &agent.Tool{Name: "stuck", Parameters: schema.Empty, Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) {
				<-gate
				return agent.TextResult("late"), nil
			}}})
		})
		if _, err := s.Start(session.Prompt{Text: "go"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		begin := time.Now()
		if err := s.Abort(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took > 5*time.Second || s.State().Busy {
			t.Errorf("the abort took %v", took)
		}
		close(gate)
	})
}

// A hidden tool is not for the model, but for other tools.
func TestHiddenTools(t *testing.T) {
	var d diary
	p := &llm{replies: []answerFunc{calling("c1", "hidden", "{}", 10), calling("c2", "open", "{}", 10), saying("done", 10)}}
	s := extended(t, &d, p, session.Options{PlainTools: true}, func(api *api) {
		hidden := toolReturning("hidden", func() string { return "found" })
		hidden.Parameters, hidden.Hidden = schema.Empty, true
		open := &agent.Tool{Name: "open", Parameters: schema.Empty, Execute: func(ctx context.Context, call *agent.Call) (*agent.ToolResult, error) {
			o := call.RunTool(ctx, &ai.ToolCall{ID: "inner", Name: "hidden", Arguments: jsontext.Value("{}")}, nil)
			return o.Result, nil
		}}
		for _, tool := range []*agent.Tool{hidden, open} {
			if err := api.RegisterTool(&extension.Tool{Tool: tool}); err != nil {
				t.Error(err)
			}
		}
		extension.Observe(api, func(context.Context, *extx, *extension.AgentStart) error {
			return api.SetActiveTools([]string{"hidden", "open"})
		})
	}, observing(&d, func(e *extension.ToolExecutionEnd) string {
		return fmt.Sprintf("%s %v %s", e.ToolName, e.IsError, e.Result.Content.Text())
	}))
	mustPrompt(t, s, "go")
	if d.String() != "hidden true Tool hidden not found: call one of open, open false found" {
		t.Error(d.String())
	}
	for _, req := range p.asked {
		if len(req.Context.Tools) != 1 || req.Context.Tools[0].Name != "open" {
			t.Errorf("the model is offered %+v", req.Context.Tools)
		}
	}
}
