package session

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/compaction"
	"github.com/rondo-agent/rondo/internal/lenient"
	"github.com/rondo-agent/rondo/transcript"
)

// ErrNothingToCompact means that the conversation has no older part that a summary could stand
// for.
var ErrNothingToCompact = errors.New("there is nothing to compact")

// job says what a compaction is for.
type job struct {
	reason compaction.Reason
	// instructions are the user's, for the summary.
	instructions string
	// repeat is the answer whose request is made again afterwards; nil if there is none.
	repeat *ai.AssistantMessage
	// bytes says that a request was too long for the server in bytes.
	bytes bool
}

// plan is what a compaction is going to do.
type plan struct {
	leaf      transcript.EntryID
	firstKept transcript.EntryID
	previous  *transcript.CompactionEntry // whose summary the new one goes on from; nil if there is none
	// history are whole turns, prefix is the beginning of a turn whose end is kept.
	history, prefix []agent.Message
	tokensBefore    int
	system          *ai.SystemMessage // in force where the kept part begins; nil if there is none
}

// room says how a model's context window is divided.
type room struct {
	window  int // tokens; 0 is unknown
	reserve int // kept free for the answer
	limit   int // what a conversation may take; 0 is unknown
	keep    int // of the newest messages
}

// room divides the window of a model. In a small window neither the reserve nor what is kept
// may take more than half.
func (c *compactor) room(m *ai.Model) room {
	r := room{window: m.ContextWindow, reserve: c.opts.Compaction.reserve(), keep: c.opts.Compaction.keep()}
	if r.window > 0 {
		r.reserve = min(r.reserve, r.window/2)
		r.limit = r.window - r.reserve
		r.keep = min(r.keep, r.limit/2)
	}
	return r
}

// plan decides what a compaction replaces. The error is [ErrNothingToCompact] if there is
// nothing to replace.
func (c *compactor) plan(j *job, r room) (*plan, error) {
	v, err := look(c.writer.store, c.writer.store.Leaf())
	if err != nil {
		return nil, fmt.Errorf("read session %s: %w", c.writer.store.Path(), err)
	}
	items := v.items
	if j.repeat != nil && !j.repeat.Failed() { // it will leave the conversation
		for i, it := range slices.Backward(items) {
			if isAnswer(it.message) {
				items[i].leaves = true
				break
			}
		}
	}
	at := choose(items, j, r.keep)
	if at == 0 {
		return nil, nothing(v, r.keep)
	}
	p := &plan{leaf: v.leaf, firstKept: items[at].id, previous: v.compaction}
	turn := at
	if isAnswer(items[at].message) {
		turn = turnStart(items[:at])
	}
	for i, it := range items[:at] {
		if i < turn {
			p.history = append(p.history, it.message)
		} else {
			p.prefix = append(p.prefix, it.message)
		}
	}
	if p.system, err = inForce(v.compaction, items[:at]); err != nil {
		return nil, err
	}
	p.tokensBefore, err = c.meter.contextSize(c.agent.State().Messages)
	return p, err
}

func nothing(v *view, keep int) error {
	switch {
	case len(v.items) == 0:
		return fmt.Errorf("%w: the conversation has no messages yet", ErrNothingToCompact)
	case v.compaction != nil && v.newer == len(v.items):
		return fmt.Errorf("%w: it was compacted just now", ErrNothingToCompact)
	}
	return fmt.Errorf("%w: the newest %d tokens are kept as they are, and what is older cannot be told apart from them", ErrNothingToCompact, keep)
}

// choose returns the index of the first item to keep; 0 if nothing can be compacted.
func choose(items []item, j *job, keep int) int {
	size := sizeOf
	keeps := []int{keep}
	if j.bytes {
		size = weight
	}
	sizes, total := make([]int, len(items)), 0
	for i, it := range items {
		sizes[i] = size(it.message)
		total += sizes[i]
	}
	switch {
	case j.reason == compaction.Overflow && j.bytes:
		keeps = []int{total / 2, total / 8, 0}
	case j.reason == compaction.Overflow:
		// The window may be smaller than is known, or the estimate too low: then less is
		// kept, until there is something to gain.
		keeps = []int{keep, keep / 4, keep / 16, 0}
	}
	best := 0
	for _, k := range keeps {
		at := cut(items, sizes, k)
		gained := 0
		for _, n := range sizes[:at] {
			gained += n
		}
		switch {
		case at == 0:
			continue
		case j.reason == compaction.Manual, j.reason == compaction.Threshold && gained*20 >= total, j.reason == compaction.Overflow && gained*4 >= total:
			return at
		case j.reason == compaction.Overflow && gained*20 >= total:
			best = max(best, at)
		}
	}
	return best
}

// cut returns the index of the first item to keep so that the kept ones have about the given
// size, or 0 if that would be all. It is where a message begins something: never a tool's
// result, and never between a call and its result. What the model has not answered yet is
// kept.
func cut(items []item, sizes []int, keep int) int {
	legal := legalCuts(items)
	kept := 0
	for i, size := range slices.Backward(sizes) {
		if kept += size; kept < keep {
			continue
		}
		for at := i; at < len(items); at++ {
			if legal[at] {
				return at
			}
		}
		for at := i - 1; at > 0; at-- {
			if legal[at] {
				return at
			}
		}
		return 0
	}
	return 0
}

// legalCuts says of each item whether the kept part may begin with it.
func legalCuts(items []item) []bool {
	called := make(map[string]int) // index of the newest call with an id
	open := make([]int, len(items)+1)
	for i, it := range items {
		switch m := it.message.(type) {
		case *ai.AssistantMessage:
			for _, call := range m.Content.ToolCalls() {
				called[call.ID] = i
			}
		case *ai.ToolResultMessage:
			if from, ok := called[m.ToolCallID]; ok { // no cut at from+1 … i
				open[from+1]++
				open[i+1]--
			}
		}
	}
	legal := make([]bool, len(items))
	depth := 0
	for i, it := range items {
		depth += open[i]
		switch it.message.(type) {
		case *ai.ToolResultMessage, *ai.SystemMessage, *ai.UnknownMessage:
		case *ai.UserMessage, *ai.AssistantMessage, *transcript.BashExecution, *transcript.CustomMessage, *transcript.BranchSummary:
			legal[i] = depth == 0 && !it.leaves
		}
	}
	return legal
}

// turnStart returns the index of the message that began the turn which the items end in; 0 if
// it is older than they are.
func turnStart(items []item) int {
	for i, it := range slices.Backward(items) {
		switch it.message.(type) {
		case *ai.UserMessage, *transcript.BashExecution, *transcript.CustomMessage, *transcript.BranchSummary:
			return i
		}
	}
	return 0
}

// inForce replays the system messages of what is compacted: what they say holds on (law L11).
func inForce(previous *transcript.CompactionEntry, items []item) (*ai.SystemMessage, error) {
	var now *ai.SystemMessage
	if previous != nil && previous.SystemMessage != nil {
		m, err := agent.DecodeMessage(previous.SystemMessage)
		if err != nil {
			return nil, fmt.Errorf("read entry %s: %w", previous.ID, err)
		}
		now, _ = m.(*ai.SystemMessage)
	}
	for _, it := range items {
		if m, ok := it.message.(*ai.SystemMessage); ok {
			now = overlay(now, m)
		}
	}
	return now, nil
}

// overlay returns what holds after a second system message.
func overlay(before, m *ai.SystemMessage) *ai.SystemMessage {
	if before == nil {
		return m
	}
	out := &ai.SystemMessage{Content: before.Content, Timestamp: m.Timestamp}
	if m.Content != "" {
		out.Content = m.Content
	}
	for _, sections := range []map[string]*string{before.Sections, m.Sections} {
		for name, text := range sections {
			if out.Sections == nil {
				out.Sections = make(map[string]*string)
			}
			out.Sections[name] = text
		}
	}
	gone := func(d ai.ToolDecl) bool {
		return slices.Contains(m.ToolsRemoved, d.Name) || slices.ContainsFunc(m.ToolsAdded, func(a ai.ToolDecl) bool { return a.Name == d.Name })
	}
	out.ToolsAdded = append(slices.DeleteFunc(slices.Clone(before.ToolsAdded), gone), m.ToolsAdded...)
	for _, name := range append(slices.Clone(before.ToolsRemoved), m.ToolsRemoved...) {
		added := slices.ContainsFunc(m.ToolsAdded, func(a ai.ToolDecl) bool { return a.Name == name })
		if !added && !slices.Contains(out.ToolsRemoved, name) {
			out.ToolsRemoved = append(out.ToolsRemoved, name)
		}
	}
	return out
}

// encodeSystem returns nil for no message.
func encodeSystem(m *ai.SystemMessage) (jsontext.Value, error) {
	if m == nil {
		return nil, nil
	}
	return json.Marshal(m, lenient.UTF8)
}
