package relay_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/aitest"
	"github.com/rondo-agent/rondo/ai/relay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "relay-token"

var (
	clientModel = &ai.Model{
		ID: "m", API: "lab-wire", Provider: "lab", Input: []string{ai.InputText}, MaxTokens: 1000,
		BaseURL: "http://client.example", Headers: map[string]string{"X-Api-Key": "client-model-key"},
		Compat: jsontext.Value(`{"x":true}`), Cost: ai.Pricing{Input: 100, Output: 100},
	}
	serverModel = &ai.Model{ID: "m", API: "lab-wire", Provider: "lab", BaseURL: "http://server.example", Cost: ai.Pricing{Input: 1, Output: 2}}
)

func resolveTo(target relay.Target) relay.Resolve {
	return func(context.Context, *ai.Model) (*relay.Target, error) { return &target, nil }
}

// lab is a relay in front of a provider that the test writes.
type lab struct {
	t      testing.TB
	url    string
	client *http.Client
	asked  []*ai.Request
	final  *ai.AssistantMessage // the server's
	loose  bool                 // see collect
}

type produceFunc func(ctx context.Context, w *ai.Writer) error

func newLab(t testing.TB, produce produceFunc) *lab {
	return newLabOf(t, func(ctx context.Context, req *ai.Request) *ai.Stream {
		return ai.NewStream(ctx, req.Model, produce)
	}, resolveTo(relay.Target{Model: serverModel, Options: ai.Options{APIKey: "server-secret-key"}}), nil)
}

func newLabOf(t testing.TB, ask ai.StreamFunc, resolve relay.Resolve, opts *relay.HandlerOptions) *lab {
	t.Helper()
	l := &lab{t: t}
	recording := func(ctx context.Context, req *ai.Request) *ai.Stream {
		l.asked = append(l.asked, req)
		stream := ask(ctx, req)
		return ai.StreamOf(func(yield func(ai.StreamEvent, error) bool) {
			for ev, err := range stream.Events() {
				switch ev := ev.(type) {
				case *ai.Done:
					l.final = ev.Message
				case *ai.Error:
					l.final = ev.Message
				}
				if !yield(ev, err) {
					return
				}
			}
		}, stream.Result)
	}
	mux := http.NewServeMux()
	mux.Handle(relay.Path, relay.Handler(recording, relay.Token(token), resolve, opts))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	l.url = server.URL
	l.client = newClient(t)
	return l
}

func newClient(t testing.TB) *http.Client {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func (l *lab) request() *ai.Request {
	return &ai.Request{
		Model:   clientModel,
		Context: ai.Context{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextContent("go")}}},
		Options: ai.Options{Client: l.client, APIKey: "client-key"},
	}
}

// ask returns the events and the final message at the client.
func (l *lab) ask(req *ai.Request) ([]ai.StreamEvent, *ai.AssistantMessage) {
	l.t.Helper()
	read := checked
	if l.loose {
		read = collect
	}
	return read(l.t, relay.New(l.url, token)(l.t.Context(), req))
}

// checked reads a stream that keeps all rules.
func checked(t testing.TB, stream *ai.Stream) ([]ai.StreamEvent, *ai.AssistantMessage) {
	t.Helper()
	events := aitest.CheckStream(t, stream)
	return events, stream.Result()
}

// collect reads a stream whose blocks may have text that comes as no delta, or whose
// final message is one of its own.
func collect(t testing.TB, stream *ai.Stream) (events []ai.StreamEvent, final *ai.AssistantMessage) {
	t.Helper()
	for ev, err := range stream.Events() {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, ev)
		switch ev := ev.(type) {
		case *ai.Done:
			final = ev.Message
		case *ai.Error:
			final = ev.Message
		}
	}
	if final == nil {
		t.Fatal("no terminal event")
	}
	return events, final
}

// essence is what both ends must agree on.
func essence(t testing.TB, m *ai.AssistantMessage) map[string]any {
	t.Helper()
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	delete(out, "timestamp")
	delete(out, "durationMs")
	for i, block := range m.Content {
		if call, ok := block.(*ai.ToolCall); ok {
			out[fmt.Sprintf("broken%d", i)] = []string{call.ArgumentsError, call.RawArguments}
		}
	}
	out["class"] = ai.Classify(m.Err, m.ErrorMessage).String()
	out["retryAfter"] = ai.RetryAfter(m).String()
	return out
}

func eventJSON(events []ai.StreamEvent) []string {
	var lines []string
	for _, ev := range events {
		switch ev.(type) {
		case *ai.Done, *ai.Error:
			continue
		}
		lines = append(lines, string(ev.AppendJSON(nil)))
	}
	return lines
}

// everything uses all that a writer can do.
func everything(_ context.Context, w *ai.Writer) error {
	w.SetResponse("resp_1", "m-2026")
	thinking := w.StartThinking()
	w.Append(thinking, "Let me ")
	w.Append(thinking, "see.\n\n")
	w.SetSignature(thinking, "c2ln")
	w.End(thinking)
	redacted := w.StartThinking()
	w.SetText(redacted, "[withheld]")
	w.SetRedacted(redacted)
	w.SetSignature(redacted, "T1BBUVVF")
	w.End(redacted)
	text := w.StartText()
	w.SetText(text, "He")
	call := w.StartToolCall("t1", "read")
	w.Append(text, "llo \U0001F600\u2028\x00") // blocks interleave
	w.Append(call, `{"path":`)
	w.Append(call, `"a"}`)
	w.SetSignature(text, `{"v":1,"id":"msg_1"}`)
	w.End(text)
	w.SetSignature(call, "thought")
	w.End(call)
	none := w.StartToolCall("t2", "now")
	w.End(none)
	whole := w.StartToolCall("", "")
	w.SetToolCall(whole, "t3", "write")
	w.SetArguments(whole, `{"path": "b"}`)
	w.End(whole)
	cut := w.StartToolCall("t4", "write")
	w.Append(cut, `{"path":"b","text":"hal`)
	w.End(cut)
	mended := w.StartToolCall("t5", "edit")
	w.Append(mended, `{"text":"\usepackage"}`)
	w.End(mended)
	w.SetRawStopReason("tool_use")
	w.SetProviderThinkingLevel("high")
	w.AddDiagnostic("dropped_thinking", jsontext.Value(`{"blocks":2}`))
	w.SetUsage(ai.Usage{Input: 10, Output: 20, CacheRead: 5, CacheWrite: 4, CacheWrite1h: new(0), Reasoning: new(7)})
	w.Done(ai.StopToolUse)
	return nil
}

func TestRelay_RoundTrip(t *testing.T) {
	l := newLab(t, everything)
	l.loose = true
	direct, _ := collect(t, ai.NewStream(t.Context(), serverModel, everything))
	events, final := l.ask(l.request())
	if diff := cmp.Diff(essence(t, l.final), essence(t, final)); diff != "" {
		t.Errorf("final message (-server +client):\n%s", diff)
	}
	if diff := cmp.Diff(eventJSON(direct), eventJSON(events)); diff != "" {
		t.Errorf("events (-server +client):\n%s", diff)
	}
	if final.Usage.Cost.Total == 0 || final.Usage.Cost != l.final.Usage.Cost {
		t.Errorf("cost = %v, want the server's %v", final.Usage.Cost, l.final.Usage.Cost)
	}
	if final.Timestamp == 0 {
		t.Error("the client's message has no time")
	}
}

// replaced is a stream whose final message is not what was streamed.
func replaced(m *ai.AssistantMessage) produceFunc {
	return func(_ context.Context, w *ai.Writer) error {
		w.Append(w.StartText(), "draft")
		w.DoneWith(m)
		return nil
	}
}

func TestRelay_FinalMessageOfItsOwn(t *testing.T) {
	decode := func(raw string) *ai.AssistantMessage {
		m, err := ai.DecodeMessage(jsontext.Value(raw))
		if err != nil {
			t.Fatal(err)
		}
		return m.(*ai.AssistantMessage)
	}
	const rest = `"api":"other","provider":"other","model":"other","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"timestamp":1`
	broken := decode(`{"role":"assistant","content":[{"type":"toolCall","id":"t","name":"n","arguments":{}}],"stopReason":"toolUse",` + rest + `}`)
	broken.Content[0].(*ai.ToolCall).ArgumentsError = "cut short"
	broken.Content[0].(*ai.ToolCall).RawArguments = `{"a`
	tests := map[string]*ai.AssistantMessage{
		"other text":         decode(`{"role":"assistant","content":[{"type":"text","text":"final"}],"stopReason":"stop",` + rest + `}`),
		"nothing":            decode(`{"role":"assistant","content":[],"stopReason":"stop",` + rest + `}`),
		"more blocks":        decode(`{"role":"assistant","content":[{"type":"text","text":"draft"},{"type":"image","data":"AA==","mimeType":"image/png"}],"stopReason":"stop",` + rest + `}`),
		"unknown block":      decode(`{"role":"assistant","content":[{"type":"hologram","x":[1,2]}],"stopReason":"stop",` + rest + `}`),
		"unknown fields":     decode(`{"role":"assistant","content":[{"type":"text","text":"draft","shade":3}],"stopReason":"stop","mood":"good",` + rest + `}`),
		"namespace":          decode(`{"role":"assistant","content":[{"type":"toolCall","id":"t","name":"n","arguments":{},"namespace":"ns"}],"stopReason":"toolUse",` + rest + `}`),
		"hints":              decode(`{"role":"assistant","content":[{"type":"text","text":"draft"}],"stopReason":"deferred","endTurn":false,"thinkingLevel":"low",` + rest + `}`),
		"broken call":        broken,
		"failed":             decode(`{"role":"assistant","content":[{"type":"text","text":"draft"}],"stopReason":"error","errorMessage":"529 busy",` + rest + `}`),
		"late signature":     decode(`{"role":"assistant","content":[{"type":"text","text":"draft","textSignature":"s"}],"stopReason":"stop",` + rest + `}`),
		"diagnostic's error": decode(`{"role":"assistant","content":[{"type":"text","text":"draft"}],"stopReason":"stop","diagnostics":[{"type":"t","timestamp":5,"error":{"message":"m"}}],` + rest + `}`),
	}
	for name, m := range tests {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, replaced(m))
			l.loose = true
			_, final := l.ask(l.request())
			if diff := cmp.Diff(essence(t, m), essence(t, final)); diff != "" {
				t.Errorf("final message (-server +client):\n%s", diff)
			}
		})
	}
}

func TestRelay_Failures(t *testing.T) {
	partly := func(err error) produceFunc {
		return func(_ context.Context, w *ai.Writer) error {
			w.SetUsage(ai.Usage{Input: 3})
			w.End(w.StartText())
			w.Append(w.StartThinking(), "hm")
			w.Append(w.StartToolCall("t1", "bash"), `{"command":"rm -`)
			return err
		}
	}
	status := &ai.StatusError{Status: 429, Code: "rate_limit_error", Message: "slow down", RetryAfter: 7 * time.Second}
	tests := []struct {
		name    string
		produce produceFunc
		class   ai.Class
	}{
		{"status", partly(status), ai.ClassTransient},
		{"wrapped status", partly(fmt.Errorf("ask: %w", status)), ai.ClassTransient},
		{"advice", partly(&ai.StatusError{Status: 500, Message: "broken", Retry: new(false)}), ai.ClassPermanent},
		{"quota", partly(&ai.StatusError{Status: 429, Code: "insufficient_quota", Message: "no more"}), ai.ClassLimit},
		{"overflow", partly(&ai.StatusError{Status: 413, Message: "too large"}), ai.ClassOverflow},
		{"cut", partly(io.ErrUnexpectedEOF), ai.ClassTransient},
		{"timeout", partly(&ai.TimeoutError{Waiting: "more of the answer", After: time.Minute}), ai.ClassTransient},
		{"nothing said", func(context.Context, *ai.Writer) error { return nil }, ai.ClassTransient},
		{"panic", func(context.Context, *ai.Writer) error { panic("oh") }, ai.ClassPermanent},
		{"before the start", func(context.Context, *ai.Writer) error { return errors.New("bad model") }, ai.ClassPermanent},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := newLab(t, test.produce)
			events, final := l.ask(l.request())
			if diff := cmp.Diff(essence(t, l.final), essence(t, final)); diff != "" {
				t.Errorf("final message (-server +client):\n%s", diff)
			}
			if final.StopReason != ai.StopError || final.Err == nil {
				t.Errorf("stop reason = %q, error = %v", final.StopReason, final.Err)
			}
			if got := ai.Classify(final.Err, final.ErrorMessage); got != test.class {
				t.Errorf("class = %v, want %v", got, test.class)
			}
			if _, ok := events[0].(*ai.Start); !ok && len(events) > 1 {
				t.Errorf("first event is %s", events[0].Type())
			}
		})
	}
}

// foreign makes a stream function of events that no writer made.
func foreign(events iter.Seq2[ai.StreamEvent, error], result *ai.AssistantMessage) ai.StreamFunc {
	return func(context.Context, *ai.Request) *ai.Stream {
		return ai.StreamOf(events, func() *ai.AssistantMessage { return result })
	}
}

func TestRelay_ForeignStreams(t *testing.T) {
	end := func(events ...ai.StreamEvent) iter.Seq2[ai.StreamEvent, error] {
		return func(yield func(ai.StreamEvent, error) bool) {
			for _, ev := range events {
				if !yield(ev, nil) {
					return
				}
			}
		}
	}
	text := []ai.StreamEvent{&ai.Start{}, &ai.TextStart{}, &ai.TextDelta{Delta: "a"}, &ai.TextDelta{Delta: "\xff"}, &ai.TextEnd{Content: "a\xff"}}
	tests := []struct {
		name   string
		stream ai.StreamFunc
		stop   ai.StopReason
		text   string
	}{
		{"breaks its contract", foreign(func(yield func(ai.StreamEvent, error) bool) { yield(nil, errors.New("bad provider")) }, nil), ai.StopError, ""},
		{"ends silently", foreign(end(text...), nil), ai.StopError, "a\uFFFD"},
		{"ends with a result", foreign(end(text...), &ai.AssistantMessage{StopReason: ai.StopEnd, Content: ai.TextContent("a\xff")}), ai.StopEnd, "a\uFFFD"},
		{"delta without start", foreign(end(&ai.Start{}, &ai.TextDelta{Delta: "a"}), nil), ai.StopError, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := newLabOf(t, test.stream, resolveTo(relay.Target{Model: serverModel}), nil)
			l.loose = true
			_, final := l.ask(l.request())
			if final.StopReason != test.stop || final.Content.Text() != test.text {
				t.Errorf("got %q %q (%s)", final.StopReason, final.Content.Text(), final.ErrorMessage)
			}
		})
	}
}

func TestRelay_AbortCancelsUpstream(t *testing.T) {
	upstream := make(chan struct{})
	l := newLab(t, func(ctx context.Context, w *ai.Writer) error {
		w.Append(w.StartText(), "first")
		<-ctx.Done()
		close(upstream)
		return ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var final *ai.AssistantMessage
	for ev, err := range relay.New(l.url, token)(ctx, l.request()).Events() {
		if err != nil {
			t.Fatal(err)
		}
		switch ev := ev.(type) {
		case *ai.TextDelta:
			cancel()
		case *ai.Error:
			final = ev.Message
		}
	}
	<-upstream
	if final.StopReason != ai.StopAborted || final.Content.Text() != "first" {
		t.Errorf("got %q %q", final.StopReason, final.Content.Text())
	}
}

func TestRelay_LeavingTheLoopCancelsUpstream(t *testing.T) {
	upstream := make(chan struct{})
	l := newLab(t, func(ctx context.Context, w *ai.Writer) error {
		defer close(upstream)
		w.Append(w.StartText(), "first")
		<-ctx.Done()
		return ctx.Err()
	})
	for ev := range relay.New(l.url, token)(t.Context(), l.request()).Events() {
		if _, ok := ev.(*ai.TextDelta); ok {
			break
		}
	}
	<-upstream
}

// TestLinearBytes counts what a long answer takes on the wire.
func TestLinearBytes(t *testing.T) {
	size := func(tokens int) int {
		l := newLab(t, func(_ context.Context, w *ai.Writer) error {
			text := w.StartText()
			for range tokens {
				w.Append(text, "word")
			}
			w.Done(ai.StopEnd)
			return nil
		})
		resp := l.post(t, token, `{"model":{"id":"m"},"context":{"messages":[]},"options":{}}`)
		n, err := io.Copy(io.Discard, resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return int(n)
	}
	const tokens = 20_000
	small, large := size(tokens/2), size(tokens)
	if perDelta := (large - len("word")*tokens) / tokens; perDelta >= 100 {
		t.Errorf("%d bytes on top of each delta", perDelta)
	}
	if large > 2*small+1000 {
		t.Errorf("%d tokens take %d bytes, half of them %d: not linear", tokens, large, small)
	}
}

// post sends a request without a client's help.
func (l *lab) post(t testing.TB, token, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, l.url+relay.Path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := l.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}
