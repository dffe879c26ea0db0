package agent

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/schema"
)

// ExecutionMode says whether the calls of one answer may run together.
type ExecutionMode string

// The execution modes. The zero value is Parallel.
const (
	Parallel   ExecutionMode = "parallel"
	Sequential ExecutionMode = "sequential"
)

// Tool is something that a model can call. [NewTool] makes one from a Go function.
//
// A tool is used through a pointer and not changed once an agent has it.
type Tool struct {
	Name string
	// Label names the tool in user interfaces; empty means Name.
	Label string
	// Description tells the model what the tool does and when to use it.
	Description string
	// Parameters describes the arguments; nil means an object without properties.
	Parameters *schema.Schema
	// Output describes [ToolResult.Structured], where the tool returns that.
	Output *schema.Schema
	// Hidden keeps the tool from models: it is not declared, and a call of it fails as that of
	// an unknown tool does. Other tools can run it; see [Call.RunTool].
	Hidden bool
	// Mode is Sequential for a tool that must not run beside others: a single call of
	// it makes its whole batch sequential.
	Mode ExecutionMode
	// PrepareArguments, if set, rewrites the model's arguments before they are
	// validated, for instance from an older shape. An error fails the call.
	PrepareArguments func(args jsontext.Value) (jsontext.Value, error)
	// Exclusive, if set, names what a call changes, such as a file's real path. Calls of
	// one batch that name the same thing run one after another, in the order of the
	// calls; the name is asked for before any of them runs. Empty means nothing.
	Exclusive func(args jsontext.Value) string
	// Execute runs a call whose arguments are valid. An error is a failed result that
	// the model sees; it never ends the run. Execute must stop soon after ctx is done:
	// the run does not wait for it longer than [Options.AbortGrace].
	Execute func(ctx context.Context, call *Call) (*ToolResult, error)
}

// Declaration is what a model is told about the tool.
func (t *Tool) Declaration() ai.ToolDecl {
	return ai.ToolDecl{Name: t.Name, Description: t.Description, Parameters: t.parameters().JSON()}
}

func (t *Tool) parameters() *schema.Schema {
	if t.Parameters == nil {
		return schema.Empty
	}
	return t.Parameters
}

// Call is one execution of a tool.
type Call struct {
	ID   string
	Tool *Tool
	// Args is the arguments as a JSON object: prepared, validated, coerced, and
	// possibly rewritten by the before-hook. A tool may assign other arguments, which the
	// after-hook then sees, but must not change the bytes.
	Args jsontext.Value

	exec     *execution // nil outside of a run
	onUpdate func(*ToolResult)
	ctx      callContext
}

// Update reports progress: a result so far, which replaces earlier ones. It never waits
// for listeners. Updates after Execute has returned are dropped.
func (c *Call) Update(partial *ToolResult) {
	switch {
	case partial == nil:
	case c.exec != nil:
		c.exec.progress(partial)
	case c.onUpdate != nil:
		c.onUpdate(partial)
	}
}

// NewCall returns a call outside of a run, for who executes a tool by itself: arguments are
// neither prepared nor validated, and there are no hooks and no events. onUpdate, which may
// be nil, gets the tool's progress.
func NewCall(id string, tool *Tool, args jsontext.Value, onUpdate func(*ToolResult)) *Call {
	return &Call{ID: id, Tool: tool, Args: args, onUpdate: onUpdate}
}

// RunTool runs another tool of the agent through the same steps and hooks, without events
// and messages. Failures of any kind are results with IsError. onUpdate, which may be nil,
// gets the other tool's progress.
func (c *Call) RunTool(ctx context.Context, call *ai.ToolCall, onUpdate func(*ToolResult)) *ToolOutcome {
	if c.exec == nil {
		return &ToolOutcome{Result: errorResult("no other tools can be run from here"), IsError: true}
	}
	return c.exec.runTool(ctx, call, onUpdate)
}

// ToolResult is what a tool returns, and what it reports as progress.
type ToolResult struct {
	// Content is what the model sees: text and images.
	Content ai.Content `json:"content"`
	// Details is for user interfaces; the model never sees it.
	Details jsontext.Value `json:"details,omitzero"`
	// Structured is the result as data; it must match [Tool.Output] where that is set.
	Structured jsontext.Value `json:"structuredContent,omitzero"`
	// Usage is what the tool itself spent on models.
	Usage *ai.Usage `json:"usage,omitzero"`
	// AddedToolNames are tools that became active with this call.
	AddedToolNames []string `json:"addedToolNames,omitzero"`
	// Terminate asks that the model is not called again after this batch. It counts only
	// if every result of the batch asks for it; nil and false ask for nothing.
	Terminate *bool `json:"terminate,omitzero"`
	// Extra are the other members of a result that came as JSON: an object, which listeners get
	// as it came.
	Extra jsontext.Value `json:",embed"`
	// IsError makes this a failed result, as an error of Execute would, but keeps the
	// other fields. It is not part of the JSON form.
	IsError bool `json:"-"`
}

func (r *ToolResult) terminates() bool { return r.Terminate != nil && *r.Terminate }

// TextResult returns a result that consists of one text.
func TextResult(text string) *ToolResult { return &ToolResult{Content: ai.TextContent(text)} }

// errorResult is the result of a call that failed: details are an empty object (Pi 0.85).
func errorResult(text string) *ToolResult {
	return &ToolResult{Content: ai.TextContent(text), Details: jsontext.Value("{}")}
}

// ToolOutcome is the final result of a call, after all hooks.
type ToolOutcome struct {
	Result  *ToolResult
	IsError bool
	// DurationMs is how long the tool ran, in milliseconds; nil if it did not run.
	DurationMs *int64
}

// NewTool makes a tool from a function with a struct argument. The schema of the
// arguments is inferred from In (see [schema.For]: json tags name the properties,
// omitzero makes one optional, jsonschema tags describe them). Out is a [*ToolResult], a
// string, or any value that can be written as JSON, which becomes both text and
// structured content.
//
// It panics if In is not a struct that a schema can be made for.
func NewTool[In, Out any](name, description string, run func(ctx context.Context, in In) (Out, error)) *Tool {
	params, err := schema.For[In]()
	if err != nil {
		panic(fmt.Sprintf("agent: NewTool(%q): %v", name, err))
	}
	return &Tool{
		Name:        name,
		Description: description,
		Parameters:  params,
		Execute: func(ctx context.Context, call *Call) (*ToolResult, error) {
			var in In
			if err := json.Unmarshal(call.Args, &in); err != nil {
				return nil, fmt.Errorf("read the arguments of %s: %w", name, err)
			}
			call.ctx = callContext{Context: ctx, call: call}
			out, err := run(&call.ctx, in)
			if err != nil {
				return nil, err
			}
			return toResult(out)
		},
	}
}

type callKey struct{}

// callContext is the context of a function given to [NewTool].
type callContext struct {
	context.Context
	call *Call
}

// Value returns the call for callKey.
func (c *callContext) Value(key any) any {
	if key == (callKey{}) {
		return c.call
	}
	return c.Context.Value(key)
}

// CallFrom returns the call that a function given to [NewTool] runs for, to report
// progress or to run other tools; nil outside of one.
func CallFrom(ctx context.Context) *Call {
	call, _ := ctx.Value(callKey{}).(*Call)
	return call
}

func toResult(out any) (*ToolResult, error) {
	switch out := out.(type) {
	case *ToolResult:
		return out, nil
	case string:
		return TextResult(out), nil
	}
	data, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("write the result: %w", err)
	}
	return &ToolResult{Content: ai.TextContent(string(data)), Structured: data}, nil
}
