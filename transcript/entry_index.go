package transcript

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
)

// Index is the tree of a session's entries: ids and parents, without the entries
// themselves. Implementations of [Store] are built on it. A parent always comes before its
// children, so there are no cycles, and every walk is a loop. The zero Index is empty.
type Index struct {
	nodes []node
	at    map[EntryID]int
	leaf  int // one past the leaf's position; 0 is no leaf
}

type node struct {
	id     EntryID
	parent int // position, or -1
}

// Len returns the number of entries.
func (x *Index) Len() int { return len(x.nodes) }

// ID returns the id of the entry at position i, in order of addition.
func (x *Index) ID(i int) EntryID { return x.nodes[i].id }

// Parent returns the position of the parent of the entry at position i, or -1.
func (x *Index) Parent(i int) int { return x.nodes[i].parent }

// ParentID returns the id of the parent of the entry at position i; empty at a root.
func (x *Index) ParentID(i int) EntryID {
	if p := x.nodes[i].parent; p >= 0 {
		return x.nodes[p].id
	}
	return ""
}

// Find returns the position of an entry. Where an id was added twice, the later entry has
// it.
func (x *Index) Find(id EntryID) (int, bool) {
	i, ok := x.at[id]
	return i, ok
}

// After returns the position behind an entry; that of the first one for the empty id.
func (x *Index) After(id EntryID) (int, bool) {
	if id == "" {
		return 0, true
	}
	i, ok := x.at[id]
	return i + 1, ok
}

// Add adds an entry as a child of the one at position parent, or as a root for -1, and
// moves the leaf to it.
func (x *Index) Add(id EntryID, parent int) {
	if x.at == nil {
		x.at = make(map[EntryID]int)
	}
	x.at[id] = len(x.nodes)
	x.nodes = append(x.nodes, node{id, parent})
	x.leaf = len(x.nodes)
}

// Leaf returns the id of the leaf; it is empty if the next entry becomes a root.
func (x *Index) Leaf() EntryID {
	if x.leaf == 0 {
		return ""
	}
	return x.nodes[x.leaf-1].id
}

// SetLeaf moves the leaf. It returns [ErrNoEntry] for an unknown id.
func (x *Index) SetLeaf(id EntryID) error {
	if id == "" {
		x.leaf = 0
		return nil
	}
	i, ok := x.Find(id)
	if !ok {
		return NoEntry(id)
	}
	x.leaf = i + 1
	return nil
}

// Admit completes the bases of new entries, adds them, and returns a function that takes
// all of it back, for a store that fails to write them. On an error nothing is changed.
func (x *Index) Admit(entries []Entry) (undo func(), err error) {
	before, leaf := len(x.nodes), x.leaf
	olds := make([]EntryBase, 0, len(entries))
	undo = func() {
		for _, n := range x.nodes[before:] {
			delete(x.at, n.id)
		}
		x.nodes, x.leaf = x.nodes[:before], leaf
		for i, old := range olds {
			*entries[i].Base() = old
		}
	}
	for _, e := range entries {
		olds = append(olds, *e.Base())
		if err := x.admit(e.Base()); err != nil {
			undo()
			return nil, err
		}
	}
	return undo, nil
}

func (x *Index) admit(b *EntryBase) error {
	parent := x.leaf - 1
	if b.ID == "" {
		b.Rebase(x.newID(), x.Leaf())
	} else {
		if _, taken := x.Find(b.ID); taken {
			return fmt.Errorf("add entry %q: the session has an entry with this id already", b.ID)
		}
		var ok bool
		if parent, ok = x.Find(b.ParentID); !ok && b.ParentID != "" {
			return fmt.Errorf("add entry %q under %q: %w", b.ID, b.ParentID, ErrNoEntry)
		} else if !ok {
			parent = -1
		}
	}
	if b.Timestamp.IsZero() && b.raw == nil {
		b.Timestamp = Now()
	}
	x.Add(b.ID, parent)
	return nil
}

// newID returns an id that no entry has.
func (x *Index) newID() EntryID {
	for {
		var bits [4]byte
		binary.BigEndian.PutUint32(bits[:], rand.Uint32())
		id := EntryID(hex.EncodeToString(bits[:]))
		if _, taken := x.at[id]; !taken {
			return id
		}
	}
}
