package agent

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// Hooks change what a run does. A nil field is absent. They are called one at a time,
// except AfterToolCall, which may run for several calls of a parallel batch at once, and
// BeforeToolCall for calls that other tools make with [Call.RunTool].
//
// A hook that returns an error breaks its contract: the run fails with that error. The
// exceptions are the two tool hooks, whose error becomes the result of the call.
type Hooks struct {
	// TransformContext rewrites the messages of one request: to shorten them, or to add
	// what the model should know now. The list is a copy; the transcript keeps all.
	TransformContext func(ctx context.Context, messages []Message) ([]Message, error)
	// ConvertToLLM decides what a model sees of each message; nil means [ForModel].
	ConvertToLLM func(ctx context.Context, messages []Message) ([]ai.Message, error)
	// APIKey returns the key for a provider, before every request, since keys expire.
	APIKey func(ctx context.Context, provider string) (string, error)
	// BeforeToolCall may block a call, or rewrite its arguments by assigning to
	// call.Args; what it assigns is not validated again.
	BeforeToolCall func(ctx context.Context, call *PendingCall) (Decision, error)
	// AfterToolCall may replace parts of an executed call's result.
	AfterToolCall func(ctx context.Context, call *FinishedCall) (*ResultPatch, error)
	// PrepareNextTurn runs between two turns: after the queues have been read, before
	// the turn starts. It may take long, for instance to compact the context.
	PrepareNextTurn func(ctx context.Context, turn *Turn) (*NextTurn, error)
	// PrepareRequest runs before every request, after the messages of its turn have been
	// added. What it returns holds for the rest of the run.
	PrepareRequest func(ctx context.Context, plan *RequestPlan) (*RequestPatch, error)
	// FinishTurn runs after the results of a turn, before its turn_end, and decides how
	// the run goes on after it. The decision about a failed answer is ignored.
	FinishTurn func(ctx context.Context, turn *Turn) (TurnAction, error)
	// ShouldStopAfterTurn runs after turn_end; true ends the run and leaves queued
	// messages where they are. FinishTurn can do the same (Pi 1.x).
	ShouldStopAfterTurn func(ctx context.Context, turn *Turn) (bool, error)
}

// Context is what a run works on: the messages so far, and what goes with them to the
// model. It belongs to the loop; hooks must not change its lists.
type Context struct {
	SystemPrompt string
	Messages     []Message
	Tools        []*Tool
}

// PendingCall is a call that is about to be executed.
type PendingCall struct {
	Message *ai.AssistantMessage
	// Call has the arguments as the model wrote them.
	Call *ai.ToolCall
	Tool *Tool
	// Args are the arguments as they will be executed. A hook changes them by assigning
	// another value.
	Args    jsontext.Value
	Context *Context
}

// Decision is what BeforeToolCall says. The zero value lets the call run.
type Decision struct {
	Block bool
	// Reason is the text of a blocked call's result; empty means a default.
	Reason string
	// Terminate counts like [ToolResult.Terminate] for a blocked call.
	Terminate bool
}

// FinishedCall is a call that was executed.
type FinishedCall struct {
	Message *ai.AssistantMessage
	Call    *ai.ToolCall
	Tool    *Tool
	Args    jsontext.Value
	// Result must not be changed; return a patch.
	Result  *ToolResult
	IsError bool
	Context *Context
}

// ResultPatch replaces parts of a result; a nil field keeps its part. Nothing is merged.
// Replacing the content drops structured content, unless that is replaced as well.
type ResultPatch struct {
	Content    ai.Content // empty but not nil removes all content
	Details    jsontext.Value
	Structured jsontext.Value
	IsError    *bool
	Usage      *ai.Usage
	Terminate  *bool
}

// Turn is a turn that has its results.
type Turn struct {
	Message     *ai.AssistantMessage
	ToolResults []*ai.ToolResultMessage
	Context     *Context
	// NewMessages are those of the run so far.
	NewMessages []Message
}

// NextTurn is what PrepareNextTurn changes. A nil field keeps what there was; the zero
// value changes nothing.
type NextTurn struct {
	// Context replaces what the model sees from now on in this run, and which tools can
	// be executed. The agent's transcript is not changed.
	Context  *Context
	Model    *ai.Model
	Thinking *ai.ThinkingLevel
	// Messages are added to the transcript before queued ones.
	Messages []Message
}

// RequestPlan is a request that is about to be made.
type RequestPlan struct {
	Context  *Context
	Model    *ai.Model
	Thinking ai.ThinkingLevel
}

// RequestPatch is what PrepareRequest changes; see [NextTurn].
type RequestPatch struct {
	Context  *Context
	Model    *ai.Model
	Thinking *ai.ThinkingLevel
}

// TurnAction is a decision of FinishTurn.
type TurnAction int

// The decisions. Go on means: as tool results and queues demand.
const (
	TurnGoOn TurnAction = iota
	// TurnEndRun ends the run after turn_end; queued messages stay queued.
	TurnEndRun
	// TurnContinue makes sure that one more request follows. If results or queued
	// messages cause one anyway, none is added.
	TurnContinue
)
