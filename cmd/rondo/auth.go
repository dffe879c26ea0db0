package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rondo-agent/rondo"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/config/oauth"
)

const authLong = `Keys and logins of the providers of models.

  rondo auth login anthropic                 store an API key: it is asked for, without echo
  rondo auth login openai < key.txt          or read from standard input
  rondo auth login github-copilot            log in with a code in the browser
  rondo auth list                            what there is, and where it is from
  rondo auth check openai                    can it be used? 0 yes, 1 no
  rondo auth logout openai                   remove what is stored

For each provider the first of these counts: the flag --api-key, auth.json in the state
folder, the environment, models.json. A key in auth.json may be text, $NAME for a variable, or
!command for what a command prints, such as a password manager. With "credentialStore":
"keyring" in settings.json, secrets are kept in the system's keyring instead.`

func authCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use: "auth", Short: "Keys and logins of providers", Long: authLong,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("unknown command %q: use login, logout, list, check, print-api-key or print-bearer-token; see rondo auth --help", "auth "+args[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(p.loginCommand(), p.logoutCommand(), p.listCommand(), p.checkCommand(),
		p.printCommand("print-api-key", "API key", false), p.printCommand("print-bearer-token", "bearer token", true))
	return cmd
}

const loginLong = `Store a credential of a provider.

Most providers have API keys, from a page of theirs: the key is asked for without echo, or
read from standard input. Some have a login besides:

  openai-codex      ChatGPT Plus, Pro or Business; in the browser, or with --device
  github-copilot    with a code; --enterprise names the domain of an enterprise server
  openrouter        in the browser; it makes an API key for you

--key stores an API key for these as well. Subscriptions whose logins are for the provider's
own programs alone, such as Claude Pro and Max, are left out: use an API key.`

func (p *program) loginCommand() *cobra.Command {
	var opts loginOptions
	cmd := &cobra.Command{
		Use: "login [provider]", Short: "Store an API key, or log in", Long: loginLong,
		Args: arguments(cobra.MaximumNArgs(1), "name one provider, such as rondo auth login openai"),
		RunE: func(cmd *cobra.Command, args []string) error {
			app, err := p.open(cmd.Context(), nil)
			if err != nil {
				return err
			}
			name := opts.provider
			if len(args) == 1 {
				name = args[0]
			}
			cfg, done := p.withExtensions(cmd.Context(), app, name)
			defer done()
			return p.login(cmd.Context(), cfg, name, &opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.provider, "provider", "", "the provider, as the argument")
	f.BoolVar(&opts.key, "key", false, "store an API key, also where there is a login")
	f.BoolVar(&opts.Device, "device", false, "log in with a code that can be entered on any machine")
	f.StringVar(&opts.Domain, "enterprise", "", "domain of a GitHub Enterprise server, such as company.ghe.com")
	return cmd
}

// loginOptions are the flags of rondo auth login.
type loginOptions struct {
	oauth.Options
	provider string
	key      bool
}

func (p *program) logoutCommand() *cobra.Command {
	return p.providerCommand("logout", "Remove what is stored for a provider",
		"Remove a provider's entry from auth.json, and its secret from the keyring. A key of the\nenvironment or of models.json stays: it is not rondo's to remove.",
		func(cmd *cobra.Command, cfg *config.Config, provider string) error {
			found, err := cfg.Logout(cmd.Context(), provider)
			if err != nil {
				return err
			}
			if !found {
				return fmt.Errorf("nothing is stored for %s; rondo auth list shows where keys are from", provider)
			}
			_, err = fmt.Fprintf(p.show, "%s: removed\n", provider)
			return err
		})
}

func (p *program) checkCommand() *cobra.Command {
	return p.providerCommand("check", "Say whether a provider can be used",
		"Find a provider's credential as a request would: commands are run, and logins renewed. No\nmodel is asked. Exit codes: 0 there is one, 1 there is none that works.",
		func(cmd *cobra.Command, cfg *config.Config, provider string) error {
			cred, err := cfg.Check(cmd.Context(), provider)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.show, "%s: ready (from %s)\n", provider, cred.Source)
			return err
		})
}

func (p *program) printCommand(name, what string, bearer bool) *cobra.Command {
	return p.providerCommand(name, "Print a provider's "+what+" for another program",
		"Print a provider's "+what+" and nothing else, for a program that calls the provider itself:\n\n  export KEY=$(rondo auth "+name+" --provider openai)\n\nWhoever sees the output can use it: it belongs in no log.",
		func(cmd *cobra.Command, cfg *config.Config, provider string) error {
			grant, err := cfg.Grant(cmd.Context(), provider)
			if err != nil {
				return err
			}
			if grant.Bearer != bearer {
				other := "print-bearer-token"
				if bearer {
					other = "print-api-key"
				}
				return usage("%s has no %s: use rondo auth %s %s", provider, what, other, provider)
			}
			_, err = fmt.Fprintln(p.out, grant.Token)
			return err
		})
}

// providerCommand makes a command for one provider, which is the argument or a flag.
func (p *program) providerCommand(name, short, long string, run func(*cobra.Command, *config.Config, string) error) *cobra.Command {
	var provider string
	cmd := &cobra.Command{
		Use: name + " <provider>", Short: short, Long: long,
		Args: arguments(cobra.MaximumNArgs(1), "name one provider, such as rondo auth "+name+" openai"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				provider = args[0]
			}
			if provider == "" {
				return usage("name a provider: rondo auth %s <provider>", name)
			}
			app, err := p.open(cmd.Context(), nil)
			if err != nil {
				return err
			}
			cfg, done := p.withExtensions(cmd.Context(), app, provider)
			defer done()
			if provider, err = p.providerID(cfg, provider); err != nil {
				return err
			}
			return run(cmd, cfg, provider)
		},
	}
	cmd.Flags().StringVar(&provider, "provider", "", "the provider, as the argument")
	return cmd
}

// withExtensions returns the configuration with the providers that the extensions of this
// folder bring, if it does not know the provider without them. done ends the extensions.
func (p *program) withExtensions(ctx context.Context, app *rondo.App, provider string) (with *config.Config, done func()) {
	cfg := app.Config()
	if _, err := cfg.ProviderID(provider); provider == "" || err == nil {
		return cfg, func() {}
	}
	w, err := p.enter(ctx, app)
	if err != nil {
		p.noteError(err)
		return cfg, func() {}
	}
	p.note(w.Notes()...)
	return w.Config(), func() { p.noteError(w.Close()) }
}

// noteError tells of an error that stops nothing.
func (p *program) noteError(err error) {
	if err != nil {
		p.note(err.Error())
	}
}

// providerID returns the provider that is meant. One that auth.json alone knows, as of another
// program, can be removed nevertheless.
func (p *program) providerID(cfg *config.Config, name string) (string, error) {
	id, err := cfg.ProviderID(name)
	if err == nil {
		return id, nil
	}
	if stored, storedErr := cfg.Stored(); storedErr == nil {
		for _, id := range stored {
			if strings.EqualFold(id, name) {
				return id, nil
			}
		}
	}
	return "", asUsage(err)
}

func (p *program) listCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "list", Short: "List providers and where their credentials are from",
		Long: "List the providers that have a credential, and where it is from; with --all also those that\nhave none, and how to give them one. Nothing secret is shown, and no command is run.",
		Args: arguments(cobra.NoArgs, "list takes no provider"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			app, err := p.open(cmd.Context(), nil)
			if err != nil {
				return err
			}
			return p.listProviders(app.Config(), all)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also providers without a credential")
	return cmd
}

func (p *program) listProviders(cfg *config.Config, all bool) error {
	w := tabwriter.NewWriter(p.show, 0, 0, 2, ' ', 0)
	n := 0
	for _, s := range cfg.Statuses() {
		if config.IsMissing(s.Err) && !all {
			continue
		}
		if n++; n == 1 {
			fmt.Fprintln(w, "PROVIDER\tNAME\tCREDENTIAL")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Provider, s.Name, s.Standing())
	}
	if n == 0 {
		_, err := fmt.Fprintln(p.show, "No provider has a credential yet. rondo auth list --all shows all; rondo auth login <provider> stores a key.")
		return err
	}
	return w.Flush()
}
