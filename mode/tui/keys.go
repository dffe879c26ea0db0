package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/internal/term/keys"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/session"
)

// twice is how soon a key must follow itself to mean more.
const twice = time.Second

// key takes a key that was pressed.
func (a *app) key(k tea.KeyPressMsg) tea.Cmd {
	a.hint = ""
	if k.String() != "ctrl+c" {
		a.leaving = time.Time{}
	}
	does := action(a.opts.Keys.app, k)
	if does == "app.suspend" {
		return a.suspend()
	}
	if to := a.receiver(); to != nil {
		if k.String() == "ctrl+c" && a.stuck() {
			return a.quit()
		}
		if !k.IsRepeat || !a.tell(tea.Key(k), 2) {
			to.key(a, k)
		}
		return nil
	}
	if a.complete != nil && a.complete.key(a, k) {
		return nil
	}
	if a.wholeScreen() {
		if fn := scrolls[action(a.opts.Keys.scroll, k)]; fn != nil {
			fn(a)
			return nil
		}
	}
	custom := a.opts.ui.customEditor()
	switch {
	case k.String() == "alt+esc": // twice, at once
		a.escape()
		return a.escape()
	case appActions[does] != nil && (custom == nil || !keepsKey(k, a.transcript.Status().Working)):
		return appActions[does](a)
	}
	if fn := a.shortcut(k); fn != nil {
		a.do(fn)
		return nil
	}
	if custom != nil {
		custom.h.input(encode(k))
		return nil
	}
	if a.opts.Keys.edit(&a.editor, k) {
		a.completeNow(false)
	}
	return nil
}

// stuck reports whether ctrl+c was pressed twice: whatever has the screen then, the person
// wants to leave.
func (a *app) stuck() bool {
	twiceNow := time.Since(a.leaving) < twice
	a.leaving = time.Now()
	return twiceNow
}

// matchesKey reports whether a key is the one with this name, as in Pi's keybindings.
func matchesKey(k tea.KeyPressMsg, name string) bool {
	return slices.Contains(names(k), keys.Canonical(name))
}

// appActions are what keys do in the terminal.
var appActions = map[string]func(*app) tea.Cmd{
	"tui.input.submit":        func(a *app) tea.Cmd { return a.submit(false) },
	"tui.input.newLine":       (*app).newLine,
	"tui.input.tab":           func(a *app) tea.Cmd { a.completeNow(true); return nil },
	"app.message.followUp":    func(a *app) tea.Cmd { return a.submit(true) },
	"app.message.dequeue":     func(a *app) tea.Cmd { a.takeBack(); return nil },
	"app.message.copy":        (*app).copyAnswer,
	"app.interrupt":           (*app).escape,
	"app.clear":               (*app).interrupt,
	"app.exit":                (*app).endOfInput,
	"app.suspend":             (*app).suspend,
	"app.thinking.toggle":     (*app).toggleThinking,
	"app.thinking.cycle":      (*app).cycleThinking,
	"app.tools.expand":        (*app).toggleTools,
	"app.model.cycleForward":  (*app).cycleModel,
	"app.model.cycleBackward": (*app).cycleModelBack,
	"app.model.select":        func(a *app) tea.Cmd { a.pickModel(""); return nil },
	"app.editor.external":     (*app).externalEditor,
}

func (a *app) newLine() tea.Cmd {
	a.editor.Insert("\n")
	a.complete = nil
	return nil
}

// escape ends what is under way, and gives what is queued back to the editor. With nothing
// to do, it opens the tree when it is pressed twice.
func (a *app) escape() tea.Cmd {
	st := a.transcript.Status()
	s := a.session()
	switch {
	case st.Working || s.State().Busy:
		a.takeBack()
		a.do(func(ctx context.Context) callMsg {
			_ = s.Abort(ctx) // what remains to be told comes as events
			return nil
		})
	case st.Compacting != "" || s.State().Compacting:
		s.AbortCompaction()
	case a.bashes > 0:
		s.AbortBash()
	case !a.editor.Empty():
		a.escaped = time.Time{}
	case time.Since(a.escaped) < twice:
		a.escaped = time.Time{}
		switch a.opts.DoubleEscape {
		case "none":
		case "fork":
			a.pickFork()
		default:
			a.pickTree()
		}
	default:
		a.escaped = time.Now()
	}
	return nil
}

// takeBack puts the messages that wait back into the editor.
func (a *app) takeBack() {
	s := a.session()
	if s.State().Pending == 0 { // the session knows better than what is shown
		return
	}
	steering, followUp := s.ClearQueue()
	parts := append(steering, followUp...)
	if !a.editor.Empty() {
		parts = append(parts, a.editor.Text())
	}
	a.editor.Set(strings.Join(parts, "\n\n"))
}

// interrupt empties the editor; pressed twice, it leaves.
func (a *app) interrupt() tea.Cmd {
	if time.Since(a.leaving) < twice {
		return a.quit()
	}
	a.leaving = time.Now()
	a.editor.Clear()
	a.hint = "ctrl+c again leaves"
	return nil
}

func (a *app) endOfInput() tea.Cmd {
	if a.editor.Empty() {
		return a.quit()
	}
	a.editor.Delete()
	return nil
}

func (a *app) quit() tea.Cmd {
	a.quitting = true
	return tea.Quit
}

func (a *app) toggleTools() tea.Cmd {
	a.setExpanded(!a.expanded)
	return nil
}

func (a *app) setExpanded(on bool) {
	if a.expanded != on {
		a.expanded = on
		a.redrawTurn()
	}
}

func (a *app) toggleThinking() tea.Cmd {
	a.unfolded = !a.unfolded
	a.redrawTurn()
	return nil
}

func (a *app) redrawTurn() {
	clear(a.cache)
	a.redraw = redrawTurn
}

// settle changes the session beside the screen: extensions that are told of the change may ask
// something. What fn returns is shown as a hint.
func (a *app) settle(fn func(s *session.Session) (hint string, err error)) {
	s := a.session()
	a.do(func(context.Context) callMsg {
		hint, err := fn(s)
		return func(a *app) {
			a.fail(err)
			if hint != "" {
				a.hint = text.OneLine(hint)
			}
			a.measureSession()
		}
	})
}

func (a *app) cycleThinking() tea.Cmd {
	a.settle(func(s *session.Session) (string, error) {
		level, err := s.CycleThinking()
		if err == nil && level == "" {
			return "this model does not think before it answers", nil
		}
		return "thinking: " + string(level), err
	})
	return nil
}

func (a *app) cycleModel() tea.Cmd { return a.cycle((*session.Session).CycleModel) }

func (a *app) cycleModelBack() tea.Cmd { return a.cycle((*session.Session).CycleModelBack) }

func (a *app) cycle(step func(*session.Session) (*session.CycledModel, error)) tea.Cmd {
	a.settle(func(s *session.Session) (string, error) {
		next, err := step(s)
		if err != nil || next == nil {
			return "there is no other model to switch to; /model shows all", err
		}
		return "model: " + next.Model.Provider + "/" + next.Model.ID, nil
	})
	return nil
}
