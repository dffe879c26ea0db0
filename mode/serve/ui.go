package serve

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/remoteui"
	"github.com/rondo-agent/rondo/mode/rpc/proto"
	"github.com/rondo-agent/rondo/transcript"
)

// UI asks the people at the clients of a session, and shows things there: the extension UI
// protocol of Pi 0.85. All methods may be called from any goroutine.
//
// A dialog is an event; whichever client answers first ends it, which is an event as well, so
// that the others put it away. It waits for a client to come if none is there. A timeout, a
// context and the end of the session end it as if it had been declined.
type UI struct {
	remoteui.UI
	publish func(event any)

	mu       sync.Mutex
	dialogs  []*dialog
	statuses map[string]string
	widgets  map[string]*proto.UIRequest
	title    string
	ended    bool
}

// dialog is a request that waits for its answer.
type dialog struct {
	*proto.UIRequest
	expires time.Time // zero if it does not
	answers chan proto.UIAnswer
}

// uiEnd is the event that ends a dialog.
type uiEnd struct {
	Type   string              `json:"type"`
	ID     string              `json:"id"`
	Reason extension.DialogEnd `json:"reason"`
}

// uiState is what a snapshot says about dialogs and what is shown.
type uiState struct {
	Dialogs  []*proto.UIRequest `json:"dialogs"`
	Statuses map[string]string  `json:"statuses"`
	Widgets  []*proto.UIRequest `json:"widgets"`
	Title    string             `json:"title,omitzero"`
}

// ErrNoDialog means that a dialog does not wait for an answer any more.
var ErrNoDialog = errors.New("no such dialog waits for an answer: it has been answered, or has ended by itself")

func newUI() *UI {
	u := &UI{publish: func(any) {}, statuses: make(map[string]string), widgets: make(map[string]*proto.UIRequest)}
	u.Ask, u.Send = u.ask, u.send
	return u
}

// failed notifies the clients that a handler of an extension has failed.
func (u *UI) failed(err *extension.Error) { u.publish(remoteui.NewError(err)) }

// send sends a request that needs no answer, and keeps for snapshots what lasts.
func (u *UI) send(r *proto.UIRequest) {
	r.ID = transcript.NewID()
	u.remember(r)
	u.publish(r)
}

func (u *UI) remember(r *proto.UIRequest) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch r.Method {
	case proto.MethodSetStatus:
		delete(u.statuses, r.StatusKey)
		if r.StatusText != nil {
			u.statuses[r.StatusKey] = *r.StatusText
		}
	case proto.MethodSetWidget:
		delete(u.widgets, r.WidgetKey)
		if r.WidgetLines != nil {
			u.widgets[r.WidgetKey] = r
		}
	case proto.MethodSetTitle:
		u.title = *r.Title
	}
}

// ask shows a dialog and waits for its answer.
func (u *UI) ask(ctx context.Context, r *proto.UIRequest, timeout time.Duration) proto.UIAnswer {
	r.ID = transcript.NewID()
	d := &dialog{UIRequest: r, answers: make(chan proto.UIAnswer, 1)}
	if timeout > 0 {
		d.expires = time.Now().Add(timeout)
	}
	if !u.expect(d) {
		return remoteui.Declined
	}
	u.publish(r)
	answer, end := extension.WaitForAnswer(ctx, d.answers, timeout, nil)
	if end != extension.DialogAnswered {
		answer = remoteui.Declined
	}
	u.take(r.ID)
	u.publish(uiEnd{"extension_ui_end", r.ID, end})
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
func (u *UI) answer(id string, a proto.UIAnswer) error {
	d := u.take(id)
	if d == nil {
		return ErrNoDialog
	}
	d.answers <- a
	return nil
}

// end ends the dialogs: no answer can come any more.
func (u *UI) end() {
	u.mu.Lock()
	u.ended = true
	open := u.dialogs
	u.dialogs = nil
	u.mu.Unlock()
	for _, d := range open {
		d.answers <- remoteui.Declined
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
	st := &uiState{Dialogs: []*proto.UIRequest{}, Statuses: make(map[string]string), Widgets: []*proto.UIRequest{}, Title: u.title}
	for _, d := range u.dialogs {
		r := *d.UIRequest
		if !d.expires.IsZero() {
			r.Timeout = max(time.Until(d.expires).Milliseconds(), 1)
		}
		st.Dialogs = append(st.Dialogs, &r)
	}
	maps.Copy(st.Statuses, u.statuses)
	for _, w := range u.widgets {
		st.Widgets = append(st.Widgets, w)
	}
	slices.SortFunc(st.Widgets, func(a, b *proto.UIRequest) int { return strings.Compare(a.WidgetKey, b.WidgetKey) })
	return st
}
