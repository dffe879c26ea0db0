package session

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/compaction"
	"github.com/rondo-agent/rondo/session/event"
)

// compactionState is what a series has compacted.
type compactionState struct {
	mu sync.Mutex
	// asked is a compaction that was asked for during the run; nil if none was.
	asked *CompactionRun
	// tried says that a compaction for the threshold was made or tried: another is made only for
	// a conversation that has grown.
	tried bool
	// failedAt is the size of the conversation whose compaction has failed.
	failedAt int
	// recovering says that a compaction for an overflow was made and no good answer has
	// come since; recovered is the estimated size of the conversation after it.
	recovering bool
	recovered  int
}

// ask takes note of a compaction that is to be made.
func (t *compactionState) ask(run *CompactionRun) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked = run
}

// requested returns the compaction that is to be made; nil if there is none.
func (t *compactionState) requested() *CompactionRun {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.asked
}

// take is requested for the goroutine that makes the compaction or gives it up.
func (t *compactionState) take() *CompactionRun {
	t.mu.Lock()
	defer t.mu.Unlock()
	run := t.asked
	t.asked = nil
	return run
}

// answered takes note of a good answer.
func (t *compactionState) answered() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.recovering = false
}

// attempted takes note of an automatic compaction, which failed if size is not 0.
func (t *compactionState) attempted(failedAt int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tried, t.failedAt = true, failedAt
}

// attempt returns whether a compaction was tried, and the size at which it failed.
func (t *compactionState) attempt() (tried bool, failedAt int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tried, t.failedAt
}

// rescued takes note of a compaction for a request that was too long.
func (t *compactionState) rescued(size int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.recovering, t.recovered = true, size
}

// isSpent reports whether another rescue of a conversation of this size would not help.
func (t *compactionState) isSpent(size int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.recovering || t.recovered > 0 && size < t.recovered*3/2+1000
}

// makeRoom compacts the conversation before a prompt that would leave too little of the
// context window, or after a request that was too long and could not be helped then.
func (c *compactor) makeRoom(a *series, prompt agent.Message) {
	m, on := c.automatic()
	if !on {
		return
	}
	messages := c.agent.State().Messages
	if last := newestAnswer(messages); last != nil && last.StopReason == ai.StopError && c.tooLong(m, last) {
		if _, err := c.compactNow(a.ctx, compaction.Job{Reason: compaction.Overflow, Bytes: bodyTooLarge(last)}); err == nil {
			a.compaction.rescued(c.meter.liveSize())
		}
		return
	}
	if size, err := c.meter.contextSize(messages); err == nil {
		c.keepBelow(a.ctx, a, m, size+compaction.Size(prompt))
	}
}

// automatic returns the model, and whether compaction is automatic.
func (c *compactor) automatic() (*ai.Model, bool) {
	m := c.choice.current().model
	return m, m != nil && c.enabled()
}

// keepBelow compacts a conversation whose size leaves too little of the context window. It
// returns the new transcript, or nil.
func (c *compactor) keepBelow(ctx context.Context, a *series, m *ai.Model, size int) []agent.Message {
	r := c.opts.Compaction.Room(m)
	if r.Limit == 0 || size <= r.Limit || !c.worthwhile(a, size, r) {
		return nil
	}
	return c.compactInto(ctx, a, compaction.Job{Reason: compaction.Threshold}, size)
}

// makeFit compacts the conversation if the window of the model that takes over is too small
// for it.
func (c *compactor) makeFit(a *series, failed *ai.AssistantMessage) {
	m, on := c.automatic()
	if !on {
		return
	}
	r := c.opts.Compaction.Room(m)
	size, err := c.meter.contextSize(c.agent.State().Messages)
	if err == nil && r.Limit > 0 && size > r.Limit && c.worthwhile(a, size, r) {
		c.compactInto(a.ctx, a, compaction.Job{Reason: compaction.Threshold, Repeat: failed}, size)
	}
}

// compactInto makes an automatic compaction and takes note of it.
func (c *compactor) compactInto(ctx context.Context, a *series, j compaction.Job, size int) []agent.Message {
	after, err := c.compactNow(ctx, j)
	switch {
	case errors.Is(err, errNotNow), errors.Is(err, compaction.ErrNothingToCompact):
		return nil
	case err != nil:
		a.compaction.attempted(size)
		return nil
	}
	a.compaction.attempted(0)
	return after
}

// worthwhile reports whether compacting may help. Within a series, what was compacted once
// must have grown by a tenth of the limit: a fixed part of the requests that is too large by
// itself, or a summary that cannot be had, is not tried over and over.
func (c *compactor) worthwhile(a *series, size int, r compaction.Room) bool {
	tried, failedAt := a.compaction.attempt()
	switch {
	case !tried:
		return true
	case failedAt > 0:
		return size-failedAt >= r.Limit/10
	}
	grown, err := c.meter.growth(size)
	return err == nil && grown >= r.Limit/10
}

// review looks at the last answer of a run: was the context window too small for it, or is
// little of it left? It reports whether the request of the answer is made again.
func (c *compactor) review(a *series, last *ai.AssistantMessage) (again bool) {
	m, on := c.automatic()
	if !on {
		return false
	}
	maxTokens := m.MaxTokens
	if asked := c.opts.Request.MaxTokens; asked > 0 {
		maxTokens = min(maxTokens, asked)
	}
	tooLong := c.tooLong(m, last)
	switch {
	case last.StopReason == ai.StopEnd:
		if size := c.meter.counted(last, m); tooLong && size > 0 && c.worthwhile(a, size, c.opts.Compaction.Room(m)) {
			c.compactInto(a.ctx, a, compaction.Job{Reason: compaction.Overflow}, size)
			return false
		}
	case tooLong, isFrom(last, m) && ai.IsRecoverableLength(last, maxTokens) && ai.FillsWindow(last, m.ContextWindow) && len(last.Content.ToolCalls()) == 0:
		return c.rescue(a, m, last)
	case last.Failed():
		return false
	}
	if size, err := c.meter.contextSize(c.agent.State().Messages); err == nil {
		c.keepBelow(a.ctx, a, m, size)
	}
	return false
}

// tooLong reports whether an answer shows that the request was too long for the model. What
// another model has answered says nothing.
func (c *compactor) tooLong(m *ai.Model, answer *ai.AssistantMessage) bool {
	if !isFrom(answer, m) {
		return false
	}
	return c.opts.Failures.IsOverflow(answer, m.ContextWindow) ||
		answer.Failed() && c.opts.Failures.MayBeOverflow(answer, m.ContextWindow, c.meter.liveSize()+c.meter.overhead())
}

// isFrom reports whether an answer is from a model.
func isFrom(answer *ai.AssistantMessage, m *ai.Model) bool {
	return m != nil && answer.Model == m.ID && answer.Provider == m.Provider
}

// rescue compacts the conversation for a request that was too long, so that it can be made
// again: once, until there has been a good answer and the conversation has grown again.
func (c *compactor) rescue(a *series, m *ai.Model, last *ai.AssistantMessage) (again bool) {
	c.meter.learn(m, last)
	if a.compaction.isSpent(c.meter.liveSize()) {
		end := &event.CompactionEnd{Reason: compaction.Overflow, ErrorMessage: c.beyondHelp(m, last)}
		c.events.emit(end)
		c.notifyFailed(end, false)
		return false
	}
	_, err := c.compactNow(a.ctx, compaction.Job{Reason: compaction.Overflow, Repeat: last, Bytes: bodyTooLarge(last)})
	if err != nil {
		return false // the events have told
	}
	a.compaction.rescued(c.meter.liveSize())
	return true
}

// beyondHelp says why a request cannot be made short enough, and what can be done.
func (c *compactor) beyondHelp(m *ai.Model, last *ai.AssistantMessage) string {
	switch {
	case !last.Failed():
		return fmt.Sprintf("the answer was cut again after the conversation had been compacted; use a model with a larger context window than %s has", m.ID)
	case bodyTooLarge(last):
		return "the request is too large for the server, also after the conversation was compacted: leave out images or attachments"
	}
	return fmt.Sprintf("the request is too long for %s (%d tokens), also after the conversation was compacted: about %d tokens are messages, %d the system prompt and the tools; shorten the last message, offer fewer tools, or use a model with a larger context window",
		m.ID, m.ContextWindow, c.meter.liveSize(), c.meter.overhead())
}

// bodyTooLarge reports whether a server has refused a request for its size in bytes.
func bodyTooLarge(m *ai.AssistantMessage) bool {
	if status, ok := errors.AsType[*ai.StatusError](m.Err); ok {
		return status.Status == http.StatusRequestEntityTooLarge
	}
	return strings.HasPrefix(m.ErrorMessage, "413 ") // read from the store
}
