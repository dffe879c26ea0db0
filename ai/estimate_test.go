package ai_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

func TestEstimateMessage(t *testing.T) {
	for name, test := range map[string]struct {
		m    ai.Message
		want int
	}{
		"four characters are a token": {user(text("abcdefgh")), 2},
		"a part counts":               {user(text("abcdefghi")), 3},
		"an image is 4800 characters": {user(&ai.Image{}), 1200},
		"characters of UTF-16":        {user(text("日本語é")), 1},
		"two for an emoji":            {user(text("🙂🙂")), 1},
		"answer":                      {answer(text("abcd"), &ai.Thinking{Thinking: "abcd"}, &ai.ToolCall{Name: "ab", Arguments: jsontext.Value(`{}`)}), 3},
		"result":                      {result("a", "abcd"), 1},
		"nothing":                     {user(), 0},
	} {
		if got := ai.EstimateMessage(test.m); got != test.want {
			t.Errorf("%s: got %d, want %d", name, got, test.want)
		}
	}
}

func TestEstimateTokens(t *testing.T) {
	c := ai.Context{
		SystemPrompt: strings.Repeat("p", 40),
		Messages:     []ai.Message{user(text("abcd"))},
		Tools:        []ai.ToolDecl{{Name: "ab", Description: "cd", Parameters: jsontext.Value(`{"a":12}`)}},
	}
	if got := ai.EstimateTokens(c); got != 14 {
		t.Errorf("got %d", got)
	}
}

func TestClampMaxTokens(t *testing.T) {
	model := &ai.Model{ContextWindow: 10000, MaxTokens: 4096}
	for _, test := range []struct {
		model          *ai.Model
		want, estimate int
		result         int
	}{
		{model, 0, 100, 4096},
		{model, 500, 100, 500},
		{model, 0, 5000, 904},
		{model, 0, 5904, 1},
		{model, 0, 1 << 40, 1},
		{&ai.Model{MaxTokens: 7}, 0, 1 << 20, 7},
		{&ai.Model{ContextWindow: 100}, 0, 0, 0},
		{&ai.Model{}, 9, 0, 9},
	} {
		if got := ai.ClampMaxTokens(test.model, test.want, test.estimate); got != test.result {
			t.Errorf("window %d, limit %d, want %d, estimate %d: got %d, want %d",
				test.model.ContextWindow, test.model.MaxTokens, test.want, test.estimate, got, test.result)
		}
	}
}
