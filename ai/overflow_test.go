package ai_test

import (
	"errors"
	"testing"

	"github.com/rondo-agent/rondo/ai"
)

func refusal(status int, message string) *ai.AssistantMessage {
	err := &ai.StatusError{Status: status, Message: message}
	return &ai.AssistantMessage{StopReason: ai.StopError, Err: err, ErrorMessage: err.Error()}
}

// A server that is not known says in its own words that a request is too long.
func TestOverflowInWordsThatAreNotKnown(t *testing.T) {
	for _, text := range []string{
		"Input length 131393 exceeds the maximum allowed input length",
		"litellm.ContextWindowExceededError: no",
		"Input is too long.",
		"Context size has been exceeded.",
		"prompt exceeds the context limit",
		"Payload Too Large",
		"The request is too large for this model",
		"context_window_exceeded",
		"Your conversation is too long, start a new one",
		"12000 tokens do not fit: the context has room for at most 8192",
		"messages are longer than the context of 8192",
		"Prompt has 9000 tokens, more than 8192",
		"sequence length 9000 is larger than 8192 tokens",
		"context overflow",
		"total tokens exceed model limit",
	} {
		for _, status := range []int{400, 422, 500, 0} {
			if m := refusal(status, text); !ai.IsOverflow(m, 0) || ai.IsRetryable(m) {
				t.Errorf("%d %q is %v", status, text, ai.Classify(m.Err, m.ErrorMessage))
			}
		}
		if !ai.IsOverflow(&ai.AssistantMessage{StopReason: ai.StopError, ErrorMessage: "400 " + text}, 0) {
			t.Errorf("%q read from a file is no overflow", text)
		}
		for _, status := range []int{401, 403, 404, 429} {
			if ai.IsOverflow(refusal(status, text), 0) && status != 429 {
				t.Errorf("%d %q is an overflow", status, text)
			}
		}
	}
}

// What else can be too much, and is no matter of the conversation's length.
func TestNoOverflow(t *testing.T) {
	for _, text := range []string{
		"Post \"https://x\": context deadline exceeded",
		"max_tokens is too large: 500000. This model supports at most 128000 completion tokens",
		"The input contains too many images: at most 20 images exceed",
		"messages.0.content.1.image.source.base64: image exceeds 5 MB maximum",
		"Rate limit exceeded for input tokens",
		"input tokens per minute exceeded",
		"You exceeded your current quota for input tokens",
		"Invalid 'messages[3].tool_calls[0].id': string too long. Expected a string with maximum length 40",
		"tools: 200 function declarations exceed the maximum of 128 in a request body",
		"prompt cache: the number of concurrent connections exceeded",
		"input schema exceeds the maximum depth",
		"the token has expired: its lifetime was exceeded",
		"temperature must not be greater than 2 (input)",
		"input must not be empty",
		"the prompt is blocked",
		"context: the value above is missing",
		"thinking.budget_tokens must not be greater than max_tokens",
		"the model is too large for this machine's memory",
	} {
		for _, status := range []int{400, 0} {
			if m := refusal(status, text); ai.IsOverflow(m, 1000) {
				t.Errorf("%d %q is an overflow", status, text)
			}
		}
	}
}

// An unknown refusal of a request that fills the window by the estimate is worth one compaction.
func TestMayBeOverflow(t *testing.T) {
	var c ai.Classifier
	unknown := refusal(400, "Bad Request")
	for _, test := range []struct {
		name     string
		m        *ai.AssistantMessage
		window   int
		estimate int
		want     bool
	}{
		{"full", unknown, 1000, 901, true},
		{"nine tenths", unknown, 1000, 900, false},
		{"no window", unknown, 0, 901, false},
		{"read from a file", &ai.AssistantMessage{StopReason: ai.StopError, ErrorMessage: "400 Bad Request"}, 1000, 2000, true},
		{"another status", refusal(404, "no"), 1000, 2000, false},
		{"no status", &ai.AssistantMessage{StopReason: ai.StopError, ErrorMessage: "no", Err: errors.New("no")}, 1000, 2000, false},
		{"a reason that is known", refusal(400, "max_tokens must be at least 1"), 1000, 2000, false},
		{"an image", refusal(400, "could not process image"), 1000, 2000, false},
		{"a limit", refusal(400, "insufficient_quota"), 1000, 2000, false},
		{"aborted", &ai.AssistantMessage{StopReason: ai.StopAborted, ErrorMessage: "400 x"}, 1000, 2000, false},
		{"answered", &ai.AssistantMessage{StopReason: ai.StopEnd}, 1000, 2000, false},
	} {
		if got := c.MayBeOverflow(test.m, test.window, test.estimate); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

// A cut answer whose counts are far below the window was not cut by it.
func TestFillsWindow(t *testing.T) {
	for _, test := range []struct {
		usage  ai.Usage
		window int
		want   bool
	}{
		{ai.Usage{Input: 20, Output: 5}, 100_000, false},
		{ai.Usage{Input: 20, CacheRead: 40_000, CacheWrite: 9_000, Output: 5}, 100_000, false},
		{ai.Usage{Input: 20, CacheRead: 90_000, Output: 4_000}, 100_000, true},
		{ai.Usage{Input: 50_000}, 100_000, true},
		{ai.Usage{}, 100_000, true},
		{ai.Usage{Input: 20, Output: 5}, 0, true},
	} {
		if got := ai.FillsWindow(&ai.AssistantMessage{Usage: test.usage}, test.window); got != test.want {
			t.Errorf("%+v of %d: %t", test.usage, test.window, got)
		}
	}
}
