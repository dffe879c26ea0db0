package rpc

import (
	"context"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session"
)

// attach connects the extensions with the client. It returns when they have started, which may
// need answers of the client.
func (c *connection) attach(ctx context.Context) {
	c.runtime.Attach(ctx, session.Frontend{
		UI: c.ui, Mode: extension.ModeRPC, Shutdown: c.shutdown, OnError: c.ui.ExtensionError,
	})
}

// shutdown ends the connection once the prompts that are being dealt with have been answered.
func (c *connection) shutdown() {
	c.waiting.Go(func() {
		c.prompts.Wait()
		c.leave()
	})
}
