package transcript

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

// The roles that a session adds to those of package ai, as Pi 0.85 names them.
const (
	RoleBashExecution     = "bashExecution"
	RoleCustom            = "custom"
	RoleBranchSummary     = "branchSummary"
	RoleCompactionSummary = "compactionSummary"
)

func init() {
	agent.RegisterMessage[BashExecution](RoleBashExecution)
	agent.RegisterMessage[CustomMessage](RoleCustom)
	agent.RegisterMessage[BranchSummary](RoleBranchSummary)
	agent.RegisterMessage[CompactionSummary](RoleCompactionSummary)
}

// BashExecution is a shell command that the user ran.
type BashExecution struct {
	Command string `json:"command"`
	// Output is what the command wrote, possibly cut.
	Output string `json:"output"`
	// ExitCode is nil for a command that did not come to its end.
	ExitCode  *int `json:"exitCode,omitzero"`
	Cancelled bool `json:"cancelled"`
	// Truncated says that Output is cut; FullOutputPath is the file that has all of it.
	Truncated      bool   `json:"truncated"`
	FullOutputPath string `json:"fullOutputPath,omitzero"`
	// ExcludeFromContext keeps the command from the model.
	ExcludeFromContext bool `json:"excludeFromContext,omitzero"`
	// Timestamp is in milliseconds since 1970.
	Timestamp int64          `json:"timestamp"`
	Unknown   jsontext.Value `json:",embed"`
}

// CustomMessage is a message of an extension; a model sees it as one of the user.
type CustomMessage struct {
	CustomType string        `json:"customType"`
	Content    CustomContent `json:"content"`
	// Display says whether a person sees the message.
	Display bool           `json:"display"`
	Details jsontext.Value `json:"details,omitzero"`
	// Timestamp is in milliseconds since 1970.
	Timestamp int64          `json:"timestamp"`
	Unknown   jsontext.Value `json:",embed"`
}

// BranchSummary tells a model about a branch of the conversation that was left.
type BranchSummary struct {
	Summary string `json:"summary"`
	// FromID is the entry at which the branch was left.
	FromID EntryID `json:"fromId"`
	// Timestamp is in milliseconds since 1970.
	Timestamp int64          `json:"timestamp"`
	Unknown   jsontext.Value `json:",embed"`
}

// CompactionSummary stands for the older part of a conversation.
type CompactionSummary struct {
	Summary string `json:"summary"`
	// TokensBefore is the size of the context that was compacted.
	TokensBefore int `json:"tokensBefore"`
	// Timestamp is in milliseconds since 1970.
	Timestamp int64          `json:"timestamp"`
	Unknown   jsontext.Value `json:",embed"`
}

// Role returns "bashExecution".
func (*BashExecution) Role() string { return RoleBashExecution }

// Role returns "custom".
func (*CustomMessage) Role() string { return RoleCustom }

// Role returns "branchSummary".
func (*BranchSummary) Role() string { return RoleBranchSummary }

// Role returns "compactionSummary".
func (*CompactionSummary) Role() string { return RoleCompactionSummary }

// roled is the JSON form of a message, whose role is not a Go field.
type roled[T any] struct {
	Role string `json:"role"`
	Body *T     `json:",embed"`
}

// The bodies have the fields of the messages but not their methods.
type (
	bashBody       BashExecution
	customBody     CustomMessage
	branchBody     BranchSummary
	compactionBody CompactionSummary
)

// MarshalJSONTo writes the message with its role.
func (m *BashExecution) MarshalJSONTo(e *jsontext.Encoder) error {
	return json.MarshalEncode(e, roled[bashBody]{RoleBashExecution, (*bashBody)(m)})
}

// MarshalJSONTo writes the message with its role.
func (m *CustomMessage) MarshalJSONTo(e *jsontext.Encoder) error {
	return json.MarshalEncode(e, roled[customBody]{RoleCustom, (*customBody)(m)})
}

// MarshalJSONTo writes the message with its role.
func (m *BranchSummary) MarshalJSONTo(e *jsontext.Encoder) error {
	return json.MarshalEncode(e, roled[branchBody]{RoleBranchSummary, (*branchBody)(m)})
}

// MarshalJSONTo writes the message with its role.
func (m *CompactionSummary) MarshalJSONTo(e *jsontext.Encoder) error {
	return json.MarshalEncode(e, roled[compactionBody]{RoleCompactionSummary, (*compactionBody)(m)})
}

// UnmarshalJSONFrom reads the message; its role is not looked at.
func (m *BashExecution) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return json.UnmarshalDecode(d, &roled[bashBody]{Body: (*bashBody)(m)})
}

// UnmarshalJSONFrom reads the message; its role is not looked at.
func (m *CustomMessage) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return json.UnmarshalDecode(d, &roled[customBody]{Body: (*customBody)(m)})
}

// UnmarshalJSONFrom reads the message; its role is not looked at.
func (m *BranchSummary) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return json.UnmarshalDecode(d, &roled[branchBody]{Body: (*branchBody)(m)})
}

// UnmarshalJSONFrom reads the message; its role is not looked at.
func (m *CompactionSummary) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return json.UnmarshalDecode(d, &roled[compactionBody]{Body: (*compactionBody)(m)})
}

// CustomContent is the content of an extension's message: a text or blocks. The JSON form
// is a string or an array, whichever it was.
type CustomContent struct {
	Text   string
	Blocks ai.Content // if not nil, Text is not used
}

// Content returns the content as blocks.
func (c CustomContent) Content() ai.Content {
	if c.Blocks != nil {
		return c.Blocks
	}
	return ai.TextContent(c.Text)
}

// MarshalJSONTo writes a string or an array of blocks.
func (c CustomContent) MarshalJSONTo(e *jsontext.Encoder) error {
	if c.Blocks != nil {
		return json.MarshalEncode(e, c.Blocks)
	}
	return json.MarshalEncode(e, c.Text)
}

// UnmarshalJSONFrom reads a string, an array of blocks, or null, which is an empty text.
func (c *CustomContent) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	*c = CustomContent{}
	if d.PeekKind() == '[' {
		c.Blocks = ai.Content{}
		return json.UnmarshalDecode(d, &c.Blocks)
	}
	return json.UnmarshalDecode(d, &c.Text)
}

// ForModel makes what a model sees of a transcript: the messages of package ai as they
// are, the session's own kinds as messages of the user. Commands that are excluded from
// the context and kinds that this package does not know are left out.
func ForModel(messages []agent.Message) []ai.Message {
	out := make([]ai.Message, 0, len(messages))
	for _, m := range messages {
		switch m := m.(type) {
		case *BashExecution:
			if !m.ExcludeFromContext {
				out = append(out, userText(m.Text(), m.Timestamp))
			}
		case *CustomMessage:
			out = append(out, &ai.UserMessage{Content: m.Content.Content(), Timestamp: m.Timestamp})
		case *BranchSummary:
			out = append(out, userText(m.Text(), m.Timestamp))
		case *CompactionSummary:
			out = append(out, userText(m.Text(), m.Timestamp))
		default:
			out = append(out, agent.ForModel([]agent.Message{m})...)
		}
	}
	return out
}

func userText(text string, timestamp int64) *ai.UserMessage {
	return &ai.UserMessage{Content: ai.TextContent(text), Timestamp: timestamp}
}

// Text is what a model reads about the command: the command, its output in a fence, and
// how it ended where that needs saying.
func (m *BashExecution) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Ran `%s`\n", m.Command)
	if m.Output == "" {
		b.WriteString("(no output)")
	} else {
		mark := fence(m.Output)
		fmt.Fprintf(&b, "%s\n%s\n%s", mark, m.Output, mark)
	}
	switch {
	case m.Cancelled:
		b.WriteString("\n\n(command cancelled)")
	case m.ExitCode != nil && *m.ExitCode != 0:
		fmt.Fprintf(&b, "\n\nCommand exited with code %d", *m.ExitCode)
	}
	if m.Truncated {
		b.WriteString("\n\n" + m.truncation())
	}
	return b.String()
}

func (m *BashExecution) truncation() string {
	if m.FullOutputPath == "" {
		return "[The output above is cut.]"
	}
	return fmt.Sprintf("[The output above is cut; the whole of it is in %s]", m.FullOutputPath)
}

// fence returns a fence that the text does not contain.
func fence(text string) string {
	mark := "```"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	return mark
}

// Text is what a model reads about the branch.
func (m *BranchSummary) Text() string {
	return summaryText("The conversation went another way before it came back to this point. What happened there:", m.Summary)
}

// Text is what a model reads in place of what was compacted.
func (m *CompactionSummary) Text() string {
	return summaryText("The conversation before this point was compacted. What it came to:", m.Summary)
}

func summaryText(lead, summary string) string {
	return lead + "\n\n<summary>\n" + summary + "\n</summary>"
}
