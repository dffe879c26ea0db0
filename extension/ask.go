package extension

import (
	"context"
	"sync"
	"time"
)

// asking is the UI as extensions get it: the time that a person takes does not count for the
// handler that asks, and the outermost dialog is announced (law X4). A dialog whose context is done
// already is not shown.
type asking struct {
	UI
	runner *Runner
}

// Select asks for one of the options.
func (a *asking) Select(ctx context.Context, title string, options []string, timeout time.Duration) (string, bool) {
	if ctx.Err() != nil {
		return "", false
	}
	defer a.runner.await(ctx, "select", title)()
	return a.UI.Select(ctx, title, options, timeout)
}

// Confirm asks a question for yes or no.
func (a *asking) Confirm(ctx context.Context, title, message string, timeout time.Duration) bool {
	if ctx.Err() != nil {
		return false
	}
	defer a.runner.await(ctx, "confirm", title)()
	return a.UI.Confirm(ctx, title, message, timeout)
}

// Input asks for a line of text.
func (a *asking) Input(ctx context.Context, title, placeholder string, timeout time.Duration) (string, bool) {
	if ctx.Err() != nil {
		return "", false
	}
	defer a.runner.await(ctx, "input", title)()
	return a.UI.Input(ctx, title, placeholder, timeout)
}

// Editor asks for a text of several lines.
func (a *asking) Editor(ctx context.Context, title, prefill string) (string, bool) {
	if ctx.Err() != nil {
		return "", false
	}
	defer a.runner.await(ctx, "editor", title)()
	return a.UI.Editor(ctx, title, prefill)
}

// Custom shows a component that asks.
func (a *asking) Custom(ctx context.Context, factory CustomFactory, opts *CustomOptions) (any, bool) {
	if ctx.Err() != nil {
		return nil, false
	}
	defer a.runner.await(ctx, "custom", "")()
	return a.UI.Custom(ctx, factory, opts)
}

// span is what the runner waits for a person with: dialogs inside of dialogs count as one.
type span struct {
	mu    sync.Mutex
	depth int
	first UIPromptStart
}

// await announces that a person is waited for; the returned function that this is over.
func (r *Runner) await(ctx context.Context, kind, title string) (end func()) {
	release := activeOf(ctx).hold()
	r.prompt.mu.Lock()
	r.prompt.depth++
	if r.prompt.depth == 1 {
		r.prompt.first = UIPromptStart{Reason: "ui_prompt", Prompt: kind, Title: title}
		begun := r.prompt.first
		r.Fire(ctx, &begun, 0)
	}
	r.prompt.mu.Unlock()
	return func() {
		release()
		r.prompt.mu.Lock()
		defer r.prompt.mu.Unlock()
		if r.prompt.depth--; r.prompt.depth == 0 {
			over := UIPromptEnd(r.prompt.first)
			r.Fire(ctx, &over, 0)
		}
	}
}

// ImageProtocol implements [ImageUI]. A UI that shows none has no protocol.
func (a *asking) ImageProtocol() (name string, cellWidth, cellHeight int) {
	if ui, ok := a.UI.(ImageUI); ok {
		return ui.ImageProtocol()
	}
	return "", 0, 0
}

// ImageRows implements [ImageUI].
func (a *asking) ImageRows(data, mimeType string, columns, rows int) []string {
	if ui, ok := a.UI.(ImageUI); ok {
		return ui.ImageRows(data, mimeType, columns, rows)
	}
	return nil
}
