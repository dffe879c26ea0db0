package ai

import "github.com/go-json-experiment/json"

// The methods of this file make the JSON forms the same for encoding/json.

// MarshalJSON writes the block with its type.
func (b *Text) MarshalJSON() ([]byte, error) { return json.Marshal(b) }

// MarshalJSON writes the block with its type.
func (b *Thinking) MarshalJSON() ([]byte, error) { return json.Marshal(b) }

// MarshalJSON writes the block with its type.
func (b *Image) MarshalJSON() ([]byte, error) { return json.Marshal(b) }

// MarshalJSON writes the block with its type.
func (b *ToolCall) MarshalJSON() ([]byte, error) { return json.Marshal(b) }

// MarshalJSON writes the block as it was read.
func (b *UnknownBlock) MarshalJSON() ([]byte, error) { return b.Raw, nil }

// MarshalJSON writes an array of blocks.
func (c Content) MarshalJSON() ([]byte, error) { return json.Marshal(c) }

// UnmarshalJSON reads an array of blocks, a string, or null.
func (c *Content) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, c) }

// MarshalJSON writes the message with its role.
func (m *UserMessage) MarshalJSON() ([]byte, error) { return json.Marshal(m) }

// MarshalJSON writes the message with its role.
func (m *AssistantMessage) MarshalJSON() ([]byte, error) { return json.Marshal(m) }

// MarshalJSON writes the message with its role.
func (m *ToolResultMessage) MarshalJSON() ([]byte, error) { return json.Marshal(m) }

// MarshalJSON writes the message with its role.
func (m *SystemMessage) MarshalJSON() ([]byte, error) { return json.Marshal(m) }

// MarshalJSON writes the message as it was read.
func (m *UnknownMessage) MarshalJSON() ([]byte, error) { return m.Raw, nil }
