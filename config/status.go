package config

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/config/catalogue"
	"github.com/rondo-agent/rondo/config/oauth"
)

// Status says how a provider stands.
type Status struct {
	Provider, Name string
	// Source says where its credential is from, as in [Credential].
	Source string
	// Kind is "API key", "login" or "ambient", empty without a credential.
	Kind string
	// Expires is when the token of a login ends; it is renewed then. Zero for others.
	Expires time.Time
	// Err is why the provider cannot be used, as far as that is known without a request.
	Err error
	// Env are the variables that hold its key, and Login says that one can log in.
	Env   []string
	Login bool
}

// The kinds of credentials.
const (
	KindKey     = "API key"
	KindLogin   = "login"
	KindAmbient = "ambient"
)

// Statuses lists all providers, with neither a secret in them nor a command run for them.
func (c *Config) Statuses() []Status {
	logins := c.Logins()
	var all []Status
	for _, id := range c.registry.ids() {
		s := Status{Provider: id, Name: c.ProviderName(id), Env: variables(id), Login: slices.Contains(logins, id)}
		found, err := c.find(id)
		if err == nil {
			s.Source, s.Kind = found.source, KindKey
			err = c.ready(id)
		}
		switch {
		case found.ambient:
			s.Kind = KindAmbient
		case found.login != nil && found.login.Type == oauth.TypeOAuth:
			s.Kind = KindLogin
			if found.login.Expires > 0 {
				s.Expires = time.UnixMilli(found.login.Expires)
			}
		case found.bearer:
			s.Kind = KindLogin
		}
		s.Err = err
		all = append(all, s)
	}
	return all
}

// Stored lists the providers that auth.json has an entry for.
func (c *Config) Stored() ([]string, error) {
	stored, err := c.credentials.read()
	if err != nil {
		return nil, err
	}
	var ids []string
	for id := range stored {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, nil
}

// ProviderID returns the provider that is written so, whatever the case. The error is a
// [*NotFoundError].
func (c *Config) ProviderID(name string) (string, error) { return c.findProvider(name) }

// Grant is a credential for another program. It is secret.
type Grant struct {
	Token string
	// Bearer says that it is a token of a login, and not an API key.
	Bearer bool
	// Source says where it is from, as in [Credential].
	Source string
}

// Grant returns the credential of a provider for another program to use. It may run commands,
// renew a login and ask the keyring, as [Config.Credential].
func (c *Config) Grant(ctx context.Context, provider string) (*Grant, error) {
	s, err := c.find(provider)
	if err != nil {
		return nil, err
	}
	cred, err := c.credential(ctx, &ai.Model{Provider: provider, BaseURL: addressOf(provider)}, s)
	if err != nil {
		return nil, err
	}
	g := &Grant{Token: cred.APIKey, Source: s.source, Bearer: s.bearer || s.login != nil && s.login.Type == oauth.TypeOAuth}
	if token, ok := strings.CutPrefix(cred.Headers["Authorization"], "Bearer "); ok && g.Token == "" {
		g.Token, g.Bearer = token, true
	}
	if g.Token == "" {
		return nil, &CredentialError{Provider: provider, Problem: "has neither a key nor a token: " + s.source + " is used by its wire alone", Fix: "give the other program the same"}
	}
	return g, nil
}

func addressOf(provider string) string {
	if known, ok := catalogue.Find(provider); ok {
		return known.BaseURL
	}
	return ""
}

// IsMissing reports whether an error says that a provider has no credential at all.
func IsMissing(err error) bool {
	missing, ok := errors.AsType[*CredentialError](err)
	return ok && missing.Problem == noKey
}

// Check finds the credential of a provider as a request would. What it returns has no secret.
func (c *Config) Check(ctx context.Context, provider string) (*Status, error) {
	s, err := c.find(provider)
	if err != nil {
		return nil, err
	}
	if _, err := c.credential(ctx, &ai.Model{Provider: provider, BaseURL: addressOf(provider)}, s); err != nil {
		return nil, err
	}
	return &Status{Provider: provider, Name: c.ProviderName(provider), Source: s.source}, nil
}

// Standing describes a credential, or how to get one.
func (s *Status) Standing() string {
	switch {
	case IsMissing(s.Err):
		ways := "none: rondo auth login " + s.Provider
		if len(s.Env) > 0 {
			ways += ", or set " + s.Env[len(s.Env)-1]
		}
		return ways
	case s.Err != nil:
		return "not usable: " + s.Err.Error()
	case s.Kind == KindAmbient:
		return "from " + s.Source
	case !s.Expires.IsZero():
		return fmt.Sprintf("%s from %s, renewed by itself (token until %s)", s.Kind, s.Source, s.Expires.Format(time.DateTime))
	}
	return s.Kind + " from " + s.Source
}
