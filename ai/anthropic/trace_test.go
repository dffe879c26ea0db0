package anthropic_test

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/aitest"
	"github.com/rondo-agent/rondo/ai/anthropic"
)

// trace is a conversation as Pi 0.85 led it: what it sent and what it made of the
// answers.
type trace struct {
	About          string             `json:"about"`
	Models         []*ai.Model        `json:"models"`
	History        []jsontext.Value   `json:"history"`
	CacheRetention string             `json:"cacheRetention"`
	Level          ai.ThinkingLevel   `json:"level"`
	Replies        []reply            `json:"replies"`
	Steps          []step             `json:"steps"`
	Results        map[string]outcome `json:"results"`
	Steering       []string           `json:"steering"` // after the first tool results
	Requests       []recorded         `json:"requests"`
	Answers        []any              `json:"answers"`
	Updates        []any              `json:"updates"`
	// Silent says that blocks begin with text that comes as no delta.
	Silent bool `json:"silent"`
}

type reply struct {
	Status int    `json:"status"`
	Body   string `json:"body"`
}

type step struct {
	Prompt string           `json:"prompt"`
	Images ai.Content       `json:"images"`
	Model  string           `json:"model"`
	Level  ai.ThinkingLevel `json:"level"`
}

type outcome struct {
	Content ai.Content `json:"content"`
	IsError bool       `json:"isError"`
}

type recorded struct {
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	Body    map[string]any    `json:"body"`
}

// server answers requests in order and keeps them.
type server struct {
	*httptest.Server
	replies []reply
	got     []recorded
	headers []http.Header
}

func newServer(t testing.TB, replies ...reply) *server {
	t.Helper()
	s := &server{replies: replies}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	got := recorded{Path: r.URL.Path}
	if err := json.Unmarshal(raw, &got.Body, jsontext.AllowDuplicateNames(true)); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	n := len(s.got)
	s.got, s.headers = append(s.got, got), append(s.headers, r.Header)
	if n >= len(s.replies) {
		http.Error(w, "no more replies", http.StatusInternalServerError)
		return
	}
	if status := s.replies[n].Status; status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
	} else {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	io.WriteString(w, s.replies[n].Body)
}

// client returns a client whose connections end with the test.
func client(t testing.TB) *http.Client {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// player leads a conversation as an agent would.
type player struct {
	t        *testing.T
	trace    *trace
	req      *ai.Request
	messages []ai.Message
	steered  bool
	answers  []any
	updates  []any
}

func (p *player) step(s step, models []*ai.Model) {
	switch {
	case s.Model != "":
		for _, m := range models {
			if m.ID == s.Model {
				p.req.Model = m
			}
		}
	case s.Level != "":
		p.req.Options.Thinking = s.Level
	default:
		content := append(ai.TextContent(s.Prompt), s.Images...)
		p.messages = append(p.messages, &ai.UserMessage{Content: content})
		for p.ask() {
		}
	}
}

// ask sends one request, answers its calls, and reports whether the model wants more.
func (p *player) ask() bool {
	p.req.Context.Messages = p.messages
	var final *ai.AssistantMessage
	read := aitest.CheckStream
	if p.trace.Silent {
		read = collect
	}
	for _, ev := range read(p.t, anthropic.Messages(p.t.Context(), p.req)) {
		switch ev := ev.(type) {
		case *ai.Start:
		case *ai.Done:
			final = ev.Message
		case *ai.Error:
			final = ev.Message
		default:
			p.updates = append(p.updates, tree(p.t, jsontext.Value(ev.AppendJSON(nil))))
		}
	}
	p.answers = append(p.answers, tree(p.t, final))
	p.messages = append(p.messages, final)
	calls := final.Content.ToolCalls()
	for _, call := range calls {
		result := p.trace.Results[call.ID]
		p.messages = append(p.messages, &ai.ToolResultMessage{ToolCallID: call.ID, ToolName: call.Name, Content: result.Content, IsError: result.IsError})
	}
	if len(calls) > 0 && !p.steered {
		p.steered = true
		for _, text := range p.trace.Steering {
			p.messages = append(p.messages, &ai.UserMessage{Content: ai.TextContent(text)})
		}
	}
	return len(calls) > 0
}

// collect reads a stream to its end.
func collect(t testing.TB, stream *ai.Stream) []ai.StreamEvent {
	t.Helper()
	var events []ai.StreamEvent
	for ev, err := range stream.Events() {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, ev)
	}
	return events
}

// tree is a value as JSON knows it.
func tree(t *testing.T, v any) any {
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

// declarations are the tools of the traces; only echo's definition was recorded.
func declarations(names []any) []ai.ToolDecl {
	var tools []ai.ToolDecl
	for _, n := range names {
		name, ok := n.(string)
		if !ok {
			name = n.(map[string]any)["name"].(string)
		}
		tools = append(tools, ai.ToolDecl{Name: name, Description: "Says what it got.", Parameters: jsontext.Value(`{"type":"object","properties":{}}`)})
	}
	return tools
}

// fit removes from got what a recording does not hold: times, definitions of tools that
// are only named, and wording that is free.
func fit(want, got any) any {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			return got
		}
		out := map[string]any{}
		for key, value := range got {
			w, wanted := want[key]
			if !wanted && (key == "timestamp" || key == "durationMs") {
				continue
			}
			out[key] = fit(w, value)
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
	case float64: // recorded with 9 decimals
		if got, ok := got.(float64); ok {
			return math.Round(got*1e9) / 1e9
		}
	}
	return got
}

func fitText(want string, got any) any {
	switch got := got.(type) {
	case map[string]any:
		if name, ok := got["name"].(string); ok {
			return name
		}
	case string:
		marks, isError := strings.CutPrefix(want, "<error")
		if isError && want != "<error text>" {
			for mark := range strings.FieldsSeq(strings.Trim(marks, ":> ")) {
				if !strings.Contains(got, mark) {
					return fmt.Sprintf("%q does not contain %q", got, mark)
				}
			}
			return want
		}
		if want == "<notice>" && got != "" && !strings.Contains(got, "\n") {
			return want
		}
	}
	return got
}

func TestTraces(t *testing.T) {
	files, err := filepath.Glob("testdata/traces/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no traces", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) { playTrace(t, file) })
	}
}

func playTrace(t *testing.T, file string) {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var tr trace
	if err := json.Unmarshal(raw, &tr); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, tr.Replies...)
	for _, m := range tr.Models {
		m.BaseURL = s.URL
	}
	level := tr.Level
	if level == "" {
		level = ai.ThinkingMedium
	}
	tools, _ := tr.Requests[0].Body["tools"].([]any)
	p := &player{t: t, trace: &tr, req: &ai.Request{
		Model:   tr.Models[0],
		Context: ai.Context{SystemPrompt: "<system prompt>", Tools: declarations(tools)},
		Options: ai.Options{APIKey: "lab-key", Thinking: level, CacheRetention: tr.CacheRetention, Client: client(t)},
	}}
	for _, raw := range tr.History {
		m, err := ai.DecodeMessage(raw)
		if err != nil {
			t.Fatal(err)
		}
		p.messages = append(p.messages, m)
	}
	for _, step := range tr.Steps {
		p.step(step, tr.Models)
	}
	compareRequests(t, tr.Requests, s)
	if tr.Answers != nil {
		if diff := cmp.Diff(any(tr.Answers), fit(any(tr.Answers), any(p.answers))); diff != "" {
			t.Errorf("answers (-Pi +got):\n%s", diff)
		}
		if diff := cmp.Diff(any(tr.Updates), fit(any(tr.Updates), any(p.updates))); diff != "" {
			t.Errorf("events (-Pi +got):\n%s", diff)
		}
	}
}

func compareRequests(t *testing.T, want []recorded, s *server) {
	if len(s.got) != len(want) {
		t.Fatalf("%d requests were sent, want %d", len(s.got), len(want))
	}
	for i, w := range want {
		if s.got[i].Path != w.Path {
			t.Errorf("path = %q, want %q", s.got[i].Path, w.Path)
		}
		if diff := cmp.Diff(any(w.Body), fit(w.Body, s.got[i].Body)); diff != "" {
			t.Errorf("request %d (-Pi +got):\n%s", i, diff)
		}
		if w.Headers == nil {
			continue
		}
		got := map[string]string{}
		for _, name := range []string{"x-api-key", "authorization", "anthropic-version", "anthropic-beta", "x-lab"} {
			if v := s.headers[i].Get(name); v != "" && (len(w.Headers) > 1 || name == "anthropic-beta") {
				got[name] = v
			}
		}
		if diff := cmp.Diff(w.Headers, got); diff != "" {
			t.Errorf("headers of request %d (-Pi +got):\n%s", i, diff)
		}
	}
}
