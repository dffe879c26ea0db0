package session

import "github.com/rondo-agent/rondo/ai"

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

func nameOf(m *ai.Model) ModelName { return ModelName{m.Provider, m.ID} }

type (
	// ModelFallback says that another model takes over, for the rest of a prompt. It is an
	// addition of Rondo's.
	ModelFallback struct {
		From   ModelName      `json:"from"`
		To     ModelName      `json:"to"`
		Reason FallbackReason `json:"reason"`
		// ErrorMessage is what the model that cannot answer has failed with.
		ErrorMessage string `json:"errorMessage"`
	}
	// ModelRestored says that the chosen model is that of the session again, as the prompt
	// has settled.
	ModelRestored struct {
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
