package serve

import (
	"context"
	"fmt"
	"net/http"

	"github.com/rondo-agent/rondo/mode/rpc"
	"github.com/rondo-agent/rondo/mode/rpc/proto"
	"github.com/rondo-agent/rondo/session"
)

// message is the body of prompt, steer and follow_up.
type message struct {
	// ID names the message: one that is sent again with the same id is taken once.
	ID string `json:"id"`
	proto.PromptRequest
}

// maxID is the longest id of a message.
const maxID = 200

// read makes a prompt of the message.
func (m *message) read() (session.Prompt, error) {
	if len(m.ID) > maxID {
		return session.Prompt{}, fmt.Errorf("the id has %d characters: use at most %d, such as a UUID", len(m.ID), maxID)
	}
	behaviour, err := rpc.DeliveryOf(m.StreamingBehavior)
	if err != nil {
		return session.Prompt{}, err
	}
	p, err := rpc.NewPrompt(m.Message, m.Images)
	p.WhileBusy = behaviour
	return p, err
}

// deliver gives a prompt to the session; accepted is called when it has been accepted and
// before the first event that it causes.
type deliver func(l *live, p session.Prompt, accepted func(session.Disposition)) error

func start(l *live, p session.Prompt, accepted func(session.Disposition)) error {
	p.Accepted = accepted
	_, err := l.Session.Start(p)
	return err
}

func queue(d session.Delivery) deliver {
	return func(l *live, p session.Prompt, accepted func(session.Disposition)) error {
		p.SkipInput = true       // as RPC does (Pi 0.85)
		accepted(session.Queued) // the event that it waits is the first one that it causes
		return l.Session.Queue(p, d)
	}
}

// prompt sends a message. With ?stream=1 the answer is the events up to agent_settled.
func (s *Server) prompt(w http.ResponseWriter, r *http.Request) (any, error) {
	return s.take(w, r, "prompt", start)
}

func (s *Server) steer(w http.ResponseWriter, r *http.Request) (any, error) {
	return s.take(w, r, "steer", queue(session.Steer))
}

func (s *Server) followUp(w http.ResponseWriter, r *http.Request) (any, error) {
	return s.take(w, r, "follow_up", queue(session.FollowUp))
}

// take accepts a message, once for each id.
func (s *Server) take(w http.ResponseWriter, r *http.Request, name string, how deliver) (any, error) {
	raw, err := s.body(w, r)
	if err != nil {
		return nil, err
	}
	var m message
	if err := decode(raw, &m); err != nil {
		return nil, err
	}
	p, err := m.read()
	if err != nil {
		return nil, err
	}
	oneShot, err := number(r, "stream", 0)
	if err != nil {
		return nil, err
	}
	l, leave, err := s.pool.use(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := l.ready(r.Context()); err != nil {
		return nil, err
	}
	rec, repeated, err := accept(r.Context(), l, m.ID, append([]byte(name+" "), raw...), p, how)
	if err != nil {
		return nil, err
	}
	body := rec.answer
	body.Repeated = repeated
	if oneShot == 0 {
		return &body, nil
	}
	s.oneShot(w, r, l, name, rec, &body)
	return written, nil
}

// accept delivers a message, unless one with its id was accepted before, whose receipt it
// returns then.
func accept(ctx context.Context, l *live, id string, body []byte, p session.Prompt, how deliver) (rec *receipt, repeated bool, err error) {
	if id == "" {
		rec = &receipt{}
		return rec, false, rec.fill(l, p, how)
	}
	rec, known, err := l.receipts.take(ctx, id, body)
	if err != nil || known != nil {
		return known, true, err
	}
	err = rec.fill(l, p, how)
	l.receipts.done(id, rec, err)
	return rec, false, err
}

// fill delivers the message and notes what has become of it.
func (rec *receipt) fill(l *live, p session.Prompt, how deliver) error {
	return how(l, p, func(d session.Disposition) {
		rec.epoch, rec.from = l.epoch, l.ring.Last()
		rec.answer = accepted{Disposition: string(d), LastEventID: l.id(rec.from)}
	})
}

// oneShot answers with the response as RPC gives it, and the events up to agent_settled.
func (s *Server) oneShot(w http.ResponseWriter, r *http.Request, l *live, name string, rec *receipt, body *accepted) {
	out := newStream(w, &s.opts, l, rec.from)
	response := appendValue([]byte("data: "), struct {
		Type    string    `json:"type"`
		Command string    `json:"command"`
		Success bool      `json:"success"`
		Data    *accepted `json:"data"`
	}{"response", name, true, body})
	if out.write(append(response, "\n\n"...)) != nil {
		return
	}
	if body.Disposition == string(session.Handled) { // no run begins
		_ = out.settled()
		return
	}
	if rec.epoch != l.epoch { // the session was closed since, so that it has settled
		if out.restart(r.Context()) == nil {
			_ = out.settled()
		}
		return
	}
	_ = out.follow(r.Context(), true, rec.from) // its error is that the client is gone
}
