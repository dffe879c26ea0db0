package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/compaction"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

// maxSummaryBytes bounds the conversation in one request for a summary: a server may refuse a
// body for its size however large the context window is.
const maxSummaryBytes = 768 << 10

// summarizer makes requests for summaries. They have no tools, no place in the prompt cache
// and a session id of their own, so that nothing of the conversation's is disturbed.
type summarizer struct {
	c       *compactor
	model   *ai.Model
	room    room
	attempt event.SummarizationRetryAttemptStart // what it says about itself
	budget  int                                  // tokens of conversation in one request
	usage   *ai.Usage                            // of all requests; nil if there were none
}

// Sizes in tokens that a request for a summary leaves free: what the wires keep between a
// request and the window, and what the instructions take.
const (
	wireReserve = 4096
	askReserve  = 600
	// minBudget is of a conversation that every model can take.
	minBudget = 500
	// unknownBudget is for a model whose window is not known.
	unknownBudget = 16_000
)

// summarizer returns one for a model.
func (c *compactor) summarizer(m *ai.Model, r room, attempt event.SummarizationRetryAttemptStart) *summarizer {
	z := &summarizer{c: c, model: m, room: r, attempt: attempt, budget: unknownBudget}
	if r.window > 0 {
		free := r.window - wireReserve - askReserve - 2*z.maxTokens(wholeSummary) // the notes so far and the new ones
		z.budget = max(int(float64(free)/max(c.meter.densityOf(m), 1)), minBudget)
	}
	return z
}

// The parts of the reserve that a summary may fill (Pi 0.85).
const (
	wholeSummary  = 0.8
	prefixSummary = 0.5
)

// maxTokens is how long a summary may be. In a small window it takes at most a quarter of what
// is there.
func (z *summarizer) maxTokens(part float64) int {
	n := int(part * float64(z.room.reserve))
	if z.model.MaxTokens > 0 {
		n = min(n, z.model.MaxTokens)
	}
	if z.room.window > 0 {
		n = min(n, (z.room.window-wireReserve-askReserve)/4)
	}
	return max(n, 1)
}

// compaction makes the summary of a plan.
func (z *summarizer) compaction(ctx context.Context, p *plan, instructions string) (string, error) {
	summary := ""
	if p.previous != nil {
		summary = withoutFiles(p.previous.Summary)
	}
	if len(p.history) > 0 {
		var err error
		summary, err = z.condense(ctx, summary, pieces(p.history), phrasing{
			first: summaryAsk + summaryForm, next: summaryUpdate + summaryForm, instructions: instructions, part: wholeSummary,
		})
		if err != nil {
			return "", err
		}
	}
	switch {
	case len(p.prefix) > 0:
	case summary == "":
		return "", fmt.Errorf("%w: the older messages have no text", ErrNothingToCompact)
	default:
		return summary, nil
	}
	prefix, err := z.condense(ctx, "", pieces(p.prefix), phrasing{
		first: prefixAsk, next: prefixUpdate, instructions: instructions, part: prefixSummary,
	})
	if err != nil {
		return "", err
	}
	if summary == "" {
		summary = noHistory
	}
	return summary + prefixHeading + prefix, nil
}

// phrasing is how a summary is asked for: for the first part of a conversation, and for more
// of it.
type phrasing struct {
	first, next, instructions string
	part                      float64 // of the reserve
}

// condense makes one summary of the pieces of a conversation, going on from previous. What is
// too long for one request is summed up part by part, each with the summary so far; a part
// that is still too long is made smaller. So it always ends (law S4).
func (z *summarizer) condense(ctx context.Context, previous string, list []string, p phrasing) (string, error) {
	longest := z.maxTokens(p.part)
	for len(list) > 0 {
		ask := p.first
		if previous != "" {
			ask, previous = p.next, shorten(previous, 2*charsPerToken*longest)
		}
		conversation, rest := take(list, z.budget)
		summary, err := z.ask(ctx, summaryPrompt(ask, previous, conversation, p.instructions), longest)
		if _, tooLong := errors.AsType[*summaryTooLongError](err); tooLong && z.budget > minBudget {
			z.budget = max(min(z.budget, ai.EstimateMessage(agent.User(conversation)))/2, minBudget)
			longest = max(longest/2, minBudget)
			continue
		}
		if err != nil {
			return "", err
		}
		previous, list = summary, rest
	}
	return previous, nil
}

// charsPerToken is that of the estimate.
const charsPerToken = 4

// take joins as many pieces as fit into a budget of tokens, at least one, and returns the
// others.
func take(list []string, budget int) (text string, rest []string) {
	n, size, tokens := 0, 0, 0
	for n < len(list) {
		size += len(list[n]) + 2
		tokens += ai.EstimateMessage(agent.User(list[n])) + 1
		if n > 0 && (tokens > budget || size > maxSummaryBytes) {
			break
		}
		n++
	}
	if n == 1 {
		return shorten(list[0], min(charsPerToken*budget, maxSummaryBytes)), list[1:]
	}
	return strings.Join(list[:n], "\n\n"), list[n:]
}

// summaryTooLongError means that a request for a summary does not fit into the window.
type summaryTooLongError struct{ error }

// Unwrap returns the error.
func (e *summaryTooLongError) Unwrap() error { return e.error }

// ask makes one request, and repeats it as the session repeats its own. The events about that
// end with summarization_retry_finished.
func (z *summarizer) ask(ctx context.Context, prompt string, maxTokens int) (string, error) {
	for attempt := 1; ; attempt++ {
		m, err := z.complete(ctx, z.request(prompt, maxTokens))
		summary := ""
		if err == nil {
			summary, err = z.read(m)
		}
		delay, again := z.retryDelay(attempt, m)
		if err == nil || ctx.Err() != nil || !again {
			z.finish(attempt)
			return summary, err
		}
		z.c.events.emit(&event.SummarizationRetryScheduled{
			Attempt: attempt, MaxAttempts: z.c.retry.policy.max(), DelayMs: milliseconds(delay), ErrorMessage: m.ErrorMessage,
		})
		if err := sleep(ctx, delay); err != nil {
			z.finish(attempt + 1)
			return "", err
		}
		start := z.attempt
		z.c.events.emit(&start)
	}
}

// finish tells that no further attempt follows, if there was more than one.
func (z *summarizer) finish(attempts int) {
	if attempts > 1 {
		z.c.events.emit(&event.SummarizationRetryFinished{})
	}
}

// retryDelay says whether, and when, the request of an answer is repeated. There may be no
// answer.
func (z *summarizer) retryDelay(attempt int, m *ai.AssistantMessage) (d time.Duration, again bool) {
	if m == nil {
		return 0, false
	}
	return z.c.retry.delay(attempt, m)
}

func (z *summarizer) request(prompt string, maxTokens int) *ai.Request {
	o := z.c.opts.Request
	o.SessionID, o.CacheRetention, o.ToolChoice = transcript.NewID(), "none", ""
	o.MaxTokens, o.Thinking = maxTokens, z.model.ClampThinking(ai.ThinkingOff)
	return &ai.Request{
		Model: z.model, Options: o,
		Context: ai.Context{SystemPrompt: summarySystem, Messages: []ai.Message{agent.User(prompt)}},
	}
}

// complete asks the model. One that does not stop after an abort is left behind.
func (z *summarizer) complete(ctx context.Context, req *ai.Request) (*ai.AssistantMessage, error) {
	if key := z.c.opts.Hooks.APIKey; key != nil {
		got, err := key(ctx, z.model.Provider)
		if err != nil {
			return nil, err
		}
		if got != "" {
			req.Options.APIKey = got
		}
	}
	type outcome struct {
		m   *ai.AssistantMessage
		err error
	}
	done := make(chan outcome, 1)
	go func() { // waited for below, unless the provider breaks its contract
		m, err := ai.Complete(ctx, z.c.opts.Stream, req)
		done <- outcome{m, err}
	}()
	select {
	case o := <-done:
		return judged(o.m), o.err
	case <-ctx.Done():
	}
	grace := z.c.opts.AbortGrace
	if grace <= 0 {
		grace = agent.DefaultAbortGrace
	}
	select {
	case o := <-done:
		return judged(o.m), o.err
	case <-time.After(grace):
		return nil, agent.ErrUnresponsive
	}
}

// judged is judge for an answer that may be nil.
func judged(m *ai.AssistantMessage) *ai.AssistantMessage {
	if m == nil {
		return nil
	}
	return judge(m)
}

// read returns the summary that an answer is. One that was cut or calls a tool is none.
func (z *summarizer) read(m *ai.AssistantMessage) (string, error) {
	switch {
	case m.Failed():
		err := fmt.Errorf("the summary could not be made: %s", m.ErrorMessage)
		if z.c.opts.Failures.IsOverflow(m, z.model.ContextWindow) {
			err = &summaryTooLongError{err}
		}
		return "", err
	case m.StopReason == ai.StopLength:
		return "", fmt.Errorf("the summary was cut at the output limit of %s; raise compaction.reserveTokens, or maxTokens in models.json", m.Model)
	case len(m.Content.ToolCalls()) > 0:
		return "", fmt.Errorf("%s called a tool instead of writing a summary; try again, or with another model", m.Model)
	}
	z.usage = compaction.AddUsage(z.usage, m.Usage)
	return strings.TrimSpace(m.Content.Text()), nil
}
