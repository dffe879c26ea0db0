package responses_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/replay"
	"github.com/rondo-agent/rondo/ai/responses"
)

const (
	call1    = `{"id":"fc_1","type":"function_call","call_id":"c1","name":"f","arguments":""}`
	call2    = `{"id":"fc_2","type":"function_call","call_id":"c2","name":"g","arguments":""}`
	call1End = `{"id":"fc_1","type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":1}"}`
	call2End = `{"id":"fc_2","type":"function_call","call_id":"c2","name":"g","arguments":"{\"b\":2}"}`
	message1 = `{"id":"msg_1","type":"message","content":[]}`
)

func TestAnswers(t *testing.T) {
	reasoning := `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"E"}`
	tests := []struct {
		name   string
		events []string
		want   string
	}{
		{"Report_PRV10_ContentNull", []string{
			added(0, `{"id":"msg_1","type":"message","content":null}`), done(0, `{"id":"msg_1","type":"message","content":null}`),
			added(1, call1), done(1, call1End), completed,
		}, `text "" {"v":1,"id":"msg_1"}; call c1|fc_1 f {"a":1}; toolUse`},
		{"Report_PRV19_ItemOneEndsBeforeItemZero", []string{
			added(0, `{"id":"rs_1","type":"reasoning","summary":[]}`), added(1, call1), done(1, call1End), done(0, reasoning), completed,
		}, `thinking "Hm." ` + reasoning + `; call c1|fc_1 f {"a":1}; toolUse`},
		{
			"Report_PRV19_NeitherWasAnnounced",
			[]string{done(1, call1End), done(0, reasoning), completed},
			`thinking "Hm." ` + reasoning + `; call c1|fc_1 f {"a":1}; toolUse`,
		},
		{
			"Report_PRV19_TheFirstNeverComes",
			[]string{done(2, call2End), done(1, call1End), completed},
			`call c1|fc_1 f {"a":1}; call c2|fc_2 g {"b":2}; toolUse`,
		},
		{"Report_TCS07_NoArguments", []string{added(0, call1), done(0, call1), completed}, `call c1|fc_1 f {}; toolUse`},
		{"Report_TCS01_ArgumentsCutShort", []string{
			added(0, call1), argsDelta(0, `{"path":"/tmp/a","content":"hel`), completed,
		}, `call c1|fc_1 f {"path":"/tmp/a","content":"hel"} (broken); toolUse`},
		{"Report_TCS02_DamagedArguments", []string{
			added(0, call1), done(0, strings.Replace(call1, `"arguments":""`, `"arguments":"{\"command\":\"ls\", \"timeout\": }"`, 1)), completed,
		}, `call c1|fc_1 f {"command":"ls"} (broken); toolUse`},
		{"Report_TCS03_BadEscapesAreKept", []string{
			added(0, call1), argsDelta(0, `{"oldText":"\usepackage{a}"}`), completed,
		}, `call c1|fc_1 f {"oldText":"\\usepackage{a}"}; toolUse`},
		{"TheItemsEndWinsOverItsPieces", []string{added(0, call1), argsDelta(0, `{"a":`), done(0, call1End), completed}, `call c1|fc_1 f {"a":1}; toolUse`},
		{"PiecesStayWhereTheEndHasLostThem", []string{
			added(0, call1), argsDelta(0, `{"a":1}`), done(0, call1),
			added(1, message1), textDelta(1, "Hi"), done(1, message1), completed,
		}, `call c1|fc_1 f {"a":1}; text "Hi" {"v":1,"id":"msg_1"}; toolUse`},
		{
			"ArgumentsAsAnObject",
			[]string{done(0, `{"type":"function_call","call_id":"c1","name":"f","arguments":{"a":1}}`), completed},
			`call c1 f {"a":1}; toolUse`,
		},
		{"ArgumentsInTheAnnouncement", []string{
			added(0, strings.Replace(call1, `"arguments":""`, `"arguments":"{\"a\":"`, 1)), argsDelta(0, "1}"), completed,
		}, `call c1|fc_1 f {"a":1}; toolUse`},
		{"SameCallIdTwice", []string{
			done(0, `{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}`),
			done(1, `{"type":"function_call","call_id":"c1","name":"g","arguments":"{}"}`), completed,
		}, `call c1 f {}; call call_* g {}; toolUse`},
		{"NoCallIdAtAll", []string{done(0, `{"type":"function_call","name":"f"}`), completed}, `call call_* f {}; toolUse`},
		{"TextWithoutAnnouncement", []string{textDelta(0, "Hi"), completed}, `text "Hi"; stop`},
		{"NothingButTheEnd", []string{
			`{"type":"response.completed","response":{"status":"completed","output":[` + reasoning + `,` + call1End + `]}}`,
		}, `thinking "Hm." ` + reasoning + `; call c1|fc_1 f {"a":1}; toolUse`},
		{"ItemsOfOtherTypesAreLeftOut", []string{
			added(0, `{"id":"ws_1","type":"web_search_call"}`), `{"type":"response.web_search_call.searching","output_index":0}`,
			textDelta(0, "not shown"), done(0, `{"id":"ws_1","type":"web_search_call"}`),
			added(1, message1), textDelta(1, "Hi"), completed,
		}, `text "Hi" {"v":1,"id":"msg_1"}; stop`},
		{"SummaryOfTwoParts", []string{
			added(0, `{"id":"rs_1","type":"reasoning"}`),
			`{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"a"}`, `{"type":"response.reasoning_summary_part.done","output_index":0}`,
			`{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"b"}`, `{"type":"response.reasoning_summary_part.done","output_index":0}`,
			done(0, `{"id":"rs_1","type":"reasoning"}`), completed,
		}, `thinking "a\n\nb" {"id":"rs_1","type":"reasoning"}; stop`},
		{"OpenReasoning", []string{
			added(0, `{"id":"rs_1","type":"reasoning"}`), `{"type":"response.reasoning_text.delta","output_index":0,"delta":"a"}`,
			done(0, `{"id":"rs_1","type":"reasoning","content":[{"type":"reasoning_text","text":"ab"}]}`), completed,
		}, `thinking "ab" {"id":"rs_1","type":"reasoning","content":[{"type":"reasoning_text","text":"ab"}]}; stop`},
		{"Report_LOOP11_LengthWinsOverCalls", []string{
			added(0, call1), done(0, call1End),
			`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`,
		}, `call c1|fc_1 f {"a":1}; length`},
		{
			"FailedWinsOverCalls",
			[]string{added(0, call1), done(0, call1End), `{"type":"response.failed","response":{"status":"failed"}}`},
			`call c1|fc_1 f {"a":1}; error`,
		},
		{"IncompleteWithoutAReason", []string{`{"type":"response.incomplete","response":{}}`}, `error`},
		{"Cancelled", []string{`{"type":"response.cancelled","response":{"status":"cancelled"}}`}, `error`},
		{"Report_LOOP09_Empty", []string{completed}, `stop`},
		{"AsCodexEndsIt", []string{textDelta(0, "Hi"), `{"type":"response.done","response":{}}`}, `text "Hi"; stop`},
		{"Report_PRV09_NullsAndStrangers", []string{
			`null`, ``, `ping`, `{}`, `{"type":null,"error":null}`, `{"type":"keepalive"}`, `{"type":"response.audio.delta","delta":"x"}`,
			textDelta(0, "Hi"), `[DONE]`, completed,
		}, `text "Hi"; stop`},
		{
			"TextThatIsNoUnicode",
			[]string{"{\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"a\xff\\ud83d\"}", completed},
			"text \"a\uFFFD\uFFFD\"; stop",
		},
		{
			"MembersInAnyOrder",
			[]string{`{"delta":"Hi","obfuscation":"\u0041","output_index":0,"logprobs":[],"type":"response.output_text.delta"}`, completed},
			`text "Hi"; stop`,
		},
		{"NoEvent", []string{`{"type":`}, `error`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, m := answer(t, replay.SSE(test.events...))
			replay.CheckShown(t, m, test.want)
		})
	}
}

// Pieces that may belong to two items are an error, and nothing runs; where only one item
// can be meant, nothing is missing.
func TestAttribution(t *testing.T) {
	anonymous := func(name string) string { return `{"type":"function_call","name":"` + name + `"}` }
	bare := func(item string) string { return `{"type":"response.output_item.added","item":` + item + `}` }
	end := func(item string) string { return `{"type":"response.output_item.done","item":` + item + `}` }
	piece := func(text, more string) string {
		return `{"type":"response.function_call_arguments.delta","delta":"` + text + `"` + more + `}`
	}
	tests := []struct {
		name   string
		events []string
		want   string
	}{
		{"two open calls", []string{bare(call1), bare(call2), piece("{}", ""), completed}, `call c1|fc_1 f {}; call c2|fc_2 g {}; error`},
		{
			"one after the other",
			[]string{bare(call1), piece("{}", ""), end(call1End), bare(call2), piece("{", ""), piece("}", ""), completed},
			`call c1|fc_1 f {"a":1}; call c2|fc_2 g {}; toolUse`,
		},
		{
			"by item id",
			[]string{bare(call1), bare(call2), piece("{", `,"item_id":"fc_2"`), piece("{", `,"item_id":"fc_1"`), piece("}", `,"item_id":"fc_2"`), piece("}", `,"item_id":"fc_1"`), completed},
			`call c1|fc_1 f {}; call c2|fc_2 g {}; toolUse`,
		},
		{"by call id, as llama.cpp", []string{
			bare(`{"type":"function_call","call_id":"fc_a","name":"f"}`), bare(`{"type":"function_call","call_id":"fc_b","name":"g"}`),
			piece(`{\"b\":2}`, `,"item_id":"fc_b"`), piece(`{\"a\":1}`, `,"item_id":"fc_a"`),
			end(`{"type":"function_call","call_id":"fc_a","name":"f","arguments":"{\"a\":1}"}`), end(`{"type":"function_call","call_id":"fc_b","name":"g","arguments":"{\"b\":2}"}`), completed,
		}, `call fc_a f {"a":1}; call fc_b g {"b":2}; toolUse`},
		{"one index for both", []string{added(0, call1), added(0, call2), argsDelta(0, "{}"), completed}, `call c1|fc_1 f {}; call c2|fc_2 g {}; error`},
		{
			"one index for both, whole at the end",
			[]string{added(0, call1), added(0, call2), done(0, call2End), done(0, call1End), completed},
			`call c1|fc_1 f {"a":1}; call c2|fc_2 g {"b":2}; toolUse`,
		},
		{
			"an index again",
			[]string{added(0, call1), done(0, call1End), added(0, call2), argsDelta(0, "{}"), completed},
			`call c1|fc_1 f {"a":1}; call c2|fc_2 g {}; toolUse`,
		},
		{"one id for both", []string{
			added(0, strings.Replace(call1, "fc_1", "same", 1)), added(1, strings.Replace(call2, "fc_2", "same", 1)),
			piece("{}", `,"item_id":"same"`), completed,
		}, `call c1|same f {}; call c2|same g {}; error`},
		{"one id for both, but an index", []string{
			added(0, strings.Replace(call1, "fc_1", "same", 1)), added(1, strings.Replace(call2, "fc_2", "same", 1)),
			piece(`{\"a\":1}`, `,"item_id":"same","output_index":0`), completed,
		}, `call c1|same f {"a":1}; call c2|same g {}; toolUse`},
		{"new item ids in each event, as Copilot", []string{
			added(0, call1), piece(`{\"a\":1}`, `,"item_id":"x1","output_index":0`), done(0, strings.Replace(call1End, "fc_1", "x2", 1)), completed,
		}, `call c1|fc_1 f {"a":1}; toolUse`},
		{"of no item that is known", []string{added(0, call1), argsDelta(7, "{}"), completed}, `call c1|fc_1 f {}; error`},
		{"of no item that is known, but whole at the end", []string{argsDelta(0, `{"a":1}`), done(0, call1End), completed}, `call c1|fc_1 f {"a":1}; toolUse`},
		{"ends without ids", []string{bare(anonymous("f")), bare(anonymous("f")), end(anonymous("f")), completed}, `error`},
		{"ends without ids, by name", []string{
			bare(anonymous("f")), bare(anonymous("g")), end(`{"type":"function_call","name":"g","arguments":"{\"b\":2}"}`), end(`{"type":"function_call","name":"f","arguments":"{\"a\":1}"}`), completed,
		}, ` f {"a":1}; call call_* g {"b":2}; toolUse`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, m := answer(t, replay.SSE(test.events...))
			got := replay.Show(m)
			for part := range strings.SplitSeq(test.want, "*") {
				if !strings.Contains(got, part) {
					t.Errorf("got  %s\nwant %s", got, test.want)
				}
			}
		})
	}
}

func TestUsage(t *testing.T) {
	tests := map[string]struct {
		usage string
		want  [5]int // input, output, cacheRead, cacheWrite, reasoning
	}{
		"plain":                   {`{"input_tokens":1000,"output_tokens":10}`, [5]int{1000, 10, 0, 0, 0}},
		"USE01 cached":            {`{"input_tokens":1000,"input_tokens_details":{"cached_tokens":900},"output_tokens":10}`, [5]int{100, 10, 900, 0, 0}},
		"USE02 thinking":          {`{"input_tokens":1,"output_tokens":500,"output_tokens_details":{"reasoning_tokens":400}}`, [5]int{1, 500, 0, 0, 400}},
		"cache writes":            {`{"input_tokens":1000,"input_tokens_details":{"cached_tokens":600,"cache_write_tokens":300},"output_tokens":1}`, [5]int{100, 1, 600, 300, 0}},
		"more cached than sent":   {`{"input_tokens":5,"input_tokens_details":{"cached_tokens":9},"output_tokens":1}`, [5]int{0, 1, 9, 0, 0}},
		"odd numbers and details": {`{"input_tokens":10.0,"output_tokens":null,"input_tokens_details":null,"output_tokens_details":{"reasoning_tokens":"x"}}`, [5]int{10, 0, 0, 0, 0}},
	}
	for name, test := range tests {
		_, m := answer(t, replay.SSE(`{"type":"response.completed","response":{"usage":`+test.usage+`}}`))
		u := m.Usage
		if u.Reasoning == nil {
			t.Errorf("%s: no count of reasoning in %s", name, replay.Show(m))
			continue
		}
		got := [5]int{u.Input, u.Output, u.CacheRead, u.CacheWrite, *u.Reasoning}
		if got != test.want || u.TotalTokens != got[0]+got[1]+got[2]+got[3] {
			t.Errorf("%s: got %v, total %d; want %v", name, got, u.TotalTokens, test.want)
		}
	}
}

func TestServiceTiers(t *testing.T) {
	tests := []struct {
		name, model, asked, used string
		total                    float64
	}{
		{"none", "m", "", "", 2},
		{"flex", "m", "flex", "flex", 1},
		{"priority", "m", "priority", "", 4},
		{"priority of the newest", "gpt-5.5", "priority", "priority", 5},
		{"priority of a dated version", "gpt-5.5-2026-03-05", "priority", "", 5},
		{"priority of a smaller one", "gpt-5.5-mini", "priority", "", 4},
		{"not granted", "m", "priority", "default", 2},
		{"left to the service", "m", "flex", "auto", 1},
		{"chosen by the project", "m", "", "priority", 4},
	}
	for _, test := range tests {
		c := &replay.Canned{Stream: replay.SSE(`{"type":"response.completed","response":{"service_tier":"` + test.used + `","usage":{"input_tokens":2000000}}}`)}
		m := model()
		m.ID = test.model
		req := &ai.Request{Model: m, Options: ai.Options{Client: c.Client()}}
		if test.asked != "" {
			req.Options.SamplingParams = map[string]jsontext.Value{"service_tier": jsontext.Value(`"` + test.asked + `"`)}
		}
		got, err := ai.Complete(t.Context(), responses.Stream, req)
		if err != nil || got.Usage.Cost.Total != test.total || got.Usage.Cost.Input != test.total {
			t.Errorf("%s: got %+v, want %v; %v", test.name, got.Usage.Cost, test.total, err)
		}
		if tier, _ := c.Body["service_tier"].(string); tier != test.asked {
			t.Errorf("%s: asked for %q", test.name, tier)
		}
	}
}

func TestErrorInTheStream(t *testing.T) {
	tests := map[string]struct {
		event string
		class ai.Class
		text  string
	}{
		"server error":     {`{"type":"error","code":"server_error","message":"Try later"}`, ai.ClassTransient, "500 server_error: Try later"},
		"rate limit":       {`{"type":"error","error":{"type":"rate_limit_exceeded","code":null,"message":"Slow down"}}`, ai.ClassTransient, "429 rate_limit_exceeded: Slow down"},
		"overloaded":       {`{"error":{"type":"overloaded_error","message":"Overloaded"}}`, ai.ClassTransient, "overloaded_error: Overloaded"},
		"quota":            {`{"type":"response.failed","response":{"status":"failed","error":{"code":"insufficient_quota","message":"Pay first"}}}`, ai.ClassLimit, "insufficient_quota: Pay first"},
		"too long":         {`{"type":"response.failed","response":{"error":{"code":"context_length_exceeded","message":"Too long"}}}`, ai.ClassOverflow, "context_length_exceeded: Too long"},
		"bad request":      {`{"type":"response.failed","response":{"error":{"code":"invalid_prompt","message":"No"}}}`, ai.ClassPermanent, "400 invalid_prompt: No"},
		"code in the text": {`{"type":"error","code":"bad","message":"it is bad"}`, ai.ClassPermanent, "it is bad"},
		"status inside":    {`{"type":"error","status":503,"error":{"message":"gone","code":503}}`, ai.ClassTransient, "503 gone"},
	}
	for name, test := range tests {
		_, m := answer(t, replay.SSE(textDelta(0, "One"), test.event))
		class := ai.Classify(m.Err, m.ErrorMessage)
		if m.Content.Text() != "One" || m.StopReason != ai.StopError || m.ErrorMessage != test.text || class != test.class {
			t.Errorf("%s: got %s, %q, %v", name, replay.Show(m), m.ErrorMessage, class)
		}
	}
	if _, m := answer(t, "event: error\ndata: upstream gone\n\n"); !strings.Contains(m.ErrorMessage, "upstream gone") {
		t.Errorf("an error that is no JSON: %q", m.ErrorMessage)
	}
}

func TestWire(t *testing.T) {
	w := replay.Wire{
		Ask: responses.Stream, Model: *model(), Base: "/v1",
		Text: func(text string) string {
			return replay.SSE(added(0, `{"type":"message","content":[]}`), textDelta(0, text))
		},
		End: "event: response.completed\n" + replay.SSE(completed),
	}
	w.Check(t)
}

func TestACallOfACutAnswerIsNotRun(t *testing.T) {
	_, m := answer(t, replay.SSE(added(0, message1), textDelta(0, "x"), done(0, message1), added(1, call1), argsDelta(1, "{}")))
	if m.StopReason != ai.StopError || !ai.IsRetryable(m) || !errors.Is(m.Err, io.ErrUnexpectedEOF) {
		t.Errorf("got %s, %q", replay.Show(m), m.ErrorMessage)
	}
}

func TestResponseIsRecorded(t *testing.T) {
	_, m := answer(t, replay.SSE(`{"type":"response.created","response":{"id":"resp_1","model":"m-2026"}}`, completed))
	if m.ResponseID != "r" || m.ResponseModel != "m-2026" || m.RawStopReason != "completed" {
		t.Errorf("got %+v", m)
	}
}

// FuzzStream feeds arbitrary bytes: no panic, and always exactly one terminal event.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"", "data: [DONE]\n\n", "data: null\n\n", "event: error\ndata: x\n\n", replay.SSE(completed),
		replay.SSE(added(0, message1), textDelta(0, "x"), done(0, message1), completed),
		replay.SSE(added(0, call1), added(1, call2), argsDelta(1, "{"), argsDelta(0, "{}"), done(1, call2End), completed),
		replay.SSE(added(0, call1), added(0, call2), argsDelta(0, "{}"), completed), replay.SSE(done(3, call1End), done(1, call2End), completed),
		replay.SSE(added(0, `{"type":"reasoning"}`), `{"type":"response.reasoning_summary_part.done"}`, done(0, `{"type":"reasoning","summary":[{}]}`)),
		replay.SSE(`{"type":"response.function_call_arguments.done","arguments":"{}"}`, `{"type":"response.failed","response":{"error":{"code":1}}}`),
		replay.SSE(`{"type":"response.completed","response":{"output":[` + call1End + `,{"type":"message","content":"x"}]}}`),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		events, m := answer(t, body)
		last := events[len(events)-1]
		if _, failed := last.(*ai.Error); failed != m.Failed() {
			t.Fatalf("%s with the stop reason %s", last.Type(), m.StopReason)
		}
		if !jsontext.Value(last.AppendJSON(nil)).IsValid() {
			t.Fatal("the last event is no JSON")
		}
	})
}
