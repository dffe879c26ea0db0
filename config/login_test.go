package config_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/openai"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/config/oauth"
)

// The variables that make the test binary a process which renews a login and prints what it
// has then.
const (
	renewHome   = "RENEW_HOME"
	renewIssuer = "RENEW_ISSUER"
)

// TestOfManyProcessesOneRenews: the token is renewed once, and all use what came of it.
func TestOfManyProcessesOneRenews(t *testing.T) {
	i := newIssuer(t, http.StatusOK, 300*time.Millisecond)
	dir := home(t, map[string]string{config.AuthFile: codexEntry(time.Now().Add(-time.Hour))})
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			cmd := exec.Command(exe)
			cmd.Env = append(os.Environ(), renewHome+"="+dir, renewIssuer+"="+i.URL)
			out, err := cmd.Output()
			if err != nil || string(out) != jwt("acc", "1") {
				t.Errorf("%v, %d bytes", err, len(out))
			}
		})
	}
	wg.Wait()
	if n := i.asked.Load(); n != 1 {
		t.Errorf("%d processes have renewed", n)
	}
	data, err := os.ReadFile(filepath.Join(dir, config.AuthFile))
	if err != nil || !strings.Contains(string(data), `"refresh-1"`) || !strings.Contains(string(data), `"future":[1]`) || !strings.Contains(string(data), `"groq": {"type": "api_key", "key": "g"}`) {
		t.Errorf("stored: %s, %v", data, err)
	}
	if _, err := os.Stat(filepath.Join(dir, config.AuthFile+".lock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock is still there: %v", err)
	}
}

func TestOfManyRequestsOneRenews(t *testing.T) {
	i := newIssuer(t, http.StatusOK, 50*time.Millisecond)
	c := codex(t, i, time.Now().Add(-time.Hour))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if cred, err := c.Credential(t.Context(), c.Model("openai-codex", "gpt-5.5")); err != nil || cred.APIKey != jwt("acc", "1") {
				t.Errorf("%v", err)
			}
		})
	}
	wg.Wait()
	if n := i.asked.Load(); n != 1 {
		t.Errorf("%d renewals", n)
	}
}

// TestAFailedRenewalLeavesWhatIsStored: also byte for byte.
func TestAFailedRenewalLeavesWhatIsStored(t *testing.T) {
	for name, status := range map[string]int{"revoked": http.StatusBadRequest, "down": http.StatusBadGateway} {
		i := newIssuer(t, status, 0)
		c := codex(t, i, time.Now().Add(-time.Hour))
		before := authFile(t, c)
		_, err := c.Credential(t.Context(), c.Model("openai-codex", "gpt-5.5"))
		if err == nil || strings.Contains(err.Error(), "refresh-0") || !strings.Contains(err.Error(), "openai-codex") {
			t.Errorf("%s: %v", name, err)
		}
		if _, ok := errors.AsType[*config.CredentialError](err); ok && !strings.Contains(err.Error(), "rondo auth login openai-codex") {
			t.Errorf("%s: %v", name, err)
		}
		if after := authFile(t, c); after != before {
			t.Errorf("%s: the file has changed: %s", name, after)
		}
	}
}

// TestATokenThatIsStillGoodIsUsed where it should be renewed soon and cannot be.
func TestATokenThatIsStillGoodIsUsed(t *testing.T) {
	i := newIssuer(t, http.StatusBadGateway, 0)
	c := codex(t, i, time.Now().Add(time.Minute))
	cred, err := c.Credential(t.Context(), c.Model("openai-codex", "gpt-5.5"))
	if err != nil || cred.APIKey != jwt("acc", "0") || i.asked.Load() == 0 {
		t.Errorf("%v", err)
	}
	fresh := codex(t, i, time.Now().Add(time.Hour))
	n := i.asked.Load()
	if _, err := fresh.Credential(t.Context(), fresh.Model("openai-codex", "gpt-5.5")); err != nil || i.asked.Load() != n {
		t.Errorf("a token that is good for an hour was renewed: %v", err)
	}
}

// TestAnAbortDuringARenewalIsNoError: the answer is aborted, so nothing repeats it.
func TestAnAbortDuringARenewalIsNoError(t *testing.T) {
	i := newIssuer(t, http.StatusOK, time.Minute)
	c := codex(t, i, time.Now().Add(-time.Hour))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for i.asked.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	stream := c.Authorize(func(context.Context, *ai.Request) *ai.Stream {
		t.Error("the model was asked")
		return nil
	})
	for range stream(ctx, &ai.Request{Model: c.Model("openai-codex", "gpt-5.5")}).Events() {
	}
	answer := stream(ctx, &ai.Request{Model: c.Model("openai-codex", "gpt-5.5")})
	for range answer.Events() {
	}
	if got := answer.Result(); got == nil || got.StopReason != ai.StopAborted {
		t.Errorf("%+v", got)
	}
}

func TestLogInAndOut(t *testing.T) {
	c := load(t, map[string]string{config.AuthFile: `{"xai": {"type":"api_key","key":"x","env":{"A":"b"}}}`})
	if err := os.Chmod(filepath.Join(c.Home, config.AuthFile), 0o644); err != nil {
		t.Fatal(err)
	}
	c.RegisterLogin("xai", fakeLogin{&oauth.Credential{Type: oauth.TypeAPIKey, Key: "!minted $key"}, nil})
	if err := c.Login(t.Context(), "xai", &oauth.UI{}, nil); err != nil {
		t.Fatal(err)
	}
	if got := credential(t, c, "xai", "grok-4.6"); got.APIKey != "!minted $key" {
		t.Errorf("from %s", got.Source)
	}
	if !strings.Contains(authFile(t, c), `"env":{"A":"b"}`) {
		t.Error("the variables of the entry are lost")
	}
	if info, err := os.Stat(filepath.Join(c.Home, config.AuthFile)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v, %v", info.Mode(), err)
	}
	before := authFile(t, c)
	c.RegisterLogin("xai", fakeLogin{nil, oauth.ErrDenied})
	if err := c.Login(t.Context(), "xai", &oauth.UI{}, nil); !errors.Is(err, oauth.ErrDenied) || authFile(t, c) != before {
		t.Errorf("denied: %v", err)
	}
	if err := c.Login(t.Context(), "anthropic", &oauth.UI{}, nil); err == nil || !strings.Contains(err.Error(), "API keys") {
		t.Errorf("anthropic: %v", err)
	}
	for _, want := range []bool{true, false} {
		if found, err := c.Logout(t.Context(), "xai"); err != nil || found != want {
			t.Errorf("logout: %v, %v", found, err)
		}
	}
	if text := strings.TrimSpace(authFile(t, c)); text != "{}" {
		t.Errorf("left: %s", text)
	}
}

// fakeLogin is a way to log in that ends at once.
type fakeLogin struct {
	cred *oauth.Credential
	err  error
}

func (f fakeLogin) Login(context.Context, *oauth.UI, *oauth.Options) (*oauth.Credential, error) {
	return f.cred, f.err
}

func (f fakeLogin) Renew(context.Context, *oauth.Credential) (*oauth.Credential, error) {
	return f.cred, f.err
}

func (fakeLogin) Auth(c *oauth.Credential) oauth.Auth { return oauth.Auth{Token: c.Access} }

// TestManyWritersLoseNothing: each adds its own entry, and a file that is not
// right is left alone.
func TestManyWritersLoseNothing(t *testing.T) {
	dir := home(t, map[string]string{config.AuthFile: `{"mine": {"type": "api_key", "key": "k"}}`})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			c, err := config.Load(dir)
			if err == nil {
				err = c.SaveKey(t.Context(), fmt.Sprintf("p%d", i), fmt.Sprintf("key-%d", i))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	c, err := config.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if stored, err := c.Stored(); err != nil || len(stored) != 21 {
		t.Errorf("stored: %v, %v", stored, err)
	}
	const broken = `{"mine": {"type": "api_key", "key": "k"}`
	if err := os.WriteFile(filepath.Join(dir, config.AuthFile), []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.SaveKey(t.Context(), "other", "k"); err == nil || authFile(t, c) != broken {
		t.Errorf("a broken file was overwritten: %v", err)
	}
	if _, err := c.Logout(t.Context(), "mine"); err == nil || authFile(t, c) != broken {
		t.Errorf("a broken file was overwritten: %v", err)
	}
}

func TestRemovingMembersKeepsTheRest(t *testing.T) {
	entry := `{"type":"api_key","key":"k"}`
	for before, after := range map[string]string{
		`{"a":` + entry + `}`:                                         `{}`,
		`{"a":` + entry + `,"b":` + entry + `}`:                       `{"b":` + entry + `}`,
		`{"b":` + entry + `,"a":` + entry + `}`:                       `{"b":` + entry + `}`,
		"{\n  \"b\": " + entry + ",\n  \"a\": " + entry + "\n}":       "{\n  \"b\": " + entry + "\n}",
		`{"b":` + entry + ` , "a":` + entry + ` , "c":` + entry + `}`: `{"b":` + entry + ` , "c":` + entry + `}`,
		"{ // mine\n\"a\":" + entry + ", // yours\n}":                 "{}",
		"{\"b\":" + entry + ", // mine\n\"a\":" + entry + ",}":        "{\"b\":" + entry + ",}",
		"{\"a\":" + entry + ", /* , */ \"b\":" + entry + "}":          "{ /* , */ \"b\":" + entry + "}",
	} {
		c := load(t, map[string]string{config.AuthFile: before})
		if _, err := c.Logout(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		if got := authFile(t, c); got != after {
			t.Errorf("of %s is left %s, not %s", before, got, after)
		}
	}
}

// TestCopilotTokensOfTheEnvironmentAreExchanged: once, in memory, and the request goes where
// the token says, with what Copilot wants to see.
func TestCopilotTokensOfTheEnvironmentAreExchanged(t *testing.T) {
	var exchanges atomic.Int32
	var seen http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/copilot_internal/v2/token":
			exchanges.Add(1)
			if r.Header.Get("Authorization") != "Bearer ghu_env" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			fmt.Fprintf(w, `{"token":"tid=1","expires_at":%d}`, time.Now().Add(time.Hour).Unix())
		case "/chat/completions":
			seen = r.Header
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		}
	}))
	t.Cleanup(s.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	t.Setenv("COPILOT_GITHUB_TOKEN", "ghu_env")
	c := load(t, nil)
	c.RegisterLogin("github-copilot", oauth.Copilot{API: s.URL, Base: s.URL})
	model := c.Model("github-copilot", "gemini-2.5-pro")
	ask := c.Authorize(openai.Completions)
	for range 2 {
		req := &ai.Request{Model: model, Context: ai.Context{Messages: []ai.Message{&ai.UserMessage{Content: ai.Content{&ai.Text{Text: "hi"}, &ai.Image{Data: "aGk=", MIMEType: "image/png"}}}}}}
		answer := ask(t.Context(), req)
		for range answer.Events() {
		}
		if got := answer.Result(); got.StopReason != ai.StopEnd {
			t.Fatalf("%s: %s", got.StopReason, got.ErrorMessage)
		}
	}
	for name, want := range map[string]string{
		"Authorization": "Bearer tid=1", "X-Initiator": "user", "Openai-Intent": "conversation-edits",
		"Copilot-Vision-Request": "true", "Copilot-Integration-Id": "vscode-chat", "Editor-Version": oauth.CopilotHeaders["Editor-Version"],
	} {
		if seen.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, seen.Get(name), want)
		}
	}
	if n := exchanges.Load(); n != 1 {
		t.Errorf("%d exchanges", n)
	}
	t.Setenv("COPILOT_GITHUB_TOKEN", "ghu_other")
	_, err := c.Credential(t.Context(), model)
	if _, ok := errors.AsType[*config.CredentialError](err); !ok || strings.Contains(err.Error(), "ghu_") {
		t.Errorf("a token that does not count: %v", err)
	}
}

func TestTheKeyringHoldsSecretsWhereItIsAsked(t *testing.T) {
	keyring.MockInit()
	i := newIssuer(t, http.StatusOK, 0)
	c := load(t, map[string]string{config.SettingsFile: `{"credentialStore":"keyring"}`})
	c.RegisterLogin("openai-codex", fakeLogin{&oauth.Credential{Type: oauth.TypeOAuth, Access: jwt("acc", "0"), Refresh: "refresh-0", Expires: 1, AccountID: "acc"}, nil})
	if err := c.SaveKey(t.Context(), "groq", "$sk-secret"); err != nil {
		t.Fatal(err)
	}
	if err := c.Login(t.Context(), "openai-codex", &oauth.UI{}, nil); err != nil {
		t.Fatal(err)
	}
	c.RegisterLogin("openai-codex", oauth.Codex{Issuer: i.URL})
	for range 2 {
		if got := credential(t, c, "groq", "openai/gpt-oss-120b"); got.APIKey != "$sk-secret" || got.Source != "the keyring" {
			t.Errorf("groq from %s", got.Source)
		}
		if got := credential(t, c, "openai-codex", "gpt-5.5"); got.APIKey != jwt("acc", "1") {
			t.Errorf("openai-codex from %s", got.Source)
		}
	}
	if i.asked.Load() != 1 {
		t.Errorf("%d renewals", i.asked.Load())
	}
	text := authFile(t, c)
	for _, secret := range []string{"sk-secret", "refresh-", jwt("acc", "0"), jwt("acc", "1")} {
		if strings.Contains(text, secret) {
			t.Errorf("auth.json has a secret: %s", text)
		}
	}
	other := load(t, map[string]string{config.AuthFile: `{"groq":{"type":"api_key","keyring":true}}`}) // another state folder
	if _, err := other.Credential(t.Context(), other.Model("groq", "openai/gpt-oss-120b")); err == nil || !strings.Contains(err.Error(), "rondo auth login groq") {
		t.Errorf("the secret of another folder: %v", err)
	}
	if _, err := c.Logout(t.Context(), "groq"); err != nil {
		t.Fatal(err)
	}
	if _, err := keyring.Get("rondo", c.Home+"#groq"); !errors.Is(err, keyring.ErrNotFound) {
		t.Errorf("the keyring still has it: %v", err)
	}
	keyring.MockInitWithError(errors.New("locked"))
	if _, err := c.Credential(t.Context(), c.Model("openai-codex", "gpt-5.5")); err == nil || !strings.Contains(err.Error(), "unlock the keyring") {
		t.Errorf("locked: %v", err)
	}
	before := authFile(t, c)
	if err := c.SaveKey(t.Context(), "xai", "k"); err == nil || authFile(t, c) != before {
		t.Errorf("locked: %v", err)
	}
}

func TestAccountsOfAddressesAreFilledIn(t *testing.T) {
	t.Setenv("CLOUDFLARE_API_KEY", "k")
	t.Setenv("CLOUDFLARE_ACCOUNT_ID", "")
	c := load(t, nil)
	m, err := c.DefaultModel()
	if err != nil || m.Provider != "cloudflare-workers-ai" {
		t.Fatalf("%v, %v", m, err)
	}
	if _, err := c.Credential(t.Context(), m); err == nil || !strings.Contains(err.Error(), "CLOUDFLARE_ACCOUNT_ID") {
		t.Errorf("without an account: %v", err)
	}
	t.Setenv("CLOUDFLARE_ACCOUNT_ID", "acc-1")
	if got := credential(t, c, m.Provider, m.ID); got.BaseURL != "https://api.cloudflare.com/client/v4/accounts/acc-1/ai/v1" {
		t.Errorf("asked at %s", got.BaseURL)
	}
	c = load(t, map[string]string{config.AuthFile: `{"cloudflare-workers-ai":{"type":"api_key","key":"$CLOUDFLARE_API_KEY","env":{"CLOUDFLARE_API_KEY":"own","CLOUDFLARE_ACCOUNT_ID":"acc-2"}}}`})
	if got := credential(t, c, m.Provider, m.ID); got.APIKey != "own" || !strings.Contains(got.BaseURL, "/acc-2/") {
		t.Errorf("the variables of auth.json do not come first: asked at %s", got.BaseURL)
	}
}

// TestTheGatewaysKeyIsNoKeyOfAProvider: Cloudflare's gateway has a header of its own, and
// passes Authorization on to the provider behind it.
func TestTheGatewaysKeyIsNoKeyOfAProvider(t *testing.T) {
	t.Setenv("CLOUDFLARE_API_KEY", "k")
	t.Setenv("CLOUDFLARE_ACCOUNT_ID", "acc")
	t.Setenv("CLOUDFLARE_GATEWAY_ID", "gate")
	c := load(t, models(`{"providers":{"cloudflare-ai-gateway":{"headers":{"Authorization":"Bearer upstream"}}}}`))
	got := credential(t, c, "cloudflare-ai-gateway", "workers-ai/@cf/moonshotai/kimi-k2.6")
	if got.APIKey != "" || got.Headers["Cf-Aig-Authorization"] != "Bearer k" || got.Headers["Authorization"] != "Bearer upstream" || !strings.HasSuffix(got.BaseURL, "/v1/acc/gate/compat") {
		t.Errorf("asked at %s", got.BaseURL)
	}
}

// TestALoginsAddressDoesNotReplaceTheUsers: who has pointed a provider elsewhere
// keeps it there.
func TestALoginsAddressDoesNotReplaceTheUsers(t *testing.T) {
	c := load(t, map[string]string{
		config.ModelsFile: `{"providers":{"github-copilot":{"baseUrl":"https://proxy.example"}}}`,
		config.AuthFile:   `{"github-copilot":{"type":"oauth","access":"tid=1;proxy-ep=proxy.business.githubcopilot.com","refresh":"r","expires":99999999999999}}`,
	})
	m := c.Model("github-copilot", "gpt-5.4")
	if cred, err := c.Credential(t.Context(), m); err != nil || cred.BaseURL != "" || m.BaseURL != "https://proxy.example" {
		t.Errorf("asked at %q: %v", cred.BaseURL, err)
	}
	c = load(t, map[string]string{config.AuthFile: `{"github-copilot":{"type":"oauth","access":"tid=1;proxy-ep=proxy.business.githubcopilot.com","refresh":"r","expires":99999999999999}}`})
	if cred, err := c.Credential(t.Context(), c.Model("github-copilot", "gpt-5.4")); err != nil || cred.BaseURL != "https://api.business.githubcopilot.com" {
		t.Errorf("asked at %q: %v", cred.BaseURL, err)
	}
}

func FuzzAuth(f *testing.F) {
	f.Add(`{"a":{"type":"api_key","key":"k"},"b":{"type":"oauth"}}`, "a")
	f.Add(`{ "a" : null , "b":{"type":"api_key"} }`, "b")
	f.Add("null", "x")
	f.Fuzz(func(t *testing.T, text, provider string) {
		c, err := config.Load(home(t, map[string]string{config.AuthFile: text}))
		if err != nil {
			return
		}
		before, err := c.Stored()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.SaveKey(t.Context(), provider, "k"); err != nil {
			return // not every text is a name
		}
		if _, err := c.Logout(t.Context(), provider); err != nil {
			t.Fatalf("of %q: %v", text, err)
		}
		after, err := c.Stored()
		if err != nil {
			t.Fatalf("of %q is left %q: %v", text, authFile(t, c), err)
		}
		for _, id := range before {
			if id != provider && !strings.Contains(strings.Join(after, "\x00"), id) {
				t.Fatalf("%q is lost", id)
			}
		}
	})
}
