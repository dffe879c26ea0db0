package session

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/transcript"
)

// BashCommand is a shell command of the user's own.
type BashCommand struct {
	Text string
	// Hidden keeps the command and its output from the model.
	Hidden bool
	// ID marks the command's events; it is JSON, and nil for none.
	ID jsontext.Value
}

// bashRun is a command under way.
type bashRun struct{ cancel context.CancelFunc }

// RunBash runs a command in the session's folder and records it. Several may run at the
// same time, and beside the agent: then the record follows when the agent is done, since
// nothing may come between a call and its result. A command that fails or is aborted is a
// result; an error means that it could not be run or recorded.
func (s *Session) RunBash(ctx context.Context, cmd BashCommand) (*bash.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	run := &bashRun{cancel}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, transcript.ErrClosed
	}
	s.bashes[run] = struct{}{}
	s.running.Add(1)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.bashes, run)
		s.mu.Unlock()
		s.running.Done()
	}()
	result, err := s.runBash(ctx, cmd)
	if err != nil {
		return nil, err
	}
	return result, s.record(&transcript.BashExecution{
		Command: cmd.Text, Output: result.Output, ExitCode: result.ExitCode, Cancelled: result.Cancelled,
		Truncated: result.Truncated, FullOutputPath: result.FullOutputPath, ExcludeFromContext: cmd.Hidden,
		Timestamp: time.Now().UnixMilli(),
	})
}

// runBash lets the extensions run the command in another way, or say what it comes to.
func (s *Session) runBash(ctx context.Context, cmd BashCommand) (*bash.Result, error) {
	opts := s.opts.Bash
	answer, err := s.ext.UserBash(ctx, &extension.UserBash{Command: cmd.Text, ExcludeFromContext: cmd.Hidden, CWD: s.opts.CWD})
	switch {
	case err != nil:
		return nil, fmt.Errorf("the command was not run, since an extension that watches over commands has failed: %w", err)
	case answer != nil && answer.Result != nil:
		return answer.Result, nil
	case answer != nil:
		other := bash.Options{}
		if opts != nil {
			other = *opts
		}
		other.Exec = answer.Exec
		opts = &other
	}
	return bash.Run(ctx, bash.Command{Text: cmd.Text, Dir: s.opts.CWD}, opts, func(delta string) {
		s.hub.emit(&event.BashExecutionUpdate{ID: cmd.ID, Delta: delta}) // waits, so that a slow subscriber slows the command
	})
}

// AbortBash ends all commands of the user's that run.
func (s *Session) AbortBash() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for run := range s.bashes {
		run.cancel()
	}
}

// record adds a command to the conversation, now or when the agent is done.
func (s *Session) record(r *transcript.BashExecution) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deferred = append(s.deferred, r)
	if s.activity != nil {
		return s.turn.noteCommand(s.store.Path(), r)
	}
	return s.storeDeferred()
}

// storeRecords adds what had to wait for the end of a run. Results that are not stored yet
// stay in the journal.
func (s *Session) storeRecords() error {
	if err := s.ledger.settle(); err != nil {
		return err
	}
	s.turn.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.storeDeferred()
}

// storeDeferred keeps the records that could not be stored; the mutex is held.
func (s *Session) storeDeferred() error {
	for len(s.deferred) > 0 {
		r := s.deferred[0]
		if err := s.ledger.add(&transcript.MessageEntry{Message: r}); err != nil {
			return fmt.Errorf("record the command: %w", err)
		}
		s.turn.keptCommand(r)
		s.agent.Append(r)
		s.deferred = s.deferred[1:]
	}
	return nil
}
