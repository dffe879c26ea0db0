package google_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/google"
	"github.com/rondo-agent/rondo/ai/internal/replay"
)

var foreign = &ai.Model{ID: "claude", API: "anthropic-messages", Provider: "anthropic"}

func TestTurns(t *testing.T) {
	old, three := model("gemini-2.5-pro"), model("gemini-3-pro-preview")
	image := &ai.Image{Data: "QQ==", MIMEType: "image/png"}
	shot := func(id string, blocks ...ai.Block) ai.Message {
		return &ai.ToolResultMessage{ToolCallID: id, ToolName: "f", Content: blocks}
	}
	tests := []struct {
		name     string
		model    *ai.Model
		messages []ai.Message
		want     []string
	}{
		{"Report_HND07_CallsOfAnotherModel", three, []ai.Message{by(foreign, call("a", ""), &ai.Text{Text: "x"}, call("b", "")), result("a", "1"), result("b", "2")}, []string{
			`{"parts":[{"functionCall":{"args":{},"id":"a","name":"f"},"thoughtSignature":"skip_thought_signature_validator"},{"text":"x"},{"functionCall":{"args":{},"id":"b","name":"f"},"thoughtSignature":"skip_thought_signature_validator"}],"role":"model"}`,
			`{"parts":[{"functionResponse":{"id":"a","name":"f","response":{"output":"1"}}},{"functionResponse":{"id":"b","name":"f","response":{"output":"2"}}}],"role":"user"}`,
		}},
		{"Report_HND07_ItsOwnStayAsTheyAre", three, []ai.Message{by(three, call("a", "QUJD/+8="), call("b", "")), result("a", "1"), result("b", "2")}, []string{
			`{"parts":[{"functionCall":{"args":{},"id":"a","name":"f"},"thoughtSignature":"QUJD/+8="},{"functionCall":{"args":{},"id":"b","name":"f"}}],"role":"model"}`,
			`{"parts":[{"functionResponse":{"id":"a","name":"f","response":{"output":"1"}}},{"functionResponse":{"id":"b","name":"f","response":{"output":"2"}}}],"role":"user"}`,
		}},
		{"Report_HND07_SignaturesOfOthersAreNotSent", three, []ai.Message{by(old, &ai.Text{Text: "x", Signature: "QQ=="}, call("a", "QQ==")), result("a", "1")}, []string{
			`{"parts":[{"text":"x"},{"functionCall":{"args":{},"id":"a","name":"f"},"thoughtSignature":"skip_thought_signature_validator"}],"role":"model"}`,
			`{"parts":[{"functionResponse":{"id":"a","name":"f","response":{"output":"1"}}}],"role":"user"}`,
		}},
		{"Report_HND07_WhatIsNoSignature", three, []ai.Message{by(three, &ai.Text{Text: "x", Signature: "{no base64}"}, call("a", "QQ-_"), call("b", "?")), result("a", "1"), result("b", "2")}, []string{
			`{"parts":[{"text":"x"},{"functionCall":{"args":{},"id":"a","name":"f"},"thoughtSignature":"QQ-_"},{"functionCall":{"args":{},"id":"b","name":"f"}}],"role":"model"}`,
			`{"parts":[{"functionResponse":{"id":"a","name":"f","response":{"output":"1"}}},{"functionResponse":{"id":"b","name":"f","response":{"output":"2"}}}],"role":"user"}`,
		}},
		{"older models need no signatures and no ids", old, []ai.Message{by(foreign, call("a", "")), result("a", "1")}, []string{
			`{"parts":[{"functionCall":{"args":{},"name":"f"}}],"role":"model"}`, `{"parts":[{"functionResponse":{"name":"f","response":{"output":"1"}}}],"role":"user"}`,
		}},
		{"Report_HND08_SignedBlanksAreKept", three, []ai.Message{by(three, &ai.Thinking{Signature: "QQ=="}, &ai.Text{Signature: "Uw=="}), user("x")}, []string{
			`{"parts":[{"text":"","thought":true,"thoughtSignature":"QQ=="},{"text":"","thoughtSignature":"Uw=="}],"role":"model"}`, `{"parts":[{"text":"x"}],"role":"user"}`,
		}},
		{"thinking", three, []ai.Message{by(three, &ai.Thinking{Thinking: "own"}, &ai.Text{Text: "a"}), by(foreign, &ai.Thinking{Thinking: "other", Signature: "s"}, &ai.Text{Text: "b"})}, []string{
			`{"parts":[{"text":"own","thought":true},{"text":"a"}],"role":"model"}`, `{"parts":[{"text":"other"},{"text":"b"}],"role":"model"}`,
		}},
		{"images beside the responses of older models", old, []ai.Message{
			by(old, call("a", ""), call("b", ""), call("c", "")), shot("a", &ai.Text{Text: "one"}, image), shot("b", image), result("c", "plain"), user("x"),
		}, []string{
			`{"parts":[{"functionCall":{"args":{},"name":"f"}},{"functionCall":{"args":{},"name":"f"}},{"functionCall":{"args":{},"name":"f"}}],"role":"model"}`,
			`{"parts":[{"functionResponse":{"name":"f","response":{"output":"one"}}},{"functionResponse":{"name":"f","response":{"output":"(the image is in the message below)"}}},{"functionResponse":{"name":"f","response":{"output":"plain"}}}],"role":"user"}`,
			`{"parts":[{"text":"(images of the tool results above)"},{"inlineData":{"data":"QQ==","mimeType":"image/png"}},{"inlineData":{"data":"QQ==","mimeType":"image/png"}}],"role":"user"}`,
			`{"parts":[{"text":"x"}],"role":"user"}`,
		}},
		{"a failure with an image", three, []ai.Message{by(three, call("a", "QQ==")), &ai.ToolResultMessage{ToolCallID: "a", ToolName: "f", IsError: true, Content: ai.Content{&ai.Text{Text: "no"}, image}}}, []string{
			`{"parts":[{"functionCall":{"args":{},"id":"a","name":"f"},"thoughtSignature":"QQ=="}],"role":"model"}`,
			`{"parts":[{"functionResponse":{"id":"a","name":"f","parts":[{"inlineData":{"data":"QQ==","mimeType":"image/png"}}],"response":{"error":"no"}}}],"role":"user"}`,
		}},
		{"Report_HND11_BlankTexts", old, []ai.Message{&ai.UserMessage{Content: ai.Content{&ai.Text{}, image}}, by(old, &ai.Text{Text: " "}, call("a", "")), result("a", "\r\n"), &ai.UserMessage{}}, []string{
			`{"parts":[{"inlineData":{"data":"QQ==","mimeType":"image/png"}}],"role":"user"}`, `{"parts":[{"functionCall":{"args":{},"name":"f"}}],"role":"model"}`,
			`{"parts":[{"functionResponse":{"name":"f","response":{"output":"(no output)"}}}],"role":"user"}`, `{"parts":[{"text":"(empty message)"}],"role":"user"}`,
		}},
		{"Report_LOOP05_ResultOfADroppedCall", old, []ai.Message{
			user("a"), &ai.AssistantMessage{API: old.API, Provider: old.Provider, Model: old.ID, StopReason: ai.StopError, Content: ai.Content{call("X", "")}}, result("X", "r"), user("b"),
		}, []string{`{"parts":[{"text":"a"}],"role":"user"}`, `{"parts":[{"text":"b"}],"role":"user"}`}},
		{"arguments that are no object", old, []ai.Message{by(old, &ai.ToolCall{ID: "a", Name: "f", Arguments: jsontext.Value("null")}), result("a", "1")}, []string{
			`{"parts":[{"functionCall":{"args":{},"name":"f"}}],"role":"model"}`, `{"parts":[{"functionResponse":{"name":"f","response":{"output":"1"}}}],"role":"user"}`,
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.Join(test.want, "\n"), turns(t, test.model, test.messages...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Servers that only speak the wire do not check signatures (Pi 0.85 sends none).
func TestWhoInsistsOnSignatures(t *testing.T) {
	tests := []struct {
		provider, base, compat string
		want                   bool
	}{
		{"google", "http://lab/v1beta", ``, true},
		{"google-vertex", "http://lab/v1beta", ``, true},
		{"mine", "", ``, true},
		{"mine", "https://generativelanguage.googleapis.com/v1beta", ``, true},
		{"mine", "http://lab/v1beta", ``, false},
		{"mine", "http://lab/v1beta", `{"requiresThoughtSignatures":true}`, true},
		{"google", "http://lab/v1beta", `{"requiresThoughtSignatures":false}`, false},
	}
	for _, test := range tests {
		m := model("gemini-3-flash")
		m.Provider, m.BaseURL, m.Compat = test.provider, test.base, jsontext.Value(test.compat)
		if got := strings.Contains(turns(t, m, by(foreign, call("a", ""))), "skip_thought"); got != test.want {
			t.Errorf("%+v: got %t", test, got)
		}
	}
	m := model("gemini-3-flash")
	m.Compat = jsontext.Value(`[]`)
	got, err := ai.Complete(t.Context(), google.Stream, &ai.Request{Model: m})
	if err != nil || !strings.Contains(got.ErrorMessage, `"compat" of model google/gemini-3-flash`) {
		t.Errorf("got %v, %v", got, err)
	}
}

// The last request of a recording of Pi 0.85 that begins with a model of Anthropic's.
func TestTrace_HandoffFromAnthropic(t *testing.T) {
	m := model("gemini-3-flash")
	m.Provider, m.Reasoning = "two", true
	c := sent(t, &ai.Request{
		Model: m,
		Context: ai.Context{SystemPrompt: "<system prompt>", Messages: []ai.Message{
			user("go"),
			by(foreign, &ai.Thinking{Thinking: "Deep.", Signature: "sig0"}, &ai.Text{Text: "Calling."}, &ai.ToolCall{ID: "toolu.1:x", Name: "echo", Arguments: jsontext.Value(`{"a":1}`)}),
			&ai.ToolResultMessage{ToolCallID: "toolu.1:x", ToolName: "echo", Content: ai.TextContent(`{"a":1}`)},
			by(foreign, &ai.Text{Text: "Done."}), user("next"),
		}},
		Options: ai.Options{Thinking: ai.ThinkingMedium},
	})
	var want map[string]any
	err := json.Unmarshal([]byte(`{"contents":[{"parts":[{"text":"go"}],"role":"user"},
		{"parts":[{"text":"Deep."},{"text":"Calling."},{"functionCall":{"args":{"a":1},"id":"toolu_1_x","name":"echo"}}],"role":"model"},
		{"parts":[{"functionResponse":{"id":"toolu_1_x","name":"echo","response":{"output":"{\"a\":1}"}}}],"role":"user"},
		{"parts":[{"text":"Done."}],"role":"model"},{"parts":[{"text":"next"}],"role":"user"}],
		"generationConfig":{"maxOutputTokens":4096,"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"MEDIUM"}},
		"systemInstruction":{"parts":[{"text":"<system prompt>"}],"role":"user"}}`), &want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, c.Body); diff != "" {
		t.Errorf("(-Pi +got):\n%s", diff)
	}
}

func TestLongIdsStayDistinct(t *testing.T) {
	a, b := strings.Repeat("X", 64)+"1", strings.Repeat("X", 64)+"2"
	c := sent(t, &ai.Request{Model: model("gemini-3-pro"), Context: ai.Context{Messages: []ai.Message{by(foreign, call(a, ""), call(b, "")), result(b, "of b"), result(a, "of a")}}})
	contents := c.Body["contents"].([]any)
	get := func(turn, part int, kind string) map[string]any {
		return contents[turn].(map[string]any)["parts"].([]any)[part].(map[string]any)[kind].(map[string]any)
	}
	for i, want := range []string{"of a", "of b"} {
		id := get(0, i, "functionCall")["id"].(string)
		answer := get(1, i, "functionResponse")
		if len(id) > 64 || answer["id"] != id || answer["response"].(map[string]any)["output"] != want {
			t.Errorf("call %s is answered by %v", id, answer)
		}
	}
	if get(0, 0, "functionCall")["id"] == get(0, 1, "functionCall")["id"] {
		t.Error("the ids have become equal")
	}
}

func TestFamilies(t *testing.T) {
	for id, want := range map[string]struct{ ids, nests bool }{
		"gemini-3-flash": {true, true}, "models/gemini-3.1-pro-preview": {true, true}, "Gemini-4-Ultra": {true, true}, "gemini-live-3-flash": {true, true},
		"gemini-2.5-pro": {false, false}, "gemini-1.5-flash-8b": {false, false}, "gemini-flash-latest": {false, true},
		"claude-sonnet-4-6": {true, true}, "gpt-oss-120b": {true, true}, "other": {false, true}, "tunedModels/mine": {false, true},
	} {
		image := &ai.ToolResultMessage{ToolCallID: "a", ToolName: "f", Content: ai.Content{&ai.Image{Data: "QQ==", MIMEType: "image/png"}}}
		got := turns(t, model(id), by(foreign, call("a", "")), image)
		if ids, nests := strings.Contains(got, `"id":"a"`), strings.Contains(got, `"functionResponse":{"id":"a","name":"f","parts"`) || strings.Contains(got, `"functionResponse":{"name":"f","parts"`); ids != want.ids || nests != want.nests {
			t.Errorf("%s: ids %t, nests %t", id, ids, nests)
		}
	}
}

func TestThinking(t *testing.T) {
	budget, level := "4000", "medium"
	tests := []struct {
		id     string
		level  ai.ThinkingLevel
		adjust func(*ai.Request)
		want   string
	}{
		{"gemini-3-pro-preview", "", nil, `{"thinkingLevel":"LOW"}`},
		{"gemini-3-pro-preview", ai.ThinkingMinimal, nil, `{"includeThoughts":true,"thinkingLevel":"LOW"}`},
		{"gemini-3-pro-preview", ai.ThinkingMedium, nil, `{"includeThoughts":true,"thinkingLevel":"HIGH"}`},
		{"gemini-3.1-pro-preview", ai.ThinkingMedium, nil, `{"includeThoughts":true,"thinkingLevel":"MEDIUM"}`},
		{"gemini-3.1-pro-preview", ai.ThinkingMax, nil, `{"includeThoughts":true,"thinkingLevel":"HIGH"}`},
		{"gemini-3-flash", ai.ThinkingOff, nil, `{"thinkingLevel":"MINIMAL"}`},
		{"gemini-3-flash", ai.ThinkingMinimal, nil, `{"includeThoughts":true,"thinkingLevel":"MINIMAL"}`},
		{"gemini-3-flash", ai.ThinkingLow, nil, `{"includeThoughts":true,"thinkingLevel":"LOW"}`},
		{"gemma-4-31b", ai.ThinkingLow, nil, `{"includeThoughts":true,"thinkingLevel":"MINIMAL"}`},
		{"gemma-4-31b", ai.ThinkingMedium, nil, `{"includeThoughts":true,"thinkingLevel":"HIGH"}`},
		{"gemini-2.5-pro", ai.ThinkingMedium, nil, `{"includeThoughts":true,"thinkingBudget":8192}`},
		{"gemini-2.5-flash-lite", ai.ThinkingMinimal, nil, `{"includeThoughts":true,"thinkingBudget":512}`},
		{"gemini-2.5-flash", ai.ThinkingHigh, func(r *ai.Request) { r.Options.ThinkingBudgets = map[ai.ThinkingLevel]int{ai.ThinkingHigh: 99} }, `{"includeThoughts":true,"thinkingBudget":99}`},
		{"gemini-2.5-flash", ai.ThinkingHigh, func(r *ai.Request) { r.Model.ThinkingLevelMap = map[ai.ThinkingLevel]*string{ai.ThinkingHigh: &budget} }, `{"includeThoughts":true,"thinkingBudget":4000}`},
		{"gemini-3-pro", ai.ThinkingLow, func(r *ai.Request) { r.Model.ThinkingLevelMap = map[ai.ThinkingLevel]*string{ai.ThinkingLow: &level} }, `{"includeThoughts":true,"thinkingLevel":"MEDIUM"}`},
		{"other", ai.ThinkingHigh, nil, `{"includeThoughts":true,"thinkingBudget":-1}`},
		{"other", ai.ThinkingHigh, func(r *ai.Request) { r.Model.Reasoning = false }, `null`},
	}
	for _, test := range tests {
		req := &ai.Request{Model: model(test.id), Options: ai.Options{Thinking: test.level}}
		req.Model.Reasoning = true
		if test.adjust != nil {
			test.adjust(req)
		}
		config := sent(t, req).Body["generationConfig"].(map[string]any)
		got, err := json.Marshal(config["thinkingConfig"], json.Deterministic(true))
		if err != nil || string(got) != test.want {
			t.Errorf("%s at %q: got %s, want %s", test.id, test.level, got, test.want)
		}
	}
}

func TestOptions(t *testing.T) {
	temperature := 0.5
	m := model("gemini-2.5-pro")
	m.SamplingParams = map[string]jsontext.Value{"topP": jsontext.Value("0.1"), "seed": jsontext.Value("1")}
	c := sent(t, &ai.Request{
		Model: m,
		Context: ai.Context{
			SystemPrompt: "P", Tools: []ai.ToolDecl{{Name: "now"}},
			Messages: []ai.Message{user("a"), &ai.SystemMessage{Content: "Q"}},
		},
		Options: ai.Options{
			APIKey: " k\n", Temperature: &temperature, MaxTokens: 77, ToolChoice: "none",
			SamplingParams: map[string]jsontext.Value{"seed": jsontext.Value("2")},
		},
	})
	want := map[string]any{
		"contents":          []any{map[string]any{"role": "user", "parts": []any{map[string]any{"text": "a"}}}},
		"systemInstruction": map[string]any{"role": "user", "parts": []any{map[string]any{"text": "P\n\nQ"}}},
		"tools": []any{map[string]any{"functionDeclarations": []any{map[string]any{
			"name": "now", "description": "", "parametersJsonSchema": map[string]any{"type": "object", "properties": map[string]any{}},
		}}}},
		"toolConfig":       map[string]any{"functionCallingConfig": map[string]any{"mode": "NONE"}},
		"generationConfig": map[string]any{"maxOutputTokens": 77.0, "temperature": 0.5, "topP": 0.1, "seed": 2.0},
	}
	if diff := cmp.Diff(want, c.Body); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c.Header.Get("X-Goog-Api-Key") != "k" || strings.Contains(c.URL, "k=") {
		t.Errorf("key in %v, %s", c.Header, c.URL)
	}
}

func TestAddress(t *testing.T) {
	for id, want := range map[string]string{
		"gemini-3-pro":     "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
		"tunedModels/mine": "https://generativelanguage.googleapis.com/v1beta/tunedModels/mine:streamGenerateContent?alt=sse",
		"odd?name#1":       "https://generativelanguage.googleapis.com/v1beta/models/odd%3Fname%231:streamGenerateContent?alt=sse",
	} {
		m := model(id)
		m.BaseURL, m.MaxTokens = "", 0
		c := sent(t, &ai.Request{Model: m})
		if c.URL != want {
			t.Errorf("%s is asked at %s", id, c.URL)
		}
		if config, set := c.Body["generationConfig"]; set {
			t.Errorf("%s: settings %v of a model without any", id, config)
		}
	}
}

func TestToolSchemas(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"as it is", `{"type":"object","properties":{"b":{"type":"string"},"a":{"anyOf":[{"type":"null"}]}},"required":["b"],"additionalProperties":false}`, ``},
		{"none", ``, `{"type":"object","properties":{}}`},
		{
			"constants", `{"properties":{"kind":{"const":"x"},"n":{"const":1},"both":{"const":"x","enum":["x"]}}}`,
			`{"properties":{"kind":{"enum":["x"]},"n":{"const":1},"both":{"const":"x","enum":["x"]}}}`,
		},
		{"in unions", `{"properties":{"k":{"oneOf":[{"const":"a"},{"const":"b"}],"default":{"const":"a"}}}}`, `{"properties":{"k":{"oneOf":[{"enum":["a"]},{"enum":["b"]}],"default":{"const":"a"}}}}`},
		{
			"names of properties", `{"properties":{"const":{"type":"string"},"$ref":{"const":"x"},"$schema":{"type":"number"}}}`,
			`{"properties":{"const":{"type":"string"},"$ref":{"enum":["x"]},"$schema":{"type":"number"}}}`,
		},
		{
			"references", `{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{"n":{"$comment":"c","type":"object","properties":{"next":{"description":"d","$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}`,
			`{"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}`,
		},
	}
	for _, test := range tests {
		if test.want == "" {
			test.want = test.schema
		}
		c := sent(t, &ai.Request{Model: model("gemini-3-pro"), Context: ai.Context{Tools: []ai.ToolDecl{{Name: "f", Parameters: jsontext.Value(test.schema)}}}})
		if want := `"parametersJsonSchema":` + test.want + `}`; !strings.Contains(c.Raw, want) {
			t.Errorf("%s:\ngot  %s\nwant %s", test.name, c.Raw, want)
		}
	}
}

func TestVertex(t *testing.T) {
	token := func(context.Context) (string, error) { return "t", nil }
	tests := []struct {
		name             string
		vertex           google.Vertex
		id, base, key    string
		env              map[string]string
		url, credentials string
	}{
		{
			"key",
			google.Vertex{Project: "p", Token: token},
			"gemini-3-pro", "", "k", nil,
			"https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-3-pro:streamGenerateContent?alt=sse", "k",
		},
		{
			"token",
			google.Vertex{Project: "p", Location: "europe-west4", Token: token},
			"gemini-3-pro", "https://{location}-aiplatform.googleapis.com", "", nil,
			"https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4/publishers/google/models/gemini-3-pro:streamGenerateContent?alt=sse", "Bearer t",
		},
		{
			"environment",
			google.Vertex{Token: token},
			"gemini-3-pro", "", "",
			map[string]string{"GCLOUD_PROJECT": "q"},
			"https://aiplatform.googleapis.com/v1/projects/q/locations/global/publishers/google/models/gemini-3-pro:streamGenerateContent?alt=sse", "Bearer t",
		},
		{
			"location of the environment",
			google.Vertex{Token: token},
			"publishers/meta/models/llama", "", "",
			map[string]string{"GOOGLE_CLOUD_PROJECT": "q", "GOOGLE_CLOUD_LOCATION": "us-east1"},
			"https://us-east1-aiplatform.googleapis.com/v1/projects/q/locations/us-east1/publishers/meta/models/llama:streamGenerateContent?alt=sse", "Bearer t",
		},
		{
			"own address",
			google.Vertex{},
			"gemini-3-pro", "http://gateway/v1/", "k", nil,
			"http://gateway/v1/publishers/google/models/gemini-3-pro:streamGenerateContent?alt=sse", "k",
		},
	}
	for _, test := range tests {
		for _, stored := range []bool{false, true} { // beside the key, or in the process
			t.Run(fmt.Sprintf("%s, stored: %t", test.name, stored), func(t *testing.T) {
				noVertexEnv(t)
				env := test.env
				if !stored {
					env = nil
					for name, value := range test.env {
						t.Setenv(name, value)
					}
				}
				c := &replay.Canned{Stream: replay.SSE(finish("STOP"))}
				m := model(test.id)
				m.API, m.BaseURL = google.APIVertex, test.base
				got, err := ai.Complete(t.Context(), test.vertex.Stream, &ai.Request{Model: m, Options: ai.Options{Env: env, APIKey: test.key, Client: c.Client()}})
				if err != nil || got.Failed() {
					t.Fatalf("%v %v", got, err)
				}
				if c.URL != test.url || c.Header.Get("X-Goog-Api-Key")+c.Header.Get("Authorization") != test.credentials {
					t.Errorf("asked at %s with %v", c.URL, c.Header)
				}
			})
		}
	}
}

func noVertexEnv(t *testing.T) {
	for _, name := range []string{"GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"} {
		t.Setenv(name, "")
	}
}

func TestVertex_Mistakes(t *testing.T) {
	noVertexEnv(t)
	lost := errors.New("no network")
	for _, test := range []struct {
		vertex  google.Vertex
		headers map[string]string
		want    string
	}{
		{google.Vertex{Project: "p"}, nil, "GOOGLE_CLOUD_API_KEY"},
		{google.Vertex{}, map[string]string{"authorization": "Bearer x"}, "GOOGLE_CLOUD_PROJECT"},
		{google.Vertex{Project: "p", Token: func(context.Context) (string, error) { return "", lost }}, nil, "no network"},
	} {
		m := model("gemini-3-pro")
		m.API, m.BaseURL, m.Headers = google.APIVertex, "", test.headers
		got, err := ai.Complete(t.Context(), test.vertex.Stream, &ai.Request{Model: m})
		if err != nil || !strings.Contains(got.ErrorMessage, test.want) {
			t.Errorf("got %v, want %q; %v", got, test.want, err)
		}
	}
}
