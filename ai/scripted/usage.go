package scripted

import (
	"hash/fnv"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// noRetention is the value of [ai.Options.CacheRetention] that turns caching off.
const noRetention = "none"

// promptCache simulates the prompt cache of a provider: it knows the latest prompt of
// each session. The zero value is empty.
type promptCache struct {
	mu       sync.Mutex
	sessions map[string][]uint64
}

// usage returns the counts of a request's prompt, and keeps the prompt.
func (c *promptCache) usage(req *ai.Request) ai.Usage {
	prompt := ai.EstimateTokens(req.Context)
	id := req.Options.SessionID
	if id == "" || req.Options.CacheRetention == noRetention {
		return ai.Usage{Input: prompt}
	}
	read := ai.EstimateTokens(shared(req.Context, c.replace(id, digest(req.Context))))
	return ai.Usage{CacheRead: read, CacheWrite: max(prompt-read, 0)}
}

// replace keeps a session's prompt and returns how many parts of it are as before.
func (c *promptCache) replace(id string, prompt []uint64) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.sessions[id]
	if c.sessions == nil {
		c.sessions = make(map[string][]uint64)
	}
	c.sessions[id] = prompt
	same := 0
	for same < min(len(old), len(prompt)) && old[same] == prompt[same] {
		same++
	}
	return same
}

// shared returns the beginning of c that consists of this many parts.
func shared(c ai.Context, parts int) ai.Context {
	if parts == 0 {
		return ai.Context{}
	}
	c.Messages = c.Messages[:parts-1]
	return c
}

// digest returns a hash for each part of a prompt: system prompt and tools are the first,
// and each message is another.
func digest(c ai.Context) []uint64 {
	parts := make([]uint64, 0, len(c.Messages)+1)
	parts = append(parts, hash(c.SystemPrompt, c.Tools))
	for _, m := range c.Messages {
		parts = append(parts, hash(m.Role(), m))
	}
	return slices.Clip(parts)
}

func hash(head string, v any) uint64 {
	h := fnv.New64a()
	h.Write([]byte(head))
	// What cannot be written as JSON has only its head to be known by.
	_ = json.MarshalWrite(h, v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	return h.Sum64()
}
