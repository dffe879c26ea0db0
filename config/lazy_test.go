package config_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/config"
)

// TestTheCatalogueWaitsUntilItIsNeeded: a program that works with models of models.json does
// not decode the models of everybody else.
func TestTheCatalogueWaitsUntilItIsNeeded(t *testing.T) {
	files := map[string]string{
		config.ModelsFile:   `{"providers":{"lab":{"baseUrl":"http://127.0.0.1:1","api":"openai-completions","apiKey":"k","models":[{"id":"m"},{"id":"n"}]},"openai":{"apiKey":"k","models":[{"id":"mine"}]}}}`,
		config.SettingsFile: `{"defaultProvider":"lab","defaultModel":"n"}`,
	}
	c := load(t, files)
	for _, ask := range []struct{ provider, pattern, want string }{
		{"", "", "lab/n"}, {"lab", "", "lab/n"}, {"lab", "m:high", "lab/m"}, {"", "lab/m", "lab/m"}, {"", "n", "lab/n"}, {"", "openai/mine", "openai/mine"},
	} {
		m, _, err := c.Find(ask.provider, ask.pattern)
		if err != nil || m.Provider+"/"+m.ID != ask.want {
			t.Errorf("%q %q: %v, %v", ask.provider, ask.pattern, m, err)
		}
		if err := c.Ready(m); err != nil {
			t.Error(err)
		}
	}
	if c.Model("openai", "mine") == nil || c.Model("lab", "none") != nil || c.Model("none", "none") != nil {
		t.Error("Model")
	}
	if c.CatalogueUsed() {
		t.Fatal("the catalogue was decoded")
	}
	delete(files, config.SettingsFile)
	c = load(t, map[string]string{config.ModelsFile: `{"providers":{"lab":{"baseUrl":"http://127.0.0.1:1","api":"openai-completions","apiKey":"k","models":[{"id":"m"}]}}}`})
	if m, err := c.DefaultModel(); err != nil || m.ID != "m" || len(c.Available()) != 1 {
		t.Errorf("%v, %v", m, err)
	}
	if c.CatalogueUsed() {
		t.Error("the catalogue was decoded though nobody has a key")
	}
	if c.Model("openai", "gpt-5.5") == nil || !c.CatalogueUsed() {
		t.Error("the catalogue is not there when it is needed")
	}
}

func TestSearch(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "k")
	c := load(t, models(lab))
	for text, want := range map[string][]string{
		"":              names(c.Available()),
		"LAB model":     {"lab/m"},
		"lab":           {"lab/m", "lab/plain", "lab/own"},
		"gpt-5.4 nano":  {"openai/gpt-5.4-nano"},
		"opnaigpt54mni": {"openai/gpt-5.4-mini"},
		"qqqqq":         nil,
	} {
		if diff := cmp.Diff(want, names(config.Search(c.Available(), text))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// TestGooglesCredentialsNeedAProject: gcloud leaves them on many machines.
func TestGooglesCredentialsNeedAProject(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("APPDATA", dir)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "")
	t.Setenv("GOOGLE_CLOUD_PROJECT", "")
	t.Setenv("GCLOUD_PROJECT", "")
	gcloud := filepath.Join(dir, ".config", "gcloud")
	if runtime.GOOS == "windows" {
		gcloud = filepath.Join(dir, "gcloud")
	}
	file := filepath.Join(gcloud, "application_default_credentials.json")
	if err := os.MkdirAll(gcloud, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := load(t, nil)
	m := c.Model("google-vertex", "gemini-3.1-pro-preview")
	if c.Ready(m) == nil {
		t.Error("credentials without a project are enough")
	}
	t.Setenv("GOOGLE_CLOUD_PROJECT", "p")
	if got := credential(t, c, m.Provider, m.ID); got.Source != file || got.APIKey != "" {
		t.Errorf("from %s", got.Source)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "/x.json")
	if got := credential(t, c, m.Provider, m.ID); got.Source != "GOOGLE_APPLICATION_CREDENTIALS" {
		t.Errorf("from %s", got.Source)
	}
	t.Setenv("GOOGLE_CLOUD_API_KEY", "k")
	if got := credential(t, c, m.Provider, m.ID); got.APIKey != "k" {
		t.Errorf("from %s", got.Source)
	}
}

// TestKeysAreNotTakenForAmbientCredentials: AWS's variables are set on many machines for other
// reasons; a key of a provider of models counts before them.
func TestKeysAreNotTakenForAmbientCredentials(t *testing.T) {
	t.Setenv("AWS_PROFILE", "work")
	c := load(t, nil)
	m, err := c.DefaultModel()
	if err != nil || m.Provider != "amazon-bedrock" {
		t.Fatalf("%v, %v", m, err)
	}
	cred, err := c.Credential(t.Context(), m)
	if err != nil || cred.APIKey != "" || len(cred.Headers) != 0 || cred.Source != "AWS_PROFILE" {
		t.Errorf("%+v, %v", cred, err)
	}
	t.Setenv("OPENAI_API_KEY", "k")
	if m, err := c.DefaultModel(); err != nil || m.Provider != "openai" {
		t.Errorf("%v, %v", m, err)
	}
	if !slices.ContainsFunc(names(c.Available()), func(name string) bool { return name == "amazon-bedrock/us.anthropic.claude-opus-4-6-v1" }) {
		t.Error("Bedrock is not available")
	}
}
