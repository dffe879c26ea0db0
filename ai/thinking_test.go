package ai_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
)

func TestDropChangedThinking(t *testing.T) {
	original := []ai.Message{
		user(text("x")),
		answer(&ai.Thinking{Thinking: "a", Signature: "S1"}, &ai.Thinking{Thinking: "b", Signature: "reasoning"}, text("t"), call("1")),
	}
	for name, test := range map[string]struct {
		changed ai.Message
		want    string
	}{
		"nothing":          {answer(&ai.Thinking{Thinking: "a", Signature: "S1"}, text("t")), `assistant think "a" S1, "t"`},
		"another text":     {answer(text("u"), &ai.Thinking{Thinking: "a", Signature: "S1"}), `assistant "u", think "a" S1`},
		"the thinking":     {answer(&ai.Thinking{Thinking: "A", Signature: "S1"}, text("t")), `assistant "t"`},
		"emptied":          {answer(&ai.Thinking{Signature: "S1"}, text("t")), `assistant "t"`},
		"unsigned":         {answer(&ai.Thinking{Thinking: "B", Signature: "reasoning"}, text("t")), `assistant think "B" reasoning, "t"`},
		"signature as new": {answer(&ai.Thinking{Thinking: "A", Signature: "S2"}), `assistant think "A" S2`},
	} {
		given := []ai.Message{original[0], test.changed}
		before := outline(given)
		if diff := cmp.Diff("user \"x\"\n"+test.want, outline(ai.DropChangedThinking(original, given))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if outline(given) != before {
			t.Errorf("%s: what was given has been changed", name)
		}
	}
}
