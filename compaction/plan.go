package compaction

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/lenient"
	"github.com/rondo-agent/rondo/transcript"
)

// ErrNothingToCompact means that the conversation has no older part that a summary could stand
// for.
var ErrNothingToCompact = errors.New("there is nothing to compact")

// Job says what a compaction is for.
type Job struct {
	Reason Reason
	// Instructions are the user's, for the summary.
	Instructions string
	// Repeat is the answer whose request is made again afterwards; nil if there is none.
	Repeat *ai.AssistantMessage
	// Bytes says that a request was too long for the server in bytes.
	Bytes bool
}

// Plan is what a compaction is going to do.
type Plan struct {
	// Leaf is the entry that the plan was made at.
	Leaf transcript.EntryID
	// FirstKept is the first entry that stays as it is.
	FirstKept transcript.EntryID
	// Previous is the compaction whose summary the new one goes on from; nil if there is none.
	Previous *transcript.CompactionEntry
	// History are whole turns, Prefix is the beginning of a turn whose end is kept.
	History, Prefix []agent.Message
	// TokensBefore is the size of the context before; the caller knows it.
	TokensBefore int

	system *ai.SystemMessage // in force where the kept part begins; nil if there is none
}

// Room says how a model's context window is divided.
type Room struct {
	// Window is the context window in tokens; 0 is unknown.
	Window int
	// Reserve is kept free for the answer.
	Reserve int
	// Limit is what a conversation may take; 0 is unknown.
	Limit int
	// Keep of the newest messages stay as they are.
	Keep int
}

// Room divides the window of a model. In a small window neither the reserve nor what is kept
// may take more than half.
func (c Settings) Room(m *ai.Model) Room {
	r := Room{Window: m.ContextWindow, Reserve: c.Reserve(), Keep: c.Keep()}
	if r.Window > 0 {
		r.Reserve = min(r.Reserve, r.Window/2)
		r.Limit = r.Window - r.Reserve
		r.Keep = min(r.Keep, r.Limit/2)
	}
	return r
}

// NewPlan decides what a compaction of a view replaces. The error is [ErrNothingToCompact] if
// there is nothing to replace.
func NewPlan(v *View, j *Job, r Room) (*Plan, error) {
	items := v.items
	if j.Repeat != nil && !j.Repeat.Failed() { // it will leave the conversation
		for i, it := range slices.Backward(items) {
			if _, ok := it.message.(*ai.AssistantMessage); ok {
				items[i].leaves = true
				break
			}
		}
	}
	at := choose(items, j, r.Keep)
	if at == 0 {
		return nil, nothing(v, r.Keep)
	}
	p := &Plan{Leaf: v.Leaf, FirstKept: items[at].id, Previous: v.compaction}
	turn := at
	if _, ok := items[at].message.(*ai.AssistantMessage); ok {
		turn = turnStart(items[:at])
	}
	for i, it := range items[:at] {
		if i < turn {
			p.History = append(p.History, it.message)
		} else {
			p.Prefix = append(p.Prefix, it.message)
		}
	}
	var err error
	p.system, err = inForce(v.compaction, items[:at])
	return p, err
}

func nothing(v *View, keep int) error {
	switch {
	case len(v.items) == 0:
		return fmt.Errorf("%w: the conversation has no messages yet", ErrNothingToCompact)
	case v.compaction != nil && v.newer == len(v.items):
		return fmt.Errorf("%w: it was compacted just now", ErrNothingToCompact)
	}
	return fmt.Errorf("%w: the newest %d tokens are kept as they are, and what is older cannot be told apart from them", ErrNothingToCompact, keep)
}

// choose returns the index of the first item to keep; 0 if nothing can be compacted.
func choose(items []item, j *Job, keep int) int {
	size := Size
	keeps := []int{keep}
	if j.Bytes {
		size = weight
	}
	sizes, total := make([]int, len(items)), 0
	for i, it := range items {
		sizes[i] = size(it.message)
		total += sizes[i]
	}
	switch {
	case j.Reason == Overflow && j.Bytes:
		keeps = []int{total / 2, total / 8, 0}
	case j.Reason == Overflow:
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
		case j.Reason == Manual, j.Reason == Threshold && gained*20 >= total, j.Reason == Overflow && gained*4 >= total:
			return at
		case j.Reason == Overflow && gained*20 >= total:
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

// SystemMessage returns the system message in force as an entry keeps it; nil if there is none.
func (p *Plan) SystemMessage() (jsontext.Value, error) {
	if p.system == nil {
		return nil, nil
	}
	return json.Marshal(p.system, lenient.UTF8)
}
