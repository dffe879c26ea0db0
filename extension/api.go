package extension

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// API is what an instance of an extension registers with, and acts through (Pi's object
// "pi"). Registrations count from the factory on; actions are refused with [ErrLoading]
// while extensions are being loaded, and with [ErrStale] when the instance has ended. All
// methods may be called from any goroutine.
type API struct {
	in *instance
}

// Source says which extension this is.
func (api *API) Source() Source { return api.in.source }

// Context is the context of the session, as handlers get it.
func (api *API) Context() *Context { return api.in.x }

// Events is the bus between the extensions of a session.
func (api *API) Events() *Subscriptions { return &Subscriptions{api.in} }

// Go runs a function on a goroutine of its own, for work that no event waits for, such as a
// ticker. Its context ends with the instance, which waits for it; an error or a panic is
// reported. When the instance has ended, nothing is run.
func (api *API) Go(fn func(ctx context.Context) error) {
	r := api.in.runner
	if !r.acquire() {
		return
	}
	go func() {
		defer r.release()
		h := &handler{in: api.in, what: "background"}
		_, err := guard(h, func() (None, error) { return None{}, fn(r.ctx) })
		if err != nil && !errors.Is(err, ErrStale) && !(r.ctx.Err() != nil && errors.Is(err, context.Canceled)) {
			r.fail(context.Background(), h, err)
		}
	}()
}

// Err returns nil if actions can be used, or why not.
func (api *API) Err() error { _, err := api.in.session(); return err }

// session returns the session that the instance acts on.
func (in *instance) session() (Session, error) {
	r := in.runner
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case in.dead.Load() || r.phase == gone:
		return nil, ErrStale
	case r.phase == loading:
		return nil, ErrLoading
	}
	return r.session, nil
}

// register changes what the instance brings.
func (in *instance) register(change func()) error {
	r := in.runner
	r.mu.Lock()
	defer r.mu.Unlock()
	if in.dead.Load() || r.phase == gone {
		return ErrStale
	}
	change()
	return nil
}

// toolName reports whether a tool may be called so, as models want it.
func toolName(name string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
	return name != "" && len(name) <= 64 && strings.Trim(name, allowed) == ""
}

// RegisterTool adds a tool. Of several extensions that bring one of the same name, the
// first counts, and it counts before a built-in one; the same extension replaces its own. A
// tool that is registered after the start can be called from the next request on. It
// refuses a tool that no provider would accept.
func (api *API) RegisterTool(t *Tool) error {
	switch {
	case t == nil || t.Tool == nil:
		return errors.New("register a tool: there is none")
	case !toolName(t.Name):
		return fmt.Errorf("register the tool %q: a name has up to 64 letters, digits, _ and -", t.Name)
	case t.Execute == nil:
		return fmt.Errorf("register the tool %q: it has no function to execute", t.Name)
	case t.Parameters == nil:
		return fmt.Errorf("register the tool %q: it has no parameters; a tool without any has an empty object schema", t.Name)
	}
	in := api.in
	err := in.register(func() {
		at := slices.IndexFunc(in.tools, func(other *Tool) bool { return other.Name == t.Name })
		if at >= 0 {
			in.tools[at] = t
		} else {
			in.tools = append(in.tools, t)
		}
	})
	if err != nil {
		return err
	}
	if s, err := in.session(); err == nil {
		return s.ToolsChanged()
	}
	return nil
}

// RegisterCommand adds a command. If several extensions bring one of the same name, they are
// numbered: name:1, name:2.
func (api *API) RegisterCommand(c *Command) error {
	switch {
	case c == nil || c.Name == "" || strings.ContainsAny(c.Name, " \t\r\n/"):
		return errors.New("register a command: it needs a name without blanks and slashes")
	case c.Handler == nil:
		return fmt.Errorf("register the command %q: it has no handler", c.Name)
	}
	in := api.in
	return in.register(func() {
		in.commands = slices.DeleteFunc(in.commands, func(other *Command) bool { return other.Name == c.Name })
		in.commands = append(in.commands, c)
	})
}

// RegisterShortcut adds a key of the terminal. The terminal refuses keys that it needs.
func (api *API) RegisterShortcut(s *Shortcut) error {
	if s == nil || s.Key == "" || s.Handler == nil {
		return errors.New("register a shortcut: it needs a key and a handler")
	}
	in := api.in
	return in.register(func() { in.shortcuts = append(in.shortcuts, s) })
}

// RegisterFlag adds an option of the command line.
func (api *API) RegisterFlag(f *Flag) error {
	if f == nil || f.Name == "" {
		return errors.New("register a flag: it needs a name")
	}
	switch f.Default.(type) {
	case nil, bool, string:
	default:
		return fmt.Errorf("register the flag %q: its default is neither a bool nor a string", f.Name)
	}
	in := api.in
	return in.register(func() { in.flags = append(in.flags, f) })
}

// Flag returns a bool or a string: what the command line says about a flag of this
// extension, or its default; nil for a flag of others.
func (api *API) Flag(name string) any {
	r := api.in.runner
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(api.in.flags, func(f *Flag) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	if value, ok := r.opts.Flags[name]; ok {
		return value
	}
	return api.in.flags[i].Default
}

// RegisterMessageRenderer shows messages of a custom type in a terminal.
func (api *API) RegisterMessageRenderer(customType string, render MessageRenderer) error {
	in := api.in
	return in.register(func() {
		if in.messages == nil {
			in.messages = make(map[string]MessageRenderer)
		}
		in.messages[customType] = render
	})
}

// RegisterEntryRenderer shows entries of a custom type in a terminal.
func (api *API) RegisterEntryRenderer(customType string, render EntryRenderer) error {
	in := api.in
	return in.register(func() {
		if in.entries == nil {
			in.entries = make(map[string]EntryRenderer)
		}
		in.entries[customType] = render
	})
}

// RegisterMarkdownTransformer changes texts before a terminal shows them.
func (api *API) RegisterMarkdownTransformer(transform MarkdownTransformer) error {
	in := api.in
	return in.register(func() { in.transformers = append(in.transformers, transform) })
}

// RegisterProvider adds a provider with its models, or changes how a known one is reached.
func (api *API) RegisterProvider(name string, p *Provider) error {
	if name == "" || p == nil {
		return errors.New("register a provider: it needs a name and a configuration")
	}
	in := api.in
	err := in.register(func() {
		in.providers = slices.DeleteFunc(in.providers, func(other namedProvider) bool { return other.name == name })
		in.providers = append(in.providers, namedProvider{name, p})
	})
	if err != nil {
		return err
	}
	if s, err := in.session(); err == nil {
		return s.RegisterProvider(name, p)
	}
	return nil
}

// UnregisterProvider takes back what RegisterProvider has done.
func (api *API) UnregisterProvider(name string) error {
	in := api.in
	err := in.register(func() {
		in.providers = slices.DeleteFunc(in.providers, func(other namedProvider) bool { return other.name == name })
	})
	if err != nil {
		return err
	}
	if s, err := in.session(); err == nil {
		return s.UnregisterProvider(name)
	}
	return nil
}

// SendMessage adds a message of the extension, or begins a run with it, and does not wait for
// that. A steering message, the default, reaches the next request of the run; a follow-up
// waits until the run would stop, which is late for what the model must know now.
func (api *API) SendMessage(m *CustomMessage, opts SendOptions) error {
	s, err := api.in.session()
	if err != nil {
		return err
	}
	return s.SendMessage(m, opts)
}

// SendUserMessage sends what a user could send, as the source extension. Whether it is
// accepted is found out later, since handlers of input are asked before: a refusal is
// reported as the event send_user_message. A message that is to reach the run under way
// needs a delivery.
func (api *API) SendUserMessage(m *UserMessage) error {
	s, err := api.in.session()
	if err != nil {
		return err
	}
	s.SendUserMessage(context.Background(), m, func(err error) {
		if err != nil {
			api.in.runner.Report(&Error{Path: runtimePath, Event: "send_user_message", Err: err})
		}
	})
	return nil
}

// AppendEntry keeps data in the session that models do not see, and returns its id.
func (api *API) AppendEntry(customType string, data jsontext.Value) (id string, err error) {
	s, err := api.in.session()
	if err != nil {
		return "", err
	}
	return s.AppendEntry(customType, data)
}

// SetSessionName names the session.
func (api *API) SetSessionName(ctx context.Context, name string) error {
	s, err := api.in.session()
	if err != nil {
		return err
	}
	return s.SetName(ctx, name)
}

// SessionName returns the session's name; empty if it has none.
func (api *API) SessionName() (string, error) {
	s, err := api.in.session()
	if err != nil {
		return "", err
	}
	return s.SessionName(), nil
}

// SetLabel marks an entry; an empty label takes the mark away.
func (api *API) SetLabel(entryID, label string) error {
	s, err := api.in.session()
	if err != nil {
		return err
	}
	return s.SetLabel(entryID, label)
}

// ActiveTools names the tools that the model can call.
func (api *API) ActiveTools() ([]string, error) {
	s, err := api.in.session()
	if err != nil {
		return nil, err
	}
	return s.ActiveTools(), nil
}

// AllTools lists the tools that there are.
func (api *API) AllTools() ([]ToolInfo, error) {
	s, err := api.in.session()
	if err != nil {
		return nil, err
	}
	return s.AllTools(), nil
}

// SetActiveTools makes these tools those of the next request. Unknown names are left out.
func (api *API) SetActiveTools(names []string) error {
	s, err := api.in.session()
	if err != nil {
		return err
	}
	return s.SetActiveTools(names)
}

// Commands lists what a prompt may begin with.
func (api *API) Commands() ([]CommandInfo, error) {
	s, err := api.in.session()
	if err != nil {
		return nil, err
	}
	return s.Commands(), nil
}

// SetModel changes the model; false if it cannot be asked.
func (api *API) SetModel(ctx context.Context, m *ai.Model) (bool, error) {
	s, err := api.in.session()
	if err != nil {
		return false, err
	}
	return s.SetModel(ctx, m)
}

// ThinkingLevel is the level that the model thinks at.
func (api *API) ThinkingLevel() (ai.ThinkingLevel, error) {
	s, err := api.in.session()
	if err != nil {
		return "", err
	}
	return s.ThinkingLevel(), nil
}

// SetThinkingLevel changes the level to the nearest one that the model supports.
func (api *API) SetThinkingLevel(ctx context.Context, level ai.ThinkingLevel) error {
	s, err := api.in.session()
	if err != nil {
		return err
	}
	return s.SetThinkingLevel(ctx, level)
}
