package script

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/lenient"
)

// request is what the facade sends with every operation of an extension: the instance, the
// call that it was made in, and the operation's own argument.
type request[A any] struct {
	X int `json:"x"`
	C int `json:"c"`
	A A   `json:"a"`
}

// act makes an operation of a function of an instance.
func act[A, Out any](h *host, fn func(ctx context.Context, in *instance, a A) (Out, error)) Op {
	return Op{run: func(ctx context.Context, raw []byte) ([]byte, error) {
		var q request[A]
		if err := decode(raw, &q); err != nil {
			return nil, err
		}
		in, err := h.instance(q.X)
		if err != nil {
			return nil, err
		}
		if r := h.running(q.C); r != nil {
			ctx = inside{ctx, r.ctx}
		}
		out, err := fn(ctx, in, q.A)
		if err != nil {
			return nil, err
		}
		return json.Marshal(out, lenient.Options)
	}}
}

// reach is act for what acts outside of the machine, as [Reaching] does.
func reach[A, Out any](h *host, accesses func(in *instance, a *A) []Access, fn func(ctx context.Context, in *instance, a A) (Out, error)) Op {
	op := act(h, func(ctx context.Context, in *instance, a A) (out Out, err error) {
		if err := permit(ctx, accesses(in, &a)...); err != nil {
			return out, err
		}
		return fn(ctx, in, a)
	})
	op.reaches = true
	return op
}

// decode reads an argument, with names in any case.
func decode(raw jsontext.Value, into any) error {
	if err := json.Unmarshal(raw, into, lenient.Options, json.MatchCaseInsensitiveNames(true)); err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	return nil
}

// inside is the context of an operation with the values of the call that it was made in. It
// ends with the engine alone: what a handler has begun goes on after the handler.
type inside struct {
	context.Context
	call context.Context
}

// Value looks in both contexts.
func (i inside) Value(key any) any {
	if v := i.Context.Value(key); v != nil {
		return v
	}
	return i.call.Value(key)
}

// get makes an operation of what an instance can be asked for.
func get[Out any](h *host, fn func(in *instance) (Out, error)) Op {
	return act(h, func(_ context.Context, in *instance, _ jsontext.Value) (Out, error) { return fn(in) })
}

// do makes an operation of an action without result.
func do[A any](h *host, fn func(in *instance, a A) error) Op {
	return act(h, func(_ context.Context, in *instance, a A) (jsontext.Value, error) { return nil, fn(in, a) })
}

// ask makes an operation of what the session can be asked for.
func ask[Out any](h *host, fn func(s extension.Session) Out) Op {
	return get(h, func(in *instance) (out Out, err error) {
		s, err := in.x.Session()
		if err != nil {
			return out, err
		}
		return fn(s), nil
	})
}

var errNoAPI = errors.New("this context has no extension of its own to register things for")

// own is the API of an instance, nil for a context that withSession got.
func (in *instance) own() (*extension.API, error) {
	if in.api == nil {
		return nil, errNoAPI
	}
	return in.api, nil
}

// piOps are the operations behind the objects pi and ctx.
func (h *host) piOps() Table {
	return Table{}.Add(h.sessionOps(), h.registerOps(), h.replaceOps(), h.writerOps(), h.uiOps(), h.modelOps(), h.askOps(), h.loginOps(), h.streamOps(), h.stateOps(), h.messageOps(), h.settingOps(), h.callOps())
}

// stateOps tell how the session is, and end what it does.
func (h *host) stateOps() Table {
	return Table{
		"pi.live": get(h, func(in *instance) (jsontext.Value, error) { return nil, in.x.Err() }),
		"pi.fresh": get(h, func(in *instance) (jsontext.Value, error) {
			if err := in.x.Err(); errors.Is(err, extension.ErrStale) {
				return nil, err
			}
			return nil, nil
		}),
		"pi.mode":                   get(h, func(in *instance) (string, error) { return string(in.x.Mode()), nil }),
		"pi.hasUI":                  get(h, func(in *instance) (bool, error) { return in.x.HasUI(), nil }),
		"pi.cwd":                    get(h, func(in *instance) (string, error) { return in.x.CWD(), nil }),
		"pi.isIdle":                 ask(h, extension.Session.Idle),
		"pi.isProjectTrusted":       ask(h, extension.Session.ProjectTrusted),
		"pi.hasPendingMessages":     ask(h, extension.Session.HasPendingMessages),
		"pi.getContextUsage":        ask(h, extension.Session.ContextUsage),
		"pi.getSystemPrompt":        ask(h, extension.Session.SystemPrompt),
		"pi.getSystemPromptOptions": ask(h, extension.Session.SystemPromptOptions),
		"pi.getThinkingLevel":       ask(h, extension.Session.ThinkingLevel),
		"pi.getActiveTools":         ask(h, extension.Session.ActiveTools),
		"pi.getAllTools":            ask(h, extension.Session.AllTools),
		"pi.getCommands":            ask(h, extension.Session.Commands),
		"pi.scopedModels":           ask(h, extension.Session.ScopedModels),
		"pi.abort":                  get(h, func(in *instance) (jsontext.Value, error) { return nil, in.x.Abort() }),
		"pi.shutdown":               get(h, func(in *instance) (jsontext.Value, error) { return nil, in.x.Shutdown() }),
		"pi.run":                    ask(h, func(s extension.Session) bool { return s.RunContext() != nil }),
		"pi.runEnd":                 act(h, runEnd),
		"pi.compact":                act(h, compact),
		"pi.exec":                   reach(h, toExecute, execute),
	}
}

// messageOps put something into the session, or on the bus between extensions.
func (h *host) messageOps() Table {
	return Table{
		"pi.sendMessage": do(h, func(in *instance, a struct {
			Message extension.CustomMessage `json:"message"`
			Options extension.SendOptions   `json:"options"`
		},
		) error {
			return (&extension.CommandContext{Context: in.x}).SendMessage(&a.Message, a.Options)
		}),
		"pi.sendUserMessage": do(h, func(in *instance, a extension.UserMessage) error {
			api, err := in.own()
			if err != nil {
				return err
			}
			return api.SendUserMessage(&a)
		}),
		"pi.sendUserMessageAccepted": act(h, func(ctx context.Context, in *instance, a extension.UserMessage) (jsontext.Value, error) {
			return nil, (&extension.CommandContext{Context: in.x}).SendUserMessage(ctx, &a)
		}),
		"pi.appendEntry": do(h, func(in *instance, a struct {
			CustomType string         `json:"customType"`
			Data       jsontext.Value `json:"data"`
		},
		) error {
			s, err := in.x.Session()
			if err != nil {
				return err
			}
			_, err = s.AppendEntry(a.CustomType, a.Data)
			return err
		}),
		"pi.emit":      do(h, emit),
		"pi.subscribe": do(h, subscribe),
	}
}

// settingOps change what the session goes on with.
func (h *host) settingOps() Table {
	return Table{
		"pi.setSessionName": act(h, func(ctx context.Context, in *instance, a struct{ Name string }) (jsontext.Value, error) {
			return nil, change(in, func(s extension.Session) error { return s.SetName(ctx, a.Name) })
		}),
		"pi.setLabel": do(h, func(in *instance, a struct{ EntryID, Label string }) error {
			return change(in, func(s extension.Session) error { return s.SetLabel(a.EntryID, a.Label) })
		}),
		"pi.setActiveTools": do(h, func(in *instance, a struct{ Names []string }) error {
			return change(in, func(s extension.Session) error { return s.SetActiveTools(a.Names) })
		}),
		"pi.setThinkingLevel": act(h, func(ctx context.Context, in *instance, a struct{ Level ai.ThinkingLevel }) (jsontext.Value, error) {
			return nil, change(in, func(s extension.Session) error { return s.SetThinkingLevel(ctx, a.Level) })
		}),
	}
}

func change(in *instance, fn func(s extension.Session) error) error {
	s, err := in.x.Session()
	if err != nil {
		return err
	}
	return fn(s)
}

// runEnd waits for the end of the run under way, and says whether that was an abort.
func runEnd(ctx context.Context, in *instance, _ jsontext.Value) (bool, error) {
	run := in.x.RunContext()
	if run == nil {
		return false, nil
	}
	select {
	case <-run.Done():
		return !errors.Is(context.Cause(run), context.Canceled), nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

func compact(ctx context.Context, in *instance, a struct {
	CustomInstructions string `json:"customInstructions"`
},
) (jsontext.Value, error) {
	type end struct {
		result jsontext.Value
		err    error
	}
	ended := make(chan end, 1)
	err := in.x.Compact(a.CustomInstructions, func(result jsontext.Value, err error) { ended <- end{result, err} })
	if err != nil {
		return nil, err
	}
	select {
	case e := <-ended:
		return e.result, e.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// execArg is what pi.exec runs.
type execArg struct {
	Command   string   `json:"command"`
	Args      []string `json:"args"`
	CWD       string   `json:"cwd"`
	Timeout   float64  `json:"timeout"` // milliseconds
	MaxBuffer int      `json:"maxBuffer"`
}

func toExecute(in *instance, a *execArg) []Access {
	if a.CWD == "" {
		a.CWD = in.x.CWD()
	}
	return []Access{toRun(a.CWD, a.Command, a.Args...)}
}

func execute(ctx context.Context, in *instance, a execArg) (*extension.ExecResult, error) {
	if err := in.x.Err(); err != nil {
		return nil, err
	}
	opts := extension.ExecOptions{Dir: a.CWD, Timeout: time.Duration(a.Timeout * float64(time.Millisecond)), MaxBuffer: a.MaxBuffer}
	if policyOf(ctx) != nil {
		opts.Env = in.host.system.environ(ctx, nil)
	}
	result, err := extension.Exec(ctx, a.Command, a.Args, opts)
	if err != nil { // as Pi 0.85: a program that cannot be run is a result
		return &extension.ExecResult{Stderr: err.Error(), Code: 1}, nil
	}
	return result, nil
}

// emit sends data on the bus to those outside of the machine; those inside have it.
func emit(in *instance, a struct {
	Channel string         `json:"channel"`
	Data    jsontext.Value `json:"data"`
},
) error {
	api, err := in.own()
	if err != nil {
		return err
	}
	data := a.Data.Clone()
	if data == nil {
		data = jsontext.Value("null")
	}
	h, mark := in.host, &data[0]
	h.mu.Lock()
	h.sending[mark] = true
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.sending, mark)
	}()
	api.Events().Emit(a.Channel, data)
	return nil
}

// subscribe lets the machine hear what others send. The sender does not wait for it: one
// machine that does not give way would hold up all.
func subscribe(in *instance, a struct {
	Channel string `json:"channel"`
	H       int    `json:"h"`
},
) error {
	api, err := in.own()
	if err != nil {
		return err
	}
	h := in.host
	listener, known := h.refer("channel "+a.Channel, a.H)
	if known {
		return nil
	}
	api.Events().On(a.Channel, func(data any) {
		raw, isRaw := data.(jsontext.Value)
		h.mu.Lock()
		own := isRaw && len(raw) > 0 && h.sending[&raw[0]]
		h.mu.Unlock()
		if own {
			return
		}
		arg, err := json.Marshal(map[string]any{"x": in.id, "c": 0, "h": listener, "args": []any{data}}, lenient.Options)
		if err != nil {
			api.Report(&extension.Error{Event: "events:" + a.Channel, Err: err})
			return
		}
		h.engine.tell("function", string(arg))
	})
	return nil
}

// callOps report what happens during a call.
func (h *host) callOps() Table {
	return Table{
		"pi.lazy": act(h, func(_ context.Context, in *instance, a struct {
			C     int    `json:"c"`
			Field string `json:"field"`
		},
		) (jsontext.Value, error) {
			r := h.running(a.C)
			if r == nil {
				return nil, fmt.Errorf("the field %s of an event can be read until its handler has returned", a.Field)
			}
			lazy, ok := r.event.(extension.Lazy)
			if !ok {
				return nil, nil
			}
			return lazy.Lazy(a.Field)
		}),
		"pi.toolUpdate": h.onCall(func(r *running, raw jsontext.Value) error {
			var a struct {
				Partial jsontext.Value `json:"partial"`
			}
			if err := json.Unmarshal(raw, &a, lenient.Options); err != nil {
				return err
			}
			if r.tool != nil {
				r.tool(a.Partial)
			}
			return nil
		}),
		"pi.bashData": h.onCall(func(r *running, raw jsontext.Value) error {
			var a struct {
				Data []byte `json:"data"`
			}
			if err := json.Unmarshal(raw, &a, lenient.Options); err != nil {
				return err
			}
			if r.bash != nil {
				r.bash(a.Data)
			}
			return nil
		}),
	}
}

// onCall makes an operation for the call that it was made in; after the call it does nothing.
func (h *host) onCall(fn func(r *running, a jsontext.Value) error) Op {
	return Op{run: func(_ context.Context, raw []byte) ([]byte, error) {
		var q request[jsontext.Value]
		if err := json.Unmarshal(raw, &q, lenient.Options); err != nil {
			return nil, fmt.Errorf("arguments: %w", err)
		}
		r := h.running(q.C)
		if r == nil {
			return nil, nil
		}
		return nil, fn(r, q.A)
	}}
}

// callsBack names the operations that act on the session or the terminal, which may tell
// extensions of it before they return.
func callsBack(name string) bool {
	if strings.HasPrefix(name, "pi.ui.") {
		return true
	}
	switch name {
	case "pi.sendMessage", "pi.sendUserMessage", "pi.appendEntry", "pi.setSessionName", "pi.setLabel", "pi.setActiveTools",
		"pi.setThinkingLevel", "pi.registerTool", "pi.registerProvider", "pi.unregisterProvider", "pi.abort", "pi.shutdown",
		"pi.emit", "pi.append":
		return true
	}
	return false
}
