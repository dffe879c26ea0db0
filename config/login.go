package config

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rondo-agent/rondo/config/oauth"
)

// standardLogins are the ways to log in that providers allow other programs.
func standardLogins() map[string]oauth.Login {
	return map[string]oauth.Login{"openai-codex": oauth.Codex{}, "github-copilot": oauth.Copilot{}, "openrouter": oauth.OpenRouter{}}
}

// RegisterLogin makes l the way to log in to a provider; nil removes it.
func (c *Config) RegisterLogin(provider string, l oauth.Login) {
	c.credentials.loginsMu.Lock()
	defer c.credentials.loginsMu.Unlock()
	if l == nil {
		delete(c.credentials.logins, provider)
		return
	}
	c.credentials.logins[provider] = l
}

// Logins lists the providers that one can log in to otherwise than with an API key.
func (c *Config) Logins() []string {
	c.credentials.loginsMu.Lock()
	defer c.credentials.loginsMu.Unlock()
	return slices.Sorted(maps.Keys(c.credentials.logins))
}

// loginOf returns the way to log in to a provider, or nil.
func (c *credentials) loginOf(provider string) oauth.Login {
	c.loginsMu.Lock()
	defer c.loginsMu.Unlock()
	return c.logins[provider]
}

// Login logs in to a provider and stores what comes of it. The providers are those of
// [Config.Logins].
func (c *Config) Login(ctx context.Context, provider string, ui *oauth.UI, opts *oauth.Options) error {
	l := c.credentials.loginOf(provider)
	if l == nil {
		return fmt.Errorf("log in to %s: it has API keys and no login for other programs", provider)
	}
	cred, err := l.Login(ctx, ui, opts)
	if err != nil {
		return fmt.Errorf("log in to %s: %w", provider, err)
	}
	return c.keep(ctx, provider, cred)
}

// SaveKey stores an API key of a provider.
func (c *Config) SaveKey(ctx context.Context, provider, key string) error {
	return c.keep(ctx, provider, &oauth.Credential{Type: oauth.TypeAPIKey, Key: key})
}

// keep stores a credential in place of the provider's old one, of which the variables stay.
func (c *Config) keep(ctx context.Context, provider string, cred *oauth.Credential) error {
	return c.credentials.modify(ctx, provider, func(_ context.Context, old *oauth.Credential) (*oauth.Credential, error) {
		fresh := *cred
		if old != nil && fresh.Env == nil {
			fresh.Env = old.Env
		}
		if c.Settings.CredentialStore == StoreKeyring {
			return c.credentials.hide(provider, &fresh)
		}
		if old != nil && old.Keyring {
			c.credentials.forget(provider)
		}
		fresh.Key = string(literal(fresh.Key))
		return &fresh, nil
	})
}

// Logout removes what is stored for a provider. It reports whether there was anything.
func (c *Config) Logout(ctx context.Context, provider string) (bool, error) {
	found := false
	err := c.credentials.modify(ctx, provider, func(_ context.Context, old *oauth.Credential) (*oauth.Credential, error) {
		found = old != nil
		if found && old.Keyring {
			c.credentials.forget(provider)
		}
		return nil, nil
	})
	return found, err
}

// owned returns the secret of a stored credential, which owns its provider.
func (c *Config) owned(provider string, l *oauth.Credential) (secret, error) {
	path := c.credentials.path
	fail := func(problem, fix string) (secret, error) {
		return secret{}, &CredentialError{Provider: provider, Problem: problem, Fix: fix}
	}
	again := "run rondo auth login " + provider
	switch {
	case l.Keyring:
		return secret{login: l, source: "the keyring", env: l.Env}, nil
	case l.Type == oauth.TypeOAuth && c.credentials.loginOf(provider) == nil:
		switch {
		case l.Access == "":
			return fail("has a login without a token in "+path, "log in again with the program that made it, or "+again)
		case !l.ValidFor(0):
			return fail("has a login in "+path+" that has expired, and this program cannot renew it", "log in again with the program that made it, or "+again)
		}
		return secret{value: literal(l.Access), source: path, bearer: true, env: l.Env}, nil
	case l.Type == oauth.TypeOAuth:
		if l.Refresh == "" && !l.ValidFor(0) {
			return fail("has a login in "+path+" that has expired", again)
		}
		return secret{login: l, source: path, env: l.Env}, nil
	case l.Key != "":
		return secret{value: value(l.Key), source: path, env: l.Env}, nil
	}
	for _, name := range variables(provider) {
		if v := l.Env[name]; v != "" {
			return secret{value: value(v), source: path, bearer: bearers[name], env: l.Env}, nil
		}
	}
	if stored := ambientOf(provider, func(name string) bool { return l.Env[name] != "" }); stored != "" {
		return secret{source: stored + " in " + path, env: l.Env, ambient: true}, nil
	}
	return fail("has an entry without a key in "+path, `add "key" to it, or `+again)
}

// auth returns what a secret is in a request.
func (c *Config) auth(ctx context.Context, provider string, s secret) (oauth.Auth, error) {
	if s.ambient {
		return oauth.Auth{}, nil
	}
	if s.login != nil {
		return c.authOfLogin(ctx, provider, s.login)
	}
	key, err := c.credentials.resolve(ctx, s.value, s.lookup)
	if err != nil {
		return oauth.Auth{}, c.broken(provider, "key", s.source, err)
	}
	if l, ok := c.credentials.loginOf(provider).(exchanger); ok {
		cred, err := c.exchanged(ctx, provider, l, key)
		if err != nil {
			return oauth.Auth{}, err
		}
		return l.Auth(cred), nil
	}
	if provider == "cloudflare-ai-gateway" { // Authorization is for the provider behind it
		return oauth.Auth{Headers: map[string]string{"Cf-Aig-Authorization": "Bearer " + key}}, nil
	}
	return oauth.Auth{Token: key, Key: !s.bearer}, nil
}

// authOfLogin returns what a stored login is in a request, and renews it if it must be.
func (c *Config) authOfLogin(ctx context.Context, provider string, stored *oauth.Credential) (oauth.Auth, error) {
	cred, err := c.credentials.reveal(provider, stored)
	if err != nil {
		return oauth.Auth{}, err
	}
	if cred.Type == oauth.TypeAPIKey {
		return oauth.Auth{Token: cred.Key, Key: true}, nil
	}
	l := c.credentials.loginOf(provider)
	if l == nil {
		if !cred.ValidFor(0) {
			return oauth.Auth{}, &CredentialError{Provider: provider, Problem: "has a login that has expired", Fix: "run rondo auth login " + provider}
		}
		return oauth.Auth{Token: cred.Access}, nil
	}
	if !cred.ValidFor(margin) {
		if cred, err = c.renew(ctx, provider, l, cred); err != nil {
			return oauth.Auth{}, err
		}
	}
	return l.Auth(cred), nil
}

// margin is how long a token must still be good for, as an answer may take a while (Pi 0.85).
const margin = 5 * time.Minute

// renew renews a login under the lock of auth.json, so that of several programs one does and
// the others use what it has stored. If it cannot be renewed, what is stored stays; a token
// that is still good for a while is used until then.
func (c *Config) renew(ctx context.Context, provider string, l oauth.Login, seen *oauth.Credential) (*oauth.Credential, error) {
	result := seen
	err := c.credentials.modify(ctx, provider, func(ctx context.Context, old *oauth.Credential) (*oauth.Credential, error) {
		if old == nil {
			return nil, &CredentialError{Provider: provider, Problem: "has been logged out", Fix: "run rondo auth login " + provider}
		}
		current, err := c.credentials.reveal(provider, old)
		if err != nil {
			return nil, err
		}
		if result = current; current.Type != oauth.TypeOAuth || current.ValidFor(margin) {
			return old, nil // another program was faster
		}
		fresh, err := l.Renew(ctx, current)
		if err != nil {
			return nil, err
		}
		result = fresh
		if old.Keyring {
			return c.credentials.hide(provider, fresh)
		}
		return fresh, nil
	})
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case result.ValidFor(0):
		return result, nil
	case errors.Is(err, oauth.ErrRevoked):
		return nil, &CredentialError{Provider: provider, Problem: "has a login that does not count any more", Fix: "run rondo auth login " + provider}
	}
	return nil, fmt.Errorf("renew the login of %s: %w", provider, err)
}

// exchanger is a way to log in whose keys have to be exchanged for a token that ends.
type exchanger interface {
	oauth.Login
	FromKey(key string) *oauth.Credential
}

// renewal is a token that was got for a key of the environment, which is kept in memory. Its
// lock is a channel, so that who waits for it can be cancelled.
type renewal struct {
	lock chan struct{}
	key  string
	cred *oauth.Credential
}

// exchanged returns the token for a key.
func (c *Config) exchanged(ctx context.Context, provider string, l exchanger, key string) (*oauth.Credential, error) {
	c.credentials.loginsMu.Lock()
	r := c.credentials.renewals[provider]
	if r == nil {
		r = &renewal{lock: make(chan struct{}, 1)}
		c.credentials.renewals[provider] = r
	}
	c.credentials.loginsMu.Unlock()
	select {
	case r.lock <- struct{}{}:
		defer func() { <-r.lock }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if r.cred != nil && r.key == key && r.cred.ValidFor(margin) {
		return r.cred, nil
	}
	fresh, err := l.Renew(ctx, l.FromKey(key))
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, oauth.ErrRevoked):
		return nil, &CredentialError{Provider: provider, Problem: "has a key that does not count", Fix: "run rondo auth login " + provider}
	case err != nil:
		return nil, fmt.Errorf("get a token of %s: %w", provider, err)
	}
	r.key, r.cred = key, fresh
	return fresh, nil
}

// LoginDefaults are the settings of a login that nothing else is said of.
func (c *Config) LoginDefaults(provider string) *oauth.Options {
	var opts oauth.Options
	if provider == "github-copilot" {
		for _, m := range c.ModelsOf(provider) {
			opts.Models = append(opts.Models, m.ID)
		}
	}
	return &opts
}
