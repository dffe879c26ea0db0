package extension

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// Context is the session as a handler sees it (Pi's object "ctx"). One that is stale has
// nothing any more: see [Context.Err]. All methods may be called from any goroutine.
type Context struct {
	in *instance
}

// Err returns nil if the context can be used, or why not: [ErrLoading], [ErrStale].
func (x *Context) Err() error { _, err := x.in.session(); return err }

// Session returns the session to read and to act on, or why it cannot be used. What it
// returns must not be kept.
func (x *Context) Session() (Session, error) { return x.in.session() }

// UI is the person at the other end. It declines everything if there is none, or if the
// context is stale.
func (x *Context) UI() UI {
	r := x.in.runner
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.phase == gone || r.ui == nil {
		return NoUI{}
	}
	return &asking{UI: r.ui, runner: r}
}

// HasUI says that there is a person.
func (x *Context) HasUI() bool {
	r := x.in.runner
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.phase != gone && r.ui != nil
}

// Mode says what shows the session.
func (x *Context) Mode() Mode {
	r := x.in.runner
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.opts.Mode
}

// CWD is the folder that the session works in.
func (x *Context) CWD() string { return x.in.runner.opts.CWD }

// Model is the model that answers; nil if there is none.
func (x *Context) Model() *ai.Model {
	if s, err := x.in.session(); err == nil {
		return s.Model()
	}
	return nil
}

// Models are the models of the program; nil in a context that cannot be used.
func (x *Context) Models() Models {
	if s, err := x.in.session(); err == nil {
		return s.Models()
	}
	return nil
}

// Idle says that the session has settled.
func (x *Context) Idle() bool {
	s, err := x.in.session()
	return err == nil && s.Idle()
}

// RunContext is the context of the run under way; nil if there is none.
func (x *Context) RunContext() context.Context {
	if s, err := x.in.session(); err == nil {
		return s.RunContext()
	}
	return nil
}

// Abort cancels the run, without waiting.
func (x *Context) Abort() error {
	s, err := x.in.session()
	if err != nil {
		return err
	}
	s.Abort()
	return nil
}

// Shutdown ends the program when the session has settled.
func (x *Context) Shutdown() error {
	s, err := x.in.session()
	if err != nil {
		return err
	}
	s.Shutdown()
	return nil
}

// Compact begins a compaction, without waiting; one asked for during a run comes between
// two of its turns. done, which may be nil, gets its end.
func (x *Context) Compact(instructions string, done func(result jsontext.Value, err error)) error {
	s, err := x.in.session()
	if err != nil {
		return err
	}
	s.Compact(instructions, done)
	return nil
}

// SystemPrompt is the prompt of the run under way, or of the next one.
func (x *Context) SystemPrompt() string {
	if s, err := x.in.session(); err == nil {
		return s.SystemPrompt()
	}
	return ""
}

// ContextUsage says how full the model's window is; nil without a model.
func (x *Context) ContextUsage() *ContextUsage {
	if s, err := x.in.session(); err == nil {
		return s.ContextUsage()
	}
	return nil
}

// CommandContext is what a command gets besides: it may replace the session, since nothing
// waits for a command but who has sent it.
type CommandContext struct {
	*Context
}

// Wait returns when the session has settled.
func (x *CommandContext) Wait(ctx context.Context) error {
	s, err := x.in.session()
	if err != nil {
		return err
	}
	return s.Wait(ctx)
}

// NewSession begins a new session. After it, and after the other methods that replace the
// session, this context is stale; opts.With gets the next one.
func (x *CommandContext) NewSession(ctx context.Context, opts NewSessionOptions) (cancelled bool, err error) {
	s, err := x.moving(ctx)
	if err != nil {
		return false, err
	}
	return s.NewSession(ctx, opts)
}

// Fork begins a session with what leads to an entry.
func (x *CommandContext) Fork(ctx context.Context, entryID string, opts ForkOptions) (cancelled bool, err error) {
	s, err := x.moving(ctx)
	if err != nil {
		return false, err
	}
	return s.Fork(ctx, entryID, opts)
}

// NavigateTree goes to another place in the session's tree.
func (x *CommandContext) NavigateTree(ctx context.Context, targetID string, opts TreeOptions) (cancelled bool, err error) {
	s, err := x.in.session()
	if err != nil {
		return false, err
	}
	return s.NavigateTree(ctx, targetID, opts)
}

// SwitchSession goes on with the session of another file.
func (x *CommandContext) SwitchSession(ctx context.Context, path string, with WithSession) (cancelled bool, err error) {
	s, err := x.moving(ctx)
	if err != nil {
		return false, err
	}
	return s.SwitchSession(ctx, path, with)
}

// Reload loads extensions, settings, skills and templates anew.
func (x *CommandContext) Reload(ctx context.Context) error {
	s, err := x.moving(ctx)
	if err != nil {
		return err
	}
	return s.Reload(ctx)
}

// SendMessage is [API.SendMessage], for who has no API of this session.
func (x *CommandContext) SendMessage(m *CustomMessage, opts SendOptions) error {
	s, err := x.in.session()
	if err != nil {
		return err
	}
	return s.SendMessage(m, opts)
}

// SendUserMessage sends what a user could send, and returns when it has been accepted or
// refused.
func (x *CommandContext) SendUserMessage(ctx context.Context, m *UserMessage) error {
	s, err := x.in.session()
	if err != nil {
		return err
	}
	accepted := make(chan error, 1)
	s.SendUserMessage(ctx, m, func(err error) { accepted <- err })
	select {
	case err := <-accepted:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// moving returns the session, and keeps the call that replaces it from being cancelled with
// its instance.
func (x *CommandContext) moving(ctx context.Context) (Session, error) {
	s, err := x.in.session()
	if err == nil {
		activeOf(ctx).move()
	}
	return s, err
}
