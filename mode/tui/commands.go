package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript/html"
	"github.com/rondo-agent/rondo/transcript/jsonl"
)

// command is one of the terminal's own, behind a slash.
type command struct {
	name, about string
	run         func(a *app, args string) tea.Cmd
	complete    func(a *app, args string) []item // of arguments; nil without
}

// commands are those of Pi 0.85 for what there is.
var commands []command

func init() { // the functions use the list
	commands = []command{
		{"model", "choose the model that answers", pickModelCommand, modelItems},
		{"thinking", "choose how much the model thinks", thinkingCommand, thinkingItems},
		{"name", "name the session", nameCommand, nil},
		{"session", "show what the session is and has taken", sessionCommand, nil},
		{"new", "begin a new session", newCommand, nil},
		{"resume", "go on with another session", func(a *app, _ string) tea.Cmd { a.pickSession(); return nil }, nil},
		{"fork", "begin a session at an earlier message", func(a *app, _ string) tea.Cmd { a.pickFork(); return nil }, nil},
		{"clone", "begin a session with all of this one", cloneCommand, nil},
		{"tree", "go to another place in the session", func(a *app, _ string) tea.Cmd { a.pickTree(); return nil }, nil},
		{"compact", "replace the older part by a summary", compactCommand, nil},
		{"export", "write the session as a page, or a .jsonl file", exportCommand, nil},
		{"import", "go on with a copy of a .jsonl file", importCommand, nil},
		{"copy", "copy the last answer", func(a *app, _ string) tea.Cmd { return a.copyAnswer() }, nil},
		{"settings", "change settings", settingsCommand, nil},
		{"login", "log in to a provider, or store an API key", loginCommand, nil},
		{"logout", "remove a stored credential", logoutCommand, nil},
		{"reload", "load extensions, skills, templates, settings, keys and themes anew", reloadCommand, nil},
		{"hotkeys", "show the keys", hotkeysCommand, nil},
		{"quit", "leave", func(a *app, _ string) tea.Cmd { return a.quit() }, nil},
	}
}

func commandNamed(name string) *command {
	if name == "exit" {
		name = "quit"
	}
	if i := slices.IndexFunc(commands, func(c command) bool { return c.name == name }); i >= 0 {
		return &commands[i]
	}
	return nil
}

// knows reports whether the session or an extension has a command.
func (a *app) knows(name string) bool {
	return slices.ContainsFunc(a.commandItems(""), func(it item) bool { return it.label == name })
}

func (a *app) commandNames() []string {
	var names []string
	for _, it := range a.commandItems("") {
		names = append(names, it.label)
	}
	return names
}

// commandItems are the commands that a text may be the beginning or a part of.
func (a *app) commandItems(typed string) []item {
	var items []item
	add := func(name, about string) {
		if name = text.OneLine(name); strings.Contains(name, typed) {
			items = append(items, item{label: name, detail: text.OneLine(about), value: "/" + name + " "})
		}
	}
	for _, c := range commands {
		add(c.name, c.about)
	}
	for _, c := range a.opts.ui.commandItems(a) {
		add(c.label, c.detail)
	}
	for _, c := range a.session().Commands() {
		add(c.Name, c.Description)
	}
	slices.SortStableFunc(items, func(x, y item) int {
		return fit(y.label, typed) - fit(x.label, typed)
	})
	return items
}

// fit is how well the name of a command fits what is typed: a name that was typed whole comes
// before longer ones that begin so.
func fit(name, typed string) int {
	switch {
	case name == typed:
		return 2
	case strings.HasPrefix(name, typed):
		return 1
	}
	return 0
}

func thinkingCommand(a *app, args string) tea.Cmd {
	if args == "" {
		a.pickThinking()
		return nil
	}
	level := ai.ThinkingLevel(args)
	if !slices.Contains(ai.ThinkingLevels, level) {
		a.hint = fmt.Sprintf("the levels are %v", ai.ThinkingLevels)
		return nil
	}
	a.setThinking(level)
	return nil
}

func nameCommand(a *app, args string) tea.Cmd {
	if args == "" {
		if a.status.name == "" {
			a.info("The session has no name: /name gives it one.")
		} else {
			a.info("The session is called " + a.status.name + ".")
		}
		return nil
	}
	a.settle(func(s *session.Session) (string, error) { return "", s.SetName(args) })
	return nil
}

func sessionCommand(a *app, _ string) tea.Cmd {
	s := a.session()
	a.do(func(context.Context) callMsg {
		stats, err := s.Stats()
		return func(a *app) {
			if err != nil {
				a.fail(err)
				return
			}
			file := stats.SessionFile
			if file == "" {
				file = "in memory alone"
			}
			a.info(fmt.Sprintf("Session %s\n%s\n%s and %s of the model, %s\ntokens: %s in, %s out, %s from the cache, %s to the cache; $%.4f",
				stats.SessionID, file, describe(stats.UserMessages, "message"), describe(stats.AssistantMessages, "answer"), describe(stats.ToolCalls, "call"),
				chat.Tokens(stats.Tokens.Input), chat.Tokens(stats.Tokens.Output), chat.Tokens(stats.Tokens.CacheRead), chat.Tokens(stats.Tokens.CacheWrite), stats.Cost))
		}
	})
	return nil
}

// replace puts another session in the place of this one, in the order of what was asked for.
func (a *app) replace(fn func(ctx context.Context) (written string, err error)) {
	a.inOrder(func(ctx context.Context) callMsg {
		written, err := fn(ctx)
		return func(a *app) {
			a.drain()
			switch {
			case errors.Is(err, session.ErrCancelled):
			case err != nil:
				a.fail(err)
			case written != "":
				a.editor.Set(written)
			}
		}
	})
}

func newCommand(a *app, _ string) tea.Cmd {
	a.replace(func(ctx context.Context) (string, error) { return "", a.runtime.New(ctx, "") })
	return nil
}

func cloneCommand(a *app, _ string) tea.Cmd {
	a.replace(func(ctx context.Context) (string, error) { return "", a.runtime.Clone(ctx) })
	return nil
}

func importCommand(a *app, args string) tea.Cmd {
	if args == "" {
		a.hint = "/import needs the name of a .jsonl file"
		return nil
	}
	path := a.inFolder(args)
	a.replace(func(ctx context.Context) (string, error) { return "", a.runtime.Import(ctx, path, "") })
	return nil
}

func compactCommand(a *app, args string) tea.Cmd {
	s := a.session()
	a.since = time.Now()
	a.do(func(ctx context.Context) callMsg {
		_, err := s.Compact(ctx, args)
		if errors.Is(err, session.ErrNothingToCompact) || errors.Is(err, session.ErrCompacting) {
			return func(a *app) { a.fail(err) }
		}
		return nil // compaction_end has said the rest
	})
	return nil
}

func exportCommand(a *app, args string) tea.Cmd {
	s, to := a.session(), args
	if to != "" {
		to = a.inFolder(to)
	}
	a.do(func(context.Context) callMsg {
		path, err := to, error(nil)
		if strings.HasSuffix(to, ".jsonl") {
			err = jsonl.Export(s.Store(), to)
		} else {
			path, err = html.File(s.Store(), to)
		}
		return func(a *app) {
			if err != nil {
				a.fail(err)
				return
			}
			a.info("The session is in " + path)
		}
	})
	return nil
}

// copyAnswer puts the last answer into the clipboard, by way of the terminal.
func (a *app) copyAnswer() tea.Cmd {
	answer := a.session().LastAnswer()
	if answer == nil || answer.Content.Text() == "" {
		a.hint = "there is no answer to copy"
		return nil
	}
	a.term.copy(answer.Content.Text())
	a.hint = "the last answer is in the clipboard, if the terminal allows it"
	return nil
}

const hotkeys = `enter sends; while the agent works, it steers
alt+enter sends when the agent has finished
shift+enter, ctrl+j, or \ before enter: new line
esc aborts, and gives what is queued back; twice, with nothing to abort: /tree
ctrl+c empties the editor; twice, it leaves; ctrl+d leaves
ctrl+t shows or folds thinking, ctrl+o results in full
shift+tab changes the thinking level, ctrl+p the model, ctrl+l lists models
alt+up takes back what is queued; up and down go through what was sent
ctrl+g opens $VISUAL or $EDITOR, ctrl+z suspends, ctrl+x copies the last answer
in full screen: pageUp, pageDown, home, end, ctrl+up and ctrl+down move in the conversation
/ commands, @ files, tab paths, ! runs a command, !! keeps it from the model`

func hotkeysCommand(a *app, _ string) tea.Cmd {
	a.info(hotkeys)
	return nil
}
