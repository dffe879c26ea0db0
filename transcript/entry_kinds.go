package transcript

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

// The types of entries, from Pi 0.85 and, for usage and context_edit, Pi 1.6.
const (
	TypeMessage       = "message"
	TypeThinkingLevel = "thinking_level_change"
	TypeModel         = "model_change"
	TypeCompaction    = "compaction"
	TypeBranchSummary = "branch_summary"
	TypeCustom        = "custom"
	TypeCustomMessage = "custom_message"
	TypeLabel         = "label"
	TypeInfo          = "session_info"
	TypeUsage         = "usage"
	TypeContextEdit   = "context_edit"
)

// MessageEntry is a message of the conversation.
type MessageEntry struct {
	EntryBase
	Message agent.Message  `json:"message"`
	Unknown jsontext.Value `json:",embed"`
}

// ThinkingLevelEntry says at which level the model thinks from here on.
type ThinkingLevelEntry struct {
	EntryBase
	ThinkingLevel ai.ThinkingLevel `json:"thinkingLevel"`
	Unknown       jsontext.Value   `json:",embed"`
}

// ModelEntry says which model answers from here on.
type ModelEntry struct {
	EntryBase
	Provider string         `json:"provider"`
	ModelID  string         `json:"modelId"`
	Unknown  jsontext.Value `json:",embed"`
}

// CompactionEntry replaces the older part of the path by a summary.
type CompactionEntry struct {
	EntryBase
	Summary string `json:"summary"`
	// FirstKeptEntryID is the oldest entry that the model still sees as it is; the
	// compaction's own id keeps nothing (Pi 1.6).
	FirstKeptEntryID EntryID `json:"firstKeptEntryId"`
	// TokensBefore is the size of the context that was compacted.
	TokensBefore int            `json:"tokensBefore"`
	Details      jsontext.Value `json:"details,omitzero"`
	// Usage is what making the summary took.
	Usage *ai.Usage `json:"usage,omitzero"`
	// FromHook says that an extension made the summary.
	FromHook bool `json:"fromHook"`
	// SystemMessage is the system message that is in force at this point (Pi 1.6).
	SystemMessage jsontext.Value `json:"systemMessage,omitzero"`
	Unknown       jsontext.Value `json:",embed"`
}

// BranchSummaryEntry tells the model about a branch that was left.
type BranchSummaryEntry struct {
	EntryBase
	// FromID is the entry at which the branch was left.
	FromID   EntryID        `json:"fromId"`
	Summary  string         `json:"summary"`
	Details  jsontext.Value `json:"details,omitzero"`
	Usage    *ai.Usage      `json:"usage,omitzero"`
	FromHook bool           `json:"fromHook,omitzero"`
	Unknown  jsontext.Value `json:",embed"`
}

// CustomEntry is data of an extension; the model does not see it.
type CustomEntry struct {
	EntryBase
	CustomType string         `json:"customType"`
	Data       jsontext.Value `json:"data,omitzero"`
	Unknown    jsontext.Value `json:",embed"`
}

// CustomMessageEntry is a message of an extension; the model sees its content.
type CustomMessageEntry struct {
	EntryBase
	CustomType string        `json:"customType"`
	Content    CustomContent `json:"content"`
	// Display says whether a person sees the message.
	Display bool           `json:"display"`
	Details jsontext.Value `json:"details,omitzero"`
	Unknown jsontext.Value `json:",embed"`
}

// LabelEntry marks another entry; an empty label takes the mark away.
type LabelEntry struct {
	EntryBase
	TargetID EntryID        `json:"targetId"`
	Label    string         `json:"label,omitzero"`
	Unknown  jsontext.Value `json:",embed"`
}

// InfoEntry names the session.
type InfoEntry struct {
	EntryBase
	Name    string         `json:"name"`
	Unknown jsontext.Value `json:",embed"`
}

// UsageEntry records what was spent outside of the conversation (Pi 1.6).
type UsageEntry struct {
	EntryBase
	Kind     string         `json:"kind"`
	Provider string         `json:"provider"`
	Model    string         `json:"model"`
	Usage    *ai.Usage      `json:"usage"`
	Note     string         `json:"note,omitzero"`
	Unknown  jsontext.Value `json:",embed"`
}

// ContextEditEntry hides an earlier message from the model or rewrites it (Pi 1.6).
type ContextEditEntry struct {
	EntryBase
	TargetID EntryID `json:"targetId"`
	// Replacement is nil for a message that is hidden.
	Replacement *Replacement   `json:"replacement"`
	Unknown     jsontext.Value `json:",embed"`
}

// Replacement is what the model sees in place of a message's content.
type Replacement struct {
	Content ai.Content     `json:"content"`
	Unknown jsontext.Value `json:",embed"`
}

// UnknownEntry is an entry of a type that this package does not know, or one whose fields
// do not have the form that its type asks for.
type UnknownEntry struct {
	EntryBase
	// Err says what is wrong with an entry of a known type; nil for an unknown one.
	Err error `json:"-"`
	// Fields are all fields but those of the base.
	Fields jsontext.Value `json:",embed"`

	typ string
}

// Type returns "message".
func (*MessageEntry) Type() string { return TypeMessage }

// Type returns "thinking_level_change".
func (*ThinkingLevelEntry) Type() string { return TypeThinkingLevel }

// Type returns "model_change".
func (*ModelEntry) Type() string { return TypeModel }

// Type returns "compaction".
func (*CompactionEntry) Type() string { return TypeCompaction }

// Type returns "branch_summary".
func (*BranchSummaryEntry) Type() string { return TypeBranchSummary }

// Type returns "custom".
func (*CustomEntry) Type() string { return TypeCustom }

// Type returns "custom_message".
func (*CustomMessageEntry) Type() string { return TypeCustomMessage }

// Type returns "label".
func (*LabelEntry) Type() string { return TypeLabel }

// Type returns "session_info".
func (*InfoEntry) Type() string { return TypeInfo }

// Type returns "usage".
func (*UsageEntry) Type() string { return TypeUsage }

// Type returns "context_edit".
func (*ContextEditEntry) Type() string { return TypeContextEdit }

// Type returns the discriminant found in the JSON, which may be empty.
func (e *UnknownEntry) Type() string { return e.typ }

func (*MessageEntry) entry()       {}
func (*ThinkingLevelEntry) entry() {}
func (*ModelEntry) entry()         {}
func (*CompactionEntry) entry()    {}
func (*BranchSummaryEntry) entry() {}
func (*CustomEntry) entry()        {}
func (*CustomMessageEntry) entry() {}
func (*LabelEntry) entry()         {}
func (*InfoEntry) entry()          {}
func (*UsageEntry) entry()         {}
func (*ContextEditEntry) entry()   {}
func (*UnknownEntry) entry()       {}

// The plain types have the fields of the entries but not their methods.
type (
	plainMessage       MessageEntry
	plainThinkingLevel ThinkingLevelEntry
	plainModel         ModelEntry
	plainCompaction    CompactionEntry
	plainBranchSummary BranchSummaryEntry
	plainCustom        CustomEntry
	plainCustomMessage CustomMessageEntry
	plainLabel         LabelEntry
	plainInfo          InfoEntry
	plainUsage         UsageEntry
	plainContextEdit   ContextEditEntry
	plainUnknown       UnknownEntry
)

// encode writes an entry as it was read, or else from its fields.
func encode[T any](e *jsontext.Encoder, entry Entry, plain *T) error {
	if raw := entry.Base().raw; raw != nil {
		return e.WriteValue(raw)
	}
	return json.MarshalEncode(e, typed[T]{entry.Type(), plain})
}

// MarshalJSONTo writes the entry with its type.
func (e *MessageEntry) MarshalJSONTo(enc *jsontext.Encoder) error {
	return encode(enc, e, (*plainMessage)(e))
}

// MarshalJSONTo writes the entry with its type.
func (e *ThinkingLevelEntry) MarshalJSONTo(enc *jsontext.Encoder) error {
	return encode(enc, e, (*plainThinkingLevel)(e))
}

// MarshalJSONTo writes the entry with its type.
func (e *ModelEntry) MarshalJSONTo(enc *jsontext.Encoder) error {
	return encode(enc, e, (*plainModel)(e))
}

// MarshalJSONTo writes the entry with its type.
func (e *CompactionEntry) MarshalJSONTo(enc *jsontext.Encoder) error {
	return encode(enc, e, (*plainCompaction)(e))
}

// MarshalJSONTo writes the entry with its type.
func (e *BranchSummaryEntry) MarshalJSONTo(enc *jsontext.Encoder) error {
	return encode(enc, e, (*plainBranchSummary)(e))
}

// MarshalJSONTo writes the entry with its type.
func (e *CustomEntry) MarshalJSONTo(enc *jsontext.Encoder) error {
	return encode(enc, e, (*plainCustom)(e))
}

// MarshalJSONTo writes the entry with its type.
func (e *CustomMessageEntry) MarshalJSONTo(enc *jsontext.Encoder) error {
	return encode(enc, e, (*plainCustomMessage)(e))
}

// MarshalJSONTo writes the entry with its type.
func (e *LabelEntry) MarshalJSONTo(enc *jsontext.Encoder) error {
	return encode(enc, e, (*plainLabel)(e))
}

// MarshalJSONTo writes the entry with its type.
func (e *InfoEntry) MarshalJSONTo(enc *jsontext.Encoder) error {
	return encode(enc, e, (*plainInfo)(e))
}

// MarshalJSONTo writes the entry with its type.
func (e *UsageEntry) MarshalJSONTo(enc *jsontext.Encoder) error {
	return encode(enc, e, (*plainUsage)(e))
}

// MarshalJSONTo writes the entry with its type.
func (e *ContextEditEntry) MarshalJSONTo(enc *jsontext.Encoder) error {
	return encode(enc, e, (*plainContextEdit)(e))
}

// MarshalJSONTo writes the entry as it was read.
func (e *UnknownEntry) MarshalJSONTo(enc *jsontext.Encoder) error {
	return encode(enc, e, (*plainUnknown)(e))
}
