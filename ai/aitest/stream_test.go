package aitest_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/aitest"
)

// recorder is a testing.TB that keeps what is reported.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func TestCheckStream_AcceptsWhatAWriterMakes(t *testing.T) {
	for name, produce := range map[string]func(context.Context, *ai.Writer) error{
		"interleaved": func(_ context.Context, w *ai.Writer) error {
			w.Start()
			text, call := w.StartText(), w.StartToolCall("c1", "echo")
			w.Append(text, "Hel")
			w.Append(call, `{"a":`)
			w.Append(text, "lo")
			w.Append(call, `1}`)
			w.End(call)
			w.Done(ai.StopToolUse)
			return nil
		},
		"failed before it began": func(context.Context, *ai.Writer) error { return errors.New("no") },
		"failed in the middle": func(_ context.Context, w *ai.Writer) error {
			w.Append(w.StartThinking(), "hm")
			return errors.New("no")
		},
		"unterminated": func(_ context.Context, w *ai.Writer) error { w.StartText(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			if events := aitest.CheckStream(t, ai.NewStream(t.Context(), &ai.Model{}, produce)); len(events) == 0 {
				t.Error("no events")
			}
		})
	}
}

func TestCheckStream_ReportsBrokenRules(t *testing.T) {
	ok := &ai.AssistantMessage{StopReason: ai.StopEnd}
	text := func(s string) *ai.AssistantMessage {
		return &ai.AssistantMessage{StopReason: ai.StopEnd, Content: ai.TextContent(s)}
	}
	tests := map[string]struct {
		events []ai.StreamEvent
		want   string
	}{
		"no terminal event": {[]ai.StreamEvent{&ai.Start{}}, "without a terminal one"},
		"no start":          {[]ai.StreamEvent{&ai.Done{Message: ok}}, "done before start"},
		"two starts":        {[]ai.StreamEvent{&ai.Start{}, &ai.Start{}, &ai.Done{Message: ok}}, "second start"},
		"event after end":   {[]ai.StreamEvent{&ai.Start{}, &ai.Done{Message: ok}, &ai.Start{}}, "start after the terminal event"},
		"error as success":  {[]ai.StreamEvent{&ai.Error{Message: ok}}, "stop reason"},
		"silent error":      {[]ai.StreamEvent{&ai.Error{Message: &ai.AssistantMessage{StopReason: ai.StopError}}}, "says nothing"},
		"wrong index":       {[]ai.StreamEvent{&ai.Start{}, &ai.TextStart{ContentIndex: 1}}, "begins at index 1"},
		"delta for nothing": {[]ai.StreamEvent{&ai.Start{}, &ai.TextDelta{Delta: "x"}}, "no block 0"},
		"wrong kind":        {[]ai.StreamEvent{&ai.Start{}, &ai.TextStart{}, &ai.ThinkingDelta{}}, "gets an event for thinking"},
		"wrong sum":         {[]ai.StreamEvent{&ai.Start{}, &ai.TextStart{}, &ai.TextDelta{Delta: "x"}, &ai.TextEnd{Content: "y"}}, `ends with "y"`},
		"open at the end":   {[]ai.StreamEvent{&ai.Start{}, &ai.TextStart{}, &ai.Done{Message: text("")}}, "still open"},
		"other content": {[]ai.StreamEvent{
			&ai.Start{}, &ai.TextStart{}, &ai.TextDelta{Delta: "x"}, &ai.TextEnd{Content: "x"}, &ai.Done{Message: text("y")},
		}, "not the one that was streamed"},
		"broken call": {[]ai.StreamEvent{&ai.Start{}, &ai.ToolCallStart{}, &ai.ToolCallEnd{ToolCall: &ai.ToolCall{}}}, "no JSON object"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var last *ai.AssistantMessage
			events := func(yield func(ai.StreamEvent, error) bool) {
				for _, ev := range test.events {
					if done, ok := ev.(*ai.Done); ok {
						last = done.Message
					}
					if !yield(ev, nil) {
						return
					}
				}
			}
			r := &recorder{TB: t}
			aitest.CheckStream(r, ai.StreamOf(iter.Seq2[ai.StreamEvent, error](events), func() *ai.AssistantMessage { return last }))
			if all := strings.Join(r.errors, "\n"); !strings.Contains(all, test.want) {
				t.Errorf("reported %q, want %q", all, test.want)
			}
		})
	}
}
