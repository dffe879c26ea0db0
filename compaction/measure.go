package compaction

import (
	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

// Size returns how many tokens of a request a message takes, roughly. What a model is not
// shown takes none.
func Size(m agent.Message) int {
	if answer, ok := m.(*ai.AssistantMessage); ok && answer.StopReason == ai.StopError {
		return 0
	}
	return Estimate(m)
}

// Sizes adds up the sizes of messages.
func Sizes(messages []agent.Message) int {
	n := 0
	for _, m := range messages {
		n += Size(m)
	}
	return n
}

// weight returns how many bytes a message adds to a request, roughly.
func weight(m agent.Message) int {
	var content ai.Content
	switch m := m.(type) {
	case *ai.UserMessage:
		content = m.Content
	case *ai.AssistantMessage:
		if m.StopReason != ai.StopError {
			content = m.Content
		}
	case *ai.ToolResultMessage:
		content = m.Content
	case *transcript.CustomMessage:
		content = m.Content.Content()
	default:
		return CharsPerToken * Size(m)
	}
	n := 0
	for _, block := range content {
		switch b := block.(type) {
		case *ai.Text:
			n += len(b.Text)
		case *ai.Thinking:
			n += len(b.Thinking)
		case *ai.Image:
			n += len(b.Data)
		case *ai.ToolCall:
			n += len(b.Name) + len(b.Arguments)
		case *ai.UnknownBlock:
		}
	}
	return n
}

// item is a message of a path, as the model sees it.
type item struct {
	id      transcript.EntryID
	message agent.Message
	leaves  bool // it is about to be taken out
}

// View is what a model sees of a path.
type View struct {
	Leaf       transcript.EntryID
	compaction *transcript.CompactionEntry // the newest; nil if there is none
	items      []item                      // the messages after the summary
	newer      int                         // index of the first item that came after the compaction
}

// Look reads what a model sees of the path to leaf. Failed answers and commands that are kept
// from the model are left out.
func Look(store transcript.Store, leaf transcript.EntryID) (*View, error) {
	v := &View{Leaf: leaf}
	if leaf == "" {
		return v, nil
	}
	path, compaction, newer, err := transcript.Visible(store, leaf)
	if err != nil {
		return nil, err
	}
	v.compaction = compaction
	for i, m := range transcript.PathMessages(path) {
		if i == len(path)-newer {
			v.newer = len(v.items)
		}
		switch m := m.(type) {
		case nil:
			continue
		case *ai.AssistantMessage:
			if m.StopReason == ai.StopError {
				continue
			}
		case *transcript.BashExecution:
			if m.ExcludeFromContext {
				continue
			}
		}
		v.items = append(v.items, item{id: path[i].Base().ID, message: m})
	}
	if newer == 0 {
		v.newer = len(v.items)
	}
	return v, nil
}

// Growth returns by how much a conversation of this size has grown since its newest
func (v *View) Growth(size int) int {
	if v.compaction == nil {
		return size
	}
	added := 0
	for _, it := range v.items[v.newer:] {
		if answer, ok := it.message.(*ai.AssistantMessage); ok && Reported(answer) > 0 {
			// The first report after the compaction tells what the context was with what had
			// been added until then.
			return size - (Reported(answer) - added - Size(answer))
		}
		added += Size(it.message)
	}
	return added
}
