package bedrock

import "github.com/rondo-agent/rondo/ai"

// answerReserve is what a budget leaves for the answer, and the least budget that the
// service accepts, in tokens.
const answerReserve = 1024

// betaInterleaved lets a model think between calls (Pi 0.85).
const betaInterleaved = "interleaved-thinking-2025-05-14"

// budgets is how many tokens a level may think for (Pi 0.85).
var budgets = map[ai.ThinkingLevel]int{
	ai.ThinkingMinimal: 1024, ai.ThinkingLow: 2048, ai.ThinkingMedium: 8192, ai.ThinkingHigh: 16384,
	ai.ThinkingXHigh: 16384, ai.ThinkingMax: 16384,
}

// efforts is the word for a level, where the model has none of its own (Pi 0.85).
var efforts = map[ai.ThinkingLevel]string{
	ai.ThinkingMinimal: "low", ai.ThinkingLow: "low", ai.ThinkingMedium: "medium", ai.ThinkingHigh: "high",
	ai.ThinkingXHigh: "high", ai.ThinkingMax: "high",
}

// fields are the request fields that are the model's own and not Converse's.
type fields struct {
	Thinking     *thinking     `json:"thinking,omitzero"`
	OutputConfig *outputConfig `json:"output_config,omitzero"`
	Betas        []string      `json:"anthropic_beta,omitempty"`
}

type thinking struct {
	Type    string `json:"type"`
	Budget  int    `json:"budget_tokens,omitzero"`
	Display string `json:"display,omitzero"`
}

type outputConfig struct {
	Effort string `json:"effort"`
}

// think decides how a request thinks and how long its answer may be; nil fields say nothing
// about it. estimate is the size of the request in tokens.
func (b *builder) think(estimate int) (*fields, int) {
	m, opts := b.model, &b.req.Options
	maxTokens := ai.ClampMaxTokens(m, opts.MaxTokens, estimate)
	level := m.ClampThinking(opts.Thinking)
	if !m.Reasoning || !b.family.claude || opts.Thinking == "" || level == ai.ThinkingOff {
		return nil, maxTokens
	}
	display := "summarized"
	if b.family.gov {
		display = ""
	}
	if b.family.adaptive {
		return &fields{Thinking: &thinking{Type: "adaptive", Display: display}, OutputConfig: &outputConfig{effort(m, level)}}, maxTokens
	}
	budget := max(b.budget(level), answerReserve)
	if opts.MaxTokens > 0 { // the caller's limit is for the answer alone
		want := opts.MaxTokens + budget
		if m.MaxTokens > 0 {
			want = min(want, m.MaxTokens)
		}
		maxTokens = ai.ClampMaxTokens(m, want, estimate)
	}
	if maxTokens > 0 {
		budget = min(budget, maxTokens-answerReserve)
	}
	if budget < answerReserve { // no room: the service would refuse the request
		return nil, maxTokens
	}
	return &fields{Thinking: &thinking{Type: "enabled", Budget: budget, Display: display}, Betas: []string{betaInterleaved}}, maxTokens
}

func effort(m *ai.Model, level ai.ThinkingLevel) string {
	if word := m.ThinkingLevelMap[level]; word != nil && *word != "" {
		return *word
	}
	return efforts[level]
}

func (b *builder) budget(level ai.ThinkingLevel) int {
	given := b.req.Options.ThinkingBudgets
	if n, set := given[level]; set {
		return n
	}
	if n, set := given[ai.ThinkingHigh]; set && (level == ai.ThinkingXHigh || level == ai.ThinkingMax) {
		return n
	}
	return budgets[level]
}
