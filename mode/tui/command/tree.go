package command

import (
	"context"
	"strings"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/dialog"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
)

// maxNodes bounds how many places of a tree are listed: the newest.
const maxNodes = 5000

// PickTree lists the places of the session's tree.
func (c *Commands) PickTree() {
	s := c.session()
	c.Do(func(context.Context) func() {
		items, err := treeItems(s.Store())
		return func() {
			switch {
			case err != nil:
				c.Fail(err)
			case len(items) == 0:
				c.Info("The session has no other place to go to yet.")
			default:
				c.Open(&dialog.List{
					Title: "Place to go on from", Items: items,
					Chosen: func(it dialog.Item) { c.askSummary(it.Value.(transcript.EntryID)) },
					Hint:   "ctrl+b label",
					Keys:   map[string]func(dialog.Item){"ctrl+b": c.askLabel},
				})
			}
		}
	})
}

// treeItems flattens the tree: branches are moved in, the oldest first. Only what was said
// is a place.
func treeItems(store transcript.Store) ([]dialog.Item, error) {
	roots, err := transcript.Tree(store)
	if err != nil {
		return nil, err
	}
	said, err := previews(store)
	if err != nil {
		return nil, err
	}
	leaf := nearest(store, said)
	type step struct {
		node  *transcript.Node
		depth int
	}
	var items []dialog.Item
	var stack []step
	push := func(nodes []*transcript.Node, depth int) {
		for i := len(nodes) - 1; i >= 0; i-- {
			stack = append(stack, step{nodes[i], depth})
		}
	}
	push(roots, 0)
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if what, ok := said[at.node.ID]; ok {
			label := strings.Repeat("│ ", min(at.depth, 12)) + what
			if at.node.Label != "" {
				label = strings.Repeat("│ ", min(at.depth, 12)) + "[" + text.OneLine(at.node.Label) + "] " + what
			}
			items = append(items, dialog.Item{Label: label, Value: at.node.ID, Marked: at.node.ID == leaf})
		}
		depth := at.depth
		if len(at.node.Children) > 1 {
			depth++
		}
		push(at.node.Children, depth)
	}
	return items[max(len(items)-maxNodes, 0):], nil
}

// previews returns what was said at each place.
func previews(store transcript.Store) (map[transcript.EntryID]string, error) {
	said := make(map[transcript.EntryID]string)
	for e, err := range store.Entries(transcript.TypeMessage, transcript.TypeCompaction, transcript.TypeBranchSummary, transcript.TypeCustomMessage) {
		if err != nil {
			return nil, err
		}
		if s := preview(e); s != "" {
			said[e.Base().ID] = s
		}
	}
	return said, nil
}

func preview(e transcript.Entry) string {
	switch m := transcript.EntryMessage(e).(type) {
	case *ai.UserMessage:
		return "you: " + short(m.Content.Text())
	case *ai.AssistantMessage:
		if s := m.Content.Text(); strings.TrimSpace(s) != "" {
			return "answer: " + short(s)
		}
	case *transcript.CompactionSummary:
		return "compaction: " + short(m.Summary)
	case *transcript.BranchSummary:
		return "summary: " + short(m.Summary)
	}
	return ""
}

func short(s string) string {
	return text.Plain(text.OneLine(s[:min(len(s), 400)]), "").Cut(100, "…", 0).Text()
}

// nearest is the newest place on the present branch.
func nearest(store transcript.Store, said map[transcript.EntryID]string) transcript.EntryID {
	leaf := store.Leaf()
	if leaf == "" {
		return ""
	}
	for e, err := range store.Ancestors(leaf) {
		if err != nil {
			break
		}
		if _, ok := said[e.Base().ID]; ok {
			return e.Base().ID
		}
	}
	return ""
}

// askSummary asks whether the branch that is left is to be summed up.
func (c *Commands) askSummary(to transcript.EntryID) {
	if c.Preferences().SkipSummary {
		c.navigate(to, &session.Navigation{})
		return
	}
	c.Open(&dialog.List{
		Title: "Tell the model about the branch that is left?", Plain: true,
		Items: []dialog.Item{{Label: "No", Value: 0}, {Label: "In a summary", Value: 1}, {Label: "In a summary about …", Value: 2}},
		Chosen: func(it dialog.Item) {
			switch it.Value.(int) {
			case 0:
				c.navigate(to, &session.Navigation{})
			case 1:
				c.navigate(to, &session.Navigation{Summarize: true})
			default:
				c.Open(dialog.NewPrompt("What is the summary to dwell on?", "", func(s string) {
					c.navigate(to, &session.Navigation{Summarize: true, Instructions: s})
				}))
			}
		},
	})
}

// navigate goes to another place in the tree.
func (c *Commands) navigate(to transcript.EntryID, n *session.Navigation) {
	s := c.session()
	if n.Summarize {
		c.Hint("the branch is being summed up; esc gives it up")
	}
	c.InOrder(func(ctx context.Context) func() {
		went, err := s.Navigate(ctx, to, n)
		messages := s.Messages()
		return func() {
			c.Hint("")
			if err != nil {
				c.Fail(err)
				return
			}
			c.Drain()
			c.Show(s, messages, "The conversation goes on from here")
			if went.Text != "" && c.Draft().Empty() {
				c.Draft().Set(went.Text)
			}
		}
	})
}

// askLabel marks a place.
func (c *Commands) askLabel(it dialog.Item) {
	id := it.Value.(transcript.EntryID)
	c.Open(dialog.NewPrompt("Label (empty takes it away)", "", func(s string) {
		if err := c.session().SetLabel(id, s); err != nil {
			c.Fail(err)
		}
	}))
}
