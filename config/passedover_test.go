package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/config"
)

// One wrong value leaves the rest of its file as it is.
func TestAWrongSettingLeavesTheOthers(t *testing.T) {
	for _, wrong := range []string{
		`"quietStartup": "header"`, `"httpIdleTimeoutMs": "disabled"`, `"tuiMode": "split"`, `"defaultTools": ["read", 5, null, ["x"]]`, `"terminal": {"images": "sixel"}`,
		`"compaction": []`, `"retry": {"maxRetries": -1}`, `"thinkingBudgets": {"low": "much"}`, `"modelFallbacks": {"*": ["a/b", 7]}`, `"themes": {"day": true}`, `"images": 5`,
	} {
		c := load(t, map[string]string{config.SettingsFile: "{" + wrong + `, "theme": "day", "retry.x": 1}`})
		if c.Settings.Theme != "day" || len(c.Warnings()) == 0 {
			t.Errorf("%s: the theme is %q, warnings are %v", wrong, c.Settings.Theme, c.Warnings())
		}
		want := config.DefaultSettings()
		got := *c.Settings
		got.Theme = ""
		if strings.Contains(wrong, "defaultTools") {
			want.DefaultTools = []string{"read"}
		}
		if strings.Contains(wrong, "modelFallbacks") {
			want.ModelFallbacks = map[string][]string{"*": {"a/b"}}
		}
		if strings.Contains(wrong, "thinkingBudgets") {
			got.ThinkingBudgets = nil
		}
		if diff := cmp.Diff(want, &got); diff != "" {
			t.Errorf("%s: other settings (-want +got):\n%s", wrong, diff)
		}
	}
}

// What is wrong with one model leaves the others; with what says how it is reached, the model is
// left out, so that no key is sent elsewhere than the user has meant.
func TestAWrongModelLeavesTheOthers(t *testing.T) {
	for _, test := range []struct{ model, want string }{
		{`{"id":"m","api":"image-classifier"}`, ""},
		{`{"id":"m","baseUrl":"localhost"}`, ""},
		{`{"id":"m","baseUrl":5}`, ""},
		{`{"id":"m","headers":{"x":"!"}}`, ""},
		{`{"id":7}`, ""},
		{`"m"`, ""},
		{`{"id":"m","contextWindow":"128k"}`, "m"},
		{`{"id":"m","maxTokens":-5}`, "m"},
		{`{"id":"m","input":["text","video"]}`, "m"},
		{`{"id":"m","cost":{"input":"cheap"}}`, "m"},
		{`{"id":"m","thinkingLevelMap":{"hi":"x"}}`, "m"},
		{`{"id":"m","compat":true}`, "m"},
		{`{"id":"m","reasoning":"yes"}`, "m"},
	} {
		c := load(t, map[string]string{config.ModelsFile: `{"providers":{
			"lab":{"baseUrl":"http://127.0.0.1:1/v1","api":"openai-completions","apiKey":"k","models":[{"id":"first"},` + test.model + `,{"id":"last"}]}}}`})
		got := ""
		for _, m := range c.ModelsOf("lab") {
			if m.ID != "first" && m.ID != "last" {
				got += m.ID
			}
		}
		if c.Model("lab", "first") == nil || c.Model("lab", "last") == nil || got != test.want || len(c.Warnings()) != 1 {
			t.Errorf("%s: models %v, warnings %v", test.model, names(c.ModelsOf("lab")), c.Warnings())
		}
	}
}

// A provider whose address is wrong is left out, and not asked at its usual one.
func TestAProviderThatCannotBeReachedIsLeftOut(t *testing.T) {
	for _, wrong := range []string{`"baseUrl":"proxy.example"`, `"baseUrl":["x"]`, `"api":"new-wire"`, `"headers":{"x":"${"}`, `"apiKey":"!"`} {
		c := load(t, map[string]string{config.ModelsFile: `{"providers":{"openai":{` + wrong + `,"models":[{"id":"own"}]},"lab":{"baseUrl":"http://h/v1","api":"openai-completions","models":[{"id":"m"}]}}}`})
		if len(c.ModelsOf("openai")) != 0 || c.Model("lab", "m") == nil || len(c.Warnings()) != 1 {
			t.Errorf("%s: models %v, warnings %v", wrong, names(c.ModelsOf("openai")), c.Warnings())
		}
	}
	c := load(t, map[string]string{config.ModelsFile: `{"providers":{"openai":{"modelOverrides":{"gpt-5.5":{"baseUrl":"x"},"gpt-5.4-mini":{"name":"Mini"}}}}}`})
	if c.Model("openai", "gpt-5.5") != nil || c.Model("openai", "gpt-5.4-mini").Name != "Mini" || len(c.Warnings()) != 1 {
		t.Errorf("warnings %v", c.Warnings())
	}
}

// An entry of auth.json that cannot be used owns its provider nevertheless, and leaves the others.
func TestAWrongCredentialLeavesTheOthers(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "of-the-environment")
	for _, wrong := range []string{`{"type":"passkey"}`, `{"type":"api_key","key":5}`, `"sk-1"`, `{"key":"k"}`} {
		c := load(t, map[string]string{config.AuthFile: `{"openai":` + wrong + `,"anthropic":{"type":"api_key","key":"k"}}`})
		if err := c.Ready(c.Model("anthropic", "claude-opus-4-8")); err != nil {
			t.Errorf("%s: %v", wrong, err)
		}
		err := c.Ready(c.Model("openai", "gpt-5.5"))
		if _, ok := errors.AsType[*config.FileError](err); !ok || len(c.Warnings()) != 1 {
			t.Errorf("%s: %v, warnings %v", wrong, err, c.Warnings())
		}
		if err := c.SaveKey(t.Context(), "openai", "fresh"); err != nil {
			t.Fatal(err)
		}
		if err := c.Ready(c.Model("openai", "gpt-5.5")); err != nil {
			t.Errorf("%s: after a login: %v", wrong, err)
		}
	}
}

// FuzzSave changes settings in files as people write them: what is written can be read again, and
// the value is there.
func FuzzSave(f *testing.F) {
	for _, text := range []string{"", "{}", "{ /* a */ }", "{\"theme\": \"x\", // c\n}", "{\"compaction\": {,}}", "{\"compaction\": {\"enabled\": true,},}", "\xef\xbb\xbf{}", "null", "{\"a\":1,\"a\":2}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		dir := home(t, map[string]string{config.SettingsFile: text})
		c, err := config.Load(dir)
		if err != nil {
			return
		}
		for _, key := range []string{"theme", "terminal.images"} {
			if err := c.Save(key, "none"); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		}
		again, err := config.Load(dir)
		if err != nil {
			data, _ := os.ReadFile(filepath.Join(dir, config.SettingsFile))
			t.Fatalf("%q has become %q: %v", text, data, err)
		}
		if again.Settings.Theme != "none" || again.Settings.Terminal.Images != "none" {
			t.Fatalf("%q: the settings were not saved", text)
		}
	})
}
