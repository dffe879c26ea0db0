package config

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/config/catalogue"
	"github.com/rondo-agent/rondo/config/oauth"
)

// Credential is what a request to a provider carries. It is secret: it belongs in a request
// and nowhere else.
type Credential struct {
	// APIKey is sent as the wire sends keys; empty if the headers hold what is needed.
	APIKey string
	// Headers are those of the provider and, over them, of the model.
	Headers map[string]string
	// Env are variables that are stored with the key, for [ai.Options].
	Env map[string]string
	// BaseURL is where the model is asked instead of at its own address, if it is not empty.
	BaseURL string
	// Source says where the key is from: "--api-key", the path of a file, or the name of
	// an environment variable.
	Source string
}

// CredentialError means that there is no credential for a provider, or none that works.
type CredentialError struct {
	Provider string
	// Problem says what is wrong, and Fix what to do.
	Problem, Fix string
}

// Error tells what to do.
func (e *CredentialError) Error() string {
	return fmt.Sprintf("provider %q %s; %s", e.Provider, e.Problem, e.Fix)
}

// variables are the environment variables that hold a provider's key, in the order in which
// they count.
func variables(provider string) []string {
	if known, ok := catalogue.Find(provider); ok {
		return known.Env
	}
	return nil
}

// bearers are the variables whose content is sent as a bearer token and not as a key.
var bearers = map[string]bool{"ANTHROPIC_AUTH_TOKEN": true, "ANTHROPIC_OAUTH_TOKEN": true}

// credentials finds the keys of providers.
type credentials struct {
	path string // of auth.json
	resolver

	keysMu sync.Mutex
	keys   map[string]string // of SetAPIKey

	loginsMu sync.Mutex
	stored   map[string]*oauth.Credential
	broken   map[string]*FileError  // why entries cannot be used
	stamp    string                 // of the file that they were read from
	logins   map[string]oauth.Login // ways to log in, by provider
	renewals map[string]*renewal
}

// secret is a key that has been found but not looked up yet.
type secret struct {
	value  value
	source string
	bearer bool
	// env are variables of the provider, before those of the process.
	env map[string]string
	// ambient says that there is no key: the wire has its own way.
	ambient bool
	// login is set for one of auth.json that has tokens, or a secret in the keyring.
	login *oauth.Credential
}

// find returns where the key of a provider is.
func (c *Config) find(provider string) (secret, error) {
	c.credentials.keysMu.Lock()
	key, ok := c.credentials.keys[provider]
	c.credentials.keysMu.Unlock()
	if ok {
		return secret{value: literal(key), source: "--api-key"}, nil
	}
	logins, err := c.credentials.read()
	if err != nil {
		return secret{}, err
	}
	if err := c.credentials.whyBroken(provider); err != nil {
		return secret{}, err
	}
	if l, ok := logins[provider]; ok {
		return c.owned(provider, l)
	}
	for _, name := range variables(provider) {
		if v, ok := getenv(name); ok {
			return secret{value: literal(v), source: name, bearer: bearers[name]}, nil
		}
	}
	p := c.registry.get(provider)
	switch {
	case p != nil && p.apiKey != "":
		return secret{value: p.apiKey, source: c.registry.path}, nil
	case p != nil && p.keyless:
		return secret{source: "a local server", ambient: true}, nil
	}
	if source := ambient(provider); source != "" {
		return secret{source: source, ambient: true}, nil
	}
	return secret{}, &CredentialError{Provider: provider, Problem: noKey, Fix: c.hint(provider)}
}

// noKey is the problem of a provider without any credential.
const noKey = "has no API key"

// hint says how to give a provider a key.
func (c *Config) hint(provider string) string {
	ways := []string{"run rondo auth login " + provider}
	if names := variables(provider); len(names) > 0 {
		ways = append(ways, "set "+names[len(names)-1])
	}
	ways = append(ways, "pass --api-key",
		fmt.Sprintf("or add \"apiKey\" to it in %s (any text for a server that needs no key)", c.registry.path))
	return strings.Join(ways, ", ")
}

// literal makes a value that stands for the text itself.
func literal(text string) value {
	text = strings.ReplaceAll(text, "$", "$$")
	if strings.HasPrefix(text, "!") {
		text = "$" + text
	}
	return value(text)
}

// SetAPIKey makes key that of the provider, before all others: the flag --api-key.
func (c *Config) SetAPIKey(provider, key string) {
	c.credentials.keysMu.Lock()
	defer c.credentials.keysMu.Unlock()
	if c.credentials.keys == nil {
		c.credentials.keys = make(map[string]string)
	}
	c.credentials.keys[provider] = key
}

// Ready returns why a model cannot be asked, as far as that is known without running a
// command: usually a [*CredentialError].
func (c *Config) Ready(m *ai.Model) error { return c.ready(m.Provider) }

// ready returns why the models of a provider cannot be asked.
func (c *Config) ready(provider string) error {
	s, err := c.find(provider)
	if err != nil {
		return err
	}
	if s.login != nil || s.ambient {
		return nil
	}
	if err := s.value.ready(s.lookup); err != nil {
		return c.broken(provider, "key", s.source, err)
	}
	return nil
}

// lookup returns a variable of the provider, or of the process.
func (s *secret) lookup(name string) (string, bool) {
	if v := s.env[name]; v != "" {
		return v, true
	}
	return getenv(name)
}

// Credential returns what a request to the model carries. It may run commands, renew a login
// and ask the keyring; cancelling ctx ends that. The error is a [*CredentialError], a
// [*FileError], one of the network, or the cause of ctx.
func (c *Config) Credential(ctx context.Context, m *ai.Model) (*Credential, error) {
	s, err := c.find(m.Provider)
	if err != nil {
		return nil, err
	}
	return c.credential(ctx, m, s)
}

func (c *Config) credential(ctx context.Context, m *ai.Model, s secret) (*Credential, error) {
	auth, err := c.auth(ctx, m.Provider, s)
	if err != nil {
		return nil, err
	}
	cred := &Credential{Source: s.source, Env: s.env, Headers: make(map[string]string)}
	for name, text := range auth.Headers {
		setHeader(cred.Headers, name, text)
	}
	if err := c.headers(ctx, m, &s, cred.Headers); err != nil {
		return nil, err
	}
	if cred.BaseURL, err = c.baseURL(m, &s, auth.BaseURL); err != nil {
		return nil, err
	}
	p := c.registry.get(m.Provider)
	switch {
	case auth.Token == "":
	case !auth.Key:
		setHeader(cred.Headers, "Authorization", "Bearer "+auth.Token)
	case p != nil && p.authHeader:
		setHeader(cred.Headers, "Authorization", "Bearer "+auth.Token)
		cred.APIKey = auth.Token
	default:
		cred.APIKey = auth.Token
	}
	return cred, nil
}

// headers looks up the headers of the provider and of the model.
func (c *Config) headers(ctx context.Context, m *ai.Model, s *secret, into map[string]string) error {
	p := c.registry.get(m.Provider)
	if p == nil {
		return nil
	}
	for _, layer := range []map[string]value{p.headers, p.modelHeaders[m.ID]} {
		for name, v := range layer {
			text, err := c.credentials.resolve(ctx, v, s.lookup)
			if err != nil {
				return c.broken(m.Provider, "header "+name, c.registry.path, err)
			}
			setHeader(into, name, text)
		}
	}
	return nil
}

// setHeader replaces a header whatever the case of its name.
func setHeader(headers map[string]string, name, text string) {
	maps.DeleteFunc(headers, func(other, _ string) bool { return strings.EqualFold(other, name) })
	headers[name] = text
}

// broken says that a value could not be looked up. The cause of a cancelled context stays as
// it is.
func (c *Config) broken(provider, what, source string, err error) error {
	if wrong, ok := errors.AsType[*valueError](err); ok {
		return &CredentialError{Provider: provider, Problem: fmt.Sprintf("has a %s in %s that %s", what, source, wrong.problem), Fix: wrong.fix}
	}
	return err
}
