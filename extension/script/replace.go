package script

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
)

// cancelled is what the methods answer that go to another session or place.
type cancelled struct {
	Cancelled bool `json:"cancelled"`
}

// replaceOps are the operations of a command that replace the session.
func (h *host) replaceOps() Table {
	return Table{
		"pi.wait": act(h, func(ctx context.Context, in *instance, _ jsontext.Value) (jsontext.Value, error) {
			return nil, in.command().Wait(ctx)
		}),
		"pi.reload": act(h, func(ctx context.Context, in *instance, _ jsontext.Value) (jsontext.Value, error) {
			return nil, in.command().Reload(ctx)
		}),
		"pi.newSession": act(h, func(ctx context.Context, in *instance, a struct {
			ParentSession      string
			Setup, WithSession int
		},
		) (cancelled, error) {
			opts := extension.NewSessionOptions{ParentSession: a.ParentSession, With: in.with(a.WithSession)}
			if a.Setup != 0 {
				opts.Setup = in.setup(a.Setup)
			}
			off, err := in.command().NewSession(ctx, opts)
			return cancelled{off}, err
		}),
		"pi.fork": act(h, func(ctx context.Context, in *instance, a struct {
			EntryID, Position string
			WithSession       int
		},
		) (cancelled, error) {
			off, err := in.command().Fork(ctx, a.EntryID, extension.ForkOptions{Position: a.Position, With: in.with(a.WithSession)})
			return cancelled{off}, err
		}),
		"pi.switchSession": reach(h, func(in *instance, a *sessionArg) []Access {
			return []Access{{Kind: Read, Subject: in.host.system.path(a.Path)}}
		}, func(ctx context.Context, in *instance, a sessionArg) (cancelled, error) {
			off, err := in.command().SwitchSession(ctx, a.Path, in.with(a.WithSession))
			return cancelled{off}, err
		}),
		"pi.navigateTree": act(h, func(ctx context.Context, in *instance, a struct {
			TargetID string
			Options  extension.TreeOptions
		},
		) (cancelled, error) {
			off, err := in.command().NavigateTree(ctx, a.TargetID, a.Options)
			return cancelled{off}, err
		}),
	}
}

// writerOps fill a new session before it begins.
func (h *host) writerOps() Table {
	return Table{
		"pi.append": act(h, func(_ context.Context, in *instance, a struct{ Entry jsontext.Value }) (string, error) {
			if in.w == nil {
				return "", extension.ErrStale
			}
			return in.w.Append(a.Entry.Clone())
		}),
		"pi.written": get(h, func(in *instance) (any, error) {
			if in.w == nil {
				return nil, extension.ErrStale
			}
			return map[string]any{
				"id": in.w.SessionID(), "file": in.w.SessionFile(), "header": in.w.Header(),
				"leaf": in.w.LeafID(), "entries": in.w.Entries(),
			}, nil
		}),
	}
}

// sessionArg is a session file to go on with.
type sessionArg struct {
	Path        string
	WithSession int
}

// command is the instance's context as commands have it.
func (in *instance) command() *extension.CommandContext {
	if in.cmd != nil {
		return in.cmd
	}
	return &extension.CommandContext{Context: in.x}
}

// with makes a function of the machine one that works in the session that has come. Its
// context is an instance of its own, for as long as the machine lives.
func (in *instance) with(fn int) extension.WithSession {
	if fn == 0 {
		return nil
	}
	return func(ctx context.Context, x *extension.CommandContext) error {
		next := in.host.add(&instance{path: in.path, x: x.Context, cmd: x})
		_, err := in.host.call(ctx, &running{}, "withSession", map[string]any{"x": next.id, "h": fn})
		return err
	}
}

func (in *instance) setup(fn int) func(context.Context, extension.Writer) error {
	return func(ctx context.Context, w extension.Writer) error {
		writer := in.host.add(&instance{path: in.path, x: in.x, w: w})
		defer in.host.forget(writer.id)
		_, err := in.host.call(ctx, &running{}, "setup", map[string]any{"x": in.id, "h": fn, "w": writer.id})
		if err != nil {
			return fmt.Errorf("set the new session up: %w", err)
		}
		return nil
	}
}
