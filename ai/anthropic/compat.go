package anthropic

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
)

// compat says how a server differs from Anthropic's own; see the package's comment.
type compat struct {
	EagerToolInput  bool `json:"supportsEagerToolInputStreaming"`
	LongCache       bool `json:"supportsLongCacheRetention"`
	CacheOnTools    bool `json:"supportsCacheControlOnTools"`
	Temperature     bool `json:"supportsTemperature"`
	Adaptive        bool `json:"forceAdaptiveThinking"`
	EmptySignature  bool `json:"allowEmptySignature"`
	SessionAffinity bool `json:"sendSessionAffinityHeaders"`
}

func compatOf(m *ai.Model) (compat, error) {
	c := compat{EagerToolInput: true, LongCache: true, CacheOnTools: true, Temperature: true}
	if len(m.Compat) == 0 {
		return c, nil
	}
	if err := json.Unmarshal(m.Compat, &c); err != nil {
		return c, fmt.Errorf("read \"compat\" of model %s/%s: %w", m.Provider, m.ID, err)
	}
	return c, nil
}
