package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

// outline writes a tree: id, label and children of each node.
func outline(nodes []*transcript.Node) string {
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

func TestTree(t *testing.T) {
	s := storetest.Memory(t,
		storetest.At("a", "", 5, storetest.User("root")),
		storetest.At("b", "a", 6, storetest.Assistant("answer")),
		storetest.At("c", "b", 9, storetest.User("later, though added first")),
		storetest.At("d", "b", 7, storetest.User("earlier")),
		storetest.At("e", "", 1, storetest.User("another root")),
		storetest.At("f", "c", 10, storetest.Label("b", "crossing")),
		storetest.At("g", "f", 11, storetest.Label("d", "gone")),
		storetest.At("h", "g", 12, storetest.Label("d", "")),
		storetest.At("i", "h", 13, storetest.Label("a", "first")),
		storetest.At("j", "i", 14, storetest.Label("a", "second")),
		storetest.At("k", "j", 15, storetest.Label("nonesuch", "lost")),
	)
	roots, err := transcript.Tree(s)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := outline(roots), "a[second@14](b[crossing@10](d c(f(g(h(i(j(k)))))))) e"; got != want {
		t.Errorf("the tree is %s, want %s", got, want)
	}
	if n := roots[0].Children[0]; n.Type != transcript.TypeMessage || n.ParentID != "a" || n.Time.Second() != 6 {
		t.Errorf("a node is %+v", n)
	}
	labels, err := transcript.Labels(s)
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

func TestALongChainMakesATreeAndACopy(t *testing.T) {
	const n = 200_000
	entries := make([]transcript.Entry, n)
	for i := range entries {
		entries[i] = &transcript.CustomEntry{CustomType: "x"}
	}
	entries[0] = storetest.User("x")
	s := storetest.Memory(t, entries...)
	roots, err := transcript.Tree(s)
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
	fork := storetest.Memory(t)
	if err := transcript.CopyBranch(fork, s, s.Leaf()); err != nil || fork.Len() != n {
		t.Errorf("%d entries were copied (%v)", fork.Len(), err)
	}
}
