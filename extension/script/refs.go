package script

import (
	"fmt"
	"strconv"
	"sync/atomic"
)

// ref is a function of the machine that Go keeps: a handler, a command, a tool. A machine that
// is started again has it under another number, which it gets when the extension hands the same
// thing over again.
type ref struct{ number atomic.Int64 }

func (r *ref) now() int { return int(r.number.Load()) }

// MarshalJSON makes it the number that the machine knows when it is called.
func (r *ref) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, r.number.Load(), 10), nil }

// refs are those of a host, by what they are for.
type refs struct {
	list  map[string]*ref
	begun map[string]bool // handed over since the machine was started
	count map[string]int
}

// ref returns the one for a function that is known by its name; known says that it comes from
// an earlier start of the machine.
func (in *instance) ref(kind, name string, fn int) (r *ref, known bool) {
	return in.host.refer(fmt.Sprint(in.id, " ", kind, " ", name), fn)
}

// named is ref for what is registered anew each time.
func (in *instance) named(kind, name string, fn int) *ref {
	r, _ := in.ref(kind, name, fn)
	return r
}

// next is ref for functions of which there may be several, by their order.
func (in *instance) next(kind, name string, fn int) (r *ref, known bool) {
	h := in.host
	h.mu.Lock()
	key := fmt.Sprint(in.id, " ", kind, " ", name)
	h.refs.count[key]++
	n := h.refs.count[key]
	h.mu.Unlock()
	return h.refer(fmt.Sprint(key, " ", n), fn)
}

func (h *host) refer(key string, fn int) (r *ref, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r = h.refs.list[key]
	if r == nil {
		r = new(ref)
		h.refs.list[key] = r
	} else {
		known = !h.refs.begun[key]
	}
	h.refs.begun[key] = true
	r.number.Store(int64(fn))
	return r, known
}

// startOver says that functions are handed over anew.
func (h *host) startOver() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refs.begun, h.refs.count = map[string]bool{}, map[string]int{}
	for _, r := range h.refs.list {
		r.number.Store(0)
	}
}
