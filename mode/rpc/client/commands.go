package client

import (
	"context"
	"sync"

	"github.com/rondo-agent/rondo/mode/rpc/proto"
)

// Run sends a prompt and returns when the agent has settled. [Do] with [proto.Prompt] returns when
// the prompt is accepted.
func (c *Client) Run(ctx context.Context, p proto.PromptRequest) error {
	settled := make(chan struct{})
	var once sync.Once
	leave := c.Subscribe(func(ev proto.Event) {
		if _, ok := ev.(*proto.AgentSettled); ok {
			once.Do(func() { close(settled) })
		}
	})
	defer leave()
	if _, err := Do(ctx, c, proto.Prompt, p); err != nil {
		return err
	}
	select {
	case <-settled:
		return nil
	case <-c.read:
		return c.ending()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// LastAnswer returns the text of the newest answer; empty if there is none.
func (c *Client) LastAnswer(ctx context.Context) (string, error) {
	answer, err := Do(ctx, c, proto.GetLastAssistantText, proto.None{})
	return answer.Text, err
}
