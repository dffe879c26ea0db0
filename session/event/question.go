package event

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
)

// The discriminants of the events about questions.
const (
	EventQuestion    = "question"
	EventQuestionEnd = "question_end"
)

// QuestionKind says what a [Question] asks for.
type QuestionKind string

// The kinds of questions.
const (
	// QuestionConfirm asks for yes or no.
	QuestionConfirm QuestionKind = "confirm"
	// QuestionSelect asks for one of the options.
	QuestionSelect QuestionKind = "select"
	// QuestionInput asks for a text.
	QuestionInput QuestionKind = "input"
	// QuestionApproval asks whether a call of a tool may run.
	QuestionApproval QuestionKind = "approval"
)

type (
	// Question asks the person at the other end; the work that asks waits for the answer. It is
	// an addition of Rondo's.
	Question struct {
		agent.Sealed `json:"-"`

		// ID names the question for its answer.
		ID      string       `json:"id"`
		Kind    QuestionKind `json:"kind"`
		Title   string       `json:"title"`
		Message string       `json:"message,omitzero"`
		// Options are what a select chooses from.
		Options []string `json:"options,omitzero"`
		// ToolCallID, ToolName and Args are the call of an approval.
		ToolCallID string         `json:"toolCallId,omitzero"`
		ToolName   string         `json:"toolName,omitzero"`
		Args       jsontext.Value `json:"args,omitzero"`
	}
	// QuestionEnd says that a question needs no answer any more.
	QuestionEnd struct {
		agent.Sealed `json:"-"`

		ID string `json:"id"`
		// Answered is false if what asked was ended instead.
		Answered bool `json:"answered"`
	}
)

// Type returns "question".
func (*Question) Type() string { return EventQuestion }

// AppendJSON implements [Event].
func (e *Question) AppendJSON(dst []byte) []byte { return appendEvent(dst, e) }

// Type returns "question_end".
func (*QuestionEnd) Type() string { return EventQuestionEnd }

// AppendJSON implements [Event].
func (e *QuestionEnd) AppendJSON(dst []byte) []byte { return appendEvent(dst, e) }
