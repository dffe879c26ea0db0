package mistral_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/aitest"
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
		{"CallsWithoutIds", []string{call(`"index":0,"function":{"name":"f","arguments":"{}"}`), finish("tool_calls")}, `call ????????? f {}; toolUse`},
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
			got := replay.Show(answer(t, sse(test.chunks...)))
			if strings.Contains(test.want, "?") && len(got) == len(test.want) {
				id := strings.Index(test.want, "?")
				got = got[:id] + "?????????" + got[id+9:]
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestReport_USE01_Usage(t *testing.T) {
	for name, u := range map[string]string{
		"details": `"prompt_tokens_details":{"cached_tokens":900}`, "detail": `"prompt_token_details":{"cached_tokens":900}`, "number": `"num_cached_tokens":900`,
	} {
		m := answer(t, sse(delta(`"content":"a"`), `{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":1010,`+u+`}}`))
		if got := m.Usage; got.Input != 100 || got.CacheRead != 900 || got.Output != 10 || got.TotalTokens != 1010 || got.Cost.Total <= 0 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	m := answer(t, sse(delta(`"content":"a"`), `{"choices":[{"delta":{},"finish_reason":"stop"}]}`, `{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":null,"total_tokens":"x"}}`))
	if m.Usage.Input != 7 || m.Usage.TotalTokens != 7 {
		t.Errorf("usage after the end: got %+v", m.Usage)
	}
}

func TestReport_PRV25_ErrorInTheStream(t *testing.T) {
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
		m := answer(t, sse(delta(`"content":"One"`), test.chunk))
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

func TestReport_PRV16_TheLastEventNeedsNoEmptyLine(t *testing.T) {
	if m := answer(t, sse(delta(`"content":"a"`))+"data: "+finish("stop")); replay.Show(m) != `text "a"; stop` {
		t.Errorf("got %s, %q", replay.Show(m), m.ErrorMessage)
	}
}

func TestReport_PRV20_AnySplitGivesTheSame(t *testing.T) {
	text := sse(delta(`"content":"Grüße 🙂 漢字"`), finish("stop"), "[DONE]")
	for name, text := range map[string]string{"LF": text, "CRLF": strings.ReplaceAll(text, "\n", "\r\n"), "CR": strings.ReplaceAll(text, "\n", "\r")} {
		m, client := listen(t, func(w http.ResponseWriter, _ *http.Request) {
			for i := range len(text) {
				io.WriteString(w, text[i:i+1])
				http.NewResponseController(w).Flush()
			}
		})
		got, err := ai.Complete(t.Context(), mistral.Stream, &ai.Request{Model: m, Options: ai.Options{Client: client}})
		if err != nil || replay.Show(got) != `text "Grüße 🙂 漢字"; stop` {
			t.Errorf("%s: got %s; %v", name, replay.Show(got), err)
		}
	}
}

func TestReport_RTY12_CutStreamsAreTransient(t *testing.T) {
	whole := sse(delta(`"content":"x"`), delta(`"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]`)) // RTY-08: it is not run
	for n := range len(whole) + 1 {
		m := answer(t, whole[:n])
		if m.StopReason != ai.StopError {
			t.Fatalf("cut after %d bytes: got %s", n, replay.Show(m))
		}
		if strings.HasSuffix(whole[:n], "\n\n") && !ai.IsRetryable(m) {
			t.Errorf("cut after %d bytes: %q is not retried", n, m.ErrorMessage)
		}
	}
}

func TestReport_PRV26_ClosedConnections(t *testing.T) {
	m, client := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100000")
		io.WriteString(w, sse(delta(`"content":"x"`))+"data: {\"choi")
	})
	got, err := ai.Complete(t.Context(), mistral.Stream, &ai.Request{Model: m, Options: ai.Options{Client: client}})
	if err != nil || replay.Show(got) != `text "x"; error` || !ai.IsRetryable(got) {
		t.Errorf("got %s, %q", replay.Show(got), got.ErrorMessage)
	}
}

func TestReport_PRV15_TheEndDoesNotWaitForTheServer(t *testing.T) {
	m, client := holding(t, sse(delta(`"content":"x"`), finish("stop")))
	got, err := ai.Complete(t.Context(), mistral.Stream, &ai.Request{Model: m, Options: ai.Options{Client: client}})
	if err != nil || replay.Show(got) != `text "x"; stop` {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestSilenceEndsAnAnswer(t *testing.T) {
	for name, test := range map[string][2]string{
		"before the end": {sse(delta(`"content":"x"`)), `text "x"; error`},
		"after it":       {sse(delta(`"content":"x"`), `{"choices":[{"delta":{},"finish_reason":"stop"}]}`), `text "x"; stop`}, // only the usage is lost
	} {
		m, client := holding(t, test[0])
		got, err := ai.Complete(t.Context(), mistral.Stream, &ai.Request{Model: m, Options: ai.Options{Client: client, IdleTimeout: 20 * time.Millisecond}})
		if err != nil || replay.Show(got) != test[1] {
			t.Errorf("%s: got %s, %q", name, replay.Show(got), got.ErrorMessage)
		}
		if _, silent := errors.AsType[*ai.TimeoutError](got.Err); got.Failed() && (!silent || !ai.IsRetryable(got)) {
			t.Errorf("%s: got %v", name, got.Err)
		}
	}
}

func TestReport_PRV28_AbortIsAbort(t *testing.T) {
	for name, stream := range map[string]string{"before the end": sse(delta(`"content":"x"`)), "after the end": sse(delta(`"content":"x"`), `{"choices":[{"delta":{},"finish_reason":"stop"}]}`)} {
		m, client := holding(t, stream)
		ctx, cancel := context.WithCancelCause(t.Context())
		s := mistral.Stream(ctx, &ai.Request{Model: m, Options: ai.Options{
			Client: client,
			OnResponse: func(context.Context, int, http.Header) error {
				time.AfterFunc(30*time.Millisecond, func() { cancel(errors.New("escape")) })
				return nil
			},
		}})
		aitest.CheckStream(t, s)
		if got := s.Result(); got.StopReason != ai.StopAborted || ai.IsRetryable(got) {
			t.Errorf("%s: got %s, %q", name, replay.Show(got), got.ErrorMessage)
		}
	}
}

func TestBreakingOutCancelsTheRequest(t *testing.T) {
	gone := make(chan struct{})
	m, client := listen(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(gone)
		io.WriteString(w, sse(delta(`"content":"x"`)))
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	for ev := range mistral.Stream(t.Context(), &ai.Request{Model: m, Options: ai.Options{Client: client}}).Events() {
		if _, ok := ev.(*ai.TextDelta); ok {
			break
		}
	}
	<-gone
}

func TestNoStreamButJSON(t *testing.T) {
	m, client := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"choices":[]}`)
	})
	got, err := ai.Complete(t.Context(), mistral.Stream, &ai.Request{Model: m, Options: ai.Options{Client: client}})
	if err != nil || !strings.Contains(got.ErrorMessage, "in place of a stream") {
		t.Errorf("got %q, %v", got.ErrorMessage, err)
	}
}

func TestLaw_T2_ErrorsHideSecrets(t *testing.T) {
	m, client := listen(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, `{"message":"refused: `+r.Header.Get("Authorization")+`"}`)
	})
	got, err := ai.Complete(t.Context(), mistral.Stream, &ai.Request{Model: m, Options: ai.Options{Client: client, APIKey: "mistral-very-secret"}})
	if err != nil || !strings.Contains(got.ErrorMessage, "refused") || strings.Contains(got.ErrorMessage, "secret") {
		t.Errorf("got %q, %v", got.ErrorMessage, err)
	}
}

// FuzzStream feeds arbitrary bytes: no panic, and a stream that keeps the contract.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"", "data: [DONE]\n\n", "data: null\n\n", "event: error\ndata: x\n\n", sse(finish("stop")), sse(`{"object":"error","message":"x"}`),
		sse(delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]},{"type":"text","text":"b"}]`), finish("length")),
		sse(delta(`"tool_calls":[{"id":"a","index":0,"function":{"name":"f","arguments":"{\"a\":[1]}"}}]`), finish("tool_calls")),
		sse(`{"choices":[{"delta":{"content":"x"},"finish_reason":"new"}],"usage":{"prompt_tokens":1e99}}`),
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
