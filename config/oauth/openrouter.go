package oauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"golang.org/x/oauth2"
)

// OpenRouter gets an API key for an account at openrouter.ai, which does not end and is paid
// for from the account's credits. The zero value is ready to use. The flow is that of
// https://openrouter.ai/docs/oauth.
type OpenRouter struct {
	// Site is where people log in; empty stands for https://openrouter.ai.
	Site   string
	Client *http.Client
}

// Login implements [Login]. It returns an API key.
func (o OpenRouter) Login(ctx context.Context, ui *UI, _ *Options) (*Credential, error) {
	site := cmp.Or(o.Site, "https://openrouter.ai")
	verifier, state := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	back, err := listen(0, "/callback", state)
	if err != nil {
		return nil, fmt.Errorf("wait for the browser: %w", err)
	}
	// The site does not know a state of its own but keeps what the address has.
	target := fmt.Sprintf("http://localhost:%d/callback?state=%s", back.port(), state)
	ui.browse(site + "/auth?" + url.Values{
		"callback_url": {target}, "code_challenge": {oauth2.S256ChallengeFromVerifier(verifier)}, "code_challenge_method": {"S256"},
	}.Encode())
	code, err := back.wait(ctx, ui)
	if err != nil {
		return nil, err
	}
	var minted struct {
		Key string `json:"key"`
	}
	err = postJSON(ctx, o.Client, site+"/api/v1/auth/keys", nil,
		map[string]string{"code": code, "code_verifier": verifier, "code_challenge_method": "S256"}, &minted)
	if err != nil {
		return nil, err
	}
	if minted.Key == "" {
		return nil, errors.New("openrouter.ai has answered without a key; try again")
	}
	return &Credential{Type: TypeAPIKey, Key: minted.Key}, nil
}

// Renew implements [Login]. A key does not end, so there is nothing to renew.
func (OpenRouter) Renew(_ context.Context, c *Credential) (*Credential, error) { return c, nil }

// Auth implements [Login].
func (OpenRouter) Auth(c *Credential) Auth { return Auth{Token: c.Key, Key: true} }
