package oauth

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/oauth2"
)

// Codex logs in to OpenAI Codex with a ChatGPT account, in the browser or with a device code.
// The zero value is ready to use. Client, addresses and scopes are those of OpenAI's own
// program, https://github.com/openai/codex, which are open to other programs; requests say
// who asks.
type Codex struct {
	// Issuer is the authorisation server; empty stands for https://auth.openai.com.
	Issuer string
	// Port is where the browser comes back to; 0 stands for the registered one, 1455.
	Port   int
	Client *http.Client
	// Sleep waits between questions; nil stands for real time.
	Sleep func(context.Context, time.Duration) error
}

const (
	codexClient = "app_EMoamEEZ73f0CkXaXp7hrann"
	codexPort   = 1455
	codexPath   = "/auth/callback"
	// codexClaim is where an access token names the account.
	codexClaim = "https://api.openai.com/auth"
)

func (c Codex) issuer() string { return cmp.Or(c.Issuer, "https://auth.openai.com") }

func (c Codex) config(redirect string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: codexClient, RedirectURL: redirect, Scopes: []string{"openid", "profile", "email", "offline_access"},
		Endpoint: oauth2.Endpoint{AuthURL: c.issuer() + "/oauth/authorize", TokenURL: c.issuer() + "/oauth/token", AuthStyle: oauth2.AuthStyleInParams},
	}
}

// Login implements [Login].
func (c Codex) Login(ctx context.Context, ui *UI, opts *Options) (*Credential, error) {
	if opts != nil && opts.Device {
		return c.device(ctx, ui)
	}
	verifier, state := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	back, err := listen(cmp.Or(c.Port, codexPort), codexPath, state)
	switch {
	case err != nil && ui.Ask == nil:
		return nil, fmt.Errorf("wait for the browser: %w; end the program that uses the port, or log in with a device code", err)
	case err != nil:
		ui.tell("The port that the browser comes back to is taken; paste the address that it ends at.")
	}
	config := c.config(fmt.Sprintf("http://localhost:%d%s", cmp.Or(c.Port, codexPort), codexPath))
	ui.browse(config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier),
		oauth2.SetAuthURLParam("id_token_add_organizations", "true"),
		oauth2.SetAuthURLParam("codex_cli_simplified_flow", "true"),
		oauth2.SetAuthURLParam("originator", "rondo")))
	code, err := back.wait(ctx, ui)
	if err != nil {
		return nil, err
	}
	return c.redeem(ctx, config, code, verifier)
}

// redeem makes tokens of a code.
func (c Codex) redeem(ctx context.Context, config *oauth2.Config, code, verifier string) (*Credential, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	token, err := config.Exchange(withClient(ctx, c.Client), code, oauth2.VerifierOption(verifier))
	if err != nil {
		return nil, retrieval(err)
	}
	return codexCredential(token, nil)
}

// device lets the person enter a code on any machine.
func (c Codex) device(ctx context.Context, ui *UI) (*Credential, error) {
	var begun struct {
		ID       string `json:"device_auth_id"`
		Code     string `json:"user_code"`
		Interval any    `json:"interval"` // seconds, as a number or as text
	}
	api := c.issuer() + "/api/accounts/deviceauth"
	if err := postJSON(ctx, c.Client, api+"/usercode", nil, map[string]string{"client_id": codexClient}, &begun); err != nil {
		return nil, err
	}
	if begun.ID == "" || begun.Code == "" {
		return nil, errors.New("OpenAI has answered without a code; try again")
	}
	ui.code(c.issuer()+"/codex/device", begun.Code, deviceExpiry)
	var granted struct {
		Code     string `json:"authorization_code"`
		Verifier string `json:"code_verifier"`
	}
	interval, _ := strconv.ParseInt(fmt.Sprint(begun.Interval), 10, 64) // what cannot be read is the default
	p := &poll{interval: seconds(interval), sleep: c.Sleep, ask: func(ctx context.Context) (answer, error) {
		err := postJSON(ctx, c.Client, api+"/token", nil, map[string]string{"device_auth_id": begun.ID, "user_code": begun.Code}, &granted)
		return codexAnswer(err)
	}}
	if err := p.run(ctx); err != nil {
		return nil, err
	}
	return c.redeem(ctx, c.config(c.issuer()+"/deviceauth/callback"), granted.Code, granted.Verifier)
}

// codexAnswer reads an answer: 403 and 404 without another reason say that the code has not
// been entered yet.
func codexAnswer(err error) (answer, error) {
	refused, ok := errors.AsType[*Error](err)
	switch {
	case err == nil:
		return entered, nil
	case !ok:
		return 0, err
	case refused.Code == "slow_down" || refused.Status == http.StatusTooManyRequests:
		return slowDown, nil
	case refused.cause != nil:
		return 0, err
	case refused.Status == http.StatusForbidden || refused.Status == http.StatusNotFound:
		return pending, nil
	}
	return 0, err
}

// Renew implements [Login].
func (c Codex) Renew(ctx context.Context, old *Credential) (*Credential, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	token, err := c.config("").TokenSource(withClient(ctx, c.Client), &oauth2.Token{RefreshToken: old.Refresh}).Token()
	if err != nil {
		return nil, retrieval(err)
	}
	return codexCredential(token, old)
}

// codexCredential returns the credential of a token, with what an old one has beside it.
func codexCredential(token *oauth2.Token, old *Credential) (*Credential, error) {
	c := Credential{Type: TypeOAuth}
	if old != nil {
		c = *old
	}
	c.Access, c.Refresh, c.Expires = token.AccessToken, cmp.Or(token.RefreshToken, c.Refresh), 0
	if !token.Expiry.IsZero() {
		c.Expires = token.Expiry.UnixMilli()
	}
	if c.AccountID = cmp.Or(codexAccount(c.Access), c.AccountID); c.AccountID == "" {
		return nil, errors.New("the token of OpenAI names no ChatGPT account; log in with an account that has Codex")
	}
	return &c, nil
}

// codexAccount returns the account that an access token names, or nothing. The token comes
// from its issuer, so its signature says nothing new.
func codexAccount(token string) string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return ""
	}
	data, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return ""
	}
	var claims map[string]any
	if json.Unmarshal(data, &claims) != nil {
		return ""
	}
	auth, _ := claims[codexClaim].(map[string]any)
	account, _ := auth["chatgpt_account_id"].(string)
	return account
}

// Auth implements [Login]. The wire names the account, which it finds in the token.
func (Codex) Auth(c *Credential) Auth { return Auth{Token: c.Access, Key: true} }
