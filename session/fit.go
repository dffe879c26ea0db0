package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

// ask is the way of the agent's requests to the model. What cannot be compacted, since the
// model has not seen it yet, is made to fit here, for the request alone; and no more is asked
// for than the window has room for.
func (s *Session) ask(ctx context.Context, req *ai.Request) *ai.Stream {
	m := req.Model
	if ctx.Err() != nil { // nobody wants the answer any more
		return ai.NewStream(ctx, m, func(ctx context.Context, _ *ai.Writer) error { return context.Cause(ctx) })
	}
	size := int(s.requestSize.Load())
	if _, on := s.autoCompaction(); on && m.ContextWindow > 0 && s.shrink(req) {
		size = int(float64(ai.EstimateTokens(req.Context)) * s.densityOf(m))
	}
	most := req.Options.MaxTokens
	if most <= 0 {
		most = m.MaxTokens
	}
	if n := ai.ClampMaxTokens(m, most, size); n < most {
		req.Options.MaxTokens = n
	}
	s.sent.Store(req)
	return s.observed(ctx, s.opts.Stream(ctx, req))
}

// shrink shortens the largest results of tools if the request would not fit into the window,
// and reports whether it has. The transcript and the store keep all of them.
func (s *Session) shrink(req *ai.Request) (shrunk bool) {
	r, density := s.room(req.Model), s.densityOf(req.Model)
	most := int(float64(r.window-min(wireReserve, r.window/8)) / density)
	for range 3 {
		size := ai.EstimateTokens(req.Context)
		if size <= most {
			return shrunk
		}
		shorter := shortenResults(req.Context.Messages, charsPerToken*(size-int(float64(r.limit)/density)))
		if shorter == nil {
			return shrunk
		}
		req.Context.Messages, shrunk = shorter, true
	}
	return shrunk
}

// minResult is how much of a result is left at least, in bytes.
const minResult = 1000

// shortenResults takes about excess bytes out of the largest results; nil if they are small.
func shortenResults(messages []ai.Message, excess int) []ai.Message {
	var sizes []int
	for _, m := range messages {
		if r, ok := m.(*ai.ToolResultMessage); ok && textBytes(r.Content) > minResult {
			sizes = append(sizes, textBytes(r.Content))
		}
	}
	if len(sizes) == 0 {
		return nil
	}
	most := level(sizes, excess)
	out := slices.Clone(messages)
	for i, m := range out {
		if r, ok := m.(*ai.ToolResultMessage); ok && textBytes(r.Content) > most {
			short := *r
			short.Content = shortenTexts(r.Content, most)
			out[i] = &short
		}
	}
	return out
}

// level returns the size that nothing may exceed so that excess is saved.
func level(sizes []int, excess int) int {
	low, high := minResult, slices.Max(sizes)
	for low < high {
		middle, saved := (low+high+1)/2, 0
		for _, n := range sizes {
			saved += max(n-middle, 0)
		}
		if saved >= excess {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

func textBytes(c ai.Content) int {
	n := 0
	for _, block := range c {
		if t, ok := block.(*ai.Text); ok {
			n += len(t.Text)
		}
	}
	return n
}

// shortenTexts gives each text of a result its share of most bytes.
func shortenTexts(c ai.Content, most int) ai.Content {
	all := textBytes(c)
	out := slices.Clone(c)
	for i, block := range out {
		if t, ok := block.(*ai.Text); ok {
			share := max(len(t.Text)*most/all, 4)
			out[i] = &ai.Text{Text: shortenWith(t.Text, share, func(missing int) string {
				return fmt.Sprintf("[… %d bytes of this result are left out here, since it does not fit into the context window; read it in smaller parts …]", missing)
			})}
		}
	}
	return out
}

// density says how many tokens of a model are one of the estimate, as far as its failures have
// shown.
type density struct {
	model *ai.Model
	value float64
}

// maxDensity is that of dense text: a token a character.
const maxDensity = 4

// learn takes note of a request that did not fit although the estimate says that it does.
func (s *Session) learn(m *ai.Model, answer *ai.AssistantMessage) {
	if bodyTooLarge(answer) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.measure(m, max(inputOf(answer), m.ContextWindow))
}

// relearn corrects what was learnt, once there is an answer that counts its request; the mutex
// is held.
func (s *Session) relearn(answer *ai.AssistantMessage) {
	if n := inputOf(answer); n > 0 && s.density.model != nil {
		s.measure(s.density.model, n)
	}
}

func inputOf(m *ai.AssistantMessage) int {
	return m.Usage.Input + m.Usage.CacheRead + m.Usage.CacheWrite
}

// measure compares the newest request with what it has really taken; the mutex is held.
func (s *Session) measure(m *ai.Model, tokens int) {
	req := s.sent.Load()
	if req == nil || req.Model != m {
		return
	}
	if estimated := ai.EstimateTokens(req.Context); estimated > 0 {
		s.density = density{m, min(max(float64(tokens)/float64(estimated), 1), maxDensity)}
	}
}

func (s *Session) densityOf(m *ai.Model) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.density.model == m {
		return s.density.value
	}
	return 1
}

// policyHooks put compaction between the requests of a run, before the hooks of the options.
func (s *Session) policyHooks(h agent.Hooks) agent.Hooks {
	nextTurn, request := h.PrepareNextTurn, h.PrepareRequest
	h.PrepareNextTurn = func(ctx context.Context, t *agent.Turn) (*agent.NextTurn, error) {
		compacted := s.compactRequested(t.Context)
		if compacted == nil {
			compacted = s.compactRun(ctx, t.Context, nil)
		}
		if compacted != nil {
			turn := *t
			turn.Context, t = compacted, &turn
		}
		if fresh := s.newTools(t.Context); fresh != nil {
			turn := *t
			turn.Context, t, compacted = fresh, &turn, fresh
		}
		change := new(agent.NextTurn)
		if nextTurn != nil {
			theirs, err := nextTurn(ctx, t)
			if err != nil {
				return nil, err
			}
			if theirs != nil {
				change = theirs
			}
		}
		if change.Context == nil {
			change.Context = compacted
		}
		return change, nil
	}
	h.PrepareRequest = func(ctx context.Context, p *agent.RequestPlan) (*agent.RequestPatch, error) {
		compacted := s.compactRun(ctx, p.Context, p.Model)
		if compacted != nil {
			plan := *p
			plan.Context, p = compacted, &plan
		}
		patch := new(agent.RequestPatch)
		if request != nil {
			theirs, err := request(ctx, p)
			if err != nil {
				return nil, err
			}
			if theirs != nil {
				patch = theirs
			}
		}
		if patch.Context == nil {
			patch.Context = compacted
		}
		return patch, nil
	}
	return h
}

// compactRun compacts the conversation of a run under way if too little of the window is left,
// and returns what the run goes on with; nil if nothing changes. m is the model of the next
// request, or nil for that of the session.
func (s *Session) compactRun(ctx context.Context, c *agent.Context, m *ai.Model) *agent.Context {
	current, on := s.autoCompaction()
	if m == nil {
		m = current
	}
	s.mu.Lock()
	a := s.activity
	s.mu.Unlock()
	if m == nil || a == nil {
		return nil
	}
	size, err := s.contextSize(c.Messages)
	if err != nil {
		return nil
	}
	s.requestSize.Store(int64(size))
	if !on {
		return nil
	}
	messages := s.keepBelow(ctx, a, m, size)
	if messages == nil {
		return nil
	}
	s.requestSize.Store(int64(sizeOfAll(messages) + s.overhead()))
	return &agent.Context{SystemPrompt: c.SystemPrompt, Messages: messages, Tools: c.Tools}
}

// compactRequested makes the compaction that an extension has asked for during the run.
func (s *Session) compactRequested(c *agent.Context) *agent.Context {
	s.mu.Lock()
	a := s.activity
	if a == nil || a.compaction == nil || a.ctx.Err() != nil {
		s.mu.Unlock()
		return nil
	}
	run := a.compaction
	a.compaction = nil
	s.mu.Unlock()
	messages, err := s.compact(run)
	if err != nil {
		return nil // who has asked gets the error
	}
	s.requestSize.Store(int64(sizeOfAll(messages) + s.overhead()))
	return &agent.Context{SystemPrompt: c.SystemPrompt, Messages: messages, Tools: c.Tools}
}
