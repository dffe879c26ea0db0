package tui

import (
	"context"
	"strings"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
)

// mostNodes bounds how many places of a tree are listed: the newest.
const mostNodes = 5000

// pickTree lists the places of the session's tree.
func (a *app) pickTree() {
	s := a.session()
	a.do(func(context.Context) callMsg {
		items, err := treeItems(s.Store())
		return func(a *app) {
			switch {
			case err != nil:
				a.fail(err)
			case len(items) == 0:
				a.info("The session has no other place to go to yet.")
			default:
				a.push(&list{
					title: "Place to go on from", items: items,
					chosen: func(a *app, it item) { a.askSummary(it.value.(transcript.EntryID)) },
					hint:   "ctrl+b label",
					keys:   map[string]func(*app, item){"ctrl+b": (*app).askLabel},
				})
			}
		}
	})
}

// treeItems flattens the tree: branches are moved in, the oldest first. Only what was said
// is a place.
func treeItems(store transcript.Store) ([]item, error) {
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
	var items []item
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
			items = append(items, item{label: label, value: at.node.ID, marked: at.node.ID == leaf})
		}
		depth := at.depth
		if len(at.node.Children) > 1 {
			depth++
		}
		push(at.node.Children, depth)
	}
	return items[max(len(items)-mostNodes, 0):], nil
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
func (a *app) askSummary(to transcript.EntryID) {
	if a.opts.SkipSummary {
		a.navigate(to, &session.Navigation{})
		return
	}
	a.push(&list{
		title: "Tell the model about the branch that is left?", plain: true,
		items: []item{{label: "No", value: 0}, {label: "In a summary", value: 1}, {label: "In a summary about …", value: 2}},
		chosen: func(a *app, it item) {
			switch it.value.(int) {
			case 0:
				a.navigate(to, &session.Navigation{})
			case 1:
				a.navigate(to, &session.Navigation{Summarize: true})
			default:
				a.push(newPrompt("What is the summary to dwell on?", "", func(a *app, s string) {
					a.navigate(to, &session.Navigation{Summarize: true, Instructions: s})
				}))
			}
		},
	})
}

// navigate goes to another place in the tree.
func (a *app) navigate(to transcript.EntryID, n *session.Navigation) {
	s := a.session()
	if n.Summarize {
		a.hint = "the branch is being summed up; esc gives it up"
	}
	a.inOrder(func(ctx context.Context) callMsg {
		went, err := s.Navigate(ctx, to, n)
		messages := s.Messages()
		return func(a *app) {
			a.hint = ""
			if err != nil {
				a.fail(err)
				return
			}
			a.drain()
			a.begin(showing(s, messages, "The conversation goes on from here"))
			if went.Text != "" && a.editor.Empty() {
				a.editor.Set(went.Text)
			}
		}
	})
}

// askLabel marks a place.
func (a *app) askLabel(it item) {
	id := it.value.(transcript.EntryID)
	a.push(newPrompt("Label (empty takes it away)", "", func(a *app, s string) {
		if err := a.session().SetLabel(id, s); err != nil {
			a.fail(err)
		}
	}))
}
