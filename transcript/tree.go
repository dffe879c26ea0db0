package transcript

import "slices"

// Node is an entry's place in the tree of a session.
type Node struct {
	ID EntryID
	// ParentID is empty at a root.
	ParentID EntryID
	Type     string
	Time     Time
	// Label is the entry's mark, and LabelTime when it was set; empty if it has none.
	Label     string
	LabelTime Time
	// Children are the entries below, oldest first.
	Children []*Node
}

// Tree returns the roots of a session's tree, in the order in which they were added:
// usually one. The entries themselves are read with [Store.Entry] when they are needed, so
// that the tree of a large session is small. A chain may be as long as the session: walk
// it with a loop.
func Tree(s Store) ([]*Node, error) {
	nodes := make(map[EntryID]*Node, s.Len())
	var roots []*Node
	for e, err := range s.Entries() {
		if err != nil {
			return nil, err
		}
		base := e.Base()
		n := &Node{ID: base.ID, ParentID: base.ParentID, Type: e.Type(), Time: base.Timestamp}
		if parent := nodes[base.ParentID]; parent != nil {
			parent.Children = append(parent.Children, n)
		} else {
			roots = append(roots, n)
		}
		nodes[base.ID] = n
		if label, ok := e.(*LabelEntry); ok && nodes[label.TargetID] != nil {
			target := nodes[label.TargetID]
			target.Label, target.LabelTime = label.Label, base.Timestamp
		}
	}
	for _, n := range nodes {
		slices.SortStableFunc(n.Children, func(a, b *Node) int { return a.Time.Compare(b.Time.Time) })
	}
	return roots, nil
}

// Labels returns the labels that are in force, in the order in which they were set.
func Labels(s Store) ([]*LabelEntry, error) {
	var all []*LabelEntry
	newest := make(map[EntryID]*LabelEntry)
	for e, err := range s.Entries(TypeLabel) {
		if err != nil {
			return nil, err
		}
		if label, ok := e.(*LabelEntry); ok {
			all = append(all, label)
			newest[label.TargetID] = label
		}
	}
	return slices.DeleteFunc(all, func(l *LabelEntry) bool { return l.Label == "" || newest[l.TargetID] != l }), nil
}

// Path returns the ids from the root to the entry leaf. Of an id that a damaged file has
// twice, the place nearer to the leaf counts.
func Path(s Store, leaf EntryID) ([]EntryID, error) {
	if leaf == "" {
		return nil, nil
	}
	var ids []EntryID
	seen := make(map[EntryID]struct{})
	for e, err := range s.Ancestors(leaf) {
		if err != nil {
			return nil, err
		}
		id := e.Base().ID
		if _, twice := seen[id]; !twice {
			seen[id] = struct{}{}
			ids = append(ids, id)
		}
	}
	slices.Reverse(ids)
	return ids, nil
}
