package compaction

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

// maxSummaryBytes bounds the conversation in one request for a summary: a server may refuse a
// body for its size however large the context window is.
const maxSummaryBytes = 768 << 10

// Summarizer makes requests for summaries. They have no tools, no place in the prompt cache
// and a session id of their own, so that nothing of the conversation's is disturbed.
type Summarizer struct {
	// Stream asks the model.
	Stream ai.StreamFunc
	Model  *ai.Model
	// Options are the template of the requests' options.
	Options ai.Options
	// APIKey returns the key for a provider; nil leaves that to the stream.
	APIKey func(ctx context.Context, provider string) (string, error)
	// Grace is how long an abort waits for a stream that ignores it; 0 means
	// [agent.DefaultAbortGrace].
	Grace time.Duration
	// Failures tells a request that was too long from other failures.
	Failures ai.Classifier
	Retries  Retries
	Notify   Notify
	Room     Room
	// Density is how many tokens one of the estimate has turned out to be; 0 means 1.
	Density float64
	// Usage is what all requests took; nil if there were none.
	Usage *ai.Usage

	budget int // tokens of conversation in one request
}

// Retries says how failed requests for summaries are repeated. The zero value repeats none.
type Retries struct {
	// Max is the number of repetitions that are announced.
	Max int
	// Delay says whether, and when, the request of a failed answer is repeated for the
	// attempt-th time.
	Delay func(attempt int, failed *ai.AssistantMessage) (d time.Duration, again bool)
}

// Notify gets what happens to requests for summaries. A nil field is absent.
type Notify struct {
	// Scheduled says that a failed request will be repeated after a delay.
	Scheduled func(attempt, max int, delay time.Duration, errorMessage string)
	// Attempt says that a request is repeated now.
	Attempt func()
	// Finished says that no more repetition follows.
	Finished func()
}

// Sizes in tokens that a request for a summary leaves free.
const (
	// WireReserve is what the wires keep between a request and the window.
	WireReserve = 4096
	askReserve  = 600 // what the instructions take
	// minBudget is of a conversation that every model can take.
	minBudget = 500
	// unknownBudget is for a model whose window is not known.
	unknownBudget = 16_000
)

// begin makes the budget of conversation in one request.
func (z *Summarizer) begin() {
	z.budget = unknownBudget
	if z.Room.Window > 0 {
		free := z.Room.Window - WireReserve - askReserve - 2*z.maxTokens(wholeSummary) // the notes so far and the new ones
		z.budget = max(int(float64(free)/max(z.Density, 1)), minBudget)
	}
}

// The parts of the reserve that a summary may fill (Pi 0.85).
const (
	wholeSummary  = 0.8
	prefixSummary = 0.5
)

// maxTokens is how long a summary may be. In a small window it takes at most a quarter of what
// is there.
func (z *Summarizer) maxTokens(part float64) int {
	n := int(part * float64(z.Room.Reserve))
	if z.Model.MaxTokens > 0 {
		n = min(n, z.Model.MaxTokens)
	}
	if z.Room.Window > 0 {
		n = min(n, (z.Room.Window-WireReserve-askReserve)/4)
	}
	return max(n, 1)
}

// Compact makes the entry of a plan: its summary, and the files that the compacted part has dealt
// with.
func (z *Summarizer) Compact(ctx context.Context, p *Plan, instructions string) (*transcript.CompactionEntry, error) {
	z.begin()
	summary, err := z.whole(ctx, p, instructions)
	if err != nil {
		return nil, err
	}
	summary, details, err := p.Files().appendTo(summary)
	if err != nil {
		return nil, err
	}
	return &transcript.CompactionEntry{
		Summary: summary, FirstKeptEntryID: p.FirstKept, TokensBefore: p.TokensBefore, Details: details, Usage: z.Usage,
	}, nil
}

// whole makes the summary of a plan.
func (z *Summarizer) whole(ctx context.Context, p *Plan, instructions string) (string, error) {
	summary := ""
	if p.Previous != nil {
		summary = withoutFiles(p.Previous.Summary)
	}
	if len(p.History) > 0 {
		var err error
		summary, err = z.condense(ctx, summary, pieces(p.History), phrasing{
			first: summaryAsk + summaryForm, next: summaryUpdate + summaryForm, Instructions: instructions, part: wholeSummary,
		})
		if err != nil {
			return "", err
		}
	}
	switch {
	case len(p.Prefix) > 0:
	case summary == "":
		return "", fmt.Errorf("%w: the older messages have no text", ErrNothingToCompact)
	default:
		return summary, nil
	}
	prefix, err := z.condense(ctx, "", pieces(p.Prefix), phrasing{
		first: prefixAsk, next: prefixUpdate, Instructions: instructions, part: prefixSummary,
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
	first, next, Instructions string
	part                      float64 // of the reserve
}

// condense makes one summary of the pieces of a conversation, going on from previous. What is
// too long for one request is summed up part by part, each with the summary so far; a part
// that is still too long is made smaller. So it always ends (law S4).
func (z *Summarizer) condense(ctx context.Context, previous string, list []string, p phrasing) (string, error) {
	longest := z.maxTokens(p.part)
	for len(list) > 0 {
		ask := p.first
		if previous != "" {
			ask, previous = p.next, shorten(previous, 2*CharsPerToken*longest)
		}
		conversation, rest := take(list, z.budget)
		summary, err := z.ask(ctx, summaryPrompt(ask, previous, conversation, p.Instructions), longest)
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

// CharsPerToken is that of the estimate.
const CharsPerToken = 4

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
		return shorten(list[0], min(CharsPerToken*budget, maxSummaryBytes)), list[1:]
	}
	return strings.Join(list[:n], "\n\n"), list[n:]
}

// summaryTooLongError means that a request for a summary does not fit into the window.
type summaryTooLongError struct{ error }

// Unwrap returns the error.
func (e *summaryTooLongError) Unwrap() error { return e.error }

// ask makes one request, and repeats it as the session repeats its own. The events about that
// end with summarization_retry_finished.
func (z *Summarizer) ask(ctx context.Context, prompt string, maxTokens int) (string, error) {
	for attempt := 1; ; attempt++ {
		m, err := z.complete(ctx, z.request(prompt, maxTokens))
		summary := ""
		if err == nil {
			summary, err = z.Read(m)
		}
		delay, again := z.retryDelay(attempt, m)
		if err == nil || ctx.Err() != nil || !again {
			z.finish(attempt)
			return summary, err
		}
		if z.Notify.Scheduled != nil {
			z.Notify.Scheduled(attempt, z.Retries.Max, delay, m.ErrorMessage)
		}
		if err := wait(ctx, delay); err != nil {
			z.finish(attempt + 1)
			return "", err
		}
		if z.Notify.Attempt != nil {
			z.Notify.Attempt()
		}
	}
}

// wait returns nil after d, or the cause of the end of ctx at once.
func wait(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// finish tells that no further attempt follows, if there was more than one.
func (z *Summarizer) finish(attempts int) {
	if attempts > 1 && z.Notify.Finished != nil {
		z.Notify.Finished()
	}
}

// retryDelay says whether, and when, the request of an answer is repeated. There may be no
// answer.
func (z *Summarizer) retryDelay(attempt int, m *ai.AssistantMessage) (d time.Duration, again bool) {
	if m == nil || z.Retries.Delay == nil {
		return 0, false
	}
	return z.Retries.Delay(attempt, m)
}

func (z *Summarizer) request(prompt string, maxTokens int) *ai.Request {
	o := z.Options
	o.SessionID, o.CacheRetention, o.ToolChoice = transcript.NewID(), "none", ""
	o.MaxTokens, o.Thinking = maxTokens, z.Model.ClampThinking(ai.ThinkingOff)
	return &ai.Request{
		Model: z.Model, Options: o,
		Context: ai.Context{SystemPrompt: summarySystem, Messages: []ai.Message{agent.User(prompt)}},
	}
}

// complete asks the model. One that does not stop after an abort is left behind.
func (z *Summarizer) complete(ctx context.Context, req *ai.Request) (*ai.AssistantMessage, error) {
	if key := z.APIKey; key != nil {
		got, err := key(ctx, z.Model.Provider)
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
		m, err := ai.Complete(ctx, z.Stream, req)
		done <- outcome{m, err}
	}()
	select {
	case o := <-done:
		return judged(o.m), o.err
	case <-ctx.Done():
	}
	grace := z.Grace
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

// judged returns the answer as it counts: one without text is a failure, whatever it has thought.
func judged(m *ai.AssistantMessage) *ai.AssistantMessage {
	if m == nil || m.Failed() || m.StopReason == ai.StopLength || len(m.Content.ToolCalls()) > 0 || strings.TrimSpace(m.Content.Text()) != "" {
		return m
	}
	return ai.FailedEmpty(m)
}

// Read returns the summary that an answer is. One that was cut or calls a tool is none.
func (z *Summarizer) Read(m *ai.AssistantMessage) (string, error) {
	switch {
	case m.Failed():
		err := fmt.Errorf("the summary could not be made: %s", m.ErrorMessage)
		if z.Failures.IsOverflow(m, z.Model.ContextWindow) {
			err = &summaryTooLongError{err}
		}
		return "", err
	case m.StopReason == ai.StopLength:
		return "", fmt.Errorf("the summary was cut at the output limit of %s; raise reserveTokens, or maxTokens in models.json", m.Model)
	case len(m.Content.ToolCalls()) > 0:
		return "", fmt.Errorf("%s called a tool instead of writing a summary; try again, or with another model", m.Model)
	}
	z.Usage = AddUsage(z.Usage, m.Usage)
	return strings.TrimSpace(m.Content.Text()), nil
}
