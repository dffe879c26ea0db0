package compaction

import "github.com/rondo-agent/rondo/ai"

// AddUsage adds up what several answers took. The sum so far may be nil.
func AddUsage(sum *ai.Usage, u ai.Usage) *ai.Usage {
	if sum == nil {
		return &u
	}
	out := *sum
	out.Input += u.Input
	out.Output += u.Output
	out.CacheRead += u.CacheRead
	out.CacheWrite += u.CacheWrite
	out.CacheWrite1h = addOptional(out.CacheWrite1h, u.CacheWrite1h)
	out.Reasoning = addOptional(out.Reasoning, u.Reasoning)
	out.TotalTokens += u.TotalTokens
	out.Cost.Input += u.Cost.Input
	out.Cost.Output += u.Cost.Output
	out.Cost.CacheRead += u.Cost.CacheRead
	out.Cost.CacheWrite += u.Cost.CacheWrite
	out.Cost.Total += u.Cost.Total
	out.Cost.Reported = out.Cost.Reported && u.Cost.Reported
	return &out
}

func addOptional(a, b *int) *int {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	n := *a + *b
	return &n
}
