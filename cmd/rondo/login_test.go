package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/config/oauth"
)

// account plays OpenAI's authorisation server, which confirms a device code at the second
// question, or denies it.
func account(t *testing.T, denied bool) *httptest.Server {
	t.Helper()
	asked := 0
	claims := base64.RawURLEncoding.EncodeToString([]byte(`{"https://api.openai.com/auth":{"chatgpt_account_id":"acc"}}`))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/api/accounts/deviceauth/usercode":
			fmt.Fprint(w, `{"device_auth_id":"dev","user_code":"ABCD-EFGH","interval":"1"}`)
		case "/api/accounts/deviceauth/token":
			if asked++; asked == 1 || denied {
				w.WriteHeader(http.StatusForbidden)
				if denied {
					fmt.Fprint(w, `{"error":"access_denied"}`)
				}
				return
			}
			fmt.Fprint(w, `{"authorization_code":"c","code_verifier":"v"}`)
		case "/oauth/token":
			fmt.Fprintf(w, `{"access_token":"x.%s.secret-access","refresh_token":"secret-refresh","expires_in":3600}`, claims)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func noSleep(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }

func TestLoginWithACode(t *testing.T) {
	home := t.TempDir()
	cfg, err := config.Load(home)
	if err != nil {
		t.Fatal(err)
	}
	cfg.RegisterLogin("openai-codex", oauth.Codex{Issuer: account(t, false).URL, Sleep: noSleep})
	var out, told bytes.Buffer
	p := newCommand(strings.NewReader(""), &out, &told)
	opts := &loginOptions{Options: oauth.Options{Device: true}}
	if err := p.login(t.Context(), cfg, "OpenAI-Codex", opts); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(told.String(), "Enter the code ABCD-EFGH at http://127.0.0.1") || !strings.Contains(told.String(), "(within 15m0s)") {
		t.Errorf("told: %s", told.String())
	}
	if want := "openai-codex: stored in auth.json; try: rondo --provider openai-codex -p hello\n"; out.String() != want {
		t.Errorf("shown: %s", out.String())
	}
	stored, err := os.ReadFile(filepath.Join(home, config.AuthFile))
	if err != nil || !strings.Contains(string(stored), `"refresh":"secret-refresh"`) || !strings.Contains(string(stored), `"accountId":"acc"`) {
		t.Errorf("stored: %v", err)
	}
	out.Reset()
	if err := p.listProviders(cfg, false); err != nil || !strings.Contains(out.String(), "login from ") || !strings.Contains(out.String(), "renewed by itself") {
		t.Errorf("listed: %s, %v", out.String(), err)
	}
	if all := out.String() + told.String(); strings.Contains(all, "secret-") {
		t.Error("a token was shown")
	}
}

func TestALoginThatIsDeniedStoresNothing(t *testing.T) {
	home := t.TempDir()
	cfg, err := config.Load(home)
	if err != nil {
		t.Fatal(err)
	}
	cfg.RegisterLogin("openai-codex", oauth.Codex{Issuer: account(t, true).URL, Sleep: noSleep})
	p := newCommand(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
	err = p.login(t.Context(), cfg, "openai-codex", &loginOptions{Options: oauth.Options{Device: true}})
	if !errors.Is(err, oauth.ErrDenied) || !strings.Contains(err.Error(), "log in to openai-codex: the login was denied") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(home, config.AuthFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was stored: %v", err)
	}
}
