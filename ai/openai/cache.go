package openai

import (
	"net/http"

	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// cacheControl marks the end of a part of the prompt that the server may keep.
type cacheControl struct {
	Type string `json:"type"`
	TTL  string `json:"ttl,omitzero"`
}

// Retentions of Options.CacheRetention.
const (
	cacheNone = "none"
	cacheLong = "long"
)

// keepsLong reports whether the prompt is to be kept long and the server can do it.
func (b *builder) keepsLong() bool {
	return b.req.Options.CacheRetention == cacheLong && b.compat.SupportsLongCacheRetention
}

// cache asks the server to keep the prompt.
func (b *builder) cache(r *body) {
	if b.req.Options.CacheRetention == cacheNone {
		return
	}
	if b.compat.CacheControlFormat == "anthropic" {
		mark := &cacheControl{Type: "ephemeral"}
		if b.keepsLong() {
			mark.TTL = "1h"
		}
		markPrompt(r, mark)
		return
	}
	official := hostOf(b.baseURL()) == "api.openai.com"
	if official || b.keepsLong() {
		r.PromptCacheKey = wire.CacheKey(b.req.Options.SessionID)
	}
	if b.keepsLong() {
		r.PromptCacheRetention = "24h"
	}
}

// markPrompt marks the instructions, the last tool, and the last text of the
// conversation.
func markPrompt(r *body, mark *cacheControl) {
	if n := len(r.Tools); n > 0 {
		r.Tools[n-1].CacheControl = mark
	}
	if len(r.Messages) > 0 && isInstruction(r.Messages[0]) {
		r.Messages[0].Content.mark(mark)
	}
	for i := len(r.Messages) - 1; i >= 0 && !isInstruction(r.Messages[i]); i-- {
		if r.Messages[i].Content.mark(mark) {
			return
		}
	}
}

func isInstruction(m message) bool { return m.Role == "system" || m.Role == "developer" }

// mark marks the last text of c; false if it has none.
func (c *content) mark(mark *cacheControl) bool {
	if c.parts == nil {
		if c.text == "" {
			return false
		}
		c.parts = []part{textPart(c.text)}
	}
	for i := len(c.parts) - 1; i >= 0; i-- {
		if c.parts[i].Type == "text" {
			c.parts[i].CacheControl = mark
			return true
		}
	}
	return false
}

// header returns what the wire itself sends: the key, and where the server wants it the
// session.
func (b *builder) header() http.Header {
	h := wire.Bearer(b.req.Options.APIKey)
	session := b.req.Options.SessionID
	if session == "" || !b.compat.SendSessionAffinityHeaders || b.req.Options.CacheRetention == cacheNone {
		return h
	}
	wire.SetSession(h, session, b.compat.SessionAffinityFormat)
	if b.compat.SessionAffinityFormat != "openrouter" {
		h.Set("X-Session-Affinity", session)
	}
	return h
}
