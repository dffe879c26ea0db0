package extension

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/tools/host"
)

type (
	// Input is what a user, a client or an extension sends, before templates are expanded.
	Input struct {
		Text   string      `json:"text"`
		Images []*ai.Image `json:"images,omitzero"`
		Source InputSource `json:"source"`
		// StreamingBehavior says how the input is to be delivered if the agent is working:
		// steer, followUp, or empty.
		StreamingBehavior string `json:"streamingBehavior,omitzero"`
	}
	// BeforeAgentStart asks before a run begins for a prompt.
	BeforeAgentStart struct {
		Prompt string      `json:"prompt"`
		Images []*ai.Image `json:"images,omitzero"`
		// MessageType is user, or custom if the run begins with a message of an extension
		// (Pi 1.6).
		MessageType         string               `json:"messageType"`
		SystemPrompt        string               `json:"systemPrompt"`
		SystemPromptOptions *SystemPromptOptions `json:"systemPromptOptions"`
	}
	// ContextEvent asks what a request is made of. The list is a copy: the conversation
	// stays as it is.
	ContextEvent struct {
		Messages []agent.Message `json:"messages"`
	}
	// ContextWithSystem is ContextEvent with the system messages that transcripts hold (Pi
	// 1.6). It comes after it.
	ContextWithSystem struct {
		Messages []agent.Message `json:"messages"`
	}
	// BeforeProviderRequest asks for the body of a request, as it is to be sent.
	BeforeProviderRequest struct {
		Payload jsontext.Value `json:"payload"`
	}
	// BeforeProviderHeaders shows the headers of a request. Handlers change the map in
	// place; nil removes a header.
	BeforeProviderHeaders struct {
		Headers map[string]*string `json:"headers"`
	}
	// AfterProviderResponse has the status and the headers of a response, before the answer
	// is read.
	AfterProviderResponse struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
	}
	// ProviderStreamEvent is one event of a provider's stream (Pi 1.6).
	ProviderStreamEvent struct {
		Event ai.StreamEvent `json:"-"`
	}

	// AgentStart says that a run begins.
	AgentStart struct{}
	// AgentEnd says that a run has ended.
	AgentEnd struct {
		Messages []agent.Message `json:"messages"`
	}
	// AgentBeforeSettle is the last chance to queue work before the session settles (Pi
	// 1.6).
	AgentBeforeSettle struct{}
	// AgentSettled says that nothing automatic remains.
	AgentSettled struct {
		// Aborted says that the last run was aborted (Pi 1.6). The JSON form is that of Pi
		// 0.85, which does not have it.
		Aborted bool `json:"-"`
	}
	// TurnStart says that a turn begins; turns are counted from 0 in each run.
	TurnStart struct {
		TurnIndex int `json:"turnIndex"`
		// Timestamp is in milliseconds since 1970.
		Timestamp int64 `json:"timestamp"`
	}
	// TurnEnd says that a turn has its results, and asks how the run goes on.
	TurnEnd struct {
		TurnIndex   int                     `json:"turnIndex"`
		Message     *ai.AssistantMessage    `json:"message"`
		ToolResults []*ai.ToolResultMessage `json:"toolResults"`
	}
	// MessageStart says that a message begins.
	MessageStart struct {
		Message agent.Message `json:"message"`
	}
	// MessageUpdate is one step of an answer that streams. The message so far is built when
	// asked for, so that an answer of n deltas costs O(n).
	MessageUpdate struct {
		Stream ai.StreamEvent
	}
	// MessageEnd says that a message is complete, and asks whether another one of the same
	// role is to take its place.
	MessageEnd struct {
		Message agent.Message `json:"message"`
	}

	// ToolExecutionStart says that a call begins.
	ToolExecutionStart struct {
		ToolCallID string         `json:"toolCallId"`
		ToolName   string         `json:"toolName"`
		Args       jsontext.Value `json:"args"`
	}
	// ToolExecutionUpdate is a tool's progress.
	ToolExecutionUpdate struct {
		ToolCallID    string            `json:"toolCallId"`
		ToolName      string            `json:"toolName"`
		Args          jsontext.Value    `json:"args"`
		PartialResult *agent.ToolResult `json:"partialResult"`
	}
	// ToolExecutionEnd says that a call is final.
	ToolExecutionEnd struct {
		ToolCallID string            `json:"toolCallId"`
		ToolName   string            `json:"toolName"`
		Result     *agent.ToolResult `json:"result"`
		IsError    bool              `json:"isError"`
	}
	// ToolCall asks before a call is executed. Handlers may assign another Input, which is
	// not validated again; later handlers and the tool get it. An error blocks the call.
	ToolCall struct {
		ToolCallID string         `json:"toolCallId"`
		ToolName   string         `json:"toolName"`
		Input      jsontext.Value `json:"input"`
	}
	// ToolResult asks for another result of a call that was executed.
	ToolResult struct {
		ToolCallID string         `json:"toolCallId"`
		ToolName   string         `json:"toolName"`
		Input      jsontext.Value `json:"input"`
		Content    ai.Content     `json:"content"`
		Details    jsontext.Value `json:"details,omitzero"`
		IsError    bool           `json:"isError"`
		Usage      *ai.Usage      `json:"usage,omitzero"`
	}
	// UserBash asks before a command of the user's own is run. The first result counts; an
	// error keeps the command from being run (Pi 1.6).
	UserBash struct {
		Command            string `json:"command"`
		ExcludeFromContext bool   `json:"excludeFromContext"`
		CWD                string `json:"cwd"`
	}
)

// InputSource says where an input is from.
type InputSource string

// The sources.
const (
	SourceInteractive InputSource = "interactive"
	SourceRPC         InputSource = "rpc"
	SourceExtension   InputSource = "extension"
)

// Message returns the answer so far.
func (e *MessageUpdate) Message() *ai.AssistantMessage {
	p, _ := ai.PartialOf(e.Stream)
	return p.Message()
}

// Lazy returns the field message.
func (e *MessageUpdate) Lazy(field string) (jsontext.Value, error) {
	if field != "message" {
		return nil, nil
	}
	return json.Marshal(e.Message(), writing)
}

func (e *MessageUpdate) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"message_update","assistantMessageEvent":`...)
	return append(e.Stream.AppendJSON(dst), '}')
}

// MarshalJSONTo writes the event of the stream as the field event.
func (e *ProviderStreamEvent) MarshalJSONTo(enc *jsontext.Encoder) error {
	raw := append([]byte(`{"event":`), e.Event.AppendJSON(nil)...)
	return enc.WriteValue(append(raw, '}'))
}

type (
	// InputResult says what becomes of an input.
	InputResult struct {
		// Action is continue, transform or handled; a handled input starts nothing, and no
		// later handler sees it.
		Action string `json:"action"`
		// Text and Images replace those of the input, for transform; nil images keep them.
		Text   string      `json:"text,omitzero"`
		Images []*ai.Image `json:"images,omitzero"`
	}
	// BeforeAgentStartResult adds to a run.
	BeforeAgentStartResult struct {
		// Message follows the prompt.
		Message *CustomMessage `json:"message,omitzero"`
		// SystemPrompt replaces the prompt for this run, retries included.
		SystemPrompt *string `json:"systemPrompt,omitzero"`
	}
	// ContextResult replaces the messages of a request.
	ContextResult struct {
		Messages []agent.Message `json:"messages,omitzero"`
	}
	// ProviderRequestResult replaces the body of a request. Its JSON form is the body.
	ProviderRequestResult struct {
		Payload jsontext.Value
	}
	// MessageEndResult replaces a message.
	MessageEndResult struct {
		Message agent.Message `json:"message,omitzero"`
	}
	// TurnEndResult says how a run goes on (Pi 1.6).
	TurnEndResult struct {
		// Action is end, which leaves queued messages queued, continue, which makes sure of
		// one more request, or empty.
		Action string `json:"action,omitzero"`
	}
	// ToolCallResult may block a call.
	ToolCallResult struct {
		Block bool `json:"block,omitzero"`
		// Reason is the text of the blocked call's result.
		Reason string `json:"reason,omitzero"`
		// Terminate counts like [agent.ToolResult.Terminate] for a blocked call.
		Terminate bool `json:"terminate,omitzero"`
	}
	// ToolResultPatch replaces parts of a result; a nil field keeps its part.
	ToolResultPatch struct {
		Content ai.Content     `json:"content,omitzero"`
		Details jsontext.Value `json:"details,omitzero"`
		IsError *bool          `json:"isError,omitzero"`
		Usage   *ai.Usage      `json:"usage,omitzero"`
	}
	// UserBashResult runs a command in another way, or says what it has come to.
	UserBashResult struct {
		// Exec runs the command; a host of another language makes it of operations.
		Exec host.Exec `json:"-"`
		// Result is taken as the command's result.
		Result *bash.Result `json:"result,omitzero"`
	}
)

// UnmarshalJSONFrom reads the body.
func (r *ProviderRequestResult) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	raw, err := d.ReadValue()
	r.Payload = raw.Clone()
	return err
}

// CustomMessage is a message of an extension; a model sees it as one of the user.
type CustomMessage struct {
	CustomType string  `json:"customType"`
	Content    Content `json:"content"`
	// Display says whether a person sees the message.
	Display bool           `json:"display"`
	Details jsontext.Value `json:"details,omitzero"`
}

// Content is a text or blocks. The JSON form is a string or an array, whichever it was.
type Content struct {
	Text   string
	Blocks ai.Content // if not nil, Text is not used
}

// MarshalJSONTo writes a string or an array of blocks.
func (c Content) MarshalJSONTo(e *jsontext.Encoder) error {
	if c.Blocks != nil {
		return json.MarshalEncode(e, c.Blocks)
	}
	return json.MarshalEncode(e, c.Text)
}

// UnmarshalJSONFrom reads a string, an array of blocks, or null, which is an empty text.
func (c *Content) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	*c = Content{}
	if d.PeekKind() == '[' {
		c.Blocks = ai.Content{}
		return json.UnmarshalDecode(d, &c.Blocks)
	}
	return json.UnmarshalDecode(d, &c.Text)
}

// All returns the content as blocks.
func (c Content) All() ai.Content {
	if c.Blocks != nil {
		return c.Blocks
	}
	return ai.TextContent(c.Text)
}

// SystemPromptOptions are what a system prompt is made of (Pi 0.85).
type SystemPromptOptions struct {
	CustomPrompt       string            `json:"customPrompt,omitzero"`
	SelectedTools      []string          `json:"selectedTools,omitzero"`
	ToolSnippets       map[string]string `json:"toolSnippets,omitzero"`
	PromptGuidelines   []string          `json:"promptGuidelines,omitzero"`
	AppendSystemPrompt string            `json:"appendSystemPrompt,omitzero"`
	CWD                string            `json:"cwd"`
	ContextFiles       []ContextFile     `json:"contextFiles"`
	Skills             []Skill           `json:"skills"`
}

// ContextFile is a file such as AGENTS.md.
type ContextFile struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// Skill is a skill that the model may read.
type Skill struct {
	Name                   string     `json:"name"`
	Description            string     `json:"description"`
	FilePath               string     `json:"filePath"`
	BaseDir                string     `json:"baseDir"`
	SourceInfo             SourceInfo `json:"sourceInfo"`
	DisableModelInvocation bool       `json:"disableModelInvocation"`
}
