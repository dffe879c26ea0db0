package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/mode/tui/dialog"
	"github.com/rondo-agent/rondo/mode/tui/extui"
	"github.com/rondo-agent/rondo/mode/tui/input"
	"github.com/rondo-agent/rondo/mode/tui/layer"
	"github.com/rondo-agent/rondo/session"
)

// twice is how soon a key must follow itself to mean more.
const twice = time.Second

// presses are when keys were pressed that mean more if they follow themselves.
type presses struct{ leave, escape time.Time }

// press takes a key that was pressed.
func (a *app) press(k tea.KeyPressMsg) tea.Cmd {
	a.hint = ""
	if k.String() != "ctrl+c" {
		a.presses.leave = time.Time{}
	}
	does := a.t.opts.Keys.Action(k)
	if does == "app.suspend" {
		return a.suspend()
	}
	if to := a.t.ui.Layers().Typed(); to != (layer.Editor{}) {
		a.pressTarget(to, k)
		return nil
	}
	if a.input.CompletionKey(k) || a.composer.fullScreen() && a.conv.Act(a.t.opts.Keys.Scroll(k)) {
		return nil
	}
	switch {
	case k.String() == "alt+esc": // twice, at once
		a.escape()
		a.escape()
		return nil
	case actions[does] != nil && !a.t.ui.KeepsKey(k, a.conv.Chat.Status().Working):
		return actions[does](a)
	case a.shortcut(k), a.t.ui.EditorKey(k):
		return nil
	}
	a.input.Keys = a.t.opts.Keys
	a.input.Edit(k)
	return nil
}

// pressTarget gives a key to something else than the editor. Whatever it is, pressing ctrl+c
// twice leaves.
func (a *app) pressTarget(to layer.Target, k tea.KeyPressMsg) {
	if k.String() == "ctrl+c" {
		again := time.Since(a.presses.leave) < twice
		a.presses.leave = time.Now()
		if again {
			a.Quit()
			return
		}
	}
	if k.IsRepeat && a.t.ui.KeyEvent(tea.Key(k), 2) {
		return
	}
	switch to := to.(type) {
	case dialog.Dialog:
		a.dialogs.Key(to, a.t.opts.Keys, k)
	case extui.Component:
		to.Input(input.Encode(k))
	}
}

func (a *app) paste(s string) {
	a.hint = ""
	s = input.Pasted(s)
	switch to := a.t.ui.Layers().Typed().(type) {
	case layer.Editor:
		a.input.Paste(s)
	case dialog.Dialog:
		to.Paste(s)
	case extui.Component:
		to.Input(input.EncodePaste(s))
	}
}

// shortcut runs what an extension does for a key; false if none wants it.
func (a *app) shortcut(k tea.KeyPressMsg) bool {
	runner := a.session().Extensions()
	for _, s := range runner.Shortcuts() {
		if input.Named(k, s.Key) {
			a.Do(func(ctx context.Context) func() {
				_ = runner.RunShortcut(ctx, &s) // a failure is reported
				return nil
			})
			return true
		}
	}
	return false
}

// actions are what keys do in the terminal.
var actions = map[string]func(*app) tea.Cmd{
	"tui.input.submit":        only(func(a *app) { a.submit(session.Steer) }),
	"tui.input.newLine":       only((*app).newLine),
	"tui.input.tab":           only(func(a *app) { a.input.Complete(true) }),
	"app.message.followUp":    only(func(a *app) { a.submit(session.FollowUp) }),
	"app.message.dequeue":     only((*app).takeBack),
	"app.message.copy":        only(func(a *app) { a.commands.CopyAnswer() }),
	"app.interrupt":           only((*app).escape),
	"app.clear":               only((*app).interrupt),
	"app.exit":                only((*app).endOfInput),
	"app.suspend":             (*app).suspend,
	"app.thinking.toggle":     only(func(a *app) { a.conv.Unfold(!a.conv.Unfolded) }),
	"app.thinking.cycle":      only(func(a *app) { a.commands.CycleThinking() }),
	"app.tools.expand":        only(func(a *app) { a.conv.Expand(!a.conv.Expanded) }),
	"app.model.cycleForward":  only(func(a *app) { a.commands.CycleModel(false) }),
	"app.model.cycleBackward": only(func(a *app) { a.commands.CycleModel(true) }),
	"app.model.select":        only(func(a *app) { a.commands.PickModel("") }),
	"app.editor.external":     (*app).externalEditor,
}

// only makes an action of what asks nothing of the program.
func only(fn func(*app)) func(*app) tea.Cmd {
	return func(a *app) tea.Cmd {
		fn(a)
		return nil
	}
}

func (a *app) newLine() {
	a.input.Editor.Insert("\n")
	a.input.CloseSuggestions()
}

// escape ends what is under way, and gives what is queued back to the editor. With nothing
// to do, it opens the tree when it is pressed twice.
func (a *app) escape() {
	st, s := a.conv.Chat.Status(), a.session()
	switch {
	case st.Working || s.State().Busy:
		a.takeBack()
		a.Do(func(ctx context.Context) func() {
			_ = s.Abort(ctx) // what remains to be told comes as events
			return nil
		})
	case st.Compacting != "" || s.State().Compacting:
		s.AbortCompaction()
	case a.shells.running > 0:
		s.AbortBash()
	case !a.input.Editor.Empty():
		a.presses.escape = time.Time{}
	case time.Since(a.presses.escape) < twice:
		a.presses.escape = time.Time{}
		a.escapedTwice()
	default:
		a.presses.escape = time.Now()
	}
}

func (a *app) escapedTwice() {
	switch a.t.opts.DoubleEscape {
	case "none":
	case "fork":
		a.commands.PickFork()
	default:
		a.commands.PickTree()
	}
}

// takeBack puts the messages that wait back into the editor.
func (a *app) takeBack() {
	s := a.session()
	if s.State().Pending == 0 { // the session knows better than what is shown
		return
	}
	steering, followUp := s.ClearQueue()
	parts := append(steering, followUp...)
	if !a.input.Editor.Empty() {
		parts = append(parts, a.input.Editor.Text())
	}
	a.input.Editor.Set(strings.Join(parts, "\n\n"))
}

// interrupt empties the editor; pressed twice, it leaves.
func (a *app) interrupt() {
	if time.Since(a.presses.leave) < twice {
		a.Quit()
		return
	}
	a.presses.leave = time.Now()
	a.input.Editor.Clear()
	a.hint = "ctrl+c again leaves"
}

func (a *app) endOfInput() {
	if a.input.Editor.Empty() {
		a.Quit()
		return
	}
	a.input.Editor.Delete()
}
