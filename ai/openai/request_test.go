package openai_test

import (
	"context"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/replay"
	"github.com/rondo-agent/rondo/ai/openai"
)

// sent returns the body of a request.
func sent(t *testing.T, l *lab, req *ai.Request) map[string]any {
	t.Helper()
	l.chunks(finish("stop"))
	l.ask(t, req)
	return decode(t, l.bodies[len(l.bodies)-1])
}

// messagesSent returns the messages of a request as JSON, one a line.
func messagesSent(t *testing.T, l *lab, model *ai.Model, messages ...ai.Message) string {
	t.Helper()
	body := sent(t, l, &ai.Request{Model: model, Context: ai.Context{Messages: messages}})
	var lines []string
	for _, m := range body["messages"].([]any) {
		line, err := json.Marshal(m, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	return strings.Join(lines, "\n")
}

func compat(l *lab, switches string) *ai.Model {
	m := l.model()
	m.Compat = jsontext.Value(switches)
	return m
}

// by makes an answer of a model.
func by(model *ai.Model, blocks ...ai.Block) *ai.AssistantMessage {
	return &ai.AssistantMessage{
		Content: blocks, API: model.API, Provider: model.Provider, Model: model.ID, StopReason: ai.StopEnd,
	}
}

func call(id, arguments string) *ai.ToolCall {
	return &ai.ToolCall{ID: id, Name: "f", Arguments: jsontext.Value(arguments)}
}

func result(id, text string) ai.Message {
	return &ai.ToolResultMessage{ToolCallID: id, ToolName: "f", Content: ai.TextContent(text)}
}

func TestMessages(t *testing.T) {
	l := newLab(t)
	own := l.model()
	claude := &ai.Model{ID: "claude", API: "anthropic-messages", Provider: "anthropic"}
	responses := &ai.Model{ID: "r", API: "openai-responses", Provider: "openai"}
	reasoning := l.model()
	reasoning.Reasoning, reasoning.Compat = true, jsontext.Value(`{"requiresReasoningContentOnAssistantMessages":true,"supportsDeveloperRole":false}`)
	blind := l.model()
	blind.Input = []string{ai.InputText}
	image := &ai.Image{Data: "QQ==", MIMEType: "image/png"}

	tests := []struct {
		name     string
		model    *ai.Model
		messages []ai.Message
		want     []string
	}{
		{"thinking of Claude is text", own, []ai.Message{
			by(claude, &ai.Thinking{Thinking: "Deep.", Signature: "sig"}, &ai.Text{Text: "Calling."}, call("toolu_1", `{"a": 1}`)),
			result("toolu_1", "ok"),
		}, []string{
			`{"content":"Deep.Calling.","role":"assistant","tool_calls":[{"function":{"arguments":"{\"a\":1}","name":"f"},"id":"toolu_1","type":"function"}]}`,
			`{"content":"ok","role":"tool","tool_call_id":"toolu_1"}`,
		}},
		{"ids of the Responses wire are joined", own, []ai.Message{
			by(responses, call("call_1|fc_0_1", "{}"), call("call+2|fc_0_2", "{}")), result("call_1|fc_0_1", "a"), result("call+2|fc_0_2", "b"),
		}, []string{
			`{"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"f"},"id":"call_1_fc_0_1","type":"function"},{"function":{"arguments":"{}","name":"f"},"id":"call_2_fc_0_2","type":"function"}]}`,
			`{"content":"a","role":"tool","tool_call_id":"call_1_fc_0_1"}`,
			`{"content":"b","role":"tool","tool_call_id":"call_2_fc_0_2"}`,
		}},
		{"Report_HND09 thinking goes back in its field", own, []ai.Message{
			by(own, &ai.Thinking{Thinking: "r", Signature: "reasoning"}, &ai.Text{Text: "a"}),
			by(own, &ai.Thinking{Thinking: "s", Signature: "reasoning_text"}, &ai.Text{Text: "b"}),
			by(own, &ai.Thinking{Thinking: "unsigned"}, &ai.Text{Text: "c"}),
		}, []string{
			`{"content":"a","reasoning":"r","role":"assistant"}`,
			`{"content":"b","reasoning_text":"s","role":"assistant"}`,
			`{"content":"c","role":"assistant"}`,
		}},
		{"Report_HND09 reasoning_content on every answer", reasoning, []ai.Message{
			by(own, &ai.Thinking{Thinking: "r"}, call("c1", "{}")), result("c1", "x"), by(claude, &ai.Text{Text: "b"}),
		}, []string{
			`{"content":null,"reasoning_content":"r","role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"f"},"id":"c1","type":"function"}]}`,
			`{"content":"x","role":"tool","tool_call_id":"c1"}`,
			`{"content":"b","reasoning_content":"","role":"assistant"}`,
		}},
		{"Report_PRV30 details of calls go back", own, []ai.Message{
			by(own, &ai.Thinking{Signature: `[{"type":"reasoning.text","text":"t"}]`}, &ai.ToolCall{ID: "c1", Name: "f", ThoughtSignature: `{"id":"c1","data":"E"}`}),
			result("c1", "x"),
		}, []string{
			`{"content":null,"reasoning_details":[{"text":"t","type":"reasoning.text"},{"data":"E","id":"c1"}],"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"f"},"id":"c1","type":"function"}]}`,
			`{"content":"x","role":"tool","tool_call_id":"c1"}`,
		}},
		{"Report_HND10 an answer of texts is one string", own, []ai.Message{
			by(own, &ai.Text{Text: "a"}, &ai.Text{Text: "b"}), by(claude, &ai.Thinking{Thinking: "t"}, &ai.Text{Text: "c"}),
		}, []string{`{"content":"ab","role":"assistant"}`, `{"content":"tc","role":"assistant"}`}},
		{"Report_HND11 blank texts", own, []ai.Message{
			&ai.UserMessage{Content: ai.Content{&ai.Text{}, image}},
			by(own, &ai.Text{Text: " \n"}, call("c1", "")), result("c1", "\r\n"),
		}, []string{
			`{"content":[{"image_url":{"url":"data:image/png;base64,QQ=="},"type":"image_url"}],"role":"user"}`,
			`{"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"f"},"id":"c1","type":"function"}]}`,
			`{"content":"(no output)","role":"tool","tool_call_id":"c1"}`,
		}},
		{"an answer of thinking alone is left out", own, []ai.Message{
			user("a"), by(own, &ai.Thinking{Thinking: "r", Signature: "reasoning"}), user("b"),
		}, []string{
			`{"content":[{"text":"a","type":"text"}],"role":"user"}`,
			`{"content":[{"text":"b","type":"text"}],"role":"user"}`,
		}},
		{"Report_TCS12 only fields of the wire are sent", own, []ai.Message{
			&ai.AssistantMessage{API: own.API, Provider: own.Provider, Model: own.ID, Content: ai.Content{&ai.ToolCall{
				ID: "c1", Name: "f", Arguments: jsontext.Value(`{"a":"\ud83d"}`), Unknown: jsontext.Value(`{"partialJson":"{"}`), Namespace: "n",
			}}},
			result("c1", "x"),
		}, []string{
			`{"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\"a\":\"` + "\uFFFD" + `\"}","name":"f"},"id":"c1","type":"function"}]}`,
			`{"content":"x","role":"tool","tool_call_id":"c1"}`,
		}},
		{"images of results for a model that sees none", blind, []ai.Message{
			by(own, call("c1", "{}")),
			&ai.ToolResultMessage{ToolCallID: "c1", Content: ai.Content{&ai.Text{Text: "one"}, image, image}},
		}, []string{
			`{"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"f"},"id":"c1","type":"function"}]}`,
			`{"content":"one\n(image of the tool left out: this model is sent text only)","role":"tool","tool_call_id":"c1"}`,
		}},
		{"images of results, with an answer between where needed", compat(l, `{"requiresAssistantAfterToolResult":true}`), []ai.Message{
			by(own, call("c1", "{}")), &ai.ToolResultMessage{ToolCallID: "c1", Content: ai.Content{image}},
		}, []string{
			`{"content":"","role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"f"},"id":"c1","type":"function"}]}`,
			`{"content":"(the image is in the message below)","role":"tool","tool_call_id":"c1"}`,
			`{"content":"(read the tool results)","role":"assistant"}`,
			`{"content":[{"text":"(images of the tool results above)","type":"text"},{"image_url":{"url":"data:image/png;base64,QQ=="},"type":"image_url"}],"role":"user"}`,
		}},
		{"thinking as text without a text", compat(l, `{"requiresThinkingAsText":true}`), []ai.Message{
			by(own, &ai.Thinking{Thinking: "r", Signature: `[{"type":"reasoning.text"}]`}, call("c1", "{}")), result("c1", "x"),
		}, []string{
			`{"content":[{"text":"r","type":"text"}],"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"f"},"id":"c1","type":"function"}]}`,
			`{"content":"x","role":"tool","tool_call_id":"c1"}`,
		}},
		{"instructions in the middle", compat(l, `{"supportsMidConvoSystemMessages":true}`), []ai.Message{
			&ai.SystemMessage{Content: "P"}, user("a"), &ai.SystemMessage{Content: "now Q"}, &ai.SystemMessage{}, user("b"),
		}, []string{
			`{"content":"P","role":"system"}`, `{"content":[{"text":"a","type":"text"}],"role":"user"}`,
			`{"content":"now Q","role":"system"}`, `{"content":[{"text":"b","type":"text"}],"role":"user"}`,
		}},
		{"instructions in the middle, folded", own, []ai.Message{
			&ai.SystemMessage{Content: "P"}, user("a"), &ai.SystemMessage{Content: "now Q"},
		}, []string{`{"content":"P\n\nnow Q","role":"system"}`, `{"content":[{"text":"a","type":"text"}],"role":"user"}`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := messagesSent(t, l, test.model, test.messages...)
			if diff := cmp.Diff(strings.Join(test.want, "\n"), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLongIdsStayDistinct(t *testing.T) {
	l := newLab(t)
	other := &ai.Model{ID: "o", API: "openai-responses", Provider: "openai"}
	a, b := strings.Repeat("X", 64)+"1", strings.Repeat("X", 64)+"2"
	body := sent(t, l, &ai.Request{Context: ai.Context{Messages: []ai.Message{
		by(other, call(a, "{}"), call(b, "{}")), result(b, "of b"), result(a, "of a"),
	}}})
	messages := body["messages"].([]any)
	calls := messages[0].(map[string]any)["tool_calls"].([]any)
	for i, want := range []string{"of a", "of b"} {
		id := calls[i].(map[string]any)["id"].(string)
		answer := messages[i+1].(map[string]any)
		if len(id) > 40 || answer["tool_call_id"] != id || answer["content"] != want {
			t.Errorf("call %s is answered by %v", id, answer)
		}
	}
	if calls[0].(map[string]any)["id"] == calls[1].(map[string]any)["id"] {
		t.Error("the ids have become equal")
	}
}

func TestThinkingOff(t *testing.T) {
	for format, want := range map[string]string{
		"openai":             `{}`,
		"openrouter":         `{"reasoning":{"effort":"none"}}`,
		"deepseek":           `{"thinking":{"type":"disabled"}}`,
		"zai":                `{"thinking":{"type":"disabled"}}`,
		"qwen":               `{"enable_thinking":false}`,
		"together":           `{"reasoning":{"enabled":false}}`,
		"qwen-chat-template": `{"chat_template_kwargs":{"enable_thinking":false,"preserve_thinking":true}}`,
		"chat-template":      `{"chat_template_kwargs":{"on":false}}`,
		"baseten":            `{"chat_template_args":{"on":false}}`,
		"string-thinking":    `{"thinking":"none"}`,
		"ant-ling":           `{}`,
	} {
		if got := thinkingSent(t, format, ai.ThinkingOff, nil); got != want {
			t.Errorf("%s: got %s, want %s", format, got, want)
		}
	}
}

func TestThinkingOn(t *testing.T) {
	word := "much"
	levels := map[ai.ThinkingLevel]*string{ai.ThinkingHigh: &word}
	for format, want := range map[string]string{
		"string-thinking": `{"thinking":"much"}`,
		"ant-ling":        `{"reasoning":{"effort":"much"}}`,
		"chat-template":   `{"chat_template_kwargs":{"budget":3072,"effort":"much","on":true}}`,
		"openai":          `{"reasoning_effort":"much"}`,
	} {
		if got := thinkingSent(t, format, ai.ThinkingHigh, levels); got != want {
			t.Errorf("%s: got %s, want %s", format, got, want)
		}
	}
	if got := thinkingSent(t, "ant-ling", ai.ThinkingLow, levels); got != `{}` {
		t.Errorf("ant-ling without a word of its own: %s", got)
	}
}

// thinkingSent returns the fields of a request that are about thinking.
func thinkingSent(t *testing.T, format string, level ai.ThinkingLevel, levels map[ai.ThinkingLevel]*string) string {
	t.Helper()
	l := newLab(t)
	template := `{"on":{"$var":"thinking.enabled"},"effort":{"$var":"thinking.effort","omitWhenOff":true},"budget":{"$var":"thinking.budget"}}`
	if format == "baseten" {
		template = `{"on":{"$var":"thinking.enabled"}}`
	}
	m := compat(l, `{"thinkingFormat":"`+format+`","chatTemplateKwargs":`+template+`,"chatTemplateArgs":`+template+`}`)
	m.Reasoning, m.ThinkingLevelMap = true, levels
	body := sent(t, l, &ai.Request{Model: m, Options: ai.Options{Thinking: level, ThinkingBudgets: map[ai.ThinkingLevel]int{ai.ThinkingHigh: 9000}}})
	for _, field := range []string{"model", "messages", "stream", "stream_options", "store", "max_completion_tokens"} {
		delete(body, field)
	}
	out, err := json.Marshal(body, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestModelsThatDoNotReasonAreToldNothingAboutThinking(t *testing.T) {
	l := newLab(t)
	body := sent(t, l, &ai.Request{Model: compat(l, `{"thinkingFormat":"qwen","supportsThinkingTokenBudget":true}`), Options: ai.Options{Thinking: ai.ThinkingHigh}})
	for _, field := range []string{"enable_thinking", "reasoning_effort", "thinking_token_budget"} {
		if body[field] != nil {
			t.Errorf("%s was sent", field)
		}
	}
}

func TestCompatOf(t *testing.T) {
	tests := []struct {
		provider, url, id string
		check             func(c openai.Compat) bool
	}{
		{"lab", "http://127.0.0.1:1/v1", "m", func(c openai.Compat) bool { return c.SupportsStore && c.SupportsDeveloperRole }},
		{"openai", "", "m", func(c openai.Compat) bool { return c.SupportsMidConvoSystemMessages }},
		{"mine", "https://api.deepseek.com", "m", func(c openai.Compat) bool {
			return c.ThinkingFormat == "deepseek" && c.RequiresReasoningContent && !c.SupportsStore
		}},
		{"mine", "https://notdeepseek.com", "m", func(c openai.Compat) bool { return c.ThinkingFormat == "openai" }},
		{"zai-coding-cn", "", "m", func(c openai.Compat) bool { return c.ThinkingFormat == "zai" && c.MaxTokensField == "max_tokens" }},
		{"openrouter", "", "anthropic/claude", func(c openai.Compat) bool {
			return c.ThinkingFormat == "openrouter" && c.CacheControlFormat == "anthropic"
		}},
		{"openrouter", "", "moonshotai/kimi", func(c openai.Compat) bool { return c.CacheControlFormat == "" }},
		{"groq", "", "m", func(c openai.Compat) bool { return !c.SupportsDeveloperRole && c.SupportsReasoningEffort }},
		{"x", "::not a url", "m", func(c openai.Compat) bool { return c.SupportsStore }},
	}
	for _, test := range tests {
		c, err := openai.CompatOf(&ai.Model{ID: test.id, Provider: test.provider, BaseURL: test.url})
		if err != nil || !test.check(c) {
			t.Errorf("%s %s: %+v, %v", test.provider, test.url, c, err)
		}
	}
}

func TestCompatOf_TheModelsOwnSwitchesWin(t *testing.T) {
	m := &ai.Model{ID: "m", Provider: "deepseek", Compat: jsontext.Value(`{"thinkingFormat":"openai","supportsStore":true,"aNewSwitch":1}`)}
	c, err := openai.CompatOf(m)
	if err != nil || c.ThinkingFormat != "openai" || !c.SupportsStore || !c.RequiresReasoningContent {
		t.Errorf("got %+v, %v", c, err)
	}
	m.Compat = jsontext.Value(`{"supportsStore":"yes"}`)
	_, got := newLab(t).ask(t, &ai.Request{Model: m})
	if !strings.Contains(got.ErrorMessage, "compat of model deepseek/m") {
		t.Errorf("got %q", got.ErrorMessage)
	}
}

func TestCacheAndSession(t *testing.T) {
	l := newLab(t)
	l.chunks(finish("stop"))
	official := compat(l, `{}`)
	official.BaseURL = "https://api.openai.com/v1"
	long := strings.Repeat("s", 70)
	tests := []struct {
		name    string
		model   *ai.Model
		options ai.Options
		want    map[string]any // fields of the body
		header  map[string]string
	}{
		{"short, other server", l.model(), ai.Options{SessionID: "s"}, map[string]any{"prompt_cache_key": nil, "prompt_cache_retention": nil}, nil},
		{"short, OpenAI", official, ai.Options{SessionID: long}, map[string]any{"prompt_cache_key": long[:64], "prompt_cache_retention": nil}, nil},
		{"long", l.model(), ai.Options{SessionID: "s", CacheRetention: "long"}, map[string]any{"prompt_cache_key": "s", "prompt_cache_retention": "24h"}, nil},
		{
			"long, not supported", compat(l, `{"supportsLongCacheRetention":false}`),
			ai.Options{SessionID: "s", CacheRetention: "long"},
			map[string]any{"prompt_cache_key": nil, "prompt_cache_retention": nil},
			nil,
		},
		{"none", official, ai.Options{SessionID: "s", CacheRetention: "none"}, map[string]any{"prompt_cache_key": nil}, nil},
		{
			"affinity", compat(l, `{"sendSessionAffinityHeaders":true}`),
			ai.Options{SessionID: "s"},
			nil,
			map[string]string{"Session_id": "s", "X-Client-Request-Id": "s", "X-Session-Affinity": "s", "X-Session-Id": ""},
		},
		{
			"affinity without session_id", compat(l, `{"sendSessionAffinityHeaders":true,"sessionAffinityFormat":"openai-nosession"}`),
			ai.Options{SessionID: "s"},
			nil,
			map[string]string{"Session_id": "", "X-Client-Request-Id": "s", "X-Session-Affinity": "s"},
		},
		{
			"affinity of OpenRouter", compat(l, `{"sendSessionAffinityHeaders":true,"sessionAffinityFormat":"openrouter"}`),
			ai.Options{SessionID: "s"},
			nil,
			map[string]string{"X-Session-Id": "s", "X-Session-Affinity": ""},
		},
		{
			"no affinity", l.model(),
			ai.Options{SessionID: "s", APIKey: " k\n"},
			nil,
			map[string]string{"X-Session-Id": "", "X-Session-Affinity": "", "Authorization": "Bearer k"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			kept := &replay.Canned{Stream: replay.SSE(finish("stop"), "[DONE]")}
			test.options.Client = kept.Client()
			l.ask(t, &ai.Request{Model: test.model, Options: test.options})
			body := kept.Body
			for field, want := range test.want {
				if body[field] != want {
					t.Errorf("%s is %v, want %v", field, body[field], want)
				}
			}
			for name, want := range test.header {
				if got := kept.Header.Get(name); got != want {
					t.Errorf("header %s is %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestOptions(t *testing.T) {
	l := newLab(t)
	temperature := 0.5
	m := compat(l, `{"vllmPriority":3,"zaiToolStream":true,"supportsUsageInStreaming":false}`)
	m.SamplingParams = map[string]jsontext.Value{"top_p": jsontext.Value("0.1"), "seed": jsontext.Value("1")}
	body := sent(t, l, &ai.Request{
		Model:   m,
		Context: ai.Context{Tools: []ai.ToolDecl{{Name: "now"}}},
		Options: ai.Options{
			Temperature: &temperature, MaxTokens: 77, ToolChoice: "none",
			SamplingParams: map[string]jsontext.Value{"seed": jsontext.Value("2")},
			OnPayload: func(_ context.Context, body jsontext.Value) (jsontext.Value, error) {
				return append(body[:len(body)-1], `,"extra":true}`...), nil
			},
		},
	})
	want := map[string]any{
		"model": "m", "messages": []any{}, "stream": true, "store": false, "max_completion_tokens": 77.0, "temperature": 0.5,
		"tools": []any{map[string]any{"type": "function", "function": map[string]any{
			"name": "now", "description": "", "strict": false, "parameters": map[string]any{"type": "object", "properties": map[string]any{}},
		}}},
		"tool_choice": "none", "tool_stream": true, "priority": 3.0, "top_p": 0.1, "seed": 2.0, "extra": true,
	}
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMaxTokensLeaveRoomInTheWindow(t *testing.T) {
	l := newLab(t)
	m := l.model()
	m.ContextWindow, m.MaxTokens = 10000, 8000
	body := sent(t, l, &ai.Request{Model: m, Context: ai.Context{Messages: []ai.Message{user(strings.Repeat("x", 4000))}}})
	if got := body["max_completion_tokens"]; got != 4904.0 {
		t.Errorf("got %v", got)
	}
}
