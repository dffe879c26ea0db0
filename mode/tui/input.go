package tui

import (
	"context"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/extension"
)

// OnTerminalInput implements [extension.UI]. While there are handlers, keys pass them one
// after another beside the screen, in the order in which they were typed.
func (u *UI) OnTerminalInput(handler extension.TerminalInputHandler) (off func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.nextID++
	id := u.nextID
	u.inputs[id] = handler
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.inputs, id)
	}
}

// handlers returns those that see what is typed, in the order in which they came.
func (u *UI) handlers() []extension.TerminalInputHandler {
	u.mu.Lock()
	defer u.mu.Unlock()
	var all []extension.TerminalInputHandler
	for _, id := range slices.Sorted(maps.Keys(u.inputs)) {
		all = append(all, u.inputs[id])
	}
	return all
}

// intercepted is a key that has passed the handlers.
type intercepted struct{ tea.KeyPressMsg }

// intercept gives a key to the handlers; false if there are none.
func (a *app) intercept(k tea.KeyPressMsg) bool {
	handlers := a.opts.ui.handlers()
	if len(handlers) == 0 && a.intercepting == 0 {
		return false
	}
	a.intercepting++
	select {
	case a.typed <- func(context.Context) {
		next, ok := passed(handlers, k)
		a.prog.Send(callMsg(func(a *app) { a.intercepting-- }))
		if ok {
			a.prog.Send(intercepted{next})
		}
	}:
		return true
	default: // they have not looked at a hundred keys: the person comes first
		a.intercepting--
		return false
	}
}

// passed is what handlers make of a key; false if one of them has consumed it.
func passed(handlers []extension.TerminalInputHandler, k tea.KeyPressMsg) (tea.KeyPressMsg, bool) {
	data := encode(k)
	for _, h := range handlers {
		changed, consumed := h(data)
		if consumed {
			return k, false
		}
		if changed != data {
			next, ok := decode(changed)
			if !ok {
				return k, false
			}
			k, data = next, changed
		}
	}
	return k, true
}

// shortcut returns what an extension does for a key; nil if no extension wants it.
func (a *app) shortcut(k tea.KeyPressMsg) func(ctx context.Context) callMsg {
	shortcuts := a.session().Extensions().Shortcuts()
	if len(shortcuts) == 0 {
		return nil
	}
	for _, s := range shortcuts {
		if matchesKey(k, s.Key) {
			return func(ctx context.Context) callMsg {
				_ = a.session().Extensions().RunShortcut(ctx, &s) // a failure is reported
				return nil
			}
		}
	}
	return nil
}
