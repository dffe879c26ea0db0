package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/config/oauth"
	"github.com/rondo-agent/rondo/internal/term/ask"
)

// login stores a credential of the provider, which it asks for if it is not named.
func (p *program) login(ctx context.Context, cfg *config.Config, name string, opts *loginOptions) error {
	asker := ask.New(p.in, p.err)
	if name == "" {
		if asker == nil {
			return usage("name a provider: rondo auth login <provider>; rondo auth list --all shows all")
		}
		fmt.Fprintf(p.err, "With a login: %s. With an API key: anthropic, openai, google, openrouter and others (rondo auth list --all).\n", strings.Join(cfg.Logins(), ", "))
		var err error
		if name, err = asker.Line(ctx, "Provider:"); err != nil {
			return err
		}
	}
	provider, err := cfg.ProviderID(strings.TrimSpace(name))
	if err != nil {
		return asUsage(err)
	}
	hasLogin := slices.Contains(cfg.Logins(), provider)
	switch {
	case !hasLogin && (opts.Device || opts.Domain != ""):
		return usage("%s has API keys and no login: leave out --device and --enterprise", provider)
	case opts.Domain != "" && provider != "github-copilot":
		return usage("--enterprise is for github-copilot, not for %s: leave it out", provider)
	case hasLogin && !opts.key && asker == nil && provider == "openrouter":
		// what is piped in is a key
	case hasLogin && !opts.key:
		return p.logIn(ctx, cfg, provider, asker, opts)
	}
	return p.storeKey(ctx, cfg, provider, asker)
}

// storeKey asks for a key, or reads it.
func (p *program) storeKey(ctx context.Context, cfg *config.Config, provider string, asker *ask.Asker) error {
	var key string
	if asker != nil {
		if provider == "anthropic" {
			fmt.Fprintln(p.err, "Anthropic gives API keys at https://platform.claude.com; subscriptions are for its own programs.")
		}
		var err error
		if key, err = asker.Secret(ctx, "API key of "+provider+" (it is not shown):"); err != nil {
			return err
		}
	} else {
		var err error
		if key, err = p.readInput(ctx); err != nil {
			return err
		}
	}
	key = strings.TrimSpace(key)
	switch {
	case key == "":
		return usage("there is no key: give it on standard input, or at the prompt")
	case strings.ContainsAny(key, " \t\r\n"):
		return usage("this is no key: it has white space in it")
	}
	if err := cfg.SaveKey(ctx, provider, key); err != nil {
		return err
	}
	return p.stored(cfg, provider)
}

// stored says where a credential is now. A key for this run alone would hide what was stored.
func (p *program) stored(cfg *config.Config, provider string) error {
	where := config.AuthFile
	if cfg.Settings.CredentialStore == config.StoreKeyring {
		where = "the system's keyring"
	}
	_, err := fmt.Fprintf(p.show, "%s: stored in %s; try: rondo --provider %s -p hello\n", provider, where, provider)
	return err
}

// logIn logs in to a provider that has a login.
func (p *program) logIn(ctx context.Context, cfg *config.Config, provider string, asker *ask.Asker, opts *loginOptions) error {
	opts.Models = cfg.LoginDefaults(provider).Models
	ui := &oauth.UI{
		Browse: func(url string) {
			fmt.Fprintf(p.err, "Open this address in a browser to log in:\n\n  %s\n\n", url)
			oauth.OpenBrowser(ctx, url)
		},
		Code: func(url, code string, valid time.Duration) {
			fmt.Fprintf(p.err, "Enter the code %s at %s (within %v).\n", code, url, valid.Round(time.Minute))
		},
		Tell: func(text string) { fmt.Fprintln(p.err, text) },
	}
	if asker != nil {
		ui.Ask = asker.Line
	}
	switch err := cfg.Login(ctx, provider, ui, &opts.Options); {
	case errors.Is(err, oauth.ErrExpired):
		return fmt.Errorf("%w; begin again with rondo auth login %s", err, provider)
	case err != nil:
		return err
	}
	return p.stored(cfg, provider)
}
