package anthropic_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/anthropic"
	"github.com/rondo-agent/rondo/ai/internal/replay"
)

const (
	textBlock = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	textDelta = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}`
	blockStop = `{"type":"content_block_stop","index":0}`
	endTurn   = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}`
	toolUse   = `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":5}}`
	callBlock = `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"echo","input":{}}}`
)

func argsDelta(text string) string {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)
	return `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"` + quoted + `"}}`
}

// ask returns the events and the final message of an answer.
func ask(t testing.TB, body string) ([]ai.StreamEvent, *ai.AssistantMessage) {
	t.Helper()
	return askFor(t, t.Context(), cannedRequest(body))
}

func askFor(t testing.TB, ctx context.Context, req *ai.Request) ([]ai.StreamEvent, *ai.AssistantMessage) {
	t.Helper()
	events := replay.Collect(t, anthropic.Messages(ctx, req))
	if len(events) == 0 {
		t.Fatal("no events")
	}
	switch last := events[len(events)-1].(type) {
	case *ai.Done:
		return events, last.Message
	case *ai.Error:
		return events, last.Message
	}
	t.Fatal("no terminal event")
	return nil, nil
}

// answer is one whole answer with these events in its middle.
func answer(events ...string) string { return startEvent + sse(events...) + stopEvent }

func TestTextInBlockStart(t *testing.T) {
	_, final := ask(t, answer(
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hel"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}}`,
		blockStop,
		`{"type":"content_block_start","index":1,"content_block":{"type":"thinking","thinking":"Hm","signature":"s1"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"signature_delta","signature":"s2"}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t","name":"echo","input":{"a":1}}}`,
		`{"type":"content_block_stop","index":2}`,
		toolUse,
	))
	want := ai.Content{
		&ai.Text{Text: "Hello"},
		&ai.Thinking{Thinking: "Hm", Signature: "s1s2"},
		&ai.ToolCall{ID: "t", Name: "echo", Arguments: []byte(`{"a":1}`)},
	}
	if diff := cmp.Diff(want, final.Content); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
}

func TestLaw_D7_TextInBlockStart(t *testing.T) {
	events, _ := ask(t, answer(
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hel"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"!"}}`,
		blockStop, endTurn,
	))
	var got []string
	for _, ev := range events {
		if partial, ok := ai.PartialOf(ev); ok {
			got = append(got, ev.Type()+" "+partial.Message().Content.Text())
		}
	}
	want := []string{"start ", "text_start ", "text_delta Hello", "text_delta Hello!", "text_end Hello!"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages so far, read at the end (-want +got):\n%s", diff)
	}
}

// An answer whose end says nothing of why it ended may have been cut: its calls are not run.
func TestAnAnswerWithoutAStopReasonHasFailed(t *testing.T) {
	nothing := `{"type":"message_delta","delta":{"stop_reason":null,"stop_sequence":null},"usage":{"output_tokens":4}}`
	for name, body := range map[string]string{
		"nothing at all":      answer(),
		"text":                answer(textBlock, textDelta, blockStop),
		"null":                answer(textBlock, textDelta, blockStop, nothing),
		"call":                answer(callBlock, argsDelta("{}"), blockStop),
		"call, null":          answer(callBlock, argsDelta("{}"), blockStop, nothing),
		"empty":               answer(textBlock, textDelta, blockStop, strings.Replace(nothing, "null", `""`, 1)),
		"call that goes on":   answer(callBlock, argsDelta(`{"a":`)),
		"message_delta alone": answer(nothing),
	} {
		_, final := ask(t, body)
		if final.StopReason != ai.StopError || !errors.Is(final.Err, ai.ErrUnterminated) || !ai.IsRetryable(final) {
			t.Errorf("%s: got %q %q", name, final.StopReason, final.ErrorMessage)
		}
	}
}

// What has come of a signature when the answer fails goes with what has come of its thinking.
func TestAFailedAnswerKeepsTheSignatureOfItsThinking(t *testing.T) {
	thinking := sse(
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s1"}}`)
	for name, body := range map[string]string{
		"cut":   startEvent + thinking,
		"error": startEvent + thinking + "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"no\"}}\n\n",
		"bytes": startEvent + thinking + "event: content_block_delta\ndata: {\n\n",
	} {
		_, final := ask(t, body)
		if diff := cmp.Diff(ai.Content{&ai.Thinking{Thinking: "Hm", Signature: "s1"}}, final.Content); diff != "" || !final.Failed() {
			t.Errorf("%s: %s, content (-want +got):\n%s", name, final.StopReason, diff)
		}
	}
}

// A call that the server gives no id gets one, so that its result can be told apart.
func TestACallWithoutAnIDGetsOne(t *testing.T) {
	events, final := ask(t, answer(strings.Replace(callBlock, `"t1"`, `""`, 1), argsDelta("{}"), blockStop, toolUse))
	id := final.Content.ToolCalls()[0].ID
	for _, ev := range events {
		if start, ok := ev.(*ai.ToolCallStart); ok && (id == "" || start.ID != id) {
			t.Errorf("it starts as %q and is %q", start.ID, id)
		}
	}
}

func TestUnknownEvents(t *testing.T) {
	bodies := map[string]string{
		"done event":      answer(textBlock, textDelta, endTurn) + "event: done\ndata: [DONE]\n\n",
		"done without":    startEvent + sse(textBlock, textDelta) + "data: [DONE]\n\n" + sse(blockStop, endTurn) + stopEvent,
		"done in between": startEvent + sse(textBlock, textDelta) + "event: done\ndata: [DONE]\n\n" + sse(endTurn) + stopEvent,
		"null":            startEvent + "data: null\n\n" + sse(textBlock, textDelta, endTurn) + stopEvent,
		"no event names": strings.ReplaceAll(strings.ReplaceAll(answer(textBlock, textDelta, endTurn), "event: ", ": "),
			"\ndata", "\ndata"),
		"unknown block": answer(textBlock, textDelta,
			`{"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"s","name":"search","input":{}}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{}"}}`,
			`{"type":"content_block_stop","index":1}`, endTurn),
		"no block stop": answer(textBlock, textDelta, endTurn),
		"no index": answer(strings.Replace(textBlock, `"index":0,`, "", 1), strings.Replace(textDelta, `"index":0,`, "", 1),
			`{"type":"content_block_stop"}`, endTurn),
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			_, final := ask(t, body)
			if final.StopReason != ai.StopEnd || final.Content.Text() != "Hi" {
				t.Errorf("got %q %q %s", final.StopReason, final.Content.Text(), final.ErrorMessage)
			}
		})
	}
}

func TestErrorInsideStream(t *testing.T) {
	tests := []struct {
		data   string
		status int
		class  ai.Class
		text   string
	}{
		{`{"type":"error","error":{"type":"overloaded_error","message":"busy elsewhere"}}`, 529, ai.ClassTransient, "busy elsewhere"},
		{`{"type":"error","error":{"type":"overloaded_error"}}`, 529, ai.ClassTransient, "529"},
		{`{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`, 429, ai.ClassTransient, "slow down"},
		{`{"type":"error","error":{"type":"api_error","message":"oops"}}`, 500, ai.ClassTransient, "oops"},
		{`{"type":"error","error":{"type":"invalid_request_error","message":"bad image"}}`, 400, ai.ClassPermanent, "bad image"},
		{`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}`, 400, ai.ClassOverflow, "too long"},
		{`{"type":"error","error":{"type":"billing_error","message":"pay"}}`, 402, ai.ClassLimit, "pay"},
		{`{"type":"error","error":{"type":"brand_new_error","message":"what"}}`, 0, ai.ClassPermanent, "what"},
	}
	for _, test := range tests {
		_, final := ask(t, startEvent+sse(textBlock, textDelta)+"event: error\ndata: "+test.data+"\n\n")
		status, ok := errors.AsType[*ai.StatusError](final.Err)
		if !ok || status.Status != test.status || !strings.Contains(final.ErrorMessage, test.text) {
			t.Errorf("%s: error = %v", test.data, final.Err)
		}
		if got := ai.Classify(final.Err, final.ErrorMessage); got != test.class {
			t.Errorf("%s: class = %v, want %v", test.data, got, test.class)
		}
		if final.StopReason != ai.StopError || final.Content.Text() != "Hi" || final.Usage.Input != 10 {
			t.Errorf("%s: %q %q %d tokens", test.data, final.StopReason, final.Content.Text(), final.Usage.Input)
		}
	}
}

func TestToolUseWithoutCall(t *testing.T) {
	_, final := ask(t, answer(toolUse))
	if !ai.IsRetryable(final) || final.RawStopReason != "tool_use" {
		t.Errorf("got %q (%s), raw %q", final.StopReason, final.ErrorMessage, final.RawStopReason)
	}
}

func TestEndsBeforeMessageStop(t *testing.T) {
	whole := sse(callBlock, argsDelta(`{"a":1}`), blockStop, toolUse)
	for name, body := range map[string]string{
		"complete call": startEvent + whole,
		"nothing":       "",
		"cut event":     startEvent + sse(textBlock) + "event: content_block_delta\ndata: {\"type\":\"content_bl",
		"mid call":      startEvent + sse(callBlock, argsDelta(`{"a"`)),
	} {
		t.Run(name, func(t *testing.T) {
			_, final := ask(t, body)
			if !ai.IsRetryable(final) {
				t.Errorf("got %q: %s", final.StopReason, final.ErrorMessage)
			}
		})
	}
}

func TestArgumentsOfCalls(t *testing.T) {
	tests := []struct {
		name, args, want string
		broken           bool
	}{
		{"TCS01 cut short", `{"path":"/tmp/a","content":"hel`, `{"path":"/tmp/a","content":"hel"}`, true},
		{"TCS02 hole", `{"command":"ls", "timeout": }`, `{"command":"ls"}`, true},
		{"TCS03 bad escape", `{"oldText":"\usepackage{a}","newText":"b"}`, `{"oldText":"\\usepackage{a}","newText":"b"}`, false},
		{"TCS07 none", ``, `{}`, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, final := ask(t, answer(callBlock, argsDelta(test.args), blockStop, toolUse))
			call := final.Content.ToolCalls()[0]
			if string(call.Arguments) != test.want || (call.ArgumentsError != "") != test.broken {
				t.Errorf("arguments = %s, error = %q", call.Arguments, call.ArgumentsError)
			}
			if test.broken && call.RawArguments != test.args {
				t.Errorf("raw arguments = %s", call.RawArguments)
			}
		})
	}
}

func TestDisjointCounts(t *testing.T) {
	start := `{"type":"message_start","message":{"id":"msg1","model":"m-2026","usage":{"input_tokens":100,"output_tokens":1,"cache_read_input_tokens":900,"cache_creation_input_tokens":50,"cache_creation":{"ephemeral_5m_input_tokens":30,"ephemeral_1h_input_tokens":20}}}}`
	tests := []struct {
		name, end string
		want      ai.Usage
	}{
		{
			"output only", `"usage":{"output_tokens":10}`,
			ai.Usage{Input: 100, Output: 10, CacheRead: 900, CacheWrite: 50, CacheWrite1h: new(20), TotalTokens: 1060},
		},
		{
			"all", `"usage":{"input_tokens":90,"output_tokens":10,"cache_read_input_tokens":910,"cache_creation_input_tokens":0,"output_tokens_details":{"thinking_tokens":4}}`,
			ai.Usage{Input: 90, Output: 10, CacheRead: 910, CacheWrite1h: new(20), Reasoning: new(4), TotalTokens: 1010},
		},
		{
			"null and absent", `"usage":{"input_tokens":null,"output_tokens":10,"cache_read_input_tokens":null}`,
			ai.Usage{Input: 100, Output: 10, CacheRead: 900, CacheWrite: 50, CacheWrite1h: new(20), TotalTokens: 1060},
		},
		{
			"no usage", `"x":1`,
			ai.Usage{Input: 100, Output: 1, CacheRead: 900, CacheWrite: 50, CacheWrite1h: new(20), TotalTokens: 1051},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, final := ask(t, sse(start, textBlock, textDelta, blockStop,
				`{"type":"message_delta","delta":{"stop_reason":"end_turn"},`+test.end+`}`)+stopEvent)
			got := final.Usage
			got.Cost = ai.Cost{}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
			if final.ResponseModel != "m-2026" || final.ResponseID != "msg1" {
				t.Errorf("response %q by %q", final.ResponseID, final.ResponseModel)
			}
		})
	}
}

func TestStopReasons(t *testing.T) {
	tests := map[string]ai.StopReason{
		"end_turn": ai.StopEnd, "pause_turn": ai.StopEnd, "stop_sequence": ai.StopEnd, "max_tokens": ai.StopLength,
		"model_context_window_exceeded": ai.StopLength, "refusal": ai.StopError, "sensitive": ai.StopError,
	}
	for raw, want := range tests {
		_, final := ask(t, answer(textBlock, textDelta, blockStop, `{"type":"message_delta","delta":{"stop_reason":"`+raw+`"}}`))
		if final.StopReason != want || final.RawStopReason != raw {
			t.Errorf("%s: got %q, raw %q", raw, final.StopReason, final.RawStopReason)
		}
		refusal, refused := errors.AsType[*anthropic.RefusalError](final.Err)
		if refused != (want == ai.StopError) || refused && (refusal.Reason != raw || ai.IsRetryable(final)) {
			t.Errorf("%s: error = %v", raw, final.Err)
		}
	}
}

func TestInterleavedBlocks(t *testing.T) {
	_, final := ask(t, answer(
		textBlock,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"echo","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}`,
		textDelta,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"1}"}}`,
		blockStop, toolUse,
	))
	want := ai.Content{&ai.Text{Text: "Hi"}, &ai.ToolCall{ID: "t1", Name: "echo", Arguments: []byte(`{"a":1}`)}}
	if diff := cmp.Diff(want, final.Content); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
}

func TestDeltaOfNoBlock(t *testing.T) {
	_, final := ask(t, answer(callBlock, strings.Replace(argsDelta(`{"a":1}`), `"index":0`, `"index":7`, 1), blockStop, toolUse))
	if final.StopReason != ai.StopError {
		t.Errorf("got %q", final.StopReason)
	}
}

func TestWire(t *testing.T) {
	w := replay.Wire{
		Ask: anthropic.Messages, Model: *cannedRequest("").Model,
		Text: func(text string) string {
			return startEvent + sse(textBlock, strings.Replace(textDelta, "Hi", text, 1))
		},
		End: sse(blockStop, endTurn) + stopEvent,
	}
	w.Check(t)
}

// FuzzStream feeds arbitrary bytes: no panic, and always exactly one terminal event.
func FuzzStream(f *testing.F) {
	f.Add(answer(textBlock, textDelta, blockStop, endTurn))
	f.Add(answer(callBlock, argsDelta(`{"a":1}`), blockStop, toolUse))
	f.Add(startEvent + sse(`{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"x"}}`) + stopEvent)
	f.Add("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n")
	f.Add("data: [DONE]\n\n")
	f.Fuzz(func(t *testing.T, body string) {
		events, final := ask(t, body)
		for i, ev := range events {
			_, partial := ai.PartialOf(ev)
			if last := i == len(events)-1; partial == last {
				t.Fatalf("event %d of %d is %s", i, len(events), ev.Type())
			}
		}
		if final.StopReason == ai.StopPending {
			t.Fatal("the final message is pending")
		}
	})
}
