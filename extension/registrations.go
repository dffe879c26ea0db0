package extension

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/toolview"
)

// Tool is a tool that a model can call, with what belongs to it outside of the kernel. Its
// Execute finds the context of the session in [API.Context].
type Tool struct {
	*agent.Tool
	// PromptSnippet is the tool's line in the system prompt, and PromptGuidelines are rules
	// there, while the tool is active.
	PromptSnippet    string
	PromptGuidelines []string
	// View says how a call is shown, on every frontend; nil shows its arguments and its result as
	// they are. The renderers below come before it in a terminal.
	View *toolview.View
	// RenderSelf says that the renderers draw the frame as well (renderShell self).
	RenderSelf bool
	// RenderCall and RenderResult show a call and its result in a terminal; nil shows them
	// as any tool's.
	RenderCall   func(args jsontext.Value, theme Theme, rc *RenderContext) Component
	RenderResult func(result *agent.ToolResult, theme Theme, rc *RenderContext) Component
}

// RenderContext is what a renderer knows of a call.
type RenderContext struct {
	ToolCallID string
	Args       jsontext.Value
	CWD        string
	// State is the renderer's own, kept for the call.
	State map[string]any
	// LastComponent is what the renderer has returned before, to be used again; nil at first.
	LastComponent Component
	// Invalidate asks for the renderer to be called again.
	Invalidate func()

	ExecutionStarted, ArgsComplete, IsPartial, IsError, Expanded, ShowImages bool
}

// Command is what a prompt may begin with, behind a slash.
type Command struct {
	Name        string
	Description string
	// Completions suggests arguments; nil suggests none.
	Completions func(ctx context.Context, prefix string) ([]AutocompleteItem, error)
	// Handler runs the command, even while the agent works. An error is reported, and the
	// prompt counts as dealt with.
	Handler func(ctx context.Context, x *CommandContext, args string) error
}

// Shortcut is a key of the terminal.
type Shortcut struct {
	Key         string // such as ctrl+shift+p
	Description string
	Handler     func(ctx context.Context, x *Context) error
}

// Flag is an option of the command line: --name, --name value or --name=value.
type Flag struct {
	Name        string
	Description string
	// Default is a bool or a string, and decides which of them the flag is; nil is a string
	// flag without default.
	Default any
	// Boolean makes a flag without default a switch.
	Boolean bool
}

// MessageRenderer shows a message of an extension in a terminal; nil shows it as any. It
// gets the message as JSON, with customType, content, display and details.
type MessageRenderer func(message jsontext.Value, expanded bool, theme Theme) Component

// EntryRenderer shows an entry of an extension in a terminal.
type EntryRenderer func(entry jsontext.Value, expanded bool, theme Theme) Component

// MarkdownTransformer changes a text before it is shown in a terminal.
type MarkdownTransformer func(text string, about MarkdownContext) string

// MarkdownContext says what a text is.
type MarkdownContext struct {
	MessageType    string // user, assistant or assistant-thinking
	IsStreaming    bool
	AvailableWidth int
}

// Provider is a service with models that an extension brings (Pi 0.85's ProviderConfig).
type Provider struct {
	Name    string `json:"name,omitzero"`
	BaseURL string `json:"baseUrl,omitzero"`
	// APIKey is a key, or says where it is, as in models.json: $NAME, !command.
	APIKey     string            `json:"apiKey,omitzero"`
	API        string            `json:"api,omitzero"`
	Headers    map[string]string `json:"headers,omitzero"`
	AuthHeader bool              `json:"authHeader,omitzero"`
	// Models are in the form of models.json. Without any, the provider changes how the
	// known models of that name are reached.
	Models []jsontext.Value `json:"models,omitzero"`
	// Stream asks the models in a way of its own; nil uses the wire that API names.
	Stream ai.StreamFunc `json:"-"`
	// RefreshModels, if set, finds the models that there are now.
	RefreshModels func(ctx context.Context) ([]jsontext.Value, error) `json:"-"`
	// OAuth, if set, logs in.
	OAuth *OAuth `json:"-"`
}

// OAuth is how a user logs in to a provider. Credentials are a JSON object that only the
// provider reads; its member expires, in milliseconds since 1970, says until when they hold.
type OAuth struct {
	Name               string
	IsSubscription     bool
	UsesCallbackServer bool
	Login              func(ctx context.Context, ui LoginUI) (credentials jsontext.Value, err error)
	Refresh            func(ctx context.Context, credentials jsontext.Value) (jsontext.Value, error)
	APIKey             func(credentials jsontext.Value) string
	// ModifyModels, if set, changes the models for who has logged in.
	ModifyModels func(models []*ai.Model, credentials jsontext.Value) []*ai.Model
}

// LoginUI is the person who logs in.
type LoginUI interface {
	// Open shows an address to visit.
	Open(url, instructions string)
	// DeviceCode shows a code to type in at an address.
	DeviceCode(url, code string)
	// Ask asks for a line of text; an empty placeholder shows none.
	Ask(ctx context.Context, message, placeholder string) (string, error)
	// Select asks for one of the choices, which are pairs of id and label.
	Select(ctx context.Context, message string, choices [][2]string) (string, error)
	// Progress says what happens.
	Progress(message string)
}
