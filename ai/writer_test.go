package ai_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	jsonx "github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
)

var writerModel = &ai.Model{ID: "m", API: "a", Provider: "p", Cost: ai.Pricing{Input: 1}}

func stream(ctx context.Context, produce func(ctx context.Context, w *ai.Writer) error) *ai.Stream {
	return ai.NewStream(ctx, writerModel, produce)
}

func types(t *testing.T, s *ai.Stream) (string, *ai.AssistantMessage) {
	t.Helper()
	var list []string
	for ev, err := range s.Events() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, ev.Type())
	}
	return strings.Join(list, " "), s.Result()
}

func TestEveryStreamHasOneTerminalEvent(t *testing.T) {
	boom := errors.New("boom")
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the user left"))
	for name, c := range map[string]struct {
		ctx     context.Context
		produce func(context.Context, *ai.Writer) error
		events  string
		stop    ai.StopReason
		err     string
	}{
		"done": {t.Context(), func(_ context.Context, w *ai.Writer) error {
			w.Append(w.StartText(), "x")
			w.Done(ai.StopEnd)
			return nil
		}, "start text_start text_delta text_end done", ai.StopEnd, ""},
		"error first":   {t.Context(), func(context.Context, *ai.Writer) error { return boom }, "error", ai.StopError, "boom"},
		"error later":   {t.Context(), func(_ context.Context, w *ai.Writer) error { w.Append(w.StartText(), "x"); return boom }, "start text_start text_delta error", ai.StopError, "boom"},
		"panic":         {t.Context(), func(context.Context, *ai.Writer) error { panic("ouch") }, "error", ai.StopError, "ouch"},
		"no end":        {t.Context(), func(_ context.Context, w *ai.Writer) error { w.Start(); return nil }, "start error", ai.StopError, ai.ErrUnterminated.Error()},
		"after the end": {t.Context(), func(_ context.Context, w *ai.Writer) error { w.Done(ai.StopEnd); w.StartText(); return boom }, "start done", ai.StopEnd, ""},
		"aborted":       {cancelled, func(context.Context, *ai.Writer) error { return boom }, "error", ai.StopAborted, "the user left"},
	} {
		t.Run(name, func(t *testing.T) {
			events, m := types(t, stream(c.ctx, c.produce))
			if events != c.events || m.StopReason != c.stop || !strings.Contains(m.ErrorMessage, c.err) {
				t.Errorf("%s; %s %q", events, m.StopReason, m.ErrorMessage)
			}
		})
	}
}

func TestAStreamIsReadOnce(t *testing.T) {
	s := stream(t.Context(), func(_ context.Context, w *ai.Writer) error { w.Done(ai.StopEnd); return nil })
	types(t, s)
	for ev, err := range s.Events() {
		if err == nil {
			t.Errorf("a second reader got %v", ev)
		}
	}
}

func TestBreakingOutCancelsTheRequest(t *testing.T) {
	var cause error
	s := stream(t.Context(), func(ctx context.Context, w *ai.Writer) error {
		i := w.StartText()
		for !w.Ended() {
			w.Append(i, "x")
		}
		cause = context.Cause(ctx)
		return nil
	})
	for ev := range s.Events() {
		if ev.Type() == ai.EventTextDelta {
			break
		}
	}
	if cause == nil {
		t.Error("the request goes on")
	}
}

func TestLaw_D7_PartialsAreSnapshots(t *testing.T) {
	s := stream(t.Context(), func(_ context.Context, w *ai.Writer) error {
		a, b := w.StartText(), w.StartThinking()
		for range 100 { // interleaved, and long enough for buffers to move
			w.Append(a, "abcdefgh")
			w.Append(b, "12345")
		}
		c := w.StartToolCall("1", "x")
		w.Append(c, `{"k":"v`)
		w.Append(c, `w"}`)
		w.Done(ai.StopToolUse)
		return nil
	})
	show := func(p ai.Partial) string {
		out, err := jsonx.Marshal(p.Message().Content)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	var kept []ai.Partial
	var was []string
	var wg sync.WaitGroup
	for ev, err := range s.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := ai.PartialOf(ev); ok {
			kept, was = append(kept, p), append(was, show(p))
			wg.Go(func() { show(p) }) // beside the writer
		}
	}
	wg.Wait()
	for i, p := range kept {
		if now := show(p); now != was[i] {
			t.Fatalf("partial %d was %s and is %s", i, was[i], now)
		}
	}
	if !strings.Contains(was[len(was)-2], `{"k":"vw"}`) && !strings.Contains(was[len(was)-1], `{"k":"vw"}`) {
		t.Errorf("the last partial is %s", was[len(was)-1])
	}
}

func TestLaw_D7_ReplacedTexts(t *testing.T) {
	s := stream(t.Context(), func(_ context.Context, w *ai.Writer) error {
		i := w.StartThinking()
		w.Append(i, "a")
		w.Append(i, "b\n\n")
		w.SetText(i, "ab")
		w.End(i)
		j := w.StartText()
		w.Append(j, "one")
		w.SetText(j, "two or more")
		w.Append(j, "!")
		w.Done(ai.StopEnd)
		return nil
	})
	var kept []ai.Partial
	for ev := range s.Events() {
		if p, ok := ai.PartialOf(ev); ok {
			kept = append(kept, p)
		}
	}
	var got []string
	for _, p := range kept {
		var texts []string
		for _, block := range p.Message().Content {
			switch b := block.(type) {
			case *ai.Thinking:
				texts = append(texts, b.Thinking)
			case *ai.Text:
				texts = append(texts, b.Text)
			}
		}
		got = append(got, strings.Join(texts, "|"))
	}
	want := []string{"", "", "a", "ab\n\n", "ab", "ab|", "ab|one", "ab|two or more!", "ab|two or more!"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPartialArgumentsGrow(t *testing.T) {
	s := stream(t.Context(), func(_ context.Context, w *ai.Writer) error {
		i := w.StartToolCall("1", "x")
		for _, d := range []string{`{"path":"a`, `.go","con`, `tent":"half`} {
			w.Append(i, d)
		}
		w.Done(ai.StopToolUse)
		return nil
	})
	var got []any
	var texts []string
	for ev := range s.Events() {
		if d, ok := ev.(*ai.ToolCallDelta); ok {
			texts = append(texts, d.Partial.ArgumentsText(d.ContentIndex), d.Partial.ArgumentsText(d.ContentIndex+1))
			args := d.Partial.Arguments(d.ContentIndex)
			got = append(got, args["path"], args["content"])
		}
	}
	want := []any{"a", nil, "a.go", nil, "a.go", "half"}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
	if want := []string{`{"path":"a`, "", `{"path":"a.go","con`, "", `{"path":"a.go","content":"half`, ""}; !slices.Equal(texts, want) {
		t.Errorf("the texts are %q", texts)
	}
	call := s.Result().Content.ToolCalls()[0]
	if call.ArgumentsError == "" || string(call.Arguments) == "" {
		t.Errorf("a call that was cut is %+v", call)
	}
}

func TestCostIsComputedOnce(t *testing.T) {
	_, m := types(t, stream(t.Context(), func(_ context.Context, w *ai.Writer) error {
		w.SetUsage(ai.Usage{Input: 1_000_000})
		w.Done(ai.StopEnd)
		return nil
	}))
	if m.Usage.Cost.Total != 1 || m.Usage.TotalTokens != 1_000_000 {
		t.Errorf("%+v", m.Usage)
	}
}

func TestRouterNamesTheUnknownAPI(t *testing.T) {
	m, err := ai.Complete(t.Context(), ai.Router{}.Stream, &ai.Request{Model: writerModel})
	if err != nil || m.StopReason != ai.StopError || !strings.Contains(m.ErrorMessage, `"a"`) {
		t.Errorf("%+v %v", m, err)
	}
}
