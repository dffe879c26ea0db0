package extui

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/tui/input"
)

// interceptors are the handlers that see what is typed. While there are any, keys pass them one
// after another beside the screen, in the order in which they were typed.
type interceptors struct {
	on     *stage
	worker worker
	busy   atomic.Int32 // keys that have not reached the model again

	mu       sync.Mutex
	handlers map[int]extension.TerminalInputHandler
	nextID   int
}

func newInterceptors(on *stage) interceptors {
	return interceptors{on: on, handlers: make(map[int]extension.TerminalInputHandler)}
}

// maxIntercepted is how many keys wait for handlers; what is typed then passes them by.
const maxIntercepted = 100

// OnTerminalInput implements [extension.UI].
func (u *interceptors) OnTerminalInput(handler extension.TerminalInputHandler) (off func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.nextID++
	id := u.nextID
	u.handlers[id] = handler
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.handlers, id)
	}
}

// all returns the handlers in the order in which they came.
func (u *interceptors) all() []extension.TerminalInputHandler {
	u.mu.Lock()
	defer u.mu.Unlock()
	var all []extension.TerminalInputHandler
	for _, id := range slices.Sorted(maps.Keys(u.handlers)) {
		all = append(all, u.handlers[id])
	}
	return all
}

func (u *interceptors) reset() {
	u.mu.Lock()
	defer u.mu.Unlock()
	clear(u.handlers)
}

// Intercept gives a key to the handlers, and what they make of it to [Model.Press]; false if there
// are none.
func (u *interceptors) Intercept(k tea.KeyPressMsg) bool {
	handlers := u.all()
	if len(handlers) == 0 && u.busy.Load() == 0 || u.worker.waiting() >= maxIntercepted {
		return false
	}
	u.busy.Add(1)
	u.worker.do(func() {
		next, ok := passed(handlers, k)
		if !u.on.later(func(m Model) {
			u.busy.Add(-1)
			if ok {
				m.Press(next)
			}
		}) {
			u.busy.Add(-1)
		}
	})
	return true
}

// passed is what handlers make of a key; false if one of them has consumed it.
func passed(handlers []extension.TerminalInputHandler, k tea.KeyPressMsg) (tea.KeyPressMsg, bool) {
	data := input.Encode(k)
	for _, h := range handlers {
		changed, consumed := h(data)
		if consumed {
			return k, false
		}
		if changed != data {
			next, ok := input.Decode(changed)
			if !ok {
				return k, false
			}
			k, data = next, changed
		}
	}
	return k, true
}
