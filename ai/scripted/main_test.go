package scripted_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/aitest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ask sends a request with one user message and checks the stream.
func ask(t testing.TB, stream ai.StreamFunc, ctx context.Context) ([]ai.StreamEvent, *ai.AssistantMessage) {
	t.Helper()
	return send(t, stream, ctx, &ai.Request{Context: ai.Context{Messages: []ai.Message{user("Hi!")}}})
}

func send(t testing.TB, stream ai.StreamFunc, ctx context.Context, req *ai.Request) ([]ai.StreamEvent, *ai.AssistantMessage) {
	t.Helper()
	s := stream(ctx, req)
	events := aitest.CheckStream(t, s)
	if s.Result() == nil {
		t.Fatal("the stream has no result")
	}
	return events, s.Result()
}

func user(text string) *ai.UserMessage { return &ai.UserMessage{Content: ai.TextContent(text)} }

// deltas returns the pieces of all blocks.
func deltas(events []ai.StreamEvent) []string {
	var out []string
	for _, ev := range events {
		switch ev := ev.(type) {
		case *ai.TextDelta:
			out = append(out, ev.Delta)
		case *ai.ThinkingDelta:
			out = append(out, ev.Delta)
		case *ai.ToolCallDelta:
			out = append(out, ev.Delta)
		}
	}
	return out
}

func diff(t testing.TB, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}
