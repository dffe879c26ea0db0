package rpc

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/session"
)

// UI asks the person at the client, and shows things there: the extension UI protocol of Pi
// 0.85. All methods may be called from any goroutine.
//
// A dialog ends with an answer, with its timeout, with its context, or with the connection.
// All ends but the first are that of a person who declines, so that whoever asks goes on
// safely; and so is the answer of a client that has said that it has no dialogs.
type UI struct {
	out *lineWriter

	mu      sync.Mutex
	pending map[string]chan uiAnswer
	off     bool // nobody answers
	ended   bool // nor will anybody
}

func newUI(out *lineWriter) *UI { return &UI{out: out, pending: make(map[string]chan uiAnswer)} }

// uiRequest is a line to the client.
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
	Timeout         int64    `json:"timeout,omitzero"` // milliseconds
}

// uiAnswer is the line that answers a dialog.
type uiAnswer struct {
	Value     *string `json:"value"`
	Confirmed bool    `json:"confirmed"`
	Cancelled bool    `json:"cancelled"`
}

// Select asks for one of the options. A timeout of 0 is none.
func (u *UI) Select(ctx context.Context, title string, options []string, timeout time.Duration) (choice string, ok bool) {
	choice, ok = u.text(ctx, &uiRequest{Method: "select", Title: &title, Options: options}, timeout)
	return choice, ok && slices.Contains(options, choice)
}

// Confirm asks a question for yes or no. A timeout of 0 is none.
func (u *UI) Confirm(ctx context.Context, title, message string, timeout time.Duration) bool {
	answer := u.ask(ctx, &uiRequest{Method: "confirm", Title: &title, Message: &message}, timeout)
	return answer.Confirmed && !answer.Cancelled
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
	u.send(&uiRequest{Method: "notify", Message: &message, NotifyType: kind})
}

// SetStatus shows a text in the status line under a key; nil takes it away.
func (u *UI) SetStatus(key string, text *string) {
	u.send(&uiRequest{Method: "setStatus", StatusKey: key, StatusText: text})
}

// SetWidget shows lines beside the editor under a key; nil takes them away. placement is
// aboveEditor, belowEditor, or empty.
func (u *UI) SetWidget(key string, lines []string, placement string) {
	u.send(&uiRequest{Method: "setWidget", WidgetKey: key, WidgetLines: lines, WidgetPlacement: placement})
}

// SetTitle changes the title of the client's window.
func (u *UI) SetTitle(title string) { u.send(&uiRequest{Method: "setTitle", Title: &title}) }

// SetEditorText replaces the text that the person is writing.
func (u *UI) SetEditorText(text string) { u.send(&uiRequest{Method: "set_editor_text", Text: &text}) }

// ExtensionError tells the client that a handler of an extension has failed. It is shown
// and changes nothing.
func (u *UI) ExtensionError(path, event string, err error) {
	u.out.line(struct {
		Type  string `json:"type"`
		Path  string `json:"extensionPath"`
		Event string `json:"event"`
		Error string `json:"error"`
	}{"extension_error", path, event, err.Error()})
}

func (u *UI) send(r *uiRequest) {
	r.Type = "extension_ui_request"
	if r.ID == "" {
		r.ID = session.NewID()
	}
	u.out.line(r)
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
	declined := uiAnswer{Cancelled: true}
	answers := make(chan uiAnswer, 1)
	r.ID, r.Timeout = session.NewID(), timeout.Milliseconds()
	if !u.expect(r.ID, answers) {
		return declined
	}
	defer u.forget(r.ID)
	u.send(r)
	var late <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case answer := <-answers:
		return answer
	case <-late:
	case <-ctx.Done():
	}
	return declined
}

// expect registers a dialog; false if the client has none.
func (u *UI) expect(id string, answers chan uiAnswer) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.off {
		return false
	}
	u.pending[id] = answers
	return true
}

func (u *UI) forget(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.pending, id)
}

// answer takes a line of the client that answers a dialog. One that nobody waits for any
// more is ignored, and so is a second one.
func (u *UI) answer(line []byte) {
	var to struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(line, &to, lenient) != nil {
		return
	}
	var answer uiAnswer
	if json.Unmarshal(line, &answer, lenient) != nil {
		answer = uiAnswer{Cancelled: true} // what it says is of the wrong kind
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if answers, ok := u.pending[to.ID]; ok {
		delete(u.pending, to.ID)
		answers <- answer
	}
}

// enable says whether the client has dialogs. Without, those that are open end.
func (u *UI) enable(on bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.off = !on || u.ended
	if on {
		return
	}
	for id, answers := range u.pending {
		delete(u.pending, id)
		answers <- uiAnswer{Cancelled: true}
	}
}

// end ends the dialogs: nobody will answer any more.
func (u *UI) end() {
	u.mu.Lock()
	u.ended = true
	u.mu.Unlock()
	u.enable(false)
}

func setDialogs(_ context.Context, s *server, req *request) (any, error) {
	fields, err := read[struct {
		Enabled *bool `json:"enabled"`
	}](req)
	if err != nil {
		return nil, err
	}
	if fields.Enabled == nil {
		return nil, missing(req, "enabled", "true if the client shows dialogs, or false")
	}
	s.ui.enable(*fields.Enabled)
	return nil, nil
}
