package google_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/aitest"
	"github.com/rondo-agent/rondo/ai/google"
	"github.com/rondo-agent/rondo/ai/internal/replay"
)

func TestAnswers(t *testing.T) {
	tests := []struct {
		name   string
		chunks []string
		want   string
	}{
		{"Report_LOOP11_LimitWinsOverCalls", []string{
			`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"bash","args":{"command":"rm -rf build"}}}]},"finishReason":"MAX_TOKENS"}]}`,
		}, `call call_* bash {"command":"rm -rf build"}; length`},
		{"Report_LOOP11_RefusalWinsOverCalls", []string{parts(`{"functionCall":{"id":"1","name":"f"}}`), finish("SAFETY")}, `call 1 f {}; error`},
		{"Report_HND08_SignatureWithoutText", []string{parts(`{"text":"","thoughtSignature":"Uw=="}`), finish("STOP")}, `text "" Uw==; stop`},
		{"Report_HND08_SignatureAfterText", []string{parts(`{"text":"Hi"}`), parts(`{"text":"","thoughtSignature":"Uw=="}`), finish("STOP")}, `text "Hi" Uw==; stop`},
		{"Report_HND08_SignatureAfterThinking", []string{
			parts(`{"text":"Hm","thought":true}`), parts(`{"text":"","thoughtSignature":"Uw=="}`), finish("STOP"),
		}, `thinking "Hm"; text "" Uw==; stop`},
		{"Report_HND08_SignatureAfterCalls", []string{
			parts(`{"functionCall":{"id":"1","name":"f"},"thoughtSignature":"QQ=="}`, `{"text":"","thoughtSignature":"Uw=="}`), finish("STOP"),
		}, `call 1 f {} QQ==; text "" Uw==; toolUse`},
		{
			"TheLastSignatureOfABlockCounts",
			[]string{parts(`{"text":"a","thoughtSignature":"QQ=="}`), parts(`{"text":"b"}`), parts(`{"text":"c","thoughtSignature":"Uw=="}`), finish("STOP")},
			`text "abc" Uw==; stop`,
		},
		{"EmptyTextOpensNothing", []string{parts(`{"text":""}`), parts(`{"text":"Hm","thought":true}`, `{"text":""}`), finish("STOP")}, `thinking "Hm"; stop`},
		{
			"BlocksChange",
			[]string{parts(`{"thought":true,"text":"a"}`, `{"text":"b"}`), parts(`{"text":"c","thought":false}`), parts(`{"text":"d","thought":true}`), finish("STOP")},
			`thinking "a"; text "bc"; thinking "d"; stop`,
		},
		{
			"Report_TCS07_NoArguments",
			[]string{parts(`{"functionCall":{"id":"1","name":"now"}}`, `{"functionCall":{"id":"2","name":"now","args":null}}`), finish("STOP")},
			`call 1 now {}; call 2 now {}; toolUse`,
		},
		{"Report_TCS02_ArgumentsThatAreNoObject", []string{parts(`{"functionCall":{"id":"1","name":"f","args":[1]}}`), finish("STOP")}, `call 1 f {} (broken); toolUse`},
		{"ArgumentsAreCompact", []string{parts(`{"functionCall":{"id":"1","name":"f","args":{ "b" : [ 1 , 2.50 ], "a" : "x y" }}}`), finish("STOP")}, `call 1 f {"b":[1,2.50],"a":"x y"}; toolUse`},
		{"CallsWithoutIds", []string{parts(`{"functionCall":{"name":"f"}}`), finish("STOP")}, `call call_* f {}; toolUse`},
		{"PartsOfOtherKindsAreLeftOut", []string{
			parts(`{"executableCode":{"code":"1"}}`, `{"inlineData":{"mimeType":"image/png","data":"QQ=="}}`, `{"text":null}`, `{"text":"Hi"}`, `{}`), finish("STOP"),
		}, `text "Hi"; stop`},
		{"OnlyTheFirstCandidate", []string{`{"candidates":[{"content":{"parts":[{"text":"a"}]}},{"content":{"parts":[{"text":"b"}]}}]}`, finish("STOP")}, `text "a"; stop`},
		{"TextAndEndInOneChunk", []string{`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}`}, `text "a"; stop`},
		{"MoreAfterTheFinishReason", []string{finish("STOP"), parts(`{"text":"a"}`)}, `text "a"; stop`},
		{"Report_PRV09_NullsAndStrangers", []string{
			`null`, ``, `ping`, `{}`, `{"candidates":null}`, `{"candidates":[]}`, `{"candidates":[{"content":null}]}`, `{"candidates":[{"content":{"parts":null}}]}`,
			`{"error":null,"candidates":[{"content":{"parts":[{"text":"Hi"}]}}]}`, `[DONE]`, finish("STOP"),
		}, `text "Hi"; stop`},
		{"TextThatIsNoUnicode", []string{parts("{\"text\":\"a\xff\\ud83d\"}"), finish("STOP")}, "text \"a\uFFFD\uFFFD\"; stop"},
		{"Report_LOOP09_Empty", []string{finish("STOP")}, `stop`},
		{"NoChunk", []string{`{"candidates":`}, `error`},
		{"Recitation", []string{parts(`{"text":"a"}`), finish("RECITATION")}, `text "a"; error`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			replay.CheckShown(t, answer(t, replay.SSE(test.chunks...)), test.want)
		})
	}
}

func TestUsage(t *testing.T) {
	tests := map[string]struct {
		usage string
		want  [4]int // input, output, cacheRead, reasoning
	}{
		"plain":                 {`{"promptTokenCount":1000,"candidatesTokenCount":10}`, [4]int{1000, 10, 0, 0}},
		"USE01 cached":          {`{"promptTokenCount":1000,"cachedContentTokenCount":900,"candidatesTokenCount":10}`, [4]int{100, 10, 900, 0}},
		"USE02 thinking":        {`{"promptTokenCount":1,"candidatesTokenCount":100,"thoughtsTokenCount":400}`, [4]int{1, 500, 0, 400}},
		"more cached than sent": {`{"promptTokenCount":5,"cachedContentTokenCount":9}`, [4]int{0, 0, 9, 0}},
		"odd numbers":           {`{"promptTokenCount":10.0,"candidatesTokenCount":null,"thoughtsTokenCount":"x","totalTokenCount":-1}`, [4]int{10, 0, 0, 0}},
	}
	for name, test := range tests {
		for place, chunks := range map[string][]string{
			"with the end":     {`{"candidates":[{"finishReason":"STOP"}],"usageMetadata":` + test.usage + `}`},
			"with text":        {`{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"usageMetadata":` + test.usage + `}`, `{"candidates":[{"finishReason":"STOP"}]}`},
			"after the end":    {`{"candidates":[{"finishReason":"STOP"}]}`, `{"usageMetadata":` + test.usage + `}`},
			"in place of less": {finish("STOP"), `{"usageMetadata":` + test.usage + `}`},
		} {
			u := answer(t, replay.SSE(chunks...)).Usage
			if u.Reasoning == nil {
				t.Errorf("%s %s: no count of reasoning", name, place)
				continue
			}
			got := [4]int{u.Input, u.Output, u.CacheRead, *u.Reasoning}
			if got != test.want || u.TotalTokens != got[0]+got[1]+got[2] || u.Cost.Total <= 0 {
				t.Errorf("%s %s: got %v, total %d, cost %v; want %v", name, place, got, u.TotalTokens, u.Cost.Total, test.want)
			}
		}
	}
}

func TestErrorInTheStream(t *testing.T) {
	tests := map[string]struct {
		chunk string
		class ai.Class
		text  string
	}{
		"overloaded":     {`{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`, ai.ClassTransient, "503 The model is overloaded."},
		"rate limit":     {`{"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}`, ai.ClassTransient, "429 Resource has been exhausted"},
		"too long":       {`{"error":{"code":400,"message":"The input token count (9) exceeds the maximum number of tokens allowed (8).","status":"INVALID_ARGUMENT"}}`, ai.ClassOverflow, "400 The input token count (9) exceeds the maximum number of tokens allowed (8)."},
		"bad request":    {`{"error":{"code":400,"message":"No","status":"INVALID_ARGUMENT"}}`, ai.ClassPermanent, "400 No"},
		"blocked prompt": {`{"promptFeedback":{"blockReason":"SAFETY","blockReasonMessage":"too rude"}}`, ai.ClassPermanent, "the service refuses this prompt (SAFETY); rephrase it: too rude"},
		"broken call":    {finish("MALFORMED_FUNCTION_CALL"), ai.ClassTransient, "the service ended the answer with the finish reason MALFORMED_FUNCTION_CALL"},
		"refused":        {`{"candidates":[{"finishReason":"SPII","finishMessage":"private"}]}`, ai.ClassPermanent, "the service ended the answer with the finish reason SPII: private"},
	}
	for name, test := range tests {
		m := answer(t, replay.SSE(parts(`{"text":"One"}`), test.chunk))
		class := ai.Classify(m.Err, m.ErrorMessage)
		if replay.Show(m) != `text "One"; error` || m.ErrorMessage != test.text || class != test.class {
			t.Errorf("%s: got %s, %q, %v", name, replay.Show(m), m.ErrorMessage, class)
		}
	}
	if m := answer(t, "event: error\ndata: upstream gone\n\n"); !strings.Contains(m.ErrorMessage, "upstream gone") {
		t.Errorf("an error that is no JSON: %q", m.ErrorMessage)
	}
}

func TestWire(t *testing.T) {
	w := replay.Wire{
		Ask: google.Stream, Model: *model("gemini-2.5-pro"), Base: "/v1beta",
		Text:   func(text string) string { return replay.SSE(parts(`{"text":"` + text + `"}`)) },
		Finish: replay.SSE(`{"candidates":[{"finishReason":"STOP"}]}`), End: replay.SSE(`{"usageMetadata":{"promptTokenCount":1}}`),
	}
	w.Check(t)
}

func TestACallOfACutAnswerIsNotRun(t *testing.T) {
	m := answer(t, replay.SSE(parts(`{"functionCall":{"name":"f"}}`)))
	if m.StopReason != ai.StopError || !ai.IsRetryable(m) || !errors.Is(m.Err, io.ErrUnexpectedEOF) {
		t.Errorf("got %s, %q", replay.Show(m), m.ErrorMessage)
	}
}

// Without alt=sse the service answers with a list.
func TestNoStreamButAList(t *testing.T) {
	for body, want := range map[string]string{
		`[{"error":{"code":404,"message":"no such model"}}]`: "404 no such model",
		`[{"candidates":[]}]`:                                "in place of a stream",
	} {
		m, client := listen(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=UTF-8")
			io.WriteString(w, body)
		})
		got, err := ai.Complete(t.Context(), google.Stream, &ai.Request{Model: m, Options: ai.Options{Client: client}})
		if err != nil || !strings.Contains(got.ErrorMessage, want) {
			t.Errorf("got %q, want %q; %v", got.ErrorMessage, want, err)
		}
	}
}

func TestResponseIsRecorded(t *testing.T) {
	m := answer(t, replay.SSE(`{"responseId":"r1","modelVersion":"gemini-2.5-pro-001"}`, finish("STOP")))
	if m.ResponseID != "r1" || m.ResponseModel != "gemini-2.5-pro-001" || m.RawStopReason != "STOP" {
		t.Errorf("got %+v", m)
	}
}

// FuzzStream feeds arbitrary bytes: no panic, and a stream that keeps the contract.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"", "data: [DONE]\n\n", "data: null\n\n", "event: error\ndata: x\n\n", replay.SSE(finish("STOP")), replay.SSE(finish("SAFETY")),
		replay.SSE(parts(`{"text":"a"}`, `{"text":"b","thought":true}`, `{"functionCall":{"name":"f","args":{"a":[1]}}}`), finish("MAX_TOKENS")),
		replay.SSE(parts(`{"text":"","thoughtSignature":"Uw=="}`), `{"error":{"code":503}}`), replay.SSE(`{"promptFeedback":{"blockReason":"X"}}`),
		replay.SSE(`{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"NEW"}],"usageMetadata":{"promptTokenCount":1e99}}`),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		req := &ai.Request{Model: model("gemini-3-pro"), Options: ai.Options{Client: (&replay.Canned{Stream: body}).Client()}}
		stream := google.Stream(t.Context(), req)
		events := aitest.CheckStream(t, stream)
		if len(events) == 0 || stream.Result() == nil {
			t.Fatalf("no end in %d events", len(events))
		}
		if last := events[len(events)-1]; !jsontext.Value(last.AppendJSON(nil)).IsValid() {
			t.Fatal("the last event is no JSON")
		}
	})
}
