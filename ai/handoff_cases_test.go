package ai_test

import (
	"slices"
	"strings"
	"testing"

	jsonx "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// handoffCases are conversations that another model has led, with what is hard to hand over.
// by makes an answer of that model.
var handoffCases = []struct {
	name     string
	messages func(by func(stop ai.StopReason, blocks ...ai.Block) ai.Message) []ai.Message
	// own and other are the pieces that must arrive, for the model itself and for others: a
	// piece is a kind, or a kind with a part of its text. Notes of images are texts.
	own, other []string
}{
	{
		"thinking with a signature",
		func(by func(ai.StopReason, ...ai.Block) ai.Message) []ai.Message {
			return []ai.Message{user(text("go")), by(ai.StopEnd, &ai.Thinking{Thinking: "Deep", Signature: "U0lH"}, text("said")), user(text("next"))}
		},
		nil,
		[]string{"text go", "text Deep", "text said", "text next"},
	},
	{
		"thinking without a signature",
		func(by func(ai.StopReason, ...ai.Block) ai.Message) []ai.Message {
			return []ai.Message{user(text("go")), by(ai.StopEnd, &ai.Thinking{Thinking: "Deep"}, text("said")), user(text("next"))}
		},
		nil,
		[]string{"text go", "text Deep", "text said", "text next"},
	},
	{
		"withheld thinking",
		func(by func(ai.StopReason, ...ai.Block) ai.Message) []ai.Message {
			return []ai.Message{user(text("go")), by(ai.StopEnd, &ai.Thinking{Thinking: "[withheld]", Signature: "UkVE", Redacted: true}, text("said")), user(text("next"))}
		},
		nil,
		[]string{"text go", "text said", "text next"},
	},
	{
		"nothing but thinking",
		func(by func(ai.StopReason, ...ai.Block) ai.Message) []ai.Message {
			return []ai.Message{user(text("go")), by(ai.StopEnd, &ai.Thinking{Thinking: " ", Signature: "U0lH"}), user(text("next"))}
		},
		nil,
		[]string{"text go", "text next"},
	},
	{
		"calls without results",
		func(by func(ai.StopReason, ...ai.Block) ai.Message) []ai.Message {
			return []ai.Message{user(text("go")), by(ai.StopToolUse, call("a"), call("b")), result("a", "of a"), user(text("next"))}
		},
		[]string{"text go", "call", "call", "result of a", "result No result", "text next"},
		[]string{"text go", "call", "call", "result of a", "result No result", "text next"},
	},
	{
		"a call without a result at the end",
		func(by func(ai.StopReason, ...ai.Block) ai.Message) []ai.Message {
			return []ai.Message{user(text("go")), by(ai.StopToolUse, text("said"), call("a"))}
		},
		[]string{"text go", "text said", "call", "result No result"},
		[]string{"text go", "text said", "call", "result No result"},
	},
	{
		"results without calls",
		func(by func(ai.StopReason, ...ai.Block) ai.Message) []ai.Message {
			return []ai.Message{user(text("go")), result("x", "stray"), by(ai.StopEnd, text("said")), result("y", "stray"), user(text("next"))}
		},
		[]string{"text go", "text said", "text next"},
		[]string{"text go", "text said", "text next"},
	},
	{
		"a message between a call and its result",
		func(by func(ai.StopReason, ...ai.Block) ai.Message) []ai.Message {
			return []ai.Message{user(text("go")), by(ai.StopToolUse, call("a")), user(text("meanwhile")), result("a", "of a"), by(ai.StopEnd, text("said"))}
		},
		[]string{"text go", "call", "result of a", "text meanwhile", "text said"},
		[]string{"text go", "call", "result of a", "text meanwhile", "text said"},
	},
	{
		"failed and aborted answers",
		func(by func(ai.StopReason, ...ai.Block) ai.Message) []ai.Message {
			return []ai.Message{
				user(text("go")), by(ai.StopError, text("half"), call("a")), result("a", "of a"), user(text("again")), by(ai.StopAborted, text("cut")), user(text("next")),
			}
		},
		[]string{"text go", "text again", "text next"},
		[]string{"text go", "text again", "text next"},
	},
	{
		"empty blocks",
		func(by func(ai.StopReason, ...ai.Block) ai.Message) []ai.Message {
			return []ai.Message{
				user(text(""), text("go")), by(ai.StopToolUse, text(""), text(" "), text("said"), call("a")), result("a", "\r\n"), by(ai.StopEnd, text("\n")), user(text("  ")), by(ai.StopEnd), user(text("next")),
			}
		},
		[]string{"text go", "text said", "call", "result (no output)", "text (empty", "text next"},
		[]string{"text go", "text said", "call", "result (no output)", "text (empty", "text next"},
	},
	{
		"images of a user and of a tool",
		func(by func(ai.StopReason, ...ai.Block) ai.Message) []ai.Message {
			return []ai.Message{user(text("look"), picture), by(ai.StopToolUse, call("a")), &ai.ToolResultMessage{ToolCallID: "a", ToolName: "echo", Content: ai.Content{text("of a"), picture}}, user(text("next"))}
		},
		[]string{"text look", "image", "call", "result of a", "image", "text next"},
		[]string{"text look", "image", "call", "result of a", "image", "text next"},
	},
	{
		"ids that differ at their end",
		func(by func(ai.StopReason, ...ai.Block) ai.Message) []ai.Message {
			a, b := strings.Repeat("X", 80)+"1", strings.Repeat("X", 80)+"2"
			return []ai.Message{user(text("go")), by(ai.StopToolUse, call(a), call(b)), result(a, "first"), result(b, "second"), user(text("next"))}
		},
		[]string{"text go", "call", "call", "result first", "result second", "text next"},
		[]string{"text go", "call", "call", "result first", "result second", "text next"},
	},
	{
		"one id in two answers",
		func(by func(ai.StopReason, ...ai.Block) ai.Message) []ai.Message {
			return []ai.Message{user(text("go")), by(ai.StopToolUse, call("c")), result("c", "first"), by(ai.StopToolUse, call("c")), result("c", "second"), user(text("next"))}
		},
		[]string{"text go", "call", "result first", "call", "result second", "text next"},
		[]string{"text go", "call", "result first", "call", "result second", "text next"},
	},
	{
		"text with a signature of its own",
		func(by func(ai.StopReason, ...ai.Block) ai.Message) []ai.Message {
			return []ai.Message{user(text("go")), by(ai.StopEnd, &ai.Text{Text: "said", Signature: "U0lH"}), user(text("next"))}
		},
		[]string{"text go", "text said", "text next"},
		[]string{"text go", "text said", "text next"},
	},
	{
		"arguments without a name",
		func(by func(ai.StopReason, ...ai.Block) ai.Message) []ai.Message {
			c := &ai.ToolCall{ID: "a", Name: "echo", Arguments: jsontext.Value(`{"":"x","path":"a"}`)}
			return []ai.Message{user(text("go")), by(ai.StopToolUse, c), result("a", "of a"), user(text("next"))}
		},
		[]string{"text go", "call", "result of a", "text next"},
		[]string{"text go", "call", "result of a", "text next"},
	},
}

var picture = &ai.Image{Data: "QUJD", MIMEType: "image/png"}

// TestHandoffCases hands each conversation from each wire to each wire, and to a
// model that sees images as well as to one that does not.
func TestHandoffCases(t *testing.T) {
	for _, test := range handoffCases {
		t.Run(test.name, func(t *testing.T) {
			for _, from := range handoffWires {
				messages := test.messages(func(stop ai.StopReason, blocks ...ai.Block) ai.Message {
					return &ai.AssistantMessage{API: from.model.API, Provider: from.model.Provider, Model: from.model.ID, StopReason: stop, Content: blocks}
				})
				for _, to := range handoffWires {
					want := test.other
					if from == to {
						want = test.own
					}
					for _, input := range [][]string{{ai.InputText}, {ai.InputText, ai.InputImage}} {
						m := *to.model
						m.Input = input
						body, _ := to.converse(t, &m, messages)
						var tree any
						if err := jsonx.Unmarshal([]byte(body), &tree); err != nil {
							t.Fatal(err)
						}
						for _, problem := range to.problems(to.pieces(tree), want, from == to, len(input) == 2) {
							t.Errorf("%s to %s, input %v: %s in %s", from.model.API, to.model.API, input, problem, body)
						}
					}
				}
			}
		})
	}
}

// problems checks what a request says: what must hold for any, and what is wanted.
func (w *handoffWire) problems(got []said, want []string, own, sees bool) []string {
	var found []string
	open, seen := []string{}, map[string]bool{}
	for i, p := range got {
		switch p.kind {
		case "text":
			if strings.TrimSpace(p.text) == "" {
				found = append(found, "a blank text")
			}
		case "image":
			if !sees {
				found = append(found, "an image for a model that sees none")
			}
		case "call":
			if p.id == "" || seen[p.id] || !own && !w.ids.MatchString(p.id) {
				found = append(found, "the id "+p.id)
			}
			seen[p.id] = true
			open = append(open, p.id)
		case "result":
			at := slices.Index(open, p.id)
			if at < 0 {
				found = append(found, "a result of no open call: "+p.id)
				continue
			}
			open = slices.Delete(open, at, at+1)
		}
		if p.role == "assistant" && p.kind != "call" && len(open) > 0 && i > 0 && got[i-1].kind == "result" {
			found = append(found, "calls without results before an answer")
		}
	}
	if len(open) > 0 {
		found = append(found, "calls without results")
	}
	if want != nil {
		found = append(found, w.missing(got, want, sees)...)
	}
	return found
}

// missing compares with the pieces that are wanted, in their order. One piece may hold
// several texts, as chat completions join them. Where a wire sends the images of a result in
// a message of its own, its notice is passed over; a model that sees no images has a note in
// place of each.
func (w *handoffWire) missing(got []said, want []string, sees bool) []string {
	at := -1
	rest := said{}
	for _, p := range want {
		kind, text, _ := strings.Cut(p, " ")
		if kind == "image" && !sees {
			continue
		}
		for rest.kind != kind || !strings.Contains(rest.text, text) {
			at++
			if at == len(got) {
				return []string{"no piece " + p}
			}
			if rest = got[at]; (rest.kind != kind || !strings.Contains(rest.text, text)) && !strings.HasPrefix(rest.text, "(") {
				return []string{"the piece " + rest.String() + " in place of " + p}
			}
		}
		_, rest.text, _ = strings.Cut(rest.text, text)
		if rest.text == "" {
			rest.kind = ""
		}
	}
	for at++; at < len(got); at++ {
		if !strings.HasPrefix(got[at].text, "(") {
			return []string{"the piece " + got[at].String() + " too much"}
		}
	}
	return nil
}
