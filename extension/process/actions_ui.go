package process

import (
	"context"
	"fmt"

	"github.com/rondo-agent/rondo/extension"
)

// Parameters that several actions have.
type (
	dialogParams struct {
		Title       string   `json:"title"`
		Message     string   `json:"message"`
		Options     []string `json:"options"`
		Placeholder string   `json:"placeholder"`
		Prefill     string   `json:"prefill"`
		Timeout     millis   `json:"timeout"`
	}
	textParams struct {
		Text string `json:"text"`
	}
	// labelParams hold a text that may be null, which is the usual one.
	labelParams struct {
		Text *string `json:"text"`
	}
)

// ui makes an action of something that shows a thing.
func ui[P any](fn func(ui extension.UI, params P) (any, error)) action {
	return now(func(on *acting, params P) (any, error) { return fn(on.x.UI(), params) })
}

// dialog makes an action of a question; no answer is null.
func dialog(fn func(ctx context.Context, ui extension.UI, params *dialogParams) (text string, ok bool)) action {
	return during(func(ctx context.Context, on *acting, params dialogParams) (any, error) {
		if text, ok := fn(ctx, on.x.UI(), &params); ok {
			return text, nil
		}
		return nil, nil
	})
}

// uiActions ask a person and show things.
var uiActions = map[string]action{
	"ui.select": dialog(func(ctx context.Context, ui extension.UI, in *dialogParams) (string, bool) {
		return ui.Select(ctx, in.Title, in.Options, in.Timeout.duration())
	}),
	"ui.input": dialog(func(ctx context.Context, ui extension.UI, in *dialogParams) (string, bool) {
		return ui.Input(ctx, in.Title, in.Placeholder, in.Timeout.duration())
	}),
	"ui.editor": dialog(func(ctx context.Context, ui extension.UI, in *dialogParams) (string, bool) {
		return ui.Editor(ctx, in.Title, in.Prefill)
	}),
	"ui.confirm": during(func(ctx context.Context, on *acting, in dialogParams) (any, error) {
		return on.x.UI().Confirm(ctx, in.Title, in.Message, in.Timeout.duration()), nil
	}),

	"ui.notify": ui(func(ui extension.UI, in struct {
		Message string `json:"message"`
		Kind    string `json:"kind"`
	},
	) (any, error) {
		ui.Notify(in.Message, in.Kind)
		return nil, nil
	}),
	"ui.setStatus": ui(func(ui extension.UI, in struct {
		Key  string  `json:"key"`
		Text *string `json:"text"`
	},
	) (any, error) {
		ui.SetStatus(in.Key, in.Text)
		return nil, nil
	}),
	"ui.setWidget": ui(func(ui extension.UI, in struct {
		Key       string   `json:"key"`
		Lines     []string `json:"lines"`
		Placement string   `json:"placement"`
	},
	) (any, error) {
		if in.Lines == nil {
			ui.SetWidget(in.Key, nil)
			return nil, nil
		}
		ui.SetWidget(in.Key, &extension.Widget{Lines: in.Lines, Placement: in.Placement})
		return nil, nil
	}),
	"ui.setTitle": ui(func(ui extension.UI, in struct {
		Title string `json:"title"`
	},
	) (any, error) {
		ui.SetTitle(in.Title)
		return nil, nil
	}),

	"ui.setEditorText": ui(func(ui extension.UI, in textParams) (any, error) { ui.SetEditorText(in.Text); return nil, nil }),
	"ui.pasteToEditor": ui(func(ui extension.UI, in textParams) (any, error) { ui.PasteToEditor(in.Text); return nil, nil }),
	"ui.getEditorText": ui(func(ui extension.UI, _ none) (any, error) { return ui.EditorText(), nil }),

	"ui.setWorkingMessage": ui(func(ui extension.UI, in labelParams) (any, error) {
		ui.SetWorkingMessage(in.Text)
		return nil, nil
	}),
	"ui.setWorkingVisible": ui(func(ui extension.UI, in struct {
		Visible bool `json:"visible"`
	},
	) (any, error) {
		ui.SetWorkingVisible(in.Visible)
		return nil, nil
	}),
	"ui.setWorkingIndicator": ui(func(ui extension.UI, in struct {
		Frames   []string `json:"frames"`
		Interval millis   `json:"intervalMs"`
	},
	) (any, error) {
		if in.Frames == nil {
			ui.SetWorkingIndicator(nil)
			return nil, nil
		}
		ui.SetWorkingIndicator(&extension.Indicator{Frames: in.Frames, Interval: in.Interval.duration()})
		return nil, nil
	}),
	"ui.setHiddenThinkingLabel": ui(func(ui extension.UI, in labelParams) (any, error) {
		ui.SetHiddenThinkingLabel(in.Text)
		return nil, nil
	}),

	"ui.getThemes": ui(func(ui extension.UI, _ none) (any, error) { return ui.Themes(), nil }),
	"ui.getTheme":  ui(func(ui extension.UI, _ none) (any, error) { return ui.Theme().Name(), nil }),
	"ui.setTheme": ui(func(ui extension.UI, in nameParams) (any, error) {
		theme := ui.ThemeNamed(in.Name)
		if theme == nil {
			return nil, fmt.Errorf("there is no theme %q", in.Name)
		}
		return done(ui.SetTheme(theme))
	}),
	"ui.getToolsExpanded": ui(func(ui extension.UI, _ none) (any, error) { return ui.ToolsExpanded(), nil }),
	"ui.setToolsExpanded": ui(func(ui extension.UI, in struct {
		Expanded bool `json:"expanded"`
	},
	) (any, error) {
		ui.SetToolsExpanded(in.Expanded)
		return nil, nil
	}),
}
