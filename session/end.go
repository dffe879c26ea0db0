package session

import (
	"context"
	"errors"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/extension"
)

// Close aborts what runs, waits for its results to be stored, and closes the store. ctx
// bounds the wait.
func (s *Session) Close(ctx context.Context) error {
	why := &ending{reason: extension.ReasonQuit}
	s.retire(ctx, why)
	return s.depart(why)
}

// ending says why a session ends.
type ending struct {
	reason extension.StartReason
	target string // the file of the session that takes its place
	// keepStore says that another session goes on with the store.
	keepStore bool

	retired bool  // the first half is over
	err     error // of what ran
}

// retire is the first half of the end of a session: what runs is aborted, and when that has
// been stored, the extensions are told (report ABT-05). What they store then counts, but no
// work begins. Nothing happens to a session that has ended already.
func (s *Session) retire(ctx context.Context, why *ending) {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	s.mu.Unlock()
	if closed {
		return
	}
	why.err = errors.Join(s.rest(ctx), s.ledger.settle())
	s.ending(ctx, why.reason, why.target)
	s.setClosed(true)
	why.retired = true
}

// setClosed closes the session for everything, or opens it again.
func (s *Session) setClosed(closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.sealed = closed, closed
}

// recall takes back what retire has done: the session goes on after all, and its extensions,
// if it is shown, begin anew.
func (s *Session) recall(ctx context.Context, why *ending, shown bool) {
	if !why.retired {
		return
	}
	s.setClosed(false)
	if shown {
		s.Begin(ctx, extension.ReasonReload, "")
	}
}

// depart is the second half of the end.
func (s *Session) depart(why *ending) error {
	if !why.retired {
		return nil
	}
	s.cancel(agent.ErrAborted)
	s.endExtensions(why.reason == extension.ReasonQuit)
	if why.err == nil {
		s.running.Wait()
	}
	if why.keepStore {
		return errors.Join(why.err, s.ledger.settle())
	}
	return errors.Join(why.err, s.ledger.settle(), s.store.Close())
}

// rest aborts what runs and waits until it has settled. Messages that are queued are
// dropped, since they would begin a new run.
func (s *Session) rest(ctx context.Context) error {
	s.dropQueue()
	s.AbortBash()
	return s.Abort(ctx)
}
