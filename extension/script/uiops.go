package script

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
)

// dialog is what a question to the person may say.
type dialog struct {
	Title, Message, Placeholder, Prefill string
	Options                              []string
	Timeout                              float64 // milliseconds
}

func (d *dialog) timeout() time.Duration { return time.Duration(d.Timeout * float64(time.Millisecond)) }

// uiOps are the operations of ctx.ui. Dialogs are asynchronous ones.
func (h *host) uiOps() Table {
	question := func(fn func(ctx context.Context, ui extension.UI, d *dialog) any) Op {
		return inTurn(act(h, func(ctx context.Context, in *instance, d dialog) (any, error) {
			ctx, stop := withCall(ctx)
			defer stop()
			answer := fn(ctx, in.x.UI(), &d)
			return answer, nil
		}))
	}
	return Table{
		"pi.ui.select": question(func(ctx context.Context, ui extension.UI, d *dialog) any {
			return orNil(ui.Select(ctx, d.Title, d.Options, d.timeout()))
		}),
		"pi.ui.confirm": question(func(ctx context.Context, ui extension.UI, d *dialog) any {
			return ui.Confirm(ctx, d.Title, d.Message, d.timeout())
		}),
		"pi.ui.input": question(func(ctx context.Context, ui extension.UI, d *dialog) any {
			return orNil(ui.Input(ctx, d.Title, d.Placeholder, d.timeout()))
		}),
		"pi.ui.editor": question(func(ctx context.Context, ui extension.UI, d *dialog) any {
			return orNil(ui.Editor(ctx, d.Title, d.Prefill))
		}),
	}.Add(h.showOps(), h.componentOps())
}

// inTurn makes an operation begin when the one before it has.
func inTurn(op Op) Op {
	op.inTurn = true
	return op
}

func orNil(text string, ok bool) any {
	if !ok {
		return nil
	}
	return text
}

// withCall ends a dialog also with the call that has asked, unless that has just returned: what
// it did not wait for goes on.
func withCall(ctx context.Context) (context.Context, context.CancelFunc) {
	own, cancel := context.WithCancel(ctx)
	i, ok := ctx.(inside)
	if !ok {
		return own, cancel
	}
	stop := context.AfterFunc(i.call, func() {
		if !errors.Is(context.Cause(i.call), extension.ErrReturned) {
			cancel()
		}
	})
	return own, func() { stop(); cancel() }
}

// tell makes an operation that shows something.
func tell[A any](h *host, fn func(ui extension.UI, a A)) Op {
	return do(h, func(in *instance, a A) error { fn(in.x.UI(), a); return nil })
}

// unknownTheme is a theme of which no more than the name is known.
type unknownTheme struct {
	extension.PlainTheme
	name string
}

// Name implements [extension.Theme].
func (t unknownTheme) Name() string { return t.name }

type (
	textArg   struct{ Text *string }
	plainText struct{ Text string }
)

func (h *host) showOps() Table {
	return Table{
		"pi.ui.notify": tell(h, func(ui extension.UI, a struct{ Message, Type string }) { ui.Notify(a.Message, a.Type) }),
		"pi.ui.setStatus": tell(h, func(ui extension.UI, a struct {
			Key  string
			Text *string
		},
		) {
			ui.SetStatus(a.Key, a.Text)
		}),
		"pi.ui.setTitle":               tell(h, func(ui extension.UI, a struct{ Title string }) { ui.SetTitle(a.Title) }),
		"pi.ui.setEditorText":          tell(h, func(ui extension.UI, a plainText) { ui.SetEditorText(a.Text) }),
		"pi.ui.pasteToEditor":          tell(h, func(ui extension.UI, a plainText) { ui.PasteToEditor(a.Text) }),
		"pi.ui.getEditorText":          get(h, func(in *instance) (string, error) { return in.x.UI().EditorText(), nil }),
		"pi.ui.setWorkingMessage":      tell(h, func(ui extension.UI, a textArg) { ui.SetWorkingMessage(a.Text) }),
		"pi.ui.setHiddenThinkingLabel": tell(h, func(ui extension.UI, a textArg) { ui.SetHiddenThinkingLabel(a.Text) }),
		"pi.ui.setWorkingVisible":      tell(h, func(ui extension.UI, a struct{ Visible bool }) { ui.SetWorkingVisible(a.Visible) }),
		"pi.ui.setWorkingIndicator": tell(h, func(ui extension.UI, a struct {
			Indicator *struct {
				Frames     []string
				IntervalMs float64
			}
		},
		) {
			if a.Indicator == nil {
				ui.SetWorkingIndicator(nil)
				return
			}
			ui.SetWorkingIndicator(&extension.Indicator{Frames: a.Indicator.Frames, Interval: time.Duration(a.Indicator.IntervalMs * float64(time.Millisecond))})
		}),
		"pi.ui.getToolsExpanded": get(h, func(in *instance) (bool, error) { return in.x.UI().ToolsExpanded(), nil }),
		"pi.ui.setToolsExpanded": tell(h, func(ui extension.UI, a struct{ Expanded bool }) { ui.SetToolsExpanded(a.Expanded) }),
		"pi.ui.themes":           get(h, func(in *instance) ([]extension.ThemeInfo, error) { return in.x.UI().Themes(), nil }),
		"pi.ui.setTheme": act(h, func(_ context.Context, in *instance, a struct{ Name string }) (jsontext.Value, error) {
			ui := in.x.UI()
			if theme := ui.ThemeNamed(a.Name); theme != nil {
				return nil, ui.SetTheme(theme)
			}
			if err := ui.SetTheme(unknownTheme{name: a.Name}); err != nil { // it knows what is wrong
				return nil, err
			}
			return nil, &Error{Message: "there is no theme " + a.Name}
		}),
	}
}
