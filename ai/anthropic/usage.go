package anthropic

// wireUsage is the token counts of message_start, which message_delta replaces one by
// one. Input leaves out what was read from or written to the cache.
type wireUsage struct {
	Input         *int           `json:"input_tokens"`
	Output        *int           `json:"output_tokens"`
	CacheRead     *int           `json:"cache_read_input_tokens"`
	CacheWrite    *int           `json:"cache_creation_input_tokens"`
	CacheCreation *cacheCreation `json:"cache_creation"`
	OutputDetails struct {
		Thinking *int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// cacheCreation is cache writes by how long they are kept.
type cacheCreation struct {
	FiveMinutes int `json:"ephemeral_5m_input_tokens"`
	Hour        int `json:"ephemeral_1h_input_tokens"`
}

// setUsage takes over the counts that u has.
func (d *decoder) setUsage(u *wireUsage) {
	assign(&d.usage.Input, u.Input)
	assign(&d.usage.Output, u.Output)
	assign(&d.usage.CacheRead, u.CacheRead)
	if c := u.CacheCreation; c != nil {
		d.usage.CacheWrite = c.FiveMinutes + c.Hour
		d.usage.CacheWrite1h = &c.Hour
	}
	assign(&d.usage.CacheWrite, u.CacheWrite)
	if n := u.OutputDetails.Thinking; n != nil {
		d.usage.Reasoning = n
	}
	d.w.SetUsage(d.usage)
}

func assign(to, from *int) {
	if from != nil {
		*to = max(*from, 0)
	}
}
