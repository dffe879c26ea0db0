package mistral_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/replay"
	"github.com/rondo-agent/rondo/ai/mistral"
)

func TestAnswers(t *testing.T) {
	call := func(members string) string { return delta(`"tool_calls":[{` + members + `}]`) }
	tests := []struct {
		name   string
		chunks []string
		want   string
	}{
		{"Report_PRV01_CallsWithoutAnIndex", []string{
			call(`"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}`), call(`"id":"b","function":{"name":"g","arguments":"{\"y\":2}"}`), finish("tool_calls"),
		}, `call a f {"x":1}; call b g {"y":2}; toolUse`},
		{"Report_PRV02_TwoCallsOfOneIndex", []string{
			call(`"index":0,"id":"a","function":{"name":"f","arguments":"{}"}`), call(`"index":0,"id":"b","function":{"name":"g","arguments":"{}"}`), finish("tool_calls"),
		}, `call a f {}; call b g {}; toolUse`},
		{"IdsThatAreTheWordNull", []string{
			call(`"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}`), call(`"index":0,"id":"null","function":{"name":"","arguments":"1}"}`), finish("tool_calls"),
		}, `call a f {"x":1}; toolUse`},
		{"ArgumentsAsAnObject", []string{call(`"id":"a","function":{"name":"f","arguments":{"x":1}}`), finish("tool_calls")}, `call a f {"x":1}; toolUse`},
		{"CallsWithoutIds", []string{call(`"index":0,"function":{"name":"f","arguments":"{}"}`), finish("tool_calls")}, `call * f {}; toolUse`},
		{"Report_TCS07_NoArguments", []string{call(`"id":"a","function":{"name":"f"}`), finish("tool_calls")}, `call a f {}; toolUse`},
		{"Report_TCS01_ArgumentsCutShort", []string{call(`"id":"a","function":{"name":"f","arguments":"{\"p\":\"hel"}`), finish("tool_calls")}, `call a f {"p":"hel"} (broken); toolUse`},
		{"Report_LOOP11_LimitWinsOverCalls", []string{call(`"id":"a","function":{"name":"f","arguments":"{}"}`), finish("length")}, `call a f {}; length`},
		{"Report_LOOP11_FailureWinsOverCalls", []string{call(`"id":"a","function":{"name":"f","arguments":"{}"}`), finish("error")}, `call a f {}; error`},
		{"CallsWinOverStop", []string{call(`"id":"a","function":{"name":"f","arguments":"{}"}`), finish("stop")}, `call a f {}; toolUse`},
		{"AnnouncedCallThatDoesNotCome", []string{delta(`"content":"a"`), finish("tool_calls")}, `text "a"; error`},
		{"Report_PRV12_ThinkingBeforeText", []string{delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]},{"type":"text","text":"Hi"}]`), finish("stop")}, `thinking "Hm"; text "Hi"; stop`},
		{"ThinkingAsText", []string{delta(`"content":[{"type":"thinking","thinking":"Hm"}]`), finish("stop")}, `thinking "Hm"; stop`},
		{"BlocksChange", []string{
			delta(`"content":[{"thinking":[{"text":"a"},{"text":"b"}],"type":"thinking"}]`), delta(`"content":"c"`), delta(`"content":[{"type":"text","text":"d"}]`),
			delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"e"}]}]`), finish("stop"),
		}, `thinking "ab"; text "cd"; thinking "e"; stop`},
		{"PartsOfOtherKindsAreLeftOut", []string{delta(`"content":[{"type":"reference","reference_ids":[1]},{"type":"text","text":"a"},{"type":"image_url","image_url":"x"}]`), finish("stop")}, `text "a"; stop`},
		{"Report_LOOP09_Empty", []string{finish("stop")}, `stop`},
		{"Report_PRV09_NullsAndStrangers", []string{
			`null`, ``, `ping`, `{}`, `{"choices":[]}`, `{"choices":null}`, `{"object":"chat.completion.chunk"}`, delta(`"content":null`), delta(`"content":7`),
			`{"choices":[{"delta":null}]}`, `{"choices":[{}]}`, delta(`"role":"assistant","content":"Hi","tool_calls":null`), finish("stop"),
		}, `text "Hi"; stop`},
		{"OnlyTheFirstChoice", []string{`{"choices":[{"delta":{"content":"a"}},{"delta":{"content":"b"}}]}`, finish("stop")}, `text "a"; stop`},
		{"TextThatIsNoUnicode", []string{delta("\"content\":\"a\xff\\ud83d\""), finish("stop")}, "text \"a\uFFFD\uFFFD\"; stop"},
		{"NoUsage", []string{delta(`"content":"a"`), `{"choices":[{"delta":{},"finish_reason":"stop"}]}`, `[DONE]`}, `text "a"; stop`},
		{"NoJSON", []string{`{"choices":`}, `error`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			replay.CheckShown(t, answer(t, replay.SSE(test.chunks...)), test.want)
		})
	}
}

// The service takes ids of nine characters back.
func TestMadeUpIdsAreOfTheLengthThatTheServiceTakes(t *testing.T) {
	m := answer(t, replay.SSE(delta(`"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]`), finish("tool_calls")))
	if id := m.Content.ToolCalls()[0].ID; len(id) != 9 {
		t.Errorf("got %q", id)
	}
}

func TestUsage(t *testing.T) {
	for name, u := range map[string]string{
		"details": `"prompt_tokens_details":{"cached_tokens":900}`, "detail": `"prompt_token_details":{"cached_tokens":900}`, "number": `"num_cached_tokens":900`,
	} {
		m := answer(t, replay.SSE(delta(`"content":"a"`), `{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":1010,`+u+`}}`))
		if got := m.Usage; got.Input != 100 || got.CacheRead != 900 || got.Output != 10 || got.TotalTokens != 1010 || got.Cost.Total <= 0 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	m := answer(t, replay.SSE(delta(`"content":"a"`), `{"choices":[{"delta":{},"finish_reason":"stop"}]}`, `{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":null,"total_tokens":"x"}}`))
	if m.Usage.Input != 7 || m.Usage.TotalTokens != 7 {
		t.Errorf("usage after the end: got %+v", m.Usage)
	}
}

func TestErrorInTheStream(t *testing.T) {
	tests := map[string]struct {
		chunk string
		class ai.Class
		text  string
	}{
		"capacity":    {`{"object":"error","message":"Service tier capacity exceeded for this model.","type":"service_tier_capacity_exceeded","param":null,"code":"3505"}`, ai.ClassTransient, "capacity exceeded"},
		"rate limit":  {`{"object":"error","message":"Requests rate limit exceeded","type":"rate_limited","code":"1300"}`, ai.ClassTransient, "rate limit"},
		"too long":    {`{"object":"error","message":"Prompt contains 9 tokens and 0 draft tokens, too large for model with 8 maximum context length","code":"3051"}`, ai.ClassOverflow, "too large"},
		"like OpenAI": {`{"error":{"message":"overloaded","code":503}}`, ai.ClassTransient, "503 overloaded"},
		"bad":         {`{"error":{"message":"No such thing"}}`, ai.ClassPermanent, "No such thing"},
	}
	for name, test := range tests {
		m := answer(t, replay.SSE(delta(`"content":"One"`), test.chunk))
		if class := ai.Classify(m.Err, m.ErrorMessage); replay.Show(m) != `text "One"; error` || !strings.Contains(m.ErrorMessage, test.text) || class != test.class {
			t.Errorf("%s: got %s, %q, %v", name, replay.Show(m), m.ErrorMessage, class)
		}
	}
	if m := answer(t, "event: error\ndata: upstream gone\n\n"); !strings.Contains(m.ErrorMessage, "upstream gone") {
		t.Errorf("an error that is no JSON: %q", m.ErrorMessage)
	}
}

func TestHTTPFailures(t *testing.T) {
	tests := []struct {
		status int
		body   string
		want   ai.Class
		text   string
	}{
		{400, `{"object":"error","message":"bad","type":"invalid_request_error","code":3000}`, ai.ClassPermanent, "400 bad"},
		{401, `{"message":"Unauthorized","request_id":"x"}`, ai.ClassPermanent, "401 Unauthorized"},
		{402, `{"message":"Payment required"}`, ai.ClassLimit, "402"},
		{422, `{"detail":[{"type":"x","loc":["body"],"msg":"Input should be valid"}]}`, ai.ClassPermanent, "422 Input should be valid"},
		{429, `{"object":"error","message":"Requests rate limit exceeded","type":"rate_limited","code":"1300"}`, ai.ClassTransient, "429 Requests"},
		{503, `upstream connect error`, ai.ClassTransient, "503 upstream"},
	}
	for _, test := range tests {
		m, client := listen(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(test.status)
			io.WriteString(w, test.body)
		})
		got, err := ai.Complete(t.Context(), mistral.Stream, &ai.Request{Model: m, Options: ai.Options{Client: client}})
		if err != nil || ai.Classify(got.Err, got.ErrorMessage) != test.want || !strings.Contains(got.ErrorMessage, test.text) {
			t.Errorf("%d: got %v, %q, %v", test.status, ai.Classify(got.Err, got.ErrorMessage), got.ErrorMessage, err)
		}
	}
}

func TestWire(t *testing.T) {
	w := replay.Wire{
		Ask: mistral.Stream, Model: *model(),
		Text:   func(text string) string { return replay.SSE(delta(`"content":"` + text + `"`)) },
		Finish: replay.SSE(`{"choices":[{"delta":{},"finish_reason":"stop"}]}`),
		End:    replay.SSE(`{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}`, "[DONE]"),
	}
	w.Check(t)
}

func TestACallOfACutAnswerIsNotRun(t *testing.T) {
	m := answer(t, replay.SSE(delta(`"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]`)))
	if m.StopReason != ai.StopError || !ai.IsRetryable(m) {
		t.Errorf("got %s, %q", replay.Show(m), m.ErrorMessage)
	}
}

// FuzzStream feeds arbitrary bytes: no panic, and a stream that keeps the contract.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"", "data: [DONE]\n\n", "data: null\n\n", "event: error\ndata: x\n\n", replay.SSE(finish("stop")), replay.SSE(`{"object":"error","message":"x"}`),
		replay.SSE(delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]},{"type":"text","text":"b"}]`), finish("length")),
		replay.SSE(delta(`"tool_calls":[{"id":"a","index":0,"function":{"name":"f","arguments":"{\"a\":[1]}"}}]`), finish("tool_calls")),
		replay.SSE(`{"choices":[{"delta":{"content":"x"},"finish_reason":"new"}],"usage":{"prompt_tokens":1e99}}`),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		m := answer(t, body)
		if raw := jsontext.Value((&ai.Done{Message: m}).AppendJSON(nil)); !raw.IsValid() {
			t.Fatal("the last event is no JSON")
		}
	})
}
