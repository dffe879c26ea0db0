package extui

import "sync"

// folding is whether results are shown in full, as extensions see it at once and the model a
// little later.
type folding struct {
	on *stage

	mu       sync.Mutex
	expanded bool
	changes  int // that the model does not have yet
}

// ToolsExpanded implements [extension.UI].
func (u *folding) ToolsExpanded() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.expanded
}

// SetToolsExpanded implements [extension.UI].
func (u *folding) SetToolsExpanded(on bool) {
	u.mu.Lock()
	u.expanded = on
	u.changes++
	u.mu.Unlock()
	done := func() {
		u.mu.Lock()
		u.changes--
		u.mu.Unlock()
	}
	if !u.on.later(func(m Model) {
		m.Conversation().Expand(on)
		done()
	}) {
		done()
	}
}

// MatchExpanded tells what the model has.
func (u *folding) MatchExpanded(on bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.changes == 0 {
		u.expanded = on
	}
}
