package process

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/lenient"
)

// acting is an action under way.
type acting struct {
	link *link
	p    *program
	x    *extension.Context // of the call, or of the extension
	call *call              // that the action belongs to; nil is none
}

// session is what the action acts on.
func (on *acting) session() (extension.Session, error) { return on.x.Session() }

// command is the context of the command that the action belongs to.
func (on *acting) command() (*extension.CommandContext, error) {
	if on.call == nil || on.call.command == nil {
		return nil, errors.New("this is for commands: handlers of events would wait for themselves")
	}
	return on.call.command, nil
}

// action is something that an extension can ask for.
type action struct {
	run func(ctx context.Context, on *acting, params jsontext.Value) (any, error)
	// waits says that it may take its time, so that others are not held up; bound that it
	// ends with the call that it belongs to.
	waits, bound bool
}

// now is an action that returns at once.
func now[P any](fn func(on *acting, params P) (any, error)) action {
	return action{run: func(_ context.Context, on *acting, raw jsontext.Value) (any, error) {
		params, err := paramsOf[P](raw)
		if err != nil {
			return nil, err
		}
		return fn(on, params)
	}}
}

// later is an action that takes its time.
func later[P any](fn func(ctx context.Context, on *acting, params P) (any, error)) action {
	return action{waits: true, run: func(ctx context.Context, on *acting, raw jsontext.Value) (any, error) {
		params, err := paramsOf[P](raw)
		if err != nil {
			return nil, err
		}
		return fn(ctx, on, params)
	}}
}

// during is an action that takes its time, and ends with its call.
func during[P any](fn func(ctx context.Context, on *acting, params P) (any, error)) action {
	a := later(fn)
	a.bound = true
	return a
}

func paramsOf[P any](raw jsontext.Value) (params P, err error) {
	if raw == nil || raw.Kind() == 'n' {
		return params, nil
	}
	if err := json.Unmarshal(raw, &params, lenient.Options, json.RejectUnknownMembers(true)); err != nil {
		return params, fmt.Errorf("the action's params: %w", err)
	}
	return params, nil
}

// none are the parameters of an action without any.
type none struct{}

// done is the result of an action that only does something.
func done(err error) (any, error) { return nil, err }

// millis is a time in milliseconds.
type millis int64

func (m millis) duration() time.Duration { return time.Duration(m) * time.Millisecond }
