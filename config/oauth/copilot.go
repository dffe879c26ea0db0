package oauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

// Copilot logs in to GitHub Copilot with a device code. What lasts is a token of GitHub; it
// is exchanged for one of Copilot that ends after half an hour. The zero value is ready to
// use; GitHub's registered client for editors without one of their own is asked for, and
// requests say who asks.
type Copilot struct {
	// Web and API are GitHub's addresses; empty stands for those of the domain.
	Web, API string
	// Base is where Copilot is asked; empty stands for what a token says.
	Base   string
	Client *http.Client
	// Sleep waits between questions; nil stands for real time.
	Sleep func(context.Context, time.Duration) error
}

const (
	copilotClient = "Iv1.b507a08c87ecfe98"
	copilotBase   = "https://api.individual.githubcopilot.com"
	// copilotMargin is how long before its end a token does not count any more.
	copilotMargin = 5 * time.Minute
)

// CopilotHeaders are what Copilot wants to see in each request: the editor, the plugin, and
// the kind of integration.
var CopilotHeaders = map[string]string{
	"User-Agent": "rondo", "Editor-Version": "rondo/1.0", "Editor-Plugin-Version": "rondo/1.0", "Copilot-Integration-Id": "vscode-chat",
}

func (c Copilot) web(domain string) string {
	return cmp.Or(c.Web, "https://"+cmp.Or(domain, "github.com"))
}

func (c Copilot) api(domain string) string {
	return cmp.Or(c.API, "https://api."+cmp.Or(domain, "github.com"))
}

// Login implements [Login].
func (c Copilot) Login(ctx context.Context, ui *UI, opts *Options) (*Credential, error) {
	if opts == nil {
		opts = &Options{}
	}
	domain, err := hostName(opts.Domain)
	if err != nil {
		return nil, err
	}
	config := &oauth2.Config{ClientID: copilotClient, Scopes: []string{"read:user"}, Endpoint: oauth2.Endpoint{
		DeviceAuthURL: c.web(domain) + "/login/device/code", TokenURL: c.web(domain) + "/login/oauth/access_token", AuthStyle: oauth2.AuthStyleInParams,
	}}
	ctx = withClient(ctx, c.Client)
	begun, err := config.DeviceAuth(ctx)
	if err != nil {
		return nil, retrieval(err)
	}
	ui.code(begun.VerificationURI, begun.UserCode, time.Until(begun.Expiry))
	var token *oauth2.Token
	p := &poll{interval: seconds(begun.Interval), sleep: c.Sleep, ask: func(ctx context.Context) (answer, error) {
		var err error
		token, err = config.Exchange(ctx, "",
			oauth2.SetAuthURLParam("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
			oauth2.SetAuthURLParam("device_code", begun.DeviceCode))
		return deviceAnswer(retrieval(err))
	}}
	if !begun.Expiry.IsZero() {
		p.expiry = time.Until(begun.Expiry)
	}
	if err := p.run(ctx); err != nil {
		return nil, err
	}
	cred, err := c.Renew(ctx, &Credential{Type: TypeOAuth, Refresh: token.AccessToken, EnterpriseURL: domain})
	if err != nil {
		return nil, err
	}
	c.enable(ctx, ui, cred, opts.Models)
	return cred, nil
}

// deviceAnswer reads an answer of RFC 8628.
func deviceAnswer(err error) (answer, error) {
	if err == nil {
		return entered, nil
	}
	if refused, ok := errors.AsType[*Error](err); ok {
		switch refused.Code {
		case "authorization_pending":
			return pending, nil
		case "slow_down":
			return slowDown, nil
		}
	}
	return 0, err
}

// hostName returns the domain that people write as an address or by its name.
func hostName(text string) (string, error) {
	if text = strings.TrimSpace(text); text == "" {
		return "", nil
	}
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.User != nil || !plainHost().MatchString(u.Host) {
		return "", errors.New("the domain of the GitHub Enterprise server is not one; write it as company.ghe.com")
	}
	return u.Host, nil
}

var plainHost = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$`) })

// Renew implements [Login]. It exchanges the token of GitHub for one of Copilot.
func (c Copilot) Renew(ctx context.Context, old *Credential) (*Credential, error) {
	header := http.Header{"Authorization": {"Bearer " + old.Refresh}}
	for name, value := range CopilotHeaders {
		header.Set(name, value)
	}
	var fresh struct {
		Token   string `json:"token"`
		Expires int64  `json:"expires_at"` // seconds since 1970
	}
	err := exchange(ctx, c.Client, http.MethodGet, c.api(old.EnterpriseURL)+"/copilot_internal/v2/token", header, nil, &fresh)
	if refused, ok := errors.AsType[*Error](err); ok {
		switch refused.Status {
		case http.StatusUnauthorized:
			refused.cause = ErrRevoked
		case http.StatusForbidden, http.StatusNotFound:
			return nil, fmt.Errorf("this GitHub account has no access to Copilot: %w", err)
		}
	}
	if err != nil {
		return nil, err
	}
	if fresh.Token == "" {
		return nil, errors.New("GitHub has answered without a token of Copilot; try again")
	}
	cred := *old
	cred.Access = fresh.Token
	if fresh.Expires > 0 {
		cred.Expires = time.Unix(fresh.Expires, 0).Add(-copilotMargin).UnixMilli()
	}
	return &cred, nil
}

// FromKey returns the credential of a token of GitHub, which has to be renewed first.
func (Copilot) FromKey(token string) *Credential {
	return &Credential{Type: TypeOAuth, Refresh: token}
}

// proxyHost finds the host in a token such as "tid=…;proxy-ep=proxy.individual.githubcopilot.com;…".
var proxyHost = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|;)proxy-ep=([^;]+)`) })

// base returns where Copilot is asked: where the token says, or at the server of the domain.
func (c Copilot) base(cred *Credential) string {
	if c.Base != "" {
		return c.Base
	}
	if found := proxyHost().FindStringSubmatch(cred.Access); found != nil && ofGitHub(found[1], cred.EnterpriseURL) {
		host := found[1]
		if rest, ok := strings.CutPrefix(host, "proxy."); ok {
			host = "api." + rest
		}
		return "https://" + host
	}
	if cred.EnterpriseURL != "" {
		return "https://copilot-api." + cred.EnterpriseURL
	}
	return copilotBase
}

// ofGitHub reports whether a host may have the token.
func ofGitHub(host, domain string) bool {
	return plainHost().MatchString(host) && (strings.HasSuffix(host, ".githubcopilot.com") || domain != "" && strings.HasSuffix(host, "."+domain))
}

// Auth implements [Login].
func (c Copilot) Auth(cred *Credential) Auth {
	return Auth{Token: cred.Access, BaseURL: c.base(cred), Headers: CopilotHeaders}
}

// enabling is how many models are switched on at the same time.
const enabling = 5

// enable switches on the models that an account has to agree to first. What cannot be is
// left: the account may not have it.
func (c Copilot) enable(ctx context.Context, ui *UI, cred *Credential, models []string) {
	if len(models) == 0 {
		return
	}
	ui.tell("Switching on the models of Copilot…")
	header := http.Header{"Authorization": {"Bearer " + cred.Access}, "Openai-Intent": {"chat-policy"}, "X-Interaction-Type": {"chat-policy"}}
	for name, value := range CopilotHeaders {
		header.Set(name, value)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	queue := make(chan string)
	var wg sync.WaitGroup
	for range enabling {
		wg.Go(func() {
			for id := range queue {
				err := postJSON(ctx, c.Client, c.base(cred)+"/models/"+url.PathEscape(id)+"/policy", header, map[string]string{"state": "enabled"}, nil)
				if refused, ok := errors.AsType[*Error](err); ok && refused.Status == http.StatusTooManyRequests {
					stop() // the rest would be refused as well
				}
			}
		})
	}
	for _, id := range models {
		select {
		case queue <- id:
		case <-ctx.Done():
		}
	}
	close(queue)
	wg.Wait()
}
