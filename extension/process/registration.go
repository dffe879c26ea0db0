package process

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/lenient"
	"github.com/rondo-agent/rondo/schema"
)

// registration is what an extension brings: the message ready, or the parameters of the
// action register.
type registration struct {
	Protocol     int            `json:"protocol"`
	Capabilities []string       `json:"capabilities"`
	Events       []string       `json:"events"`
	Tools        []toolSpec     `json:"tools"`
	Commands     []commandSpec  `json:"commands"`
	Shortcuts    []shortcutSpec `json:"shortcuts"`
	Flags        []flagSpec     `json:"flags"`
	Providers    []providerSpec `json:"providers"`
	Channels     []string       `json:"channels"`
}

type toolSpec struct {
	Name             string              `json:"name"`
	Label            string              `json:"label"`
	Description      string              `json:"description"`
	Parameters       jsontext.Value      `json:"parameters"`
	ExecutionMode    agent.ExecutionMode `json:"executionMode"`
	PromptSnippet    string              `json:"promptSnippet"`
	PromptGuidelines []string            `json:"promptGuidelines"`
}

type commandSpec struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Completes says that the extension completes the command's arguments.
	Completes bool `json:"completes"`
}

type shortcutSpec struct {
	Key         string `json:"key"`
	Description string `json:"description"`
}

type flagSpec struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Type        string         `json:"type"` // boolean or string
	Default     jsontext.Value `json:"default"`
}

type providerSpec struct {
	ID string `json:"id"`
	extension.Provider
}

// fullMessages is the capability of getting the message so far with each message_update.
const fullMessages = "fullMessages"

// register registers what is not registered yet, and replaces what has the same name: an
// extension that was restarted brings the same things again.
func (p *program) register(r *registration) error {
	var errs []error
	for _, event := range r.Events {
		errs = append(errs, p.subscribe(event))
	}
	for i := range r.Tools {
		errs = append(errs, p.addTool(&r.Tools[i]))
	}
	for _, c := range r.Commands {
		errs = append(errs, p.api.RegisterCommand(p.command(c)))
	}
	for _, s := range r.Shortcuts {
		errs = append(errs, p.addShortcut(s))
	}
	for i := range r.Flags {
		errs = append(errs, p.addFlag(&r.Flags[i]))
	}
	for i := range r.Providers {
		errs = append(errs, p.api.RegisterProvider(r.Providers[i].ID, &r.Providers[i].Provider))
	}
	for _, channel := range r.Channels {
		p.listen(channel)
	}
	return errors.Join(errs...)
}

// replace registers what a program brings that was started again, and unsubscribes from what
// it does not want any more.
func (p *program) replace(r *registration) error {
	for _, event := range p.known.unwanted(r.Events) {
		p.known.forget("event", event)()
	}
	return p.register(r)
}

func (p *program) subscribe(event string) error {
	if !p.known.claim("event", event) {
		return nil
	}
	off, err := p.api.OnJSON(event, p.onEvent)
	if err != nil {
		p.known.forget("event", event)
		return err
	}
	p.known.undo("event", event, off)
	return nil
}

func (p *program) addTool(spec *toolSpec) error {
	if len(spec.Parameters) == 0 || spec.Parameters.Kind() == 'n' {
		spec.Parameters = jsontext.Value(`{"type":"object","properties":{}}`)
	}
	parameters, err := schema.Parse(spec.Parameters)
	if err != nil {
		return fmt.Errorf("register the tool %q: %w", spec.Name, err)
	}
	switch spec.ExecutionMode {
	case "", agent.Parallel, agent.Sequential:
	default:
		return fmt.Errorf("register the tool %q: executionMode is %q: use parallel or sequential", spec.Name, spec.ExecutionMode)
	}
	name := spec.Name
	return p.api.RegisterTool(&extension.Tool{
		Tool: &agent.Tool{
			Name: name, Label: spec.Label, Description: spec.Description, Parameters: parameters, Mode: spec.ExecutionMode,
			Execute: func(ctx context.Context, c *agent.Call) (*agent.ToolResult, error) { return p.callTool(ctx, name, c) },
		},
		PromptSnippet: spec.PromptSnippet, PromptGuidelines: spec.PromptGuidelines,
	})
}

func (p *program) command(spec commandSpec) *extension.Command {
	c := &extension.Command{
		Name: spec.Name, Description: spec.Description,
		Handler: func(ctx context.Context, x *extension.CommandContext, args string) error {
			return p.runCommand(ctx, x, spec.Name, args)
		},
	}
	if spec.Completes {
		c.Completions = func(ctx context.Context, prefix string) ([]extension.AutocompleteItem, error) {
			return p.complete(ctx, spec.Name, prefix)
		}
	}
	return c
}

func (p *program) addShortcut(spec shortcutSpec) error {
	if !p.known.claim("shortcut", spec.Key) {
		return nil
	}
	err := p.api.RegisterShortcut(&extension.Shortcut{
		Key: spec.Key, Description: spec.Description,
		Handler: func(ctx context.Context, x *extension.Context) error { return p.pressKey(ctx, x, spec.Key) },
	})
	if err != nil {
		p.known.forget("shortcut", spec.Key)
	}
	return err
}

func (p *program) addFlag(spec *flagSpec) error {
	f := &extension.Flag{Name: spec.Name, Description: spec.Description, Boolean: spec.Type == "boolean"}
	switch spec.Type {
	case "", "string", "boolean":
	default:
		return fmt.Errorf("register the flag %q: its type is %q: use boolean or string", spec.Name, spec.Type)
	}
	switch spec.Default.Kind() {
	case 0, 'n':
	default:
		if err := json.Unmarshal(spec.Default, &f.Default, lenient.Options); err != nil {
			return fmt.Errorf("register the flag %q: its default: %w", spec.Name, err)
		}
	}
	if !p.known.claim("flag", spec.Name) {
		return nil
	}
	err := p.api.RegisterFlag(f)
	if err != nil {
		p.known.forget("flag", spec.Name)
	}
	return err
}

// listen passes on what other extensions send on a channel of the bus.
func (p *program) listen(channel string) {
	if !p.known.claim("channel", channel) {
		return
	}
	p.api.Events().On(channel, func(data any) {
		if live := p.living(); live != nil {
			live.child.Send(appendCall("bus", 0, value("channel", channel), value("data", data)))
		}
	})
}
