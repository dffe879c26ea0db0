package oauth_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"github.com/rondo-agent/rondo/config/oauth"
)

func TestOpenRouterMintsAKey(t *testing.T) {
	a := newAuthority(t, map[string][]reply{"/api/v1/auth/keys": {ok(`{"key":"sk-or-1","user_id":"u"}`)}})
	var challenge string
	ui := browser(t, func(there url.Values, back string) []string {
		challenge = there.Get("code_challenge")
		return []string{back + "&code=the-code"}
	})
	cred, err := oauth.OpenRouter{Site: a.URL}.Login(t.Context(), ui, nil)
	if err != nil {
		t.Fatal(err)
	}
	if cred.Type != oauth.TypeAPIKey || cred.Key != "sk-or-1" {
		t.Errorf("%s", cred.Type)
	}
	body := a.bodies["/api/v1/auth/keys"][0]
	if body["code"] != "the-code" || body["code_challenge_method"] != "S256" || oauth2.S256ChallengeFromVerifier(body["code_verifier"]) != challenge {
		t.Error("the code was not redeemed with the verifier")
	}
	if same, err := (oauth.OpenRouter{}).Renew(t.Context(), cred); err != nil || same != cred {
		t.Errorf("a key was renewed: %v", err)
	}
}

func TestOpenRouterFails(t *testing.T) {
	for name, test := range map[string]struct {
		query  string
		answer reply
		want   error
	}{
		"denied":    {"&error=access_denied", reply{}, oauth.ErrDenied},
		"no code":   {"", reply{}, nil},
		"refused":   {"&code=c", refuse(403, "invalid"), nil},
		"no key":    {"&code=c", ok(`{}`), nil},
		"no answer": {"&code=c", ok(`<html>`), nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t, map[string][]reply{"/api/v1/auth/keys": {test.answer}})
			ui := browser(t, func(_ url.Values, back string) []string { return []string{back + test.query} })
			_, err := oauth.OpenRouter{Site: a.URL}.Login(t.Context(), ui, nil)
			if err == nil || test.want != nil && !errors.Is(err, test.want) || strings.Contains(err.Error(), "html") {
				t.Errorf("%v", err)
			}
		})
	}
}
