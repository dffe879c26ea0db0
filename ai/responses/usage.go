package responses

import (
	"strings"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// usage counts tokens. Input includes what was cached, output what was thought.
type usage struct {
	InputTokens  wire.Count `json:"input_tokens"`
	OutputTokens wire.Count `json:"output_tokens"`
	TotalTokens  wire.Count `json:"total_tokens"`
	InputDetails struct {
		CachedTokens     wire.Count `json:"cached_tokens"`
		CacheWriteTokens wire.Count `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	OutputDetails struct {
		ReasoningTokens wire.Count `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

// count records the usage, and prices it by the service tier.
func (r *reader) count(resp *response) {
	u := resp.Usage
	cached, written := u.InputDetails.CachedTokens, u.InputDetails.CacheWriteTokens
	r.w.SetUsage(ai.Usage{
		Input:       int(max(u.InputTokens-cached-written, 0)),
		Output:      int(u.OutputTokens),
		CacheRead:   int(cached),
		CacheWrite:  int(written),
		Reasoning:   new(int(u.OutputDetails.ReasoningTokens)),
		TotalTokens: int(u.TotalTokens),
	})
	tier := string(resp.ServiceTier)
	if tier == "" || tier == "auto" {
		tier = r.tier
	}
	if factor := tierFactor(tier, r.model.ID); factor != 1 {
		c := r.w.Usage().Cost
		r.w.SetCost(ai.Cost{
			Input: c.Input * factor, Output: c.Output * factor,
			CacheRead: c.CacheRead * factor, CacheWrite: c.CacheWrite * factor,
			Total: c.Total * factor,
		})
	}
}

// tierFactor is what the price of a service tier is multiplied by (Pi 0.85).
func tierFactor(tier, model string) float64 {
	switch tier {
	case "flex":
		return 0.5
	case "priority":
		if model == "gpt-5.5" || strings.HasPrefix(model, "gpt-5.5-20") { // dated versions
			return 2.5
		}
		return 2
	}
	return 1
}
