package config_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/config/oauth"
)

func renewInChild(home string) {
	c, err := config.Load(home)
	if err == nil {
		c.RegisterLogin("openai-codex", oauth.Codex{Issuer: os.Getenv(renewIssuer)})
		var cred *config.Credential
		if cred, err = c.Credential(context.Background(), c.Model("openai-codex", "gpt-5.5")); err == nil {
			fmt.Print(cred.APIKey)
			return
		}
	}
	fmt.Fprint(os.Stderr, err)
	os.Exit(1)
}

func jwt(account, more string) string {
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	return part("{}") + "." + part(`{"https://api.openai.com/auth":{"chatgpt_account_id":"`+account+`"},"n":"`+more+`"}`) + ".x"
}

// issuer plays OpenAI's authorisation server: each answer takes a while and renews the
// refresh token, so that the old one is worth nothing.
type issuer struct {
	*httptest.Server
	asked  atomic.Int32
	status int
	delay  time.Duration
}

func newIssuer(t *testing.T, status int, delay time.Duration) *issuer {
	t.Helper()
	i := &issuer{status: status, delay: delay}
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm() // reading all of it makes the end of the request seen
		n := i.asked.Add(1)
		select {
		case <-time.After(i.delay):
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(i.status)
		if i.status != http.StatusOK {
			fmt.Fprint(w, `{"error":"invalid_grant","note":"refresh-0"}`)
			return
		}
		fmt.Fprintf(w, `{"access_token":%q,"refresh_token":"refresh-%d","token_type":"Bearer","expires_in":3600}`, jwt("acc", fmt.Sprint(n)), n)
	}))
	t.Cleanup(i.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return i
}

// codexEntry is an auth.json with a login that ends then.
func codexEntry(expires time.Time) string {
	return fmt.Sprintf(`{"openai-codex": {"type": "oauth", "access": %q, "refresh": "refresh-0", "expires": %d, "accountId": "acc", "future": [1]}, "groq": {"type": "api_key", "key": "g"}}`, jwt("acc", "0"), expires.UnixMilli())
}

func codex(t *testing.T, i *issuer, expires time.Time) *config.Config {
	t.Helper()
	c := load(t, map[string]string{config.AuthFile: codexEntry(expires)})
	c.RegisterLogin("openai-codex", oauth.Codex{Issuer: i.URL})
	return c
}

func authFile(t *testing.T, c *config.Config) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(c.Home, config.AuthFile))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
