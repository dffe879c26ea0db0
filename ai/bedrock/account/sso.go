package account

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/internal/atomicfile"
)

// signOn is a single sign-on that a profile names.
type signOn struct {
	client        *http.Client
	profile       string
	region        string
	account, role string
	file          string // with the token of the sign-on
	renewable     bool
}

// singleSignOn returns the source of a profile's sign-on: an sso-session section, or the older form with
// all keys in the profile, whose token cannot be renewed.
func (f *finder) singleSignOn(name string, p section) (source, error) {
	on := &signOn{client: f.client, profile: name, account: p["sso_account_id"], role: p["sso_role_name"], region: p["sso_region"]}
	key := p["sso_start_url"]
	if session := p["sso_session"]; session != "" {
		s, ok := f.files.sessions[session]
		if !ok {
			return nil, fmt.Errorf("profile %s names the sso-session %q, which does not exist", name, session)
		}
		on.region, on.renewable, key = s["sso_region"], true, session
	}
	if on.account == "" || on.role == "" || on.region == "" || key == "" {
		return nil, fmt.Errorf("the single sign-on of profile %s needs sso_account_id, sso_role_name, sso_region and sso_start_url or sso_session", name)
	}
	sum := sha1.Sum([]byte(key))
	on.file = home("sso", "cache", hex.EncodeToString(sum[:])+".json")
	return on.credentials, nil
}

func (on *signOn) credentials(ctx context.Context) (aws.Credentials, error) {
	token, err := on.token(ctx)
	if err != nil {
		return aws.Credentials{}, fmt.Errorf("%w; run aws sso login --profile %s", err, on.profile)
	}
	query := url.Values{"account_id": {on.account}, "role_name": {on.role}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, endpoint("SSO", "portal.sso", on.region)+"/federation/credentials?"+query.Encode(), nil)
	if err != nil {
		return aws.Credentials{}, err
	}
	req.Header.Set("X-Amz-Sso_bearer_token", token)
	text, err := send(on.client, req)
	if err != nil {
		return aws.Credentials{}, fmt.Errorf("get the role %s of the single sign-on: %w; run aws sso login --profile %s", on.role, err, on.profile)
	}
	var answer struct {
		Role struct {
			AccessKeyID     string `json:"accessKeyId"`
			SecretAccessKey string `json:"secretAccessKey"`
			SessionToken    string `json:"sessionToken"`
			Expiration      int64  `json:"expiration"` // in milliseconds since 1970
		} `json:"roleCredentials"`
	}
	if err := decode(text, &answer); err != nil {
		return aws.Credentials{}, err
	}
	r := answer.Role
	return temporary(r.AccessKeyID, r.SecretAccessKey, r.SessionToken, time.UnixMilli(r.Expiration))
}

// cachedToken is the file that "aws sso login" writes. Members that are not known are kept.
type cachedToken struct {
	AccessToken  string         `json:"accessToken"`
	ExpiresAt    string         `json:"expiresAt"`
	RefreshToken string         `json:"refreshToken,omitzero"`
	ClientID     string         `json:"clientId,omitzero"`
	ClientSecret string         `json:"clientSecret,omitzero"`
	Rest         jsontext.Value `json:",embed"`
}

// left returns how long the token holds. Old programs write UTC where RFC 3339 has Z; a time that
// cannot be read has passed.
func (t *cachedToken) left() time.Duration {
	at, err := time.Parse(time.RFC3339, strings.Replace(t.ExpiresAt, "UTC", "Z", 1))
	if err != nil {
		return 0
	}
	return time.Until(at)
}

// token returns the token of the sign-on, which is renewed when it is about to end.
func (on *signOn) token(ctx context.Context) (string, error) {
	text, err := os.ReadFile(on.file)
	if err != nil {
		return "", errors.New("there is no token of a single sign-on")
	}
	var t cachedToken
	if err := decode(text, &t); err != nil || t.AccessToken == "" {
		return "", errors.New("the token of the single sign-on cannot be read")
	}
	left := t.left()
	if left > renewal {
		return t.AccessToken, nil
	}
	if on.renewable && t.RefreshToken != "" && t.ClientID != "" {
		if err = on.renew(ctx, &t); err == nil {
			return t.AccessToken, nil
		}
	}
	switch {
	case left > 0:
		return t.AccessToken, nil
	case err != nil:
		return "", fmt.Errorf("the token of the single sign-on has ended and cannot be renewed: %w", err)
	}
	return "", errors.New("the token of the single sign-on has ended")
}

// renew gets another token and writes it where other programs look for it.
func (on *signOn) renew(ctx context.Context, t *cachedToken) error {
	body, err := json.Marshal(map[string]string{
		"clientId": t.ClientID, "clientSecret": t.ClientSecret, "grantType": "refresh_token", "refreshToken": t.RefreshToken,
	})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint("SSO_OIDC", "oidc", on.region)+"/token", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	text, err := send(on.client, req)
	if err != nil {
		return err
	}
	var answer struct {
		AccessToken  string `json:"accessToken"`
		RefreshToken string `json:"refreshToken"`
		ExpiresIn    int    `json:"expiresIn"` // in seconds
	}
	if err := decode(text, &answer); err != nil {
		return err
	}
	if answer.AccessToken == "" {
		return errIncomplete
	}
	t.AccessToken, t.RefreshToken = answer.AccessToken, cmp.Or(answer.RefreshToken, t.RefreshToken)
	t.ExpiresAt = time.Now().Add(time.Duration(answer.ExpiresIn) * time.Second).UTC().Format(time.RFC3339)
	out, err := json.Marshal(t, json.Deterministic(true))
	if err != nil {
		return err
	}
	return atomicfile.Write(on.file, out, nil)
}
