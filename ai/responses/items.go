package responses

import (
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// kind is what an output item becomes.
type kind int

const (
	other kind = iota // nothing; its pieces are passed over
	message
	thought
	call
)

func kindOf(itemType text) kind {
	switch itemType {
	case "message":
		return message
	case "reasoning":
		return thought
	case "function_call":
		return call
	}
	return other
}

// item is an output item of the answer.
type item struct {
	kind   kind
	block  int // its content index; -1 for other
	index  wire.Index
	id     string
	callID string
	name   string
	phase  string

	pieces bool // text has come in deltas
	gap    bool // what came last is the gap between two parts of a summary
	whole  bool // the arguments have come to their end
	done   bool

	unsealed jsontext.Value // a reasoning item that came without its encrypted content
}

// items tells the items of an answer apart: by id, by output index where an id is not
// known, and without either only where there is one item that can be meant.
type items struct {
	list    []*item
	byIndex map[int]*item
	byID    map[string]*item
}

// errUnattributed ends an answer whose pieces cannot be put together for certain.
var errUnattributed = errors.New("the answer has pieces that may belong to several of its items: the server leaves out output_index and item_id; nothing of it is run")

func (s *items) add(it *item) {
	if s.byID == nil {
		s.byIndex, s.byID = make(map[int]*item), make(map[string]*item)
	}
	s.list = append(s.list, it)
	if it.index.Given {
		s.byIndex[it.index.N] = it.beside(s.byIndex[it.index.N])
	}
	for _, id := range []string{it.callID, it.id} {
		if id != "" {
			s.byID[id] = it.beside(s.byID[id])
		}
	}
}

// several stands for items that share an index or an id while they are open.
var several = new(item)

// beside returns what an index or an id stands for that stood for before until now.
func (it *item) beside(before *item) *item {
	if before == nil || before == it || before.done || before != several && before.kind != it.kind {
		return it
	}
	return several
}

// find returns the item of a piece of this kind. Without index and id it is the only one
// that is still open; several are an error. nil means that the item is not known.
func (s *items) find(index wire.Index, id []byte, of kind) (*item, error) {
	var byID, byIndex *item
	if len(id) > 0 {
		byID = s.byID[string(id)]
	}
	if index.Given {
		byIndex = s.byIndex[index.N]
	}
	for _, it := range []*item{byID, byIndex} {
		if it != nil && it != several {
			return it, nil
		}
	}
	switch {
	case byID == several || byIndex == several:
		return nil, errUnattributed
	case index.Given || len(id) > 0:
		return nil, nil
	}
	return s.only(func(it *item) bool { return it.kind == of })
}

// at returns the item with this index that the whole item o stands for as well. Item ids
// may differ, since some servers make them anew for each event. Call ids do not; and an
// item that has ended is another one if its id differs, of a server that uses an index
// again.
func (s *items) at(index wire.Index, o *outputItem) *item {
	it := s.byIndex[index.N]
	switch {
	case it == nil || it == several || !index.Given || it.kind != kindOf(o.Type):
		return nil
	case it.kind == call && it.callID != string(o.CallID) && it.callID != "" && o.CallID != "":
		return nil
	case it.done && it.id != string(o.ID):
		return nil
	}
	return it
}

// finished returns the item that an item's end belongs to; nil for one that is new.
func (s *items) finished(index wire.Index, end *outputItem) (*item, error) {
	of := kindOf(end.Type)
	for _, id := range []text{end.ID, end.CallID} {
		it := s.byID[string(id)]
		if it == nil || it == several || id == "" || it.kind != of {
			continue
		}
		if again := it.done && index.Given && it.index != index; !again {
			return it, nil
		}
	}
	if it := s.at(index, end); it != nil {
		return it, nil
	}
	if index.Given {
		return nil, nil
	}
	named := end.ID != "" || end.CallID != ""
	return s.only(func(it *item) bool {
		anonymous := !it.index.Given && it.id == "" && it.callID == ""
		return it.kind == of && it.name == string(end.Name) && (anonymous || !named)
	})
}

// only returns the one open item of which this is true; nil if there is none.
func (s *items) only(is func(*item) bool) (*item, error) {
	var found *item
	for _, it := range s.list {
		if it.done || !is(it) {
			continue
		}
		if found != nil {
			return nil, errUnattributed
		}
		found = it
	}
	return found, nil
}

// complete reports whether all items before this one are known.
func (s *items) complete(before wire.Index) bool {
	if !before.Given {
		return true
	}
	if before.N > len(s.list) {
		return false
	}
	for n := range before.N {
		if s.byIndex[n] == nil {
			return false
		}
	}
	return true
}

// held are items that came as a whole, and before others that they follow.
type held []heldItem

type heldItem struct {
	index wire.Index
	item  outputItem
}

// take returns an item for which ready is true, the first ones first.
func (h *held) take(ready func(wire.Index) bool) (heldItem, bool) {
	slices.SortStableFunc(*h, func(a, b heldItem) int { return a.index.N - b.index.N })
	for i, item := range *h {
		if ready(item.index) {
			*h = slices.Delete(*h, i, i+1)
			return item, true
		}
	}
	return heldItem{}, false
}
