package google

import (
	"strconv"
	"strings"

	"github.com/rondo-agent/rondo/ai"
)

// thinkingConfig is how a request thinks: with a budget or at a level, never both.
type thinkingConfig struct {
	IncludeThoughts bool   `json:"includeThoughts,omitzero"`
	ThinkingBudget  *int   `json:"thinkingBudget,omitzero"`
	ThinkingLevel   string `json:"thinkingLevel,omitzero"`
}

// dynamic is the budget that leaves it to the model how long it thinks.
const dynamic = -1

// budgets are the tokens that a level may think for (Pi 0.85), by the beginning of the
// model's id; the first that matches counts.
var budgets = []struct {
	model                      string
	minimal, low, medium, high int
}{
	{"gemini-2.5-pro", 128, 2048, 8192, 32768},
	{"gemini-2.5-flash-lite", 512, 2048, 8192, 24576},
	{"gemini-2.5-flash", 128, 2048, 8192, 24576},
}

// think decides how a request thinks; nil for a model that does not.
func (b *builder) think() *thinkingConfig {
	if !b.model.Reasoning {
		return nil
	}
	level := b.model.ClampThinking(b.req.Options.Thinking)
	word := ""
	if w := b.model.ThinkingLevelMap[level]; w != nil {
		word = *w
	}
	on := level != ai.ThinkingOff
	if b.family.thinksAtLevels() {
		if word == "" {
			word = b.family.level(level)
		}
		return &thinkingConfig{IncludeThoughts: on, ThinkingLevel: strings.ToUpper(word)}
	}
	budget := 0
	if n, err := strconv.Atoi(word); err == nil {
		budget = n
	} else if on {
		budget = b.budget(level)
	}
	return &thinkingConfig{IncludeThoughts: on, ThinkingBudget: &budget}
}

func (b *builder) budget(level ai.ThinkingLevel) int {
	if n, set := b.req.Options.ThinkingBudgets[level]; set {
		return n
	}
	for _, own := range budgets {
		if !strings.HasPrefix(b.family.id, own.model) {
			continue
		}
		switch level {
		case ai.ThinkingMinimal:
			return own.minimal
		case ai.ThinkingLow:
			return own.low
		case ai.ThinkingMedium:
			return own.medium
		default:
			return own.high
		}
	}
	return dynamic
}

// thinksAtLevels reports whether the model has levels in place of budgets.
func (f family) thinksAtLevels() bool { return f.major >= 3 || strings.HasPrefix(f.id, "gemma-4") }

// level returns the model's word for a level. Thinking cannot be switched off: off is the
// lowest level, with thoughts that are not shown.
func (f family) level(level ai.ThinkingLevel) string {
	pro := strings.Contains(f.id, "-pro")
	switch level {
	case ai.ThinkingOff, ai.ThinkingMinimal:
		if pro {
			return "LOW"
		}
		return "MINIMAL"
	case ai.ThinkingLow:
		if f.major == 0 { // Gemma has two levels
			return "MINIMAL"
		}
		return "LOW"
	case ai.ThinkingMedium:
		if f.major == 0 || pro && f.major == 3 && f.minor == 0 { // 3 Pro has no medium
			return "HIGH"
		}
		return "MEDIUM"
	default:
		return "HIGH"
	}
}
