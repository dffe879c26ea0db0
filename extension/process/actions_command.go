package process

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
)

// commandActions wait for the session or replace it.
var commandActions = map[string]action{
	"waitForIdle": during(func(ctx context.Context, on *acting, _ none) (any, error) {
		x, err := on.command()
		if err != nil {
			return nil, err
		}
		return done(x.Wait(ctx))
	}),
	"newSession": during(func(ctx context.Context, on *acting, in struct {
		ParentSession string           `json:"parentSession"`
		Entries       []jsontext.Value `json:"entries"`
		WithSession   bool             `json:"withSession"`
	},
	) (any, error) {
		x, err := on.command()
		if err != nil {
			return nil, err
		}
		opts := extension.NewSessionOptions{ParentSession: in.ParentSession, With: on.moved(in.WithSession)}
		if len(in.Entries) > 0 {
			opts.Setup = func(_ context.Context, w extension.Writer) error { return fill(w, in.Entries) }
		}
		return cancelled(x.NewSession(ctx, opts))
	}),
	"fork": during(func(ctx context.Context, on *acting, in struct {
		EntryID     string `json:"entryId"`
		Position    string `json:"position"`
		WithSession bool   `json:"withSession"`
	},
	) (any, error) {
		x, err := on.command()
		if err != nil {
			return nil, err
		}
		return cancelled(x.Fork(ctx, in.EntryID, extension.ForkOptions{Position: in.Position, With: on.moved(in.WithSession)}))
	}),
	"switchSession": during(func(ctx context.Context, on *acting, in struct {
		Path        string `json:"path"`
		WithSession bool   `json:"withSession"`
	},
	) (any, error) {
		x, err := on.command()
		if err != nil {
			return nil, err
		}
		return cancelled(x.SwitchSession(ctx, in.Path, on.moved(in.WithSession)))
	}),
	"navigateTree": during(func(ctx context.Context, on *acting, in struct {
		TargetID string `json:"targetId"`
		extension.TreeOptions
	},
	) (any, error) {
		x, err := on.command()
		if err != nil {
			return nil, err
		}
		return cancelled(x.NavigateTree(ctx, in.TargetID, in.TreeOptions))
	}),
	"reload": during(func(ctx context.Context, on *acting, _ none) (any, error) {
		x, err := on.command()
		if err != nil {
			return nil, err
		}
		return done(x.Reload(ctx))
	}),
}

// cancelled is the result of what may be called off.
func cancelled(off bool, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return map[string]bool{"cancelled": off}, nil
}

// fill puts entries into a new session.
func fill(w extension.Writer, entries []jsontext.Value) error {
	for i, entry := range entries {
		if _, err := w.Append(entry); err != nil {
			return fmt.Errorf("entries[%d]: %w", i, err)
		}
	}
	return nil
}

// moved lets the extension work in the session that has taken the place of another; nil if it
// does not want to.
func (on *acting) moved(wanted bool) extension.WithSession {
	if !wanted {
		return nil
	}
	return func(ctx context.Context, x *extension.CommandContext) error {
		c := &call{ctx: ctx, x: x.Context, command: x}
		_, err := on.link.ask(c, on.p.host.cfg.Grace, "with_session", value("for", on.call.id))
		return err
	}
}
