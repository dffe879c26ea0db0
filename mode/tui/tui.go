// Package tui is the interactive mode: a session in a terminal. It draws what
// package transcript makes of the session's events, and turns keys into what a person wants
// of the session; all rules are the session's.
//
// # How it is put together
//
// One goroutine owns the model (app) and everything on the screen: that of the program of
// bubbletea. The session's subscriber only puts events into an inbox that coalesces them; a
// second goroutine writes frames, and while it is busy none is made. So a slow terminal costs
// the session nothing, and at most one frame is drawn for what came meanwhile. What may take
// time — asking the session for numbers, switching sessions, reading folders — runs beside
// and comes back as a message.
//
// Finished blocks are written above the live region, into the terminal's own scrollback, and
// are never drawn again, except on an empty screen: after a change of the size, and when
// results or thinking are folded or unfolded.
//
// Nothing is drawn that has not gone through [text.Clean], so that neither a model nor a tool
// can command the terminal.
package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/screen"
	"github.com/rondo-agent/rondo/session"
)

// Models are the models that a person may choose from.
type Models interface {
	// Available lists those that can be asked.
	Available() []*ai.Model
	// Get returns one of them by its provider and id; nil if there is none.
	Get(provider, id string) *ai.Model
}

// Settings keeps what a person has chosen for the next start.
type Settings interface {
	// Save changes one setting; the key is that of settings.json.
	Save(key string, value any) error
	// Value returns one, as it is stored or by default.
	Value(key string) any
}

// Options are the settings of a [Terminal]. All but In and Out have useful zero values.
type Options struct {
	In, Out *os.File
	Models  Models
	// Settings are those of the user; nil keeps nothing.
	Settings Settings
	// Accounts are the credentials of the user; nil if they are kept elsewhere.
	Accounts Accounts
	// Sessions lists the sessions of the folder, the newest first; nil if there are none.
	Sessions func(ctx context.Context) ([]SessionInfo, error)
	// Greeting is shown first: what the program is, and what to do next.
	Greeting []string
	// Unfolded shows thinking in full from the start.
	Unfolded bool
	// Plain leaves colours out.
	Plain bool
	Preferences

	ui *UI
}

// Preferences are the settings of a terminal that may change while it runs, by
// [Terminal.Prefer].
type Preferences struct {
	// SkipSummary leaves out the question whether to sum up a branch that is left.
	SkipSummary bool
	// Keys are which keys do what; nil means the usual ones.
	Keys *Keys
	// DoubleEscape is what pressing escape twice opens: tree, which empty stands for, fork
	// or none.
	DoubleEscape string
	// Editor is the program that app.editor.external opens; empty means $VISUAL or $EDITOR.
	Editor string
	// HideImages leaves images out, and ImageWidth is how many columns one takes at most; 0
	// means sixty. ImageProtocol is how the terminal is sent them: kitty, iterm2 or none; auto,
	// which empty stands for, looks at the environment.
	HideImages    bool
	ImageWidth    int
	ImageProtocol string
	// FullScreen takes the whole screen, where the conversation is scrolled; Leaves, if set,
	// does not write it out at the end.
	FullScreen bool
	Leaves     bool
	// Completions is how many suggestions are seen at once; 0 means five.
	Completions int
	// Theme is the name of the theme, or of two, for light and dark terminals, with a slash
	// between them. Empty stands for the one that uses the terminal's own colours.
	Theme string
	// Themes are the files of themes, or folders of them; the first of a name counts.
	Themes []string
}

// complete puts in what is left out.
func (p *Preferences) complete() {
	if p.Keys == nil {
		p.Keys, _ = NewKeys(nil)
	}
	if p.Completions <= 0 {
		p.Completions = 5
	}
	if p.ImageWidth <= 0 {
		p.ImageWidth = 60
	}
}

// Terminal is a terminal with a session. Make one with [New].
type Terminal struct {
	opts  Options
	ui    *UI
	inbox *chat.Inbox

	away atomic.Bool // another program has the terminal

	mu   sync.Mutex
	app  *app          // while it runs
	over chan struct{} // closed when it has run
}

// New returns a terminal. Nothing is written before it is used.
func New(opts *Options) *Terminal {
	t := &Terminal{opts: *opts, inbox: chat.NewInbox(), over: make(chan struct{})}
	if t.opts.Models == nil {
		t.opts.Models = noModels{}
	}
	if t.opts.Settings == nil {
		t.opts.Settings = noSettings{}
	}
	t.opts.complete()
	if t.opts.Sessions == nil {
		t.opts.Sessions = func(context.Context) ([]SessionInfo, error) { return nil, nil }
	}
	t.ui = newUI(t)
	t.opts.ui = t.ui
	return t
}

type noModels struct{}

func (noModels) Available() []*ai.Model       { return nil }
func (noModels) Get(string, string) *ai.Model { return nil }

type noSettings struct{}

func (noSettings) Save(string, any) error { return nil }
func (noSettings) Value(string) any       { return nil }

// UI is what asks and tells the person; it is for those who serve extensions. Before the
// terminal runs, and after it, every question is answered as by a person who declines.
func (t *Terminal) UI() *UI { return t.ui }

// Run shows the session of the runtime until the person leaves or ctx is done. The prompts
// are sent first, one after another. It does not close the session. The error is that of the
// terminal, or the cause of ctx's end.
func (t *Terminal) Run(ctx context.Context, rt *session.Runtime, prompts []session.Prompt) error {
	if t.opts.Theme != "" {
		if err := t.ui.useTheme(chosen(t.opts.Theme, true)); err != nil {
			t.ui.Notify(err.Error(), "error")
		}
	}
	a := t.newApp(ctx)
	a.runtime = rt
	unsubscribe := rt.Subscribe(t.inbox.Put)
	defer unsubscribe()
	return t.run(ctx, a, func() {
		if len(t.opts.Greeting) > 0 {
			a.info(strings.Join(t.opts.Greeting, "\n"))
		}
		s := rt.Session()
		a.begin(showing(s, s.Messages(), ""))
		a.askBackground()
		a.askCell()
		a.inOrder(func(ctx context.Context) callMsg {
			rt.Show(ctx, session.Front{
				UI: t.ui, Mode: extension.ModeTUI, Shutdown: func() { t.later(func(a *app) { a.quitting = true }) },
				OnError: func(err *extension.Error) { t.ui.Notify(err.Detail(), "error") },
			})
			return nil
		})
		for i, p := range prompts {
			if i > 0 {
				p.WhileBusy = session.FollowUp
			}
			a.send(p, p.Text)
		}
	})
}

func (t *Terminal) newApp(ctx context.Context) *app {
	a := &app{
		opts: &t.opts, ctx: ctx, inbox: t.inbox, theme: t.ui.themeNow(), unfolded: t.opts.Unfolded,
		cache: make(map[*chat.Block]drawing), paintings: make(map[*chat.Block]*painting),
		serial: make(chan func(context.Context), 1000), typed: make(chan func(context.Context), 100),
	}
	a.term = &terminal{in: t.opts.In, out: t.opts.Out}
	return a
}

// run runs the program of an app; begin is called on its goroutine.
func (t *Terminal) run(ctx context.Context, a *app, begin func()) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	a.ctx = ctx
	// The program's own renderer draws nothing, but would wake up for each frame.
	a.prog = tea.NewProgram(a, tea.WithInput(t.opts.In), tea.WithOutput(io.Discard), tea.WithoutRenderer(), tea.WithFPS(1), tea.WithoutSignalHandler())
	a.term.drawn = func() { a.prog.Send(drawnMsg{}) }
	if err := a.term.open(); err != nil {
		cancel()
		return err
	}
	var helpers sync.WaitGroup
	helpers.Go(func() { watchSize(ctx, t.opts.Out, func() { a.prog.Send(a.sizeNow()) }) })
	helpers.Go(func() { a.pump(ctx) })
	helpers.Go(func() { queue(ctx, a.serial) })
	helpers.Go(func() { queue(ctx, a.typed) })
	width, height := a.term.size()
	go a.prog.Send(callMsg(func(a *app) { // it waits until the program takes messages
		a.resize(width, height)
		begin()
	}))
	if !a.alone {
		t.set(a)
	}
	_, err = a.prog.Run()
	t.unset(a)
	for _, m := range a.modals {
		m.cancel(a)
	}
	cause := context.Cause(ctx)
	cancel()
	a.farewell = a.goodbye()
	a.term.close(slices.Concat(a.last(true), a.screen.Leave(), a.farewell))
	patient(func() {
		helpers.Wait()
		a.work.Wait()
	})
	if cause != nil || a.crash != nil {
		return errors.Join(cause, a.crash)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// endLimit is how long the end waits for what was asked of the session and of extensions. A
// command of an extension that never ends goes with the session.
const endLimit = 500 * time.Millisecond

// patient waits for fn, but not for ever.
func patient(fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	select {
	case <-done:
	case <-time.After(endLimit):
	}
}

func (t *Terminal) set(a *app) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.app = a
}

// unset takes away an app that has ended, if it is that one.
func (t *Terminal) unset(a *app) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.app == a {
		t.app = nil
		close(t.over)
	}
}

// todo is something to do with the model, in the order of the events.
type todo struct {
	agent.Sealed
	fn func(*app)
}

// Type implements [event.Event].
func (*todo) Type() string { return "todo" }

// AppendJSON implements [event.Event].
func (*todo) AppendJSON(dst []byte) []byte { return append(dst, `{"type":"todo"}`...) }

// later does something with the model of a terminal that runs; false if none does. It does
// not wait, so that any goroutine may call it.
func (t *Terminal) later(fn func(*app)) bool {
	_, ok := t.ended(fn)
	return ok
}

// ended is later that also tells when the terminal has ended.
func (t *Terminal) ended(fn func(*app)) (over <-chan struct{}, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.app == nil {
		return nil, false
	}
	t.inbox.Put(&todo{fn: fn})
	return t.over, true
}

// wait is later that returns when it has been done. The goroutine of the program must not
// call it.
func (t *Terminal) wait(fn func(*app)) {
	did := make(chan struct{})
	over, ok := t.ended(func(a *app) {
		fn(a)
		close(did)
	})
	if !ok {
		return
	}
	select {
	case <-did:
	case <-over:
	}
}

// stopped is closed when the terminal has ended.
func (t *Terminal) stopped() <-chan struct{} { return t.over }

// size returns columns and rows.
func (t *Terminal) size() (columns, rows int) {
	return (&terminal{out: t.opts.Out}).size()
}

func (a *app) sizeNow() sizeMsg {
	width, height := a.term.size()
	return sizeMsg{width, height}
}

// pump tells the program of events, and of the end.
func (a *app) pump(ctx context.Context) {
	for {
		select {
		case <-a.inbox.Wake():
			a.prog.Send(inboxMsg{})
		case <-ctx.Done():
			a.prog.Quit()
			return
		}
	}
}

// queue does what must happen in order.
func queue(ctx context.Context, tasks <-chan func(context.Context)) {
	for {
		select {
		case fn := <-tasks:
			fn(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// goodbye says how to go on with the session, if there is something to go on with.
func (a *app) goodbye() []byte {
	if a.alone || a.session().Store().Path() == "" || len(a.session().Messages()) == 0 {
		return nil
	}
	return []byte(a.theme.Style(theme.Dim).Wrap("rondo --session "+text.OneLine(a.session().ID())+" goes on with this session") + "\r\n")
}

// leave gives the terminal to something else, and enter takes it back.
func (a *app) leave() {
	a.away = true
	a.term.settle()
	a.term.write(slices.Concat(a.last(false), a.screen.Leave()))
	a.term.cooked()
	a.opts.ui.t.away.Store(true)
}

func (a *app) enter() {
	a.away = false
	a.opts.ui.t.away.Store(false)
	if err := a.term.raw(); err != nil {
		a.fail(err)
	}
	size := a.sizeNow()
	a.resize(size.width, size.height)
	a.redraw = redrawNothing // what another program has written stays
}

// title names the window after the folder.
func (a *app) title() string {
	return screen.Title("rondo · " + filepath.Base(text.OneLine(folder(a.session()))))
}

// Notes returns a writer whose lines are shown as warnings.
func (t *Terminal) Notes() io.Writer { return noteWriter{t} }

type noteWriter struct{ t *Terminal }

func (w noteWriter) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		w.t.ui.Notify(strings.TrimPrefix(strings.TrimSpace(line), "rondo: "), "warning")
	}
	return len(p), nil
}

// notice is a message from outside of the session, in the order of its events.
type notice struct {
	agent.Sealed

	level   chat.Level
	message string
}

// Type implements [event.Event].
func (*notice) Type() string { return "notice" }

// AppendJSON implements [event.Event].
func (*notice) AppendJSON(dst []byte) []byte { return append(dst, `{"type":"notice"}`...) }

// refresh draws again what comes from outside of the model, soon.
func (t *Terminal) refresh() { t.inbox.Nudge() }
