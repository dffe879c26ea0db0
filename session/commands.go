package session

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/tools/host"
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

// commands are the user's own shell commands: those that run, and the records of those that
// have ended and wait for the end of a run.
type commands struct {
	options   *bash.Options // nil means the local shell
	cwd       string
	scheduler *scheduler
	agent     *agent.Agent
	events    *dispatcher
	writer    *writer
	log       *recoveryLog
	ext       *extension.Runner

	mu       sync.Mutex
	running  map[*commandRun]struct{}
	deferred []*transcript.BashExecution
}

// commandRun is a command under way.
type commandRun struct{ cancel context.CancelFunc }

// run runs a command and records it.
func (c *commands) run(ctx context.Context, cmd BashCommand) (*bash.Result, error) {
	leave, err := c.scheduler.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	run := &commandRun{cancel}
	c.mu.Lock()
	c.running[run] = struct{}{}
	c.mu.Unlock()
	if c.scheduler.isClosed() { // abort may have come before this command was in its list
		cancel()
	}
	defer func() {
		c.mu.Lock()
		delete(c.running, run)
		c.mu.Unlock()
	}()
	result, err := c.execute(ctx, cmd)
	if err != nil {
		return nil, err
	}
	return result, c.record(&transcript.BashExecution{
		Command: cmd.Text, Output: result.Output, ExitCode: result.ExitCode, Cancelled: result.Cancelled,
		Truncated: result.Truncated, FullOutputPath: result.FullOutputPath, ExcludeFromContext: cmd.Hidden,
		Timestamp: time.Now().UnixMilli(),
	})
}

// execute lets the extensions run the command in another way, or say what it comes to.
func (c *commands) execute(ctx context.Context, cmd BashCommand) (*bash.Result, error) {
	opts := c.options
	answer, err := c.ext.UserBash(ctx, &extension.UserBash{Command: cmd.Text, ExcludeFromContext: cmd.Hidden, CWD: c.cwd})
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
		other.Host = host.WithCommands(other.Host, answer.Exec)
		opts = &other
	}
	return bash.Run(ctx, host.Command{Text: cmd.Text, Dir: c.cwd}, opts, func(delta string) {
		c.events.emit(&event.BashExecutionUpdate{ID: cmd.ID, Delta: delta}) // waits, so that a slow subscriber slows the command
	})
}

// abort ends all commands that run.
func (c *commands) abort() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for run := range c.running {
		run.cancel()
	}
}

// record adds a command to the conversation, now or when the agent is done.
func (c *commands) record(r *transcript.BashExecution) error {
	return c.scheduler.decide(func() error {
		c.mu.Lock()
		c.deferred = append(c.deferred, r)
		c.mu.Unlock()
		return c.storeDeferred()
	}, func(*series) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.deferred = append(c.deferred, r)
		return c.log.addCommand(r)
	})
}

// endRun adds what had to wait for the end of a run. Results that are not stored yet stay in
// the recovery log.
func (c *commands) endRun() error {
	if err := c.writer.flush(); err != nil {
		return err
	}
	c.log.endRun()
	return c.storeDeferred()
}

// storeDeferred keeps the records that could not be stored.
func (c *commands) storeDeferred() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.deferred) > 0 {
		r := c.deferred[0]
		if err := c.writer.add(&transcript.MessageEntry{Message: r}); err != nil {
			return fmt.Errorf("record the command: %w", err)
		}
		c.log.removeCommand(r)
		c.agent.Append(r)
		c.deferred = c.deferred[1:]
	}
	return nil
}
