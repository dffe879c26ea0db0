package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/transcript"
)

// discarder is a store that can take back what it has stored.
type discarder interface{ Discard() error }

// replace puts the session over the store that target returns in the place of the old one.
func (r *Runtime) replace(ctx context.Context, rep *Change, target func(old *Session) (transcript.Store, error)) error {
	if r.opts.Repository == nil || r.opts.Open == nil {
		return ErrNoRepository
	}
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	r.mu.Lock()
	old, closed := r.session, r.closed
	r.mu.Unlock()
	if closed {
		return transcript.ErrClosed
	}
	if r.opts.Before != nil {
		if err := r.opts.Before(ctx, rep); err != nil {
			return err
		}
	}
	if err := old.askReplacement(ctx, rep); err != nil {
		return err
	}
	store, err := target(old)
	if err != nil {
		return err
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), cmp.Or(max(r.opts.CloseTimeout, 0), 10*time.Second))
	defer cancel()
	why := &ending{session: old, reason: rep.Reason.start(), target: store.Path(), keepStore: store == old.Store()}
	if old.Extensions().Has(extension.KindSessionShutdown) {
		why.drain(closing)
	}
	next, err := r.successor(closing, old, store, rep)
	if err != nil {
		why.resume(context.WithoutCancel(ctx), r.isAttached())
		return err
	}
	if !why.drained {
		why.drain(closing)
	}
	return r.exchange(ctx, old, next, rep, why)
}

// successor makes the session over store, and fills it.
func (r *Runtime) successor(ctx context.Context, old *Session, store transcript.Store, rep *Change) (*Session, error) {
	next, err := r.open(ctx, old, store, rep)
	if err != nil || rep.setup == nil {
		return next, err
	}
	if err := next.fill(rep.setup); err != nil {
		next.binding.close(false)
		return nil, errors.Join(fmt.Errorf("fill the new session: %w", err), next.Close(ctx), discard(store))
	}
	return next, nil
}

// open makes the session over store, which is not left behind if that fails.
func (r *Runtime) open(ctx context.Context, old *Session, store transcript.Store, rep *Change) (*Session, error) {
	if store == old.Store() {
		return r.reopen(ctx, old, rep)
	}
	next, err := r.opts.Open(store)
	switch {
	case err == nil:
		return next, nil
	case rep.Reason == ReasonSwitch:
		return nil, errors.Join(err, store.Close())
	}
	return nil, errors.Join(err, discard(store))
}

// reopen makes another session over the store of the old one: at its end or, for a reload,
// where it is.
func (r *Runtime) reopen(ctx context.Context, old *Session, rep *Change) (*Session, error) {
	if err := old.conductor.quiesce(ctx); err != nil {
		return nil, fmt.Errorf("what the session works on does not end: %w", err)
	}
	if rep.Reason == ReasonReload {
		return r.opts.Open(old.Store())
	}
	leaf, end := old.Store().Leaf(), transcript.EntryID("")
	for e, err := range old.Store().After(leaf) {
		if err != nil {
			return nil, err
		}
		end = e.Base().ID
	}
	if end != "" {
		if err := old.Store().SetLeaf(end); err != nil {
			return nil, err
		}
	}
	next, err := r.opts.Open(old.Store())
	if err != nil {
		return nil, errors.Join(err, old.Store().SetLeaf(leaf))
	}
	return next, nil
}

// exchange closes the old session and makes the next one the session. From here on it
// happens, whatever the old one's end is like.
func (r *Runtime) exchange(ctx context.Context, old, next *Session, rep *Change, why *ending) error {
	err := why.close()
	r.install(next)
	if r.opts.Replaced != nil {
		r.opts.Replaced(old, next, rep)
	}
	if r.isAttached() {
		next.Begin(context.WithoutCancel(ctx), why.reason, old.Store().Path())
	}
	if err != nil {
		return fmt.Errorf("the session was replaced, but the old one did not end well: %w", err)
	}
	return nil
}

// isAttached reports whether a frontend shows the sessions.
func (r *Runtime) isAttached() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.frontend != nil
}

// fill lets somebody add entries to a session that nobody works with yet.
func (s *Session) fill(setup func(transcript.Store) error) error {
	if err := setup(s.Store()); err != nil {
		return err
	}
	past, err := transcript.Project(s.Store(), s.Store().Leaf())
	if err != nil {
		return err
	}
	s.conductor.agent.SetMessages(past.Messages)
	return nil
}

// start is the reason as extensions know it.
func (r Reason) start() extension.StartReason {
	if r == ReasonImport {
		return extension.ReasonResume
	}
	return extension.StartReason(r)
}

// askReplacement asks the extensions of a session that is about to be replaced.
func (s *Session) askReplacement(ctx context.Context, rep *Change) error {
	cancelled := false
	switch rep.Reason {
	case ReasonNew, ReasonSwitch, ReasonImport:
		cancelled = s.Extensions().BeforeSwitch(ctx, &extension.SessionBeforeSwitch{Reason: rep.Reason.start(), TargetSessionFile: rep.Path})
	case ReasonFork:
		cancelled = s.Extensions().BeforeFork(ctx, &extension.SessionBeforeFork{EntryID: string(rep.EntryID), Position: string(rep.Position)}).Cancel
	case ReasonReload:
	}
	if cancelled {
		return ErrCancelled
	}
	return nil
}

// follow returns the header of a session that comes after another one, in its folder.
func follow(h *transcript.Header, parent string) *transcript.Header {
	next := transcript.NewHeader(h.CWD)
	next.ParentSession = parent
	return next
}

func discard(s transcript.Store) error {
	if d, ok := s.(discarder); ok {
		return d.Discard()
	}
	return s.Close()
}

func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}
