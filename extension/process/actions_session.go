package process

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
)

// about is what getContext returns.
type about struct {
	CWD                string                  `json:"cwd"`
	Mode               extension.Mode          `json:"mode"`
	HasUI              bool                    `json:"hasUI"`
	Idle               bool                    `json:"idle"`
	HasPendingMessages bool                    `json:"hasPendingMessages"`
	ProjectTrusted     bool                    `json:"projectTrusted"`
	Model              *ai.Model               `json:"model"`
	ThinkingLevel      ai.ThinkingLevel        `json:"thinkingLevel"`
	ContextUsage       *extension.ContextUsage `json:"contextUsage"`
	Session            sessionInfo             `json:"session"`
}

type sessionInfo struct {
	ID     string         `json:"id"`
	File   string         `json:"file,omitzero"`
	Dir    string         `json:"dir,omitzero"`
	Name   string         `json:"name,omitzero"`
	LeafID string         `json:"leafId,omitzero"`
	Header jsontext.Value `json:"header,omitzero"`
}

// with makes an action of something that only needs the session.
func with[P any](fn func(s extension.Session, params P) (any, error)) action {
	return now(func(on *acting, params P) (any, error) {
		s, err := on.session()
		if err != nil {
			return nil, err
		}
		return fn(s, params)
	})
}

// waitWith is with for something that takes its time.
func waitWith[P any](fn func(ctx context.Context, s extension.Session, params P) (any, error)) action {
	return later(func(ctx context.Context, on *acting, params P) (any, error) {
		s, err := on.session()
		if err != nil {
			return nil, err
		}
		return fn(ctx, s, params)
	})
}

// Parameters that several actions have.
type (
	entryParams struct {
		ID string `json:"id"`
	}
	nameParams struct {
		Name string `json:"name"`
	}
	toolNames struct {
		Names []string `json:"names"`
	}
)

// sessionActions read the session and act on it.
var sessionActions = map[string]action{
	"getContext": now(func(on *acting, _ none) (any, error) {
		s, err := on.session()
		if err != nil {
			return nil, err
		}
		return &about{
			CWD: s.CWD(), Mode: on.x.Mode(), HasUI: on.x.HasUI(), Idle: s.Idle(), HasPendingMessages: s.HasPendingMessages(),
			ProjectTrusted: s.ProjectTrusted(), Model: public(s.Model()), ThinkingLevel: s.ThinkingLevel(), ContextUsage: s.ContextUsage(),
			Session: sessionInfo{s.SessionID(), s.SessionFile(), s.SessionDir(), s.SessionName(), s.LeafID(), s.Header()},
		}, nil
	}),
	"getSystemPrompt":        with(func(s extension.Session, _ none) (any, error) { return s.SystemPrompt(), nil }),
	"getSystemPromptOptions": with(func(s extension.Session, _ none) (any, error) { return s.SystemPromptOptions(), nil }),

	"getEntries": with(func(s extension.Session, _ none) (any, error) { return s.Entries(), nil }),
	"getTree":    with(func(s extension.Session, _ none) (any, error) { return s.Tree(), nil }),
	"getEntry":   with(func(s extension.Session, in entryParams) (any, error) { return s.Entry(in.ID), nil }),
	"getLabel":   with(func(s extension.Session, in entryParams) (any, error) { return s.Label(in.ID), nil }),
	"getBranch":  with(func(s extension.Session, in entryParams) (any, error) { return s.Branch(in.ID), nil }),

	"getSessionName": with(func(s extension.Session, _ none) (any, error) { return s.SessionName(), nil }),
	"setSessionName": waitWith(func(ctx context.Context, s extension.Session, in nameParams) (any, error) {
		return done(s.SetName(ctx, in.Name))
	}),
	"setLabel": with(func(s extension.Session, in struct {
		ID    string `json:"id"`
		Label string `json:"label"`
	},
	) (any, error) {
		return done(s.SetLabel(in.ID, in.Label))
	}),
	"appendEntry": with(func(s extension.Session, in struct {
		CustomType string         `json:"customType"`
		Data       jsontext.Value `json:"data"`
	},
	) (any, error) {
		if in.CustomType == "" {
			return nil, errors.New("there is no customType")
		}
		return s.AppendEntry(in.CustomType, in.Data)
	}),

	"sendMessage": with(func(s extension.Session, in struct {
		Message extension.CustomMessage `json:"message"`
		Options extension.SendOptions   `json:"options"`
	},
	) (any, error) {
		return done(s.SendMessage(&in.Message, in.Options))
	}),
	"sendUserMessage": waitWith(sendUserMessage),

	"getActiveTools": with(func(s extension.Session, _ none) (any, error) { return s.ActiveTools(), nil }),
	"getAllTools":    with(func(s extension.Session, _ none) (any, error) { return s.AllTools(), nil }),
	"setActiveTools": waitWith(func(_ context.Context, s extension.Session, in toolNames) (any, error) {
		return done(s.SetActiveTools(in.Names))
	}),
	"getCommands": with(func(s extension.Session, _ none) (any, error) { return s.Commands(), nil }),

	"getModels": with(func(s extension.Session, in struct {
		Available bool `json:"available"`
	},
	) (any, error) {
		models := s.Models().All()
		if in.Available {
			models = s.Models().Available()
		}
		list := make([]*ai.Model, len(models))
		for i, m := range models {
			list[i] = public(m)
		}
		return list, nil
	}),
	"setModel": waitWith(func(ctx context.Context, s extension.Session, in modelRef) (any, error) {
		m, err := in.find(s)
		if err != nil {
			return nil, err
		}
		return s.SetModel(ctx, m)
	}),
	"setThinkingLevel": waitWith(func(ctx context.Context, s extension.Session, in struct {
		Level ai.ThinkingLevel `json:"level"`
	},
	) (any, error) {
		return done(s.SetThinkingLevel(ctx, in.Level))
	}),

	"abort":    with(func(s extension.Session, _ none) (any, error) { s.Abort(); return nil, nil }),
	"shutdown": with(func(s extension.Session, _ none) (any, error) { s.Shutdown(); return nil, nil }),
	"compact":  waitWith(compact),
}

// public is a model without what may hold secrets.
func public(m *ai.Model) *ai.Model {
	if m == nil {
		return nil
	}
	shown := *m
	shown.Headers = nil
	return &shown
}

// sendUserMessage returns when the message has been accepted.
func sendUserMessage(ctx context.Context, s extension.Session, m extension.UserMessage) (any, error) {
	accepted := make(chan error, 1)
	s.SendUserMessage(ctx, &m, func(err error) { accepted <- err })
	select {
	case err := <-accepted:
		return done(err)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// compact returns what the compaction has come to.
func compact(ctx context.Context, s extension.Session, in struct {
	CustomInstructions string `json:"customInstructions"`
},
) (any, error) {
	type outcome struct {
		result jsontext.Value
		err    error
	}
	over := make(chan outcome, 1)
	s.Compact(in.CustomInstructions, func(result jsontext.Value, err error) { over <- outcome{result, err} })
	select {
	case o := <-over:
		return o.result, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
