package responses

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// usage counts tokens. Input includes what was cached, output what was thought.
type usage struct {
	InputTokens  count `json:"input_tokens"`
	OutputTokens count `json:"output_tokens"`
	TotalTokens  count `json:"total_tokens"`
	InputDetails struct {
		CachedTokens     count `json:"cached_tokens"`
		CacheWriteTokens count `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	OutputDetails struct {
		ReasoningTokens count `json:"reasoning_tokens"`
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

// count is a number of tokens; what is none is 0.
type count int

// UnmarshalJSONFrom reads any value.
func (c *count) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	n, err := readNumber(d)
	*c = count(n)
	return err
}
