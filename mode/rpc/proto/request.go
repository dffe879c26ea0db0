package proto

import "github.com/rondo-agent/rondo/ai"

// Delivery says what becomes of a prompt while the agent works; empty refuses it then.
type Delivery string

// The deliveries.
const (
	// DeliverSteer queues for the next request of the run.
	DeliverSteer Delivery = "steer"
	// DeliverFollowUp queues for when the run would stop.
	DeliverFollowUp Delivery = "followUp"
	// DeliverAbort aborts what the agent does and begins with the prompt. It is an addition to
	// Pi 0.85.
	DeliverAbort Delivery = "abort"
)

// QueueMode says how many queued messages are delivered at one point.
type QueueMode string

// The modes of queues.
const (
	OneAtATime QueueMode = "one-at-a-time"
	All        QueueMode = "all"
)

type (
	// PromptRequest is a message of the user. It needs a message or images.
	PromptRequest struct {
		Message           string      `json:"message"`
		Images            []*ai.Image `json:"images,omitzero"`
		StreamingBehavior Delivery    `json:"streamingBehavior,omitzero"`
		// Disposition asks for a [PromptAnswer]. It is an addition to Pi 0.85.
		Disposition bool `json:"disposition,omitzero"`
	}
	// QueueRequest is a message for a queue.
	QueueRequest struct {
		Message string      `json:"message"`
		Images  []*ai.Image `json:"images,omitzero"`
	}
	// ModeRequest chooses how a queue is delivered.
	ModeRequest struct {
		Mode QueueMode `json:"mode"`
	}
	// ModelName names a model.
	ModelName struct {
		Provider string `json:"provider"`
		ModelID  string `json:"modelId"`
	}
	// Thinking is a level of thinking.
	Thinking struct {
		Level ai.ThinkingLevel `json:"level"`
	}
	// BashRequest is a shell command of the user's.
	BashRequest struct {
		Command string `json:"command"`
		// ExcludeFromContext keeps the command and its output from the model.
		ExcludeFromContext bool `json:"excludeFromContext,omitzero"`
	}
	// CompactRequest asks for a summary; the instructions may be empty.
	CompactRequest struct {
		CustomInstructions string `json:"customInstructions,omitzero"`
	}
	// Switch turns something on or off. Enabled is a pointer because a request without it is
	// refused.
	Switch struct {
		Enabled *bool `json:"enabled"`
	}
	// NewSessionRequest begins a session; the parent, which may be empty, is the file that it
	// comes from.
	NewSessionRequest struct {
		ParentSession string `json:"parentSession,omitzero"`
	}
	// SwitchRequest names the file of a session to go on with.
	SwitchRequest struct {
		SessionPath string `json:"sessionPath"`
	}
	// ForkRequest names the message of the user that a fork begins before.
	ForkRequest struct {
		EntryID string `json:"entryId"`
	}
	// NameRequest names the session.
	NameRequest struct {
		Name string `json:"name"`
	}
	// EntriesRequest asks for the entries after one; empty asks for all.
	EntriesRequest struct {
		Since string `json:"since,omitzero"`
	}
	// ExportRequest names the file to write; empty lets the agent choose.
	ExportRequest struct {
		OutputPath string `json:"outputPath,omitzero"`
	}
)

// On and Off are requests of the commands that switch something.
var (
	On  = Switch{Enabled: new(true)}
	Off = Switch{Enabled: new(false)}
)
