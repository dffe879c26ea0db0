package anthropic_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/anthropic"
	"github.com/rondo-agent/rondo/ai/internal/replay"
)

// send returns the body and the headers of a request.
func send(t *testing.T, change func(req *ai.Request)) (map[string]any, http.Header) {
	t.Helper()
	var body map[string]any
	var header http.Header
	address, client := replay.Listen(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		if err := json.UnmarshalRead(r.Body, &body, jsontext.AllowDuplicateNames(true)); err != nil {
			t.Error(err)
		}
		io.WriteString(w, answer(textBlock, textDelta, blockStop, endTurn))
	})
	req := cannedRequest("")
	req.Model.BaseURL, req.Options.Client = address, client
	req.Model.Input = []string{ai.InputText, ai.InputImage}
	req.Context.Messages = []ai.Message{user("hi")}
	req.Options.APIKey = "key"
	change(req)
	if _, final := askFor(t, t.Context(), req); final.Failed() {
		t.Fatal(final.ErrorMessage)
	}
	return body, header
}

func user(text string) *ai.UserMessage { return &ai.UserMessage{Content: ai.TextContent(text)} }

func said(m *ai.Model, blocks ...ai.Block) *ai.AssistantMessage {
	return &ai.AssistantMessage{API: m.API, Provider: m.Provider, Model: m.ID, Content: blocks, StopReason: ai.StopEnd}
}

// encoded is a value as JSON.
func encoded(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// value reads JSON for comparing.
func value(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestThinking(t *testing.T) {
	reasoning := func(req *ai.Request) { req.Model.Reasoning, req.Model.MaxTokens = true, 20000 }
	adaptive := func(req *ai.Request) {
		reasoning(req)
		req.Model.Compat = jsontext.Value(`{"forceAdaptiveThinking":true}`)
	}
	tests := []struct {
		name   string
		change func(req *ai.Request)
		want   string // thinking, output_config, max_tokens, temperature
	}{
		{"no reasoning", func(req *ai.Request) {
			req.Options.Thinking, req.Options.Temperature = ai.ThinkingHigh, new(0.5)
		}, `{"max_tokens":4096,"temperature":0.5}`},
		{
			"off", func(req *ai.Request) { reasoning(req); req.Options.Temperature = new(0.5) },
			`{"max_tokens":20000,"temperature":0.5,"thinking":{"type":"disabled"}}`,
		},
		{"off is not supported", func(req *ai.Request) {
			reasoning(req)
			req.Model.ThinkingLevelMap = map[ai.ThinkingLevel]*string{ai.ThinkingOff: nil}
		}, `{"max_tokens":20000}`},
		{"budget and no temperature", func(req *ai.Request) {
			reasoning(req)
			req.Options.Thinking, req.Options.Temperature = ai.ThinkingLow, new(0.5)
		}, `{"max_tokens":20000,"thinking":{"type":"enabled","budget_tokens":2048,"display":"summarized"}}`},
		{
			"xhigh is clamped", func(req *ai.Request) { reasoning(req); req.Options.Thinking = ai.ThinkingXHigh },
			`{"max_tokens":20000,"thinking":{"type":"enabled","budget_tokens":16384,"display":"summarized"}}`,
		},
		{"xhigh has the budget of high", func(req *ai.Request) {
			reasoning(req)
			req.Model.ThinkingLevelMap = map[ai.ThinkingLevel]*string{ai.ThinkingXHigh: new("x")}
			req.Options.Thinking, req.Options.ThinkingBudgets = ai.ThinkingXHigh, map[ai.ThinkingLevel]int{ai.ThinkingHigh: 9000}
		}, `{"max_tokens":20000,"thinking":{"type":"enabled","budget_tokens":9000,"display":"summarized"}}`},
		{"a limit is for the answer", func(req *ai.Request) {
			reasoning(req)
			req.Options.Thinking, req.Options.MaxTokens = ai.ThinkingMedium, 1000
		}, `{"max_tokens":9192,"thinking":{"type":"enabled","budget_tokens":8168,"display":"summarized"}}`},
		{"the answer keeps 1024", func(req *ai.Request) {
			reasoning(req)
			req.Options.Thinking, req.Model.MaxTokens = ai.ThinkingMedium, 9000
		}, `{"max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":7976,"display":"summarized"}}`},
		{"no room to think", func(req *ai.Request) {
			reasoning(req)
			req.Options.Thinking, req.Model.MaxTokens = ai.ThinkingMedium, 2000
		}, `{"max_tokens":2000,"thinking":{"type":"disabled"}}`},
		{
			"effort", func(req *ai.Request) { adaptive(req); req.Options.Thinking = ai.ThinkingMinimal },
			`{"max_tokens":20000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"}}`,
		},
		{"effort of the model's own", func(req *ai.Request) {
			adaptive(req)
			req.Model.ThinkingLevelMap = map[ai.ThinkingLevel]*string{ai.ThinkingMax: new("most")}
			req.Options.Thinking = ai.ThinkingMax
		}, `{"max_tokens":20000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"most"}}`},
		{"no temperature here", func(req *ai.Request) {
			req.Model.Compat = jsontext.Value(`{"supportsTemperature":false}`)
			req.Options.Temperature = new(0.5)
		}, `{"max_tokens":4096}`},
		{"more than the model can", func(req *ai.Request) { req.Options.MaxTokens = 9999 }, `{"max_tokens":4096}`},
		{"little window left", func(req *ai.Request) {
			req.Model.ContextWindow = 10000
			req.Context.SystemPrompt = strings.Repeat("word", 3000)
		}, `{"max_tokens":2903}`},
		{"no limit known", func(req *ai.Request) { req.Model.MaxTokens = 0 }, `{"max_tokens":16384}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			body, _ := send(t, test.change)
			got := map[string]any{}
			for _, key := range []string{"thinking", "output_config", "max_tokens", "temperature"} {
				if v, ok := body[key]; ok {
					got[key] = v
				}
			}
			if diff := cmp.Diff(value(t, test.want), any(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	tools := func(req *ai.Request) { req.Context.Tools = []ai.ToolDecl{{Name: "echo"}} }
	tests := []struct {
		name   string
		change func(req *ai.Request)
		want   map[string]string // "" means absent
	}{
		{"plain", func(*ai.Request) {}, map[string]string{
			"X-Api-Key": "key", "Authorization": "", "Anthropic-Version": "2023-06-01", "Anthropic-Beta": "", "X-Session-Affinity": "",
		}},
		{"AI92 bearer of the options", func(req *ai.Request) {
			req.Options.Headers = map[string]string{"authorization": "Bearer b"}
		}, map[string]string{"X-Api-Key": "", "Authorization": "Bearer b"}},
		{"AI92 bearer of the model", func(req *ai.Request) {
			req.Model.Headers = map[string]string{"Authorization": "Bearer b"}
		}, map[string]string{"X-Api-Key": "", "Authorization": "Bearer b"}},
		{"a removed bearer", func(req *ai.Request) {
			req.Model.Headers = map[string]string{"Authorization": "Bearer b"}
			req.Options.Headers = map[string]string{"Authorization": ""}
		}, map[string]string{"X-Api-Key": "key", "Authorization": ""}},
		{"no key", func(req *ai.Request) { req.Options.APIKey = "" }, map[string]string{"X-Api-Key": ""}},
		{"betas are merged", func(req *ai.Request) {
			tools(req)
			req.Model.Reasoning, req.Options.Thinking = true, ai.ThinkingLow
			req.Model.Compat = jsontext.Value(`{"supportsEagerToolInputStreaming":false}`)
			req.Model.Headers = map[string]string{"anthropic-beta": "a, b"}
			req.Options.Headers = map[string]string{"ANTHROPIC-BETA": "b,c"}
		}, map[string]string{"Anthropic-Beta": "a,b,c,fine-grained-tool-streaming-2025-05-14,interleaved-thinking-2025-05-14"}},
		{"betas of the model are removed", func(req *ai.Request) {
			req.Model.Headers = map[string]string{"anthropic-beta": "a"}
			req.Options.Headers = map[string]string{"anthropic-beta": ""}
		}, map[string]string{"Anthropic-Beta": ""}},
		{"no beta for an effort", func(req *ai.Request) {
			req.Model.Reasoning, req.Options.Thinking = true, ai.ThinkingLow
			req.Model.Compat = jsontext.Value(`{"forceAdaptiveThinking":true}`)
		}, map[string]string{"Anthropic-Beta": ""}},
		{"no beta without tools", func(req *ai.Request) {
			req.Model.Compat = jsontext.Value(`{"supportsEagerToolInputStreaming":false}`)
		}, map[string]string{"Anthropic-Beta": ""}},
		{"session affinity", func(req *ai.Request) {
			req.Model.Compat = jsontext.Value(`{"sendSessionAffinityHeaders":true}`)
			req.Options.SessionID = "s1"
		}, map[string]string{"X-Session-Affinity": "s1"}},
		{"no session affinity", func(req *ai.Request) { req.Options.SessionID = "s1" }, map[string]string{"X-Session-Affinity": ""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, header := send(t, test.change)
			for name, want := range test.want {
				if got := header.Get(name); got != want {
					t.Errorf("%s = %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestBody(t *testing.T) {
	tests := []struct {
		name   string
		change func(req *ai.Request)
		want   string // the members of the body that it names; null means absent
	}{
		{"no cache marks", func(req *ai.Request) {
			req.Context.SystemPrompt = "s"
			req.Context.Tools = []ai.ToolDecl{{Name: "echo", Description: "d"}}
			req.Options.CacheRetention = "none"
		}, `{"system":[{"type":"text","text":"s"}],
			"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],
			"tools":[{"name":"echo","description":"d","eager_input_streaming":true,"input_schema":{"type":"object","properties":{},"required":[]}}]}`},
		{"tool choice", func(req *ai.Request) {
			req.Context.Tools = []ai.ToolDecl{{Name: "echo"}}
			req.Options.ToolChoice = "none"
		}, `{"tool_choice":{"type":"none"}}`},
		{"no tool choice without tools", func(req *ai.Request) { req.Options.ToolChoice = "none" }, `{"tool_choice":null,"tools":null}`},
		{"auto is the default", func(req *ai.Request) {
			req.Context.Tools = []ai.ToolDecl{{Name: "echo"}}
			req.Options.ToolChoice = "auto"
		}, `{"tool_choice":null}`},
		{"metadata", func(req *ai.Request) {
			req.Options.Metadata = map[string]string{"user_id": "u", "other": "x"}
		}, `{"metadata":{"user_id":"u"}}`},
		{"no system prompt", func(*ai.Request) {}, `{"system":null,"metadata":null,"thinking":null,"temperature":null}`},
		{"sampling", func(req *ai.Request) {
			req.Model.SamplingParams = map[string]jsontext.Value{"top_p": jsontext.Value("0.1"), "top_k": jsontext.Value("5")}
			req.Options.SamplingParams = map[string]jsontext.Value{"top_p": jsontext.Value("0.2"), "max_tokens": jsontext.Value("7")}
		}, `{"top_p":0.2,"top_k":5,"max_tokens":7}`},
		{"schemas are cut", func(req *ai.Request) {
			req.Context.Tools = []ai.ToolDecl{
				{Name: "a", Parameters: jsontext.Value(`{"$schema":"x","type":["object","null"],"title":"t","properties":{"p":{"$ref":"#/$defs/d"}},"required":["p"],"additionalProperties":false,"$defs":{"d":{"type":"string"}}}`)},
				{Name: "b", Parameters: jsontext.Value(`true`)},
			}
			req.Options.CacheRetention = "none"
		}, `{"tools":[
			{"name":"a","description":"","eager_input_streaming":true,"input_schema":{"type":"object","properties":{"p":{"$ref":"#/$defs/d"}},"required":["p"],"$defs":{"d":{"type":"string"}}}},
			{"name":"b","description":"","eager_input_streaming":true,"input_schema":{"type":"object","properties":{},"required":[]}}]}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			body, _ := send(t, test.change)
			for key, want := range value(t, test.want).(map[string]any) {
				if diff := cmp.Diff(want, body[key]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", key, diff)
				}
			}
		})
	}
}

func TestMessages(t *testing.T) {
	self := cannedRequest("").Model
	other := &ai.Model{ID: "other", API: self.API, Provider: self.Provider}
	call := func(id string) *ai.ToolCall { return &ai.ToolCall{ID: id, Name: "echo"} }
	result := func(id, text string) *ai.ToolResultMessage {
		return &ai.ToolResultMessage{ToolCallID: id, ToolName: "echo", Content: ai.TextContent(text)}
	}
	tests := []struct {
		name     string
		messages []ai.Message
		want     string
	}{
		{"HND02 ids stay distinct", []ai.Message{
			user("go"),
			said(other, call(strings.Repeat("X", 64)+"1"), call(strings.Repeat("X", 64)+"2"), call("a|b.c")),
			result(strings.Repeat("X", 64)+"2", "two"), result(strings.Repeat("X", 64)+"1", "one"), result("a|b.c", "three"),
		}, ``},
		{"HND03 signatures go to their model only", []ai.Message{
			user("go"),
			said(other, &ai.Thinking{Thinking: "Deep.", Signature: "s"}, &ai.Thinking{Thinking: "x", Signature: "s", Redacted: true}, &ai.Text{Text: "A."}),
			said(self, &ai.Thinking{Thinking: "Own.", Signature: "s"}, &ai.Thinking{Signature: "t"}, &ai.Text{Text: "B."}),
			user("on"),
		}, `[
			{"role":"user","content":[{"type":"text","text":"go"}]},
			{"role":"assistant","content":[{"type":"text","text":"Deep."},{"type":"text","text":"A."}]},
			{"role":"assistant","content":[{"type":"thinking","thinking":"Own.","signature":"s"},{"type":"thinking","thinking":"","signature":"t"},{"type":"text","text":"B."}]},
			{"role":"user","content":[{"type":"text","text":"on"}]}]`},
		{"HND11 blanks", []ai.Message{
			&ai.UserMessage{Content: ai.Content{&ai.Text{Text: " "}, &ai.Image{Data: "AA==", MIMEType: "image/png"}}},
			said(self, &ai.Text{Text: "\n"}, call("t1")),
			result("t1", "\r\n"),
		}, `[
			{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]},
			{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"echo","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":false,"content":"(no output)"}]}]`},
		{"HND14 what stands between call and result", []ai.Message{
			&ai.SystemMessage{Content: "Be brief."},
			user("go"),
			said(self, call("t1")),
			&ai.SystemMessage{Content: "Be kind."},
			user("psst"),
			result("t1", "x"),
			said(self, &ai.Thinking{}),
			user("on"),
		}, `[
			{"role":"user","content":[{"type":"text","text":"go"}]},
			{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"echo","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":false,"content":"x"}]},
			{"role":"user","content":[{"type":"text","text":"psst"}]},
			{"role":"user","content":[{"type":"text","text":"on"}]}]`},
		{"AI72 text that is no Unicode", []ai.Message{
			user("a\xffb"),
			said(self, &ai.ToolCall{ID: "t1", Name: "echo", Arguments: jsontext.Value(`{"x":"\ud83d","x":"\ud83d"}`)}, &ai.ToolCall{ID: "t2", Name: "echo", Arguments: jsontext.Value(`[1]`)}),
			result("t1", "ok"), result("t2", "ok"),
		}, ``},
		{"texts of a result", []ai.Message{
			user("go"),
			said(self, call("t1")),
			&ai.ToolResultMessage{ToolCallID: "t1", Content: ai.Content{&ai.Text{Text: "a"}, &ai.Text{Text: "b"}}, IsError: true},
		}, `[
			{"role":"user","content":[{"type":"text","text":"go"}]},
			{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"echo","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"a\nb"}]}]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			body, _ := send(t, func(req *ai.Request) {
				req.Context.Messages = test.messages
				req.Options.CacheRetention = "none"
			})
			if test.want != "" {
				if diff := cmp.Diff(value(t, test.want), body["messages"]); diff != "" {
					t.Errorf("messages (-want +got):\n%s", diff)
				}
			}
			checkPairing(t, body)
			if strings.HasPrefix(test.name, "HND14") {
				system := body["system"].([]any)[0].(map[string]any)["text"].(string)
				if !strings.Contains(system, "Be brief.") || !strings.Contains(system, "Be kind.") {
					t.Errorf("system = %q", system)
				}
			}
		})
	}
}

// checkPairing checks what the service insists on: ids that are well-formed and differ,
// and results right behind their calls.
func checkPairing(t *testing.T, body map[string]any) {
	t.Helper()
	seen := map[string]bool{}
	var open []string
	for _, m := range body["messages"].([]any) {
		for _, b := range m.(map[string]any)["content"].([]any) {
			block := b.(map[string]any)
			switch block["type"] {
			case "tool_use":
				id := block["id"].(string)
				if seen[id] || len(id) > 64 || strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
					t.Errorf("id %q", id)
				}
				if _, ok := block["input"].(map[string]any); !ok {
					t.Errorf("input of %s is %v", id, block["input"])
				}
				seen[id] = true
				open = append(open, id)
			case "tool_result":
				if len(open) == 0 || open[0] != block["tool_use_id"] {
					t.Errorf("result of %v, open are %v", block["tool_use_id"], open)
					return
				}
				open = open[1:]
			default:
				if len(open) > 0 && m.(map[string]any)["role"] == "user" {
					t.Errorf("%v before the results of %v", block, open)
				}
			}
		}
	}
}

func TestBadCompatIsAnError(t *testing.T) {
	req := cannedRequest("")
	req.Model.Compat = jsontext.Value(`{"supportsTemperature":"yes"}`)
	_, final := askFor(t, t.Context(), req)
	if !final.Failed() || !strings.Contains(final.ErrorMessage, `"compat" of model lab/m`) {
		t.Errorf("error = %s", final.ErrorMessage)
	}
}

func TestRequestIsNotChanged(t *testing.T) {
	req := cannedRequest(answer(textBlock, textDelta, blockStop, endTurn))
	req.Model.Headers = map[string]string{"anthropic-beta": "a"}
	req.Options.Headers = map[string]string{"anthropic-beta": "b", "X": "y"}
	req.Context.Messages = []ai.Message{user(" "), user("a|b")}
	before := encoded(t, req.Context.Messages)
	askFor(t, t.Context(), req)
	if diff := cmp.Diff(map[string]string{"anthropic-beta": "b", "X": "y"}, req.Options.Headers); diff != "" {
		t.Errorf("headers (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(before, encoded(t, req.Context.Messages)); diff != "" {
		t.Errorf("messages (-before +after):\n%s", diff)
	}
}

var _ ai.StreamFunc = anthropic.Messages

// The service takes only text in a failed result: its images follow behind all results.
func TestImagesOfFailedResults(t *testing.T) {
	image := &ai.Image{Data: "QQ==", MIMEType: "image/png"}
	failed := func(id string, blocks ...ai.Block) ai.Message {
		return &ai.ToolResultMessage{ToolCallID: id, ToolName: "shot", Content: blocks, IsError: true}
	}
	for name, test := range map[string]struct {
		first ai.Message
		text  string
	}{
		"text and image": {failed("a", &ai.Text{Text: "it broke"}, image, &ai.Text{Text: "twice"}), "it broke\ntwice"},
		"image alone":    {failed("a", image), "(the result is the image below)"},
	} {
		body, _ := send(t, func(req *ai.Request) {
			req.Context.Messages = []ai.Message{
				user("go"), said(req.Model, &ai.ToolCall{ID: "a", Name: "shot"}, &ai.ToolCall{ID: "b", Name: "shot"}),
				test.first, &ai.ToolResultMessage{ToolCallID: "b", ToolName: "shot", Content: ai.Content{image}},
			}
		})
		turns := body["messages"].([]any)
		content := turns[len(turns)-1].(map[string]any)["content"].([]any)
		var kinds []string
		for _, b := range content {
			kinds = append(kinds, b.(map[string]any)["type"].(string))
		}
		if diff := cmp.Diff([]string{"tool_result", "tool_result", "text", "image"}, kinds); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if got := content[0].(map[string]any)["content"]; got != test.text {
			t.Errorf("%s: the failed result says %v", name, got)
		}
	}
}
