package agent

import (
	"fmt"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// Message is one entry of an agent's transcript: a message of package ai, or a kind of
// the product's own. A kind of the product's own is any type with a Role that no other
// kind has; [RegisterMessage] makes it known to [DecodeMessage], and
// [Hooks.ConvertToLLM] decides what a model sees of it.
//
// Messages are used through pointers and never changed once they have been handed on.
type Message interface {
	// Role is the message's discriminant on the wire.
	Role() string
}

var kinds struct {
	sync.RWMutex
	decode map[string]func(jsontext.Value) (Message, error)
}

// RegisterMessage makes a message kind known to [DecodeMessage]. T is the struct; its
// pointer implements [Message] and json's marshalling, which must write the role. It is
// called from an init function or a package variable, and panics if the role is taken.
func RegisterMessage[T any, P interface {
	*T
	Message
}](role string) {
	kinds.Lock()
	defer kinds.Unlock()
	switch role {
	case ai.RoleUser, ai.RoleAssistant, ai.RoleToolResult, ai.RoleSystem:
		panic(fmt.Sprintf("agent: the message role %q belongs to package ai", role))
	}
	if _, taken := kinds.decode[role]; taken {
		panic(fmt.Sprintf("agent: the message role %q is registered already", role))
	}
	if kinds.decode == nil {
		kinds.decode = make(map[string]func(jsontext.Value) (Message, error))
	}
	kinds.decode[role] = func(raw jsontext.Value) (Message, error) {
		m := P(new(T))
		if err := json.Unmarshal(raw, m); err != nil {
			return nil, fmt.Errorf("read message of role %q: %w", role, err)
		}
		return m, nil
	}
}

// DecodeMessage reads one message of any registered kind. A role that nobody registered
// gives an [*ai.UnknownMessage], which keeps its JSON byte for byte.
func DecodeMessage(raw jsontext.Value) (Message, error) {
	m, err := ai.DecodeMessage(raw)
	if err != nil {
		return nil, err
	}
	unknown, ok := m.(*ai.UnknownMessage)
	if !ok {
		return m, nil
	}
	kinds.RLock()
	decode := kinds.decode[unknown.Role()]
	kinds.RUnlock()
	if decode == nil {
		return unknown, nil
	}
	return decode(raw)
}

// ForModel is the default of [Hooks.ConvertToLLM]: it keeps the user, assistant,
// toolResult and system messages and drops all others.
func ForModel(messages []Message) []ai.Message {
	out := make([]ai.Message, 0, len(messages))
	for _, m := range messages {
		switch m := m.(type) {
		case *ai.UserMessage:
			out = append(out, m)
		case *ai.AssistantMessage:
			out = append(out, m)
		case *ai.ToolResultMessage:
			out = append(out, m)
		case *ai.SystemMessage:
			out = append(out, m)
		}
	}
	return out
}
