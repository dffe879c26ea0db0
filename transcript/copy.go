package transcript

import (
	"fmt"
	"slices"
)

// A copy is made in steps of so many entries or bytes, so that the memory that it takes
// does not depend on the length of the session.
const (
	batchEntries = 256
	batchBytes   = 4 << 20
)

// CopyBranch copies the path from the root to the entry leaf into dst, which must be
// empty: the context there is the same. Entries keep their ids and times. Labels are left
// out of the path, since those of other branches may follow later ones, and come at its end
// as far as they mark something on it. An empty leaf copies nothing.
func CopyBranch(dst, src Store, leaf EntryID) error {
	ids, err := Path(src, leaf)
	if err != nil {
		return fmt.Errorf("copy a branch of session %s: %w", src.Header().ID, err)
	}
	c := copier{dst: dst, copied: make(map[EntryID]struct{}, len(ids)), moved: make(map[EntryID]EntryID)}
	for _, id := range ids {
		e, err := src.Entry(id)
		if err != nil {
			return fmt.Errorf("copy a branch of session %s: %w", src.Header().ID, err)
		}
		if err := c.link(e); err != nil {
			return err
		}
	}
	labels, err := Labels(src)
	if err != nil {
		return fmt.Errorf("copy the labels of session %s: %w", src.Header().ID, err)
	}
	for _, l := range labels {
		if _, copied := c.copied[l.TargetID]; !copied {
			continue
		}
		if err := c.add(&LabelEntry{EntryBase: EntryBase{Timestamp: l.Timestamp}, TargetID: l.TargetID, Label: l.Label}); err != nil {
			return err
		}
	}
	return c.flush()
}

// copier writes entries in steps.
type copier struct {
	dst     Store
	entries []Entry
	bytes   int
	copied  map[EntryID]struct{}

	// Of a path without labels:
	last EntryID // that was written
	// moved maps a label that was left out to the next entry that was not, and waiting
	// are those for which that is still to come.
	moved   map[EntryID]EntryID
	waiting []EntryID
}

// link adds the next entry of the path.
func (c *copier) link(e Entry) error {
	base := e.Base()
	if e.Type() == TypeLabel {
		c.waiting = append(c.waiting, base.ID)
		c.moved[base.ID] = base.ID
		return nil
	}
	for _, id := range c.waiting {
		c.moved[id] = base.ID
	}
	c.waiting = c.waiting[:0]
	e, err := c.relink(e)
	if err != nil {
		return err
	}
	c.last = base.ID
	return c.add(e)
}

// relink returns the entry as a child of the last one. What it says about a label that is
// left out it says about the entry after that.
func (c *copier) relink(e Entry) (Entry, error) {
	compaction, compacted := e.(*CompactionEntry)
	kept := EntryID("")
	if compacted {
		kept = c.moved[compaction.FirstKeptEntryID]
	}
	if e.Base().ParentID == c.last && kept == "" {
		return e, nil
	}
	e, err := duplicate(e)
	if err != nil {
		return nil, err
	}
	e.Base().Rebase(e.Base().ID, c.last)
	if compaction, ok := e.(*CompactionEntry); ok && kept != "" {
		compaction.FirstKeptEntryID = kept
	}
	return e, nil
}

func (c *copier) add(e Entry) error {
	c.entries = append(c.entries, e)
	c.bytes += len(e.Base().Raw())
	c.copied[e.Base().ID] = struct{}{}
	if len(c.entries) < batchEntries && c.bytes < batchBytes {
		return nil
	}
	return c.flush()
}

func (c *copier) flush() error {
	err := c.dst.Append(c.entries...)
	clear(c.entries)
	c.entries, c.bytes = c.entries[:0], 0
	return err
}

// duplicate returns an entry of its own, for a change.
func duplicate(e Entry) (Entry, error) {
	raw, err := EncodeEntry(e)
	if err != nil {
		return nil, err
	}
	return DecodeEntry(slices.Clone(raw))
}

// CopyTree copies all entries into dst, which must be empty, with ids, times and labels.
// The leaf is the same afterwards, also for who opens the copy again: if it is not the last
// entry, one that changes nothing is added below it.
func CopyTree(dst, src Store) error {
	leaf := src.Leaf()
	c := copier{dst: dst, copied: make(map[EntryID]struct{}, src.Len())}
	for e, err := range src.Entries() {
		if err != nil {
			return fmt.Errorf("copy session %s: %w", src.Header().ID, err)
		}
		if _, twice := c.copied[e.Base().ID]; twice {
			err = c.separate(e)
		} else {
			err = c.add(e)
		}
		if err != nil {
			return err
		}
	}
	if err := c.flush(); err != nil {
		return err
	}
	return point(dst, leaf)
}

// separate adds an entry whose id is taken, as a damaged file may have, under a new one.
func (c *copier) separate(e Entry) error {
	if err := c.flush(); err != nil {
		return err
	}
	e, err := duplicate(e)
	if err != nil {
		return err
	}
	if err := c.dst.SetLeaf(e.Base().ParentID); err != nil {
		return err
	}
	e.Base().Rebase("", "")
	return c.dst.Append(e)
}

// point makes leaf the leaf of a store, so that the file says it.
func point(s Store, leaf EntryID) error {
	if s.Leaf() == leaf {
		return nil
	}
	past, err := Project(s, leaf)
	if err != nil {
		return err
	}
	if err := s.SetLeaf(leaf); err != nil {
		return err
	}
	level := past.ThinkingLevel
	if level == "" {
		return s.Append(&CustomEntry{CustomType: "rondo.leaf"})
	}
	return s.Append(&ThinkingLevelEntry{ThinkingLevel: level})
}
