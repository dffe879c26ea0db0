package tui

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/editor"
	"github.com/rondo-agent/rondo/mode/tui/graphics"
	"github.com/rondo-agent/rondo/mode/tui/layer"
	"github.com/rondo-agent/rondo/mode/tui/screen"
	"github.com/rondo-agent/rondo/session"
)

// app is the model of the terminal. One goroutine owns it, that of the program: all else
// sends it messages.
type app struct {
	opts    *Options
	runtime *session.Runtime
	ctx     context.Context
	prog    *tea.Program
	term    *terminal
	inbox   *chat.Inbox
	work    sync.WaitGroup // goroutines that ask the session
	// What must happen in the order in which it was asked for: prompts and the like, and keys
	// that extensions look at.
	serial, typed chan func(context.Context)
	intercepting  int // keys that extensions look at

	transcript chat.Transcript
	editor     editor.Editor
	modals     []modal
	releasesTo layer.Target // who wants to know of keys that are released; nil for nobody
	complete   *completion
	files      *files

	screen        screen.Screen
	theme         *theme.Theme
	light         bool // the terminal's background
	measure       text.Measure
	width, height int
	printed       int // blocks that are in the scrollback
	cache         map[*chat.Block]drawing
	paintings     map[*chat.Block]*painting // blocks that extensions draw
	redraw        redraw
	covered       bool           // overlays are seen
	unready       bool           // a final block of the frame has yet to be drawn by an extension, or its images
	images        graphics.Shown // of the frame
	header        *header        // that can still be drawn again; nil for none
	view          view           // of the conversation, in full screen
	scheduled     bool
	dirty         bool
	painted       time.Time

	expanded, unfolded bool // tools and thinking in full
	status             status
	hint               string // in the place of the status line, until the next key
	leaving            time.Time
	escaped            time.Time
	since              time.Time // when the work began
	quitting           bool
	crash              error  // why the program ends by itself
	away               bool   // another program has the terminal
	alone              bool   // there is no session, only a question
	farewell           []byte // is written when the program ends
	ending             bool   // what is not drawn by now is not waited for
	bashes             int
	nextBash           int
}

// modal takes the place of the editor.
type modal interface {
	// draw returns the lines, and the cursor's place in them; a negative x is none.
	draw(a *app, width, height int) (lines []string, x, y int)
	key(a *app, k tea.KeyPressMsg)
	paste(a *app, s string)
	// cancel ends it without an answer, when the program ends.
	cancel(a *app)
}

// redraw says what is written again on an empty screen.
type redraw int

const (
	redrawNothing redraw = iota
	redrawScreen         // as much as the screen shows, since its size is another one
	redrawTurn           // all since the person's last message, since it looks different
)

// Messages of the program.
type (
	callMsg  func(*app) // something to do with the model
	inboxMsg struct{}
	frameMsg struct{}
	drawnMsg struct{}
	sizeMsg  struct{ width, height int }
)

// Init implements [tea.Model].
func (a *app) Init() tea.Cmd { return nil }

// View implements [tea.Model]. The program has no renderer: see package screen.
func (a *app) View() tea.View { return tea.NewView("") }

// Update implements [tea.Model]. If it panics, the program ends in order, so that the
// terminal is switched back before anybody reads what has happened.
func (a *app) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	defer func() {
		if r := recover(); r != nil {
			a.crash = fmt.Errorf("the terminal has failed, the session is kept: %v\n%s", r, debug.Stack())
			cmd = tea.Quit
		}
	}()
	return a, a.update(msg)
}

func (a *app) update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if !a.intercept(msg) {
			cmd = a.key(msg)
		}
	case tea.KeyReleaseMsg:
		a.tell(tea.Key(msg), 3)
	case tea.MouseWheelMsg:
		a.wheel(msg)
	case intercepted:
		cmd = a.key(msg.KeyPressMsg)
	case tea.PasteMsg:
		a.paste(msg.Content)
	case sizeMsg:
		a.resize(msg.width, msg.height)
	case inboxMsg:
		a.drain()
	case callMsg:
		msg(a)
	case frameMsg:
		a.scheduled = false
		a.paint()
		return nil
	case drawnMsg:
		if !a.dirty {
			return nil
		}
	case tea.ModeReportMsg:
		a.modeReport(msg)
	case uv.CellSizeEvent:
		a.opts.ui.images.SetCell(graphics.Cell{Width: msg.Width, Height: msg.Height})
	case tea.BackgroundColorMsg:
		if light := !msg.IsDark(); light != a.light {
			a.light = light
			if chosen(a.opts.Theme, light) != chosen(a.opts.Theme, !light) {
				a.applyTheme()
			}
		}
	default:
		return nil
	}
	if a.quitting || a.alone && a.width > 0 && len(a.modals) == 0 {
		return tea.Quit
	}
	a.opts.ui.mirror(a)
	a.invalidate()
	return cmd
}

// follow carries out what a key has come to, outside of Update.
func (a *app) follow(cmd tea.Cmd) {
	if cmd != nil {
		go func() { a.prog.Send(cmd()) }() // ends with the program at the latest
	}
}

// modeReport learns that the terminal takes characters together.
func (a *app) modeReport(msg tea.ModeReportMsg) {
	if msg.Mode == ansi.ModeUnicodeCore && (msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet) {
		a.term.write([]byte(screen.Clusters))
		a.measure = ansi.GraphemeWidth
		a.editor.Measure = a.measure
		clear(a.cache)
	}
}

// do runs fn on a goroutine of its own, for what may take a while. What fn returns is done
// with the model then.
func (a *app) do(fn func(ctx context.Context) callMsg) {
	a.work.Go(func() {
		if then := fn(a.ctx); then != nil {
			a.prog.Send(then)
		}
	})
}

// inOrder is do for what must not overtake what was asked for before it.
func (a *app) inOrder(fn func(ctx context.Context) callMsg) {
	task := func(ctx context.Context) {
		if then := fn(ctx); then != nil {
			a.prog.Send(then)
		}
	}
	select {
	case a.serial <- task:
	default:
		a.hint = "too much waits to be done; try again in a moment"
	}
}

// fail shows an error.
func (a *app) fail(err error) {
	if err != nil {
		a.transcript.Add(chat.Failure, err.Error())
	}
}

func (a *app) info(message string) { a.transcript.Add(chat.Info, message) }

// session is the one that is worked with.
func (a *app) session() *session.Session { return a.runtime.Session() }

func (a *app) modal() modal {
	if n := len(a.modals); n > 0 {
		return a.modals[n-1]
	}
	return nil
}

func (a *app) paste(s string) {
	a.hint = ""
	if to := a.receiver(); to != nil {
		to.paste(a, s)
		return
	}
	a.editor.Paste(s)
	a.completeNow(false)
}

// resize draws the screen again, also where the size is that of before: the terminal may have
// had another one meanwhile, and lost what did not fit.
func (a *app) resize(width, height int) {
	first := a.width == 0
	a.width, a.height = width, height
	a.screen.Resize(height)
	clear(a.cache)
	if !first {
		a.redraw = max(a.redraw, redrawScreen)
	}
}

// drain takes the events that have come.
func (a *app) drain() {
	a.transcript.Whole = a.runtime != nil && a.session().Extensions().Transforms()
	for _, ev := range a.inbox.Take() {
		switch ev := ev.(type) {
		case *replaced:
			a.begin(ev)
			continue
		case *notice:
			a.transcript.Add(ev.level, ev.message)
			continue
		case *todo:
			ev.fn(a)
			continue
		}
		working := a.transcript.Status().Working
		a.transcript.Apply(ev)
		if now := a.transcript.Status().Working; now && !working {
			a.since = time.Now()
		}
		a.watch(ev)
	}
}
