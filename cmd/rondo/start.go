package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/rondo-agent/rondo"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/textfile"
	"github.com/rondo-agent/rondo/mode/json"
	"github.com/rondo-agent/rondo/mode/print"
	"github.com/rondo-agent/rondo/mode/rpc"
	tty "github.com/rondo-agent/rondo/mode/terminal"
	"github.com/rondo-agent/rondo/mode/tui"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
)

// start chooses a mode and runs it.
func (p *program) start(ctx context.Context) error {
	switch {
	case p.flags.listModels:
		return p.listModels(ctx)
	case p.flags.export != "":
		return asUsage(p.exportSession(ctx))
	case p.flags.resume && !p.interactive():
		return p.choices(ctx)
	case p.interactive():
		return p.runTerminal(ctx)
	}
	kind, err := p.chooseMode()
	if err != nil {
		return err
	}
	app, err := p.open(ctx, withTelemetry)
	if err != nil {
		return err
	}
	defer p.closeApp(ctx, app)
	w, err := p.enter(ctx, app)
	if err != nil {
		return err
	}
	var prompts []session.Prompt
	if kind == modeRPC {
		if len(p.flags.args) > 0 {
			return errors.Join(usage("--mode rpc takes no messages: send {\"type\":\"prompt\",\"message\":…} on stdin"), w.Close())
		}
	} else if prompts, err = p.prompts(ctx); err != nil {
		return errors.Join(err, w.Close())
	}
	s, err := p.session(ctx, app, w)
	if err != nil {
		return err
	}
	p.note(s.Notes...)
	if kind == modeRPC {
		return p.serveRPC(ctx, app.Runtime(s, nil))
	}
	return p.serve(ctx, app.Runtime(s, nil), kind, prompts)
}

func (p *program) serveRPC(ctx context.Context, rt *rondo.Runtime) error {
	settings := config.NewSaver(rt.Save, p.noteError) // commands behind a save do not wait for it
	err := rpc.ServeRuntime(ctx, rt.Runtime, p.in, p.reserveOutput(), &rpc.Options{Models: rt, Settings: settings})
	settings.Close()
	p.note(rt.Current().Damage()...)
	return err
}

// serve runs the mode and closes the session.
func (p *program) serve(ctx context.Context, rt *rondo.Runtime, kind string, prompts []session.Prompt) error {
	s := rt.Current()
	err := asUsage(s.Models.Ready(s.State().Model)) // before the first line of output
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	front := session.Frontend{
		Mode: extension.ModePrint, Shutdown: func() { stop(errShutdown) },
		OnError: func(err *extension.Error) { p.note(err.Detail()) },
	}
	if kind == modeJSON {
		front.Mode = extension.ModeJSON
	}
	if err == nil {
		rt.Attach(ctx, front)
	}
	switch {
	case err != nil:
	case kind == modeJSON:
		err = json.Run(ctx, rt.Runtime, prompts, p.reserveOutput())
	default:
		p.tellFallbacks(rt)
		err = print.Run(ctx, rt.Runtime, prompts, p.answers())
	}
	if errors.Is(context.Cause(ctx), errShutdown) {
		err = nil // what is left of the prompts is not wanted
	}
	err = errors.Join(err, rt.Close(context.WithoutCancel(ctx)))
	p.note(rt.Current().Damage()...) // what has come to light since
	return err
}

// errShutdown is the cause with which a mode ends when an extension wants the program to.
var errShutdown = errors.New("an extension has ended the program")

// tellFallbacks says on standard error that another model answers, where the events do not
// show it.
func (p *program) tellFallbacks(rt *rondo.Runtime) {
	rt.Subscribe(func(ev event.Event) {
		if ev, ok := ev.(*event.ModelFallback); ok {
			p.note(fmt.Sprintf("%s/%s cannot answer (%s: %s), so %s/%s does", ev.From.Provider, ev.From.ModelID, ev.Reason, ev.ErrorMessage, ev.To.Provider, ev.To.ModelID))
		}
	})
}

// note tells the user something that stops nothing.
func (p *program) note(notes ...string) {
	for _, note := range notes {
		fmt.Fprintln(p.err, "rondo: "+note)
	}
}

// The modes.
const (
	modeText = "text"
	modeJSON = "json"
	modeRPC  = "rpc"
)

func (p *program) chooseMode() (string, error) {
	switch p.flags.mode {
	case modeText, modeJSON, modeRPC:
		return p.flags.mode, nil
	case "":
	default:
		return "", usage("unknown mode %q: use --mode text, json or rpc", p.flags.mode)
	}
	if len(p.flags.args) == 0 && terminal(p.in) {
		return "", usage("there is nothing to do: give a message, such as rondo -p \"explain this project\"; rondo --help shows more")
	}
	return modeText, nil
}

// prompts makes the prompts of the command line: input, files and the first message are
// one, each further message is another.
func (p *program) prompts(ctx context.Context) ([]session.Prompt, error) {
	var first session.Prompt
	if !terminal(p.in) {
		text, err := p.readInput(ctx)
		if err != nil {
			return nil, err
		}
		first.Text = strings.TrimSpace(text)
	}
	var messages []string
	for i, arg := range p.flags.args {
		path, isFile := strings.CutPrefix(arg, "@")
		if !isFile || i >= p.flags.dash {
			messages = append(messages, arg)
			continue
		}
		if err := first.Attach(path); err != nil {
			return nil, usage("%w; a message that begins with @ goes behind --", err)
		}
	}
	if len(messages) > 0 {
		first.Text += messages[0]
		messages = messages[1:]
	}
	if first.Text == "" && len(first.Images) == 0 {
		return nil, usage("there is no prompt: give a message, @file, or text on standard input")
	}
	prompts := []session.Prompt{first}
	for _, m := range messages {
		prompts = append(prompts, session.Prompt{Text: m})
	}
	return prompts, nil
}

// slowInput is how long standard input may stay open without a word: a program that started this
// one may have left it open by mistake.
const slowInput = time.Second

// readInput reads all of standard input as text, or until ctx is done.
func (p *program) readInput(ctx context.Context) (string, error) {
	in := p.in
	type input struct {
		data []byte
		err  error
	}
	done := make(chan input, 1)
	go func() { // ends with in, which the process's end closes at the latest
		data, err := io.ReadAll(in)
		done <- input{data, err}
	}()
	slow := time.NewTimer(slowInput)
	defer slow.Stop()
	for {
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-slow.C:
			p.note("waiting for the end of standard input; < /dev/null leaves it out")
		case all := <-done:
			if all.err != nil {
				return "", usage("read standard input: %w", all.err)
			}
			text, _ := textfile.Decode(all.data)
			return text, nil
		}
	}
}

// reserveOutput returns standard output, and diverts whatever else writes there to standard
// error: the lines of a protocol must stay whole.
func (p *program) reserveOutput() io.Writer {
	if p.out == io.Writer(os.Stdout) {
		os.Stdout = os.Stderr
	}
	if terminal(p.out) {
		return text.NewJSONWriter(p.out)
	}
	return p.out
}

// answers returns what answers are written to: as they are for another program, and for people so
// that they cannot command the terminal.
func (p *program) answers() io.Writer {
	if terminal(p.out) {
		return p.show
	}
	return p.out
}

func terminal(f any) bool {
	file, ok := f.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && file.Name() != os.DevNull && !isNull(info)
}

// isNull reports whether a device is the null device, which stands for no input.
func isNull(info os.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}

// interactive reports whether the program is for a person at a terminal: nothing else was
// asked for, and both ends are one (Pi 0.85).
func (p *program) interactive() bool {
	in, isFile := p.in.(*os.File)
	out, alsoFile := p.out.(*os.File)
	return isFile && alsoFile && !p.flags.print && p.flags.mode == "" && tui.Usable(in, out)
}

// runTerminal runs the interactive mode.
func (p *program) runTerminal(ctx context.Context) error {
	f := &p.flags
	return tty.Run(ctx, &tty.Options{
		In: p.in.(*os.File), Out: p.out.(*os.File), Version: version,
		TUIMode: f.tuiMode, Theme: f.useTheme, Themes: f.themes, NoThemes: f.noThemes, Resume: f.resume,
		App: p.open, Note: p.note,
		Divert: func(to io.Writer) (before io.Writer) {
			before, p.err = p.err, to
			return before
		},
		Open: func(ctx context.Context, app *rondo.App, file string) (*rondo.Session, []session.Prompt, error) {
			if file != "" {
				f.session = file
			}
			w, err := p.enter(ctx, app)
			if err != nil {
				return nil, nil, err
			}
			var prompts []session.Prompt // there need not be any
			if len(f.args) > 0 {
				if prompts, err = p.prompts(ctx); err != nil {
					return nil, nil, errors.Join(err, w.Close())
				}
			}
			s, err := p.session(ctx, app, w)
			return s, prompts, err
		},
	})
}
