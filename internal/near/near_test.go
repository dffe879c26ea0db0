package near_test

import (
	"slices"
	"testing"

	"github.com/rondo-agent/rondo/internal/near"
)

func TestNames(t *testing.T) {
	names := []string{"print", "mode", "model", "openai/gpt-5.5", "openai/gpt-5.4", "groq/openai/gpt-oss-120b"}
	for wanted, want := range map[string][]string{
		"prnt":      {"print"},
		"PRINT":     {"print"},
		"modle":     {"mode", "model"},
		"models":    {"model", "mode"},
		"gpt-5.6":   {"openai/gpt-5.5", "openai/gpt-5.4"},
		"unrelated": nil,
		"":          nil,
	} {
		if got := near.Names(wanted, names); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", wanted, got, want)
		}
	}
}
