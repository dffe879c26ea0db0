package tui

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/rondo-agent/rondo/internal/near"
	"github.com/rondo-agent/rondo/mode/tui/command"
	"github.com/rondo-agent/rondo/session"
)

// submit sends what has been written: to the model, to a command, or to the shell. while says when
// a message is delivered if the agent works.
func (a *app) submit(while session.Delivery) {
	a.input.CloseSuggestions()
	if a.input.BreakLine() {
		return
	}
	written, source := a.input.Editor.Value(), strings.TrimSpace(a.input.Editor.Text())
	if source == "" || strings.HasPrefix(source, "/") && a.slash(source) {
		return
	}
	a.input.Editor.Remember(written)
	a.input.Editor.Clear()
	if line, ok := strings.CutPrefix(source, "!"); ok {
		line, hidden := strings.CutPrefix(line, "!")
		if line = strings.TrimSpace(line); line != "" {
			a.runShell(line, hidden)
		}
		return
	}
	a.send(session.Prompt{Text: source, WhileBusy: while}, written)
}

// slash runs a command of the terminal's own; false if the text is for the session.
func (a *app) slash(source string) bool {
	name, args, _ := strings.Cut(source[1:], " ")
	name, _, lines := strings.Cut(name, "\n")
	if command.Own(name) && !lines {
		a.input.Editor.Remember(source)
		a.input.Editor.Clear()
		return a.commands.Run(name, strings.TrimSpace(args))
	}
	if strings.ContainsAny(name, "/.") || name == "" || a.commands.Known(name) {
		return false // a path, a template, a skill, or an extension's command
	}
	hint := "there is no command /" + name
	if similar := near.Names(name, a.commands.Names()); len(similar) > 0 {
		hint += "; did you mean /" + strings.Join(similar, " or /") + "?"
	}
	a.Hint(hint)
	return true
}

// send gives a prompt to the session. If it is refused, written goes back into the editor.
func (a *app) send(p session.Prompt, written string) {
	s := a.session()
	start := a.InOrder
	if name, _, _ := strings.Cut(strings.TrimPrefix(p.Text, "/"), " "); strings.HasPrefix(p.Text, "/") && s.Extensions().Command(name) != nil {
		start = a.Do // a command may take as long as it likes, and ask meanwhile
	}
	start(func(ctx context.Context) func() {
		attachImages(&p, command.Folder(s))
		run, err := s.Start(p)
		if run == nil && err == nil {
			return a.Measure // an extension has dealt with it
		}
		if err != nil {
			return func() {
				a.Fail(err)
				if a.input.Editor.Empty() && written != "" {
					a.input.Editor.Set(written)
				}
			}
		}
		a.Do(func(context.Context) func() { // of what has failed, events tell all but this
			_, err := run.Wait(ctx)
			if unstored, ok := errors.AsType[*session.UnstoredError](err); ok {
				return func() { a.Fail(unstored) }
			}
			return nil
		})
		return nil
	})
}

// shells are the commands of the user's own that run.
type shells struct{ running, next int }

// runShell runs a command of the user's own.
func (a *app) runShell(line string, hidden bool) {
	a.shells.next++
	a.shells.running++
	id := `"tui-` + strconv.Itoa(a.shells.next) + `"`
	a.conv.Chat.StartShell(id, line, hidden)
	s := a.session()
	a.Do(func(ctx context.Context) func() {
		result, err := s.RunBash(ctx, session.BashCommand{Text: line, Hidden: hidden, ID: []byte(id)})
		return func() {
			a.Drain() // its output comes first
			a.shells.running--
			a.conv.Chat.EndShell(id, result, err)
			a.Measure()
		}
	})
}
