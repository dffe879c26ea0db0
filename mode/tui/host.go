package tui

import (
	"context"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/command"
	"github.com/rondo-agent/rondo/mode/tui/dialog"
	"github.com/rondo-agent/rondo/mode/tui/editor"
	"github.com/rondo-agent/rondo/mode/tui/extui"
	"github.com/rondo-agent/rondo/mode/tui/input"
	"github.com/rondo-agent/rondo/mode/tui/prefs"
	"github.com/rondo-agent/rondo/mode/tui/screen"
	"github.com/rondo-agent/rondo/mode/tui/view"
	"github.com/rondo-agent/rondo/session"
)

// host is the terminal as commands see it.
type host struct{ *app }

var _ command.Host = host{}

// Runtime implements [command.Host].
func (a host) Runtime() *session.Runtime { return a.runtime }

// Open implements [command.Host].
func (a *app) Open(d dialog.Dialog) {
	a.input.CloseSuggestions()
	a.dialogs.Push(d)
}

// Close implements [command.Host].
func (a *app) Close(d dialog.Dialog) { a.dialogs.Remove(d) }

// Draft implements [command.Host].
func (a host) Draft() *editor.Editor { return &a.input.Editor }

// Copy implements [command.Host].
func (a host) Copy(s string) { a.term.copy(s) }

// Busy implements [command.Host].
func (a *app) Busy() bool {
	st := a.conv.Chat.Status()
	return st.Working || st.Compacting != "" || a.shells.running > 0
}

// UI implements [command.Host].
func (a host) UI() *extui.UI { return a.t.ui }

// Preferences implements [command.Host].
func (a host) Preferences() *prefs.Preferences { return &a.t.opts.Preferences }

// ApplyTheme implements [command.Host].
func (a *app) ApplyTheme() {
	name := extui.Chosen(a.t.opts.Theme, !a.term.light)
	a.Do(func(context.Context) func() {
		err := a.t.ui.UseTheme(name)
		return func() { a.Fail(err) }
	})
}

// ApplyImages implements [command.Host].
func (a host) ApplyImages() {
	a.t.ui.PreferImages(a.t.opts.Preferences)
	a.conv.ImageWidth = a.t.opts.ImageWidth
	a.conv.RedrawTurn()
}

// Show implements [command.Host].
func (a host) Show(s *session.Session, messages []agent.Message, why string) {
	a.show(showing(s, messages, why))
}

// Unfold implements [command.Host].
func (a host) Unfold(on bool) { a.conv.Unfold(on) }

// Quit implements [command.Host].
func (a *app) Quit() { a.end.quitting = true }

// model is the terminal as extensions see it.
type model struct{ *app }

var _ extui.Model = model{}

// Input implements [extui.Model].
func (a model) Input() *input.Box { return &a.input }

// Dialogs implements [extui.Model].
func (a model) Dialogs() *dialog.Stack { return &a.dialogs }

// Conversation implements [extui.Model].
func (a model) Conversation() *view.Conversation { return a.conv }

// Press implements [extui.Model].
func (a model) Press(k tea.KeyPressMsg) { a.follow(a.press(k)) }

// Submit implements [extui.Model].
func (a model) Submit() { a.submit(session.Steer) }

// SetTitle implements [extui.Model].
func (a *app) SetTitle(title string) {
	if title == "" {
		title = "rondo · " + filepath.Base(command.Folder(a.session()))
	}
	a.term.write([]byte(screen.Title(text.OneLine(title))))
}

// Recolour implements [extui.Model].
func (a model) Recolour(t *theme.Theme) {
	a.conv.SetTheme(t)
	a.drawer.Recoloured()
	a.t.ui.Recoloured(a)
}

// Release implements [extui.Model].
func (a model) Release() {
	a.leave()
	a.Fail(a.prog.ReleaseTerminal()) // it reads no keys
}

// Resume implements [extui.Model].
func (a model) Resume() {
	a.Fail(a.prog.RestoreTerminal())
	a.enter()
}

// source is what the text is completed from.
type source struct{ a *app }

var _ input.Source = source{}

// Commands implements [input.Source].
func (s source) Commands(typed string) []input.Suggestion { return s.a.commands.Items(typed) }

// Arguments implements [input.Source].
func (s source) Arguments(name, typed string) (found []input.Suggestion, known bool) {
	return s.a.commands.Arguments(name, typed)
}

// Asker implements [input.Source].
func (s source) Asker(name string) func(ctx context.Context, typed string) []input.Suggestion {
	extensions := s.a.session().Extensions()
	c := extensions.Command(name)
	if c == nil || c.Completions == nil {
		return nil
	}
	return func(ctx context.Context, typed string) []input.Suggestion {
		return input.Suggestions(extensions.Complete(ctx, c, typed))
	}
}

// Folder implements [input.Source].
func (s source) Folder() string { return command.Folder(s.a.session()) }

// Provider implements [input.Source].
func (s source) Provider() extension.AutocompleteProvider { return s.a.t.ui.Provider() }

// Writing implements [input.Source].
func (s source) Writing() bool { return s.a.t.ui.Writing() }

// askBackground asks the terminal for its background, if the theme depends on it.
func (a *app) askBackground() {
	if strings.Contains(a.t.opts.Theme, "/") {
		a.term.write([]byte("\x1b]11;?\a"))
	}
}

// askCell asks the terminal how large a character is, if images are shown.
func (a *app) askCell() {
	if p, _ := a.t.ui.Images().Protocol(); p.Name != "" {
		a.term.write([]byte("\x1b[16t"))
	}
}
