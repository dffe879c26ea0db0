package tui

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/command"
	"github.com/rondo-agent/rondo/mode/tui/dialog"
	"github.com/rondo-agent/rondo/mode/tui/extui"
	"github.com/rondo-agent/rondo/mode/tui/graphics"
	"github.com/rondo-agent/rondo/mode/tui/input"
	"github.com/rondo-agent/rondo/mode/tui/screen"
	"github.com/rondo-agent/rondo/mode/tui/view"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/toolview"
)

// app is the model of the terminal: the loop, and the parts that have its state. One goroutine
// owns it, that of the program: all else sends it messages. What commands and extensions see of
// it are [host] and [model].
type app struct {
	t       *Terminal
	runtime *session.Runtime
	term    *terminal

	*tasks
	*meter
	frames   frames
	composer composer
	conv     *view.Conversation
	drawer   *extui.Drawer
	input    input.Box
	dialogs  dialog.Stack
	commands command.Commands

	presses presses
	shells  shells
	end     end
}

// end is how the program ends.
type end struct {
	quitting bool
	crash    error  // why it ends by itself
	away     bool   // another program has the terminal
	farewell []byte // is written at last
}

// Messages of the program.
type (
	inboxMsg struct{}
	frameMsg struct{}
	drawnMsg struct{}
	sizeMsg  struct{ width, height int }
)

// newApp returns the model of a terminal with a session; nil stands for a question without one.
func (t *Terminal) newApp(ctx context.Context, rt *session.Runtime) *app {
	a := &app{t: t, runtime: rt, term: &terminal{dev: t.opts.Device}}
	a.tasks = newTasks(ctx, func() { a.Hint("too much waits to be done; try again in a moment") })
	a.meter = &meter{session: a.session, do: a.Do}
	a.drawer = t.ui.NewDrawer(func() *extension.Runner { return a.session().Extensions() }, func() string { return command.Folder(a.session()) })
	a.conv = view.NewConversation(view.Painter{
		Ink: theme.Ink{Theme: t.ui.Colours()}, Unfolded: t.opts.Unfolded, ImageWidth: t.opts.ImageWidth, Images: t.ui.Images(),
		ToolView: a.toolView,
	})
	a.conv.Drawer = a.drawer
	a.input = input.Box{Keys: t.opts.Keys, Rows: t.opts.Completions, Source: source{a}, Do: a.Do}
	a.dialogs.Focus = t.ui.Layers()
	a.commands = command.Commands{Host: host{a}, Models: t.opts.Models, Settings: t.opts.Settings, Accounts: t.opts.Accounts, Sessions: t.opts.Sessions}
	a.frames.term = a.term
	a.composer = composer{conv: a.conv, input: &a.input, dialogs: &a.dialogs, ui: t.ui, meter: a.meter, prefs: &t.opts.Preferences, alone: rt == nil}
	return a
}

// toolView returns how the calls of a tool are shown.
func (a *app) toolView(name string) *toolview.View {
	if a.alone() {
		return nil
	}
	return a.session().ToolView(name)
}

// session is the one that is worked with.
func (a *app) session() *session.Session { return a.runtime.Session() }

// alone reports that there is no session, only a question.
func (a *app) alone() bool { return a.runtime == nil }

// Init implements [tea.Model].
func (a *app) Init() tea.Cmd { return nil }

// View implements [tea.Model]. The program has no renderer: see package screen.
func (a *app) View() tea.View { return tea.NewView("") }

// Update implements [tea.Model]. If it panics, the program ends in order, so that the
// terminal is switched back before the message is seen.
func (a *app) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	defer func() {
		if r := recover(); r != nil {
			a.end.crash = fmt.Errorf("the terminal has failed, the session is kept: %v\n%s", r, debug.Stack())
			cmd = tea.Quit
		}
	}()
	return a, a.update(msg)
}

func (a *app) update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if !a.t.ui.Intercept(msg) {
			cmd = a.press(msg)
		}
	case tea.KeyReleaseMsg:
		a.t.ui.KeyEvent(tea.Key(msg), 3)
	case tea.PasteMsg:
		a.paste(msg.Content)
	case inboxMsg:
		a.Drain()
	case call:
		msg()
	case frameMsg:
		a.frames.scheduled = false
		a.paint()
		return nil
	case drawnMsg:
		if !a.frames.dirty {
			return nil
		}
	default:
		if !a.report(msg) {
			return nil
		}
	}
	if a.end.quitting || a.alone() && a.conv.Width > 0 && a.dialogs.Top() == nil {
		return tea.Quit
	}
	a.t.ui.Match(&a.input)
	a.t.ui.MatchExpanded(a.conv.Expanded)
	a.t.ui.SetBranch(a.status.Branch)
	a.frames.invalidate()
	return cmd
}

// report takes what the terminal tells of itself; false for another message.
func (a *app) report(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case sizeMsg:
		a.resize(msg)
	case tea.MouseWheelMsg:
		a.wheel(msg)
	case tea.ModeReportMsg:
		a.modeReport(msg)
	case uv.CellSizeEvent:
		a.t.ui.Images().SetCell(graphics.Cell{Width: msg.Width, Height: msg.Height})
	case tea.BackgroundColorMsg:
		a.setLight(!msg.IsDark())
	default:
		return false
	}
	return true
}

func (a *app) resize(size sizeMsg) {
	a.frames.screen.Resize(size.height)
	a.conv.Resize(size.width, size.height)
}

// modeReport learns that the terminal takes the code points of a character together.
func (a *app) modeReport(msg tea.ModeReportMsg) {
	if msg.Mode == ansi.ModeUnicodeCore && (msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet) {
		a.term.write([]byte(screen.Clusters))
		a.conv.SetMeasure(ansi.GraphemeWidth)
		a.input.Editor.Measure = ansi.GraphemeWidth
	}
}

// setLight learns of the terminal's background.
func (a *app) setLight(light bool) {
	if light == a.term.light {
		return
	}
	a.term.light = light
	if extui.Chosen(a.t.opts.Theme, light) != extui.Chosen(a.t.opts.Theme, !light) {
		a.ApplyTheme()
	}
}

// wheel scrolls by the mouse.
func (a *app) wheel(m tea.MouseWheelMsg) {
	const lines = 3
	switch {
	case !a.composer.fullScreen():
	case m.Button == tea.MouseWheelUp:
		a.conv.Scroll(-lines)
	case m.Button == tea.MouseWheelDown:
		a.conv.Scroll(lines)
	}
}

// Drain implements [command.Host]: it takes the events that have come.
func (a *app) Drain() {
	a.conv.Chat.Whole = !a.alone() && a.session().Extensions().Transforms()
	for _, ev := range a.t.inbox.Take() {
		switch ev := ev.(type) {
		case *replaced:
			a.show(ev)
			continue
		case *notice:
			a.conv.Chat.Add(ev.level, ev.message)
			continue
		case *todo:
			ev.fn(a)
			continue
		default: // the conversation shows the others
		}
		working := a.conv.Chat.Status().Working
		a.conv.Chat.Apply(ev)
		if now := a.conv.Chat.Status().Working; now && !working {
			a.since = time.Now()
		}
		a.watch(ev)
	}
}

// Fail implements [command.Host].
func (a *app) Fail(err error) {
	if err != nil {
		a.conv.Chat.Add(chat.Failure, err.Error())
	}
}

// Info implements [command.Host].
func (a *app) Info(message string) { a.conv.Chat.Add(chat.Info, message) }
