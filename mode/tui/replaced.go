package tui

import (
	"slices"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/command"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
)

// replaced says that another session is worked with, or another place in it.
type replaced struct {
	agent.Sealed

	now      *session.Session
	messages []agent.Message
	cards    map[int][]*transcript.CustomEntry // by how many of the messages follow
	why      string
}

// showing returns what is shown of a session.
func showing(s *session.Session, messages []agent.Message, why string) *replaced {
	r := &replaced{now: s, messages: messages, why: why}
	if s.Extensions().Empty() {
		return r
	}
	r.cards = make(map[int][]*transcript.CustomEntry)
	follow := 0
	for e, err := range s.Store().Ancestors(s.Store().Leaf()) {
		if err != nil || follow > len(messages) {
			break
		}
		if card, ok := e.(*transcript.CustomEntry); ok {
			r.cards[follow] = append(r.cards[follow], card)
		} else if transcript.EntryMessage(e) != nil {
			follow++
		}
	}
	return r
}

// Type implements [event.Event].
func (*replaced) Type() string { return "replaced" }

// AppendJSON implements [event.Event].
func (*replaced) AppendJSON(dst []byte) []byte { return append(dst, `{"type":"replaced"}`...) }

// Replaced is for [session.RuntimeOptions]: it shows the session that has taken the place of
// another.
func (t *Terminal) Replaced(now *session.Session, r *session.Change) {
	t.ui.Reset()
	why := "Another session"
	switch r.Reason {
	case session.ReasonReload:
		t.later(func(a *app) { a.reloaded() })
		return
	case session.ReasonNew:
		why = "New session"
	case session.ReasonFork:
		why = "A session of its own begins here"
	case session.ReasonSwitch, session.ReasonImport:
	}
	t.inbox.Put(showing(now, now.Messages(), why))
}

// shownMessages bounds how much of a session that goes on is shown.
const shownMessages = 200

// show shows a session from its beginning, below what is there.
func (a *app) show(r *replaced) {
	old := a.conv.Chat.Blocks()
	kept := append([]*chat.Block(nil), old...)
	for _, b := range kept {
		b.Final = true
	}
	a.conv.Chat.Reset()
	a.conv.Chat.Adopt(kept)
	a.restart(r.now)
	if r.why != "" {
		a.Info("── " + r.why + " ──")
	}
	messages := r.messages
	if n := len(messages) - shownMessages; n > 0 {
		a.Info(command.Count(n, "earlier message") + " not shown; /export writes all of them")
		messages = messages[n:]
	}
	for i := range len(messages) + 1 {
		for _, card := range slices.Backward(r.cards[len(messages)-i]) {
			a.conv.Chat.Card(card)
		}
		if i < len(messages) {
			a.conv.Chat.Load(messages[i])
		}
	}
	a.conv.Chat.Finish()
	a.commands.ReportTaken()
	a.SetTitle("")
	a.Measure()
}
