package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/schema"
)

// execution is one call on its way through the pipeline: look up, prepare, validate,
// before-hook, execute, join progress, after-hook. What the call needs on that way is
// allocated with it.
type execution struct {
	loop    *loop
	message *ai.AssistantMessage
	context *Context // what hooks see: the same for all calls of an answer
	call    *ai.ToolCall
	tool    *Tool
	args    jsontext.Value
	after   *execution    // the call that must have ended before this one runs
	done    chan struct{} // closed when the call is final, if another one waits for that
	outcome *ToolOutcome  // set when the call is final

	running Call
	final   ToolOutcome
	ms      int64
	start   ToolExecutionStart
	end     ToolExecutionEnd

	batch *batch      // nil for a call that another tool makes
	gate  *updateGate // nil for a call of an answer
	// The rest belongs to the batch's mutex.
	updates   int  // reported and not delivered
	returned  bool // Execute has returned: later updates are dropped
	delivered chan struct{}
	abandoned bool // the call outlived its grace: whatever it still does is dropped
}

var errOperationAborted = errors.New("Operation aborted")

// runTools runs the calls of an answer and adds their results to the transcript.
func (l *loop) runTools(ctx context.Context, answer *ai.AssistantMessage, calls []*ai.ToolCall) (results []*ai.ToolResultMessage, terminate bool, err error) {
	// A failing listener stops the tools, not the run's context: that would make the
	// failure look like an abort.
	toolCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l.c.Messages = slices.Grow(l.c.Messages, len(calls)+1)
	l.added = slices.Grow(l.added, len(calls)+1)
	seen := l.context()
	execs := make([]*execution, len(calls))
	for i, call := range calls {
		execs[i] = &execution{loop: l, message: answer, context: seen, call: call}
	}
	if answer.StopReason == ai.StopLength || l.sequential(calls) {
		results, err = l.runSequential(ctx, toolCtx, cancel, execs)
	} else {
		results, err = l.runParallel(ctx, toolCtx, cancel, execs)
	}
	if err != nil {
		return nil, false, err
	}
	terminate = true
	for _, e := range execs {
		terminate = terminate && e.outcome.Result.terminates()
	}
	return results, terminate, nil
}

func (l *loop) sequential(calls []*ai.ToolCall) bool {
	if l.cfg.ToolExecution == Sequential {
		return true
	}
	for _, call := range calls {
		if t := findTool(l.c.Tools, call.Name); t != nil && t.Mode == Sequential {
			return true
		}
	}
	return false
}

func findTool(tools []*Tool, name string) *Tool {
	for _, t := range tools {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// runSequential finishes each call, its result message included, before the next starts.
func (l *loop) runSequential(ctx, toolCtx context.Context, cancel context.CancelCauseFunc, execs []*execution) ([]*ai.ToolResultMessage, error) {
	results := make([]*ai.ToolResultMessage, 0, len(execs))
	for _, e := range execs {
		if err := l.start(ctx, e); err != nil {
			return nil, err
		}
		if e.outcome != nil {
			if err := l.emitEnd(ctx, e); err != nil {
				return nil, err
			}
		} else if err := l.execute(ctx, toolCtx, cancel, []*execution{e}); err != nil {
			return nil, err
		}
		m, err := l.addResult(ctx, e)
		if err != nil {
			return nil, err
		}
		results = append(results, m)
	}
	return results, nil
}

// runParallel prepares the calls one by one, executes them together, and adds the result
// messages in the order of the calls.
func (l *loop) runParallel(ctx, toolCtx context.Context, cancel context.CancelCauseFunc, execs []*execution) ([]*ai.ToolResultMessage, error) {
	ready := make([]*execution, 0, len(execs))
	for _, e := range execs {
		if err := l.start(ctx, e); err != nil {
			return nil, err
		}
		if e.outcome == nil {
			ready = append(ready, e)
		} else if err := l.emitEnd(ctx, e); err != nil {
			return nil, err
		}
	}
	chainExclusive(ready)
	if err := l.execute(ctx, toolCtx, cancel, ready); err != nil {
		return nil, err
	}
	results := make([]*ai.ToolResultMessage, 0, len(execs))
	for _, e := range execs {
		m, err := l.addResult(ctx, e)
		if err != nil {
			return nil, err
		}
		results = append(results, m)
	}
	return results, nil
}

// chainExclusive makes calls that change the same thing run one after another.
func chainExclusive(execs []*execution) {
	var last map[string]*execution
	for _, e := range execs {
		if e.tool.Exclusive == nil {
			continue
		}
		name, err := guard("the tool", func() (string, error) { return e.tool.Exclusive(e.args), nil })
		if err != nil || name == "" {
			continue
		}
		if last == nil {
			last = make(map[string]*execution)
		}
		if before := last[name]; before != nil {
			e.after = before
			if before.done == nil {
				before.done = make(chan struct{})
			}
		}
		last[name] = e
	}
}

// start announces a call and prepares it. The call is final if e.outcome is set.
func (l *loop) start(ctx context.Context, e *execution) error {
	e.start = ToolExecutionStart{ToolCallID: e.call.ID, ToolName: e.call.Name, Args: e.call.Arguments}
	if err := l.emit(ctx, &e.start); err != nil {
		return err
	}
	if e.message.StopReason == ai.StopLength {
		e.fail("The answer reached the output limit, so the arguments of this call are cut short and it was not run. Send the call again, in smaller parts.")
		return nil
	}
	l.prepare(ctx, e)
	return nil
}

// notFound is what a model is told that has called a tool that there is not. The form of the
// first words is Pi 0.85's.
func notFound(name string, tools []*Tool) string {
	var names []string
	for _, t := range tools {
		if !t.Hidden {
			names = append(names, t.Name)
		}
	}
	if len(names) == 0 {
		return fmt.Sprintf("Tool %s not found: there are no tools", name)
	}
	return fmt.Sprintf("Tool %s not found: call one of %s", name, strings.Join(names, ", "))
}

// prepare takes a call up to its execution.
func (l *loop) prepare(ctx context.Context, e *execution) {
	if ctx.Err() != nil {
		e.fail(errOperationAborted.Error())
		return
	}
	if e.tool = findTool(e.context.Tools, e.call.Name); e.tool == nil || e.tool.Hidden && e.gate == nil {
		e.fail(notFound(e.call.Name, e.context.Tools))
		return
	}
	args, err := prepareArguments(e.tool, e.call)
	if err != nil {
		e.fail(err.Error())
		return
	}
	e.args = args
	if before := l.cfg.Hooks.BeforeToolCall; before != nil {
		pending := &PendingCall{Message: e.message, Call: e.call, Tool: e.tool, Args: args, Context: e.context}
		decision, err := guard("the before-hook", func() (Decision, error) { return before(ctx, pending) })
		switch {
		case err != nil:
			e.fail(err.Error())
			return
		case decision.Block:
			reason := decision.Reason
			if reason == "" {
				reason = "This call was blocked."
			}
			e.fail(reason)
			if decision.Terminate {
				e.outcome.Result.Terminate = &decision.Terminate
			}
			return
		}
		e.args = pending.Args
	}
	if ctx.Err() != nil {
		e.fail(errOperationAborted.Error())
	}
}

// prepareArguments returns the arguments that a tool is executed with.
func prepareArguments(t *Tool, call *ai.ToolCall) (jsontext.Value, error) {
	if call.ArgumentsError != "" {
		return nil, fmt.Errorf("The arguments of %s are not a complete JSON object, so the call was not run: %s\n\nReceived arguments:\n%s", call.Name, call.ArgumentsError, clip(call.RawArguments, 2000))
	}
	args := call.Arguments
	if t.PrepareArguments != nil {
		var err error
		args, err = guard("the preparation of the arguments", func() (jsontext.Value, error) { return t.PrepareArguments(args.Clone()) })
		if err != nil {
			return nil, err
		}
	}
	valid, err := t.parameters().Validate(args)
	if err != nil {
		if invalid, ok := errors.AsType[*schema.ValidationError](err); ok {
			return nil, errors.New(invalid.Text(t.Name))
		}
		return nil, err
	}
	return valid, nil
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "…"
}

// fail makes the call final with an error result, without execution.
func (e *execution) fail(text string) {
	e.final = ToolOutcome{Result: errorResult(text), IsError: true}
	e.outcome = &e.final
}

func (l *loop) emitEnd(ctx context.Context, e *execution) error {
	o := e.outcome
	e.end = ToolExecutionEnd{ToolCallID: e.call.ID, ToolName: e.call.Name, Result: o.Result, IsError: o.IsError, DurationMs: o.DurationMs}
	return l.emit(ctx, &e.end)
}

func (l *loop) addResult(ctx context.Context, e *execution) (*ai.ToolResultMessage, error) {
	o := e.outcome
	m := &ai.ToolResultMessage{
		ToolCallID: e.call.ID, ToolName: e.call.Name,
		Content: o.Result.Content, Details: o.Result.Details, Structured: o.Result.Structured,
		Usage: o.Result.Usage, IsError: o.IsError, Timestamp: now(), DurationMs: o.DurationMs,
	}
	if len(o.Result.AddedToolNames) > 0 {
		m.AddedToolNames = o.Result.AddedToolNames
	}
	final, err := l.announce(ctx, m)
	if err != nil {
		return nil, err
	}
	return final.(*ai.ToolResultMessage), nil
}

// execute runs the tool's function and times it.
func (e *execution) execute(ctx context.Context) *ToolOutcome {
	e.running = Call{ID: e.call.ID, Tool: e.tool, Args: e.args, exec: e}
	begin := time.Now()
	result, err := callTool(ctx, &e.running)
	e.ms = time.Since(begin).Round(time.Millisecond).Milliseconds()
	e.args = e.running.Args
	o := &e.final
	*o = ToolOutcome{Result: result, DurationMs: &e.ms}
	switch {
	case err != nil:
		o.Result, o.IsError = errorResult(err.Error()), true
	case result == nil:
		o.Result = &ToolResult{}
	default:
		o.IsError = result.IsError
		if t := e.tool; t.Output != nil && !o.IsError {
			if _, err := t.Output.Validate(result.Structured); err != nil {
				o.Result, o.IsError = errorResult(fmt.Sprintf("The structured result of %s does not match its schema: %v", t.Name, err)), true
			}
		}
	}
	return o
}

func callTool(ctx context.Context, call *Call) (result *ToolResult, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicError("the tool", p)
		}
	}()
	return call.Tool.Execute(ctx, call)
}

// progress passes a report of the tool on.
func (e *execution) progress(partial *ToolResult) {
	if e.gate != nil {
		e.gate.update(partial)
	} else {
		e.batch.update(e, partial)
	}
}

// finish applies the after-hook.
func (l *loop) finish(ctx context.Context, e *execution, o *ToolOutcome) *ToolOutcome {
	after := l.cfg.Hooks.AfterToolCall
	if after == nil {
		return o
	}
	finished := &FinishedCall{Message: e.message, Call: e.call, Tool: e.tool, Args: e.args, Result: o.Result, IsError: o.IsError, Context: e.context}
	patch, err := guard("the after-hook", func() (*ResultPatch, error) { return after(ctx, finished) })
	if err != nil {
		return &ToolOutcome{Result: errorResult(err.Error()), IsError: true, DurationMs: o.DurationMs}
	}
	return patch.apply(o)
}

func (p *ResultPatch) apply(o *ToolOutcome) *ToolOutcome {
	if p == nil {
		return o
	}
	result, out := *o.Result, *o
	out.Result = &result
	if p.Content != nil {
		result.Content, result.Structured = p.Content, nil
	}
	if p.Details != nil {
		result.Details = p.Details
	}
	if p.Structured != nil {
		result.Structured = p.Structured
	}
	if p.Usage != nil {
		result.Usage = p.Usage
	}
	if p.Terminate != nil {
		result.Terminate = p.Terminate
	}
	if p.IsError != nil {
		out.IsError = *p.IsError
	}
	return &out
}

// runTool is [Call.RunTool].
func (e *execution) runTool(ctx context.Context, call *ai.ToolCall, onUpdate func(*ToolResult)) *ToolOutcome {
	inner := &execution{loop: e.loop, message: e.message, context: e.context, call: call, gate: &updateGate{forward: onUpdate}}
	if e.loop.prepare(ctx, inner); inner.outcome != nil {
		return inner.outcome
	}
	o := inner.execute(ctx)
	inner.gate.close()
	return e.loop.finish(ctx, inner, o)
}

// updateGate passes a nested call's progress on until the call has returned.
type updateGate struct {
	mu      sync.Mutex
	forward func(*ToolResult)
}

func (g *updateGate) update(p *ToolResult) {
	g.mu.Lock()
	forward := g.forward
	g.mu.Unlock()
	if forward != nil {
		forward(p)
	}
}

func (g *updateGate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.forward = nil
}

// guard turns a panic of somebody else's code into an error.
func guard[T any](who string, f func() (T, error)) (out T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicError(who, p)
		}
	}()
	return f()
}
