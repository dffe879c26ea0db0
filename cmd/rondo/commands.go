package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// commands are what the first argument may name instead of being a message. A message of this
// one word goes behind -p or --.
var commands = map[string]func(*program) *cobra.Command{
	"auth":    authCommand,
	serveName: (*program).serveCommand,
	"update":  updateCommand,
}

// foreign are commands of Pi and of like programs that this one does not have, with what to do
// instead. They are refused as the first argument: sent to a model, they would be paid for and could
// do anything.
var foreign = map[string]string{
	"install":   "extensions, skills and themes are files: put them into the state folder, or name them in settings.json",
	"remove":    "extensions, skills and themes are files: delete them, or take them out of settings.json",
	"uninstall": "extensions, skills and themes are files: delete them, or take them out of settings.json",
	"list":      "rondo --list-models lists models, rondo -r sessions, and rondo auth list credentials",
	"config":    "settings are in settings.json of the state folder; /settings in the terminal changes them",
	"mcp":       "there are no MCP servers; an extension can register their tools",
	"login":     "rondo auth login stores a key, or logs in",
	"logout":    "rondo auth logout removes what is stored",
	"version":   "rondo --version tells it",
}

// refuseWord refuses a first argument that is no message: a command of another program, or one of
// this program that is mistyped. A message in quotes is one argument of several words, so that a
// single word is judged as strictly as commands of Pi are.
func refuseWord(word string) error {
	hint, known := foreign[word]
	for name := range commands {
		if mistyped(word, name) {
			hint, known = "did you mean rondo "+name+"?", true
		}
	}
	if !known {
		return nil
	}
	return usage("there is no command %q: %s (to send it as a message: rondo -- %s)", word, hint, word)
}

// mistyped reports whether a word is a name with letters in another order, or with one too many or
// missing at its end.
func mistyped(word, name string) bool {
	if word == name {
		return false
	}
	a, b := []byte(word), []byte(name)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b) || len(word) == len(name)+1 && strings.HasPrefix(word, name) || len(name) == len(word)+1 && strings.HasPrefix(name, word)
}

// runCommand runs the command that the first argument names, if it names one.
func (p *program) runCommand(ctx context.Context, args []string) (found bool, err error) {
	if len(args) == 0 {
		return false, nil
	}
	if commands[args[0]] == nil {
		err := refuseWord(args[0])
		return err != nil, err
	}
	root := &cobra.Command{
		Use: "rondo", SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetHelpCommand(&cobra.Command{Hidden: true})
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage("%w; see %s --help", err, cmd.CommandPath()) })
	cmd := commands[args[0]](p)
	root.AddCommand(cmd)
	args = expandShorts(args)
	if args[0] == serveName {
		args = p.takeExtensionFlags(args, cmd.Flags())
	}
	root.SetArgs(args)
	return true, root.ExecuteContext(ctx)
}

// arguments makes mistakes in the number of arguments mistakes of the user's, with a hint.
func arguments(check cobra.PositionalArgs, hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usage("%w; %s", err, hint)
		}
		return nil
	}
}
