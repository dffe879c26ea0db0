package extension

import "time"

// Policy says how the handlers of one kind of event are called.
type Policy struct {
	// Event is the name on the wire.
	Event string
	// Fired events are not awaited: whoever sends one goes on after a moment, whatever the
	// handlers do. All others are barriers.
	Fired bool
	// Chained says that each handler sees what those before it have made of the event.
	Chained bool
	// FailsClosed says that a handler's failure stops what the event is about, instead of
	// leaving it to the next handler.
	FailsClosed bool
	// Ends says that a handler can end the chain by what it returns: a block, a
	// cancellation, the first answer.
	Ends bool
	// Mutable names the field that handlers may change in place; empty if there is none.
	Mutable string
	// Deadline is how long one handler may take, dialogs not counted.
	Deadline time.Duration
}

// The deadlines. Handlers of the first group stand in the way of every event; those of the
// last may ask a model.
const (
	quick    = 30 * time.Second
	patient  = 2 * time.Minute
	generous = 15 * time.Minute
)

// policies is the table, in the order of the kinds.
var policies = [kinds]Policy{
	KindProjectTrust:          {Event: "project_trust", Ends: true, Deadline: patient},
	KindResourcesDiscover:     {Event: "resources_discover", Deadline: patient},
	KindSessionStart:          {Event: "session_start", Deadline: patient},
	KindSessionInfoChanged:    {Event: "session_info_changed", Fired: true, Deadline: quick},
	KindSessionBeforeSwitch:   {Event: "session_before_switch", Ends: true, Deadline: patient},
	KindSessionBeforeFork:     {Event: "session_before_fork", Ends: true, Deadline: patient},
	KindSessionBeforeCompact:  {Event: "session_before_compact", Ends: true, Deadline: generous},
	KindSessionCompact:        {Event: "session_compact", Deadline: patient},
	KindSessionCompactFailed:  {Event: "session_compact_failed", Deadline: patient},
	KindSessionShutdown:       {Event: "session_shutdown", Deadline: quick},
	KindSessionBeforeTree:     {Event: "session_before_tree", Ends: true, Deadline: generous},
	KindSessionTree:           {Event: "session_tree", Deadline: patient},
	KindContext:               {Event: "context", Chained: true, Mutable: "messages", Deadline: patient},
	KindBeforeProviderRequest: {Event: "before_provider_request", Chained: true, Mutable: "payload", Deadline: patient},
	KindBeforeProviderHeaders: {Event: "before_provider_headers", Chained: true, Mutable: "headers", Deadline: patient},
	KindAfterProviderResponse: {Event: "after_provider_response", Deadline: quick},
	KindBeforeAgentStart:      {Event: "before_agent_start", Chained: true, Deadline: generous},
	KindAgentStart:            {Event: "agent_start", Deadline: patient},
	KindAgentEnd:              {Event: "agent_end", Deadline: generous},
	KindAgentSettled:          {Event: "agent_settled", Deadline: generous},
	KindUIPromptStart:         {Event: "ui_prompt_start", Fired: true, Deadline: quick},
	KindUIPromptEnd:           {Event: "ui_prompt_end", Fired: true, Deadline: quick},
	KindTurnStart:             {Event: "turn_start", Deadline: patient},
	KindTurnEnd:               {Event: "turn_end", Deadline: generous},
	KindMessageStart:          {Event: "message_start", Deadline: quick},
	KindMessageUpdate:         {Event: "message_update", Deadline: quick},
	KindMessageEnd:            {Event: "message_end", Chained: true, Deadline: patient},
	KindToolExecutionStart:    {Event: "tool_execution_start", Deadline: quick},
	KindToolExecutionUpdate:   {Event: "tool_execution_update", Deadline: quick},
	KindToolExecutionEnd:      {Event: "tool_execution_end", Deadline: quick},
	KindModelSelect:           {Event: "model_select", Deadline: quick},
	KindThinkingLevelSelect:   {Event: "thinking_level_select", Fired: true, Deadline: quick},
	KindToolCall:              {Event: "tool_call", Chained: true, FailsClosed: true, Ends: true, Mutable: "input", Deadline: generous},
	KindToolResult:            {Event: "tool_result", Chained: true, Deadline: generous},
	KindUserBash:              {Event: "user_bash", FailsClosed: true, Ends: true, Deadline: patient},
	KindInput:                 {Event: "input", Chained: true, Ends: true, Deadline: generous},
	KindContextWithSystem:     {Event: "context_with_system", Chained: true, Mutable: "messages", Deadline: patient},
	KindProviderStreamEvent:   {Event: "provider_stream_event", Deadline: quick},
	KindAgentBeforeSettle:     {Event: "agent_before_settle", Deadline: generous},
}

// Policy returns the row of an event.
func (k Kind) Policy() Policy { return policies[k] }

// Policies lists the policies of all events.
func Policies() []Policy { return append([]Policy(nil), policies[:]...) }
