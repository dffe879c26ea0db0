package openai

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// thinkingFields are the fields with which servers have thinking switched on and off.
type thinkingFields struct {
	ReasoningEffort    string                    `json:"reasoning_effort,omitzero"`
	Reasoning          *reasoning                `json:"reasoning,omitzero"`
	Thinking           any                       `json:"thinking,omitzero"` // *thinkingSwitch or string
	EnableThinking     *bool                     `json:"enable_thinking,omitzero"`
	ChatTemplateKwargs map[string]jsontext.Value `json:"chat_template_kwargs,omitempty"`
	ChatTemplateArgs   map[string]jsontext.Value `json:"chat_template_args,omitempty"`
}

type reasoning struct {
	Effort  string `json:"effort,omitzero"`
	Enabled *bool  `json:"enabled,omitzero"`
}

type thinkingSwitch struct {
	Type string `json:"type"` // enabled or disabled
	// ClearThinking false keeps the thinking of earlier answers (Z.ai).
	ClearThinking *bool `json:"clear_thinking,omitzero"`
}

// answerRoom is what a budget for thinking leaves for the answer, in tokens.
const answerRoom = 1024

// defaultBudgets are the tokens that a level may think for (Pi 0.85).
var defaultBudgets = map[ai.ThinkingLevel]int{
	ai.ThinkingMinimal: 1024, ai.ThinkingLow: 2048, ai.ThinkingMedium: 8192, ai.ThinkingHigh: 16384,
}

// thought is how much a request has its model think.
type thought struct {
	on     bool
	effort string // the provider's word for the level; for off only if the model's map has one
	mapped bool   // effort is from the model's map
	budget int    // tokens; 0 if unknown
}

func (b *builder) thought(maxTokens int) thought {
	level := b.model.ClampThinking(b.req.Options.Thinking)
	t := thought{on: level != ai.ThinkingOff}
	if word := b.model.ThinkingLevelMap[level]; word != nil {
		t.effort, t.mapped = *word, true
	} else if t.on {
		t.effort = string(level)
	}
	if t.on {
		t.budget = b.budget(level, maxTokens)
	}
	return t
}

func (b *builder) budget(level ai.ThinkingLevel, maxTokens int) int {
	if level == ai.ThinkingXHigh || level == ai.ThinkingMax {
		level = ai.ThinkingHigh
	}
	budget, ok := b.req.Options.ThinkingBudgets[level]
	if !ok {
		budget = defaultBudgets[level]
	}
	if maxTokens > 0 {
		budget = min(budget, maxTokens-answerRoom)
	}
	return max(budget, 0)
}

// think switches thinking on or off. Fields whose names the model chooses go into late.
func (b *builder) think(r *body, maxTokens int, late map[string]jsontext.Value) {
	if !b.model.Reasoning {
		return
	}
	t := b.thought(maxTokens)
	switch b.compat.ThinkingFormat {
	case "openrouter":
		r.Reasoning = &reasoning{Effort: orNone(t.effort)}
	case "ant-ling":
		if t.mapped {
			r.Reasoning = &reasoning{Effort: t.effort}
		}
	case "string-thinking":
		r.Thinking = orNone(t.effort)
	case "chat-template":
		r.ChatTemplateKwargs = t.fill(b.compat.ChatTemplateKwargs)
	case "qwen-chat-template":
		r.ChatTemplateKwargs = map[string]jsontext.Value{
			"enable_thinking": boolValue(t.on), "preserve_thinking": boolValue(true),
		}
	default:
		b.thinkWithEffort(r, t)
	}
	if field := b.budgetField(); field != "" && t.budget > 0 {
		late[field] = intValue(t.budget)
	}
}

// thinkWithEffort is for the formats that have the level beside a switch, if any.
func (b *builder) thinkWithEffort(r *body, t thought) {
	switch b.compat.ThinkingFormat {
	case "deepseek":
		r.Thinking = newSwitch(t.on)
	case "zai":
		s := newSwitch(t.on)
		if t.on {
			s.ClearThinking = new(false)
		}
		r.Thinking = s
	case "together":
		r.Reasoning = &reasoning{Enabled: &t.on}
	case "qwen":
		r.EnableThinking = &t.on
	case "baseten":
		r.ChatTemplateArgs = t.fill(b.compat.ChatTemplateArgs)
	default: // openai; it has no switch, so off needs a word
		if b.compat.SupportsReasoningEffort {
			r.ReasoningEffort = t.effort
		}
		return
	}
	if t.on && b.compat.SupportsReasoningEffort {
		r.ReasoningEffort = t.effort
	}
}

func newSwitch(on bool) *thinkingSwitch {
	if on {
		return &thinkingSwitch{Type: "enabled"}
	}
	return &thinkingSwitch{Type: "disabled"}
}

func (b *builder) budgetField() string {
	if b.compat.ThinkingTokenBudgetField == "" && b.compat.SupportsThinkingTokenBudget {
		return "thinking_token_budget"
	}
	return b.compat.ThinkingTokenBudgetField
}

// fill replaces the variables of a chat template.
func (t thought) fill(template map[string]jsontext.Value) map[string]jsontext.Value {
	filled := make(map[string]jsontext.Value, len(template))
	for name, value := range template {
		var variable struct {
			Name        string `json:"$var"`
			OmitWhenOff bool   `json:"omitWhenOff"`
		}
		if value.Kind() != '{' || json.Unmarshal(value, &variable) != nil || variable.Name == "" {
			filled[name] = value
			continue
		}
		if variable.OmitWhenOff && !t.on {
			continue
		}
		if v := t.variable(variable.Name); v != nil {
			filled[name] = v
		}
	}
	return filled
}

// variable returns the value of a template's variable; nil if there is none.
func (t thought) variable(name string) jsontext.Value {
	switch {
	case name == "thinking.enabled":
		return boolValue(t.on)
	case name == "thinking.effort" && t.effort != "":
		return stringValue(t.effort)
	case name == "thinking.budget" && t.budget > 0:
		return intValue(t.budget)
	}
	return nil
}

func orNone(effort string) string {
	if effort == "" {
		return "none"
	}
	return effort
}

func boolValue(b bool) jsontext.Value { return jsontext.Value(strconv.FormatBool(b)) }

func intValue(n int) jsontext.Value { return jsontext.Value(strconv.Itoa(n)) }

func stringValue(s string) jsontext.Value {
	v, err := wire.Marshal(s)
	if err != nil { // a string always encodes
		return jsontext.Value(`""`)
	}
	return v
}
