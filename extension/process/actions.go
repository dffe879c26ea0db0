package process

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
)

// actions are what an extension can ask for, by name.
var actions map[string]action

func init() { // a map literal would refer to itself: initialize lists the names
	actions = make(map[string]action)
	for _, table := range []map[string]action{ownActions, sessionActions, commandActions, uiActions} {
		maps.Copy(actions, table)
	}
}

// ownActions are about the extension itself, and what it runs and asks.
var ownActions = map[string]action{
	"register": later(func(_ context.Context, on *acting, r registration) (any, error) {
		return done(on.p.register(&r))
	}),
	"unregisterProvider": later(func(_ context.Context, on *acting, in struct {
		ID string `json:"id"`
	},
	) (any, error) {
		return done(on.p.api.UnregisterProvider(in.ID))
	}),
	"getFlag": now(func(on *acting, in struct {
		Name string `json:"name"`
	},
	) (any, error) {
		return on.p.api.Flag(in.Name), nil
	}),
	"getField": now(getField),
	"emit": later(func(_ context.Context, on *acting, in struct {
		Channel string         `json:"channel"`
		Data    jsontext.Value `json:"data"`
	},
	) (any, error) {
		on.p.api.Events().Emit(in.Channel, in.Data)
		return nil, nil
	}),
	"exec": during(run),
	"ask":  during(askModel),
}

// getField returns a field that is too large to be a part of every event.
func getField(on *acting, in struct {
	Field string `json:"field"`
},
) (any, error) {
	if on.call == nil || on.call.event == nil {
		return nil, errors.New("this is for handlers of events")
	}
	lazy, ok := on.call.event.Event.(extension.Lazy)
	if !ok {
		return nil, nil
	}
	field, err := lazy.Lazy(in.Field)
	if err != nil || field == nil {
		return nil, err
	}
	return field, nil
}

func run(ctx context.Context, on *acting, in struct {
	Command   string   `json:"command"`
	Args      []string `json:"args"`
	CWD       string   `json:"cwd"`
	Timeout   millis   `json:"timeout"`
	MaxBuffer int      `json:"maxBuffer"`
},
) (any, error) {
	if in.Command == "" {
		return nil, errors.New("there is no command")
	}
	return on.p.api.Exec(ctx, in.Command, in.Args, extension.ExecOptions{
		Dir: in.CWD, Timeout: in.Timeout.duration(), MaxBuffer: in.MaxBuffer,
	})
}

// modelRef names a model; without names it is that of the session.
type modelRef struct {
	Provider string `json:"provider"`
	ID       string `json:"id"`
}

func (ref modelRef) find(s extension.Session) (*ai.Model, error) {
	if ref == (modelRef{}) {
		if m := s.Model(); m != nil {
			return m, nil
		}
		return nil, errors.New("the session has no model")
	}
	if m := s.Models().Find(ref.Provider, ref.ID); m != nil {
		return m, nil
	}
	return nil, fmt.Errorf("there is no model %s/%s", ref.Provider, ref.ID)
}

// askModel asks a model outside of the conversation, and returns its message.
func askModel(ctx context.Context, on *acting, in struct {
	Model         modelRef         `json:"model"`
	SystemPrompt  string           `json:"systemPrompt"`
	Messages      []jsontext.Value `json:"messages"`
	MaxTokens     int              `json:"maxTokens"`
	ThinkingLevel ai.ThinkingLevel `json:"thinkingLevel"`
},
) (any, error) {
	s, err := on.session()
	if err != nil {
		return nil, err
	}
	model, err := in.Model.find(s)
	if err != nil {
		return nil, err
	}
	messages := make([]ai.Message, len(in.Messages))
	for i, raw := range in.Messages {
		if messages[i], err = ai.DecodeMessage(raw); err != nil {
			return nil, fmt.Errorf("messages[%d]: %w", i, err)
		}
	}
	if len(messages) == 0 {
		return nil, errors.New("there are no messages to ask the model with")
	}
	return ai.Complete(ctx, s.Models().Stream, &ai.Request{
		Model: model, Context: ai.Context{SystemPrompt: in.SystemPrompt, Messages: messages},
		Options: ai.Options{MaxTokens: in.MaxTokens, Thinking: in.ThinkingLevel},
	})
}
