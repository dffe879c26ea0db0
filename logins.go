package rondo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/config/oauth"
	"github.com/rondo-agent/rondo/extension"
)

// extensionLogin is a login that an extension has brought, as one of this program's: its
// credentials lie in auth.json, and are renewed under its lock.
type extensionLogin struct{ *extension.OAuth }

var _ oauth.Login = extensionLogin{}

// Login implements [oauth.Login].
func (l extensionLogin) Login(ctx context.Context, ui *oauth.UI, _ *oauth.Options) (*oauth.Credential, error) {
	if l.OAuth.Login == nil {
		return nil, errors.New("the extension has no login")
	}
	raw, err := l.OAuth.Login(ctx, loginUI{ui})
	if err != nil {
		return nil, err
	}
	return fromExtension(raw)
}

// Renew implements [oauth.Login].
func (l extensionLogin) Renew(ctx context.Context, c *oauth.Credential) (*oauth.Credential, error) {
	if l.Refresh == nil {
		return nil, fmt.Errorf("%w: the extension cannot renew it", oauth.ErrRevoked)
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	fresh, err := l.Refresh(ctx, raw)
	if err != nil {
		return nil, err
	}
	return fromExtension(fresh)
}

// Auth implements [oauth.Login].
func (l extensionLogin) Auth(c *oauth.Credential) oauth.Auth {
	if raw, err := json.Marshal(c); err == nil && l.APIKey != nil {
		if key := l.APIKey(raw); key != "" {
			return oauth.Auth{Token: key, Key: true}
		}
	}
	return oauth.Auth{Token: c.Access, Key: true}
}

// fromExtension reads the credentials of an extension. What is theirs alone stays as it is.
func fromExtension(raw []byte) (*oauth.Credential, error) {
	var c oauth.Credential
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, errors.New("the extension's login has not given credentials: an object with access, refresh and expires")
	}
	c.Type = oauth.TypeOAuth
	return &c, nil
}

// loginUI lets an extension talk with the person who logs in.
type loginUI struct{ ui *oauth.UI }

// Open implements [extension.LoginUI].
func (l loginUI) Open(url, instructions string) {
	if instructions != "" {
		l.Progress(instructions)
	}
	if l.ui.Browse != nil {
		l.ui.Browse(url)
	}
}

// DeviceCode implements [extension.LoginUI].
func (l loginUI) DeviceCode(url, code string) {
	if l.ui.Code != nil {
		l.ui.Code(url, code, 15*time.Minute) // what RFC 8628 has in its examples; extensions do not say
	}
}

// Ask implements [extension.LoginUI].
func (l loginUI) Ask(ctx context.Context, message, placeholder string) (string, error) {
	if l.ui.Ask == nil {
		return "", errors.New("there is nobody to ask: log in at a terminal")
	}
	if placeholder != "" {
		message += " (" + placeholder + ")"
	}
	return l.ui.Ask(ctx, message)
}

// Select implements [extension.LoginUI]. A choice is made by its number or its id.
func (l loginUI) Select(ctx context.Context, message string, choices [][2]string) (string, error) {
	for i, c := range choices {
		message += fmt.Sprintf("\n  %d  %s", i+1, c[1])
	}
	for {
		text, err := l.Ask(ctx, message+"\nNumber:", "")
		if err != nil {
			return "", err
		}
		for i, c := range choices {
			if text == fmt.Sprint(i+1) || text == c[0] {
				return c[0], nil
			}
		}
		l.Progress(fmt.Sprintf("%q is none of them.", text))
	}
}

// Progress implements [extension.LoginUI].
func (l loginUI) Progress(message string) {
	if l.ui.Tell != nil {
		l.ui.Tell(message)
	}
}

// registerLogins makes the logins of these providers those of the configuration, and takes
// back that of one which is gone.
func registerLogins(cfg *config.Config, list []broughtProvider, gone string) {
	if gone != "" {
		cfg.RegisterLogin(gone, nil)
	}
	for _, p := range list {
		if p.OAuth != nil {
			cfg.RegisterLogin(p.name, extensionLogin{p.OAuth})
		}
	}
}
