package script

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/lenient"
)

// provider reads what registerProvider was given; numbers stand for functions.
func (in *instance) provider(raw jsontext.Value) (*extension.Provider, error) {
	p := &extension.Provider{}
	if err := json.Unmarshal(raw, p, lenient.Options); err != nil {
		return nil, err
	}
	for i, m := range p.Models {
		p.Models[i] = m.Clone()
	}
	var a struct {
		Stream, Refresh int
		OAuth           *struct {
			Name                                         string
			IsSubscription, UsesCallbackServer           bool
			Login, RefreshToken, GetAPIKey, ModifyModels int
		}
	}
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	if a.Stream != 0 {
		p.Stream = in.stream(a.Stream)
	}
	if a.Refresh != 0 {
		p.RefreshModels = func(ctx context.Context) ([]jsontext.Value, error) {
			var models []jsontext.Value
			if err := in.function(ctx, a.Refresh, &models, map[string]any{}); err != nil {
				return nil, err
			}
			for _, m := range models {
				if err := in.host.policy.permit(toProvide(m)...); err != nil {
					return nil, err
				}
			}
			return models, nil
		}
	}
	if o := a.OAuth; o != nil {
		p.OAuth = &extension.OAuth{
			Name: o.Name, IsSubscription: o.IsSubscription, UsesCallbackServer: o.UsesCallbackServer,
			Login: in.login(o.Login), Refresh: in.refresh(o.RefreshToken), APIKey: in.apiKey(o.GetAPIKey),
			ModifyModels: in.modifyModels(o.ModifyModels),
		}
	}
	return p, nil
}

// stream asks a model through a function of the machine. Its events come through the
// operation pi.streamEvent, and go on from the goroutine that reads the stream.
func (in *instance) stream(fn int) ai.StreamFunc {
	return func(ctx context.Context, req *ai.Request) *ai.Stream {
		return ai.NewStream(ctx, req.Model, func(ctx context.Context, w *ai.Writer) error {
			q := &eventQueue{more: make(chan struct{}, 1)}
			ended := make(chan error, 1)
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			r := &running{tool: q.add}
			go func() {
				arg := map[string]any{"x": in.id, "h": fn, "model": req.Model, "context": requestContext(&req.Context), "options": requestOptions(&req.Options)}
				_, err := in.host.call(ctx, r, "stream", arg)
				ended <- err
			}()
			return relay(ctx, w, q, ended)
		})
	}
}

// eventQueue holds the events of a script until the stream's reader takes them. The script
// does not wait for the reader, who may be about to call the script.
type eventQueue struct {
	mu   sync.Mutex
	list []jsontext.Value
	more chan struct{}
}

func (q *eventQueue) add(event jsontext.Value) {
	q.mu.Lock()
	q.list = append(q.list, event)
	q.mu.Unlock()
	select {
	case q.more <- struct{}{}:
	default:
	}
}

func (q *eventQueue) take() []jsontext.Value {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := q.list
	q.list = nil
	return list
}

// relay writes the events of a script to a stream. The function has always ended when it
// returns, unless ctx is done.
func relay(ctx context.Context, w *ai.Writer, q *eventQueue, ended <-chan error) error {
	blocks := map[int]int{}
	for {
		over := false
		var failure error
		select {
		case <-q.more:
		case failure = <-ended:
			over = true
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		for _, event := range q.take() {
			if err := relayEvent(w, blocks, event); err != nil {
				return err
			}
		}
		switch {
		case !over:
		case w.Ended() || failure != nil:
			return failure
		default:
			return ai.ErrUnterminated
		}
	}
}

type streamEvent struct {
	Type         string               `json:"type"`
	ContentIndex int                  `json:"contentIndex"`
	Delta        string               `json:"delta"`
	Content      string               `json:"content"`
	ToolCall     *ai.ToolCall         `json:"toolCall"`
	Message      *ai.AssistantMessage `json:"message"`
	Error        *ai.AssistantMessage `json:"error"`
	ID           string               `json:"id"`
	Name         string               `json:"name"`
}

func relayEvent(w *ai.Writer, blocks map[int]int, raw jsontext.Value) error {
	var e streamEvent
	if err := json.Unmarshal(raw, &e, lenient.Options); err != nil {
		return fmt.Errorf("an event of the extension's stream: %w", err)
	}
	block, open := blocks[e.ContentIndex]
	switch e.Type {
	case "start":
		w.Start()
	case "text_start":
		blocks[e.ContentIndex] = w.StartText()
	case "thinking_start":
		blocks[e.ContentIndex] = w.StartThinking()
	case "toolcall_start":
		blocks[e.ContentIndex] = w.StartToolCall(e.ID, e.Name)
	case "text_delta", "thinking_delta", "toolcall_delta":
		if open {
			w.Append(block, e.Delta)
		}
	case "toolcall_end":
		if open && e.ToolCall != nil {
			w.SetToolCall(block, e.ToolCall.ID, e.ToolCall.Name)
			w.SetArguments(block, string(e.ToolCall.Arguments))
			w.End(block)
		}
	case "text_end", "thinking_end":
		if open {
			w.End(block)
		}
	case "done":
		if e.Message == nil {
			return errors.New("the extension's stream ended without its message")
		}
		w.DoneWith(e.Message)
	case "error":
		if e.Error == nil {
			return errors.New("the extension's stream failed without saying why")
		}
		w.DoneWith(e.Error)
	}
	return nil
}

func requestContext(c *ai.Context) any {
	return map[string]any{"systemPrompt": c.SystemPrompt, "messages": c.Messages, "tools": c.Tools}
}

func requestOptions(o *ai.Options) any {
	out := map[string]any{"apiKey": o.APIKey, "headers": o.Headers}
	for name, v := range map[string]string{"reasoning": string(o.Thinking), "sessionId": o.SessionID, "cacheRetention": o.CacheRetention, "toolChoice": o.ToolChoice} {
		if v != "" {
			out[name] = v
		}
	}
	if o.Temperature != nil {
		out["temperature"] = *o.Temperature
	}
	if o.MaxTokens > 0 {
		out["maxTokens"] = o.MaxTokens
	}
	return out
}

func (in *instance) refresh(fn int) func(context.Context, jsontext.Value) (jsontext.Value, error) {
	return func(ctx context.Context, credentials jsontext.Value) (out jsontext.Value, err error) {
		return out, in.function(ctx, fn, &out, credentials)
	}
}

func (in *instance) apiKey(fn int) func(jsontext.Value) string {
	return func(credentials jsontext.Value) (key string) {
		if err := in.function(context.Background(), fn, &key, credentials); err != nil {
			in.report("getApiKey", err)
		}
		return key
	}
}

func (in *instance) modifyModels(fn int) func([]*ai.Model, jsontext.Value) []*ai.Model {
	if fn == 0 {
		return nil
	}
	return func(models []*ai.Model, credentials jsontext.Value) []*ai.Model {
		var out []*ai.Model
		if err := in.function(context.Background(), fn, &out, models, credentials); err != nil {
			in.report("modifyModels", err)
			return models
		}
		for _, m := range out {
			if err := in.host.policy.permit(toAsk(m)...); err != nil {
				in.report("modifyModels", err)
				return models
			}
		}
		return out
	}
}

// login lets a function of the machine log in; what it asks the person comes through the
// operations pi.login.
func (in *instance) login(fn int) func(context.Context, extension.LoginUI) (jsontext.Value, error) {
	return func(ctx context.Context, ui extension.LoginUI) (jsontext.Value, error) {
		n := in.host.hold(ui)
		return in.host.call(ctx, &running{}, "login", map[string]any{"x": in.id, "h": fn, "n": n})
	}
}

// loginOps are what a login tells the person, and asks.
func (h *host) loginOps() Table {
	return Table{
		"pi.login.open": onHeld(h, func(_ *instance, ui extension.LoginUI, a struct {
			N                 int
			URL, Instructions string
		},
		) (jsontext.Value, error) {
			ui.Open(a.URL, a.Instructions)
			return nil, nil
		}),
		"pi.login.device": onHeld(h, func(_ *instance, ui extension.LoginUI, a struct {
			N         int
			URL, Code string
		},
		) (jsontext.Value, error) {
			ui.DeviceCode(a.URL, a.Code)
			return nil, nil
		}),
		"pi.login.progress": onHeld(h, func(_ *instance, ui extension.LoginUI, a struct {
			N       int
			Message string
		},
		) (jsontext.Value, error) {
			ui.Progress(a.Message)
			return nil, nil
		}),
		"pi.login.ask": act(h, func(ctx context.Context, _ *instance, a struct {
			N                    int
			Message, Placeholder string
		},
		) (string, error) {
			ui, err := held[extension.LoginUI](h, a.N)
			if err != nil {
				return "", err
			}
			return ui.Ask(ctx, a.Message, a.Placeholder)
		}),
		"pi.login.select": act(h, func(ctx context.Context, _ *instance, a struct {
			N       int
			Message string
			Choices [][2]string
		},
		) (string, error) {
			ui, err := held[extension.LoginUI](h, a.N)
			if err != nil {
				return "", err
			}
			return ui.Select(ctx, a.Message, a.Choices)
		}),
	}
}

// streamOps take what a provider's function streams.
func (h *host) streamOps() Table {
	return Table{
		"pi.streamEvent": h.onCall(func(r *running, raw jsontext.Value) error {
			var a struct {
				Event jsontext.Value `json:"event"`
			}
			if err := json.Unmarshal(raw, &a, lenient.Options); err != nil {
				return err
			}
			if r.tool != nil {
				r.tool(a.Event.Clone())
			}
			return nil
		}),
	}
}
