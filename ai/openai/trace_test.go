package openai_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
)

func unmarshal(raw []byte, into any) error { return json.Unmarshal(raw, into) }

// trace is a recording of Pi 0.85 against a scripted server. Wording that an
// implementation is free to choose stands in it as <notice> and the like.
type trace struct {
	About string `json:"about"`
	// Transcript is a session from before the first exchange; Prompt goes on with it.
	Transcript []jsontext.Value `json:"transcript"`
	Prompt     string           `json:"prompt"`
	Exchanges  []exchange       `json:"exchanges"`
}

type exchange struct {
	Model    *ai.Model                `json:"model"`
	Thinking ai.ThinkingLevel         `json:"thinking"`
	Budgets  map[ai.ThinkingLevel]int `json:"budgets"`
	Reply    reply                    `json:"reply"`
	Want     map[string]any           `json:"want"`
	Updates  []map[string]any         `json:"updates"`
	Message  map[string]any           `json:"message"`
}

// TestTraces replays recordings: what is sent, what is made of the reply event by event,
// and the final message.
func TestTraces(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var tr trace
			if err := unmarshal(raw, &tr); err != nil {
				t.Fatal(err)
			}
			tr.replay(t)
		})
	}
}

func (tr *trace) replay(t *testing.T) {
	l := newLab(t)
	var answers []ai.Message
	for i, e := range tr.Exchanges {
		e.Model.BaseURL = l.url
		req := &ai.Request{
			Model:   e.Model,
			Context: ai.Context{SystemPrompt: "<system prompt>", Messages: tr.context(t, e, answers), Tools: toolsOf(t, e.Want)},
			Options: ai.Options{APIKey: "lab-key", Thinking: e.Thinking, ThinkingBudgets: e.Budgets},
		}
		l.serve(t, e.Reply)
		events, m := l.ask(t, req)
		answers = append(answers, m)
		if len(l.bodies) != i+1 {
			t.Fatalf("exchange %d: %d requests were sent", i, len(l.bodies))
		}
		compare(t, fmt.Sprintf("request %d", i), normalRequest(t, e.Want), normalRequest(t, decode(t, l.bodies[i])))
		if e.Updates != nil {
			compare(t, fmt.Sprintf("updates of answer %d", i), anySlice(e.Updates), updates(t, events))
		}
		if e.Message != nil {
			compare(t, fmt.Sprintf("answer %d", i), e.Message, normalMessage(t, m))
		}
	}
}

// context makes the transcript before an exchange. Answers are those that were made of
// earlier replies; the rest is read off the recorded request.
func (tr *trace) context(t *testing.T, e exchange, answers []ai.Message) []ai.Message {
	if tr.Transcript != nil {
		var messages []ai.Message
		for _, raw := range tr.Transcript {
			m, err := ai.DecodeMessage(raw)
			if err != nil {
				t.Fatal(err)
			}
			messages = append(messages, m)
		}
		return append(messages, user(tr.Prompt))
	}
	var messages []ai.Message
	for _, m := range e.Want["messages"].([]any) {
		m := m.(map[string]any)
		switch m["role"] {
		case "user":
			messages = append(messages, userOf(m["content"].([]any)))
		case "assistant":
			if m["content"] == "<notice>" { // made up between others
				continue
			}
			for answers[0].(*ai.AssistantMessage).Failed() { // left out of requests
				messages, answers = append(messages, answers[0]), answers[1:]
			}
			messages, answers = append(messages, answers[0]), answers[1:]
		case "tool":
			messages = append(messages, resultOf(m))
		}
	}
	return imagesToResults(messages)
}

func userOf(parts []any) ai.Message {
	var content ai.Content
	for _, p := range parts {
		p := p.(map[string]any)
		if image, ok := p["image_url"].(map[string]any); ok {
			_, data, _ := strings.Cut(image["url"].(string), ",")
			content = append(content, &ai.Image{Data: data, MIMEType: "image/png"})
			continue
		}
		if p["text"] == "<notice>" && len(content) > 0 { // in place of images
			image := &ai.Image{Data: "AAAA", MIMEType: "image/png"}
			content = append(content, image, image)
			continue
		}
		content = append(content, &ai.Text{Text: p["text"].(string)})
	}
	return &ai.UserMessage{Content: content}
}

func resultOf(m map[string]any) ai.Message {
	var text string
	switch c := m["content"].(type) {
	case string:
		text = c
	case []any:
		text = c[0].(map[string]any)["text"].(string)
	}
	r := &ai.ToolResultMessage{ToolCallID: m["tool_call_id"].(string), ToolName: "echo"}
	if text != "<notice>" {
		r.Content = ai.TextContent(text)
	}
	return r
}

// imagesToResults gives the images of the message that follows tool results back to the
// results.
func imagesToResults(messages []ai.Message) []ai.Message {
	last, ok := messages[len(messages)-1].(*ai.UserMessage)
	if !ok || last.Content.Text() != "<notice>" {
		return messages
	}
	messages = messages[:len(messages)-1]
	images := last.Content[1:]
	for i, m := range messages {
		if r, ok := m.(*ai.ToolResultMessage); ok {
			r.Content = append(r.Content, images[0])
			images = images[1:]
			messages[i] = r
		}
	}
	return messages
}

// toolsOf makes declarations for the tools of a recorded request.
func toolsOf(t *testing.T, want map[string]any) []ai.ToolDecl {
	var decls []ai.ToolDecl
	tools, _ := want["tools"].([]any)
	for _, tool := range tools {
		d := ai.ToolDecl{Name: "echo", Description: "Says what it got.", Parameters: jsontext.Value(`{"type":"object","properties":{}}`)}
		if name, ok := tool.(string); ok {
			d.Name = name
		}
		decls = append(decls, d)
	}
	return decls
}

func decode(t *testing.T, raw []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := unmarshal(raw, &m); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return m
}

// normalRequest reduces tools to their names where the recording has no more.
func normalRequest(t *testing.T, body map[string]any) map[string]any {
	tools, _ := body["tools"].([]any)
	for i, tool := range tools {
		if tool, ok := tool.(map[string]any); ok {
			f := tool["function"].(map[string]any)
			if f["name"] != "echo" || tool["cache_control"] == nil {
				tools[i] = f["name"]
			}
		}
	}
	return body
}

func updates(t *testing.T, events []ai.StreamEvent) []any {
	var out []any
	for _, ev := range events {
		switch ev.(type) {
		case *ai.Start, *ai.Done, *ai.Error:
			continue
		}
		out = append(out, decode(t, ev.AppendJSON(nil)))
	}
	return out
}

func normalMessage(t *testing.T, m *ai.AssistantMessage) map[string]any {
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	out := decode(t, raw)
	delete(out, "timestamp")
	delete(out, "durationMs")
	return out
}

func anySlice(maps []map[string]any) []any {
	var out []any
	for _, m := range maps {
		out = append(out, m)
	}
	return out
}

// compare reports differences; a recorded <mark> stands for any text that has the words
// after a colon in it.
func compare(t *testing.T, what string, want, got any) {
	t.Helper()
	same := cmp.FilterValues(func(a, b string) bool { return isMark(a) || isMark(b) }, cmp.Comparer(func(a, b string) bool {
		if !isMark(a) {
			a, b = b, a
		}
		_, words, _ := strings.Cut(strings.Trim(a, "<>"), ": ")
		for word := range strings.FieldsSeq(words) {
			if !strings.Contains(b, word) {
				return false
			}
		}
		return true
	}))
	near := cmp.FilterValues(func(a, b float64) bool { return a != b }, cmp.Comparer(func(a, b float64) bool {
		return a-b < 1e-9 && b-a < 1e-9
	}))
	if diff := cmp.Diff(want, got, same, near); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func isMark(s string) bool {
	return strings.HasPrefix(s, "<notice") || strings.HasPrefix(s, "<error") || strings.HasPrefix(s, "<free")
}
