package openai_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/aitest"
	"github.com/rondo-agent/rondo/ai/internal/replay"
	"github.com/rondo-agent/rondo/ai/openai"
)

// delta makes a chunk with this delta.
func delta(d string) string { return `{"id":"r","choices":[{"index":0,"delta":` + d + `}]}` }

// finish makes the chunk with the finish reason.
func finish(reason string) string {
	return fmt.Sprintf(`{"id":"r","choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, reason)
}

func TestAnswers(t *testing.T) {
	tests := []struct {
		name   string
		chunks []string
		want   string
	}{
		{"Report_PRV01_CallsWithoutIndex", []string{
			delta(`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}`),
			delta(`{"tool_calls":[{"id":"b","function":{"name":"g","arguments":"{\"y\":"}}]}`),
			delta(`{"tool_calls":[{"function":{"arguments":"2}"}}]}`), // continues the last
			finish("tool_calls"),
		}, `call a f {"x":1}; call b g {"y":2}; toolUse`},
		{"Report_PRV02_TwoCallsWithOneIndex", []string{
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"get_time","arguments":"{\"c\":\"p\"}"}}]}`),
			delta(`{"tool_calls":[{"index":0,"id":"b","function":{"name":"get_weather","arguments":"{\"c\":"}}]}`),
			delta(`{"tool_calls":[{"index":0,"function":{"arguments":"\"r\"}"}}]}`), // the newest with the index
			finish("tool_calls"),
		}, `call a get_time {"c":"p"}; call b get_weather {"c":"r"}; toolUse`},
		{"KnownIdWinsOverIndex", []string{
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}},{"index":1,"id":"b","function":{"name":"g","arguments":"{"}}]}`),
			delta(`{"tool_calls":[{"index":1,"id":"a","function":{"arguments":"}"}},{"index":1,"id":"b","function":{"arguments":"}"}}]}`),
			finish("tool_calls"),
		}, `call a f {}; call b g {}; toolUse`},
		{"NewIdWithoutNameContinues", []string{
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]}`),
			delta(`{"tool_calls":[{"index":0,"id":"zz","function":{"arguments":":1}"}}]}`),
			finish("tool_calls"),
		}, `call a f {"x":1}; toolUse`},
		{"IdAndNameComeLate", []string{
			delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}`),
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}}]}`),
			finish("tool_calls"),
		}, `call a f {}; toolUse`},
		{"ArgumentsAsObject", []string{
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":{"x":1}}}]}`), finish("tool_calls"),
		}, `call a f {"x":1}; toolUse`},
		{"OldFunctionCall", []string{
			delta(`{"function_call":{"name":"f","arguments":"{\"x\":"}}`), delta(`{"function_call":{"arguments":"1}"}}`), finish("function_call"),
		}, `call call_* f {"x":1}; toolUse`},
		{"Report_PRV06_EmptyCustomIsIgnored", []string{
			delta(`{"tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"read"},"custom":{}}]}`),
			delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":\"a\"}"},"custom":{}}]}`),
			finish("tool_calls"),
		}, `call 1 read {"path":"a"}; toolUse`},
		{"Report_PRV09_NullAndEmptyChunks", []string{
			`null`, ``, `ping`, `{}`, `{"choices":null}`, `{"choices":[]}`, delta(`null`), delta(`{"content":"x"}`), `{"error":null}`, finish("stop"),
		}, `text "x"; stop`},
		{"Report_PRV12_ThinkingBeforeText", []string{
			delta(`{"content":"c","reasoning_content":"r"}`), finish("stop"),
		}, `thinking "r" reasoning_content; text "c"; stop`},
		{"OneBlockOfEachKind", []string{
			delta(`{"reasoning":"a"}`), delta(`{"content":"b"}`), delta(`{"reasoning":"c"}`), delta(`{"content":"d"}`), finish("end"),
		}, `thinking "ac" reasoning; text "bd"; stop`},
		{"SameThinkingInTwoFieldsCountsOnce", []string{
			delta(`{"reasoning_content":"a","reasoning":"a"}`), delta(`{"reasoning_text":"b"}`), finish("stop"),
		}, `thinking "ab" reasoning_content; stop`},
		{"ThinkingOnlyInDetails", []string{
			delta(`{"reasoning_details":[{"type":"reasoning.summary","summary":"a","index":0}]}`),
			delta(`{"reasoning_details":[{"type":"reasoning.summary","summary":"\n","index":0},{"type":"reasoning.summary","summary":"b","index":1}]}`),
			finish("stop"),
		}, `thinking "a\nb" [{"type":"reasoning.summary","summary":"a\n","index":0},{"type":"reasoning.summary","summary":"b","index":1}]; stop`},
		{"EncryptedThinkingAlone", []string{
			delta(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"QQ==","index":0}]}`), delta(`{"content":"x"}`), finish("stop"),
		}, `text "x"; thinking "" [{"type":"reasoning.encrypted","data":"QQ==","index":0}]; stop`},
		{"Report_PRV30_DetailsBeforeTheirCall", []string{
			delta(`{"reasoning_details":[{"id":"call_1","type":"reasoning.encrypted","data":"E"}]}`),
			delta(`{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"f","arguments":"{}"}}]}`),
			finish("tool_calls"),
		}, `call call_1 f {} {"id":"call_1","type":"reasoning.encrypted","data":"E"}; toolUse`},
		{"Report_LOOP11_LengthWinsOverCalls", []string{
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":"{\"command\":\"rm -rf build\"}"}}]}`), finish("length"),
		}, `call a bash {"command":"rm -rf build"}; length`},
		{"Report_GOR05_Length", []string{delta(`{"content":"x"}`), finish("length")}, `text "x"; length`},
		{"StopWithCallsIsToolUse", []string{
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}`), finish("stop"),
		}, `call a f {}; toolUse`},
		{"Report_LOOP08_ToolUseWithoutCalls", []string{finish("tool_calls")}, `toolUse`},
		{"Report_LOOP09_Empty", []string{finish("stop")}, `stop`},
		{"Refusal", []string{delta(`{"refusal":"No."}`), finish("stop")}, `text "No."; stop`},
		{"ContentInParts", []string{delta(`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`), finish("stop")}, `text "ab"; stop`},
		{"TextThatIsNoUnicode", []string{delta("{\"content\":\"a\xff\\ud83d\"}"), finish("stop")}, "text \"a\uFFFD\uFFFD\"; stop"},
		{"Report_TCS07_NoArguments", []string{delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"now"}}]}`), finish("tool_calls")}, `call a now {}; toolUse`},
		{"ContentFilter", []string{delta(`{"content":"x"}`), finish("content_filter")}, `text "x"; error`},
		{"ErrorInChoice", []string{`{"choices":[{"delta":{},"finish_reason":"error","error":{"code":502,"message":"gone"}}]}`}, `error`},
		{"NoChunk", []string{`{"choices":`}, `error`},
	}
	l := newLab(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			replay.CheckShown(t, l.answer(t, test.chunks...), test.want)
		})
	}
}

// One choice is asked for. The first of a chunk counts, whatever its index says, and what
// stands beside it is no part of the answer: no text, no thinking, no call and no end.
func TestTheFirstChoiceOfAChunkCounts(t *testing.T) {
	both := func(first, second string) string { return `{"id":"r","choices":[` + first + `,` + second + `]}` }
	const call = `{"index":1,"delta":{"tool_calls":[{"index":0,"id":"z","function":{"name":"rm","arguments":"{}"}}]}}`
	for name, test := range map[string]struct {
		chunks []string
		want   string
	}{
		"call":     {[]string{both(`{"index":0,"delta":{"content":"a"}}`, call), finish("stop")}, `text "a"; stop`},
		"text":     {[]string{both(`{"index":0,"delta":{"content":"a"}}`, `{"index":1,"delta":{"content":"b"}}`), finish("stop")}, `text "a"; stop`},
		"thinking": {[]string{both(`{"index":0,"delta":{"content":"a"}}`, `{"index":1,"delta":{"reasoning":"b"}}`), finish("stop")}, `text "a"; stop`},
		"end": {[]string{
			both(`{"index":0,"delta":{"content":"a"}}`, `{"index":1,"delta":{},"finish_reason":"length"}`), delta(`{"content":"b"}`), finish("stop"),
		}, `text "ab"; stop`},
		"error":        {[]string{both(`{"index":0,"delta":{"content":"a"}}`, `{"index":1,"delta":{},"error":{"message":"x"}}`), finish("stop")}, `text "a"; stop`},
		"order":        {[]string{both(call, `{"index":0,"delta":{"content":"a"}}`), finish("tool_calls")}, `call z rm {}; toolUse`},
		"of their own": {[]string{delta(`{"content":"a"}`), `{"choices":[{"index":1,"delta":{"content":"b"}}]}`, finish("stop")}, `text "ab"; stop`},
	} {
		t.Run(name, func(t *testing.T) { replay.CheckShown(t, newLab(t).answer(t, test.chunks...), test.want) })
	}
}

// Where a call starts, it has the id and the name that it will have.
func TestACallStartsWithTheIDThatItKeeps(t *testing.T) {
	for name, chunks := range map[string][]string{
		"at once": {delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}`)},
		"never":   {delta(`{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]}`)},
		"late": {
			delta(`{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{"}}]}`),
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"}"}}]}`),
		},
		"late with the name": {
			delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}`),
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"}"}}]}`),
		},
		"name later than the id of another": {
			delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}`),
			delta(`{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}]}`),
			delta(`{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"}"}}]}`),
		},
		"no name": {delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}`)},
		"old":     {delta(`{"function_call":{"name":"f","arguments":"{}"}}`)},
	} {
		l := newLab(t)
		l.chunks(append(chunks, finish("tool_calls"))...)
		events, m := l.ask(t, &ai.Request{})
		starts := make(map[string]string)
		for _, ev := range events {
			if start, ok := ev.(*ai.ToolCallStart); ok {
				starts[start.ID] = start.ToolName
			}
		}
		for _, call := range m.Content.ToolCalls() {
			if tool, ok := starts[call.ID]; !ok || call.ID == "" || tool != call.Name || string(call.Arguments) != "{}" {
				t.Errorf("%s: the call %q of %s %s has started as one of %v", name, call.ID, call.Name, call.Arguments, starts)
			}
		}
		if len(starts) == 0 || len(starts) != len(m.Content.ToolCalls()) {
			t.Errorf("%s: %d calls of %d starts", name, len(m.Content.ToolCalls()), len(starts))
		}
	}
}

// What marks thinking for later requests stays with it when the answer fails.
func TestAFailedAnswerKeepsTheSignatureOfItsThinking(t *testing.T) {
	const detail = `{"reasoning_details":[{"type":"reasoning.text","text":"Hm","signature":"s","index":0}]}`
	for name, end := range map[string]string{
		"error":    `{"error":{"message":"gone"}}`,
		"choice":   `{"choices":[{"delta":{},"error":{"message":"gone"}}]}`,
		"no chunk": `{"choices":`,
		"filter":   finish("content_filter"),
		"cut":      `{"choices":[]}`,
	} {
		l := newLab(t)
		for first, want := range map[string]string{
			`{"reasoning_content":"Hm"}`: "reasoning_content",
			detail:                       `[{"type":"reasoning.text","text":"Hm","signature":"s","index":0}]`,
		} {
			m := l.answer(t, delta(first), end)
			if !m.Failed() || len(m.Content) != 1 || m.Content[0].(*ai.Thinking).Signature != want {
				t.Errorf("%s: got %s, want the signature %s", name, replay.Show(m), want)
			}
		}
	}
}

func TestEmptyAnswersAreSeen(t *testing.T) {
	l := newLab(t)
	for _, reason := range []string{"stop", "tool_calls"} {
		if m := l.answer(t, finish(reason)); !ai.IsEmpty(m) || m.Failed() {
			t.Errorf("%s: %s is not seen as empty", reason, replay.Show(m))
		}
	}
}

func TestBrokenArgumentsAreMarked(t *testing.T) {
	l := newLab(t)
	for _, args := range []string{`{\"path\":\"/tmp/a\",\"content\":\"hel`, `{\"command\":\"ls\", \"timeout\": }`} {
		m := l.answer(t, delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"`+args+`"}}]}`), finish("tool_calls"))
		call := m.Content.ToolCalls()[0]
		if call.ArgumentsError == "" || call.RawArguments == "" || m.StopReason != ai.StopToolUse {
			t.Errorf("%s: got %+v", args, call)
		}
	}
}

func TestUsage(t *testing.T) {
	tests := map[string]struct {
		usage string
		want  [5]int // input, output, cacheRead, cacheWrite, reasoning
	}{
		"plain":        {`{"prompt_tokens":1000,"completion_tokens":10}`, [5]int{1000, 10, 0, 0, 0}},
		"USE01 cached": {`{"prompt_tokens":1000,"prompt_tokens_details":{"cached_tokens":900},"completion_tokens":10}`, [5]int{100, 10, 900, 0, 0}},
		"USE02 thinking": {
			`{"prompt_tokens":1,"completion_tokens":500,"completion_tokens_details":{"reasoning_tokens":400},"total_tokens":501}`,
			[5]int{1, 500, 0, 0, 400},
		},
		"thinking apart": {
			`{"prompt_tokens":1,"completion_tokens":100,"completion_tokens_details":{"reasoning_tokens":400},"total_tokens":501}`,
			[5]int{1, 500, 0, 0, 400},
		},
		"USE03 Kimi":     {`{"prompt_tokens":1000,"cached_tokens":900,"completion_tokens":10}`, [5]int{100, 10, 900, 0, 0}},
		"USE03 DeepSeek": {`{"prompt_tokens":1000,"prompt_cache_hit_tokens":900,"prompt_cache_miss_tokens":100,"completion_tokens":10}`, [5]int{100, 10, 900, 0, 0}},
		"USE03 OpenRouter": {
			`{"prompt_tokens":1000,"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":600,"cache_write_tokens":300}}`,
			[5]int{100, 10, 600, 300, 0},
		},
		"more cached than sent": {`{"prompt_tokens":5,"cached_tokens":9,"completion_tokens":1}`, [5]int{0, 1, 9, 0, 0}},
		"odd numbers":           {`{"prompt_tokens":10.0,"completion_tokens":null,"total_tokens":"x","prompt_tokens_details":null}`, [5]int{10, 0, 0, 0, 0}},
	}
	l := newLab(t)
	for name, test := range tests {
		for place, chunks := range map[string][]string{
			"in a chunk of its own": {finish("stop"), `{"choices":[],"usage":` + test.usage + `}`},
			"in the choice":         {`{"choices":[{"delta":{},"finish_reason":"stop","usage":` + test.usage + `}]}`},
			"before the end":        {`{"usage":` + test.usage + `}`, finish("stop")},
		} {
			m := l.answer(t, chunks...)
			u := m.Usage
			if u.Reasoning == nil {
				t.Errorf("%s %s: no count of reasoning", name, place)
				continue
			}
			got := [5]int{u.Input, u.Output, u.CacheRead, u.CacheWrite, *u.Reasoning}
			if got != test.want || u.TotalTokens != got[0]+got[1]+got[2]+got[3] {
				t.Errorf("%s %s: got %v, total %d; want %v", name, place, got, u.TotalTokens, test.want)
			}
		}
	}
}

func TestUsage_CostOfTheProviderWins(t *testing.T) {
	m := newLab(t).answer(t, finish("stop"), `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":1,"cost":0.25}}`)
	if m.Usage.Cost.Total != 0.25 || !m.Usage.Cost.Reported {
		t.Errorf("got %+v", m.Usage.Cost)
	}
}

func TestErrorInTheStream(t *testing.T) {
	tests := map[string]struct {
		event string
		class ai.Class
		text  string
	}{
		"overloaded":    {`data: {"error":{"type":"overloaded_error","message":"Overloaded"}}`, ai.ClassTransient, "Overloaded"},
		"status inside": {`data: {"error":{"code":502,"message":"upstream gone"},"choices":[{"delta":{},"finish_reason":"error"}]}`, ai.ClassTransient, "502 upstream gone"},
		"quota":         {`data: {"error":{"code":"insufficient_quota","message":"Pay first"}}`, ai.ClassLimit, "Pay first"},
		"plain text":    {`data: {"error":"model is loading, try again"}`, ai.ClassTransient, "model is loading, try again"},
		"named event":   {"event: error\ndata: {\"message\":\"bad input\"}", ai.ClassPermanent, "bad input"},
		"vLLM":          {`data: {"object":"error","message":"bad input","code":400}`, ai.ClassPermanent, "400 bad input"},
		"too long":      {`data: {"error":{"code":"context_length_exceeded","message":"too long"}}`, ai.ClassOverflow, "too long"},
	}
	l := newLab(t)
	for name, test := range tests {
		l.events("data: "+delta(`{"content":"One"}`)+"\n\n", test.event+"\n\n", "data: [DONE]\n\n")
		_, m := l.ask(t, &ai.Request{})
		if replay.Show(m) != `text "One"; error` || m.ErrorMessage != test.text || ai.Classify(m.Err, m.ErrorMessage) != test.class {
			t.Errorf("%s: got %s, %q, %v", name, replay.Show(m), m.ErrorMessage, ai.Classify(m.Err, m.ErrorMessage))
		}
	}
}

// A server may end the stream with [DONE], or leave it open after the usage.
func TestWire(t *testing.T) {
	usage := replay.SSE(`{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}`)
	for name, end := range map[string]string{"done": replay.SSE("[DONE]"), "usage": usage} {
		t.Run(name, func(t *testing.T) {
			w := replay.Wire{
				Ask: openai.Completions, Model: *newLab(t).model(), Base: "/v1",
				Text:   func(text string) string { return replay.SSE(delta(`{"content":"` + text + `"}`)) },
				Finish: replay.SSE(finish("stop")), End: end,
			}
			w.Check(t)
		})
	}
}

func TestCutStreamsAreTransient(t *testing.T) {
	l := newLab(t)
	for name, reply := range map[string]func(http.ResponseWriter){
		"between events": func(w http.ResponseWriter) { io.WriteString(w, "data: "+delta(`{"content":"x"}`)+"\n\n") },
		"inside a chunk": func(w http.ResponseWriter) {
			conn, buf, _ := http.NewResponseController(w).Hijack()
			io.WriteString(buf, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\ndata: "+delta(`{"content":"x"}`)+"\n\n")
			buf.Flush()
			conn.Close()
		},
		"after a call": func(w http.ResponseWriter) { // it is not run
			io.WriteString(w, "data: "+delta(`{"content":"x","tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}`)+"\n\n")
		},
	} {
		l.reply = func(w http.ResponseWriter, _ *http.Request) { reply(w) }
		_, m := l.ask(t, &ai.Request{})
		if m.StopReason != ai.StopError || m.Content.Text() != "x" || !ai.IsRetryable(m) {
			t.Errorf("%s: got %s, %q", name, replay.Show(m), m.ErrorMessage)
		}
	}
}

func TestWhatIsNoChunkIsToldWhenTheAnswerIsMissing(t *testing.T) {
	l := newLab(t)
	if m := l.answer(t, delta(`{"content":"x"}`), "Internal server error"); !strings.Contains(m.ErrorMessage, "Internal server error") || !ai.IsRetryable(m) {
		t.Errorf("got %s, %q", replay.Show(m), m.ErrorMessage)
	}
}

// NVIDIA's endpoint never sends one; an answer that has not come to [DONE] was cut all the same.
func TestFinishReasonIsNotRequiredOfNVIDIA(t *testing.T) {
	l := newLab(t)
	m := l.model()
	m.Provider = "nvidia"
	call := delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}`)
	l.chunks(call)
	if _, got := l.ask(t, &ai.Request{Model: m}); replay.Show(got) != `call a f {}; toolUse` {
		t.Errorf("got %s", replay.Show(got))
	}
	l.events("data: " + call + "\n\n")
	if _, got := l.ask(t, &ai.Request{Model: m}); !got.Failed() || !ai.IsRetryable(got) {
		t.Errorf("without [DONE] it is %s", replay.Show(got))
	}
}

func TestFinishReasonIsNotRequiredWhereItNeverComes(t *testing.T) {
	l := newLab(t)
	for want, chunk := range map[string]string{
		`text "x"; stop`:       delta(`{"content":"x"}`),
		`call a f {}; toolUse`: delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}`),
	} {
		l.chunks(chunk)
		m := l.model()
		m.Compat = jsontext.Value(`{"supportsFinishReason":false}`)
		if _, got := l.ask(t, &ai.Request{Model: m}); replay.Show(got) != want {
			t.Errorf("got %s, want %s", replay.Show(got), want)
		}
	}
}

func TestResponseModelIsRecordedWhereItDiffers(t *testing.T) {
	m := newLab(t).answer(t, `{"id":"r-1","model":"cheaper","choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}`)
	if m.ResponseID != "r-1" || m.ResponseModel != "cheaper" || m.RawStopReason != "stop" {
		t.Errorf("got %+v", m)
	}
}

// FuzzStream feeds arbitrary bytes: no panic, and always exactly one terminal event.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"", "data: [DONE]\n\n", "data: null\n\n", "event: error\ndata: x\n\n", ": comment\r\n\r\n",
		"data: " + delta(`{"content":"x","reasoning":"y"}`) + "\n\ndata: " + finish("stop") + "\n\ndata: [DONE]\n\n",
		"data: " + delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}},{"id":"a"},{"index":0,"id":"b","function":{"name":"g"}}]}`) + "\n\n",
		"data: " + delta(`{"reasoning_details":[{"type":"reasoning.text","text":"a","index":0},{"id":"a","text":[]},1]}`) + "\n\ndata: " + finish("length"),
		`data: {"error":{"message":"x"}}` + "\n\n", `data: {"choices":[{"delta":{"content":[{"text":"x"}]},"usage":{"cost":1e999}}]}` + "\n\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		req := &ai.Request{
			Model:   &ai.Model{ID: "m", API: openai.APICompletions, BaseURL: "http://lab/v1"},
			Options: ai.Options{Client: (&replay.Canned{Stream: body}).Client()},
		}
		stream := openai.Completions(t.Context(), req)
		events := aitest.CheckStream(t, stream)
		if len(events) == 0 || stream.Result() == nil {
			t.Fatalf("no end in %d events", len(events))
		}
		last := events[len(events)-1]
		if last.Type() != ai.EventDone && last.Type() != ai.EventError {
			t.Fatalf("the last event is %s", last.Type())
		}
		if diff := cmp.Diff(true, jsontext.Value(last.AppendJSON(nil)).IsValid()); diff != "" {
			t.Fatal("the last event is no JSON")
		}
	})
}
