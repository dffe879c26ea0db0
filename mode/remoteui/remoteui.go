// Package remoteui is the UI of extensions whose person is at the other end of a connection:
// the extension UI protocol of Pi 0.85. A mode says how requests travel and answers come back.
package remoteui

import (
	"context"
	"slices"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/rpc/proto"
)

// Declined is the answer of a person that declines, and stands for every end of a dialog but
// an answer, so that the asking extension goes on safely.
var Declined = proto.UIAnswer{Cancelled: true}

// UI is an [extension.UI] that makes requests. A mode sets both fields, and the id of each
// request.
type UI struct {
	extension.NoUI // for what needs a terminal

	// Ask sends a request and waits for its answer.
	Ask func(ctx context.Context, r *proto.UIRequest, timeout time.Duration) proto.UIAnswer
	// Send sends a request that needs no answer.
	Send func(r *proto.UIRequest)
}

var _ extension.UI = (*UI)(nil)

func request(method string) *proto.UIRequest { return &proto.UIRequest{Method: method} }

func (u *UI) ask(ctx context.Context, r *proto.UIRequest, timeout time.Duration) proto.UIAnswer {
	r.Timeout = timeout.Milliseconds()
	return u.Ask(ctx, r, timeout)
}

func (u *UI) text(ctx context.Context, r *proto.UIRequest, timeout time.Duration) (string, bool) {
	answer := u.ask(ctx, r, timeout)
	if answer.Cancelled || answer.Value == nil {
		return "", false
	}
	return *answer.Value, true
}

// Select asks for one of the options. A timeout of 0 is none.
func (u *UI) Select(ctx context.Context, title string, options []string, timeout time.Duration) (choice string, ok bool) {
	r := request(proto.MethodSelect)
	r.Title, r.Options = &title, options
	choice, ok = u.text(ctx, r, timeout)
	return choice, ok && slices.Contains(options, choice)
}

// Confirm asks a question for yes or no. A timeout of 0 is none.
func (u *UI) Confirm(ctx context.Context, title, message string, timeout time.Duration) bool {
	r := request(proto.MethodConfirm)
	r.Title, r.Message = &title, &message
	answer := u.ask(ctx, r, timeout)
	return !answer.Cancelled && answer.Confirmed != nil && *answer.Confirmed
}

// Input asks for a line of text. A timeout of 0 is none.
func (u *UI) Input(ctx context.Context, title, placeholder string, timeout time.Duration) (text string, ok bool) {
	r := request(proto.MethodInput)
	r.Title, r.Placeholder = &title, placeholder
	return u.text(ctx, r, timeout)
}

// Editor asks for a text of several lines.
func (u *UI) Editor(ctx context.Context, title, prefill string) (text string, ok bool) {
	r := request(proto.MethodEditor)
	r.Title, r.Prefill = &title, prefill
	return u.text(ctx, r, 0)
}

// Notify shows a message; kind is info, warning, error, or empty.
func (u *UI) Notify(message, kind string) {
	r := request(proto.MethodNotify)
	r.Message, r.NotifyType = &message, kind
	u.Send(r)
}

// SetStatus shows a text in the status line under a key; nil takes it away.
func (u *UI) SetStatus(key string, text *string) {
	r := request(proto.MethodSetStatus)
	r.StatusKey, r.StatusText = key, text
	u.Send(r)
}

// SetWidget shows lines beside the editor under a key; nil takes them away. Components are
// for terminals, and are not shown.
func (u *UI) SetWidget(key string, w *extension.Widget) {
	r := request(proto.MethodSetWidget)
	r.WidgetKey = key
	if w != nil {
		if w.Component != nil {
			return
		}
		r.WidgetLines, r.WidgetPlacement = w.Lines, w.Placement
	}
	u.Send(r)
}

// SetTitle changes the title of the person's window.
func (u *UI) SetTitle(title string) {
	r := request(proto.MethodSetTitle)
	r.Title = &title
	u.Send(r)
}

// SetEditorText replaces the text that the person is writing.
func (u *UI) SetEditorText(text string) {
	r := request(proto.MethodSetEditorText)
	r.Text = &text
	u.Send(r)
}

// PasteToEditor replaces the text, since the protocol has nothing that inserts (Pi 0.85).
func (u *UI) PasteToEditor(text string) { u.SetEditorText(text) }

// NewError returns the event that says that a handler of an extension has failed.
func NewError(err *extension.Error) *proto.ExtensionError {
	return &proto.ExtensionError{ExtensionPath: err.Path, Event: err.Event, Error: err.Err.Error()}
}
