package rpc

import (
	"context"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session"
)

// front is the client as extensions see it. What needs a terminal it does not have.
type front struct {
	extension.NoUI
	ui *UI
}

var _ extension.UI = front{}

// Select asks the client.
func (f front) Select(ctx context.Context, title string, options []string, timeout time.Duration) (string, bool) {
	return f.ui.Select(ctx, title, options, timeout)
}

// Confirm asks the client.
func (f front) Confirm(ctx context.Context, title, message string, timeout time.Duration) bool {
	return f.ui.Confirm(ctx, title, message, timeout)
}

// Input asks the client.
func (f front) Input(ctx context.Context, title, placeholder string, timeout time.Duration) (string, bool) {
	return f.ui.Input(ctx, title, placeholder, timeout)
}

// Editor asks the client.
func (f front) Editor(ctx context.Context, title, prefill string) (string, bool) {
	return f.ui.Editor(ctx, title, prefill)
}

// Notify tells the client.
func (f front) Notify(message, kind string) { f.ui.Notify(message, kind) }

// SetStatus tells the client.
func (f front) SetStatus(key string, text *string) { f.ui.SetStatus(key, text) }

// SetWidget tells the client of lines; components are for terminals.
func (f front) SetWidget(key string, w *extension.Widget) {
	switch {
	case w == nil:
		f.ui.SetWidget(key, nil, "")
	case w.Component == nil:
		f.ui.SetWidget(key, w.Lines, w.Placement)
	}
}

// SetTitle tells the client.
func (f front) SetTitle(title string) { f.ui.SetTitle(title) }

// SetEditorText tells the client.
func (f front) SetEditorText(text string) { f.ui.SetEditorText(text) }

// PasteToEditor replaces the text, since the protocol has nothing that inserts (Pi 0.85).
func (f front) PasteToEditor(text string) { f.ui.SetEditorText(text) }

// show connects the extensions with the client. It returns when they have begun, which may
// need answers of the client.
func (c *connection) show(ctx context.Context) {
	c.runtime.Show(ctx, session.Front{
		UI: front{ui: c.ui}, Mode: extension.ModeRPC, Shutdown: c.shutdown,
		OnError: func(err *extension.Error) { c.ui.ExtensionError(err.Path, err.Event, err.Err) },
	})
}

// shutdown ends the connection once the prompts that are being dealt with have been answered.
func (c *connection) shutdown() {
	c.waiting.Go(func() {
		c.prompts.Wait()
		c.leave()
	})
}
