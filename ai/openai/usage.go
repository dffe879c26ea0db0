package openai

import (
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// usage counts tokens in the fields of all makers.
type usage struct {
	PromptTokens     wire.Count  `json:"prompt_tokens"`
	CompletionTokens wire.Count  `json:"completion_tokens"`
	TotalTokens      wire.Count  `json:"total_tokens"`
	CachedTokens     wire.Count  `json:"cached_tokens"`           // Kimi
	CacheHitTokens   wire.Count  `json:"prompt_cache_hit_tokens"` // DeepSeek
	Cost             wire.Number `json:"cost"`                    // OpenRouter, in US dollars
	PromptDetails    struct {
		CachedTokens     wire.Count `json:"cached_tokens"`
		CacheWriteTokens wire.Count `json:"cache_write_tokens"` // OpenRouter
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		ReasoningTokens wire.Count `json:"reasoning_tokens"`
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
