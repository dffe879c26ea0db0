package transcript

import (
	"sync"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

// Stats are numbers of a session, with the names of Pi 0.85. They count all branches and
// what was compacted: what has been sent and paid for.
type Stats struct {
	// SessionFile is empty for a session in memory.
	SessionFile       string      `json:"sessionFile,omitzero"`
	SessionID         string      `json:"sessionId"`
	UserMessages      int         `json:"userMessages"`
	AssistantMessages int         `json:"assistantMessages"`
	ToolCalls         int         `json:"toolCalls"`
	ToolResults       int         `json:"toolResults"`
	TotalMessages     int         `json:"totalMessages"`
	Tokens            TokenCounts `json:"tokens"`
	// Cost is in US dollars.
	Cost float64 `json:"cost"`
	// ContextUsage is nil if no model is selected or its context window is not known.
	ContextUsage *ContextUsage `json:"contextUsage,omitzero"`
}

// TokenCounts are tokens of answers, of tools that ask models themselves, and of summaries.
type TokenCounts struct {
	Input      int `json:"input"`
	Output     int `json:"output"`
	CacheRead  int `json:"cacheRead"`
	CacheWrite int `json:"cacheWrite"`
	// Total is the sum of the others.
	Total int `json:"total"`
}

// ContextUsage says how full the model's context is.
type ContextUsage struct {
	// Tokens is what the provider counted for the newest answer and an estimate of what
	// came after it. It is nil from a compaction until the next answer, when nobody knows.
	Tokens        *int `json:"tokens"`
	ContextWindow int  `json:"contextWindow"`
	// Percent is the share of the window, nil where Tokens is.
	Percent *float64 `json:"percent"`
}

// Tally counts the entries of a store as far as the entry upto. What has been appended
// since is counted when the numbers are asked for, so that counting costs a run nothing and
// no entry is counted twice.
type Tally struct {
	mu    sync.Mutex
	upto  EntryID
	stats Stats
}

// Count returns the numbers of a store, counting what was added since the last call.
func (t *Tally) Count(s Store) (Stats, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for e, err := range s.After(t.upto) {
		if err != nil {
			return Stats{}, err
		}
		t.stats.add(e)
		t.upto = e.Base().ID
	}
	return t.stats, nil
}

func (st *Stats) add(e Entry) {
	switch e := e.(type) {
	case *MessageEntry:
		st.addMessage(e.Message)
	case *CompactionEntry:
		st.spend(e.Usage)
	case *BranchSummaryEntry:
		st.spend(e.Usage)
	case *UsageEntry:
		st.spend(e.Usage)
	case *ThinkingLevelEntry, *ModelEntry, *CustomEntry, *CustomMessageEntry, *LabelEntry, *InfoEntry, *ContextEditEntry, *UnknownEntry:
	}
}

func (st *Stats) addMessage(m agent.Message) {
	st.TotalMessages++
	switch m := m.(type) {
	case *ai.UserMessage:
		st.UserMessages++
	case *ai.AssistantMessage:
		st.AssistantMessages++
		st.ToolCalls += len(m.Content.ToolCalls())
		st.spend(&m.Usage)
	case *ai.ToolResultMessage:
		st.ToolResults++
		st.spend(m.Usage)
	}
}

func (st *Stats) spend(u *ai.Usage) {
	if u == nil {
		return
	}
	t := &st.Tokens
	t.Input += u.Input
	t.Output += u.Output
	t.CacheRead += u.CacheRead
	t.CacheWrite += u.CacheWrite
	t.Total = t.Input + t.Output + t.CacheRead + t.CacheWrite
	st.Cost += u.Cost.Total
}
