package script

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"modernc.org/quickjs"
)

// ScriptError is what JavaScript threw.
type ScriptError struct {
	Name    string `json:"name,omitzero"`
	Message string `json:"message"`
	Stack   string `json:"stack,omitzero"` // with places in the source files
}

// Error returns what was thrown, without its stack.
func (e *ScriptError) Error() string { return e.Message }

// Place returns the first place of the stack that is in a file of an extension, as
// file:line:column; empty if there is none.
func (e *ScriptError) Place() string {
	for line := range strings.Lines(e.Stack) {
		at := frame().FindStringSubmatch(strings.TrimRight(line, "\n"))
		if at == nil {
			continue
		}
		if file := strings.TrimPrefix(strings.TrimPrefix(at[1], "at "), "file://"); filepath.IsAbs(file) {
			return file + ":" + at[2] + ":" + at[3]
		}
	}
	return ""
}

// call is one entry into JavaScript that somebody waits for.
type call struct {
	once sync.Once
	out  string
	err  error
	done chan struct{}
}

func newCall() *call { return &call{done: make(chan struct{})} }

func (c *call) finish(out string, err error) {
	c.once.Do(func() {
		c.out, c.err = out, err
		close(c.done)
	})
}

// nest lets others run JavaScript while the machine's goroutine waits for an operation.
type nest struct {
	jobs chan func()
	over chan struct{}
}

type nestKey struct{}

// Invoke calls what a facade module has registered under a name (entry in rondo:host) with a
// JSON value and waits for its result, also when that is a promise. The result is JSON, ""
// for undefined.
//
// If ctx comes from an operation that JavaScript of this machine waits for at the moment, the
// function is called at once; a promise that it returns goes on by itself, and a failure of it
// is reported as a fault.
//
// Errors: [*ScriptError] for what was thrown, [ErrInterrupted], [ErrClosed], and the cause of
// ctx when that ends first; JavaScript then still runs, its result is dropped.
func (e *Engine) Invoke(ctx context.Context, name, arg string) (string, error) {
	return e.invoke(ctx, name, false, func() string { return arg })
}

// invoke is Invoke with an argument that is made when its turn has come.
// An urgent call may begin while JavaScript waits for an operation that calls back.
func (e *Engine) invoke(ctx context.Context, name string, urgent bool, arg func() string) (string, error) {
	c := newCall()
	if n, ok := ctx.Value(nestKey{}).(*nest); ok {
		job := func() { e.begin(c, name, arg(), false) }
		select {
		case n.jobs <- job:
			return e.await(ctx, c)
		case <-n.over:
		}
	}
	if !e.enqueue(job{run: func() { e.begin(c, name, arg(), true) }, urgent: urgent}) {
		return "", ErrClosed
	}
	return e.await(ctx, c)
}

// Draw is Invoke for a function that returns at once and that may be called while JavaScript
// waits for an operation, such as one that asks for what the screen shows.
func (e *Engine) Draw(ctx context.Context, name, arg string) (string, error) {
	return e.invoke(ctx, name, true, func() string { return arg })
}

func (e *Engine) await(ctx context.Context, c *call) (string, error) {
	select {
	case <-c.done:
		return c.out, c.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-e.done:
		select {
		case <-c.done:
			return c.out, c.err
		default:
			return "", ErrClosed
		}
	}
}

// begin calls JavaScript for c. With wait, a promise is waited for.
func (e *Engine) begin(c *call, name, arg string, wait bool) {
	if err := e.opts.Limits.fits("the argument of a call into the script", len(arg)); err != nil {
		c.finish("", err)
		return
	}
	e.nextID++
	id := e.nextID
	e.calls[id] = c
	var r any
	err := e.turn(func() (err error) {
		r, err = e.enter.Call(quickjs.UndefinedValue, id, name, arg)
		return err
	})
	switch s, isString := r.(string); {
	case isString:
		delete(e.calls, id)
		c.finish(e.outcome(s))
	case err != nil:
		delete(e.calls, id)
		c.finish("", e.thrown(err))
	case !wait:
		c.finish("", nil) // what becomes of it later is reported only if it fails
	}
}

// outcome reads what enter or __settle hand over: "=" and a JSON value, or "!" and an error.
func (e *Engine) outcome(s string) (string, error) {
	if err := e.opts.Limits.fits("what the script returned", len(s)); err != nil {
		return "", err
	}
	if s == "" || s[0] == '=' {
		return s[min(1, len(s)):], nil
	}
	se := &ScriptError{}
	if err := json.Unmarshal([]byte(s[1:]), se); err != nil {
		return "", fmt.Errorf("script failed in a way that cannot be read: %w", err)
	}
	se.Stack = e.trace(se.Stack)
	se.Message = e.meant(se.Message)
	return "", se
}

// meant is the message of an error, also where there was no memory left to make one and
// JavaScript got null instead.
func (e *Engine) meant(message string) string {
	if message == "null" && e.raw.full() {
		return "out of memory"
	}
	return message
}

// settle is called by JavaScript when the promise of a call has an outcome.
func (e *Engine) settle(id int, s string) {
	c, ok := e.calls[id]
	if !ok {
		return
	}
	delete(e.calls, id)
	out, err := e.outcome(s)
	select {
	case <-c.done:
	default:
		c.finish(out, err)
		return
	}
	if se, ok := errors.AsType[*ScriptError](err); ok {
		e.report(Fault{Kind: "rejection", Message: se.Message, Stack: se.Stack})
	}
}

// turn runs JavaScript and then its pending jobs, within the limits. A turn inside another
// one runs no jobs: those of the outer one come when it has returned.
func (e *Engine) turn(fn func() error) error {
	if e.nest != nil {
		resume := e.watch.nested(e.opts.Limits.Turn)
		defer resume()
		return fn()
	}
	e.watch.begin(e.opts.Limits.Turn)
	err := fn()
	if err == nil || !e.watch.bitten() {
		if _, jobErr := e.vm.ExecutePendingJobs(); jobErr != nil && !e.watch.bitten() {
			e.report(Fault{Kind: "job", Message: jobErr.Error()})
		}
	}
	if e.watch.end() {
		e.calm()
		if err != nil {
			return ErrInterrupted
		}
		e.fault("interrupt", ErrInterrupted)
	}
	return err
}

// calm empties the queue of jobs after an interrupt. If they feed themselves faster than they
// can be ended, the machine stops.
func (e *Engine) calm() {
	if e.ctx.Err() != nil || e.raw.killJobs(e.vm, 30*time.Second) {
		return
	}
	e.report(Fault{Kind: "stopped", Message: "script keeps itself busy without end; its extensions are stopped"})
	e.stop(ErrInterrupted)
}

// thrown makes an error of what the engine returned.
func (e *Engine) thrown(err error) error {
	qe, ok := errors.AsType[*quickjs.Error](err)
	if !ok {
		return err
	}
	if e.watch.bitten() {
		return ErrInterrupted
	}
	se := &ScriptError{Name: qe.Name, Message: qe.Message, Stack: e.trace(qe.Stack)}
	if se.Message == "" {
		se.Message = qe.Error()
	}
	if qe.FileName != "" {
		se.Stack = e.trace(fmt.Sprintf("    at %s:%d:%d\n", qe.FileName, qe.LineNumber, qe.ColumnNumber)) + se.Stack
	}
	return se
}
