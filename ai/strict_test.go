package ai_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/strict"
	"github.com/rondo-agent/rondo/ai/wires"
)

// Every wire's service has its rules.
func TestStrict_KnowsEveryWire(t *testing.T) {
	for _, api := range wires.APIs() {
		if !strict.Knows(api) {
			t.Errorf("there are no rules of the service for %s", api)
		}
	}
}

// mixed draws conversations that several models have led, and in which programs have crashed,
// extensions have meddled and models have slipped.
type mixed struct {
	t     *rapid.T
	to    *handoffWire
	calls []*ai.ToolCall // of the newest answer
}

func (d *mixed) pick(name string, from ...string) string {
	return rapid.SampledFrom(from).Draw(d.t, name)
}

func (d *mixed) odds(name string, of int) bool { return rapid.IntRange(1, of).Draw(d.t, name) == 1 }

func (d *mixed) text() string {
	return d.pick("text", "yes", "", " \n", "a\xffb", "x ", "größer als 3\u2028", "\x00")
}

func (d *mixed) message() ai.Message {
	switch rapid.IntRange(0, 9).Draw(d.t, "kind") {
	case 0, 1:
		return &ai.UserMessage{Content: d.content()}
	case 2:
		return &ai.SystemMessage{Content: d.text()}
	case 3, 4, 5:
		return d.result()
	}
	return d.answer()
}

// content is what a user or a tool says.
func (d *mixed) content() ai.Content {
	var content ai.Content
	for range rapid.IntRange(0, 3).Draw(d.t, "blocks") {
		if d.odds("image", 3) {
			content = append(content, &ai.Image{Data: "QUJD", MIMEType: "image/png"})
		} else {
			content = append(content, &ai.Text{Text: d.text()})
		}
	}
	return content
}

func (d *mixed) result() ai.Message {
	r := &ai.ToolResultMessage{ToolCallID: "gone", ToolName: "f", Content: d.content(), IsError: d.odds("failed", 2)}
	if len(d.calls) > 0 && !d.odds("orphan", 6) {
		call := rapid.SampledFrom(d.calls).Draw(d.t, "of")
		r.ToolCallID, r.ToolName = call.ID, call.Name
	}
	return r
}

func (d *mixed) answer() ai.Message {
	by := rapid.SampledFrom(handoffWires).Draw(d.t, "by").model
	m := &ai.AssistantMessage{API: by.API, Provider: by.Provider, Model: by.ID}
	m.StopReason = rapid.SampledFrom([]ai.StopReason{ai.StopEnd, ai.StopToolUse, ai.StopToolUse, ai.StopLength, ai.StopError, ai.StopAborted}).Draw(d.t, "stop")
	d.calls = nil
	for range rapid.IntRange(0, 5).Draw(d.t, "blocks") {
		switch rapid.IntRange(0, 3).Draw(d.t, "block") {
		case 0:
			m.Content = append(m.Content, &ai.Text{Text: d.text(), Signature: d.pick("text signature", "", "", "msg_1", `{"v":1,"id":"msg_2"}`, signed)})
		case 1:
			m.Content = append(m.Content, &ai.Thinking{Thinking: d.text(), Redacted: d.odds("redacted", 4), Signature: d.pick("signature", "", signed, "reasoning",
				`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"E"}`, `{"type":"reasoning","id":"rs_2","summary":[]}`,
				`[{"type":"reasoning.text","text":"a","index":0}]`, "no base64!")})
		default:
			ids := []string{"", "call_1", "call_2", "c|fc_1", "toolu.1:x", "abcdefghi", fmt.Sprintf("call_%0100d", 7)}
			if by == d.to.model { // ids of a model itself are as its wire made them
				ids = slices.DeleteFunc(ids, func(id string) bool { return id != "" && !d.to.ids.MatchString(id) })
			}
			call := &ai.ToolCall{
				ID:        d.pick("id", ids...),
				Name:      d.pick("name", "f", "", "functions.bash", "bash<|channel|>", "größe", fmt.Sprintf("f%0200d", 7)),
				Arguments: jsontext.Value(d.pick("arguments", "{}", `{"a":1}`, `{"a":{"":2}}`, `[1]`, "", "null")),
			}
			if d.odds("signed", 3) {
				call.ThoughtSignature = signed
			}
			m.Content = append(m.Content, call)
			d.calls = append(d.calls, call)
		}
	}
	return m
}

// Whatever a conversation has been through, the service of each wire takes it.
func TestStrict_MixedConversations(t *testing.T) {
	for _, w := range handoffWires {
		t.Run(w.model.API, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				d := &mixed{t: rt, to: w}
				conversation := []ai.Message{user(text("go"))}
				for range rapid.IntRange(0, 25).Draw(rt, "messages") {
					conversation = append(conversation, d.message())
				}
				conversation = append(conversation, user(text("next")))
				model := *w.model
				model.Reasoning, model.MaxTokens = true, 30000
				model.Input = []string{ai.InputText}
				if d.odds("sees", 2) {
					model.Input = append(model.Input, ai.InputImage)
				}
				var sent jsontext.Value
				req := &ai.Request{Model: &model, Context: ai.Context{Messages: conversation}, Options: ai.Options{
					APIKey: w.key, Thinking: ai.ThinkingLow, Client: &http.Client{Transport: &strict.Service{API: model.API, Stream: w.reply}},
					OnPayload: func(_ context.Context, body jsontext.Value) (jsontext.Value, error) { sent = body; return nil, nil },
				}}
				answer, err := ai.Complete(t.Context(), wires.New().Stream, req)
				if err != nil || answer.Failed() {
					rt.Fatalf("%v %s\n%s", err, answer.ErrorMessage, sent)
				}
			})
		})
	}
}
