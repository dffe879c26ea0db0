package main

import (
	"context"

	"github.com/spf13/cobra"
)

// commands are what the first argument may name instead of being a message. A message of this
// one word goes behind -p or --.
var commands = map[string]func(*program) *cobra.Command{
	"auth":    authCommand,
	serveName: (*program).serveCommand,
	"update":  updateCommand,
}

// runCommand runs the command that the first argument names, if it names one.
func (p *program) runCommand(ctx context.Context, args []string) (found bool, err error) {
	if len(args) == 0 || commands[args[0]] == nil {
		return false, nil
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
