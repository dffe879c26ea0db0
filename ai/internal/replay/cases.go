package replay

import (
	"cmp"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/aitest"
	"github.com/rondo-agent/rondo/ai/internal/strict"
)

// Case is a single request and its answer: what Pi 0.85 sent for it, what it made of the
// reply, or both.
type Case struct {
	Name string `json:"name"`
	// About is the rule that it shows, with those that follow it in the file.
	About string `json:"about"`
	// Model has what differs from the default model of [Cases].
	Model   jsontext.Value `json:"model"`
	Context caseContext    `json:"context"`
	Options caseOptions    `json:"options"`
	// Base is the path that the model's base URL ends with.
	Base string `json:"base"`
	// Reply is what the server answers; the wire's test encodes it.
	Reply jsontext.Value `json:"reply"`

	// Path, Headers and Body are those of the request. Headers has those that matter, with
	// lower-case names; a mark <absent> stands for one that must not be sent.
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	Body    any               `json:"body"`
	// Answer is the final message and Events the events, without those that begin and end
	// an answer.
	Answer map[string]any `json:"answer"`
	Events []any          `json:"events"`
	// Differs says why Body or Answer is not Pi's.
	Differs string `json:"differs"`
}

type caseContext struct {
	SystemPrompt string           `json:"systemPrompt"`
	Messages     []jsontext.Value `json:"messages"`
	Tools        []ai.ToolDecl    `json:"tools"`
}

// caseOptions are the options as Pi names them.
type caseOptions struct {
	Reasoning       ai.ThinkingLevel          `json:"reasoning"`
	ThinkingBudgets map[ai.ThinkingLevel]int  `json:"thinkingBudgets"`
	MaxTokens       int                       `json:"maxTokens"`
	Temperature     *float64                  `json:"temperature"`
	SamplingParams  map[string]jsontext.Value `json:"samplingParams"`
	ToolChoice      string                    `json:"toolChoice"`
	CacheRetention  string                    `json:"cacheRetention"`
	SessionID       string                    `json:"sessionId"`
	Metadata        map[string]string         `json:"metadata"`
	Headers         map[string]string         `json:"headers"`
	APIKey          string                    `json:"apiKey"`
}

// Server is how the server of [Cases] speaks.
type Server struct {
	// Key is the API key of requests that bring none.
	Key string
	// Reply writes the reply of a case.
	Reply func(t testing.TB, w http.ResponseWriter, raw jsontext.Value)
	// Plain is the reply of cases that are about the request alone.
	Plain jsontext.Value
}

// Cases plays the cases of a file, each in a test of its own.
func Cases(t *testing.T, ask ai.StreamFunc, file string, model ai.Model, server *Server) {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []Case
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	for i := range cases {
		t.Run(cases[i].Name, func(t *testing.T) { cases[i].play(t, ask, model, server) })
	}
}

func (c *Case) play(t *testing.T, ask ai.StreamFunc, model ai.Model, server *Server) {
	var got struct {
		path   string
		header http.Header
		body   any
	}
	address, client := Listen(t, func(w http.ResponseWriter, r *http.Request) {
		got.path, got.header, got.body = r.URL.RequestURI(), r.Header, nil
		text, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(text, &got.body) != nil {
			t.Errorf("the request is no JSON: %s", text)
		}
		for _, reason := range strict.Refusals(model.API, text) {
			if strings.Contains(reason, ": the id ") {
				continue // ids of a model itself go back as it made them, and recordings make them up
			}
			t.Errorf("the service refuses the request: %s\n%s", reason, text)
		}
		raw := c.Reply
		if len(raw) == 0 {
			raw = server.Plain
		}
		server.Reply(t, w, raw)
	})
	req := c.request(t, model, server)
	req.Model.BaseURL, req.Options.Client = address+c.Base, client
	stream := ask(t.Context(), req)
	events := aitest.CheckStream(t, stream)
	if c.Body != nil {
		if got.path != c.Path {
			t.Errorf("asked at %s, want %s", got.path, c.Path)
		}
		compare(t, "body", c.Body, got.body)
	}
	for name, want := range c.Headers {
		value := cmp.Or(got.header.Get(name), "<absent>")
		if !strings.HasPrefix(value, strings.TrimSuffix(want, "*")) || value != want && !strings.HasSuffix(want, "*") {
			t.Errorf("header %s is %q, want %q", name, value, want)
		}
	}
	if c.Answer != nil {
		c.compareAnswer(t, req.Model, stream.Result(), events)
	} else if m := stream.Result(); m.Failed() {
		t.Errorf("the answer failed: %s", m.ErrorMessage)
	}
}

func (c *Case) request(t *testing.T, model ai.Model, server *Server) *ai.Request {
	if len(c.Model) > 0 {
		model.Input, model.ThinkingLevelMap = slices.Clone(model.Input), nil
		if err := json.Unmarshal(c.Model, &model); err != nil {
			t.Fatal(err)
		}
	}
	o := &c.Options
	req := &ai.Request{
		Model:   &model,
		Context: ai.Context{SystemPrompt: c.Context.SystemPrompt, Tools: c.Context.Tools},
		Options: ai.Options{
			APIKey: cmp.Or(o.APIKey, server.Key), Headers: o.Headers, Thinking: o.Reasoning, ThinkingBudgets: o.ThinkingBudgets, MaxTokens: o.MaxTokens,
			Temperature: o.Temperature, SamplingParams: o.SamplingParams, ToolChoice: o.ToolChoice, CacheRetention: o.CacheRetention,
			SessionID: o.SessionID, Metadata: o.Metadata,
		},
	}
	for _, raw := range c.Context.Messages {
		m, err := ai.DecodeMessage(raw)
		if err != nil {
			t.Fatal(err)
		}
		req.Context.Messages = append(req.Context.Messages, m)
	}
	if c.Context.Messages == nil {
		req.Context.Messages = []ai.Message{&ai.UserMessage{Content: ai.TextContent("Hi")}}
	}
	return req
}

func (c *Case) compareAnswer(t *testing.T, model *ai.Model, m *ai.AssistantMessage, events []ai.StreamEvent) {
	answer := tree(t, m).(map[string]any)
	for _, key := range []string{"timestamp", "durationMs", "role", "api", "provider", "model"} {
		delete(answer, key)
	}
	if m.API != model.API || m.Provider != model.Provider || m.Model != model.ID {
		t.Errorf("the answer is by %s/%s of %s", m.Provider, m.Model, m.API)
	}
	compare(t, "answer", any(c.Answer), any(answer))
	if c.Events == nil {
		return
	}
	var list []any
	for _, ev := range events {
		switch ev.(type) {
		case *ai.Start, *ai.Done, *ai.Error:
		default:
			list = append(list, tree(t, jsontext.Value(ev.AppendJSON(nil))))
		}
	}
	compare(t, "events", any(c.Events), any(list))
}

// Events is a [Server.Reply] for recordings of server-sent events: {"sse":[…]}, whose
// strings go out as they are, {"bytes64":…} as bytes that arrive apart, and whose other
// objects become one event each; or of a failure,
// {"status":…,"headers":…,"body":…}.
func Events(t testing.TB, w http.ResponseWriter, raw jsontext.Value) {
	var recorded struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    jsontext.Value    `json:"body"`
		SSE     []jsontext.Value  `json:"sse"`
	}
	if err := json.Unmarshal(raw, &recorded); err != nil {
		t.Error(err)
		return
	}
	for name, value := range recorded.Headers {
		w.Header().Set(name, value)
	}
	if recorded.Status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(recorded.Status)
		body := string(recorded.Body)
		if recorded.Body.Kind() == '"' {
			body = plainText(t, recorded.Body)
		}
		_, _ = io.WriteString(w, body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, ev := range recorded.SSE {
		if piece := bytesOf(t, ev); piece != nil {
			_, _ = w.Write(piece)
			_ = http.NewResponseController(w).Flush()
			continue
		}
		if err := ev.Compact(); err != nil {
			t.Error(err)
		}
		text := "data: " + string(ev) + "\n\n"
		if ev.Kind() == '"' {
			text = plainText(t, ev)
		}
		_, _ = io.WriteString(w, text)
	}
}

// bytesOf returns the bytes of {"bytes64":…}; nil for anything else.
func bytesOf(t testing.TB, raw jsontext.Value) []byte {
	var coded struct {
		Bytes []byte `json:"bytes64"`
	}
	if raw.Kind() == '{' {
		if err := json.Unmarshal(raw, &coded, jsontext.AllowDuplicateNames(true)); err != nil {
			t.Error(err)
		}
	}
	return coded.Bytes
}

func plainText(t testing.TB, raw jsontext.Value) string {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Error(err)
	}
	return s
}
