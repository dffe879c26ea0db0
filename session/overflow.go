package session

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/compaction"
	"github.com/rondo-agent/rondo/session/event"
)

// makeRoom compacts the conversation before a prompt that would leave too little of the
// context window, or after a request that was too long and could not be helped then.
func (s *Session) makeRoom(a *Activity, prompt agent.Message) {
	m, on := s.autoCompaction()
	if !on {
		return
	}
	messages := s.agent.State().Messages
	if last := newestAnswer(messages); last != nil && last.StopReason == ai.StopError && s.tooLong(m, last) {
		if _, err := s.compactNow(a.ctx, job{reason: compaction.Overflow, bytes: bodyTooLarge(last)}); err == nil {
			s.rescued(a)
		}
		return
	}
	if size, err := s.contextSize(messages); err == nil {
		s.keepBelow(a.ctx, a, m, size+sizeOf(prompt))
	}
}

// autoCompaction returns the model, and whether compaction is automatic.
func (s *Session) autoCompaction() (*ai.Model, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.model, s.model != nil && !s.compactionOff
}

// keepBelow compacts a conversation whose size leaves too little of the context window. It
// returns the new transcript, or nil.
func (s *Session) keepBelow(ctx context.Context, a *Activity, m *ai.Model, size int) []agent.Message {
	r := s.room(m)
	if r.limit == 0 || size <= r.limit || !s.worthwhile(a, size, r) {
		return nil
	}
	return s.compactInto(ctx, a, job{reason: compaction.Threshold}, size)
}

// compactInto makes an automatic compaction and takes note of it.
func (s *Session) compactInto(ctx context.Context, a *Activity, j job, size int) []agent.Message {
	after, err := s.compactNow(ctx, j)
	if errors.Is(err, errNotNow) || errors.Is(err, ErrNothingToCompact) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a.compacted, a.failedAt = true, 0
	if err != nil {
		a.failedAt = size
		return nil
	}
	return after
}

// worthwhile reports whether compacting may help. Within an activity, what was compacted once
// must have grown by a tenth of the limit: a fixed part of the requests that is too large by
// itself, or a summary that cannot be had, is not tried over and over.
func (s *Session) worthwhile(a *Activity, size int, r room) bool {
	s.mu.Lock()
	compacted, failedAt := a.compacted, a.failedAt
	s.mu.Unlock()
	switch {
	case !compacted:
		return true
	case failedAt > 0:
		return size-failedAt >= r.limit/10
	}
	grown, err := s.growth(size)
	return err == nil && grown >= r.limit/10
}

// review looks at the last answer of a run: was the context window too small for it, or is
// little of it left?
func (s *Session) review(a *Activity, last *ai.AssistantMessage) error {
	m, on := s.autoCompaction()
	if !on {
		return nil
	}
	maxTokens := m.MaxTokens
	if asked := s.opts.Request.MaxTokens; asked > 0 {
		maxTokens = min(maxTokens, asked)
	}
	tooLong := s.tooLong(m, last)
	switch {
	case last.StopReason == ai.StopEnd:
		if size := s.counted(last, m); tooLong && size > 0 && s.worthwhile(a, size, s.room(m)) {
			s.compactInto(a.ctx, a, job{reason: compaction.Overflow}, size)
			return nil
		}
	case tooLong, s.answers(m, last) && ai.IsRecoverableLength(last, maxTokens) && len(last.Content.ToolCalls()) == 0:
		return s.rescue(a, m, last)
	case last.Failed():
		return nil
	}
	if size, err := s.contextSize(s.agent.State().Messages); err == nil {
		s.keepBelow(a.ctx, a, m, size)
	}
	return nil
}

// tooLong reports whether an answer shows that the request was too long for the model. What
// another model has answered says nothing.
func (s *Session) tooLong(m *ai.Model, answer *ai.AssistantMessage) bool {
	return s.answers(m, answer) && s.opts.Failures.IsOverflow(answer, m.ContextWindow)
}

func (s *Session) answers(m *ai.Model, answer *ai.AssistantMessage) bool {
	return answer.Model == m.ID && answer.Provider == m.Provider
}

// rescue compacts the conversation for a request that was too long, and repeats it: once,
// until there has been a good answer and the conversation has grown again.
func (s *Session) rescue(a *Activity, m *ai.Model, last *ai.AssistantMessage) error {
	s.learn(m, last)
	s.mu.Lock()
	size := s.liveSize()
	spent := a.recovering || a.recovered > 0 && size < a.recovered*3/2+1000
	s.mu.Unlock()
	if spent {
		end := &event.CompactionEnd{Reason: compaction.Overflow, ErrorMessage: s.beyondHelp(m, last)}
		s.hub.emit(end)
		s.tellNotCompacted(end, false)
		return nil
	}
	_, err := s.compactNow(a.ctx, job{reason: compaction.Overflow, repeat: last, bytes: bodyTooLarge(last)})
	if err != nil {
		return nil // the events have told
	}
	s.rescued(a)
	return s.again(a)
}

// rescued takes note of a compaction for a request that was too long.
func (s *Session) rescued(a *Activity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a.recovering, a.recovered = true, s.liveSize()
}

// liveSize estimates the transcript.
func (s *Session) liveSize() int { return sizeOfAll(s.agent.State().Messages) }

// beyondHelp says why a request cannot be made short enough, and what can be done.
func (s *Session) beyondHelp(m *ai.Model, last *ai.AssistantMessage) string {
	switch {
	case !last.Failed():
		return fmt.Sprintf("the answer was cut again after the conversation had been compacted; use a model with a larger context window than %s has", m.ID)
	case bodyTooLarge(last):
		return "the request is too large for the server, also after the conversation was compacted: leave out images or attachments"
	}
	return fmt.Sprintf("the request is too long for %s (%d tokens), also after the conversation was compacted: about %d tokens are messages, %d the system prompt and the tools; shorten the last message, offer fewer tools, or use a model with a larger context window",
		m.ID, m.ContextWindow, s.liveSize(), s.overhead())
}

// bodyTooLarge reports whether a server has refused a request for its size in bytes.
func bodyTooLarge(m *ai.AssistantMessage) bool {
	if status, ok := errors.AsType[*ai.StatusError](m.Err); ok {
		return status.Status == http.StatusRequestEntityTooLarge
	}
	return strings.HasPrefix(m.ErrorMessage, "413 ") // read from the store
}
