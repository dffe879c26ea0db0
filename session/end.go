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
	e := &ending{session: s, reason: extension.ReasonQuit}
	e.drain(ctx)
	return e.close()
}

// ending is the end of a session, in two halves: between them another session is opened, and if
// that fails, this one goes on.
type ending struct {
	session *Session
	reason  extension.StartReason
	target  string // the file of the session that takes its place
	// keepStore says that another session goes on with the store.
	keepStore bool

	drained bool  // the first half is over
	err     error // of what ran
}

// drain is the first half: what runs is aborted, and when that has been stored, the extensions
// are notified. What they store then counts, but no work begins. Nothing happens to a session
// that has ended already.
func (e *ending) drain(ctx context.Context) {
	s := e.session
	if wasOpen := s.scheduler.close(true); !wasOpen {
		return
	}
	e.err = errors.Join(s.conductor.quiesce(ctx), s.conductor.writer.flush())
	s.binding.notifyEnd(ctx, e.reason, e.target)
	s.conductor.writer.seal(true)
	e.drained = true
}

// resume takes back what drain has done: the session goes on after all, and its extensions, if
// it is shown, begin anew.
func (e *ending) resume(ctx context.Context, shown bool) {
	if !e.drained {
		return
	}
	e.session.conductor.writer.seal(false)
	e.session.scheduler.close(false)
	if shown {
		e.session.Begin(ctx, extension.ReasonReload, "")
	}
}

// close is the second half.
func (e *ending) close() error {
	if !e.drained {
		return nil
	}
	s := e.session
	s.scheduler.cancel(agent.ErrAborted)
	s.binding.close(e.reason == extension.ReasonQuit)
	if e.err == nil {
		s.scheduler.running.Wait()
	}
	s.readers.close()
	err := errors.Join(e.err, s.conductor.writer.flush())
	if !e.keepStore {
		err = errors.Join(err, s.Store().Close())
	}
	return err
}

// quiesce aborts what runs and waits until it has settled. Messages that are queued are
// dropped, since they would begin a new run.
func (c *conductor) quiesce(ctx context.Context) error {
	c.scheduler.results.dropAll(c.scheduler.queue.drop())
	c.events.flush()
	c.commands.abort()
	a, compaction := c.scheduler.abort()
	if a != nil {
		if err := a.await(ctx); err != nil {
			return err
		}
	}
	if compaction != nil {
		return compaction.await(ctx)
	}
	return nil
}
