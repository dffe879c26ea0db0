package bedrock_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream/eventstreamapi"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/bedrock"
	"github.com/rondo-agent/rondo/ai/internal/replay"
)

func TestAnswers(t *testing.T) {
	piece := func(json string) []byte { return frame(t, "contentBlockDelta", json) }
	tests := []struct {
		name   string
		frames [][]byte
		want   string
	}{
		{"TextAndEnd", [][]byte{textPiece(t, 0, "Hel"), textPiece(t, 0, "lo"), blockStop(t, 0), end(t, "end_turn")}, `text "Hello"; stop`},
		{"TwoCallsInterleaved", [][]byte{
			callStart(t, 0, "a"), callStart(t, 1, "b"), callPiece(t, 1, `{"y":`), callPiece(t, 0, `{"x":1}`), callPiece(t, 1, `2}`), blockStop(t, 0), blockStop(t, 1), end(t, "tool_use"),
		}, `call a f {"x":1}; call b f {"y":2}; toolUse`},
		{"Report_PRV01_CallsWithoutAnIndex", [][]byte{
			frame(t, "contentBlockStart", `{"start":{"toolUse":{"toolUseId":"a","name":"f"}}}`), piece(`{"delta":{"toolUse":{"input":"{\"x\":1}"}}}`),
			frame(t, "contentBlockStart", `{"start":{"toolUse":{"toolUseId":"b","name":"g"}}}`), piece(`{"delta":{"toolUse":{"input":"{\"y\":2}"}}}`), end(t, "tool_use"),
		}, `call a f {"x":1}; call b g {"y":2}; toolUse`},
		{"Report_PRV02_TwoCallsOfOneIndex", [][]byte{callStart(t, 0, "a"), callPiece(t, 0, `{"x":1}`), callStart(t, 0, "b"), callPiece(t, 0, `{"y":2}`), end(t, "tool_use")}, `call a f {"x":1}; call b f {"y":2}; toolUse`},
		{"Report_PRV18_ArgumentsOfNoCallRunNothing", [][]byte{callPiece(t, 0, `{"x":1}`), end(t, "tool_use")}, `error`},
		{"Report_TCS07_NoArguments", [][]byte{callStart(t, 0, "a"), blockStop(t, 0), end(t, "tool_use")}, `call a f {}; toolUse`},
		{"Report_TCS01_ArgumentsCutShort", [][]byte{callStart(t, 0, "a"), callPiece(t, 0, `{"p":"hel`), end(t, "tool_use")}, `call a f {"p":"hel"} (broken); toolUse`},
		{"Report_LOOP11_LimitWinsOverCalls", [][]byte{callStart(t, 0, "a"), callPiece(t, 0, `{}`), end(t, "max_tokens")}, `call a f {}; length`},
		{"Report_LOOP11_RefusalWinsOverCalls", [][]byte{callStart(t, 0, "a"), callPiece(t, 0, `{}`), end(t, "guardrail_intervened")}, `call a f {}; error`},
		{"CallsWinOverTheEndOfATurn", [][]byte{callStart(t, 0, "a"), end(t, "end_turn")}, `call a f {}; toolUse`},
		{"SameCallIdTwice", [][]byte{callStart(t, 0, "a"), blockStop(t, 0), callStart(t, 1, "a"), end(t, "tool_use")}, `call a f {}; call tooluse_* f {}; toolUse`},
		{"Report_LOOP09_Empty", [][]byte{frame(t, "messageStart", `{"role":"assistant"}`), end(t, "end_turn")}, `stop`},
		{"EmptyTextOpensNothing", [][]byte{textPiece(t, 0, ""), blockStop(t, 0), end(t, "end_turn")}, `stop`},
		{"Report_PRV09_NullsAndStrangers", [][]byte{
			frame(t, "ping", `{}`), frame(t, "contentBlockDelta", `{}`), piece(`{"contentBlockIndex":0,"delta":null}`), piece(`{"contentBlockIndex":0,"delta":{"citation":{"title":"x"}}}`),
			frame(t, "contentBlockStart", `{"contentBlockIndex":7,"start":{"image":{}}}`), blockStop(t, 7), frame(t, "metadata", `{"usage":null}`), textPiece(t, 0, "Hi"), end(t, "end_turn"),
		}, `text "Hi"; stop`},
		{"BlocksChangeWithoutAStop", [][]byte{piece(`{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"Hm"}}}`), textPiece(t, 0, "Hi"), end(t, "end_turn")}, `thinking "Hm"; text "Hi"; stop`},
		{"SignatureWithoutText", [][]byte{piece(`{"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"S"}}}`), blockStop(t, 0), textPiece(t, 1, "Hi"), end(t, "end_turn")}, `thinking "" S; text "Hi"; stop`},
		{"WithheldThinkingInPieces", [][]byte{
			piece(`{"contentBlockIndex":0,"delta":{"reasoningContent":{"redactedContent":"UkVE"}}}`), piece(`{"contentBlockIndex":0,"delta":{"reasoningContent":{"redactedContent":"QQ=="}}}`), end(t, "end_turn"),
		}, `thinking "[thinking withheld by the provider]" UkVEQQ==; stop`},
		{"TextThatIsNoUnicode", [][]byte{piece("{\"contentBlockIndex\":0,\"delta\":{\"text\":\"a\xff\\ud83d\"}}"), end(t, "end_turn")}, "text \"a\uFFFD\uFFFD\"; stop"},
		{"UsageBeforeTheEnd", [][]byte{textPiece(t, 0, "a"), frame(t, "metadata", `{"usage":{"inputTokens":1}}`), frame(t, "messageStop", `{"stopReason":"end_turn"}`)}, `text "a"; stop`},
		{"NoJSON", [][]byte{piece(`{"contentBlockIndex":`)}, `error`},
		{"NewStopReason", [][]byte{textPiece(t, 0, "a"), end(t, "of_tomorrow")}, `text "a"; error`},
		{"OtherHeadersArePassedOver", [][]byte{oddHeaders(t), end(t, "end_turn")}, `text "odd"; stop`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			replay.CheckShown(t, answer(t, test.frames...), test.want)
		})
	}
}

// oddHeaders is a message with headers of all types.
func oddHeaders(t testing.TB) []byte {
	var m eventstream.Message
	for name, value := range map[string]eventstream.Value{
		"a": eventstream.BoolValue(true), "b": eventstream.BoolValue(false), "c": eventstream.Int8Value(1), "d": eventstream.Int16Value(2),
		"e": eventstream.Int32Value(3), "f": eventstream.Int64Value(4), "g": eventstream.BytesValue("x"), "h": eventstream.TimestampValue(time.Unix(1, 0)), "i": eventstream.UUIDValue{},
	} {
		m.Headers.Set(name, value)
	}
	m.Headers.Set(eventstreamapi.EventTypeHeader, eventstream.StringValue("contentBlockDelta"))
	m.Headers.Set(eventstreamapi.MessageTypeHeader, eventstream.StringValue("event"))
	m.Headers.Set("z", eventstream.StringValue(strings.Repeat("z", 3000)))
	m.Payload = []byte(`{"contentBlockIndex":0,"delta":{"text":"odd"}}`)
	return encode(t, m)
}

func TestExceptionInTheStream(t *testing.T) {
	for kind, want := range map[string]ai.Class{
		"throttlingException": ai.ClassTransient, "internalServerException": ai.ClassTransient, "serviceUnavailableException": ai.ClassTransient,
		"modelStreamErrorException": ai.ClassTransient, "validationException": ai.ClassPermanent, "accessDeniedException": ai.ClassPermanent,
	} {
		m := answer(t, textPiece(t, 0, "One"), exception(t, kind, `{"message":"So it is."}`))
		if replay.Show(m) != `text "One"; error` || !strings.Contains(m.ErrorMessage, "So it is.") || !strings.Contains(m.ErrorMessage, kind[1:]) || ai.Classify(m.Err, m.ErrorMessage) != want {
			t.Errorf("%s: got %s, %q, %v; want %v", kind, replay.Show(m), m.ErrorMessage, ai.Classify(m.Err, m.ErrorMessage), want)
		}
	}
	if m := answer(t, exception(t, "validationException", `{"message":"Input is too long for requested model."}`)); !ai.IsOverflow(m, 0) {
		t.Errorf("an overflow is %v", ai.Classify(m.Err, m.ErrorMessage))
	}
	var m eventstream.Message
	m.Headers.Set(eventstreamapi.MessageTypeHeader, eventstream.StringValue(eventstreamapi.ErrorMessageType))
	m.Headers.Set(eventstreamapi.ErrorCodeHeader, eventstream.StringValue("InternalServerException"))
	m.Headers.Set(eventstreamapi.ErrorMessageHeader, eventstream.StringValue("it \"broke\""))
	if got := answer(t, encode(t, m)); !strings.Contains(got.ErrorMessage, `it "broke"`) || !ai.IsRetryable(got) {
		t.Errorf("an error message: %q", got.ErrorMessage)
	}
}

func TestHTTPFailures(t *testing.T) {
	tests := []struct {
		status     int
		kind, body string
		want       ai.Class
	}{
		{400, "ValidationException:http://internal.amazon.com/x", `{"message":"No such field"}`, ai.ClassPermanent},
		{400, "ValidationException", `{"message":"Input is too long for requested model."}`, ai.ClassOverflow},
		{403, "AccessDeniedException", `{"Message":"no access"}`, ai.ClassPermanent},
		{404, "ResourceNotFoundException", `{"message":"no model"}`, ai.ClassPermanent},
		{408, "ModelTimeoutException", `{"message":"slow"}`, ai.ClassTransient},
		{424, "ModelErrorException", `{"message":"hiccup"}`, ai.ClassTransient},
		{429, "ThrottlingException", `{"message":"Too many requests, please wait before trying again."}`, ai.ClassTransient},
		{429, "ModelNotReadyException", `{"message":"warming up"}`, ai.ClassTransient},
		{500, "InternalServerException", ``, ai.ClassTransient},
		{503, "ServiceUnavailableException", `<html><head><title>503</title></head></html>`, ai.ClassTransient},
	}
	for _, test := range tests {
		m, client := listen(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Amzn-Errortype", test.kind)
			w.WriteHeader(test.status)
			io.WriteString(w, test.body)
		})
		got := ask(t, &ai.Request{Model: m, Options: ai.Options{Client: client}})
		name, _, _ := strings.Cut(test.kind, ":")
		if class := ai.Classify(got.Err, got.ErrorMessage); class != test.want || !strings.Contains(got.ErrorMessage, name) {
			t.Errorf("%d %s: got %v, %q; want %v", test.status, test.kind, class, got.ErrorMessage, test.want)
		}
	}
}

func TestCutStreamsAreTransient(t *testing.T) {
	whole := bytes.Join([][]byte{textPiece(t, 0, "x"), callStart(t, 1, "a"), callPiece(t, 1, `{"x":1}`), blockStop(t, 1)}, nil) // it is not run
	for n := range len(whole) + 1 {
		m := answer(t, whole[:n])
		if m.StopReason != ai.StopError || !ai.IsRetryable(m) || !errors.Is(m.Err, io.ErrUnexpectedEOF) {
			t.Fatalf("cut after %d bytes: got %s, %q", n, replay.Show(m), m.ErrorMessage)
		}
	}
}

func TestDamagedStreams(t *testing.T) {
	whole := bytes.Join([][]byte{textPiece(t, 0, "Hello"), end(t, "end_turn")}, nil)
	first := len(textPiece(t, 0, "Hello"))
	for i := range first {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0x10
		m := answer(t, damaged)
		if m.StopReason != ai.StopError || m.ErrorMessage == "" {
			t.Fatalf("byte %d damaged: got %s", i, replay.Show(m))
		}
	}
}

func TestWire(t *testing.T) {
	w := replay.Wire{
		Ask: new(bedrock.Client).Stream, Model: *model(),
		Text:   func(text string) string { return string(textPiece(t, 0, text)) },
		Finish: string(frame(t, "messageStop", `{"stopReason":"end_turn"}`)),
		End:    string(frame(t, "metadata", `{"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15}}`)),
	}
	w.Check(t)
}

// FuzzStream feeds arbitrary bytes: no panic, and a stream that keeps the contract.
func FuzzStream(f *testing.F) {
	for _, seed := range [][]byte{
		{},
		[]byte("data: x\n\n"), textPiece(f, 0, "a"), end(f, "end_turn"), append(callStart(f, 0, "a"), end(f, "tool_use")...), exception(f, "throttlingException", `{}`), oddHeaders(f),
		append(frame(f, "contentBlockDelta", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"x","redactedContent":"QQ=="}}}`), end(f, "max_tokens")...),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		m := answer(t, body)
		if raw := jsontext.Value((&ai.Done{Message: m}).AppendJSON(nil)); !raw.IsValid() {
			t.Fatal("the last event is no JSON")
		}
	})
}

// FuzzPayload feeds arbitrary events: what a checksum keeps from [FuzzStream].
func FuzzPayload(f *testing.F) {
	for _, seed := range []string{`{}`, `null`, `{"contentBlockIndex":0,"delta":{"text":"a"}}`, `{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{}"}}}`, `{"usage":{"inputTokens":1e99}}`, `{"stopReason":"tool_use"}`} {
		for _, kind := range []string{"contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata"} {
			f.Add(kind, seed, "contentBlockDelta", seed)
		}
	}
	f.Fuzz(func(t *testing.T, kind, payload, kind2, payload2 string) {
		if len(kind) > 1000 || len(kind2) > 1000 {
			return
		}
		m := answer(t, frame(t, kind, payload), frame(t, kind2, payload2), end(t, "end_turn"))
		if raw := jsontext.Value((&ai.Done{Message: m}).AppendJSON(nil)); !raw.IsValid() {
			t.Fatal("the last event is no JSON")
		}
	})
}
