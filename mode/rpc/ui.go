package rpc

import (
	"context"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/remoteui"
	"github.com/rondo-agent/rondo/mode/rpc/proto"
	"github.com/rondo-agent/rondo/transcript"
)

// UI asks the person at the client, and shows things there. All methods may be called from
// any goroutine.
//
// A dialog ends with the connection as well, as if it had been declined; and so does one
// of a client that has said that it has no dialogs.
type UI struct {
	remoteui.UI
	out *lineWriter

	mu      sync.Mutex
	pending map[string]chan proto.UIAnswer
	off     bool // the client has no dialogs
	ended   bool // the input has ended, so that no answer can come
}

func newUI(out *lineWriter) *UI {
	u := &UI{out: out, pending: make(map[string]chan proto.UIAnswer)}
	u.Ask, u.Send = u.ask, u.send
	return u
}

// ExtensionError notifies the client that a handler of an extension has failed. It is shown
// and changes nothing.
func (u *UI) ExtensionError(err *extension.Error) { u.out.line(remoteui.NewError(err)) }

func (u *UI) send(r *proto.UIRequest) {
	r.ID = transcript.NewID()
	u.out.line(r)
}

// ask shows a dialog and waits for its answer.
func (u *UI) ask(ctx context.Context, r *proto.UIRequest, timeout time.Duration) proto.UIAnswer {
	answers := make(chan proto.UIAnswer, 1)
	r.ID = transcript.NewID()
	if !u.expect(r.ID, answers) {
		return remoteui.Declined
	}
	defer u.forget(r.ID)
	u.out.line(r)
	answer, end := extension.WaitForAnswer(ctx, answers, timeout, nil)
	if end != extension.DialogAnswered {
		return remoteui.Declined
	}
	return answer
}

// expect registers a dialog; false if the client has none.
func (u *UI) expect(id string, answers chan proto.UIAnswer) bool {
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

// answer takes a line of the client that answers a dialog. One that is not waited for any
// more is ignored, and so is a second one.
func (u *UI) answer(line []byte) {
	var to struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(line, &to, lenient) != nil {
		return
	}
	var answer proto.UIAnswer
	if json.Unmarshal(line, &answer, lenient) != nil {
		answer = remoteui.Declined // what it says is of the wrong kind
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
		answers <- remoteui.Declined
	}
}

// end ends the dialogs: no answer can come any more.
func (u *UI) end() {
	u.mu.Lock()
	u.ended = true
	u.mu.Unlock()
	u.enable(false)
}

func setDialogs(_ context.Context, c *call, req proto.Switch) (none proto.None, err error) {
	on, err := c.enabled(req, "true if the client shows dialogs, or false")
	if err == nil {
		c.ui.enable(on)
	}
	return none, err
}
