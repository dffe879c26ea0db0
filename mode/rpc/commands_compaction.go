package rpc

import (
	"context"
	"fmt"
)

// compactCall is a compact that has not been answered yet.
type compactCall struct{ answered chan struct{} }

// compact is accepted or refused in its turn, so that an abort that comes after it finds it;
// the answer comes when the compaction has ended.
func compact(ctx context.Context, s *server, req *request) (any, error) {
	fields, err := read[struct {
		CustomInstructions string `json:"customInstructions"`
	}](req)
	if err != nil {
		return nil, err
	}
	run, err := s.session.StartCompaction(fields.CustomInstructions)
	if err != nil {
		return nil, err
	}
	call := &compactCall{make(chan struct{})}
	s.compact.Store(call)
	s.waiting.Go(func() {
		defer close(call.answered)
		r := &response{ID: req.ID, Command: req.Type}
		if result, err := run.Wait(context.WithoutCancel(ctx)); err != nil {
			r.Error = err.Error()
		} else {
			r.Success, r.Data = true, result
		}
		s.out.response(r)
	})
	return answered, nil
}

func abort(ctx context.Context, s *server, _ *request) (any, error) {
	call := s.compact.Load()
	if err := s.session.Abort(ctx); err != nil || call == nil {
		return nil, err
	}
	select { // what was aborted is answered before the abort
	case <-call.answered:
	case <-ctx.Done():
	}
	return nil, ctx.Err()
}

// readSwitch reads whether something is to be on.
func readSwitch(req *request) (bool, error) {
	fields, err := read[struct {
		Enabled *bool `json:"enabled"`
	}](req)
	if err == nil && fields.Enabled == nil {
		return false, fmt.Errorf("%s: enabled is missing: use true or false", req.Type)
	}
	if err != nil {
		return false, err
	}
	return *fields.Enabled, nil
}

func setAutoCompaction(_ context.Context, s *server, req *request) (any, error) {
	on, err := readSwitch(req)
	if err != nil {
		return nil, err
	}
	s.session.SetAutoCompaction(on)
	s.autoCompaction.Store(&on)
	return nil, s.opts.Settings.Save("compaction.enabled", on)
}

func setAutoRetry(_ context.Context, s *server, req *request) (any, error) {
	on, err := readSwitch(req)
	if err != nil {
		return nil, err
	}
	s.session.SetAutoRetry(on)
	s.autoRetry.Store(&on)
	return nil, s.opts.Settings.Save("retry.enabled", on)
}

// carryOver switches a session that has taken another's place as the client wants it.
func (c *connection) carryOver() {
	now := c.runtime.Session()
	if on := c.autoCompaction.Load(); on != nil {
		now.SetAutoCompaction(*on)
	}
	if on := c.autoRetry.Load(); on != nil {
		now.SetAutoRetry(*on)
	}
}

func abortRetry(_ context.Context, s *server, _ *request) (any, error) {
	s.session.AbortRetry()
	return nil, nil
}
