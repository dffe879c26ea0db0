// Package extui is the terminal as extensions see it: dialogs, widgets, overlays, editors, themes
// and what else [extension.UI] has.
//
// Extensions call from goroutines of their own. What they change of what is shown is either
// state of this package, behind the lock of the part that owns it, or a message to the loop
// ([Loop.Later]); nothing here waits for the screen but what says so. A component of an extension
// is called on a goroutine of its own ([hosted]), so that one that is slow holds up nothing but
// itself.
package extui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/dialog"
	"github.com/rondo-agent/rondo/mode/tui/input"
	"github.com/rondo-agent/rondo/mode/tui/view"
)

// Loop is the goroutine that owns the terminal, as others reach it. Its methods may be called
// from any goroutine and do not wait.
type Loop interface {
	// Later does something with the model, in the order of the session's events; false if the
	// terminal does not run. ended is closed when it has ended.
	Later(fn func(Model)) (ended <-chan struct{}, ok bool)
	// Notify shows a message, in the order of the session's events.
	Notify(level chat.Level, message string)
	// Refresh draws again what comes from outside of the model, soon.
	Refresh()
	// Stopped is closed when the terminal has ended for good.
	Stopped() <-chan struct{}
	// Size returns columns and rows.
	Size() (columns, rows int)
}

// Model is what extensions may change of the terminal. Its methods are called by the goroutine
// that owns it.
type Model interface {
	Input() *input.Box
	Dialogs() *dialog.Stack
	Conversation() *view.Conversation
	// Press takes a key that was pressed.
	Press(k tea.KeyPressMsg)
	// Submit sends what is in the editor.
	Submit()
	// SetTitle names the window; an empty title is the usual one.
	SetTitle(title string)
	// Recolour draws with another theme.
	Recolour(t *theme.Theme)
	// Release gives the terminal to another program, and Resume takes it back.
	Release()
	Resume()
}

// spinTime is how often what moves is drawn again.
const spinTime = 100 * time.Millisecond

var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
