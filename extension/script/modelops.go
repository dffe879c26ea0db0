package script

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/lenient"
)

// named is a model as a script has it: its provider and id find ours.
type named struct{ Provider, ID string }

var errNoModels = errors.New("there are no models in this context")

func (in *instance) models() (extension.Models, error) {
	if err := in.x.Err(); err != nil {
		return nil, err
	}
	m := in.x.Models()
	if m == nil {
		return nil, errNoModels
	}
	return m, nil
}

// find returns the model that a script means: one of ours, or one that it has made.
func (in *instance) find(raw jsontext.Value) (*ai.Model, error) {
	models, err := in.models()
	if err != nil {
		return nil, err
	}
	var n named
	if err := decode(raw, &n); err != nil {
		return nil, err
	}
	if m := models.Find(n.Provider, n.ID); m != nil {
		return m, nil
	}
	m := &ai.Model{}
	if err := json.Unmarshal(raw, m, lenient.Options); err != nil {
		return nil, fmt.Errorf("a model: %w", err)
	}
	return m, nil
}

// modelOps tell which models there are, and change that of the session.
func (h *host) modelOps() Table {
	return Table{
		"pi.model": get(h, func(in *instance) (*ai.Model, error) {
			if err := in.x.Err(); err != nil {
				return nil, err
			}
			return in.x.Model(), nil
		}),
		"pi.models": act(h, func(_ context.Context, in *instance, a struct{ Available bool }) ([]*ai.Model, error) {
			models, err := in.models()
			if err != nil {
				return nil, err
			}
			if a.Available {
				return models.Available(), nil
			}
			return models.All(), nil
		}),
		"pi.findModel": act(h, func(_ context.Context, in *instance, a named) (*ai.Model, error) {
			models, err := in.models()
			if err != nil {
				return nil, err
			}
			return models.Find(a.Provider, a.ID), nil
		}),
		// A model that an extension has made takes the session to an address of its own.
		"pi.setModel": reach(h, func(in *instance, a *modelArg) []Access {
			m, err := in.find(a.Model)
			if err != nil || m == in.x.Models().Find(m.Provider, m.ID) {
				return nil
			}
			return toAsk(m)
		}, func(ctx context.Context, in *instance, a modelArg) (bool, error) {
			m, err := in.find(a.Model)
			if err != nil {
				return false, err
			}
			s, err := in.x.Session()
			if err != nil {
				return false, err
			}
			return s.SetModel(ctx, m)
		}),
	}
}

// askOps are those of asking a model, and of what that takes.
func (h *host) askOps() Table {
	return Table{
		"pi.hasAuth": act(h, func(_ context.Context, in *instance, a struct{ Model jsontext.Value }) (bool, error) {
			m, err := in.find(a.Model)
			if err != nil {
				return false, err
			}
			return in.x.Models().HasAuth(m), nil
		}),
		"pi.auth": reach(h, func(in *instance, a *modelArg) []Access {
			m, err := in.find(a.Model)
			if err != nil {
				return nil
			}
			return []Access{{Kind: Env, Subject: "key:" + m.Provider}}
		}, func(ctx context.Context, in *instance, a modelArg) (any, error) {
			m, err := in.find(a.Model)
			if err != nil {
				return nil, err
			}
			key, headers, err := in.x.Models().Auth(ctx, m)
			if err != nil {
				return nil, err
			}
			return map[string]any{"apiKey": key, "headers": headers}, nil
		}),
		"pi.complete": reach(h, func(in *instance, a *question) []Access {
			m, err := in.find(a.Model)
			if err != nil {
				return nil
			}
			return toAsk(m)
		}, complete),
	}
}

type modelArg struct{ Model jsontext.Value }

// question is what pi.complete asks a model.
type question struct{ Model, Context, Options jsontext.Value }

// complete asks a model and returns its whole answer.
func complete(ctx context.Context, in *instance, a question) (*ai.AssistantMessage, error) {
	m, err := in.find(a.Model)
	if err != nil {
		return nil, err
	}
	req := &ai.Request{Model: m}
	if req.Context, err = readContext(a.Context); err != nil {
		return nil, err
	}
	if req.Options, err = readOptions(a.Options); err != nil {
		return nil, err
	}
	return ai.Complete(ctx, in.x.Models().Stream, req)
}

// readContext reads what a model is to see.
func readContext(raw jsontext.Value) (ai.Context, error) {
	var a struct {
		SystemPrompt string           `json:"systemPrompt"`
		Messages     []jsontext.Value `json:"messages"`
		Tools        []struct {
			Name        string         `json:"name"`
			Description string         `json:"description"`
			Parameters  jsontext.Value `json:"parameters"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(raw, &a, lenient.Options); err != nil {
		return ai.Context{}, fmt.Errorf("the context of a request: %w", err)
	}
	c := ai.Context{SystemPrompt: a.SystemPrompt}
	for _, raw := range a.Messages {
		m, err := agent.DecodeMessage(raw.Clone())
		if err != nil {
			return ai.Context{}, fmt.Errorf("a message of a request: %w", err)
		}
		message, ok := m.(ai.Message)
		if !ok {
			return ai.Context{}, fmt.Errorf("a message with the role %s is none that a model sees: convert it with convertToLlm", m.Role())
		}
		c.Messages = append(c.Messages, message)
	}
	for _, t := range a.Tools {
		c.Tools = append(c.Tools, ai.ToolDecl{Name: t.Name, Description: t.Description, Parameters: t.Parameters.Clone()})
	}
	return c, nil
}

func readOptions(raw jsontext.Value) (ai.Options, error) {
	var a struct {
		APIKey         string            `json:"apiKey"`
		Headers        map[string]string `json:"headers"`
		Reasoning      ai.ThinkingLevel  `json:"reasoning"`
		Temperature    *float64          `json:"temperature"`
		MaxTokens      int               `json:"maxTokens"`
		CacheRetention string            `json:"cacheRetention"`
		SessionID      string            `json:"sessionId"`
		ToolChoice     jsontext.Value    `json:"toolChoice"`
	}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &a, lenient.Options); err != nil {
			return ai.Options{}, fmt.Errorf("the options of a request: %w", err)
		}
	}
	return ai.Options{
		APIKey: a.APIKey, Headers: a.Headers, Thinking: a.Reasoning, Temperature: a.Temperature,
		MaxTokens: a.MaxTokens, CacheRetention: a.CacheRetention, SessionID: a.SessionID,
	}, nil
}
