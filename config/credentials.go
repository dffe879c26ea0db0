package config

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// Credential is what a request to a provider carries. It is secret: it belongs in a request
// and nowhere else.
type Credential struct {
	// APIKey is sent as the wire sends keys; empty if the headers hold what is needed.
	APIKey string
	// Headers are those of the provider and, over them, of the model.
	Headers map[string]string
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
// they count (Pi 0.85).
var variables = map[string][]string{
	"anthropic":                  {"ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY"},
	"openai":                     {"OPENAI_API_KEY"},
	"google":                     {"GEMINI_API_KEY"},
	"google-vertex":              {"GOOGLE_CLOUD_API_KEY"},
	"moonshotai":                 {"MOONSHOT_API_KEY"},
	"moonshotai-cn":              {"MOONSHOT_API_KEY"},
	"github-copilot":             {"COPILOT_GITHUB_TOKEN"},
	"azure-openai-responses":     {"AZURE_OPENAI_API_KEY"},
	"amazon-bedrock":             {"AWS_BEARER_TOKEN_BEDROCK"},
	"mistral":                    {"MISTRAL_API_KEY"},
	"groq":                       {"GROQ_API_KEY"},
	"cerebras":                   {"CEREBRAS_API_KEY"},
	"xai":                        {"XAI_API_KEY"},
	"openrouter":                 {"OPENROUTER_API_KEY"},
	"vercel-ai-gateway":          {"AI_GATEWAY_API_KEY"},
	"zai":                        {"ZAI_API_KEY"},
	"zai-coding-cn":              {"ZAI_CODING_CN_API_KEY"},
	"deepseek":                   {"DEEPSEEK_API_KEY"},
	"nvidia":                     {"NVIDIA_API_KEY"},
	"huggingface":                {"HF_TOKEN"},
	"fireworks":                  {"FIREWORKS_API_KEY"},
	"together":                   {"TOGETHER_API_KEY"},
	"baseten":                    {"BASETEN_API_KEY"},
	"kimi-coding":                {"KIMI_API_KEY"},
	"minimax":                    {"MINIMAX_API_KEY"},
	"minimax-cn":                 {"MINIMAX_CN_API_KEY"},
	"opencode":                   {"OPENCODE_API_KEY"},
	"opencode-go":                {"OPENCODE_API_KEY"},
	"radius":                     {"RADIUS_API_KEY"},
	"cloudflare-workers-ai":      {"CLOUDFLARE_API_KEY"},
	"cloudflare-ai-gateway":      {"CLOUDFLARE_API_KEY"},
	"qwen-token-plan":            {"QWEN_TOKEN_PLAN_API_KEY"},
	"qwen-token-plan-cn":         {"QWEN_TOKEN_PLAN_CN_API_KEY"},
	"qwen-token-plan-individual": {"QWEN_TOKEN_PLAN_API_KEY"},
	"xiaomi":                     {"XIAOMI_API_KEY"},
	"xiaomi-token-plan-cn":       {"XIAOMI_TOKEN_PLAN_CN_API_KEY"},
	"xiaomi-token-plan-ams":      {"XIAOMI_TOKEN_PLAN_AMS_API_KEY"},
	"xiaomi-token-plan-sgp":      {"XIAOMI_TOKEN_PLAN_SGP_API_KEY"},
	"ant-ling":                   {"ANT_LING_API_KEY"},
}

// bearers are the variables whose content is sent as a bearer token and not as a key.
var bearers = map[string]bool{"ANTHROPIC_AUTH_TOKEN": true, "ANTHROPIC_OAUTH_TOKEN": true}

// login is an entry of auth.json.
type login struct {
	Type string `json:"type"` // api_key or oauth
	// Of an API key: the key, and environment variables of the provider.
	Key value            `json:"key"`
	Env map[string]value `json:"env"`
	// Of an OAuth login: the token, and when it ends, in milliseconds since 1970.
	Access  string `json:"access"`
	Expires int64  `json:"expires"`
}

// credentials finds the keys of providers.
type credentials struct {
	path string // of auth.json
	resolver

	keysMu sync.Mutex
	keys   map[string]string // of SetAPIKey

	loginsMu sync.Mutex
	logins   map[string]login
	stamp    string // of the file that logins were read from
}

// stored returns what is in auth.json. The file is read again after it has changed, since
// another program may renew what is in it.
func (c *credentials) stored() (map[string]login, error) {
	stamp := "none"
	if info, err := os.Stat(c.path); err == nil {
		stamp = fmt.Sprint(info.ModTime().UnixNano(), info.Size())
	}
	c.loginsMu.Lock()
	defer c.loginsMu.Unlock()
	if c.stamp == stamp {
		return c.logins, nil
	}
	doc, err := readDocument(c.path)
	if err != nil {
		return nil, err
	}
	logins := make(map[string]login)
	if err := doc.decode(&logins); err != nil {
		return nil, err
	}
	for provider, l := range logins {
		if l.Type != "api_key" && l.Type != "oauth" {
			at := jsontext.Pointer("").AppendToken(provider).AppendToken("type")
			return nil, doc.wrong(at, "is missing or unknown", `write "api_key" or "oauth"`)
		}
	}
	c.logins, c.stamp = logins, stamp
	return logins, nil
}

// secret is a key that has been found but not looked up yet.
type secret struct {
	value  value
	source string
	bearer bool
}

// find returns where the key of a provider is.
func (c *Config) find(provider string) (secret, error) {
	c.credentials.keysMu.Lock()
	key, ok := c.credentials.keys[provider]
	c.credentials.keysMu.Unlock()
	if ok {
		return secret{value: literal(key), source: "--api-key"}, nil
	}
	logins, err := c.credentials.stored()
	if err != nil {
		return secret{}, err
	}
	if l, ok := logins[provider]; ok {
		return l.secret(provider, c.credentials.path)
	}
	for _, name := range variables[provider] {
		if v, ok := getenv(name); ok {
			return secret{value: literal(v), source: name, bearer: bearers[name]}, nil
		}
	}
	if p := c.registry.providers[provider]; p != nil && p.apiKey != "" {
		return secret{value: p.apiKey, source: c.registry.path}, nil
	}
	return secret{}, &CredentialError{Provider: provider, Problem: "has no API key", Fix: c.hint(provider)}
}

// hint says how to give a provider a key.
func (c *Config) hint(provider string) string {
	var ways []string
	if names := variables[provider]; len(names) > 0 {
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

// secret returns the key of a stored credential, which owns its provider.
func (l login) secret(provider, path string) (secret, error) {
	fail := func(problem, fix string) (secret, error) {
		return secret{}, &CredentialError{Provider: provider, Problem: problem, Fix: fix}
	}
	if l.Type == "oauth" {
		switch {
		case l.Access == "":
			return fail("has a login without a token in "+path, "log in again with the program that made it, or remove the entry and use an API key")
		case l.Expires != 0 && time.Now().UnixMilli() >= l.Expires:
			return fail("has a login in "+path+" that has expired, and logins cannot be renewed here yet", "log in again with the program that made it, or remove the entry and use an API key")
		}
		return secret{value: literal(l.Access), source: path, bearer: true}, nil
	}
	if l.Key != "" {
		return secret{value: l.Key, source: path}, nil
	}
	for _, name := range variables[provider] {
		if v := l.Env[name]; v != "" {
			return secret{value: v, source: path, bearer: bearers[name]}, nil
		}
	}
	return fail("has an entry without a key in "+path, `add "key" to it or remove it`)
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
func (c *Config) Ready(m *ai.Model) error {
	s, err := c.find(m.Provider)
	if err != nil {
		return err
	}
	if err := s.value.ready(); err != nil {
		return c.broken(m.Provider, "key", s.source, err)
	}
	return nil
}

// Credential returns what a request to the model carries. It may run commands; cancelling ctx
// ends them. The error is a [*CredentialError], a [*FileError], or the cause of ctx.
func (c *Config) Credential(ctx context.Context, m *ai.Model) (*Credential, error) {
	s, err := c.find(m.Provider)
	if err != nil {
		return nil, err
	}
	return c.credential(ctx, m, s)
}

func (c *Config) credential(ctx context.Context, m *ai.Model, s secret) (*Credential, error) {
	key, err := c.credentials.resolve(ctx, s.value)
	if err != nil {
		return nil, c.broken(m.Provider, "key", s.source, err)
	}
	cred := &Credential{Source: s.source, Headers: make(map[string]string)}
	if err := c.headers(ctx, m, cred.Headers); err != nil {
		return nil, err
	}
	p := c.registry.providers[m.Provider]
	switch {
	case s.bearer:
		setHeader(cred.Headers, "Authorization", "Bearer "+key)
	case p != nil && p.authHeader:
		setHeader(cred.Headers, "Authorization", "Bearer "+key)
		cred.APIKey = key
	default:
		cred.APIKey = key
	}
	return cred, nil
}

// headers looks up the headers of the provider and of the model.
func (c *Config) headers(ctx context.Context, m *ai.Model, into map[string]string) error {
	p := c.registry.providers[m.Provider]
	if p == nil {
		return nil
	}
	for _, layer := range []map[string]value{p.headers, p.modelHeaders[m.ID]} {
		for name, v := range layer {
			text, err := c.credentials.resolve(ctx, v)
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
