package agent_test

import (
	"testing"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

func TestResetKeepsTheTextsOfAllSystemMessages(t *testing.T) {
	for name, c := range map[string]struct {
		prompt string
		later  []string
		want   string // of the only message; "-" for none
	}{
		"none later":     {"prompt", nil, "prompt"},
		"one later":      {"prompt", []string{"more"}, "prompt\n\nmore"},
		"two, one empty": {"prompt", []string{"more", "", "and more"}, "prompt\n\nmore\n\nand more"},
		"no prompt, one": {"", []string{"more"}, "more"},
		"nothing at all": {"", nil, "-"},
	} {
		t.Run(name, func(t *testing.T) {
			a := agent.New(nil, &agent.Options{SystemPrompt: c.prompt, Transcript: agent.TranscriptSelfContained})
			a.Append(agent.User("question"))
			for _, text := range c.later {
				a.Append(&ai.SystemMessage{Content: text})
			}
			if err := a.Reset(); err != nil {
				t.Fatal(err)
			}
			messages := a.State().Messages
			got := "-"
			if len(messages) == 1 {
				got = messages[0].(*ai.SystemMessage).Content
			}
			if got != c.want || len(messages) > 1 {
				t.Errorf("%d messages: %q, want %q", len(messages), got, c.want)
			}
		})
	}
}
