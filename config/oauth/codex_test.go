package oauth_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/config/oauth"
)

// freePort returns a port that nobody uses.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func tokens(account string) reply {
	return ok(`{"access_token":"` + jwt(account, "1") + `","refresh_token":"refresh-1","token_type":"Bearer","expires_in":3600}`)
}

func TestCodexInTheBrowser(t *testing.T) {
	a := newAuthority(t, map[string][]reply{"/oauth/token": {tokens("acc-1")}})
	var challenge string
	ui := browser(t, func(there url.Values, back string) []string {
		for name, want := range map[string]string{
			"response_type": "code", "client_id": "app_EMoamEEZ73f0CkXaXp7hrann", "code_challenge_method": "S256", "originator": "rondo",
			"scope": "openid profile email offline_access", "id_token_add_organizations": "true", "codex_cli_simplified_flow": "true",
		} {
			if there.Get(name) != want {
				t.Errorf("%s is %q", name, there.Get(name))
			}
		}
		challenge = there.Get("code_challenge")
		return []string{back + "?code=the-code&state=" + url.QueryEscape(there.Get("state"))}
	})
	cred, err := oauth.Codex{Issuer: a.URL, Port: freePort(t)}.Login(t.Context(), ui, nil)
	if err != nil {
		t.Fatal(err)
	}
	if cred.Type != oauth.TypeOAuth || cred.AccountID != "acc-1" || cred.Refresh != "refresh-1" || !cred.ValidFor(59*time.Minute) || cred.ValidFor(61*time.Minute) {
		t.Errorf("account %q, until %d", cred.AccountID, cred.Expires)
	}
	form := a.forms["/oauth/token"][0]
	if form.Get("code") != "the-code" || form.Get("code_verifier") == "" || challenge == "" || form.Get("client_id") == "" {
		t.Errorf("%v", form)
	}
	if auth := (oauth.Codex{}).Auth(cred); auth.Token != cred.Access || !auth.Key {
		t.Error("the wire does not get the token")
	}
}

// TestAStrangersCallbackDoesNotCount: a request without the state of the login is
// refused, and the login goes on.
func TestAStrangersCallbackDoesNotCount(t *testing.T) {
	a := newAuthority(t, map[string][]reply{"/oauth/token": {tokens("acc-1")}})
	ui := browser(t, func(there url.Values, back string) []string {
		for _, query := range []string{"?code=evil", "?code=evil&state=guess", "?error=access_denied&state=guess"} {
			resp, err := http.Get(back + query)
			if err != nil {
				t.Error(err)
				return nil
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusBadRequest {
				t.Errorf("%s: %s", query, resp.Status)
			}
		}
		if resp, err := http.Post(back+"?code=evil&state="+url.QueryEscape(there.Get("state")), "", nil); err != nil || resp.StatusCode != http.StatusNotFound {
			t.Errorf("a POST: %v", err)
		} else {
			resp.Body.Close()
		}
		return []string{back + "?code=good&state=" + url.QueryEscape(there.Get("state"))}
	})
	if _, err := (oauth.Codex{Issuer: a.URL, Port: freePort(t)}).Login(t.Context(), ui, nil); err != nil {
		t.Fatal(err)
	}
	if got := a.forms["/oauth/token"][0].Get("code"); got != "good" {
		t.Errorf("the code %s was redeemed", got)
	}
}

func TestCodexDenied(t *testing.T) {
	ui := browser(t, func(there url.Values, back string) []string {
		return []string{back + "?error=access_denied&error_description=no+thanks&state=" + url.QueryEscape(there.Get("state"))}
	})
	_, err := oauth.Codex{Issuer: "http://127.0.0.1:1", Port: freePort(t)}.Login(t.Context(), ui, nil)
	if !errors.Is(err, oauth.ErrDenied) || !strings.Contains(err.Error(), "no thanks") {
		t.Errorf("%v", err)
	}
}

// TestTheAddressCanBePasted: the browser is on another machine.
func TestTheAddressCanBePasted(t *testing.T) {
	for name, paste := range map[string]func(state string) []string{
		"address": func(state string) []string {
			return []string{"http://localhost:1455/auth/callback?code=c&state=" + state}
		},
		"code": func(string) []string { return []string{" c \n"} },
		"another login first": func(state string) []string {
			return []string{"", "http://localhost:1/x?code=evil&state=other", "http://x/?code=c&state=" + state}
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t, map[string][]reply{"/oauth/token": {tokens("acc-1")}})
			state := make(chan string, 1)
			var lines []string
			ui := &oauth.UI{
				Browse: func(address string) {
					u, _ := url.Parse(address)
					state <- u.Query().Get("state")
				},
				Ask: func(context.Context, string) (string, error) {
					if lines == nil {
						lines = paste(<-state)
					}
					line := lines[0]
					lines = lines[1:]
					return line, nil
				},
			}
			// Somebody else has the port.
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if _, err := (oauth.Codex{Issuer: a.URL, Port: l.Addr().(*net.TCPAddr).Port}).Login(t.Context(), ui, nil); err != nil {
				t.Fatal(err)
			}
			if got := a.forms["/oauth/token"][0].Get("code"); got != "c" {
				t.Errorf("the code %q was redeemed", got)
			}
		})
	}
}

func TestATakenPortIsSaid(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = oauth.Codex{Port: l.Addr().(*net.TCPAddr).Port}.Login(t.Context(), &oauth.UI{}, nil)
	if err == nil || !strings.Contains(err.Error(), "device code") {
		t.Errorf("%v", err)
	}
}

func TestALoginEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("enough")
	ui := &oauth.UI{
		Browse: func(string) { cancel(stop) },
		Ask: func(ctx context.Context, _ string) (string, error) {
			<-ctx.Done()
			return "", context.Cause(ctx)
		},
	}
	if _, err := (oauth.Codex{Port: freePort(t)}).Login(ctx, ui, nil); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
}

func TestCodexByDeviceCode(t *testing.T) {
	a := newAuthority(t, map[string][]reply{
		"/api/accounts/deviceauth/usercode": {ok(`{"device_auth_id":"dev-1","user_code":"ABCD-EFGH","interval":"2"}`)},
		"/api/accounts/deviceauth/token": {
			refuse(403, "authorization_pending"),
			{404, ""},
			refuse(429, "slow_down"),
			{403, `{"error":{"code":"slow_down"}}`},
			ok(`{"authorization_code":"dev-code","code_verifier":"dev-verifier","code_challenge":"x"}`),
		},
		"/oauth/token": {tokens("acc-2")},
	})
	c := &clock{}
	var shown string
	ui := &oauth.UI{Code: func(url, code string, valid time.Duration) { shown = url + " " + code + " " + valid.String() }}
	cred, err := oauth.Codex{Issuer: a.URL, Sleep: c.sleep}.Login(t.Context(), ui, &oauth.Options{Device: true})
	if err != nil {
		t.Fatal(err)
	}
	if cred.AccountID != "acc-2" || shown != a.URL+"/codex/device ABCD-EFGH 15m0s" {
		t.Errorf("account %s, shown %s", cred.AccountID, shown)
	}
	if diff := cmp.Diff([]time.Duration{2e9, 2e9, 2e9, 7e9, 12e9}, c.slept); diff != "" {
		t.Errorf("waited (-want +got):\n%s", diff)
	}
	form := a.forms["/oauth/token"][0]
	if form.Get("code") != "dev-code" || form.Get("code_verifier") != "dev-verifier" || form.Get("redirect_uri") != a.URL+"/deviceauth/callback" {
		t.Errorf("%v", form)
	}
}

func TestCodexByDeviceCodeFails(t *testing.T) {
	begun := ok(`{"device_auth_id":"dev-1","user_code":"ABCD","interval":5}`)
	for name, test := range map[string]struct {
		answers map[string][]reply
		want    error
	}{
		"denied":  {map[string][]reply{"/api/accounts/deviceauth/usercode": {begun}, "/api/accounts/deviceauth/token": {refuse(403, "access_denied")}}, oauth.ErrDenied},
		"expired": {map[string][]reply{"/api/accounts/deviceauth/usercode": {begun}, "/api/accounts/deviceauth/token": {refuse(400, "expired_token")}}, oauth.ErrExpired},
		"broken":  {map[string][]reply{"/api/accounts/deviceauth/usercode": {begun}, "/api/accounts/deviceauth/token": {{500, "secret"}}}, nil},
		"off":     {map[string][]reply{"/api/accounts/deviceauth/usercode": {{404, ""}}}, nil},
		"no code": {map[string][]reply{"/api/accounts/deviceauth/usercode": {ok(`{}`)}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t, test.answers)
			_, err := oauth.Codex{Issuer: a.URL, Sleep: (&clock{}).sleep}.Login(t.Context(), &oauth.UI{}, &oauth.Options{Device: true})
			if err == nil || test.want != nil && !errors.Is(err, test.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestCodexRenews(t *testing.T) {
	a := newAuthority(t, map[string][]reply{"/oauth/token": {
		ok(`{"access_token":"` + jwt("acc-1", "2") + `","refresh_token":"refresh-2","expires_in":10}`),
		ok(`{"access_token":"opaque","token_type":"Bearer"}`),
	}})
	old := &oauth.Credential{Type: oauth.TypeOAuth, Access: "a", Refresh: "refresh-1", Expires: 1, AccountID: "acc-1", Unknown: []byte(`{"future":1}`)}
	fresh, err := oauth.Codex{Issuer: a.URL}.Renew(t.Context(), old)
	if err != nil {
		t.Fatal(err)
	}
	if fresh.Access != jwt("acc-1", "2") || fresh.Refresh != "refresh-2" || string(fresh.Unknown) != `{"future":1}` || old.Refresh != "refresh-1" {
		t.Error("not what the server has answered, or the old one was changed")
	}
	if form := a.forms["/oauth/token"][0]; form.Get("grant_type") != "refresh_token" || form.Get("refresh_token") != "refresh-1" {
		t.Errorf("%v", form)
	}
	// A server that keeps the refresh token does not say it again.
	if again, err := (oauth.Codex{Issuer: a.URL}).Renew(t.Context(), fresh); err != nil || again.Refresh != "refresh-2" || again.AccountID != "acc-1" || again.Expires != 0 {
		t.Errorf("%v", err)
	}
}

func TestARefusedRenewalTellsNoSecret(t *testing.T) {
	a := newAuthority(t, map[string][]reply{"/oauth/token": {{400, `{"error":"invalid_grant","error_description":"gone","refresh_token":"secret"}`}, {503, "secret"}}})
	_, err := oauth.Codex{Issuer: a.URL}.Renew(t.Context(), &oauth.Credential{Refresh: "secret"})
	if !errors.Is(err, oauth.ErrRevoked) || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
	_, err = oauth.Codex{Issuer: a.URL}.Renew(t.Context(), &oauth.Credential{Refresh: "secret"})
	if err == nil || errors.Is(err, oauth.ErrRevoked) || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}
