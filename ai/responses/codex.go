package responses

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// APICodex is the name of this wire in records of models that a ChatGPT subscription pays
// for.
const APICodex = "openai-codex-responses"

// CodexURL is where OpenAI serves them. A model without a BaseURL is asked there.
const CodexURL = "https://chatgpt.com/backend-api"

// accountHeader names the account that a request is for.
const accountHeader = "Chatgpt-Account-Id"

// defaultInstructions stand for a prompt that is empty, which the service refuses.
const defaultInstructions = "Answer the user."

// Codex asks a model on behalf of a ChatGPT account, whose access token is the request's key
// or bearer token. It implements [ai.StreamFunc].
func Codex(ctx context.Context, req *ai.Request) *ai.Stream {
	return ai.NewStream(ctx, req.Model, func(ctx context.Context, w *ai.Writer) error {
		b, err := newBuilder(req)
		if err != nil {
			return err
		}
		b.codex = true
		header, err := b.codexHeader()
		if err != nil {
			return err
		}
		return describeLimit(ask(ctx, w, b, codexAddress(req.Model.BaseURL), header))
	})
}

// codexAddress completes a base URL, which is written with more or less of the path.
func codexAddress(base string) string {
	if base == "" {
		base = CodexURL
	}
	base = strings.TrimSuffix(strings.TrimRight(base, "/"), "/responses")
	return strings.TrimSuffix(base, "/codex") + "/codex/responses"
}

// codexHeader returns what the wire itself sends: token and account, and the session
// (names: Pi 0.85).
func (b *builder) codexHeader() (http.Header, error) {
	h := http.Header{"Openai-Beta": {"responses=experimental"}, "Originator": {"rondo"}}
	token := strings.TrimSpace(b.req.Options.APIKey)
	if token != "" {
		h.Set("Authorization", "Bearer "+token)
	} else {
		token = strings.TrimPrefix(b.given("Authorization"), "Bearer ")
	}
	if b.given(accountHeader) == "" {
		account := accountOf(token)
		if account == "" {
			return nil, &ai.StatusError{
				Code: "no_account", Retry: new(false),
				Message: fmt.Sprintf("what the provider %s has is no login to ChatGPT; log in to it, or use the provider openai with an API key", b.model.Provider),
			}
		}
		h.Set(accountHeader, account)
	}
	if session := b.cacheKey(); session != "" && b.compat.SessionHeader {
		h.Set("Session-Id", session)
		h.Set("X-Client-Request-Id", session)
	}
	return h, nil
}

// given returns a header that the options or the model bring.
func (b *builder) given(name string) string {
	for _, layer := range []map[string]string{b.req.Options.Headers, b.model.Headers} {
		for key, value := range layer {
			if value != "" && strings.EqualFold(key, name) {
				return value
			}
		}
	}
	return ""
}

// accountOf reads the account from an access token, a JWT; empty if there is none. Who has
// signed the token is for the service to check.
func accountOf(token string) string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return ""
	}
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return ""
	}
	var claims struct {
		Auth struct {
			Account string `json:"chatgpt_account_id"`
		} `json:"https://api.openai.com/auth"`
	}
	if json.Unmarshal(raw, &claims, wire.Lax) != nil {
		return ""
	}
	return claims.Auth.Account
}

// forCodex makes the body one that Codex takes: the prompt has a field of its own, and how
// long an answer may be is not the client's to say (Pi 0.85).
func (b *builder) forCodex(p *body, prompt string) {
	p.Instructions = prompt
	if strings.TrimSpace(prompt) == "" {
		p.Instructions = defaultInstructions
	}
	p.MaxOutputTokens, p.PromptCacheRetention, p.PromptCacheOptions = 0, "", nil
	p.Text = &textConfig{Verbosity: "low"}
	p.Include = []string{includeReasoning}
	p.ParallelToolCalls = true
	if p.ToolChoice = b.req.Options.ToolChoice; p.ToolChoice == "" {
		p.ToolChoice = "auto"
	}
	for i := range p.Tools {
		p.Tools[i].Strict = jsontext.Value("null")
	}
	if p.Reasoning != nil && p.Reasoning.Summary == "" { // off is what the service does unasked
		p.Reasoning = nil
	}
}

// describeLimit adds to the error of a subscription that is used up when it is renewed.
func describeLimit(err error) error {
	e, ok := errors.AsType[*ai.StatusError](err)
	if !ok || !strings.HasPrefix(e.Code, "usage_limit") && e.Code != "usage_not_included" {
		return err
	}
	var body struct {
		Error struct {
			Plan     text           `json:"plan_type"`
			ResetsAt jsontext.Value `json:"resets_at"`
			ResetsIn jsontext.Value `json:"resets_in_seconds"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(e.Body), &body, wire.Lax) != nil {
		return err
	}
	wait := seconds(body.Error.ResetsIn)
	if at := seconds(body.Error.ResetsAt); wait == 0 && at > 0 {
		wait = max(time.Until(time.Unix(0, 0).Add(at)), 0)
	}
	if plan := string(body.Error.Plan); plan != "" {
		e.Message += fmt.Sprintf(" (plan %s)", plan)
	}
	if wait > 0 {
		e.Message += fmt.Sprintf("; it is renewed in %s", wait.Round(time.Minute))
	}
	return err
}

func seconds(raw jsontext.Value) time.Duration {
	n, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if err != nil || !(n > 0) || n > 1e10 {
		return 0
	}
	return time.Duration(n * float64(time.Second))
}
