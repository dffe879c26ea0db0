package event

import (
	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

// The discriminants of the events about models that stand in for others.
const (
	EventModelFallback = "model_fallback"
	EventModelRestored = "model_restored"
)

// ModelName names a model.
type ModelName struct {
	Provider string `json:"provider"`
	ModelID  string `json:"modelId"`
}

// NameOf returns the name of a model.
func NameOf(m *ai.Model) ModelName { return ModelName{m.Provider, m.ID} }

type (
	// ModelFallback says that another model takes over, for the rest of a prompt. It is an
	// addition of Rondo's.
	ModelFallback struct {
		agent.Sealed `json:"-"`

		From   ModelName      `json:"from"`
		To     ModelName      `json:"to"`
		Reason FallbackReason `json:"reason"`
		// ErrorMessage is what the model that cannot answer has failed with.
		ErrorMessage string `json:"errorMessage"`
	}
	// ModelRestored says that the chosen model is that of the session again, as the prompt
	// has settled.
	ModelRestored struct {
		agent.Sealed `json:"-"`

		From ModelName `json:"from"`
		To   ModelName `json:"to"`
	}
)

// Type returns "model_fallback".
func (*ModelFallback) Type() string { return EventModelFallback }

// AppendJSON implements [Event].
func (e *ModelFallback) AppendJSON(dst []byte) []byte { return appendEvent(dst, e) }

// Type returns "model_restored".
func (*ModelRestored) Type() string { return EventModelRestored }

// AppendJSON implements [Event].
func (e *ModelRestored) AppendJSON(dst []byte) []byte { return appendEvent(dst, e) }

// FallbackReason says why another model takes over.
type FallbackReason string

// The reasons.
const (
	// FallbackOverload: the provider has too much to do.
	FallbackOverload FallbackReason = "overload"
	// FallbackQuota: a quota or a budget is used up.
	FallbackQuota FallbackReason = "quota"
	// FallbackOutage: the provider cannot be reached, or is broken.
	FallbackOutage FallbackReason = "outage"
)
