package extension

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/internal/lenient"
)

// On registers a handler of an event; the type of the event selects it. Handlers run in the
// order in which their extensions were loaded, and in the order of registration within one.
// A nil result is no opinion. The returned function takes the handler away.
func On[E Hook[R], R any](api *API, handler func(ctx context.Context, x *Context, e E) (R, error)) (off func()) {
	var event E
	return api.add(event.Kind(), func(ctx context.Context, x *Context, e Event) (any, error) {
		var none R
		result, err := handler(ctx, x, e.(E))
		if err != nil || any(result) == any(none) {
			return nil, err
		}
		return result, nil
	}, nil)
}

// Observe registers a handler of an event that has nothing to say to it.
func Observe[E Event](api *API, handler func(ctx context.Context, x *Context, e E) error) (off func()) {
	var event E
	return api.add(event.Kind(), func(ctx context.Context, x *Context, e Event) (any, error) {
		return nil, handler(ctx, x, e.(E))
	}, nil)
}

// OnJSON is On for a host of another language: the event and the result are JSON, with the
// names of Pi 0.85.
func (api *API) OnJSON(event string, handler JSONHandler) (off func(), err error) {
	k, ok := KindOf(event)
	if !ok {
		return nil, fmt.Errorf("there is no event %q", event)
	}
	return api.add(k, nil, handler), nil
}

// add puts a handler behind those of the same and of earlier instances.
func (api *API) add(k Kind, native func(context.Context, *Context, Event) (any, error), js JSONHandler) (off func()) {
	h := &handler{in: api.in, what: policies[k].Event, deadline: policies[k].Deadline, native: native, json: js}
	r := api.in.runner
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.phase == gone || api.in.dead.Load() {
		return func() {}
	}
	r.edit(k, func(list []*handler) []*handler {
		at := slices.IndexFunc(list, func(other *handler) bool { return other.in.order > h.in.order })
		if at < 0 {
			at = len(list)
		}
		return slices.Insert(list, at, h)
	})
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.edit(k, func(list []*handler) []*handler {
			return slices.DeleteFunc(list, func(other *handler) bool { return other == h })
		})
	}
}

// step is what a handler's result means for the chain.
type step int

const (
	goOn step = iota
	changed
	stop
)

// dispatch calls the handlers of an event, one after another. What each returns goes to
// take, which is nil for an event that observes. The error is that of an event that fails
// closed; all others are reported.
func dispatch[E Hook[R], R any](ctx context.Context, r *Runner, e E, take func(result R) (step, error)) error {
	list := r.handlers[e.Kind()].Load()
	if list == nil {
		return nil
	}
	env := Envelope{Event: e}
	for _, h := range *list {
		next, err := deliver(ctx, r, h, &env, take)
		switch {
		case err != nil && policies[e.Kind()].FailsClosed:
			return r.closed(ctx, h, err)
		case errors.Is(err, errEnded): // and nobody is left to hear of it
			return nil
		case err != nil:
			r.fail(ctx, h, err)
		case next == stop:
			return nil
		case next == changed:
			env.JSON = nil
		}
	}
	return nil
}

// deliver calls one handler and does what it says.
func deliver[R any](ctx context.Context, r *Runner, h *handler, env *Envelope, take func(result R) (step, error)) (step, error) {
	var answer any
	var err error
	if h.native != nil {
		answer, err = askNative(ctx, r, h, env)
	} else {
		answer, err = askJSON[R](ctx, r, h, env)
	}
	if err != nil {
		return goOn, err
	}
	if result, ok := answer.(R); ok && take != nil {
		return take(result)
	}
	return goOn, nil
}

// askNative gives the handler a copy of what it may change, so that one that is left behind
// changes nothing any more.
func askNative(ctx context.Context, r *Runner, h *handler, env *Envelope) (any, error) {
	e := env.Event
	m, isMutable := e.(mutable)
	if isMutable {
		e = m.copied()
	}
	answer, err := call(ctx, r, h, func(ctx context.Context) (any, error) { return h.native(ctx, h.in.x, e) })
	if isMutable && err == nil {
		m.adopt(e)
		env.JSON = nil
	}
	return answer, err
}

func askJSON[R any](ctx context.Context, r *Runner, h *handler, env *Envelope) (any, error) {
	if env.JSON == nil {
		var err error
		if env.JSON, err = Encode(env.Event); err != nil {
			return nil, err
		}
	}
	sent := *env
	reply, err := call(ctx, r, h, func(ctx context.Context) (Reply, error) { return h.json(ctx, h.in.x, &sent) })
	if err != nil {
		return nil, err
	}
	if err := reply.mend(); err != nil {
		return nil, fmt.Errorf("what the handler returned is no JSON: %w", err)
	}
	if reply.Mutated != nil {
		if err := env.mutate(reply.Mutated); err != nil {
			return nil, err
		}
	}
	if reply.Native != nil {
		return reply.Native, nil
	}
	if reply.Result == nil || reply.Result.Kind() == 'n' {
		return nil, nil
	}
	var result R
	if err := json.Unmarshal(reply.Result, &result, reading); err != nil {
		return nil, fmt.Errorf("what the handler returned is no result of %s: %w", h.what, err)
	}
	return result, nil
}

// mend makes strict JSON of what a handler has answered.
func (r *Reply) mend() (err error) {
	if r.Mutated != nil {
		if r.Mutated, err = lenient.JSON(r.Mutated); err != nil {
			return err
		}
	}
	if r.Result != nil {
		r.Result, err = lenient.JSON(r.Result)
	}
	return err
}

// closed is the error of an event that fails closed. What a handler says of a call is what its
// failure is about, and the model reads it; everything else names the extension. That it panics
// or hangs is reported as well.
func (r *Runner) closed(ctx context.Context, h *handler, err error) error {
	failure, panicked := errors.AsType[*Error](err)
	hangs := errors.Is(err, ErrDeadline) || errors.Is(err, errHung)
	if panicked || hangs {
		r.fail(ctx, h, err)
	}
	switch {
	case panicked:
		return failure.Err
	case hangs || h.what != policies[KindToolCall].Event:
		return fmt.Errorf("extension %s: %s: %w", h.in.source.Path, h.what, err)
	}
	return err
}

// fail reports a handler's error. That it was not called since it hangs was reported when it
// was left behind, and who has cancelled the work knows.
func (r *Runner) fail(ctx context.Context, h *handler, err error) {
	if errors.Is(err, errHung) || ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return
	}
	failure, ok := errors.AsType[*Error](err)
	if !ok {
		failure = &Error{Path: h.in.source.Path, Event: h.what, Err: err}
	}
	r.Report(failure)
}
