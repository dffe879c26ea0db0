package script

import (
	"context"
	"fmt"
	"strconv"
	"time"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
	toolhost "github.com/rondo-agent/rondo/tools/host"
)

// on is pi.on: it registers a handler that is function number fn of the machine.
func (in *instance) on(event string, fn int) error {
	kind, ok := extension.KindOf(event)
	if !ok {
		return nil // of another version: it never comes
	}
	policy := kind.Policy()
	handler, known := in.next("on", event, fn)
	if known {
		return nil
	}
	_, err := in.api.OnJSON(event, func(ctx context.Context, _ *extension.Context, e *extension.Envelope) (extension.Reply, error) {
		if start, ok := e.Event.(*extension.SessionStart); ok {
			in.host.mu.Lock()
			in.host.began = start
			in.host.mu.Unlock()
		}
		reply, err := in.deliver(ctx, handler, policy.Mutable, e)
		if dead(err) && !policy.FailsClosed {
			return extension.Reply{}, nil // an extension that is not there any more has nothing to say
		}
		return reply, err
	})
	return err
}

// handled is what the entry "event" returns.
type handled struct {
	Result  jsontext.Value `json:"r"`
	Mutated jsontext.Value `json:"m"`
	Exec    int            `json:"exec"`
}

func (in *instance) deliver(ctx context.Context, fn *ref, mutable string, e *extension.Envelope) (extension.Reply, error) {
	return in.deliverUntil(ctx, context.WithoutCancel(ctx), fn, mutable, e)
}

func (in *instance) deliverUntil(ctx, wait context.Context, fn *ref, mutable string, e *extension.Envelope) (extension.Reply, error) {
	h := in.host
	limits := h.settings.Limits.orDefault()
	if err := limits.fits("the event", len(e.JSON)); err != nil {
		return extension.Reply{}, err
	}
	r := &running{ctx: ctx, event: e.Event}
	c := h.begin(r)
	defer h.end(c)
	out, err := h.invokeEvent(ctx, wait, c, func(known bool) string { return eventCall(in.id, c, fn.now(), mutable, e, known) }, e.JSON)
	if err != nil || len(out) == 0 {
		return extension.Reply{}, err
	}
	var a handled
	if err := json.Unmarshal(out, &a, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return extension.Reply{}, fmt.Errorf("what the handler returned: %w", err)
	}
	reply := extension.Reply{Result: a.Result, Mutated: a.Mutated}
	if a.Exec != 0 {
		result := &extension.UserBashResult{Exec: in.exec(a.Exec)}
		if a.Result != nil {
			if err := json.Unmarshal(a.Result, result); err != nil {
				return extension.Reply{}, fmt.Errorf("the result of the command: %w", err)
			}
		}
		reply.Native = result
	}
	return reply, nil
}

// eventCall is the argument of the entry "event". The event itself is left out if the machine
// has it from the handler before.
func eventCall(x, c, fn int, mutable string, e *extension.Envelope, known bool) string {
	lazy := ""
	if _, ok := e.Event.(extension.Lazy); ok {
		lazy = `,"l":true`
	}
	b := make([]byte, 0, len(e.JSON)+96)
	b = append(b, `{"x":`...)
	b = strconv.AppendInt(b, int64(x), 10)
	b = append(b, `,"c":`...)
	b = strconv.AppendInt(b, int64(c), 10)
	b = append(b, `,"h":`...)
	b = strconv.AppendInt(b, int64(fn), 10)
	b = append(b, lazy...)
	if mutable != "" {
		b = append(b, `,"m":"`...)
		b = append(b, mutable...)
		b = append(b, '"')
	}
	b = append(b, `,"e":`...)
	if known {
		b = append(b, "null"...)
	} else {
		b = append(b, e.JSON...)
	}
	return unsafe.String(unsafe.SliceData(append(b, '}')), len(b)+1)
}

// invokeEvent is invoke for an event, which is parsed once for all of its handlers in this
// machine: whether it has the event is known when the call begins.
func (h *host) invokeEvent(ctx, wait context.Context, c int, arg func(known bool) string, event jsontext.Value) (jsontext.Value, error) {
	first := unsafe.SliceData(event)
	out, err := h.invokeLate(ctx, wait, c, "event", true, func() string {
		h.mu.Lock()
		known := h.event == first && h.engine.ordered()
		h.event = first
		h.mu.Unlock()
		return arg(known)
	})
	if err != nil { // which may mean that it has not got it
		h.mu.Lock()
		defer h.mu.Unlock()
		h.event = nil
	}
	return out, err
}

// grace is how long a tool or a command of a script may take to end when it is stopped.
const grace = time.Second

// soonAfter returns a context that ends a moment after another one. leave must be called.
func soonAfter(ctx context.Context) (wait context.Context, leave func()) {
	wait, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, func() { cancel(context.Cause(ctx)) }) })
	return wait, func() { stop(); cancel(nil) }
}

// exec makes a way of running commands of an extension's function. It returns soon after ctx
// is done, whatever the function does.
func (in *instance) exec(fn int) toolhost.Exec {
	return func(ctx context.Context, cmd *toolhost.Command, output func([]byte)) (toolhost.Exit, error) {
		arg := map[string]any{"x": in.id, "h": fn, "command": cmd.Text, "cwd": cmd.Dir}
		if cmd.Timeout > 0 {
			arg["timeout"] = cmd.Timeout.Seconds()
		}
		wait, leave := soonAfter(ctx)
		defer leave()
		out, err := in.host.callUntil(ctx, wait, &running{bash: output}, "bash", arg)
		if ctx.Err() != nil {
			return toolhost.Exit{}, context.Cause(ctx)
		}
		if err != nil {
			return toolhost.Exit{}, err
		}
		var exit struct {
			Code *int `json:"exitCode"`
		}
		if err := json.Unmarshal(out, &exit); err != nil {
			return toolhost.Exit{}, fmt.Errorf("the result of the command: %w", err)
		}
		if exit.Code == nil {
			return toolhost.Exit{}, fmt.Errorf("the command has ended without an exit code")
		}
		return toolhost.Exit{Code: *exit.Code}, nil
	}
}
