package anthropic

import "github.com/rondo-agent/rondo/ai"

// answerReserve is what a budget leaves for the answer, and the least budget that the
// service accepts, in tokens.
const answerReserve = 1024

// budgets is how many tokens a level may think for (Pi 0.85).
var budgets = map[ai.ThinkingLevel]int{
	ai.ThinkingMinimal: 1024,
	ai.ThinkingLow:     2048,
	ai.ThinkingMedium:  8192,
	ai.ThinkingHigh:    16384,
}

// efforts is the service's word for a level, where the model has none of its own.
var efforts = map[ai.ThinkingLevel]string{
	ai.ThinkingMinimal: "low",
	ai.ThinkingLow:     "low",
	ai.ThinkingMedium:  "medium",
	ai.ThinkingHigh:    "high",
	ai.ThinkingXHigh:   "xhigh",
	ai.ThinkingMax:     "max",
}

// thinking is how a request thinks: with a budget, with an effort, or not at all.
type thinking struct {
	disabled  bool
	budget    int
	effort    string
	maxTokens int
}

// think decides how a request thinks and how long its answer may be. estimate is the
// size of the request in tokens.
func think(m *ai.Model, opts *ai.Options, adaptive bool, estimate int) thinking {
	limit := func(want int) int {
		if want > 0 && m.MaxTokens > 0 {
			want = min(want, m.MaxTokens)
		}
		return ai.ClampMaxTokens(m, want, estimate)
	}
	t := thinking{maxTokens: limit(opts.MaxTokens)}
	level := opts.Thinking
	if level != "" && level != ai.ThinkingOff {
		level = m.ClampThinking(level)
	}
	switch {
	case !m.Reasoning:
	case level == "" || level == ai.ThinkingOff:
		t.disabled = m.Supports(ai.ThinkingOff)
	case adaptive:
		t.effort = effortOf(m, level)
	default:
		budget := max(budgetOf(opts, level), answerReserve)
		if opts.MaxTokens > 0 { // the caller's limit is for the answer alone
			t.maxTokens = limit(opts.MaxTokens + budget)
		}
		t.budget = min(budget, t.maxTokens-answerReserve)
		if t.budget < answerReserve { // no room: the service would refuse the request
			t.budget, t.disabled = 0, m.Supports(ai.ThinkingOff)
		}
	}
	return t
}

func effortOf(m *ai.Model, level ai.ThinkingLevel) string {
	if word := m.ThinkingLevelMap[level]; word != nil && *word != "" {
		return *word
	}
	return efforts[level]
}

func budgetOf(opts *ai.Options, level ai.ThinkingLevel) int {
	if budget, set := opts.ThinkingBudgets[level]; set {
		return budget
	}
	if level == ai.ThinkingXHigh || level == ai.ThinkingMax {
		return budgetOf(opts, ai.ThinkingHigh)
	}
	return budgets[level]
}
