package session_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

var labModel = &ai.Model{ID: "m", Name: "M", API: "fake", Provider: "lab", Input: []string{ai.InputText}, ContextWindow: 100000, MaxTokens: 4096}

func TestLaw_S1_FileOrderIsEventOrder(t *testing.T) {
	store, path := storetest.File(t)
	tool := &agent.Tool{Name: "a", Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) { return agent.TextResult("ok"), nil }}
	s := open(t, store, &model{replies: []func(context.Context, *ai.Writer) error{toolCalls("a"), text("done")}}, session.Options{Tools: []*agent.Tool{tool}})
	var events []string
	s.Subscribe(func(ev event.Event) {
		if end, ok := ev.(*agent.MessageEnd); ok {
			events = append(events, end.Message.Role())
			if n := store.Len(); n != len(events)+1 { // model, level, and the messages before
				t.Errorf("at the end of message %d the store has %d entries", len(events), n)
			}
		}
	})
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	var file []string
	for _, e := range entries(t, path) {
		if m, ok := e.(*transcript.MessageEntry); ok {
			file = append(file, m.Message.Role())
		}
	}
	if !slices.Equal(file, events) || strings.Join(file, " ") != "user assistant toolResult assistant" {
		t.Errorf("file %v, events %v", file, events)
	}
}

func TestAbortNeverGetsLostBetweenRuns(t *testing.T) {
	gate := make(chan struct{})
	s := open(t, inMemory(), &model{replies: []func(context.Context, *ai.Writer) error{held("one", nil), held("two", gate)}}, session.Options{})
	a, err := s.Start(session.Prompt{Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Abort(t.Context()); err != nil { // perhaps before the run has begun
		t.Fatal(err)
	}
	waitAborted(t, a)
	if s.State().Busy {
		t.Error("still busy")
	}
}

func TestThePromptIsStoredBeforeTheRequest(t *testing.T) {
	store, path := storetest.File(t)
	gate := make(chan struct{})
	defer close(gate)
	var seen string
	asked := make(chan struct{})
	m := &model{replies: []func(context.Context, *ai.Writer) error{func(context.Context, *ai.Writer) error {
		data, err := os.ReadFile(path)
		seen = string(data)
		close(asked)
		return err
	}}}
	s := open(t, store, m, session.Options{})
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "my work"}); err != nil {
		t.Fatal(err)
	}
	<-asked
	if !strings.Contains(seen, "my work") {
		t.Errorf("when the model was asked, the file was %q", seen)
	}
}

// failing is a store whose disk is full.
type failing struct {
	transcript.Store
	full atomic.Bool
}

var errFull = errors.New("no space left on device")

func (f *failing) Append(e ...transcript.Entry) error {
	if f.full.Load() {
		return errFull
	}
	return f.Store.Append(e...)
}

func TestAFullDiskEndsTheRunVisibly(t *testing.T) {
	store := &failing{Store: inMemory()}
	tool := &agent.Tool{Name: "a", Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) {
		store.full.Store(true)
		return agent.TextResult("side effect"), nil
	}}
	m := &model{replies: []func(context.Context, *ai.Writer) error{toolCalls("a"), text("never")}}
	s := open(t, store, m, session.Options{Tools: []*agent.Tool{tool}})
	_, err := s.Prompt(t.Context(), session.Prompt{Text: "go"})
	if !errors.Is(err, errFull) {
		t.Errorf("the prompt returned %v", err)
	}
	if m.asked() != 1 {
		t.Errorf("the model was asked %d times although a result was not stored", m.asked())
	}
	if !strings.Contains(fmt.Sprint(s.Messages()[2].(*ai.ToolResultMessage).Content.Text()), "side effect") {
		t.Error("the result is gone")
	}
}

func TestFinishedResultsSurviveACrash(t *testing.T) {
	store, path := storetest.File(t)
	slow := make(chan struct{})
	tool := func(name string, wait chan struct{}) *agent.Tool {
		return &agent.Tool{Name: name, Execute: func(ctx context.Context, _ *agent.Call) (*agent.ToolResult, error) {
			if wait != nil {
				select {
				case <-wait:
				case <-ctx.Done():
				}
			}
			return &agent.ToolResult{Content: ai.TextContent("result of " + name), Details: jsontext.Value(`{"x":1}`)}, nil
		}}
	}
	m := &model{replies: []func(context.Context, *ai.Writer) error{toolCalls("stalls", "quick"), text("done")}}
	s := open(t, store, m, session.Options{Tools: []*agent.Tool{tool("stalls", slow), tool("quick", nil)}})
	// The subscriber plays the crash: it copies the files as they are when the quick call
	// has ended and its result was written down.
	crashed := filepath.Join(t.TempDir(), "s.jsonl")
	ended := make(chan struct{})
	s.Subscribe(func(ev event.Event) {
		if end, ok := ev.(*agent.ToolExecutionEnd); ok && end.ToolCallID == "quick" {
			close(ended)
		}
	})
	a, err := s.Start(session.Prompt{Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	<-ended
	for { // the journal is written right after the event
		if data, err := os.ReadFile(path + ".results"); err == nil && strings.HasSuffix(string(data), "\n") {
			break
		}
	}
	for _, suffix := range []string{"", ".results"} {
		data, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(crashed+suffix, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	close(slow)
	if _, err := a.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + ".results"); !os.IsNotExist(err) {
		t.Errorf("the journal is left behind: %v", err)
	}

	again, err := jsonl.Open(crashed, nil)
	if err != nil {
		t.Fatal(err)
	}
	m2 := &model{replies: []func(context.Context, *ai.Writer) error{text("resumed")}}
	resumed := open(t, again, m2, session.Options{})
	last := resumed.Messages()[len(resumed.Messages())-1]
	if r, ok := last.(*ai.ToolResultMessage); !ok || r.ToolCallID != "quick" || r.Content.Text() != "result of quick" || string(r.Details) != `{"x":1}` {
		t.Errorf("the last message is %#v", last)
	}
}

func TestResumeTakesUpModelAndMessages(t *testing.T) {
	store, path := storetest.File(t)
	s := open(t, store, &model{replies: []func(context.Context, *ai.Writer) error{text("one")}}, session.Options{})
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "first"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := jsonl.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &model{replies: []func(context.Context, *ai.Writer) error{text("two")}}
	resumed, err := session.New(again, &session.Options{Stream: m.stream, CWD: t.TempDir(), FindModel: func(provider, id string) *ai.Model {
		if provider == "lab" && id == "m" {
			return labModel
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer resumed.Close(t.Context())
	if _, err := resumed.Prompt(t.Context(), session.Prompt{Text: "second"}); err != nil {
		t.Fatal(err)
	}
	if n := len(m.requests[0].Context.Messages); n != 3 {
		t.Errorf("the model saw %d messages", n)
	}
}

func TestBashRecordsWaitForTheRun(t *testing.T) {
	gate := make(chan struct{})
	m := &model{replies: []func(context.Context, *ai.Writer) error{held("one", gate), text("two")}}
	s := open(t, inMemory(), m, session.Options{})
	a, err := s.Start(session.Prompt{Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.RunBash(t.Context(), session.BashCommand{Text: "echo out; exit 3"})
	if err != nil || r.Output != "out\n" || r.ExitCode == nil || *r.ExitCode != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, msg := range s.Messages() {
		if msg.Role() == transcript.RoleBashExecution {
			t.Error("the record came into the running conversation")
		}
	}
	close(gate)
	if _, err := a.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "what did I run"}); err != nil {
		t.Fatal(err)
	}
	seen := m.requests[1].Context.Messages
	if got := seen[2].(*ai.UserMessage).Content.Text(); !strings.Contains(got, "echo out") {
		t.Errorf("the model sees %q", got)
	}
}

func TestAbortBashEndsAll(t *testing.T) {
	s := open(t, inMemory(), &model{}, session.Options{})
	var wg sync.WaitGroup
	started := make(chan struct{}, 3)
	s.Subscribe(func(ev event.Event) {
		if ev.Type() == event.EventBashExecutionUpdate {
			started <- struct{}{}
		}
	})
	for range 3 {
		wg.Go(func() {
			r, err := s.RunBash(t.Context(), session.BashCommand{Text: "echo up; sleep 600"})
			if err != nil || !r.Cancelled {
				t.Errorf("%+v %v", r, err)
			}
		})
	}
	for range 3 {
		<-started
	}
	s.AbortBash()
	wg.Wait()
}

func TestCloseStoresTheLastResults(t *testing.T) {
	store, path := storetest.File(t)
	started := make(chan struct{})
	tool := &agent.Tool{Name: "a", Execute: func(ctx context.Context, _ *agent.Call) (*agent.ToolResult, error) {
		close(started)
		<-ctx.Done()
		return agent.TextResult("stopped in time"), nil
	}}
	s := open(t, store, &model{replies: []func(context.Context, *ai.Writer) error{toolCalls("a")}}, session.Options{Tools: []*agent.Tool{tool}})
	if _, err := s.Start(session.Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	<-started
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := entries(t, path)
	last, ok := all[len(all)-1].(*transcript.MessageEntry)
	if !ok || last.Message.(*ai.ToolResultMessage).Content.Text() != "stopped in time" {
		t.Errorf("the last entry is %#v", all[len(all)-1])
	}
	if _, err := s.Start(session.Prompt{Text: "more"}); !errors.Is(err, transcript.ErrClosed) {
		t.Errorf("a closed session says %v", err)
	}
}

func TestAcceptanceDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		s := open(t, inMemory(), &model{replies: []func(context.Context, *ai.Writer) error{held("one", gate)}}, session.Options{})
		l := record(s)
		accepted := ""
		a, err := s.Start(session.Prompt{Text: "go", Accepted: func(session.Disposition) { accepted = "before:" + l.String() }})
		if err != nil || accepted != "before:" {
			t.Fatalf("%v, accepted %q", err, accepted)
		}
		close(gate)
		if _, err := a.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Close(t.Context())
	})
}

func TestOutcome(t *testing.T) {
	fails := func(_ context.Context, w *ai.Writer) error { return errors.New("overloaded") }
	cut := func(_ context.Context, w *ai.Writer) error {
		w.Append(w.StartText(), "half")
		w.Done(ai.StopLength)
		return nil
	}
	empty := func(_ context.Context, w *ai.Writer) error { w.Done(ai.StopEnd); return nil }
	for name, c := range map[string]struct {
		reply func(context.Context, *ai.Writer) error
		want  string
	}{
		"good": {text("fine"), ""}, "error": {fails, "overloaded"}, "RPC10 cut": {cut, "output limit"}, "LOOP09 empty": {empty, "nothing"},
	} {
		s := open(t, inMemory(), &model{replies: []func(context.Context, *ai.Writer) error{c.reply}}, session.Options{Retry: session.Retry{Disabled: true}})
		if _, err := s.Prompt(t.Context(), session.Prompt{Text: "go"}); err != nil {
			t.Fatal(err)
		}
		err := s.Outcome()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
