package oauth_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/config/oauth"
)

const (
	deviceStart = `{"device_code":"dev-1","user_code":"WXYZ-1234","verification_uri":"https://github.com/login/device","expires_in":900,"interval":5}`
	tokenPath   = "/copilot_internal/v2/token"
	granted     = `{"access_token":"ghu_1","token_type":"bearer","scope":"read:user"}`
)

func copilotToken(until time.Time) reply {
	return ok(fmt.Sprintf(`{"token":"tid=1;proxy-ep=proxy.business.githubcopilot.com;exp=2","expires_at":%d}`, until.Unix()))
}

func TestCopilot(t *testing.T) {
	until := time.Now().Add(30 * time.Minute)
	a := newAuthority(t, map[string][]reply{
		"/login/device/code": {ok(deviceStart)},
		// GitHub answers errors with the status 200.
		"/login/oauth/access_token": {ok(`{"error":"authorization_pending"}`), ok(`{"error":"slow_down","interval":10}`), ok(granted)},
		tokenPath:                   {copilotToken(until)},
		"/models/claude/policy":     {ok("{}")}, "/models/gpt/policy": {{404, ""}},
	})
	c := &clock{}
	var shown string
	ui := &oauth.UI{Code: func(url, code string, valid time.Duration) { shown = url + " " + code }}
	login := oauth.Copilot{Web: a.URL, API: a.URL, Base: a.URL, Sleep: c.sleep}
	cred, err := login.Login(t.Context(), ui, &oauth.Options{Models: []string{"claude", "gpt"}})
	if err != nil {
		t.Fatal(err)
	}
	if shown != "https://github.com/login/device WXYZ-1234" {
		t.Errorf("shown: %s", shown)
	}
	if diff := cmp.Diff([]time.Duration{5e9, 5e9, 10e9}, c.slept); diff != "" {
		t.Errorf("waited (-want +got):\n%s", diff)
	}
	if cred.Refresh != "ghu_1" || !strings.HasPrefix(cred.Access, "tid=1;") || !cred.ValidFor(24*time.Minute) || cred.ValidFor(26*time.Minute) {
		t.Errorf("until %d", cred.Expires)
	}
	form := a.forms["/login/oauth/access_token"][0]
	if form.Get("grant_type") != "urn:ietf:params:oauth:grant-type:device_code" || form.Get("device_code") != "dev-1" || form.Get("client_id") == "" {
		t.Errorf("%v", form)
	}
	asked := a.asked[tokenPath][0].Header
	for name := range oauth.CopilotHeaders {
		if asked.Get(name) == "" {
			t.Errorf("the exchange has no %s", name)
		}
	}
	if asked.Get("Authorization") != "Bearer ghu_1" {
		t.Error("the exchange has another token")
	}
	if a.count("/models/claude/policy") != 1 || a.count("/models/gpt/policy") != 1 || a.bodies["/models/claude/policy"][0]["state"] != "enabled" {
		t.Error("the models were not switched on")
	}
	if got := a.asked["/models/claude/policy"][0].Header.Get("Openai-Intent"); got != "chat-policy" {
		t.Errorf("the intent is %q", got)
	}
}

// TestCopilotsAddressIsInTheToken: and only one of GitHub's counts.
func TestCopilotsAddressIsInTheToken(t *testing.T) {
	for _, test := range []struct{ token, domain, want string }{
		{"tid=1;proxy-ep=proxy.business.githubcopilot.com;x=1", "", "https://api.business.githubcopilot.com"},
		{"proxy-ep=proxy.individual.githubcopilot.com", "", "https://api.individual.githubcopilot.com"},
		{"tid=1", "", "https://api.individual.githubcopilot.com"},
		{"tid=1", "company.ghe.com", "https://copilot-api.company.ghe.com"},
		{"proxy-ep=proxy.company.ghe.com", "company.ghe.com", "https://api.company.ghe.com"},
		{"proxy-ep=proxy.evil.example", "", "https://api.individual.githubcopilot.com"},
		{"proxy-ep=evil.example/.githubcopilot.com", "", "https://api.individual.githubcopilot.com"},
		{"proxy-ep=u@evil.githubcopilot.com", "", "https://api.individual.githubcopilot.com"},
	} {
		auth := oauth.Copilot{}.Auth(&oauth.Credential{Access: test.token, EnterpriseURL: test.domain})
		if auth.BaseURL != test.want || auth.Token != test.token || auth.Key || auth.Headers["Copilot-Integration-Id"] == "" {
			t.Errorf("%s: %+v, want %s", test.token, auth, test.want)
		}
	}
}

func TestCopilotFails(t *testing.T) {
	start := map[string][]reply{"/login/device/code": {ok(deviceStart)}}
	with := func(path string, answers ...reply) map[string][]reply {
		all := map[string][]reply{"/login/oauth/access_token": {ok(granted)}, path: answers}
		for p, a := range start {
			all[p] = a
		}
		return all
	}
	for name, test := range map[string]struct {
		answers map[string][]reply
		want    error
		text    string
	}{
		"denied":     {with("/login/oauth/access_token", ok(`{"error":"access_denied"}`)), oauth.ErrDenied, ""},
		"expired":    {with("/login/oauth/access_token", ok(`{"error":"expired_token"}`)), oauth.ErrExpired, ""},
		"too late":   {map[string][]reply{"/login/device/code": {ok(`{"device_code":"d","user_code":"u","verification_uri":"v","expires_in":1,"interval":1}`)}, "/login/oauth/access_token": {ok(`{"error":"authorization_pending"}`)}}, oauth.ErrExpired, ""},
		"no Copilot": {with(tokenPath, reply{403, `{"message":"no"}`}), nil, "no access to Copilot"},
		"revoked":    {with(tokenPath, reply{401, ""}), oauth.ErrRevoked, ""},
		"empty":      {with(tokenPath, ok(`{}`)), nil, "without a token"},
		"no start":   {map[string][]reply{"/login/device/code": {{500, "secret"}}}, nil, "500"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t, test.answers)
			login := oauth.Copilot{Web: a.URL, API: a.URL, Base: a.URL, Sleep: (&clock{}).sleep}
			if name == "too late" {
				login.Sleep = nil // a second of real time
			}
			_, err := login.Login(t.Context(), &oauth.UI{}, nil)
			if err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestEnterpriseDomains(t *testing.T) {
	for _, bad := range []string{"localhost", "a b.com", "https://x.com:99/", "u@x.com"} {
		if _, err := (oauth.Copilot{}).Login(t.Context(), &oauth.UI{}, &oauth.Options{Domain: bad}); err == nil || !strings.Contains(err.Error(), "company.ghe.com") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	a := newAuthority(t, map[string][]reply{"/login/device/code": {ok(deviceStart)}, "/login/oauth/access_token": {ok(granted)}, tokenPath: {ok(`{"token":"tid=1"}`)}})
	login := oauth.Copilot{Web: a.URL, API: a.URL, Sleep: (&clock{}).sleep}
	cred, err := login.Login(t.Context(), &oauth.UI{}, &oauth.Options{Domain: " https://Company.ghe.com/ "})
	if err != nil || cred.EnterpriseURL != "Company.ghe.com" || cred.Expires != 0 {
		t.Errorf("%v", err)
	}
}

// TestTooManyRequestsEndTheSwitchingOn of models, and not the login.
func TestTooManyRequestsEndTheSwitchingOn(t *testing.T) {
	var models []string
	answers := map[string][]reply{"/login/device/code": {ok(deviceStart)}, "/login/oauth/access_token": {ok(granted)}, tokenPath: {copilotToken(time.Now().Add(time.Hour))}}
	for i := range 100 {
		id := fmt.Sprintf("m%d", i)
		models = append(models, id)
		answers["/models/"+id+"/policy"] = []reply{{429, ""}}
	}
	a := newAuthority(t, answers)
	login := oauth.Copilot{Web: a.URL, API: a.URL, Base: a.URL, Sleep: (&clock{}).sleep}
	if _, err := login.Login(t.Context(), &oauth.UI{}, &oauth.Options{Models: models}); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, id := range models {
		total += a.count("/models/" + id + "/policy")
	}
	if total > 20 {
		t.Errorf("%d models were asked for", total)
	}
}
