package html

import (
	"fmt"
	"slices"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

// kind says how an entry is shown. Its name is a class of the page.
type kind uint8

const (
	hidden  kind = iota // not shown: its children are those of its parent
	user                // a message of the user
	answer              // a message of the model
	result              // the outcome of a tool call
	shell               // a command of the user's
	custom              // a message of an extension
	summary             // a compaction, or what became of a branch
	note                // a change of settings, and whatever else deserves a line
)

var kindNames = [...]string{user: "user", answer: "answer", result: "result", shell: "shell", custom: "custom", summary: "summary", note: "note"}

// node is what is remembered of an entry.
type node struct {
	id transcript.EntryID
	// call is the call that a result belongs to.
	call string
	// parent is the nearest ancestor that is shown; -1 if there is none.
	parent int32
	kind   kind
}

// outline is the tree of a session's entries and what they come to. Positions are those of
// the entries in the session.
type outline struct {
	nodes  []node
	index  map[transcript.EntryID]int32
	labels map[int32]string
	name   string
	totals totals
}

// totals are what all branches of a session come to.
type totals struct {
	prompts, answers, calls int
	usage                   ai.Usage
	models                  []string
	first, last             time.Time
}

// survey reads all entries once.
func survey(store transcript.Store) (*outline, error) {
	o := &outline{nodes: make([]node, 0, store.Len()), index: make(map[transcript.EntryID]int32, store.Len()), labels: make(map[int32]string)}
	for e, err := range store.Entries() {
		if err != nil {
			return nil, fmt.Errorf("read the session: %w", err)
		}
		o.add(e)
	}
	return o, nil
}

func (o *outline) add(e transcript.Entry) {
	base := e.Base()
	n := node{id: base.ID, parent: -1, kind: kindOf(e)}
	if parent, ok := o.index[base.ParentID]; ok && base.ParentID != "" {
		n.parent = parent
		if o.nodes[parent].kind == hidden {
			n.parent = o.nodes[parent].parent
		}
	}
	switch e := e.(type) {
	case *transcript.MessageEntry:
		if r, ok := e.Message.(*ai.ToolResultMessage); ok {
			n.call = r.ToolCallID
		}
	case *transcript.LabelEntry:
		o.label(e)
	case *transcript.InfoEntry:
		o.name = e.Name
	default: // the others need their node alone
	}
	o.index[base.ID] = int32(len(o.nodes))
	o.nodes = append(o.nodes, n)
	o.totals.add(e)
}

func (o *outline) label(e *transcript.LabelEntry) {
	if target, ok := o.index[e.TargetID]; ok && e.Label != "" {
		o.labels[target] = e.Label
	} else if ok {
		delete(o.labels, target)
	}
}

// path returns the positions from the root to the entry leaf that are shown.
func (o *outline) path(leaf transcript.EntryID) []int32 {
	i, ok := o.index[leaf]
	if !ok {
		return nil
	}
	if o.nodes[i].kind == hidden {
		i = o.nodes[i].parent
	}
	var path []int32
	for ; i >= 0; i = o.nodes[i].parent {
		path = append(path, i)
	}
	slices.Reverse(path)
	return path
}

// empty reports whether there is nothing that was said.
func (o *outline) empty() bool {
	return !slices.ContainsFunc(o.nodes, func(n node) bool { return n.kind != hidden && n.kind != note })
}

func kindOf(e transcript.Entry) kind {
	switch e := e.(type) {
	case *transcript.MessageEntry:
		return kindOfMessage(e.Message)
	case *transcript.CompactionEntry, *transcript.BranchSummaryEntry:
		return summary
	case *transcript.CustomMessageEntry:
		return kindOfCustom(e.Display)
	case *transcript.CustomEntry, *transcript.LabelEntry: // data of extensions; marks on others
		return hidden
	case *transcript.ThinkingLevelEntry, *transcript.ModelEntry, *transcript.InfoEntry, *transcript.UsageEntry, *transcript.ContextEditEntry, *transcript.UnknownEntry:
		return note
	}
	return note
}

func kindOfCustom(display bool) kind {
	if display {
		return custom
	}
	return note
}

func kindOfMessage(m agent.Message) kind {
	switch m := m.(type) {
	case *ai.UserMessage:
		return user
	case *ai.AssistantMessage:
		return answer
	case *ai.ToolResultMessage:
		return result
	case *transcript.BashExecution:
		return shell
	case *transcript.CustomMessage:
		return kindOfCustom(m.Display)
	case *transcript.BranchSummary, *transcript.CompactionSummary:
		return summary
	}
	return note
}

func (t *totals) add(e transcript.Entry) {
	if at := e.Base().Timestamp.Time; !at.IsZero() {
		if t.first.IsZero() || at.Before(t.first) {
			t.first = at
		}
		if at.After(t.last) {
			t.last = at
		}
	}
	switch e := e.(type) {
	case *transcript.MessageEntry:
		t.message(e.Message)
	case *transcript.CompactionEntry:
		t.spend(e.Usage)
	case *transcript.BranchSummaryEntry:
		t.spend(e.Usage)
	case *transcript.UsageEntry:
		t.spend(e.Usage)
	default: // the others cost nothing
	}
}

func (t *totals) message(m agent.Message) {
	switch m := m.(type) {
	case *ai.UserMessage:
		t.prompts++
	case *ai.AssistantMessage:
		t.answers++
		t.calls += len(m.Content.ToolCalls())
		t.spend(&m.Usage)
		if m.Model != "" && !slices.Contains(t.models, m.Model) && len(t.models) < maxModels {
			t.models = append(t.models, m.Model)
		}
	case *ai.ToolResultMessage:
		t.spend(m.Usage)
	}
}

// maxModels is how many models are named.
const maxModels = 8

func (t *totals) spend(u *ai.Usage) {
	if u == nil {
		return
	}
	t.usage.Input += u.Input
	t.usage.Output += u.Output
	t.usage.CacheRead += u.CacheRead
	t.usage.CacheWrite += u.CacheWrite
	t.usage.Cost.Total += u.Cost.Total
}
