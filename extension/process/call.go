package process

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
)

// onEvent tells the program of an event.
func (p *program) onEvent(ctx context.Context, x *extension.Context, e *extension.Envelope) (extension.Reply, error) {
	if start, ok := e.Event.(*extension.SessionStart); ok {
		p.remember(start)
	}
	l, err := p.reach(ctx)
	if errors.Is(err, errEnded) && !e.Event.Kind().Policy().FailsClosed {
		return extension.Reply{}, nil
	}
	if err != nil {
		return extension.Reply{}, err
	}
	body, err := l.body(e)
	if err != nil {
		return extension.Reply{}, err
	}
	m, err := l.ask(&call{ctx: ctx, x: x, event: e}, p.host.patience(), "event", field{"event", body})
	if err != nil {
		return extension.Reply{}, err
	}
	return extension.Reply{Result: m.Result, Mutated: m.Mutated}, nil
}

// body is the event as the program wants it: with the message so far, if it said so.
func (l *link) body(e *extension.Envelope) (jsontext.Value, error) {
	lazy, ok := e.Event.(extension.Lazy)
	if !ok || !l.full {
		return e.JSON, nil
	}
	message, err := lazy.Lazy("message")
	if err != nil || message == nil {
		return e.JSON, err
	}
	body := append(make([]byte, 0, len(e.JSON)+len(message)+16), e.JSON[:len(e.JSON)-1]...)
	return closeFields(body, []field{{"message", message}}), nil
}

// toolResult is what a tool returns: the content is a text or blocks.
type toolResult struct {
	Content        extension.Content `json:"content"`
	Details        jsontext.Value    `json:"details"`
	Structured     jsontext.Value    `json:"structuredContent"`
	IsError        bool              `json:"isError"`
	Usage          *ai.Usage         `json:"usage"`
	AddedToolNames []string          `json:"addedToolNames"`
	Terminate      *bool             `json:"terminate"`
	Extra          jsontext.Value    `json:",embed"`
}

// readResult reads a tool's result: an object, or just a text.
func readResult(raw jsontext.Value) (*agent.ToolResult, error) {
	r := new(toolResult)
	var err error
	switch raw.Kind() {
	case '{':
		err = decodeLine(raw, r)
	case '"':
		err = decodeLine(raw, &r.Content.Text)
	default:
		err = errors.New(`it is neither a text nor an object with "content"`)
	}
	if err != nil {
		return nil, fmt.Errorf("the extension returned no result of a tool: %w", err)
	}
	return &agent.ToolResult{
		Content: r.Content.All(), Details: r.Details, Structured: r.Structured, IsError: r.IsError,
		Usage: r.Usage, AddedToolNames: r.AddedToolNames, Terminate: r.Terminate, Extra: r.Extra,
	}, nil
}

func (p *program) callTool(ctx context.Context, name string, t *agent.Call) (*agent.ToolResult, error) {
	l, err := p.reach(ctx)
	if err != nil {
		return nil, err
	}
	c := &call{ctx: ctx, x: p.api.Context(), update: func(raw jsontext.Value) {
		if partial, err := readResult(raw); err == nil {
			t.Update(partial)
		} else {
			l.complain(err)
		}
	}}
	args := t.Args
	if len(args) == 0 {
		args = jsontext.Value("{}")
	}
	m, err := l.ask(c, p.host.cfg.Grace, "call_tool", value("tool", name), value("toolCallId", t.ID), value("args", args))
	if err != nil {
		return nil, err
	}
	return readResult(m.Result)
}

func (p *program) runCommand(ctx context.Context, x *extension.CommandContext, name, args string) error {
	l, err := p.reach(ctx)
	if err != nil {
		return err
	}
	c := &call{ctx: ctx, x: x.Context, command: x}
	_, err = l.ask(c, p.host.cfg.Grace, "command", value("command", name), value("args", args))
	return err
}

func (p *program) pressKey(ctx context.Context, x *extension.Context, key string) error {
	l, err := p.reach(ctx)
	if err != nil {
		return err
	}
	_, err = l.ask(&call{ctx: ctx, x: x}, p.host.cfg.Grace, "shortcut", value("key", key))
	return err
}

func (p *program) complete(ctx context.Context, command, prefix string) ([]extension.AutocompleteItem, error) {
	l, err := p.reach(ctx)
	if err != nil {
		return nil, err
	}
	c := &call{ctx: ctx, x: p.api.Context()}
	m, err := l.ask(c, p.host.patience(), "complete", value("command", command), value("prefix", prefix))
	if err != nil || m.Result == nil {
		return nil, err
	}
	var items []extension.AutocompleteItem
	if err := decodeLine(m.Result, &items); err != nil {
		return nil, fmt.Errorf("the completions of %s: %w", command, err)
	}
	return items, nil
}
