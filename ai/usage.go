package ai

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Usage counts the tokens of one answer. The four counts are disjoint: Input leaves out
// what was read from or written to a prompt cache.
type Usage struct {
	Input      int `json:"input"`
	Output     int `json:"output"`
	CacheRead  int `json:"cacheRead"`
	CacheWrite int `json:"cacheWrite"`
	// CacheWrite1h is the part of CacheWrite that is kept for an hour; nil where the
	// provider does not say.
	CacheWrite1h *int `json:"cacheWrite1h,omitzero"`
	// Reasoning is the part of Output that the model spent on thinking; nil where the
	// provider does not say.
	Reasoning   *int           `json:"reasoning,omitzero"`
	TotalTokens int            `json:"totalTokens"`
	Cost        Cost           `json:"cost"`
	Unknown     jsontext.Value `json:",embed"`
}

// AppendJSON appends the usage as it is while an answer streams: the counts and the cost,
// without unknown fields. It does not allocate.
func (u Usage) AppendJSON(dst []byte) []byte {
	count := func(key string, n int) {
		dst = append(dst, key...)
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	count(`{"input":`, u.Input)
	count(`,"output":`, u.Output)
	count(`,"cacheRead":`, u.CacheRead)
	count(`,"cacheWrite":`, u.CacheWrite)
	if u.Reasoning != nil {
		count(`,"reasoning":`, *u.Reasoning)
	}
	count(`,"totalTokens":`, u.TotalTokens)
	price := func(key string, v float64) {
		dst = append(dst, key...)
		dst = strconv.AppendFloat(dst, v, 'g', -1, 64)
	}
	price(`,"cost":{"input":`, u.Cost.Input)
	price(`,"output":`, u.Cost.Output)
	price(`,"cacheRead":`, u.Cost.CacheRead)
	price(`,"cacheWrite":`, u.Cost.CacheWrite)
	price(`,"total":`, u.Cost.Total)
	return append(dst, `}}`...)
}

// Cost is the price of an answer in US dollars.
type Cost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
	Total      float64 `json:"total"`
	// Reported says that Total comes from the provider (Pi 1.x).
	Reported bool `json:"totalFromProvider,omitzero"`
}

// Pricing is a model's price in US dollars per million tokens.
type Pricing struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
	// Tiers are prices of larger requests.
	Tiers   []PricingTier  `json:"tiers,omitzero"`
	Unknown jsontext.Value `json:",embed"`
}

// PricingTier is the price of a whole request whose input, cached tokens included, is
// larger than InputTokensAbove.
type PricingTier struct {
	InputTokensAbove int     `json:"inputTokensAbove"`
	Input            float64 `json:"input"`
	Output           float64 `json:"output"`
	CacheRead        float64 `json:"cacheRead"`
	CacheWrite       float64 `json:"cacheWrite"`
}

// Of returns what u costs. The highest tier that u exceeds prices the whole request;
// cache writes that are kept for an hour cost twice the input rate. A negative rate
// stands for an unknown price and counts as zero.
func (p Pricing) Of(u Usage) Cost {
	rates := PricingTier{Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite}
	prompt := u.Input + u.CacheRead + u.CacheWrite
	above := -1
	for _, tier := range p.Tiers {
		if prompt > tier.InputTokensAbove && tier.InputTokensAbove > above {
			rates, above = tier, tier.InputTokensAbove
		}
	}
	hour := 0
	if u.CacheWrite1h != nil {
		hour = *u.CacheWrite1h
	}
	price := func(tokens int, rate float64) float64 { return max(rate, 0) / 1e6 * float64(tokens) }
	c := Cost{
		Input:      price(u.Input, rates.Input),
		Output:     price(u.Output, rates.Output),
		CacheRead:  price(u.CacheRead, rates.CacheRead),
		CacheWrite: price(u.CacheWrite-hour, rates.CacheWrite) + price(hour, 2*rates.Input),
	}
	c.Total = c.Input + c.Output + c.CacheRead + c.CacheWrite
	return c
}

// unknown reports whether a rate stands for a price that is not known, as catalogues have it
// for routers.
func (p Pricing) unknown() bool {
	return min(p.Input, p.Output, p.CacheRead, p.CacheWrite) < 0
}

// DiagnosticPriceUnknown is the type of the note on an answer that says that its cost leaves
// out what is not known.
const DiagnosticPriceUnknown = "price_unknown"
