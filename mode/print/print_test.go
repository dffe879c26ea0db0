package print_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/print"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, model *scripted.Model) *session.Session {
	t.Helper()
	note := &agent.Tool{Name: "note", Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) { return agent.TextResult("noted"), nil }}
	s, err := session.New(memory.New(transcript.NewHeader("/")), &session.Options{Stream: model.Stream, Model: scripted.Record(), Tools: []*agent.Tool{note}, Retry: session.Retry{Disabled: true}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

// Only the last answer's text is printed, each block on a line of its own.
func TestRun(t *testing.T) {
	for name, c := range map[string]struct {
		replies []scripted.Reply
		prompts []session.Prompt
		want    string
		failed  ai.StopReason // of the answer, if the run fails
	}{
		"text":             {[]scripted.Reply{scripted.Say("Hello.")}, []session.Prompt{{Text: "a"}}, "Hello.\n", ""},
		"blocks":           {[]scripted.Reply{scripted.Of(scripted.Thinking("hm"), scripted.Text("one"), scripted.Text("two\n"))}, []session.Prompt{{Text: "a"}}, "one\ntwo\n\n", ""},
		"after a call":     {[]scripted.Reply{scripted.Of(scripted.Text("first"), scripted.Call("c", "note", nil)), scripted.Say("last")}, []session.Prompt{{Text: "a"}}, "last\n", ""},
		"several":          {[]scripted.Reply{scripted.Say("one"), scripted.Say("two")}, []session.Prompt{{Text: "a"}, {Text: "b"}}, "two\n", ""},
		"none":             {nil, nil, "", ""},
		"failed":           {[]scripted.Reply{scripted.Fail(errors.New("down"))}, []session.Prompt{{Text: "a"}}, "", ai.StopError},
		"torn":             {[]scripted.Reply{{Blocks: scripted.Say("half of it").Blocks, CutAt: 1}}, []session.Prompt{{Text: "a"}}, "", ai.StopError},
		"cut":              {[]scripted.Reply{{Blocks: scripted.Say("half of").Blocks, Stop: ai.StopLength}}, []session.Prompt{{Text: "a"}}, "half of\n", ai.StopLength},
		"empty":            {[]scripted.Reply{{}}, []session.Prompt{{Text: "a"}}, "", ai.StopError},
		"the first failed": {[]scripted.Reply{scripted.Fail(errors.New("down")), scripted.Say("two")}, []session.Prompt{{Text: "a"}, {Text: "b"}}, "", ai.StopError},
		"the second":       {[]scripted.Reply{scripted.Say("one"), scripted.Fail(errors.New("down"))}, []session.Prompt{{Text: "a"}, {Text: "b"}}, "", ai.StopError},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := print.Run(t.Context(), session.NewRuntime(open(t, scripted.New(c.replies...)), nil), c.prompts, &out)
			if out.String() != c.want {
				t.Errorf("output %q, want %q", out.String(), c.want)
			}
			failed, ok := errors.AsType[*session.FailedAnswerError](err)
			if c.failed == "" && err != nil || c.failed != "" && (!ok || failed.Answer.StopReason != c.failed) {
				t.Errorf("Run: %v, want %q", err, c.failed)
			}
		})
	}
}

func TestAborted(t *testing.T) {
	model := scripted.New(scripted.Reply{Blocks: scripted.Say("half of it").Blocks, Gates: []scripted.Gate{{Name: "gate", At: 1}}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-model.Waiting("gate")
		cancel()
	}()
	var out bytes.Buffer
	err := print.Run(ctx, session.NewRuntime(open(t, model), nil), []session.Prompt{{Text: "a"}, {Text: "b"}}, &out)
	if failed, ok := errors.AsType[*session.FailedAnswerError](err); !ok || failed.Answer.StopReason != ai.StopAborted {
		t.Errorf("Run: %v", err)
	}
	if out.Len() > 0 || model.Calls() != 1 {
		t.Errorf("output %q after %d requests", out.String(), model.Calls())
	}
}

type broken struct{}

var errBroken = errors.New("nobody reads")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestBrokenOutput(t *testing.T) {
	err := print.Run(t.Context(), session.NewRuntime(open(t, scripted.New(scripted.Say("a"))), nil), []session.Prompt{{Text: "a"}}, broken{})
	if !errors.Is(err, errBroken) || err.Error() != "write the answer: nobody reads" {
		t.Errorf("Run: %v", err)
	}
}
