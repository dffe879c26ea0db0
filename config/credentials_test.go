package config_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/config"
)

func credential(t *testing.T, c *config.Config, provider, id string) *config.Credential {
	t.Helper()
	cred, err := c.Credential(t.Context(), c.Model(provider, id))
	if err != nil {
		t.Fatal(err)
	}
	return cred
}

func TestOrder(t *testing.T) {
	files := map[string]string{
		config.ModelsFile: `{"providers":{"openai":{"apiKey":"from-models"}}}`,
		config.AuthFile:   `{"openai":{"type":"api_key","key":"from-auth"}}`,
	}
	t.Setenv("OPENAI_API_KEY", "from-env")
	c := load(t, files)
	c.SetAPIKey("openai", "$flag!")
	if got := credential(t, c, "openai", "gpt-5.5"); got.APIKey != "$flag!" || got.Source != "--api-key" {
		t.Errorf("from %s", got.Source)
	}
	c = load(t, files)
	if got := credential(t, c, "openai", "gpt-5.5"); got.APIKey != "from-auth" || filepath.Base(got.Source) != config.AuthFile {
		t.Errorf("from %s", got.Source)
	}
	delete(files, config.AuthFile)
	c = load(t, files)
	if got := credential(t, c, "openai", "gpt-5.5"); got.APIKey != "from-env" || got.Source != "OPENAI_API_KEY" {
		t.Errorf("from %s", got.Source)
	}
	t.Setenv("OPENAI_API_KEY", "")
	if got := credential(t, c, "openai", "gpt-5.5"); got.APIKey != "from-models" || filepath.Base(got.Source) != config.ModelsFile {
		t.Errorf("from %s", got.Source)
	}
}

func TestStoredCredentialOwnsItsProvider(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "from-env")
	for _, entry := range []string{
		`{"type":"api_key"}`,
		`{"type":"api_key","key":"$NOT_SET"}`,
		`{"type":"oauth","access":"hidden","expires":1000}`,
		`{"type":"oauth"}`,
	} {
		c := load(t, map[string]string{config.AuthFile: `{"openai":` + entry + `}`})
		m := c.Model("openai", "gpt-5.5")
		_, err := c.Credential(t.Context(), m)
		if _, ok := errors.AsType[*config.CredentialError](err); !ok || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: error is %v", entry, err)
		}
		if ready := c.Ready(m); ready == nil || ready.Error() != err.Error() {
			t.Errorf("%s: Ready says %v, Credential %v", entry, ready, err)
		}
		if len(c.Available()) != 0 {
			t.Errorf("%s: the provider is available", entry)
		}
	}
}

func TestStoredCredentials(t *testing.T) {
	t.Setenv("MY_KEY", "from-variable")
	future := time.Now().Add(time.Hour).UnixMilli()
	c := load(t, map[string]string{config.AuthFile: fmt.Sprintf(`{
		"openai":{"type":"api_key","key":"${MY_KEY}"},
		"groq":{"type":"api_key","env":{"GROQ_API_KEY":"from-entry"}},
		"anthropic":{"type":"oauth","access":"tok","refresh":"r","expires":%d,"scopes":["x"]},
		"unknown":{"type":"api_key","key":"k"}}`, future)})
	if got := credential(t, c, "openai", "gpt-5.5"); got.APIKey != "from-variable" {
		t.Errorf("openai from %s", got.Source)
	}
	if got := credential(t, c, "groq", "openai/gpt-oss-120b"); got.APIKey != "from-entry" {
		t.Errorf("groq from %s", got.Source)
	}
	got := credential(t, c, "anthropic", "claude-opus-4-8")
	if got.APIKey != "" || got.Headers["Authorization"] != "Bearer tok" {
		t.Errorf("anthropic from %s, headers %v", got.Source, got.Headers)
	}
}

func TestRenewedCredentialsAreSeen(t *testing.T) {
	c := load(t, map[string]string{config.AuthFile: `{"openai":{"type":"api_key","key":"old"}}`})
	if got := credential(t, c, "openai", "gpt-5.5"); got.APIKey != "old" {
		t.Fatal("not the old key")
	}
	if err := os.WriteFile(filepath.Join(c.Home, config.AuthFile), []byte(`{"openai":{"type":"api_key","key":"renewed"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := credential(t, c, "openai", "gpt-5.5"); got.APIKey != "renewed" {
		t.Error("still the old key")
	}
	if err := os.WriteFile(filepath.Join(c.Home, config.AuthFile), []byte(`{"openai":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Credential(t.Context(), c.Model("openai", "gpt-5.5")); err == nil {
		t.Error("a broken file was taken for an empty one")
	}
}

func TestAnthropicVariables(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "key")
	c := load(t, nil)
	if got := credential(t, c, "anthropic", "claude-opus-4-8"); got.APIKey != "key" || len(got.Headers) != 0 {
		t.Errorf("from %s", got.Source)
	}
	for _, name := range []string{"ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_AUTH_TOKEN"} {
		t.Setenv(name, name)
		got := credential(t, c, "anthropic", "claude-opus-4-8")
		if got.APIKey != "" || got.Headers["Authorization"] != "Bearer "+name {
			t.Errorf("%s is not before the others: %s", name, got.Source)
		}
	}
}

func TestValues(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("uses sh")
	}
	t.Setenv("LAB_TWO", "two")
	t.Setenv("A_1", "x")
	for value, want := range map[string]string{
		"one":                   "one",
		"pre-${LAB_TWO}-post":   "pre-two-post",
		"$LAB_TWO$A_1/$LAB_TWO": "twox/two",
		"$$three":               "$three",
		"$!four":                "!four",
		"not!a command":         "not!a command",
		"5$ or $5 or $":         "5$ or $5 or $",
		"$$$LAB_TWO":            "$two",
		"!printf ' four\\n'":    "four",
		"!echo $LAB_TWO":        "two",
	} {
		c := load(t, models(fmt.Sprintf(`{"providers":{"lab":{"baseUrl":"http://h","api":"openai-completions","apiKey":%q,"models":[{"id":"m"}]}}}`, value)))
		if got := credential(t, c, "lab", "m"); got.APIKey != want {
			t.Errorf("%q is %q, want %q", value, got.APIKey, want)
		}
	}
}

func TestValuesThatCannotBeHad(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("uses sh")
	}
	for value, want := range map[string]string{
		"$NOT_SET":                     `provider "lab" has a key in models.json that needs the environment variable NOT_SET, which is not set; set it`,
		"!echo hidden; exit 3":         `provider "lab" has a key in models.json that is a command that failed: exit status 3; try it in a terminal`,
		"!true hidden":                 `provider "lab" has a key in models.json that is a command that printed nothing; try it in a terminal`,
		"!echo hidden >&2; kill -9 $$": `provider "lab" has a key in models.json that is a command that failed: signal: killed; try it in a terminal`,
	} {
		c := load(t, models(fmt.Sprintf(`{"providers":{"lab":{"baseUrl":"http://h","api":"openai-completions","apiKey":%q,"models":[{"id":"m"}]}}}`, value)))
		_, err := c.Credential(t.Context(), c.Model("lab", "m"))
		if err == nil {
			t.Errorf("%q was looked up", value)
			continue
		}
		if got := strings.ReplaceAll(err.Error(), c.Home+string(filepath.Separator), ""); got != want {
			t.Errorf("%q: error is\n%s, want\n%s", value, got, want)
		}
	}
}

func TestCommandsRunLateAndOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("uses sh")
	}
	log := filepath.Join(t.TempDir(), "log")
	c := load(t, models(fmt.Sprintf(`{"providers":{"lab":{"baseUrl":"http://h","api":"openai-completions","apiKey":"!echo x >> %s; echo key","models":[{"id":"m"}]}}}`, log)))
	m := c.Model("lab", "m")
	if len(c.Available()) != 1 || c.Ready(m) != nil {
		t.Error("a command does not count as a credential")
	}
	if _, err := os.Stat(log); err == nil {
		t.Fatal("the command ran before it was needed")
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if cred, err := c.Credential(t.Context(), m); err != nil || cred.APIKey != "key" {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if data, err := os.ReadFile(log); err != nil || string(data) != "x\n" {
		t.Errorf("the command ran %q times: %v", data, err)
	}
}

func TestCancelledWhileTheKeyIsFetched(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("uses sh")
	}
	c := load(t, models(`{"providers":{"lab":{"baseUrl":"http://h","api":"openai-completions","apiKey":"!sleep 60; echo key","models":[{"id":"m"}]}}}`))
	aborted := errors.New("aborted by a test")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(aborted) })
	asked := false
	stream := c.Authorize(func(context.Context, *ai.Request) *ai.Stream { asked = true; return nil })
	m, err := ai.Complete(ctx, stream, &ai.Request{Model: c.Model("lab", "m")})
	if err != nil || m.StopReason != ai.StopAborted || asked {
		t.Errorf("%+v, %v, asked %v", m, err, asked)
	}
}

func TestHeaders(t *testing.T) {
	c := load(t, models(strings.Replace(lab, `"apiKey":"lab-key"`, `"apiKey":"lab-key","authHeader":true`, 1)))
	got := credential(t, c, "lab", "own")
	want := map[string]string{"x-p": "provider", "X-Both": "model", "Authorization": "Bearer lab-key"}
	if diff := cmp.Diff(want, got.Headers); diff != "" || got.APIKey != "lab-key" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	for _, m := range c.Models() {
		if m.Headers != nil {
			t.Errorf("the record of %s has headers", m.ID)
		}
	}
}

// What is stored with a key, or in place of one, reaches the wire and nobody else.
func TestStoredVariables(t *testing.T) {
	c := load(t, map[string]string{config.AuthFile: `{
		"azure-openai-responses":{"type":"api_key","key":"k","env":{"AZURE_OPENAI_RESOURCE_NAME":"mine"}},
		"amazon-bedrock":{"type":"api_key","env":{"AWS_PROFILE":"work"}}}`})
	for provider, want := range map[string]map[string]string{
		"azure-openai-responses": {"AZURE_OPENAI_RESOURCE_NAME": "mine", "AZURE_OPENAI_API_VERSION": "of the request"},
		"amazon-bedrock":         {"AWS_PROFILE": "work", "AZURE_OPENAI_API_VERSION": "of the request"},
	} {
		var seen *ai.Request
		next := func(ctx context.Context, req *ai.Request) *ai.Stream {
			seen = req
			return ai.NewStream(ctx, req.Model, func(_ context.Context, w *ai.Writer) error {
				w.Done(ai.StopEnd)
				return nil
			})
		}
		req := &ai.Request{Model: &ai.Model{Provider: provider, ID: "m"}, Options: ai.Options{Env: map[string]string{"AZURE_OPENAI_API_VERSION": "of the request"}}}
		if m, err := ai.Complete(t.Context(), c.Authorize(next), req); err != nil || m.Failed() {
			t.Fatalf("%s: %v, %s", provider, err, m.ErrorMessage)
		}
		if diff := cmp.Diff(want, seen.Options.Env); diff != "" {
			t.Errorf("%s (-want +got):\n%s", provider, diff)
		}
		if len(req.Options.Env) != 1 || os.Getenv("AWS_PROFILE") == "work" {
			t.Errorf("%s: the request or the process was changed", provider)
		}
	}
}

func TestAuthorize(t *testing.T) {
	c := load(t, models(lab))
	var seen *ai.Request
	next := func(ctx context.Context, req *ai.Request) *ai.Stream {
		seen = req
		return ai.NewStream(ctx, req.Model, func(_ context.Context, w *ai.Writer) error {
			w.Append(w.StartText(), "hi")
			w.Done(ai.StopEnd)
			return nil
		})
	}
	req := &ai.Request{Model: c.Model("lab", "m"), Options: ai.Options{Headers: map[string]string{"X-P": "", "x-o": "option"}}}
	stream := c.Authorize(next)(t.Context(), req)
	events := 0
	for _, err := range stream.Events() {
		if err != nil {
			t.Fatal(err)
		}
		events++
	}
	if events < 3 || stream.Result().Content.Text() != "hi" {
		t.Errorf("%d events, %+v", events, stream.Result())
	}
	if diff := cmp.Diff(map[string]string{"X-P": "", "x-both": "provider", "x-o": "option"}, seen.Options.Headers); diff != "" || seen.Options.APIKey != "lab-key" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	if req.Options.APIKey != "" || len(req.Options.Headers) != 2 {
		t.Error("the caller's request was changed")
	}

	noKey := &ai.Request{Model: c.Model("openai", "gpt-5.5")}
	m, err := ai.Complete(t.Context(), c.Authorize(next), noKey)
	if err != nil || m.StopReason != ai.StopError || !strings.Contains(m.ErrorMessage, "OPENAI_API_KEY") {
		t.Errorf("without a key: %+v, %v", m, err)
	}
	if _, ok := errors.AsType[*config.CredentialError](m.Err); !ok {
		t.Errorf("the error behind it is %v", m.Err)
	}
	noKey.Options.APIKey = "own"
	if m, err := ai.Complete(t.Context(), c.Authorize(next), noKey); err != nil || m.Failed() || seen.Options.APIKey != "own" {
		t.Errorf("with a key of the request: %+v, %v", m, err)
	}
}
