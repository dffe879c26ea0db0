package openai

import (
	"crypto/rand"

	"github.com/rondo-agent/rondo/ai"
)

// calls tells the calls of an answer apart. Servers leave out ids or indices, or give
// the same index to several calls. So a known id decides; a new id with the index of
// another call opens a call, if it brings a name; without an id the index decides; with
// neither a piece continues the last call.
type calls struct {
	list    []*call
	byID    map[string]*call
	byIndex map[int]*call // the newest with this index
}

// call is one call of the answer.
type call struct {
	block    int // its content index
	id, name string
}

// add takes one piece of a call.
func (cs *calls) add(w *ai.Writer, d *callDelta) {
	id, name := string(d.ID), string(d.Function.Name)
	c := cs.find(d)
	switch {
	case c == nil:
		c = &call{block: w.StartToolCall(id, name), id: id, name: name}
		cs.remember(c, d.Index)
	case c.id == "" && id != "" || name != "" && name != c.name:
		if c.id == "" && id != "" {
			c.id = id
			cs.byID[id] = c
		}
		c.name = name
		w.SetToolCall(c.block, c.id, name)
	}
	w.Append(c.block, string(d.Function.Arguments))
}

func (cs *calls) remember(c *call, at position) {
	if cs.byID == nil {
		cs.byID, cs.byIndex = make(map[string]*call), make(map[int]*call)
	}
	cs.list = append(cs.list, c)
	if c.id != "" {
		cs.byID[c.id] = c
	}
	if at.given {
		cs.byIndex[at.n] = c
	}
}

// find returns the call that a piece belongs to; nil for a new one.
func (cs *calls) find(d *callDelta) *call {
	if c := cs.byID[string(d.ID)]; c != nil {
		return c
	}
	if !d.Index.given {
		if d.ID != "" || len(cs.list) == 0 {
			return nil
		}
		return cs.list[len(cs.list)-1]
	}
	c := cs.byIndex[d.Index.n]
	if c != nil && d.ID != "" && c.id != "" && d.Function.Name != "" {
		return nil
	}
	return c
}

// index returns the content index of the call with this id; -1 if there is none.
func (cs *calls) index(id string) int {
	if c := cs.byID[id]; c != nil {
		return c.block
	}
	return -1
}

// name gives ids to calls that the server gave none, so that results can be told apart.
func (cs *calls) name(w *ai.Writer) {
	for _, c := range cs.list {
		if c.id == "" {
			w.SetToolCall(c.block, "call_"+rand.Text(), "")
		}
	}
}
