package script

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/lenient"
	"github.com/rondo-agent/rondo/schema"
)

// registerOps are the operations with which an extension says what it brings. Numbers stand
// for functions of the machine, 0 for none.
func (h *host) registerOps() Table {
	return Table{
		"pi.on": do(h, func(in *instance, a struct {
			Event string
			H     int
		},
		) error {
			return in.on(a.Event, a.H)
		}),
		"pi.registerTool":     do(h, registerTool),
		"pi.registerCommand":  do(h, registerCommand),
		"pi.registerShortcut": do(h, registerShortcut),
		"pi.registerFlag": do(h, func(in *instance, a struct {
			Name, Description, Type string
			Default                 any
		},
		) error {
			api, err := in.own()
			if err != nil {
				return err
			}
			if _, known := in.ref("flag", a.Name, 0); known {
				return nil
			}
			return api.RegisterFlag(&extension.Flag{Name: a.Name, Description: a.Description, Default: a.Default, Boolean: a.Type == "boolean"})
		}),
		"pi.getFlag": act(h, func(_ context.Context, in *instance, a struct{ Name string }) (any, error) {
			api, err := in.own()
			if err != nil {
				return nil, err
			}
			return api.Flag(a.Name), nil
		}),
		"pi.registerProvider": reach(h, func(_ *instance, a *providerArg) []Access { return toProvide(a.Provider) }, func(_ context.Context, in *instance, a providerArg) (jsontext.Value, error) {
			api, err := in.own()
			if err != nil {
				return nil, err
			}
			p, err := in.provider(a.Provider)
			if err != nil {
				return nil, fmt.Errorf("register the provider %q: %w", a.Name, err)
			}
			return nil, api.RegisterProvider(a.Name, p)
		}),
		"pi.unregisterProvider": do(h, func(in *instance, a struct{ Name string }) error {
			api, err := in.own()
			if err != nil {
				return err
			}
			return api.UnregisterProvider(a.Name)
		}),
		"pi.registerMarkdownTransformer": do(h, registerTransformer),
	}
}

type providerArg struct {
	Name     string
	Provider jsontext.Value
}

func registerTool(in *instance, a struct {
	Name, Label, Description string
	Parameters               jsontext.Value
	PromptSnippet            string
	PromptGuidelines         []string
	ExecutionMode            agent.ExecutionMode
	RenderShell              string
	Execute, Prepare         int
	RenderCall, RenderResult int
},
) error {
	api, err := in.own()
	if err != nil {
		return err
	}
	if a.Execute == 0 {
		return fmt.Errorf("register the tool %q: it has no function execute", a.Name)
	}
	t := &agent.Tool{Name: a.Name, Label: a.Label, Description: a.Description, Mode: a.ExecutionMode, Execute: in.executeTool(in.named("execute", a.Name, a.Execute))}
	if a.Parameters != nil && a.Parameters.Kind() != 'n' {
		if t.Parameters, err = schema.Parse(a.Parameters.Clone()); err != nil {
			return fmt.Errorf("register the tool %q: %w", a.Name, err)
		}
	}
	if a.Prepare != 0 {
		prepare := in.named("prepare", a.Name, a.Prepare)
		t.PrepareArguments = func(args jsontext.Value) (jsontext.Value, error) {
			return in.host.call(context.Background(), &running{}, "tool.prepare", map[string]any{"x": in.id, "h": prepare, "args": args})
		}
	}
	tool := &extension.Tool{Tool: t, PromptSnippet: a.PromptSnippet, PromptGuidelines: a.PromptGuidelines, RenderSelf: a.RenderShell == "self"}
	if a.RenderCall != 0 {
		tool.RenderCall = in.renderCall(a.RenderCall)
	}
	if a.RenderResult != 0 {
		tool.RenderResult = in.renderResult(a.RenderResult)
	}
	return api.RegisterTool(tool)
}

// executeTool runs a tool that is a function of the machine.
func (in *instance) executeTool(fn *ref) func(context.Context, *agent.Call) (*agent.ToolResult, error) {
	return func(ctx context.Context, call *agent.Call) (*agent.ToolResult, error) {
		r := &running{tool: func(partial jsontext.Value) {
			if result, err := toolResult(partial); err == nil {
				call.Update(result)
			}
		}}
		wait, leave := soonAfter(ctx)
		defer leave()
		out, err := in.host.callUntil(ctx, wait, r, "tool.execute", map[string]any{"x": in.id, "h": fn, "id": call.ID, "params": call.Args})
		if err != nil {
			return nil, err
		}
		return toolResult(out)
	}
}

// toolResult reads what a tool has returned.
func toolResult(raw jsontext.Value) (*agent.ToolResult, error) {
	if len(raw) == 0 || raw.Kind() != '{' {
		return nil, errors.New("the tool returned nothing: it must return { content: [...], details: … }")
	}
	var result struct {
		agent.ToolResult
		IsError bool `json:"isError"`
	}
	raw, err := lenient.JSON(raw)
	if err == nil {
		err = json.Unmarshal(raw, &result, lenient.Options)
	}
	if err != nil {
		return nil, fmt.Errorf("what the tool returned is no result: %w", err)
	}
	result.ToolResult.IsError = result.IsError
	return &result.ToolResult, nil
}

func registerCommand(in *instance, a struct {
	Name, Description string
	H, Completions    int
},
) error {
	api, err := in.own()
	if err != nil {
		return err
	}
	c := &extension.Command{Name: a.Name, Description: a.Description}
	handler := in.named("command", a.Name, a.H)
	c.Handler = func(ctx context.Context, _ *extension.CommandContext, args string) error {
		_, err := in.host.call(ctx, &running{}, "command", map[string]any{"x": in.id, "h": handler, "args": args})
		return err
	}
	if a.Completions != 0 {
		c.Completions = func(ctx context.Context, prefix string) ([]extension.AutocompleteItem, error) {
			var items []extension.AutocompleteItem
			return items, in.function(ctx, a.Completions, &items, prefix)
		}
	}
	return api.RegisterCommand(c)
}

func registerShortcut(in *instance, a struct {
	Key, Description string
	H                int
},
) error {
	api, err := in.own()
	if err != nil {
		return err
	}
	handler, known := in.ref("shortcut", a.Key, a.H)
	if known {
		return nil
	}
	return api.RegisterShortcut(&extension.Shortcut{Key: a.Key, Description: a.Description, Handler: func(ctx context.Context, _ *extension.Context) error {
		_, err := in.host.call(ctx, &running{}, "shortcut", map[string]any{"x": in.id, "h": handler})
		return err
	}})
}

func registerTransformer(in *instance, a struct{ H int }) error {
	api, err := in.own()
	if err != nil {
		return err
	}
	return api.RegisterMarkdownTransformer(func(text string, about extension.MarkdownContext) string {
		var out string
		err := in.function(context.Background(), a.H, &out, text, map[string]any{
			"messageType": about.MessageType, "isStreaming": about.IsStreaming, "availableWidth": about.AvailableWidth,
		})
		if err != nil {
			api.Report(&extension.Error{Event: "markdown", Err: err})
			return text
		}
		return out
	})
}

// settleTime is how long a function is waited for where nothing else says so.
const settleTime = 30 * time.Second

// function calls a function of the machine with plain values; into gets its result, unless
// that is undefined or null. It returns when ctx is done, whatever the function does.
func (in *instance) function(ctx context.Context, fn int, into any, args ...any) error {
	if ctx.Done() == nil {
		late := fmt.Errorf("a function of the extension does not return: it was given %v", settleTime)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, settleTime, late)
		defer cancel()
	}
	h := in.host
	c := h.begin(&running{ctx: ctx})
	defer h.end(c)
	arg, err := json.Marshal(map[string]any{"x": in.id, "c": c, "h": fn, "args": args}, lenient.Options)
	if err != nil {
		return fmt.Errorf("call a script: %w", err)
	}
	out, err := h.engine.Invoke(ctx, "function", string(arg))
	if err != nil || out == "" || out == "null" || into == nil {
		return err
	}
	if err := json.Unmarshal([]byte(out), into, lenient.Options, json.MatchCaseInsensitiveNames(true)); err != nil {
		return fmt.Errorf("what a function of the extension returned: %w", err)
	}
	return nil
}
