package ai_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/ai"
)

func TestTransientTexts(t *testing.T) {
	for _, text := range []string{
		"Connection closed.", "read ECONNRESET", "socket connection was closed unexpectedly", "Network connection lost.",
		"520", "524 status code (no body)", "503 upstream down", "error 529", "HTTP 429: slow down",
		"ResourceExhausted", "server_busy", "terminated", "request ended without sending any chunks",
		"The pending stream has been canceled", "Overloaded", "Rate limit reached for gpt-5", "Too Many Requests",
		"Service Unavailable", "Internal Server Error", "Provider returned error", "getaddrinfo EAI_AGAIN api.x.com",
		"getaddrinfo ENOTFOUND api.x.com", "Request timed out.", "WebSocket closed 1006", "stream ended before message_stop",
		"HTTP/2 stream error", "Please retry your request", "Retry delay of 5 s", "fetch failed", "socket hang up",
		"The server had an error processing your request. Sorry about that! server_error",
		"http2: server sent GOAWAY and closed the connection; LastStreamID=1", "stream error: stream ID 3; INTERNAL_ERROR",
		"the stream ended without a terminal event",
	} {
		if got := ai.Classify(nil, text); got != ai.ClassTransient {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func TestPermanentTexts(t *testing.T) {
	for _, text := range []string{
		"400 no such knob", "invalid api key", "model gpt-9 does not exist", "max 500000 tokens", "the value 5003 is wrong",
		"content_filter", "port429",
	} {
		if got := ai.Classify(nil, text); got != ai.ClassPermanent {
			t.Errorf("%q is %v", text, got)
		}
	}
	if got := ai.Classify(nil, ""); got != ai.ClassNone {
		t.Errorf("nothing is %v", got)
	}
}

func TestLimitsAreNotRetried(t *testing.T) {
	statusError := func(status int, body string) error { return ai.NewStatusError(status, nil, []byte(body)) }
	for _, test := range []struct {
		err  error
		text string
	}{
		{statusError(429, `{"error":{"code":"1308","message":"Usage limit reached for 5 hours, resets at 12:00"}}`), ""},
		{statusError(429, `{"error":{"code":"1308","message":"no"}}`), ""},
		{statusError(429, `{"error":{"type":"insufficient_quota","message":"x"}}`), ""},
		{statusError(402, `{"error":{"message":"x"}}`), ""},
		{nil, "429 You exceeded your current quota, please check your plan and billing details"},
		{nil, "GoUsageLimitError: try again later"},
		{nil, "FreeUsageLimitError"},
		{nil, "You have reached your monthly usage limit. rate limit"},
		{nil, "503 Insufficient balance"},
		{nil, "request exceeds your available balance"},
		{nil, "Out of budget"},
		{nil, "Quota exceeded, retry after 3600 s"},
	} {
		if got := ai.Classify(test.err, test.text); got != ai.ClassLimit {
			t.Errorf("%v %q is %v", test.err, test.text, got)
		}
	}
}

func TestTypedCauses(t *testing.T) {
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	yes, no := true, false
	tests := []struct {
		err  error
		want ai.Class
	}{
		{fmt.Errorf("the answer broke off: %w", io.ErrUnexpectedEOF), ai.ClassTransient},
		{fmt.Errorf("x: %w", io.EOF), ai.ClassTransient},
		{fmt.Errorf("x: %w", ai.ErrUnterminated), ai.ClassTransient},
		{&url.Error{Op: "Post", URL: "http://x", Err: dial}, ai.ClassTransient},
		{&net.DNSError{Err: "whatever", Name: "x"}, ai.ClassTransient},
		{syscall.ECONNRESET, ai.ClassTransient},
		{syscall.EPIPE, ai.ClassTransient},
		{syscall.ETIMEDOUT, ai.ClassTransient},
		{&ai.TimeoutError{Waiting: "the response", After: time.Second}, ai.ClassTransient},
		{context.DeadlineExceeded, ai.ClassTransient},
		{&net.OpError{Op: "remote error", Err: &tls.CertificateVerificationError{Err: errors.New("expired")}}, ai.ClassPermanent},
		{context.Canceled, ai.ClassAborted},
		{fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, context.Canceled), ai.ClassAborted},
		{&ai.StatusError{Status: 500}, ai.ClassTransient},
		{&ai.StatusError{Status: 529}, ai.ClassTransient},
		{&ai.StatusError{Status: 408}, ai.ClassTransient},
		{&ai.StatusError{Status: 429}, ai.ClassTransient},
		{&ai.StatusError{Status: 400}, ai.ClassPermanent},
		{&ai.StatusError{Status: 400, Message: "max_tokens must be at least 500"}, ai.ClassPermanent},
		{&ai.StatusError{Status: 400, Code: "ThrottlingException"}, ai.ClassTransient},
		{&ai.StatusError{Status: 401, Message: "try again"}, ai.ClassPermanent},
		{&ai.StatusError{Status: 500, Retry: &no}, ai.ClassPermanent},
		{&ai.StatusError{Status: 400, Retry: &yes}, ai.ClassTransient},
		{&ai.StatusError{Code: "overloaded_error"}, ai.ClassTransient},
		{&ai.StatusError{Status: 413}, ai.ClassOverflow},
		{&ai.StatusError{Status: 400, Code: "context_length_exceeded"}, ai.ClassOverflow},
		{&ai.StatusError{Status: 500, Message: "input exceeds the context window"}, ai.ClassOverflow},
		{errors.New("something else"), ai.ClassPermanent},
	}
	for _, test := range tests {
		if got := ai.Classify(test.err, ""); got != test.want {
			t.Errorf("%v is %v, want %v", test.err, got, test.want)
		}
	}
}

func TestErrorsOfFilesAreNotTransient(t *testing.T) {
	_, err := os.Open(t.TempDir() + "/none")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if got := ai.Classify(fmt.Errorf("read: %w", err), ""); got != ai.ClassPermanent {
		t.Errorf("%v is %v", err, got)
	}
}

func TestIsRetryable(t *testing.T) {
	failure := func(reason ai.StopReason, err error) *ai.AssistantMessage {
		m := &ai.AssistantMessage{StopReason: reason, Err: err}
		if err != nil {
			m.ErrorMessage = err.Error()
		}
		return m
	}
	for _, test := range []struct {
		m    *ai.AssistantMessage
		want bool
	}{
		{failure(ai.StopError, io.ErrUnexpectedEOF), true},
		{failure(ai.StopAborted, io.ErrUnexpectedEOF), false},
		{failure(ai.StopEnd, nil), false},
		{failure(ai.StopError, errors.New("no")), false},
		{&ai.AssistantMessage{StopReason: ai.StopError, ErrorMessage: "529 overloaded"}, true}, // from a file
	} {
		if got := ai.IsRetryable(test.m); got != test.want {
			t.Errorf("%s %q: %t", test.m.StopReason, test.m.ErrorMessage, got)
		}
	}
}

func TestIsOverflow_Texts(t *testing.T) {
	for _, text := range []string{
		"prompt is too long: 213462 tokens > 200000 maximum",
		"Your input exceeds the context window of this model",
		"The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
		"This model's maximum prompt length is 131072 but the request contains 537812 tokens",
		"Please reduce the length of the messages or completion",
		"This endpoint's maximum context length is 8192 tokens. However, you requested about 9000 tokens",
		"the request exceeds the available context size, try increasing it",
		"tokens to keep from the initial prompt is greater than the context length",
		"prompt too long; exceeded max context length by 5 tokens",
		"prompt token count of 150000 exceeds the limit of 128000",
		"400 Range of input length should be [1, 30720]",
		"Input is too long for requested model.",
		"invalid params, context window exceeds limit",
		"Your request exceeded model token limit: 262144",
		"413 status code (no body)",
	} {
		m := &ai.AssistantMessage{StopReason: ai.StopError, ErrorMessage: text}
		if !ai.IsOverflow(m, 0) || ai.IsRetryable(m) {
			t.Errorf("%q: overflow %t, retryable %t", text, ai.IsOverflow(m, 0), ai.IsRetryable(m))
		}
	}
	for _, text := range []string{
		"ThrottlingException: Too many tokens in the prompt, please wait before trying again",
		"Rate limit: input tokens per minute exceed 30000", "429 Too Many Requests: prompt is too long", "no",
	} {
		if m := (&ai.AssistantMessage{StopReason: ai.StopError, ErrorMessage: text}); ai.IsOverflow(m, 1000) {
			t.Errorf("%q is an overflow", text)
		}
	}
}

func TestIsOverflow_Numbers(t *testing.T) {
	usage := func(input, cached, output int) ai.Usage {
		return ai.Usage{Input: input, CacheRead: cached, Output: output}
	}
	for _, test := range []struct {
		reason ai.StopReason
		usage  ai.Usage
		window int
		want   bool
	}{
		{ai.StopEnd, usage(600, 500, 10), 1000, true},
		{ai.StopEnd, usage(500, 500, 10), 1000, false},
		{ai.StopEnd, usage(600, 500, 10), 0, false},
		{ai.StopLength, usage(990, 0, 0), 1000, true},
		{ai.StopLength, usage(989, 0, 0), 1000, false},
		{ai.StopLength, usage(990, 0, 1), 1000, false},
		{ai.StopToolUse, usage(2000, 0, 1), 1000, false},
	} {
		m := &ai.AssistantMessage{StopReason: test.reason, Usage: test.usage}
		if got := ai.IsOverflow(m, test.window); got != test.want {
			t.Errorf("%s %+v of %d: %t", test.reason, test.usage, test.window, got)
		}
	}
}

func TestIsRecoverableLength(t *testing.T) {
	cut := func(output int) *ai.AssistantMessage {
		return &ai.AssistantMessage{StopReason: ai.StopLength, Usage: ai.Usage{Output: output}}
	}
	if !ai.IsRecoverableLength(cut(4095), 4096) || ai.IsRecoverableLength(cut(4096), 4096) || ai.IsRecoverableLength(cut(1), 0) {
		t.Error("only an answer shorter than its limit was cut by the window")
	}
}

func TestIsEmpty(t *testing.T) {
	for _, test := range []struct {
		m    *ai.AssistantMessage
		want bool
	}{
		{failed(ai.StopEnd), true},
		{failed(ai.StopEnd, text(" \n")), true},
		{failed(ai.StopToolUse), true},
		{failed(ai.StopToolUse, text("I will look.")), true},
		{failed(ai.StopEnd, text("x")), false},
		{failed(ai.StopEnd, &ai.Thinking{Thinking: "x"}), false},
		{failed(ai.StopToolUse, call("A")), false},
		{failed(ai.StopLength), false},
		{failed(ai.StopError), false},
	} {
		if got := ai.IsEmpty(test.m); got != test.want {
			t.Errorf("%s %s: %t", test.m.StopReason, blocks(test.m.Content), got)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	header := http.Header{"Retry-After": {"9"}}
	typed := &ai.AssistantMessage{Err: ai.NewStatusError(429, header, nil), ErrorMessage: "try again in 3s"}
	if got := ai.RetryAfter(typed); got != 9*time.Second {
		t.Errorf("the header says 9 s, got %v", got)
	}
	body := `{"error":{"message":"Quota","details":[{"retryDelay":"34.07s"}]}}`
	if got := ai.RetryAfter(&ai.AssistantMessage{Err: ai.NewStatusError(429, nil, []byte(body))}); got != 34070*time.Millisecond {
		t.Errorf("the body says 34.07s, got %v", got)
	}
	for text, want := range map[string]time.Duration{
		"Rate limit reached. Please try again in 6.2s.": 6200 * time.Millisecond,
		"Please try again in 1m30s":                     90 * time.Second,
		"try again in 350ms":                            350 * time.Millisecond,
		"Please retry after 12 seconds.":                12 * time.Second,
		"Please retry in 2 minutes":                     2 * time.Minute,
		"retry after 2026-01-02":                        0,
		"retry after a while, then try again in 5s":     5 * time.Second,
		"try again in 1e9h":                             0,
		"try again in 99999999h":                        0,
		"overloaded":                                    0,
	} {
		if got := ai.RetryAfter(&ai.AssistantMessage{ErrorMessage: text}); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestClassifier_FurtherPhrases(t *testing.T) {
	c := ai.Classifier{Transient: []string{"The GPU * Asleep"}, Limit: []string{"no more tokens for you"}, Overflow: []string{"tl;dr"}}
	for text, want := range map[string]ai.Class{
		"the gpu fell asleep": ai.ClassTransient, "the gpu fell\nasleep": ai.ClassPermanent,
		"No more tokens for you, the gpu is asleep": ai.ClassLimit, "TL;DR": ai.ClassOverflow,
	} {
		if got := c.Classify(nil, text); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
	if !c.IsRetryable(&ai.AssistantMessage{StopReason: ai.StopError, ErrorMessage: "the gpu is asleep"}) {
		t.Error("a phrase that was added is not retryable")
	}
}
