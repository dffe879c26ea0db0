package ai_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	jsonx "github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/google"
	"github.com/rondo-agent/rondo/ai/internal/strict"
	"github.com/rondo-agent/rondo/ai/wires"
)

// replying answers with a stream and keeps the request.
type replying struct {
	stream string
	body   string
}

func (r *replying) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	r.body = string(body)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(r.stream))}, nil
}

// converse sends a conversation and returns the request's body and the answer.
func (w *handoffWire) converse(t *testing.T, m *ai.Model, messages []ai.Message) (string, *ai.AssistantMessage) {
	t.Helper()
	r := &replying{stream: w.reply}
	model := *m
	model.Reasoning, model.MaxTokens = true, 30000
	if model.Input == nil {
		model.Input = []string{ai.InputText}
	}
	answer, err := ai.Complete(t.Context(), wires.New().Stream, &ai.Request{
		Model: &model, Context: ai.Context{Messages: messages},
		Options: ai.Options{APIKey: w.key, Thinking: ai.ThinkingLow, Client: &http.Client{Transport: r}},
	})
	if err != nil || answer.StopReason != ai.StopToolUse {
		t.Fatalf("%s: %+v, %v", m.API, answer, err)
	}
	for _, reason := range strict.Refusals(m.API, []byte(r.body)) {
		if strings.Contains(reason, ": the id ") && slices.ContainsFunc(messages, func(said ai.Message) bool {
			answer, ok := said.(*ai.AssistantMessage)
			return ok && answer.Model == m.ID && answer.API == m.API
		}) {
			continue // ids of a model itself are as it made them, and tables make them up
		}
		t.Errorf("%s refuses the request: %s\n%s", m.API, reason, r.body)
	}
	return r.body, answer
}

// TestHandoff_KnowsEveryWire fails for a wire that is registered and stands in no hand-off.
func TestHandoff_KnowsEveryWire(t *testing.T) {
	var known []string
	for _, w := range handoffWires {
		known = append(known, w.model.API)
	}
	registered := wires.APIs()
	slices.Sort(known)
	slices.Sort(registered)
	if !slices.Equal(known, registered) {
		t.Errorf("hand-offs between %q, registered are %q", known, registered)
	}
}

// TestHandoff hands a conversation with thinking, a signature and a call from each wire to
// each other one, to the same model, and to another model of the same wire.
func TestHandoff(t *testing.T) {
	for _, from := range handoffWires {
		_, answer := from.converse(t, from.model, []ai.Message{user(text("go"))})
		call := answer.Content.ToolCalls()[0]
		if len(answer.Content) != 3 || string(call.Arguments) != `{"a":1}` {
			t.Fatalf("%s: the answer is %s", from.model.API, blocks(answer.Content))
		}
		messages := []ai.Message{
			user(text("go")), answer, &ai.ToolResultMessage{ToolCallID: call.ID, ToolName: "echo", Content: ai.TextContent("echoed")}, user(text("next")),
		}
		for _, to := range handoffWires {
			t.Run(from.model.API+" to "+to.model.API, func(t *testing.T) {
				body, _ := to.converse(t, to.model, messages)
				to.check(t, body, from == to)
			})
		}
		t.Run(from.model.API+" to a sibling", func(t *testing.T) {
			sibling := *from.model
			sibling.ID += "-2"
			body, _ := from.converse(t, &sibling, messages)
			from.check(t, body, false)
		})
	}
}

// check looks at a request in which the conversation was handed over; own says that it
// stayed with the model that led it.
func (w *handoffWire) check(t *testing.T, body string, own bool) {
	t.Helper()
	for _, want := range []string{"Deep thought.", "Calling.", "echoed", `"next"`, "echo"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is missing in %s", want, body)
		}
	}
	if strings.Contains(body, signed) != (own && !w.plain) {
		t.Errorf("the signature is sent: %t; the model is its own: %t; %s", !own, own, body)
	}
	if excused := strings.Contains(body, "skip_thought_signature_validator"); excused != ((w.model.API == google.API || w.model.API == google.APIVertex) && !own) {
		t.Errorf("a stand-in for the signature is sent: %t", excused)
	}
	var tree any
	if err := jsonx.Unmarshal([]byte(body), &tree); err != nil {
		t.Fatal(err)
	}
	call, result := w.pair(tree)
	id, _ := call.(string)
	if id == "" || call != result {
		t.Errorf("call %v, result %v in %s", call, result, body)
	}
	if !own && !w.ids.MatchString(id) {
		t.Errorf("the wire does not take the id %q", id)
	}
}

// A conversation that goes to another model and comes back is sent as if it had never
// left, but for what was said meanwhile.
func TestHandoff_ThereAndBack(t *testing.T) {
	for _, home := range handoffWires {
		_, first := home.converse(t, home.model, []ai.Message{user(text("go"))})
		call := first.Content.ToolCalls()[0]
		start := []ai.Message{user(text("go")), first, &ai.ToolResultMessage{ToolCallID: call.ID, ToolName: "echo", Content: ai.TextContent("echoed")}}
		for _, away := range handoffWires {
			if away == home {
				continue
			}
			_, second := away.converse(t, away.model, start)
			other := second.Content.ToolCalls()[0]
			messages := append(start, second, &ai.ToolResultMessage{ToolCallID: other.ID, ToolName: "echo", Content: ai.TextContent("again")})
			body, _ := home.converse(t, home.model, messages)
			if n := strings.Count(body, "Deep thought."); n != 2 {
				t.Errorf("%s by way of %s: %d thoughts in %s", home.model.API, away.model.API, n, body)
			}
			if strings.Contains(body, signed) == home.plain || !strings.Contains(body, "again") {
				t.Errorf("%s by way of %s: %s", home.model.API, away.model.API, body)
			}
		}
	}
}
