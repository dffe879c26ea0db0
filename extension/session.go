package extension

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// Mode says what shows the session.
type Mode string

// The modes.
const (
	ModeTUI   Mode = "tui"
	ModeRPC   Mode = "rpc"
	ModeJSON  Mode = "json"
	ModePrint Mode = "print"
)

// Session is what extensions act on: package session implements it. The contexts of its
// methods are those of the handlers that call them: they reach the handlers of the events that
// an action causes. All methods may be
// called from any goroutine, also by a handler that the session waits for, unless they say
// otherwise.
type Session interface {
	Reader
	// Models are the models that can be asked.
	Models() Models

	CWD() string
	Model() *ai.Model // nil if there is none
	ScopedModels() []ScopedModel
	ThinkingLevel() ai.ThinkingLevel
	// Idle says that the session has settled.
	Idle() bool
	HasPendingMessages() bool
	ProjectTrusted() bool
	ContextUsage() *ContextUsage // nil without a model
	SystemPrompt() string
	SystemPromptOptions() *SystemPromptOptions
	// RunContext is the context of the run under way; nil if there is none.
	RunContext() context.Context

	// Abort cancels the run, without waiting.
	Abort()
	// Shutdown ends the program when the session has settled.
	Shutdown()
	// Compact begins a compaction, without waiting; one asked for during a run comes between
	// two of its turns. done, which may be nil, gets its end.
	Compact(instructions string, done func(result jsontext.Value, err error))

	// SendMessage adds a message, or begins a run with it, without waiting for that.
	SendMessage(m *CustomMessage, opts SendOptions) error
	// SendUserMessage sends what a user could send, and does not wait; accepted gets nil, or
	// why the message was refused. ctx reaches the handlers of input: that of a handler of
	// input is for one that waits for accepted, and would wait for itself otherwise.
	SendUserMessage(ctx context.Context, m *UserMessage, accepted func(error))
	// AppendEntry keeps data that models do not see.
	AppendEntry(customType string, data jsontext.Value) (id string, err error)
	SetName(ctx context.Context, name string) error
	// SetLabel marks an entry; empty takes the label away.
	SetLabel(entryID, label string) error

	ActiveTools() []string
	AllTools() []ToolInfo
	// SetActiveTools makes these tools those of the next request; unknown names are left out.
	SetActiveTools(names []string) error
	// ToolsChanged is called when an extension has registered a tool after the start.
	ToolsChanged() error
	Commands() []CommandInfo
	// SetModel returns false if the model cannot be asked, for instance without a key.
	SetModel(ctx context.Context, m *ai.Model) (bool, error)
	SetThinkingLevel(ctx context.Context, level ai.ThinkingLevel) error
	RegisterProvider(name string, p *Provider) error
	UnregisterProvider(name string) error

	// The following are for commands: handlers of events would wait for themselves. Each
	// reports whether it was called off.

	// Wait returns when the session has settled.
	Wait(ctx context.Context) error
	NewSession(ctx context.Context, opts NewSessionOptions) (cancelled bool, err error)
	Fork(ctx context.Context, entryID string, opts ForkOptions) (cancelled bool, err error)
	NavigateTree(ctx context.Context, targetID string, opts TreeOptions) (cancelled bool, err error)
	SwitchSession(ctx context.Context, path string, with WithSession) (cancelled bool, err error)
	Reload(ctx context.Context) error
}

// Reader reads the session's entries, which are JSON as in its file.
type Reader interface {
	Header() jsontext.Value
	SessionID() string
	SessionFile() string // empty for a session in memory
	SessionDir() string
	SessionName() string
	LeafID() string // empty before the first entry
	// Entry returns nil if there is none with this id.
	Entry(id string) jsontext.Value
	Entries() []jsontext.Value
	// Branch is the path from the root to an entry; an empty id stands for the leaf.
	Branch(from string) []jsontext.Value
	Label(id string) string
	// Tree returns the roots, as objects with entry, children, label and labelTimestamp.
	Tree() []jsontext.Value
}

// Writer fills a new session; see [NewSessionOptions].
type Writer interface {
	Reader
	// Append adds an entry, an object with its type and fields, and returns its id.
	Append(entry jsontext.Value) (id string, err error)
}

// Models are the models of the program.
type Models interface {
	All() []*ai.Model
	// Available are those that can be asked, since there is a key.
	Available() []*ai.Model
	// Find returns nil if there is no such model.
	Find(provider, id string) *ai.Model
	HasAuth(m *ai.Model) bool
	// Auth returns the key and the headers that a request of the model would have.
	Auth(ctx context.Context, m *ai.Model) (key string, headers map[string]string, err error)
	// Stream asks a model; the key is found if the request has none.
	Stream(ctx context.Context, req *ai.Request) *ai.Stream
}

// ScopedModel is one of the models that the user switches between.
type ScopedModel struct {
	Model         *ai.Model        `json:"model"`
	ThinkingLevel ai.ThinkingLevel `json:"thinkingLevel,omitzero"`
}

// ContextUsage says how full the model's window is. Tokens and Percent are nil if that is
// not known, as after a compaction.
type ContextUsage struct {
	Tokens        *int     `json:"tokens"`
	ContextWindow int      `json:"contextWindow"`
	Percent       *float64 `json:"percent"`
}

// Delivery says when a message is delivered.
type Delivery string

// The deliveries. The zero value steers, for a message of an extension, and is refused while
// the agent works, for one of a user.
const (
	// Steer delivers at the next request of the run: it is for what the model must know now.
	Steer Delivery = "steer"
	// FollowUp delivers when the run would stop, and then has its turn.
	FollowUp Delivery = "followUp"
	// NextTurn keeps the message for the next prompt of the user.
	NextTurn Delivery = "nextTurn"
)

// SendOptions say how a message of an extension is sent.
type SendOptions struct {
	// TriggerTurn begins a run with the message if the session is idle. If it is false, the
	// message asks for nothing: while the agent works it is added after the turn, for later
	// runs. Nil begins no run either, but steers a run under way.
	TriggerTurn *bool    `json:"triggerTurn,omitzero"`
	DeliverAs   Delivery `json:"deliverAs,omitzero"`
}

// Triggers reports whether the message begins a run of an idle session.
func (o SendOptions) Triggers() bool { return o.TriggerTurn != nil && *o.TriggerTurn }

// Quiet reports whether the message asks for nothing, not even in a run under way.
func (o SendOptions) Quiet() bool {
	return o.TriggerTurn != nil && !*o.TriggerTurn && o.DeliverAs != NextTurn
}

// UserMessage is what a user could send.
type UserMessage struct {
	Content Content `json:"content"`
	// DeliverAs is needed while the agent works.
	DeliverAs Delivery `json:"deliverAs,omitzero"`
	// Expand expands templates and skills.
	Expand bool `json:"expandPromptTemplates,omitzero"`
}

// ToolInfo is a tool as others see it.
type ToolInfo struct {
	Name             string         `json:"name"`
	Description      string         `json:"description"`
	Parameters       jsontext.Value `json:"parameters"`
	PromptGuidelines []string       `json:"promptGuidelines,omitzero"`
	SourceInfo       SourceInfo     `json:"sourceInfo"`
}

// CommandInfo is what a prompt may begin with.
type CommandInfo struct {
	Name        string     `json:"name"`
	Description string     `json:"description,omitzero"`
	Source      string     `json:"source"` // extension, prompt or skill
	SourceInfo  SourceInfo `json:"sourceInfo"`
}

// WithSession works in the session that has taken the place of another.
type WithSession func(ctx context.Context, x *CommandContext) error

// NewSessionOptions say how a new session begins.
type NewSessionOptions struct {
	ParentSession string
	// Setup fills the session before it starts.
	Setup func(ctx context.Context, w Writer) error
	With  WithSession
}

// ForkOptions say where a fork begins.
type ForkOptions struct {
	Position string // before (default) or at
	With     WithSession
}

// TreeOptions say what is kept when a session goes to another place in its tree.
type TreeOptions struct {
	Summarize           bool   `json:"summarize,omitzero"`
	CustomInstructions  string `json:"customInstructions,omitzero"`
	ReplaceInstructions bool   `json:"replaceInstructions,omitzero"`
	Label               string `json:"label,omitzero"`
}

// ExecOptions say how a program is run.
type ExecOptions struct {
	Dir string // empty is the session's folder
	// Env is the environment, as NAME=value; nil is the program's own.
	Env []string
	// Timeout ends the program; 0 is none.
	Timeout time.Duration
	// MaxBuffer bounds each output in bytes; 0 is 10 MiB. What is over is dropped.
	MaxBuffer int
}

// ExecResult is what a program has come to.
type ExecResult struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Code   int    `json:"code"`
	// Killed says that the timeout or the context has ended the program.
	Killed bool `json:"killed"`
	// Truncated says that MaxBuffer has cut an output (Pi 1.6).
	Truncated bool `json:"truncated,omitzero"`
}
