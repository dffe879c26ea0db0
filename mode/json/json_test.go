package json_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	modejson "github.com/rondo-agent/rondo/mode/json"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, replies []scripted.Reply, tools ...*agent.Tool) *session.Session {
	t.Helper()
	s, err := session.New(memory.New(transcript.NewHeader("/")), &session.Options{Stream: scripted.New(replies...).Stream, Model: scripted.Record(), Tools: tools, Retry: session.Retry{Disabled: true}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

// types are those of the lines; repeated ones are given once.
func types(t *testing.T, output string) []string {
	t.Helper()
	if !strings.HasSuffix(output, "\n") {
		t.Errorf("the last line is cut in %q", output)
	}
	var all []string
	for line := range strings.Lines(output) {
		var ev struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal([]byte(line), &ev); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		all = append(all, ev.Type)
	}
	return slices.Compact(all)
}

const run = "agent_start turn_start message_start message_end message_start message_update message_end turn_end agent_end agent_settled"

// The header comes first, then every event; the last is that the session has settled.
func TestRun(t *testing.T) {
	s := open(t, []scripted.Reply{scripted.Say("one"), scripted.Say("two")})
	var out bytes.Buffer
	if err := modejson.Run(t.Context(), session.NewRuntime(s, nil), []session.Prompt{{Text: "a"}, {Text: "b"}}, &out); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(types(t, out.String()), " "), "session "+run+" "+run; got != want {
		t.Errorf("got\n  %s\nwant\n  %s", got, want)
	}
	var header transcript.Header
	first, _, _ := strings.Cut(out.String(), "\n")
	if err := json.Unmarshal([]byte(first), &header); err != nil || header.ID != s.ID() || header.Version != transcript.Version {
		t.Errorf("header %s: %v", first, err)
	}
	if strings.Contains(out.String(), `"partial"`) {
		t.Errorf("updates carry the whole message:\n%s", out.String())
	}
}

// Run returns when all has been written, however the goroutines are scheduled.
func TestLaw_S2_NothingIsMissingAtTheEnd(t *testing.T) {
	for range 300 {
		var out bytes.Buffer
		if err := modejson.Run(t.Context(), session.NewRuntime(open(t, []scripted.Reply{scripted.Say("a")}), nil), []session.Prompt{{Text: "x"}}, &out); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(out.String(), "{\"type\":\"agent_settled\"}\n") {
			t.Fatalf("the end is missing: %s", out.String())
		}
	}
}

func TestFailuresAreErrors(t *testing.T) {
	for name, reply := range map[string]scripted.Reply{
		"refused": scripted.Fail(&ai.StatusError{Status: 401, Message: "wrong key"}),
		"cut":     {Blocks: scripted.Say("half of").Blocks, Stop: ai.StopLength},
		"torn":    {Blocks: scripted.Say("half of it").Blocks, CutAt: 1},
		"empty":   {},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := modejson.Run(t.Context(), session.NewRuntime(open(t, []scripted.Reply{reply, scripted.Say("never")}), nil), []session.Prompt{{Text: "a"}, {Text: "b"}}, &out)
			if _, failed := errors.AsType[*session.FailedAnswerError](err); !failed {
				t.Errorf("Run: %v", err)
			}
			if got := types(t, out.String()); got[len(got)-1] != "agent_settled" {
				t.Errorf("events %q", got)
			}
			if n := strings.Count(out.String(), "agent_start"); n != 1 {
				t.Errorf("%d prompts were sent", n)
			}
		})
	}
}

// A prompt that is refused sends nothing.
func TestRefused(t *testing.T) {
	s, err := session.New(memory.New(transcript.NewHeader("/")), &session.Options{Stream: scripted.New().Stream})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	if err := modejson.Run(t.Context(), session.NewRuntime(s, nil), []session.Prompt{{Text: "a"}}, io.Discard); !errors.Is(err, session.ErrNoModel) {
		t.Errorf("Run: %v", err)
	}
}

// broken fails after some lines.
type broken struct{ lines int }

var errBroken = errors.New("nobody reads")

func (b *broken) Write(p []byte) (int, error) {
	if b.lines--; b.lines < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

// An output that is gone ends the run, and what the run has started.
func TestBrokenOutputEndsTheRun(t *testing.T) {
	hang := &agent.Tool{Name: "hang", Execute: func(ctx context.Context, _ *agent.Call) (*agent.ToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	for lines := range 10 {
		s := open(t, []scripted.Reply{scripted.Of(scripted.Text("a"), scripted.Call("c", "hang", nil))}, hang)
		err := modejson.Run(t.Context(), session.NewRuntime(s, nil), []session.Prompt{{Text: "a"}, {Text: "b"}}, &broken{lines})
		if !errors.Is(err, errBroken) || err.Error() != "write the events: nobody reads" {
			t.Errorf("after %d lines: %v", lines, err)
		}
		if st := s.State(); st.Busy {
			t.Errorf("after %d lines the session still works", lines)
		}
	}
}

func TestAborted(t *testing.T) {
	model := scripted.New(scripted.Reply{Hold: "gate"})
	s, err := session.New(memory.New(transcript.NewHeader("/")), &session.Options{Stream: model.Stream, Model: scripted.Record()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-model.Waiting("gate")
		cancel()
	}()
	var out bytes.Buffer
	err = modejson.Run(ctx, session.NewRuntime(s, nil), []session.Prompt{{Text: "a"}, {Text: "b"}}, &out)
	if failed, ok := errors.AsType[*session.FailedAnswerError](err); !ok || failed.Answer.StopReason != ai.StopAborted {
		t.Errorf("Run: %v", err)
	}
	if got := types(t, out.String()); got[len(got)-1] != "agent_settled" {
		t.Errorf("events %q", got)
	}
}
