package openai

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// usage counts tokens in the fields of all makers.
type usage struct {
	PromptTokens     count  `json:"prompt_tokens"`
	CompletionTokens count  `json:"completion_tokens"`
	TotalTokens      count  `json:"total_tokens"`
	CachedTokens     count  `json:"cached_tokens"`           // Kimi
	CacheHitTokens   count  `json:"prompt_cache_hit_tokens"` // DeepSeek
	Cost             amount `json:"cost"`                    // OpenRouter, in US dollars
	PromptDetails    struct {
		CachedTokens     count `json:"cached_tokens"`
		CacheWriteTokens count `json:"cache_write_tokens"` // OpenRouter
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		ReasoningTokens count `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func (u *usage) zero() bool { return *u == usage{} }

// usage makes the counts disjoint: on this wire the prompt includes what was cached, and
// the completion what was thought.
func (u *usage) usage(model *ai.Model) ai.Usage {
	cached := u.PromptDetails.CachedTokens
	if cached == 0 {
		cached = max(u.CacheHitTokens, u.CachedTokens)
	}
	written := u.PromptDetails.CacheWriteTokens
	thought := u.CompletionDetails.ReasoningTokens
	output := u.CompletionTokens
	if thought > 0 && u.TotalTokens == u.PromptTokens+output+thought { // xAI counts it apart
		output += thought
	}
	result := ai.Usage{
		Input:      int(max(u.PromptTokens-cached-written, 0)),
		Output:     int(output),
		CacheRead:  int(cached),
		CacheWrite: int(written),
		Reasoning:  new(int(thought)),
	}
	if u.Cost > 0 {
		result.Cost = model.Cost.Of(result)
		result.Cost.Total, result.Cost.Reported = float64(u.Cost), true
	}
	return result
}

// count is a number of tokens; what is none is 0.
type count int

// UnmarshalJSONFrom reads any value.
func (c *count) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	n, err := readNumber(d)
	*c = count(min(max(n, 0), math.MaxInt32))
	return err
}

// amount is a sum of money; what is none is 0.
type amount float64

// UnmarshalJSONFrom reads any value.
func (a *amount) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	n, err := readNumber(d)
	*a = amount(n)
	return err
}

func readNumber(d *jsontext.Decoder) (float64, error) {
	raw, err := d.ReadValue()
	if err != nil || raw.Kind() != '0' {
		return 0, err
	}
	n, _ := strconv.ParseFloat(string(raw), 64) // its only error is about numbers too large
	return n, nil
}
