// Package calls puts the tool calls of a chat completion together, which come in pieces.
package calls

import "github.com/rondo-agent/rondo/ai"

// Piece is a piece of a call; what it has not is empty.
type Piece struct {
	ID, Name  string
	Arguments string
	// Index is the place of the call in the answer, if Indexed says that the server gave one.
	Index   int
	Indexed bool
}

// Calls tells the calls of an answer apart. Servers leave out ids or indices, or give the
// same index to several calls. So a known id decides; a new id with the index of another
// call opens a call, if it brings a name; without an id the index decides; with neither a
// piece continues the last call. The zero value is ready to use.
type Calls struct {
	list    []*call
	byID    map[string]*call
	byIndex map[int]*call // the newest with this index
}

// call is one call of the answer.
type call struct {
	block    int // its content index
	id, name string
}

// Add takes one piece of a call.
func (cs *Calls) Add(w *ai.Writer, p *Piece) {
	c := cs.find(p)
	switch {
	case c == nil:
		c = &call{block: w.StartToolCall(p.ID, p.Name), id: p.ID, name: p.Name}
		cs.remember(c, p)
	case c.id == "" && p.ID != "" || p.Name != "" && p.Name != c.name:
		if c.id == "" && p.ID != "" {
			c.id = p.ID
			cs.byID[p.ID] = c
		}
		c.name = p.Name
		w.SetToolCall(c.block, c.id, p.Name)
	}
	w.Append(c.block, p.Arguments)
}

func (cs *Calls) remember(c *call, p *Piece) {
	if cs.byID == nil {
		cs.byID, cs.byIndex = make(map[string]*call), make(map[int]*call)
	}
	cs.list = append(cs.list, c)
	if c.id != "" {
		cs.byID[c.id] = c
	}
	if p.Indexed {
		cs.byIndex[p.Index] = c
	}
}

// find returns the call that a piece belongs to; nil for a new one.
func (cs *Calls) find(p *Piece) *call {
	if c := cs.byID[p.ID]; c != nil {
		return c
	}
	if !p.Indexed {
		if p.ID != "" || len(cs.list) == 0 {
			return nil
		}
		return cs.list[len(cs.list)-1]
	}
	c := cs.byIndex[p.Index]
	if c != nil && p.ID != "" && c.id != "" && p.Name != "" {
		return nil
	}
	return c
}

// Block returns the content index of the call with this id; -1 if there is none.
func (cs *Calls) Block(id string) int {
	if c := cs.byID[id]; c != nil {
		return c.block
	}
	return -1
}

// Name gives ids that newID makes to calls that the server gave none, so that results can be
// told apart.
func (cs *Calls) Name(w *ai.Writer, newID func() string) {
	for _, c := range cs.list {
		if c.id == "" {
			w.SetToolCall(c.block, newID(), "")
		}
	}
}
