package tui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/internal/near"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/session"
)

// submit sends what has been written: to the model, to a command, or to the shell.
func (a *app) submit(followUp bool) tea.Cmd {
	a.complete = nil
	// A backslash before Enter breaks the line, for terminals that know no Shift+Enter.
	if before := a.editor.Before(); strings.HasSuffix(before, `\`) && len(before) == len(a.editor.Value()) {
		a.editor.ReplaceBefore(1, "\n")
		return nil
	}
	written, source := a.editor.Value(), strings.TrimSpace(a.editor.Text())
	if source == "" {
		return nil
	}
	if strings.HasPrefix(source, "/") {
		if cmd, done := a.slash(source); done {
			return cmd
		}
	}
	a.editor.Remember(written)
	a.editor.Clear()
	if command, ok := strings.CutPrefix(source, "!"); ok {
		command, hidden := strings.CutPrefix(command, "!")
		if command = strings.TrimSpace(command); command != "" {
			a.runShell(command, hidden)
		}
		return nil
	}
	when := session.Steer
	if followUp {
		when = session.FollowUp
	}
	a.send(session.Prompt{Text: source, WhileBusy: when}, written)
	return nil
}

// slash runs a command of the terminal's own; false if the text is for the session.
func (a *app) slash(source string) (tea.Cmd, bool) {
	name, args, _ := strings.Cut(source[1:], " ")
	name, _, lines := strings.Cut(name, "\n")
	if c := commandNamed(name); c != nil && !lines {
		a.editor.Remember(source)
		a.editor.Clear()
		return c.run(a, strings.TrimSpace(args)), true
	}
	if strings.ContainsAny(name, "/.") || name == "" || a.knows(name) {
		return nil, false // a path, a template, a skill, or an extension's command
	}
	a.hint = "there is no command /" + text.OneLine(name)
	if similar := near.Names(name, a.commandNames()); len(similar) > 0 {
		a.hint += "; did you mean /" + strings.Join(similar, " or /") + "?"
	}
	return nil, true
}

// send gives a prompt to the session. If it is refused, written goes back into the editor.
func (a *app) send(p session.Prompt, written string) {
	s := a.session()
	start := a.inOrder
	if name, _, _ := strings.Cut(strings.TrimPrefix(p.Text, "/"), " "); strings.HasPrefix(p.Text, "/") && s.Extensions().Command(name) != nil {
		start = a.do // a command may take as long as it likes, and ask meanwhile
	}
	start(func(ctx context.Context) callMsg {
		attachImages(&p, folder(s))
		activity, err := s.Start(p)
		if activity == nil && err == nil {
			return func(a *app) { a.measureSession() } // an extension has dealt with it
		}
		if err != nil {
			return func(a *app) {
				a.fail(err)
				if a.editor.Empty() && written != "" {
					a.editor.Set(written)
				}
			}
		}
		a.do(func(context.Context) callMsg { // of what has failed, events tell all but this
			err := activity.Wait(ctx)
			if unstored, ok := errors.AsType[*session.UnstoredError](err); ok {
				return func(a *app) { a.fail(unstored) }
			}
			return nil
		})
		return nil
	})
}

// imageTypes are the endings of files that are sent as images when a prompt names them.
var imageTypes = []string{".png", ".jpg", ".jpeg", ".gif", ".webp"}

// attachImages adds the images whose paths stand in a prompt, as terminals paste them when a
// file is dropped.
func attachImages(p *session.Prompt, dir string) {
	for _, word := range words(p.Text) {
		path := strings.TrimPrefix(word, "@")
		if !isImage(path) {
			continue
		}
		if strings.HasPrefix(path, "~/") {
			if home, err := os.UserHomeDir(); err == nil {
				path = filepath.Join(home, path[2:])
			}
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			with := *p
			if !strings.HasSuffix(with.Text, "\n") {
				with.Text += "\n"
			}
			if with.Attach(path) == nil && len(with.Images) > len(p.Images) {
				*p = with
			}
		}
	}
}

func isImage(path string) bool {
	for _, ending := range imageTypes {
		if strings.HasSuffix(strings.ToLower(path), ending) {
			return true
		}
	}
	return false
}

// words divides a text at blanks, but not in quotes and not behind a backslash.
func words(s string) []string {
	var all []string
	var b strings.Builder
	var quote rune
	escaped := false
	flush := func() {
		if b.Len() > 0 {
			all = append(all, b.String())
			b.Reset()
		}
	}
	for _, r := range s {
		switch {
		case escaped:
			b.WriteRune(r)
			escaped = false
		case r == '\\' && filepath.Separator == '/':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				b.WriteRune(r)
			}
		case (r == '"' || r == '\'') && b.Len() == 0:
			quote = r
		case r == ' ' || r == '\n':
			flush()
		default:
			b.WriteRune(r)
		}
	}
	flush()
	return all
}

// runShell runs a command of the person's own.
func (a *app) runShell(command string, hidden bool) {
	a.nextBash++
	a.bashes++
	id := `"tui-` + itoa(a.nextBash) + `"`
	a.transcript.StartShell(id, command, hidden)
	s := a.session()
	a.do(func(ctx context.Context) callMsg {
		result, err := s.RunBash(ctx, session.BashCommand{Text: command, Hidden: hidden, ID: []byte(id)})
		return func(a *app) {
			a.drain() // its output comes first
			a.bashes--
			a.transcript.EndShell(id, result, err)
			a.measureSession()
		}
	})
}
