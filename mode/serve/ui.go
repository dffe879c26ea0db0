package serve

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session"
)

var _ extension.UI = (*UI)(nil)

// UI asks the people at the clients of a session, and shows things there: the extension UI
// protocol of Pi 0.85. All methods may be called from any goroutine.
//
// A dialog is an event; whichever client answers first ends it, which is an event as well, so
// that the others put it away. It waits for somebody to come if nobody is there. A timeout, a
// context and the end of the session end it as a person does who declines.
type UI struct {
	extension.NoUI // for what needs a terminal
	publish        func(event any)

	mu       sync.Mutex
	dialogs  []*dialog
	statuses map[string]string
	widgets  map[string]*uiRequest
	title    string
	ended    bool
}

// dialog is a request that waits for its answer.
type dialog struct {
	*uiRequest
	expires time.Time // zero if it does not
	answers chan uiAnswer
}

// uiRequest is an event that asks or shows something.
type uiRequest struct {
	Type            string   `json:"type"`
	ID              string   `json:"id"`
	Method          string   `json:"method"`
	Title           *string  `json:"title,omitzero"`
	Options         []string `json:"options,omitzero"`
	Message         *string  `json:"message,omitzero"`
	Placeholder     string   `json:"placeholder,omitzero"`
	Prefill         string   `json:"prefill,omitzero"`
	NotifyType      string   `json:"notifyType,omitzero"`
	StatusKey       string   `json:"statusKey,omitzero"`
	StatusText      *string  `json:"statusText,omitzero"`
	WidgetKey       string   `json:"widgetKey,omitzero"`
	WidgetLines     []string `json:"widgetLines,omitzero"`
	WidgetPlacement string   `json:"widgetPlacement,omitzero"`
	Text            *string  `json:"text,omitzero"`
	Timeout         int64    `json:"timeout,omitzero"` // milliseconds; in a snapshot, those that are left
}

// uiAnswer answers a dialog.
type uiAnswer struct {
	Value     *string `json:"value"`
	Confirmed *bool   `json:"confirmed"`
	Cancelled bool    `json:"cancelled"`
}

// uiEnd is the event that ends a dialog.
type uiEnd struct {
	Type   string `json:"type"`
	ID     string `json:"id"`
	Reason string `json:"reason"` // answered, timeout, cancelled
}

// uiState is what a snapshot says about dialogs and what is shown.
type uiState struct {
	Dialogs  []*uiRequest      `json:"dialogs"`
	Statuses map[string]string `json:"statuses"`
	Widgets  []*uiRequest      `json:"widgets"`
	Title    string            `json:"title,omitzero"`
}

// ErrNoDialog means that a dialog does not wait for an answer any more.
var ErrNoDialog = errors.New("no such dialog waits for an answer: it has been answered, or has ended by itself")

func newUI() *UI {
	return &UI{publish: func(any) {}, statuses: make(map[string]string), widgets: make(map[string]*uiRequest)}
}

// Select asks for one of the options. A timeout of 0 is none.
func (u *UI) Select(ctx context.Context, title string, options []string, timeout time.Duration) (choice string, ok bool) {
	choice, ok = u.text(ctx, &uiRequest{Method: "select", Title: &title, Options: options}, timeout)
	return choice, ok && slices.Contains(options, choice)
}

// Confirm asks a question for yes or no. A timeout of 0 is none.
func (u *UI) Confirm(ctx context.Context, title, message string, timeout time.Duration) bool {
	answer := u.ask(ctx, &uiRequest{Method: "confirm", Title: &title, Message: &message}, timeout)
	return !answer.Cancelled && answer.Confirmed != nil && *answer.Confirmed
}

// Input asks for a line of text. A timeout of 0 is none.
func (u *UI) Input(ctx context.Context, title, placeholder string, timeout time.Duration) (text string, ok bool) {
	return u.text(ctx, &uiRequest{Method: "input", Title: &title, Placeholder: placeholder}, timeout)
}

// Editor asks for a text of several lines.
func (u *UI) Editor(ctx context.Context, title, prefill string) (text string, ok bool) {
	return u.text(ctx, &uiRequest{Method: "editor", Title: &title, Prefill: prefill}, 0)
}

// Notify shows a message; kind is info, warning, error, or empty.
func (u *UI) Notify(message, kind string) {
	u.show(&uiRequest{Method: "notify", Message: &message, NotifyType: kind}, func() {})
}

// SetStatus shows a text in the status line under a key; nil takes it away.
func (u *UI) SetStatus(key string, text *string) {
	u.show(&uiRequest{Method: "setStatus", StatusKey: key, StatusText: text}, func() {
		if text == nil {
			delete(u.statuses, key)
		} else {
			u.statuses[key] = *text
		}
	})
}

// SetWidget shows lines beside the editor under a key; nil takes them away. Components are
// for terminals.
func (u *UI) SetWidget(key string, w *extension.Widget) {
	r := &uiRequest{Method: "setWidget", WidgetKey: key}
	switch {
	case w == nil:
	case w.Component != nil:
		return
	default:
		r.WidgetLines, r.WidgetPlacement = w.Lines, w.Placement
	}
	u.show(r, func() {
		if w == nil {
			delete(u.widgets, key)
		} else {
			u.widgets[key] = r
		}
	})
}

// SetTitle changes the title of the clients' windows.
func (u *UI) SetTitle(title string) {
	u.show(&uiRequest{Method: "setTitle", Title: &title}, func() { u.title = title })
}

// SetEditorText replaces the text that people are writing.
func (u *UI) SetEditorText(text string) {
	u.show(&uiRequest{Method: "set_editor_text", Text: &text}, func() {})
}

// PasteToEditor replaces the text, since the protocol has nothing that inserts (Pi 0.85).
func (u *UI) PasteToEditor(text string) { u.SetEditorText(text) }

// failed tells the clients that a handler of an extension has failed. It is shown and changes
// nothing.
func (u *UI) failed(err *extension.Error) {
	u.publish(struct {
		Type  string `json:"type"`
		Path  string `json:"extensionPath"`
		Event string `json:"event"`
		Error string `json:"error"`
	}{"extension_error", err.Path, err.Event, err.Err.Error()})
}

// show sends a request that nobody answers; remember keeps it for snapshots.
func (u *UI) show(r *uiRequest, remember func()) {
	r.Type, r.ID = "extension_ui_request", session.NewID()
	u.mu.Lock()
	remember()
	u.mu.Unlock()
	u.publish(r)
}

func (u *UI) text(ctx context.Context, r *uiRequest, timeout time.Duration) (string, bool) {
	answer := u.ask(ctx, r, timeout)
	if answer.Cancelled || answer.Value == nil {
		return "", false
	}
	return *answer.Value, true
}

// ask shows a dialog and waits for its answer.
func (u *UI) ask(ctx context.Context, r *uiRequest, timeout time.Duration) uiAnswer {
	r.Type, r.ID, r.Timeout = "extension_ui_request", session.NewID(), timeout.Milliseconds()
	d := &dialog{uiRequest: r, answers: make(chan uiAnswer, 1)}
	var late <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		late, d.expires = timer.C, time.Now().Add(timeout)
	}
	if !u.expect(d) {
		return uiAnswer{Cancelled: true}
	}
	u.publish(r)
	answer, reason := uiAnswer{Cancelled: true}, "cancelled"
	select {
	case answer = <-d.answers:
		reason = "answered"
	case <-late:
		reason = "timeout"
	case <-ctx.Done():
	}
	u.take(r.ID)
	u.publish(uiEnd{"extension_ui_end", r.ID, reason})
	return answer
}

// expect adds a dialog; false if the session is at its end.
func (u *UI) expect(d *dialog) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.ended {
		u.dialogs = append(u.dialogs, d)
	}
	return !u.ended
}

// take removes a dialog and returns it; nil if it is not there.
func (u *UI) take(id string) *dialog {
	u.mu.Lock()
	defer u.mu.Unlock()
	i := slices.IndexFunc(u.dialogs, func(d *dialog) bool { return d.ID == id })
	if i < 0 {
		return nil
	}
	d := u.dialogs[i]
	u.dialogs = slices.Delete(slices.Clone(u.dialogs), i, i+1)
	return d
}

// answer answers a dialog; the first answer counts.
func (u *UI) answer(id string, a uiAnswer) error {
	d := u.take(id)
	if d == nil {
		return ErrNoDialog
	}
	d.answers <- a
	return nil
}

// end ends the dialogs: nobody will answer any more.
func (u *UI) end() {
	u.mu.Lock()
	u.ended = true
	open := u.dialogs
	u.dialogs = nil
	u.mu.Unlock()
	for _, d := range open {
		d.answers <- uiAnswer{Cancelled: true}
	}
}

// waiting reports whether a dialog is open.
func (u *UI) waiting() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.dialogs) > 0
}

// pending returns what a snapshot says.
func (u *UI) pending() *uiState {
	u.mu.Lock()
	defer u.mu.Unlock()
	st := &uiState{Dialogs: []*uiRequest{}, Statuses: make(map[string]string), Widgets: []*uiRequest{}, Title: u.title}
	for _, d := range u.dialogs {
		r := *d.uiRequest
		if !d.expires.IsZero() {
			r.Timeout = max(time.Until(d.expires).Milliseconds(), 1)
		}
		st.Dialogs = append(st.Dialogs, &r)
	}
	for key, text := range u.statuses {
		st.Statuses[key] = text
	}
	for _, w := range u.widgets {
		st.Widgets = append(st.Widgets, w)
	}
	slices.SortFunc(st.Widgets, func(a, b *uiRequest) int {
		if a.WidgetKey < b.WidgetKey {
			return -1
		}
		return 1
	})
	return st
}
