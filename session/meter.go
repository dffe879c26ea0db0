package session

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/rondo-agent/rondo/compaction"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

// meter knows how much of the context window a conversation takes: what providers have counted,
// and estimates of the rest, corrected by what requests have turned out to be.
type meter struct {
	agent  *agent.Agent
	choice *choice
	store  transcript.Store
	tally  transcript.Tally

	sent        atomic.Pointer[ai.Request] // the newest request of the agent
	requestSize atomic.Int64               // of the next one, in tokens; 0 is unknown
	// ending is a message that has ended and is not stored yet, while extensions are notified.
	ending atomic.Pointer[agent.Message]

	mu      sync.Mutex
	density density
}

// stats returns the session's numbers.
func (m *meter) stats() (*transcript.Stats, error) {
	stats, err := m.tally.Count(m.store)
	if err != nil {
		return nil, fmt.Errorf("count session %s: %w", m.store.Path(), err)
	}
	stats.SessionFile, stats.SessionID = m.store.Path(), m.store.Header().ID
	if stats.ContextUsage, err = m.contextUsage(); err != nil {
		return nil, err
	}
	return &stats, nil
}

// contextUsage is [Session.ContextUsage].
func (m *meter) contextUsage() (*transcript.ContextUsage, error) {
	model := m.choice.current().model
	if model == nil || model.ContextWindow <= 0 {
		return nil, nil
	}
	usage := &transcript.ContextUsage{ContextWindow: model.ContextWindow}
	tokens, known, err := m.contextTokens(model.ContextWindow)
	if err != nil {
		return nil, fmt.Errorf("measure the context of session %s: %w", m.store.Path(), err)
	}
	if known {
		percent := float64(tokens) / float64(model.ContextWindow) * 100
		usage.Tokens, usage.Percent = &tokens, &percent
	}
	return usage, nil
}

// contextTokens walks back to the newest answer that says how large its context was.
func (m *meter) contextTokens(window int) (tokens int, known bool, err error) {
	if ending := m.ending.Load(); ending != nil {
		if n := m.reported(*ending, window); n > 0 {
			return n, true, nil
		}
		tokens = compaction.Estimate(*ending)
	}
	leaf := m.store.Leaf()
	if leaf == "" {
		return tokens, true, nil
	}
	for e, err := range m.store.Ancestors(leaf, transcript.TypeMessage, transcript.TypeCustomMessage, transcript.TypeBranchSummary, transcript.TypeCompaction) {
		if err != nil {
			return 0, false, err
		}
		if e.Type() == transcript.TypeCompaction {
			return 0, false, nil
		}
		msg := transcript.EntryMessage(e)
		if n := m.reported(msg, window); n > 0 {
			return n + tokens, true, nil
		}
		tokens += compaction.Estimate(msg)
	}
	return tokens, true, nil
}

// reported returns the size of the context that an answer reports; 0 if it does not, or if the
// report cannot be true.
func (m *meter) reported(msg agent.Message, window int) int {
	answer, ok := msg.(*ai.AssistantMessage)
	if !ok {
		return 0
	}
	if n := compaction.Reported(answer); n <= window || m.plausible(n) {
		return n
	}
	return 0
}

// plausible reports whether a count that is larger than the context window can be true: the
// model may have been changed for a smaller one, or the provider may count twice. Text of
// any kind has at least about 2.7 bytes a token.
func (m *meter) plausible(tokens int) bool {
	st := m.agent.State()
	bytes := len(st.SystemPrompt)
	for _, t := range st.Tools {
		bytes += len(t.Description) + len(t.Declaration().Parameters)
	}
	for _, msg := range transcript.ForModel(st.Messages) {
		bytes += compaction.ContentBytes(msg)
	}
	return tokens*8 <= bytes*3
}

// counted returns the size of the context with an answer, as the provider has counted it; 0 if
// it has not, or if the count cannot be true.
func (m *meter) counted(answer *ai.AssistantMessage, model *ai.Model) int {
	return m.credible(compaction.Reported(answer), model)
}

// credible returns a count, or 0 if it cannot be true for the model.
func (m *meter) credible(n int, model *ai.Model) int {
	if model != nil && model.ContextWindow > 0 && n > model.ContextWindow && !m.plausible(n) {
		return 0
	}
	return n
}

// contextSize returns how many tokens the conversation takes: what the newest answer reports,
// also one that was aborted, and an estimate of what came after it. Answers from before a
// compaction do not count, since they were about another context. Where no answer tells, all is
// estimated; messages are the transcript then.
func (m *meter) contextSize(messages []agent.Message) (int, error) {
	return m.size(messages, compaction.ReportedSoFar)
}

// size is contextSize with another way to read a report.
func (m *meter) size(messages []agent.Message, report func(*ai.AssistantMessage) int) (int, error) {
	leaf := m.store.Leaf()
	if leaf == "" {
		return compaction.Sizes(messages) + m.overhead(), nil
	}
	model := m.choice.current().model
	n := 0
	for e, err := range m.store.Ancestors(leaf, transcript.TypeMessage, transcript.TypeCustomMessage, transcript.TypeBranchSummary, transcript.TypeCompaction) {
		if err != nil {
			return 0, err
		}
		if e.Type() == transcript.TypeCompaction {
			break
		}
		msg := transcript.EntryMessage(e)
		if answer, ok := msg.(*ai.AssistantMessage); ok {
			if reported := m.credible(report(answer), model); reported > 0 {
				return n + reported, nil
			}
		}
		n += compaction.Size(msg)
	}
	return compaction.Sizes(messages) + m.overhead(), nil
}

// overhead estimates what goes with every request beside the messages.
func (m *meter) overhead() int {
	st := m.agent.State()
	c := ai.Context{SystemPrompt: st.SystemPrompt}
	for _, t := range st.Tools {
		c.Tools = append(c.Tools, t.Declaration())
	}
	return ai.EstimateTokens(c)
}

// growth returns by how much a conversation of this size has grown since its newest
// compaction.
func (m *meter) growth(size int) (int, error) {
	v, err := compaction.Look(m.store, m.store.Leaf())
	if err != nil {
		return 0, err
	}
	return v.Growth(size), nil
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
func (m *meter) learn(model *ai.Model, answer *ai.AssistantMessage) {
	if bodyTooLarge(answer) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.measure(model, max(inputOf(answer), model.ContextWindow))
}

// relearn corrects what was learnt, once there is an answer that counts its request.
func (m *meter) relearn(answer *ai.AssistantMessage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := inputOf(answer); n > 0 && m.density.model != nil {
		m.measure(m.density.model, n)
	}
}

func inputOf(m *ai.AssistantMessage) int {
	return m.Usage.Input + m.Usage.CacheRead + m.Usage.CacheWrite
}

// measure compares the newest request with what it has really taken; the mutex is held.
func (m *meter) measure(model *ai.Model, tokens int) {
	req := m.sent.Load()
	if req == nil || req.Model != model {
		return
	}
	if estimated := ai.EstimateTokens(req.Context); estimated > 0 {
		m.density = density{model, min(max(float64(tokens)/float64(estimated), 1), maxDensity)}
	}
}

// densityOf returns how many tokens of a model are one of the estimate.
func (m *meter) densityOf(model *ai.Model) float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.density.model == model {
		return m.density.value
	}
	return 1
}

// expect takes note of the size of the next request, from its messages.
func (m *meter) expect(messages []agent.Message) {
	m.requestSize.Store(int64(compaction.Sizes(messages) + m.overhead()))
}

// liveSize estimates the transcript.
func (m *meter) liveSize() int { return compaction.Sizes(m.agent.State().Messages) }
