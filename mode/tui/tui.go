// Package tui is the interactive mode: a session in a terminal. It draws what package chat makes of
// the session's events, and turns keys into what the user wants of the session; all rules are the
// session's.
//
// # Parts
//
// This package is the loop and its state. Its parts are packages that differ in what they may touch:
//
//   - view draws the conversation and the lines around the editor; it sees blocks, no keys and no
//     session
//   - input has the keys, the editor and its completion; it sees neither the session nor the screen
//   - dialog has what takes the place of the editor; it sees keys and colours
//   - command has the commands and pickers; it sees the session, the dialogs and a Host
//   - extui is the terminal for extensions; it sees the loop as a Model, through messages
//
// # Goroutines
//
// One goroutine owns the model and everything on the screen: that of the program of bubbletea. The
// session's subscriber only puts events into an inbox that coalesces them; a second goroutine writes
// frames, and while it is busy none is made. So a slow terminal costs the session nothing, and at
// most one frame is drawn for what came meanwhile. What may take time, such as asking the session
// for numbers, switching sessions or reading folders, runs beside and comes back as a message.
//
// # Drawing
//
// Finished blocks are written above the live region, into the terminal's own scrollback, and
// are never drawn again, except on an empty screen: after a change of the size, and when
// results or thinking are folded or unfolded.
//
// Nothing is drawn that has not gone through [text.Clean], so that neither a model nor a tool
// can command the terminal.
//
// # Testing
//
// A terminal draws on a [Device]. The tests of this package use an emulated screen and compare its
// frames; time is that of testing/synctest.
package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/command"
	"github.com/rondo-agent/rondo/mode/tui/extui"
	"github.com/rondo-agent/rondo/mode/tui/input"
	"github.com/rondo-agent/rondo/mode/tui/prefs"
	"github.com/rondo-agent/rondo/session"
)

// What the terminal needs from others, and what may be preferred of it.
type (
	// Models are the models that a user may choose from.
	Models = command.Models
	// Settings keeps what a user has chosen for the next start.
	Settings = command.Settings
	// Accounts keeps the credentials of providers, each of which is an [Account].
	Accounts = command.Accounts
	// Account is a provider of models, as logins see it.
	Account = command.Account
	// SessionInfo is a session to go on with.
	SessionInfo = command.SessionInfo
	// UI is the terminal as extensions see it.
	UI = extui.UI
	// Keys are which keys do what; see [NewKeys].
	Keys = input.Keys
	// Preferences are the settings of a terminal that may change while it runs, by
	// [Terminal.Prefer].
	Preferences = prefs.Preferences
)

// NewKeys returns the usual keys, changed as a user wants: an action without keys has none.
// Unknown actions are returned.
func NewKeys(changes map[string][]string) (k *Keys, unknown []string) { return input.NewKeys(changes) }

// Options are the settings of a [Terminal]. All but the device have useful zero values.
type Options struct {
	// Device is what is drawn on; nil stands for In and Out.
	Device  Device
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
}

// complete replaces zero values by their defaults.
func (o *Options) complete() {
	if o.Device == nil {
		o.Device = tty{o.In, o.Out}
	}
	if o.Models == nil {
		o.Models = noModels{}
	}
	if o.Settings == nil {
		o.Settings = noSettings{}
	}
	if o.Sessions == nil {
		o.Sessions = func(context.Context) ([]SessionInfo, error) { return nil, nil }
	}
	o.Preferences.Complete()
}

// Terminal is a terminal with a session. Make one with [New].
type Terminal struct {
	opts  Options
	ui    *UI
	inbox *chat.Inbox

	away atomic.Bool // another program has the terminal

	mu    sync.Mutex
	app   *app          // while it runs
	ended chan struct{} // closed when it has run
}

// New returns a terminal. Nothing is written before it is used.
func New(opts *Options) *Terminal {
	t := &Terminal{opts: *opts, inbox: chat.NewInbox(), ended: make(chan struct{})}
	t.opts.complete()
	t.ui = extui.New(loop{t}, extui.Options{Plain: t.opts.Plain, Providers: t.providers, Preferences: t.opts.Preferences})
	return t
}

// providers counts the providers of models that can be asked.
func (t *Terminal) providers() int {
	providers := make(map[string]bool)
	for _, m := range t.opts.Models.Available() {
		providers[m.Provider] = true
	}
	return len(providers)
}

type noModels struct{}

func (noModels) Available() []*ai.Model       { return nil }
func (noModels) Get(string, string) *ai.Model { return nil }

type noSettings struct{}

func (noSettings) Save(string, any) error { return nil }
func (noSettings) Value(string) any       { return nil }

// UI is how extensions ask and notify the user; it serves extensions. Before the
// terminal runs, and after it, every question is answered as by a user who declines.
func (t *Terminal) UI() *UI { return t.ui }

// Run shows the session of the runtime until the user leaves or ctx is done. The prompts
// are sent first, one after another. It does not close the session. The error is that of the
// terminal, or the cause of ctx's end.
func (t *Terminal) Run(ctx context.Context, rt *session.Runtime, prompts []session.Prompt) error {
	if t.opts.Theme != "" {
		if err := t.ui.UseTheme(extui.Chosen(t.opts.Theme, true)); err != nil {
			t.ui.Notify(err.Error(), "error")
		}
	}
	a := t.newApp(ctx, rt)
	unsubscribe := rt.Subscribe(t.inbox.Put)
	defer unsubscribe()
	return t.run(ctx, a, func() { a.start(prompts) })
}

// start shows the session and sends the first prompts.
func (a *app) start(prompts []session.Prompt) {
	if greeting := a.t.opts.Greeting; len(greeting) > 0 {
		a.Info(strings.Join(greeting, "\n"))
	}
	s := a.session()
	a.show(showing(s, s.Messages(), ""))
	a.askBackground()
	a.askCell()
	a.InOrder(func(ctx context.Context) func() {
		a.runtime.Attach(ctx, session.Frontend{
			UI: a.t.ui, Mode: extension.ModeTUI, Shutdown: func() { a.t.later(func(a *app) { a.Quit() }) },
			OnError: func(err *extension.Error) { a.t.ui.Notify(err.Detail(), "error") },
		})
		return nil
	})
	for i, p := range prompts {
		if i > 0 {
			p.WhileBusy = session.FollowUp
		}
		a.send(p, p.Text)
	}
}

// run runs the program of an app; begin is called on its goroutine.
func (t *Terminal) run(ctx context.Context, a *app, begin func()) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	a.ctx = ctx
	dev := t.opts.Device
	// The program's own renderer draws nothing, but would wake up for each frame.
	a.prog = tea.NewProgram(a, tea.WithInput(dev.Input()), tea.WithOutput(io.Discard), tea.WithoutRenderer(), tea.WithFPS(1), tea.WithoutSignalHandler())
	a.frames.prog = a.prog
	a.term.drawn = func() { a.prog.Send(drawnMsg{}) }
	if err := a.term.open(); err != nil {
		cancel()
		return err
	}
	var helpers sync.WaitGroup
	helpers.Go(func() { dev.Watch(ctx, func() { a.prog.Send(a.sizeNow()) }) })
	helpers.Go(func() { a.pump(ctx) })
	helpers.Go(a.work)
	go a.prog.Send(call(func() { // it waits until the program takes messages
		a.resize(a.sizeNow())
		begin()
	}))
	if !a.alone() {
		t.set(a)
	}
	_, err = a.prog.Run()
	t.unset(a)
	a.dialogs.Cancel()
	cause := context.Cause(ctx)
	cancel()
	a.end.farewell = a.goodbye()
	a.term.close(slices.Concat(a.last(true), a.frames.screen.Leave(), a.end.farewell))
	a.tasks.end(&helpers)
	if cause != nil || a.end.crash != nil {
		return errors.Join(cause, a.end.crash)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (a *app) sizeNow() sizeMsg {
	width, height := a.t.opts.Device.Size()
	return sizeMsg{width, height}
}

// pump tells the program of events, and of the end.
func (a *app) pump(ctx context.Context) {
	for {
		select {
		case <-a.t.inbox.Wake():
			a.prog.Send(inboxMsg{})
		case <-ctx.Done():
			a.prog.Quit()
			return
		}
	}
}
