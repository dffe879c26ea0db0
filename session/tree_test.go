package session_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/storetest"
)

// at gives an entry an id, a parent and a time of so many seconds.
func at[E session.Entry](id, parent session.EntryID, second int, e E) E {
	e.Base().ID, e.Base().ParentID = id, parent
	e.Base().Timestamp = session.Time{Time: time.Date(2025, 1, 1, 0, 0, second, 0, time.UTC)}
	return e
}

// outline writes a tree: id, label and children of each node.
func outline(nodes []*session.Node) string {
	var parts []string
	for _, n := range nodes {
		part := string(n.ID)
		if n.Label != "" {
			part += fmt.Sprintf("[%s@%d]", n.Label, n.LabelTime.Second())
		}
		if len(n.Children) > 0 {
			part += "(" + outline(n.Children) + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " ")
}

func label(target session.EntryID, text string) *session.LabelEntry {
	return &session.LabelEntry{TargetID: target, Label: text}
}

func TestSES20_Tree(t *testing.T) {
	s := newStore(t,
		at("a", "", 5, storetest.User("root")),
		at("b", "a", 6, storetest.Assistant("answer")),
		at("c", "b", 9, storetest.User("later, though added first")),
		at("d", "b", 7, storetest.User("earlier")),
		at("e", "", 1, storetest.User("another root")),
		at("f", "c", 10, label("b", "crossing")),
		at("g", "f", 11, label("d", "gone")),
		at("h", "g", 12, label("d", "")),
		at("i", "h", 13, label("a", "first")),
		at("j", "i", 14, label("a", "second")),
		at("k", "j", 15, label("nonesuch", "lost")),
	)
	roots, err := session.Tree(s)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := outline(roots), "a[second@14](b[crossing@10](d c(f(g(h(i(j(k)))))))) e"; got != want {
		t.Errorf("the tree is %s, want %s", got, want)
	}
	if n := roots[0].Children[0]; n.Type != session.TypeMessage || n.ParentID != "a" || n.Time.Second() != 6 {
		t.Errorf("a node is %+v", n)
	}
	labels, err := session.Labels(s)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range labels {
		got = append(got, string(l.TargetID)+"="+l.Label)
	}
	if diff := cmp.Diff([]string{"b=crossing", "a=second", "nonesuch=lost"}, got); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
}

func TestReport_SES08_ALongChainMakesATreeAndACopy(t *testing.T) {
	const n = 200_000
	entries := make([]session.Entry, n)
	for i := range entries {
		entries[i] = &session.CustomEntry{CustomType: "x"}
	}
	entries[0] = storetest.User("x")
	s := newStore(t, entries...)
	roots, err := session.Tree(s)
	if err != nil {
		t.Fatal(err)
	}
	depth := 0
	for nodes := roots; len(nodes) > 0; nodes = nodes[0].Children {
		depth++
	}
	if depth != n {
		t.Errorf("the tree is %d deep, want %d", depth, n)
	}
	fork := newStore(t)
	if err := session.CopyBranch(fork, s, s.Leaf()); err != nil || fork.Len() != n {
		t.Errorf("%d entries were copied (%v)", fork.Len(), err)
	}
}
