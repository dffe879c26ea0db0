// Package command is the terminal's own commands: those behind a slash, the pickers that they
// open, and what keys do to the session. A command knows the session and the dialogs; of the
// terminal it sees a [Host].
package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/compaction"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/input"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript/html"
	"github.com/rondo-agent/rondo/transcript/jsonl"
)

// command is one of the terminal's own, behind a slash.
type command struct {
	name, about string
	run         func(c *Commands, args string)
	complete    func(c *Commands, args string) []input.Suggestion // of arguments; nil without
}

// list are the commands, with the names of Pi 0.85 for what there is.
var list []command

func init() { // the functions use the list
	list = []command{
		{"model", "choose the model that answers", pickModelCommand, modelItems},
		{"thinking", "choose how much the model thinks", thinkingCommand, thinkingItems},
		{"name", "name the session", nameCommand, nil},
		{"session", "show what the session is and has taken", sessionCommand, nil},
		{"new", "begin a new session", newCommand, nil},
		{"resume", "go on with another session", func(c *Commands, _ string) { c.pickSession() }, nil},
		{"fork", "begin a session at an earlier message", func(c *Commands, _ string) { c.PickFork() }, nil},
		{"clone", "begin a session with all of this one", cloneCommand, nil},
		{"tree", "go to another place in the session", func(c *Commands, _ string) { c.PickTree() }, nil},
		{"compact", "replace the older part by a summary", compactCommand, nil},
		{"export", "write the session as a page, or a .jsonl file", exportCommand, nil},
		{"import", "go on with a copy of a .jsonl file", importCommand, nil},
		{"copy", "copy the last answer", func(c *Commands, _ string) { c.CopyAnswer() }, nil},
		{"settings", "change settings", settingsCommand, nil},
		{"login", "log in to a provider, or store an API key", loginCommand, nil},
		{"logout", "remove a stored credential", logoutCommand, nil},
		{"reload", "load extensions, skills, templates, settings, keys and themes anew", reloadCommand, nil},
		{"hotkeys", "show the keys", hotkeysCommand, nil},
		{"quit", "leave", func(c *Commands, _ string) { c.Quit() }, nil},
	}
}

func named(name string) *command {
	if name == "exit" {
		name = "quit"
	}
	if i := slices.IndexFunc(list, func(c command) bool { return c.name == name }); i >= 0 {
		return &list[i]
	}
	return nil
}

// Run runs a command of the terminal's own; false if there is none of the name.
func (c *Commands) Run(name, args string) bool {
	cmd := named(name)
	if cmd == nil {
		return false
	}
	cmd.run(c, args)
	return true
}

// Own reports whether the terminal has a command of the name.
func Own(name string) bool { return named(name) != nil }

// Known reports whether the session or an extension has a command.
func (c *Commands) Known(name string) bool { return slices.Contains(c.Names(), name) }

// Names are those of all commands.
func (c *Commands) Names() []string {
	var names []string
	for _, it := range c.Items("") {
		names = append(names, it.Label)
	}
	return names
}

// Items are the commands whose names have what is typed, the best first.
func (c *Commands) Items(typed string) []input.Suggestion {
	var items []input.Suggestion
	add := func(name, about string) {
		if name = text.OneLine(name); strings.Contains(name, typed) {
			items = append(items, input.Suggestion{Label: name, Detail: text.OneLine(about), Value: "/" + name + " "})
		}
	}
	for _, c := range list {
		add(c.name, c.about)
	}
	for _, cmd := range c.session().Extensions().Commands() {
		if !Own(cmd.Invocation) {
			add(cmd.Invocation, cmd.Description)
		}
	}
	for _, cmd := range c.session().Commands() {
		add(cmd.Name, cmd.Description)
	}
	slices.SortStableFunc(items, func(x, y input.Suggestion) int {
		return fit(y.Label, typed) - fit(x.Label, typed)
	})
	return items
}

// Arguments returns what may follow a command of the terminal's own; known is false for others.
func (c *Commands) Arguments(name, typed string) (found []input.Suggestion, known bool) {
	cmd := named(name)
	if cmd == nil || cmd.complete == nil {
		return nil, false
	}
	return cmd.complete(c, typed), true
}

// ReportTaken reports which commands of extensions cannot be run, since the terminal has one of the
// name.
func (c *Commands) ReportTaken() {
	for _, cmd := range c.session().Extensions().Commands() {
		if Own(cmd.Invocation) {
			c.Info(fmt.Sprintf("The command /%s of %s is not used: the terminal has one of this name.", cmd.Invocation, cmd.Source.Path))
		}
	}
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

func thinkingCommand(c *Commands, args string) {
	if args == "" {
		c.pickThinking()
		return
	}
	level := ai.ThinkingLevel(args)
	if !slices.Contains(ai.ThinkingLevels, level) {
		c.Hint(fmt.Sprintf("the levels are %v", ai.ThinkingLevels))
		return
	}
	c.setThinking(level)
}

func nameCommand(c *Commands, args string) {
	if args == "" {
		if c.Name() == "" {
			c.Info("The session has no name: /name gives it one.")
		} else {
			c.Info("The session is called " + c.Name() + ".")
		}
		return
	}
	c.settle(func(s *session.Session) (string, error) { return "", s.SetName(args) })
}

func sessionCommand(c *Commands, _ string) {
	s := c.session()
	c.Do(func(context.Context) func() {
		stats, err := s.Stats()
		return func() {
			if err != nil {
				c.Fail(err)
				return
			}
			file := stats.SessionFile
			if file == "" {
				file = "in memory alone"
			}
			c.Info(fmt.Sprintf("Session %s\n%s\n%s and %s of the model, %s\ntokens: %s in, %s out, %s from the cache, %s to the cache; $%.4f",
				stats.SessionID, file, Count(stats.UserMessages, "message"), Count(stats.AssistantMessages, "answer"), Count(stats.ToolCalls, "call"),
				chat.Tokens(stats.Tokens.Input), chat.Tokens(stats.Tokens.Output), chat.Tokens(stats.Tokens.CacheRead), chat.Tokens(stats.Tokens.CacheWrite), stats.Cost))
		}
	})
}

// replace puts another session in the place of this one, in the order of what was asked for.
func (c *Commands) replace(fn func(ctx context.Context) (written string, err error)) {
	c.InOrder(func(ctx context.Context) func() {
		written, err := fn(ctx)
		return func() {
			c.Drain()
			switch {
			case errors.Is(err, session.ErrCancelled):
			case err != nil:
				c.Fail(err)
			case written != "":
				c.Draft().Set(written)
			}
		}
	})
}

func newCommand(c *Commands, _ string) {
	c.replace(func(ctx context.Context) (string, error) { return "", c.Runtime().New(ctx, "") })
}

func cloneCommand(c *Commands, _ string) {
	c.replace(func(ctx context.Context) (string, error) { return "", c.Runtime().Clone(ctx) })
}

func importCommand(c *Commands, args string) {
	if args == "" {
		c.Hint("/import needs the name of a .jsonl file")
		return
	}
	path := c.inFolder(args)
	c.replace(func(ctx context.Context) (string, error) { return "", c.Runtime().Import(ctx, path, "") })
}

func compactCommand(c *Commands, args string) {
	s := c.session()
	c.Compacting()
	c.Do(func(ctx context.Context) func() {
		_, err := s.Compact(ctx, args)
		if errors.Is(err, compaction.ErrNothingToCompact) || errors.Is(err, session.ErrCompacting) {
			return func() { c.Fail(err) }
		}
		return nil // compaction_end has said the rest
	})
}

func exportCommand(c *Commands, args string) {
	s, to := c.session(), args
	if to != "" {
		to = c.inFolder(to)
	}
	c.Do(func(context.Context) func() {
		path, err := to, error(nil)
		if strings.HasSuffix(to, ".jsonl") {
			err = jsonl.Export(s.Store(), to)
		} else {
			path, err = html.File(s.Store(), to, &html.Options{ToolView: s.ToolView})
		}
		return func() {
			if err != nil {
				c.Fail(err)
				return
			}
			c.Info("The session is in " + path)
		}
	})
}

// CopyAnswer puts the last answer into the clipboard, by way of the terminal.
func (c *Commands) CopyAnswer() {
	answer := c.session().LastAnswer()
	if answer == nil || answer.Content.Text() == "" {
		c.Hint("there is no answer to copy")
		return
	}
	c.Copy(answer.Content.Text())
	c.Hint("the last answer is in the clipboard, if the terminal allows it")
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

func hotkeysCommand(c *Commands, _ string) {
	c.Info(hotkeys)
}

// Reloading is the hint while the session is made anew.
const Reloading = "reloading"

// reloadCommand makes the session anew, with what the files say now.
func reloadCommand(c *Commands, _ string) {
	if c.Busy() {
		c.Hint("something is under way: reload when it has ended, or abort it with esc")
		return
	}
	c.Hint(Reloading)
	c.replace(func(ctx context.Context) (string, error) { return "", c.Runtime().Reload(ctx) })
}

// Count names a number of things, for a sentence.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
