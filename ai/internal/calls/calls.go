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
// piece continues the last call.
//
// A call is announced with the id and the name that it keeps. One that begins with neither
// is held back until one of them comes; one that has a name and no id gets an id of NewID,
// so that results can be told apart, whatever id the server names later.
type Calls struct {
	// NewID makes an id for a call that the server gives none.
	NewID func() string

	list    []*call
	byID    map[string]*call // by the ids that the server has named
	byIndex map[int]*call    // the newest with this index
}

// call is one call of the answer.
type call struct {
	block    int // its content index, if it has been announced
	open     bool
	id, name string // as the server has named them
	held     []byte // arguments that came before it was announced
}

// Add takes one piece of a call.
func (cs *Calls) Add(w *ai.Writer, p *Piece) {
	c := cs.find(p)
	if c == nil {
		c = &call{id: p.ID}
		cs.remember(c, p)
	}
	if c.id == "" && p.ID != "" {
		c.id = p.ID
		cs.byID[p.ID] = c
	}
	if p.Name != "" && p.Name != c.name {
		c.name = p.Name
		if c.open {
			w.SetToolCall(c.block, "", c.name)
		}
	}
	switch {
	case c.open:
		w.Append(c.block, p.Arguments)
	case c.id == "" && c.name == "":
		c.held = append(c.held, p.Arguments...)
	default:
		c.held = append(c.held, p.Arguments...)
		cs.announce(w, c)
	}
}

// announce begins the block of a call.
func (cs *Calls) announce(w *ai.Writer, c *call) {
	id := c.id
	if id == "" {
		id = cs.NewID()
	}
	c.block, c.open = w.StartToolCall(id, c.name), true
	w.Append(c.block, string(c.held))
	c.held = nil
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

// Block returns the content index of the call that the server named so; -1 if there is none.
func (cs *Calls) Block(id string) int {
	if c := cs.byID[id]; c != nil && c.open {
		return c.block
	}
	return -1
}

// Flush announces the calls that are held back, at the end of the answer.
func (cs *Calls) Flush(w *ai.Writer) {
	for _, c := range cs.list {
		if !c.open {
			cs.announce(w, c)
		}
	}
}
