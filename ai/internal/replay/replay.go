// Package replay plays recorded conversations against a wire, for the tests of wires.
//
// A recording is a JSON file that says what Pi 0.85 sent to a scripted server and what it
// made of the answers: [Recording]. [Run] leads the same conversation through a wire and
// reports every difference. Wording that an implementation is free to choose stands in a
// recording as a mark: <notice>, <error>, <error: WORDS> with words that the text has to
// contain, <made-up id>, <call 1>.
package replay

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/aitest"
)

// Recording is a conversation.
type Recording struct {
	// About is the rule that it shows.
	About string `json:"about"`
	// Models are those that steps select; the first one begins.
	Models []*ai.Model      `json:"models"`
	Level  ai.ThinkingLevel `json:"level"`
	// CacheRetention is that of all requests.
	CacheRetention string `json:"cacheRetention"`
	// History is a session from before the first step.
	History []jsontext.Value `json:"history"`
	Steps   []Step           `json:"steps"`
	// Replies answer the requests in order.
	Replies []Reply `json:"replies"`
	// Results are those of the calls.
	Results Results `json:"results"`
	// Steering are messages of the user's that wait when the first results have come.
	Steering []string `json:"steering"`
	// Requests is what is sent; Answers and Updates, where recorded, what comes of the
	// replies.
	Requests []Request `json:"requests"`
	Answers  []any     `json:"answers"`
	Updates  []any     `json:"updates"`
	// Silent says that texts change without a delta, which [aitest.CheckStream] refuses.
	Silent bool `json:"silent"`
}

// Step is what the user does: a prompt, or selecting a model or a level.
type Step struct {
	Prompt string           `json:"prompt"`
	Images ai.Content       `json:"images"`
	Model  string           `json:"model"`
	Level  ai.ThinkingLevel `json:"level"`
}

// Reply is what the server answers: a stream, or with a status an error.
type Reply struct {
	Status int    `json:"status"`
	Body   string `json:"body"`
}

// Result is what a tool gives.
type Result struct {
	Content ai.Content `json:"content"`
	IsError bool       `json:"isError"`
}

// Results are results of calls: a list, for calls in their order, or an object, for calls by
// their ids.
type Results struct {
	list []Result
	byID map[string]Result
}

// UnmarshalJSONFrom reads a list or an object.
func (r *Results) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == '{' {
		return json.UnmarshalDecode(d, &r.byID)
	}
	return json.UnmarshalDecode(d, &r.list)
}

// Request is a request that was sent. Of the headers those are compared that a request of the
// recording names, with small letters.
type Request struct {
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    map[string]any    `json:"body"`
}

// Run replays all files of the folder, each in a test of its own. base is the path at the
// server that the models' base URL ends with.
func Run(t *testing.T, ask ai.StreamFunc, folder, base string) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings in %s: %v", folder, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var rec Recording
			if err := json.Unmarshal(raw, &rec); err != nil {
				t.Fatal(err)
			}
			rec.play(t, ask, base)
		})
	}
}

func (rec *Recording) play(t *testing.T, ask ai.StreamFunc, base string) {
	s := &server{replies: rec.Replies, names: rec.headers()}
	address, client := Listen(t, s.ServeHTTP)
	for _, m := range rec.Models {
		m.BaseURL = address + base
	}
	p := &player{t: t, rec: rec, ask: ask, req: &ai.Request{
		Model:   rec.Models[0],
		Context: ai.Context{SystemPrompt: "<system prompt>", Tools: rec.declarations()},
		Options: ai.Options{APIKey: "lab-key", Thinking: rec.Level, CacheRetention: rec.CacheRetention, Client: client},
	}}
	if rec.Level == "" {
		p.req.Options.Thinking = ai.ThinkingMedium
	}
	for _, raw := range rec.History {
		m, err := ai.DecodeMessage(raw)
		if err != nil {
			t.Fatal(err)
		}
		p.messages = append(p.messages, m)
	}
	for _, step := range rec.Steps {
		p.step(step)
	}
	compare(t, "requests", tree(t, rec.Requests), tree(t, s.got))
	if rec.Answers != nil {
		compare(t, "answers", rec.Answers, p.answers)
		compare(t, "updates", rec.Updates, p.updates)
	}
}

// declarations are the tools of the first request; definitions were recorded of echo only.
func (rec *Recording) declarations() []ai.ToolDecl {
	var decls []ai.ToolDecl
	tools, _ := rec.Requests[0].Body["tools"].([]any)
	for _, tool := range tools {
		name, _ := tool.(string)
		if def, ok := tool.(map[string]any); ok {
			name, _ = def["name"].(string)
		}
		decls = append(decls, ai.ToolDecl{Name: name, Description: "Says what it got.", Parameters: jsontext.Value(`{"type":"object","properties":{}}`)})
	}
	return decls
}

// headers are those that requests of the recording name. A request that names none is not
// compared by them.
func (rec *Recording) headers() []map[string]bool {
	names := make(map[string]bool)
	for _, r := range rec.Requests {
		for name := range r.Headers {
			names[name] = true
		}
	}
	list := make([]map[string]bool, len(rec.Requests))
	for i, r := range rec.Requests {
		if r.Headers != nil {
			list[i] = names
		}
	}
	return list
}

// server answers in order and keeps the requests.
type server struct {
	replies []Reply
	names   []map[string]bool // headers that are kept, by request
	got     []Request
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	got := Request{Path: r.URL.RequestURI()}
	if err := json.UnmarshalRead(r.Body, &got.Body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	n := len(s.got)
	if n < len(s.names) && s.names[n] != nil {
		got.Headers = make(map[string]string)
		for name := range s.names[n] {
			if value := r.Header.Get(name); value != "" {
				got.Headers[name] = value
			}
		}
	}
	s.got = append(s.got, got)
	if n >= len(s.replies) {
		http.Error(w, "the recording has no more replies", http.StatusInternalServerError)
		return
	}
	if status := s.replies[n].Status; status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
	} else {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	_, _ = io.WriteString(w, s.replies[n].Body)
}

// player leads a conversation as an agent would.
type player struct {
	t        *testing.T
	rec      *Recording
	ask      ai.StreamFunc
	req      *ai.Request
	messages []ai.Message
	results  int // that have been given
	steered  bool
	answers  []any
	updates  []any
}

func (p *player) step(s Step) {
	switch {
	case s.Model != "":
		for _, m := range p.rec.Models {
			if m.ID == s.Model {
				p.req.Model = m
			}
		}
	case s.Level != "":
		p.req.Options.Thinking = s.Level
	default:
		p.messages = append(p.messages, &ai.UserMessage{Content: append(ai.TextContent(s.Prompt), s.Images...)})
		for p.turn() {
		}
	}
}

// turn sends a request, runs the calls of the answer, and reports whether there were any.
func (p *player) turn() bool {
	p.req.Context.Messages = p.messages
	stream := p.ask(p.t.Context(), p.req)
	for _, ev := range p.read(stream) {
		switch ev.(type) {
		case *ai.Start, *ai.Done, *ai.Error:
		default:
			p.updates = append(p.updates, tree(p.t, jsontext.Value(ev.AppendJSON(nil))))
		}
	}
	m := stream.Result()
	answer := tree(p.t, m).(map[string]any)
	delete(answer, "timestamp")
	delete(answer, "durationMs")
	p.answers = append(p.answers, answer)
	p.messages = append(p.messages, m)
	calls := m.Content.ToolCalls()
	for _, call := range calls {
		r := p.result(call)
		p.messages = append(p.messages, &ai.ToolResultMessage{ToolCallID: call.ID, ToolName: call.Name, Content: r.Content, IsError: r.IsError})
	}
	if len(calls) > 0 && !p.steered {
		p.steered = true
		for _, text := range p.rec.Steering {
			p.messages = append(p.messages, &ai.UserMessage{Content: ai.TextContent(text)})
		}
	}
	return len(calls) > 0 && (m.StopReason == ai.StopToolUse || p.rec.Results.byID != nil)
}

func (p *player) result(call *ai.ToolCall) Result {
	if r, ok := p.rec.Results.byID[call.ID]; ok || p.rec.Results.byID != nil {
		return r
	}
	if p.results == len(p.rec.Results.list) {
		p.t.Fatalf("the recording has no result for call %q", call.ID)
	}
	p.results++
	return p.rec.Results.list[p.results-1]
}

func (p *player) read(stream *ai.Stream) []ai.StreamEvent {
	if !p.rec.Silent {
		return aitest.CheckStream(p.t, stream)
	}
	return Collect(p.t, stream)
}

// Collect reads a stream to its end. It checks less than [aitest.CheckStream]: that there
// is one terminal event and nothing after it, and that Done leaves no block open.
func Collect(t testing.TB, stream *ai.Stream) []ai.StreamEvent {
	t.Helper()
	var events []ai.StreamEvent
	open := 0
	for ev, err := range stream.Events() {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, ev)
		switch ev.(type) {
		case *ai.TextStart, *ai.ThinkingStart, *ai.ToolCallStart:
			open++
		case *ai.TextEnd, *ai.ThinkingEnd, *ai.ToolCallEnd:
			open--
		case *ai.Done:
			if open != 0 {
				t.Errorf("%d blocks are still open at done", open)
			}
		default:
		}
	}
	for i, ev := range events {
		if _, going := ai.PartialOf(ev); going == (i == len(events)-1) {
			t.Errorf("event %d of %d is %s", i, len(events), ev.Type())
		}
	}
	if m := stream.Result(); len(events) == 0 || m == nil || m.StopReason == ai.StopPending {
		t.Fatalf("the stream ended after %d events without a final message", len(events))
	}
	return events
}

// tree is a value as JSON knows it.
func tree(t testing.TB, v any) any {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func compare(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := differ(want, got); diff != "" {
		t.Errorf("%s (-Pi +got):\n%s", what, diff)
	}
}

func differ(want, got any) string { return cmp.Diff(want, fit(want, got)) }

// fit brings got into the form of a recording: tools by name, and marks where the
// recording has some and the text fits them.
func fit(want, got any) any {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			return got
		}
		out := make(map[string]any)
		for key, value := range got {
			if key == "tools" {
				value = toolList(value)
			}
			out[key] = fit(want[key], value)
		}
		return out
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			return got
		}
		out := make([]any, len(got))
		for i := range got {
			out[i] = fit(want[i], got[i])
		}
		return out
	case string:
		return fitText(want, got)
	case float64: // sums of money were recorded with 9 decimals
		if got, ok := got.(float64); ok {
			return math.Round(got*1e9) / 1e9
		}
	}
	return got
}

// toolList flattens the declarations that Google groups.
func toolList(value any) any {
	list, ok := value.([]any)
	if !ok || len(list) != 1 {
		return value
	}
	if group, ok := list[0].(map[string]any); ok && group["functionDeclarations"] != nil {
		return group["functionDeclarations"]
	}
	return value
}

func fitText(want string, got any) any {
	text, ok := got.(string)
	if tool, isTool := got.(map[string]any); isTool {
		if of, nested := tool["function"].(map[string]any); nested {
			tool = of
		}
		if tool["name"] == want {
			return want
		}
	}
	if !ok || !strings.HasPrefix(want, "<") || !strings.HasSuffix(want, ">") {
		return got
	}
	kind, words, _ := strings.Cut(strings.Trim(want, "<>"), ": ")
	switch {
	case kind == "error" || kind == "error text":
		for word := range strings.FieldsSeq(words) {
			if !strings.Contains(text, word) {
				return fmt.Sprintf("%q without %q", text, word)
			}
		}
		return want
	case kind == "notice" && !strings.Contains(text, "\n"), kind == "made-up id", strings.HasPrefix(kind, "call "):
		if text != "" {
			return want
		}
	}
	return got
}
