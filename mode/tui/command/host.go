package command

import (
	"context"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/config/oauth"
	"github.com/rondo-agent/rondo/mode/tui/dialog"
	"github.com/rondo-agent/rondo/mode/tui/editor"
	"github.com/rondo-agent/rondo/mode/tui/extui"
	"github.com/rondo-agent/rondo/mode/tui/prefs"
	"github.com/rondo-agent/rondo/session"
)

// Models are the models that a user may choose from.
type Models interface {
	// Available lists those that can be asked.
	Available() []*ai.Model
	// Get returns one of them by its provider and id; nil if there is none.
	Get(provider, id string) *ai.Model
}

// Settings keeps what a user has chosen for the next start.
type Settings interface {
	// Save changes one setting; the key is that of settings.json.
	Save(key string, value any) error
	// Value returns one, as it is stored or by default.
	Value(key string) any
}

// Accounts keeps the credentials of providers.
type Accounts interface {
	// Accounts lists the providers.
	Accounts() ([]Account, error)
	// Login logs in and stores what comes of it.
	Login(ctx context.Context, provider string, ui *oauth.UI) error
	// SaveKey stores an API key.
	SaveKey(ctx context.Context, provider, key string) error
	// Logout removes what is stored.
	Logout(ctx context.Context, provider string) error
}

// Host is the terminal, as commands see it. Its methods are called by the goroutine that owns the
// terminal.
type Host interface {
	// Context ends with the terminal.
	Context() context.Context
	Runtime() *session.Runtime
	// Do runs fn beside, for what may take a while, and what it returns with the model.
	Do(fn func(ctx context.Context) (then func()))
	// InOrder is Do for what must not overtake what was asked for before it.
	InOrder(fn func(ctx context.Context) (then func()))
	// Drain takes the events that have come.
	Drain()

	Open(d dialog.Dialog)
	Close(d dialog.Dialog)
	// Info and Fail add a notice to the conversation; a nil error adds none.
	Info(message string)
	Fail(err error)
	// Hint shows a message in the place of the status line, until the next key.
	Hint(message string)
	// Draft is the text that is being written.
	Draft() *editor.Editor
	// Copy puts a text into the clipboard.
	Copy(s string)

	// Show shows a session from its beginning, below what is there.
	Show(s *session.Session, messages []agent.Message, why string)
	// Measure asks the session again for what the status line shows, of which Name is a part.
	Measure()
	Name() string
	// Busy reports whether a run, a compaction or a command is under way.
	Busy() bool
	// Compacting tells that a compaction was asked for.
	Compacting()

	UI() *extui.UI
	// Preferences may be changed; ApplyTheme and ApplyImages draw with those that have been.
	Preferences() *prefs.Preferences
	ApplyTheme()
	ApplyImages()
	// Unfold shows thinking in full.
	Unfold(on bool)
	Quit()
}

// Commands are the commands of a terminal.
type Commands struct {
	Host
	Models   Models
	Settings Settings
	// Accounts are the credentials of the user; nil if they are kept elsewhere.
	Accounts Accounts
	// Sessions lists the sessions of the folder, the newest first.
	Sessions func(ctx context.Context) ([]SessionInfo, error)
}

func (c *Commands) session() *session.Session { return c.Runtime().Session() }

// settle changes the session beside the screen: extensions that hear of the change may ask
// something. What fn returns is shown as a hint.
func (c *Commands) settle(fn func(s *session.Session) (hint string, err error)) {
	s := c.session()
	c.Do(func(context.Context) func() {
		hint, err := fn(s)
		return func() {
			c.Fail(err)
			if hint != "" {
				c.Hint(hint)
			}
			c.Measure()
		}
	})
}

// CycleThinking switches to the next level of thinking.
func (c *Commands) CycleThinking() {
	c.settle(func(s *session.Session) (string, error) {
		level, err := s.CycleThinking()
		if err == nil && level == "" {
			return "this model does not think before it answers", nil
		}
		return "thinking: " + string(level), err
	})
}

// CycleModel switches to the next model, or to the one before.
func (c *Commands) CycleModel(back bool) {
	c.settle(func(s *session.Session) (string, error) {
		step := s.CycleModel
		if back {
			step = s.CycleModelBack
		}
		next, err := step()
		if err != nil || next == nil {
			return "there is no other model to switch to; /model shows all", err
		}
		return "model: " + next.Model.Provider + "/" + next.Model.ID, nil
	})
}
