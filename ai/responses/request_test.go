package responses_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/replay"
	"github.com/rondo-agent/rondo/ai/responses"
)

var (
	foreign = &ai.Model{ID: "claude", API: "anthropic-messages", Provider: "anthropic"}
	sibling = &ai.Model{ID: "n", API: responses.API, Provider: "lab"}
)

const reasoningJSON = `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"E"}`

func thought(text, signature string) *ai.Thinking {
	return &ai.Thinking{Thinking: text, Signature: signature}
}

func TestInput(t *testing.T) {
	own := model()
	image := &ai.Image{Data: "QQ==", MIMEType: "image/png"}
	tests := []struct {
		name     string
		messages []ai.Message
		want     []string
	}{
		{"reasoning goes back as it came", []ai.Message{by(own, thought("x", reasoningJSON), call("c1|fc_1", `{"a":1}`)), result("c1|fc_1", "r")}, []string{
			`{"encrypted_content":"E","id":"rs_1","summary":[],"type":"reasoning"}`,
			`{"arguments":"{\"a\":1}","call_id":"c1","id":"fc_1","name":"f","type":"function_call"}`,
			`{"call_id":"c1","output":"r","type":"function_call_output"}`,
		}},
		{"reasoning that led to nothing is left out", []ai.Message{by(own, thought("x", reasoningJSON)), user("hi")}, []string{
			`{"content":[{"text":"hi","type":"input_text"}],"role":"user"}`,
		}},
		{"only reasoning items are reasoning", []ai.Message{by(own, thought("x", "sig"), thought("y", `{"type":"message"}`), &ai.Text{Text: "a", Signature: "msg_old"})}, []string{
			`{"content":[{"annotations":[],"text":"a","type":"output_text"}],"id":"msg_old","role":"assistant","status":"completed","type":"message"}`,
		}},
		{"Report_HND11_BlankTexts", []ai.Message{
			&ai.UserMessage{Content: ai.Content{&ai.Text{}, image}}, by(own, call("c1", "{}")), result("c1", "\r\n"),
		}, []string{
			`{"content":[{"detail":"auto","image_url":"data:image/png;base64,QQ==","type":"input_image"}],"role":"user"}`,
			`{"arguments":"{}","call_id":"c1","name":"f","type":"function_call"}`,
			`{"call_id":"c1","output":"(no output)","type":"function_call_output"}`,
		}},
		{"Report_LOOP05_ResultOfADroppedCall", []ai.Message{
			user("a"), &ai.AssistantMessage{API: own.API, Provider: own.Provider, Model: own.ID, StopReason: ai.StopError, Content: ai.Content{call("X|fc_X", "{}")}},
			result("X|fc_X", "r"), user("b"),
		}, []string{
			`{"content":[{"text":"a","type":"input_text"}],"role":"user"}`, `{"content":[{"text":"b","type":"input_text"}],"role":"user"}`,
		}},
		{"call ids are used once", []ai.Message{
			by(own, call("c1|fc_1", "{}")), result("c1|fc_1", "one"), by(own, call("c1|fc_2", "{}")), result("c1|fc_2", "two"), by(own, call("c3|fc_2", "{}")), result("c3|fc_2", "three"),
		}, []string{
			`{"arguments":"{}","call_id":"c1","id":"fc_1","name":"f","type":"function_call"}`, `{"call_id":"c1","output":"one","type":"function_call_output"}`,
			`{"arguments":"{}","call_id":"c1_2","id":"fc_2","name":"f","type":"function_call"}`, `{"call_id":"c1_2","output":"two","type":"function_call_output"}`,
			`{"arguments":"{}","call_id":"c3","name":"f","type":"function_call"}`, `{"call_id":"c3","output":"three","type":"function_call_output"}`,
		}},
		{"ids of others", []ai.Message{
			by(foreign, call("toolu.1:x", "{}")), result("toolu.1:x", "r"), by(sibling, call("c1|fc_1", "{}")), result("c1|fc_1", "s"),
		}, []string{
			`{"arguments":"{}","call_id":"toolu_1_x","name":"f","type":"function_call"}`, `{"call_id":"toolu_1_x","output":"r","type":"function_call_output"}`,
			`{"arguments":"{}","call_id":"c1_fc_1","name":"f","type":"function_call"}`, `{"call_id":"c1_fc_1","output":"s","type":"function_call_output"}`,
		}},
		{"an item id that is too long", []ai.Message{by(own, call("c1|"+strings.Repeat("x", 65), "{}")), result("c1|"+strings.Repeat("x", 65), "r")}, []string{
			`{"arguments":"{}","call_id":"c1","name":"f","type":"function_call"}`, `{"call_id":"c1","output":"r","type":"function_call_output"}`,
		}},
		{"arguments that are no object, and no Unicode", []ai.Message{by(own, call("c1", `[1]`), call("c2", "{\"a\":\"\\ud83d\"}"))}, []string{
			`{"arguments":"{}","call_id":"c1","name":"f","type":"function_call"}`, "{\"arguments\":\"{\\\"a\\\":\\\"\uFFFD\\\"}\",\"call_id\":\"c2\",\"name\":\"f\",\"type\":\"function_call\"}",
			`{"call_id":"c1","output":"No result of this call is recorded. It may or may not have run: check before repeating it.","type":"function_call_output"}`,
			`{"call_id":"c2","output":"No result of this call is recorded. It may or may not have run: check before repeating it.","type":"function_call_output"}`,
		}},
		{"instructions in the middle are folded", []ai.Message{&ai.SystemMessage{Content: "P"}, user("a"), &ai.SystemMessage{Content: "Q"}}, []string{
			`{"content":"P\n\nQ","role":"system"}`, `{"content":[{"text":"a","type":"input_text"}],"role":"user"}`,
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.Join(test.want, "\n"), input(t, model(), test.messages...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestInstructionsInTheMiddle(t *testing.T) {
	m := model()
	m.Reasoning, m.Compat = true, jsontext.Value(`{"supportsMidConvoSystemMessages":true}`)
	got := input(t, m, &ai.SystemMessage{Content: "P"}, user("a"), &ai.SystemMessage{Content: "Q"})
	want := `{"content":"P","role":"developer"}
{"content":[{"text":"a","type":"input_text"}],"role":"user"}
{"content":"Q","role":"developer"}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func items(t *testing.T, messages ...ai.Message) []map[string]any {
	t.Helper()
	var out []map[string]any
	for _, item := range sent(t, &ai.Request{Context: ai.Context{Messages: messages}}).Body["input"].([]any) {
		out = append(out, item.(map[string]any))
	}
	return out
}

func TestLongIdsStayDistinct(t *testing.T) {
	a, b := strings.Repeat("X", 64)+"1", strings.Repeat("X", 64)+"2"
	for _, m := range []*ai.Model{foreign, sibling, model()} {
		got := items(t, by(m, call(a, "{}"), call(b, "{}")), result(b, "of b"), result(a, "of a"))
		for i, want := range []string{"of a", "of b"} {
			id := got[i]["call_id"].(string)
			if len(id) > 64 || got[i+2]["call_id"] != id || got[i+2]["output"] != want {
				t.Errorf("%s: call %s is answered by %v", m.ID, id, got[i+2])
			}
		}
		if got[0]["call_id"] == got[1]["call_id"] {
			t.Errorf("%s: the ids have become equal", m.ID)
		}
	}
}

func TestMadeUpIdsAreDistinct(t *testing.T) {
	own := model()
	long := strings.Repeat("y", 65)
	got := items(t,
		by(foreign, thought("a", "s"), &ai.Text{Text: "b"}, thought("c", "s"), &ai.Text{Text: "d"}), user("x"),
		by(own, &ai.Text{Text: "e", Signature: `{"v":1,"id":"msg_local_2"}`}, &ai.Text{Text: "f", Signature: `{"v":1,"id":"msg_local_2"}`},
			&ai.Text{Text: "g", Signature: `{"v":1,"id":"` + long + `","phase":"commentary"}`}, &ai.Text{Text: "h", Signature: `{"v":`}),
	)
	seen := map[any]bool{}
	texts := 0
	for _, item := range got {
		if item["type"] != "message" {
			continue
		}
		texts++
		id, _ := item["id"].(string)
		if seen[id] || !strings.HasPrefix(id, "msg") || len(id) > 64 {
			t.Errorf("id %q of %v", id, item)
		}
		seen[id] = true
	}
	if texts != 8 || !seen["msg_local_2"] {
		t.Errorf("%d texts, ids %v", texts, seen)
	}
}

// The beginning of a conversation is sent in the same way in every request, or no cache
// would know it again.
func TestMadeUpIdsStayTheSame(t *testing.T) {
	first := []ai.Message{user("x"), by(foreign, &ai.Text{Text: "a"}, call("1", "{}")), result("1", "r"), by(foreign, &ai.Text{Text: "b"})}
	before := input(t, model(), first...)
	after := input(t, model(), append(first, user("y"), by(foreign, &ai.Text{Text: "c"}), user("z"))...)
	if !strings.HasPrefix(after, before) {
		t.Errorf("was\n%s\nis\n%s", before, after)
	}
}

func TestThinking(t *testing.T) {
	word := "much"
	tests := []struct {
		name  string
		level ai.ThinkingLevel
		words map[ai.ThinkingLevel]*string
		want  any
	}{
		{"off", ai.ThinkingOff, nil, map[string]any{"effort": "none"}},
		{"nothing asked", "", nil, map[string]any{"effort": "none"}},
		{"off with a word", ai.ThinkingOff, map[ai.ThinkingLevel]*string{ai.ThinkingOff: &word}, map[string]any{"effort": "much"}},
		{"no off", "", map[ai.ThinkingLevel]*string{ai.ThinkingOff: nil}, nil},
		{"no off, but asked for", ai.ThinkingOff, map[ai.ThinkingLevel]*string{ai.ThinkingOff: nil}, map[string]any{"effort": "minimal", "summary": "auto"}},
		{"a word of its own", ai.ThinkingHigh, map[ai.ThinkingLevel]*string{ai.ThinkingHigh: &word}, map[string]any{"effort": "much", "summary": "auto"}},
		{"too much", ai.ThinkingMax, nil, map[string]any{"effort": "high", "summary": "auto"}},
	}
	for _, test := range tests {
		m := model()
		m.Reasoning, m.ThinkingLevelMap = true, test.words
		body := sent(t, &ai.Request{Model: m, Options: ai.Options{Thinking: test.level}}).Body
		if diff := cmp.Diff(test.want, body["reasoning"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		_, includes := body["include"]
		if r, _ := body["reasoning"].(map[string]any); includes != (r["summary"] != nil) {
			t.Errorf("%s: include is %v", test.name, body["include"])
		}
	}
	if body := sent(t, &ai.Request{Options: ai.Options{Thinking: ai.ThinkingHigh}}).Body; body["reasoning"] != nil {
		t.Errorf("a model that does not reason is asked to: %v", body["reasoning"])
	}
}

func TestOptions(t *testing.T) {
	temperature := 0.5
	m := model()
	m.SamplingParams = map[string]jsontext.Value{"top_p": jsontext.Value("0.1"), "seed": jsontext.Value("1")}
	c := sent(t, &ai.Request{
		Model:   m,
		Context: ai.Context{Tools: []ai.ToolDecl{{Name: "now"}}},
		Options: ai.Options{
			APIKey: " k\n", Temperature: &temperature, MaxTokens: 3, ToolChoice: "none",
			SamplingParams: map[string]jsontext.Value{"seed": jsontext.Value("2")},
			OnPayload: func(_ context.Context, body jsontext.Value) (jsontext.Value, error) {
				return append(body[:len(body)-1], `,"extra":true}`...), nil
			},
		},
	})
	want := map[string]any{
		"model": "m", "input": []any{}, "stream": true, "store": false, "max_output_tokens": 16.0, "temperature": 0.5,
		"tools": []any{map[string]any{
			"type": "function", "name": "now", "description": "", "parameters": map[string]any{"type": "object", "properties": map[string]any{}},
		}},
		"tool_choice": "none", "top_p": 0.1, "seed": 2.0, "extra": true,
	}
	if diff := cmp.Diff(want, c.Body); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := c.Header.Get("Authorization"); got != "Bearer k" {
		t.Errorf("Authorization is %q", got)
	}
	m.BaseURL = ""
	if got := sent(t, &ai.Request{Model: m}).URL; got != "https://api.openai.com/v1/responses" {
		t.Errorf("asked at %s", got)
	}
}

func TestMaxTokensLeaveRoomInTheWindow(t *testing.T) {
	m := model()
	m.ContextWindow, m.MaxTokens = 10000, 8000
	body := sent(t, &ai.Request{Model: m, Context: ai.Context{Messages: []ai.Message{user(strings.Repeat("x", 4000))}}}).Body
	if got := body["max_output_tokens"]; got != 4904.0 {
		t.Errorf("got %v", got)
	}
	m.ContextWindow, m.MaxTokens = 0, 0
	if got, set := sent(t, &ai.Request{Model: m}).Body["max_output_tokens"]; set {
		t.Errorf("got %v for a model without limits", got)
	}
}

func TestCacheAndSession(t *testing.T) {
	long := strings.Repeat("s", 63) + "ü"
	plain := func(compat string) *ai.Model {
		m := model()
		m.Compat = jsontext.Value(compat)
		return m
	}
	azure := model()
	azure.API = responses.APIAzure
	tests := []struct {
		name                    string
		model                   *ai.Model
		options                 ai.Options
		key, retention, session string
	}{
		{"short", model(), ai.Options{SessionID: "s"}, "s", "", "s"},
		{"a long name", model(), ai.Options{SessionID: long}, long[:63], "", long[:63]},
		{"long", model(), ai.Options{SessionID: "s", CacheRetention: "long"}, "s", "24h", "s"},
		{"long, not supported", plain(`{"supportsLongCacheRetention":false}`), ai.Options{SessionID: "s", CacheRetention: "long"}, "s", "", "s"},
		{"none", model(), ai.Options{SessionID: "s", CacheRetention: "none"}, "", "", ""},
		{"no session", model(), ai.Options{}, "", "", ""},
		{"no header", plain(`{"sendSessionIdHeader":false}`), ai.Options{SessionID: "s"}, "s", "", ""},
		{"Azure", azure, ai.Options{SessionID: "s"}, "s", "", ""},
		{"Azure, long", azure, ai.Options{SessionID: "s", CacheRetention: "long"}, "s", "", ""},
	}
	for _, test := range tests {
		c := sent(t, &ai.Request{Model: test.model, Options: test.options})
		key, _ := c.Body["prompt_cache_key"].(string)
		retention, _ := c.Body["prompt_cache_retention"].(string)
		if key != test.key || retention != test.retention || c.Header.Get("Session_id") != test.session || c.Header.Get("X-Client-Request-Id") != test.session {
			t.Errorf("%s: key %q, retention %q, headers %v", test.name, key, retention, c.Header)
		}
	}
}

func TestSessionAffinityFormats(t *testing.T) {
	router := model()
	router.Provider = "openrouter"
	for format, want := range map[string][3]string{ // session_id, x-client-request-id, x-session-id
		`{}`:                                 {"s", "s", ""},
		`{"sessionAffinityFormat":"openai"}`: {"s", "s", ""},
		`{"sessionAffinityFormat":"openai-nosession"}`: {"", "s", ""},
		`{"sessionAffinityFormat":"openrouter"}`:       {"", "", "s"},
		"of a router":                                  {"", "", "s"},
	} {
		m := router
		if format != "of a router" {
			m = model()
			m.Compat = jsontext.Value(format)
		}
		h := sent(t, &ai.Request{Model: m, Options: ai.Options{SessionID: "s"}}).Header
		if got := [3]string{h.Get("Session_id"), h.Get("X-Client-Request-Id"), h.Get("X-Session-Id")}; got != want {
			t.Errorf("%s: got %v, want %v", format, got, want)
		}
	}
}

func TestWhatAServerCannotDo(t *testing.T) {
	m := model()
	m.Compat = jsontext.Value(`{"supportsMaxOutputTokens":false,"supportsExplicitPromptCacheMode":true}`)
	c := sent(t, &ai.Request{Model: m, Options: ai.Options{MaxTokens: 99, CacheRetention: "none", SessionID: "s"}})
	mode, _ := c.Body["prompt_cache_options"].(map[string]any)
	if c.Body["max_output_tokens"] != nil || mode["mode"] != "explicit" || c.Body["prompt_cache_key"] != nil {
		t.Errorf("got %v", c.Body)
	}
	if c := sent(t, &ai.Request{Model: m, Options: ai.Options{SessionID: "s"}}); c.Body["prompt_cache_options"] != nil {
		t.Errorf("a prompt that may be kept: %v", c.Body)
	}
}

func TestCompat_OfTheWrongForm(t *testing.T) {
	m := model()
	m.Compat = jsontext.Value(`{"supportsDeveloperRole":"yes"}`)
	got, err := ai.Complete(t.Context(), responses.Stream, &ai.Request{Model: m})
	if err != nil || !strings.Contains(got.ErrorMessage, `"compat" of model lab/m`) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestAzure(t *testing.T) {
	tests := []struct {
		name  string
		azure responses.Azure
		base  string
		env   map[string]string
		url   string
		model string
	}{
		{"resource", responses.Azure{Resource: "mine"}, "", nil, "https://mine.openai.azure.com/openai/v1/responses?api-version=v1", "m"},
		{
			"resource of the environment",
			responses.Azure{},
			"",
			map[string]string{"AZURE_OPENAI_RESOURCE_NAME": "env", "AZURE_OPENAI_API_VERSION": "2026-01-01"},
			"https://env.openai.azure.com/openai/v1/responses?api-version=2026-01-01", "m",
		},
		{
			"address of the environment",
			responses.Azure{Resource: "mine"},
			"",
			map[string]string{"AZURE_OPENAI_BASE_URL": "https://x.cognitiveservices.azure.com/"},
			"https://x.cognitiveservices.azure.com/openai/v1/responses?api-version=v1", "m",
		},
		{
			"address of the model",
			responses.Azure{BaseURL: "https://b.openai.azure.com"},
			"https://a.openai.azure.com/openai", nil,
			"https://a.openai.azure.com/openai/v1/responses?api-version=v1", "m",
		},
		{
			"version in the address",
			responses.Azure{},
			"https://a.openai.azure.com/openai/v1/responses?api-version=preview", nil,
			"https://a.openai.azure.com/openai/v1/responses?api-version=preview", "m",
		},
		{
			"version that was set",
			responses.Azure{Version: "v2"},
			"https://a.openai.azure.com/openai/v1?api-version=preview", nil,
			"https://a.openai.azure.com/openai/v1/responses?api-version=v2", "m",
		},
		{"another gateway", responses.Azure{}, "http://gateway:8080/azure/", nil, "http://gateway:8080/azure/responses?api-version=v1", "m"},
		{
			"deployment",
			responses.Azure{Resource: "r", Deployments: map[string]string{"m": "mine"}},
			"",
			map[string]string{"AZURE_OPENAI_DEPLOYMENT_NAME_MAP": "m=env"},
			"https://r.openai.azure.com/openai/v1/responses?api-version=v1", "mine",
		},
		{
			"deployment of the environment",
			responses.Azure{Resource: "r"},
			"",
			map[string]string{"AZURE_OPENAI_DEPLOYMENT_NAME_MAP": " x=y, m = env ,"},
			"https://r.openai.azure.com/openai/v1/responses?api-version=v1", "env",
		},
		{
			"no deployment of this model",
			responses.Azure{Resource: "r", Deployments: map[string]string{"x": "y"}},
			"", nil,
			"https://r.openai.azure.com/openai/v1/responses?api-version=v1", "m",
		},
	}
	for _, test := range tests {
		for _, stored := range []bool{false, true} { // beside the key, or in the process
			t.Run(fmt.Sprintf("%s, stored: %t", test.name, stored), func(t *testing.T) {
				noAzureEnv(t)
				env := test.env
				if !stored {
					env = nil
					for name, value := range test.env {
						t.Setenv(name, value)
					}
				}
				c := &replay.Canned{Stream: replay.SSE(completed)}
				m := model()
				m.API, m.BaseURL = responses.APIAzure, test.base
				got, err := ai.Complete(t.Context(), test.azure.Stream, &ai.Request{Model: m, Options: ai.Options{Env: env, APIKey: "k", Client: c.Client()}})
				if err != nil || got.Failed() || got.API != responses.APIAzure {
					t.Fatalf("%v %v", got, err)
				}
				if c.URL != test.url || c.Body["model"] != test.model {
					t.Errorf("asked for %v at %s", c.Body["model"], c.URL)
				}
				if c.Header.Get("Api-Key") != "k" || c.Header.Get("Authorization") != "" {
					t.Errorf("headers %v", c.Header)
				}
			})
		}
	}
}

func noAzureEnv(t *testing.T) {
	for _, name := range []string{"BASE_URL", "RESOURCE_NAME", "API_VERSION", "DEPLOYMENT_NAME_MAP"} {
		t.Setenv("AZURE_OPENAI_"+name, "")
	}
}

func TestAzure_Mistakes(t *testing.T) {
	noAzureEnv(t)
	for _, test := range []struct {
		azure responses.Azure
		base  string
		pairs string
		want  string
	}{
		{responses.Azure{}, "", "", "AZURE_OPENAI_RESOURCE_NAME"},
		{responses.Azure{BaseURL: "mine"}, "", "", "is no address"},
		{responses.Azure{}, "https://a\x7f", "", "is no address"},
		{responses.Azure{Resource: "r"}, "", "gpt-5.5", "MODEL=DEPLOYMENT"},
	} {
		t.Setenv("AZURE_OPENAI_DEPLOYMENT_NAME_MAP", test.pairs)
		m := model()
		m.API, m.BaseURL = responses.APIAzure, test.base
		got, err := ai.Complete(t.Context(), test.azure.Stream, &ai.Request{Model: m})
		if err != nil || !strings.Contains(got.ErrorMessage, test.want) {
			t.Errorf("got %v, want %q; %v", got, test.want, err)
		}
	}
}

// Azure fails as OpenAI does, and hides its key.
func TestAzure_Failures(t *testing.T) {
	tests := []struct {
		status int
		body   string
		want   ai.Class
	}{
		{400, `{"error":{"code":"context_length_exceeded","message":"too long"}}`, ai.ClassOverflow},
		{401, `{"error":{"code":"401","message":"Access denied due to invalid subscription key"}}`, ai.ClassPermanent},
		{404, `{"error":{"code":"DeploymentNotFound","message":"no such deployment"}}`, ai.ClassPermanent},
		{429, `{"error":{"code":"429","message":"Requests have exceeded call rate limit. Please retry after 3 seconds."}}`, ai.ClassTransient},
		{429, `{"error":{"code":"insufficient_quota","message":"no more"}}`, ai.ClassLimit},
		{503, `{"error":{"message":"down"}}`, ai.ClassTransient},
	}
	for _, test := range tests {
		m, client := listen(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(test.status)
			io.WriteString(w, strings.Replace(test.body, `"message":"`, `"message":"`+r.Header.Get("Api-Key")+" ", 1))
		})
		m.API, m.Provider = responses.APIAzure, "azure-openai-responses"
		got, err := ai.Complete(t.Context(), responses.Azure{}.Stream, &ai.Request{Model: m, Options: ai.Options{APIKey: "very-secret-key", Client: client}})
		if err != nil || ai.Classify(got.Err, got.ErrorMessage) != test.want || strings.Contains(got.ErrorMessage, "secret") {
			t.Errorf("%d: %q, %v; want %v", test.status, got.ErrorMessage, ai.Classify(got.Err, got.ErrorMessage), test.want)
		}
	}
	m, client := listen(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, replay.SSE(textDelta(0, "x"))) })
	m.API = responses.APIAzure
	got, err := ai.Complete(t.Context(), responses.Azure{}.Stream, &ai.Request{Model: m, Options: ai.Options{APIKey: "k", Client: client}})
	if err != nil || !ai.IsRetryable(got) {
		t.Errorf("cut: %v, %v", got, err)
	}
}

// Reasoning that the service cannot verify is left out, and with it the ids of the items that it
// led to: the service refuses an item that it knows without its reasoning.
func TestReasoningThatCannotBeVerifiedIsLeftOut(t *testing.T) {
	const summed = `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"E"}`
	for name, test := range map[string]struct {
		thinking *ai.Thinking
		store    bool
		sent     bool
	}{
		"encrypted":             {thought("x", reasoningJSON), false, true},
		"summary":               {thought("a\n\nb", summed), false, true},
		"summary changed":       {thought("a\n\nc", summed), false, false},
		"summary removed":       {thought("", summed), false, false},
		"not encrypted":         {thought("x", `{"id":"rs_1","type":"reasoning","summary":[]}`), false, false},
		"null":                  {thought("x", `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":null}`), false, false},
		"empty":                 {thought("x", `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":""}`), false, false},
		"no text":               {thought("x", `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":{}}`), false, false},
		"not encrypted, stored": {thought("x", `{"id":"rs_1","type":"reasoning","summary":[]}`), true, true},
	} {
		m := model()
		if test.store {
			m.SamplingParams = map[string]jsontext.Value{"store": jsontext.Value("true")}
		}
		answer := by(m, test.thinking, &ai.Text{Text: "t", Signature: "msg_1"}, call("c1|fc_1", "{}"))
		body := sent(t, &ai.Request{Model: m, Context: ai.Context{Messages: []ai.Message{user("go"), answer, result("c1|fc_1", "r")}}}).Body
		ids := make(map[any]any)
		for _, item := range body["input"].([]any) {
			item := item.(map[string]any)
			ids[item["type"]] = item["id"]
		}
		want := map[any]any{nil: nil, "message": "msg_local_1", "function_call": nil, "function_call_output": nil}
		if test.sent {
			want = map[any]any{nil: nil, "reasoning": "rs_1", "message": "msg_1", "function_call": "fc_1", "function_call_output": nil}
		}
		if diff := cmp.Diff(want, ids); diff != "" {
			t.Errorf("%s: ids of the items (-want +got):\n%s", name, diff)
		}
	}
}
