package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/config"
)

// TestMain removes the keys of whoever runs the tests.
func TestMain(m *testing.M) {
	if home := os.Getenv(renewHome); home != "" {
		renewInChild(home)
		return
	}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasSuffix(name, "_API_KEY") || strings.HasSuffix(name, "_TOKEN") || strings.HasPrefix(name, "RONDO_") {
			os.Unsetenv(name)
		}
	}
	goleak.VerifyTestMain(m)
}

// home makes a state folder with these files.
func home(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(t testing.TB, files map[string]string) *config.Config {
	t.Helper()
	c, err := config.Load(home(t, files))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func models(content string) map[string]string { return map[string]string{config.ModelsFile: content} }

func TestHome(t *testing.T) {
	t.Setenv("HOME", "/u")
	t.Setenv("USERPROFILE", "/u")
	for env, want := range map[string]string{"": "/u/.rondo", "/x/y": "/x/y", "~/z": "/u/z", "~": "/u"} {
		t.Setenv(config.EnvHome, env)
		if got, err := config.Home(); err != nil || filepath.ToSlash(got) != want {
			t.Errorf("with %q: %s, %v, want %s", env, got, err, want)
		}
	}
}

func TestNothingIsThere(t *testing.T) {
	c, err := config.Load(filepath.Join(t.TempDir(), "none"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(config.DefaultSettings(), c.Settings); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(c.Home); err == nil {
		t.Error("loading made the folder")
	}
	if _, err := c.DefaultModel(); !errors.Is(err, config.ErrNoModels) || !strings.Contains(err.Error(), config.ModelsFile) {
		t.Errorf("the default model: %v", err)
	}
	if len(c.Available()) != 0 || len(c.Models()) == 0 {
		t.Errorf("%d models of %d are available", len(c.Available()), len(c.Models()))
	}
}

func TestSessionDir(t *testing.T) {
	c := load(t, nil)
	if dir, shared, err := c.SessionDir(""); err != nil || shared || dir != filepath.Join(c.Home, "sessions") {
		t.Errorf("%s, %v, %v", dir, shared, err)
	}
	c = load(t, map[string]string{config.SettingsFile: `{"sessionDir":"/from/settings"}`})
	for _, test := range []struct{ flag, env, want string }{
		{"", "", "/from/settings"}, {"", "/from/env", "/from/env"}, {"/from/flag", "/from/env", "/from/flag"},
	} {
		t.Setenv(config.EnvSessionDir, test.env)
		dir, shared, err := c.SessionDir(test.flag)
		if err != nil || !shared || filepath.ToSlash(dir) != test.want {
			t.Errorf("flag %q, env %q: %s, %v, %v", test.flag, test.env, dir, shared, err)
		}
	}
}

func TestSettings(t *testing.T) {
	c := load(t, map[string]string{config.SettingsFile: `{
		"steeringMode": "all", "defaultProvider": "lab", "shellPath": "/bin/zsh",
		"compaction": {"enabled": false, "keepRecentTokens": 5, "reserveTokens": null},
		"retry": {"provider": {"maxRetries": 2}},
		"images": null, "toolChanges": "off", "httpIdleTimeoutMs": 0,
		"thinkingBudgets": {"low": 5}, "modelThinkingLevels": {"a/b": "low"},
		"theme": "dark", "packages": [{"x": 1}], "unknown": {"deep": [1, 2]}
	}`})
	want := config.DefaultSettings()
	want.SteeringMode, want.DefaultProvider, want.ShellPath = agent.All, "lab", "/bin/zsh"
	want.Compaction.Enabled, want.Compaction.KeepRecentTokens = false, 5
	want.Retry.Provider.MaxRetries = 2
	want.ToolChanges, want.HTTPIdleTimeoutMs, want.Theme = config.ToolChangesOff, 0, "dark"
	want.ThinkingBudgets = map[level]int{"low": 5}
	want.ModelThinkingLevels = map[string]level{"a/b": "low"}
	if diff := cmp.Diff(want, c.Settings); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestWrongValuesAreToldWithThePlace(t *testing.T) {
	const (
		settings = config.SettingsFile
		models   = config.ModelsFile
		auth     = config.AuthFile
	)
	for _, test := range []struct {
		name, file, content, want string
	}{
		{"queue mode", settings, "{\n  \"steeringMode\": \"some\"\n}", `:2:19: steeringMode is "some"; write "one-at-a-time" or "all"`},
		{"follow-up mode", settings, `{"followUpMode":""}`, `:1:17: followUpMode is ""; write "one-at-a-time" or "all"`},
		{"level", settings, `{"defaultThinkingLevel":"hihg"}`, `:1:25: defaultThinkingLevel is "hihg"; write "off", "minimal", "low", "medium", "high", "xhigh" or "max"`},
		{"level of a model", settings, `{"modelThinkingLevels":{"a/b":"x"}}`, `:1:31: modelThinkingLevels.a/b is "x"; write "off", "minimal", "low", "medium", "high", "xhigh" or "max"`},
		{"bool", settings, "{\"compaction\": {\n\t\"enabled\": \"yes\"}}", `:2:13: compaction.enabled must not be a text; write true or false`},
		{"number", settings, `{"retry":{"maxRetries":"3"}}`, `:1:24: retry.maxRetries must not be a text; write a whole number, such as 1000`},
		{"fraction", settings, `{"retry":{"maxRetries":1.5}}`, `:1:24: retry.maxRetries must not be this number; write a whole number, such as 1000`},
		{"negative", settings, `{"retry":{"provider":{"timeoutMs":-1}}}`, `:1:35: retry.provider.timeoutMs is negative; write 0 or more`},
		{"object", settings, `{"compaction":true}`, `:1:15: compaction must not be true; write an object: { … }`},
		{"list", settings, `{"defaultTools":"read"}`, `:1:17: defaultTools must not be a text; write a list: [ … ]`},
		{"text", settings, `{"defaultTools":["read",5]}`, `:1:25: defaultTools[1] must not be this number; write a text in double quotes`},
		{"twice", settings, `{"a":1,"a":2}`, `:1:6: a is there twice, and the last one counts; keep one of the two`},

		{"api", models, `{"providers":{"x":{"api":"openai","baseUrl":"http://h/v1"}}}`, `:1:26: providers.x.api is "openai"; write "anthropic-messages", "openai-completions",`},
		{"no api", models, `{"providers":{"x":{"baseUrl":"http://h/v1","models":[{"id":"m"}]}}}`, `:1:19: providers.x has no api; add "api": "anthropic-messages", "openai-completions", "openai-responses" or "google-generative-ai"`},
		{"no address", models, "{\"providers\": {\n \"x\": {\"api\":\"openai-completions\",\"models\":[{\"id\":\"m\"}]}}}", `:2:7: providers.x has no baseUrl; add "baseUrl" with the address of the server, such as "http://127.0.0.1:8080/v1"`},
		{"address", models, `{"providers":{"x":{"baseUrl":"localhost:8080"}}}`, `:1:30: providers.x.baseUrl is not an address; write it in full, such as "https://example.com/v1"`},
		{"no id", models, `{"providers":{"openai":{"models":[{"name":"m"}]}}}`, `:1:35: providers.openai.models[0] has no id; add "id"`},
		{"id twice", models, `{"providers":{"openai":{"models":[{"id":"m"},{"id":"m"}]}}}`, `:1:52: providers.openai.models[1].id is the id of an earlier model as well; remove one of the two`},
		{"window", models, `{"providers":{"openai":{"models":[{"id":"m","contextWindow":"128k"}]}}}`, `:1:61: providers.openai.models[0].contextWindow must not be a text; write a whole number, such as 1000`},
		{"empty window", models, `{"providers":{"openai":{"models":[{"id":"m","contextWindow":0}]}}}`, `:1:61: providers.openai.models[0].contextWindow must be more than 0; write the number of tokens, or leave it out`},
		{"input", models, `{"providers":{"openai":{"models":[{"id":"m","input":["text","video"]}]}}}`, `:1:61: providers.openai.models[0].input[1] is "video"; write "text" or "image"`},
		{"cost", models, `{"providers":{"openai":{"models":[{"id":"m","cost":{"input":"1"}}]}}}`, `:1:61: providers.openai.models[0].cost.input must not be a text; write a number, such as 0.5`},
		{"level map", models, `{"providers":{"openai":{"models":[{"id":"m","thinkingLevelMap":{"hi":"x"}}]}}}`, `:1:70: providers.openai.models[0].thinkingLevelMap.hi is not a thinking level; write "off",`},
		{"override", models, `{"providers":{"openai":{"modelOverrides":{"gpt-5.5":{"maxTokens":-1}}}}}`, `:1:66: providers.openai.modelOverrides.gpt-5.5.maxTokens must be more than 0`},
		{"compat", models, `{"providers":{"x":{"compat":"none"}}}`, `:1:29: providers.x.compat must not be a text; write an object: { … }`},
		{"providers", models, `{"providers":[]}`, `:1:14: providers must not be a list`},
		{"models", models, `{"providers":{"x":{"models":{"id":"m"}}}}`, `:1:29: providers.x.models must not be an object; write a list: [ … ]`},
		{"variable", models, `{"providers":{"x":{"apiKey":"${KEY"}}}`, `:1:29: providers.x.apiKey has a ${ that does not begin ${NAME}; name a variable, or write $$ for the character $`},
		{"command", models, `{"providers":{"x":{"headers":{"a":"!"}}}}`, `:1:35: providers.x.headers.a has no command after the !; write the command, or $! for a text that begins with !`},

		{"credential", auth, `{"openai":{"type":"token","key":"hidden"}}`, `:1:19: openai.type is missing or unknown; write "api_key" or "oauth"`},
		{"key", auth, `{"openai":{"type":"api_key","key":12345}}`, `:1:35: openai.key must not be this number; write a text in double quotes`},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := home(t, map[string]string{test.file: test.content})
			c, err := config.Load(dir)
			if err != nil || len(c.Warnings()) != 1 {
				t.Fatalf("error is %v, warnings are %v", err, c.Warnings())
			}
			got := strings.TrimPrefix(c.Warnings()[0].Error(), filepath.Join(dir, test.file))
			if !strings.Contains(got, test.want) || strings.HasPrefix(test.want, ":") && !strings.HasPrefix(got, test.want) {
				t.Errorf("error is\n%s, want\n%s", got, test.want)
			}
			if strings.Contains(got, "hidden") || strings.Contains(got, "12345") || strings.Contains(got, "\n") {
				t.Errorf("error is %s", got)
			}
		})
	}
}

// What is no JSON object stops the program, and so does a setting whose default is unsafe.
func TestFilesAreRefusedWithThePlace(t *testing.T) {
	for name, test := range map[string]struct {
		content, want string
		setting       bool
	}{
		"not an object":    {`[]`, `:1:1: the file must not be a list; write an object: { … }`, false},
		"quotes":           {"{'a': 1}", `; write texts in double quotes`, false},
		"cut off":          {`{"a": {`, `; the end of the file is missing; close what is open`, false},
		"hash":             {"{\n# mine\n}", `; comments begin with //`, false},
		"proxy":            {`{"httpProxy":"localhost"}`, `:1:14: httpProxy is not an address`, true},
		"store":            {`{"credentialStore":"vault"}`, `:1:20: credentialStore is "vault"; write "file" or "keyring"`, true},
		"permissions":      {`{"extensionPermissions":[]}`, `:1:25: extensionPermissions must not be a list`, true},
		"one permission":   {`{"extensionPermissions":{"*":{"exec":"git"}}}`, `extensionPermissions.*.exec must be neither all nor a list`, true},
		"a new permission": {`{"extensionPermissions":{"*":{"gpu":true}}}`, `extensionPermissions.*.gpu is no permission`, true},
	} {
		for _, file := range []string{config.SettingsFile, config.ModelsFile, config.AuthFile} {
			if file != config.SettingsFile && test.setting {
				continue
			}
			dir := home(t, map[string]string{file: test.content})
			_, err := config.Load(dir)
			if _, ok := errors.AsType[*config.FileError](err); !ok || !strings.HasPrefix(err.Error(), filepath.Join(dir, file)) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s, %s: error is %v, want %s", name, file, err, test.want)
			}
		}
	}
}

// People write comments, and commas behind the last member; editors write a byte order mark.
func TestFilesMayHaveComments(t *testing.T) {
	c := load(t, map[string]string{
		config.SettingsFile: "\xef\xbb\xbf{\n  // mine\n  \"theme\": \"day\", /* two */ \"defaultTools\": [\"read\",],\n}",
		config.ModelsFile:   "// servers\n" + strings.Replace(strings.TrimSuffix(lab, "}"), `{"id":"plain"}`, "{\"id\":\"plain\",}, // the plain one", 1) + ",}",
		config.AuthFile:     `{"openai":{"type":"api_key","key":"k",},/* none */}`,
	})
	if c.Settings.Theme != "day" || len(c.Settings.DefaultTools) != 1 || c.Model("lab", "plain") == nil || c.Ready(c.Model("openai", "gpt-5.5")) != nil {
		t.Errorf("what lies between comments was not read: %+v", c.Settings)
	}
	if len(c.Warnings()) != 0 {
		t.Errorf("warnings: %v", c.Warnings())
	}
}

func TestEmptyFilesAreEmptyObjects(t *testing.T) {
	c := load(t, map[string]string{config.SettingsFile: "", config.ModelsFile: "\n", config.AuthFile: "null"})
	if diff := cmp.Diff(config.DefaultSettings(), c.Settings); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("{}", `{"providers":{"x":{"baseUrl":"http://h","api":"openai-completions","apiKey":"$K","models":[{"id":"m","cost":{"input":1}}],"modelOverrides":{"m":{"name":"n"}}}}}`, `{"x":{"type":"api_key","key":"k"}}`)
	f.Add(`{"steeringMode":"all","compaction":{"enabled":null}}`, `{"providers":{"openai":{"modelOverrides":{"gpt-5.5":{"compat":{"a":1}}}}}}`, `{"x":{"type":"oauth","expires":1}}`)
	f.Fuzz(func(t *testing.T, settings, models, auth string) {
		c, err := config.Load(home(t, map[string]string{config.SettingsFile: settings, config.ModelsFile: models, config.AuthFile: auth}))
		if err != nil {
			if e, ok := errors.AsType[*config.FileError](err); !ok || e.Line < 1 || e.Column < 1 {
				t.Fatalf("error without a place: %v", err)
			}
			return
		}
		for _, m := range c.Models() {
			if m.ID == "" || m.API == "" || m.BaseURL == "" && m.API == "openai-completions" {
				t.Fatalf("model %+v cannot be reached", m)
			}
			c.Ready(m)
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	var list strings.Builder
	for i := range 50 {
		if i > 0 {
			list.WriteByte(',')
		}
		list.WriteString(`{"id":"model-` + string(rune('a'+i%26)) + strings.Repeat("x", i) + `","name":"Some Model","reasoning":true,"input":["text","image"],"contextWindow":100000,"maxTokens":4096,"cost":{"input":1,"output":2}}`)
	}
	dir := home(b, map[string]string{
		config.SettingsFile: `{"steeringMode":"all","compaction":{"keepRecentTokens":5}}`,
		config.ModelsFile:   `{"providers":{"lab":{"baseUrl":"http://h/v1","api":"openai-completions","apiKey":"k","models":[` + list.String() + `]}}}`,
	})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := config.Load(dir); err != nil {
			b.Fatal(err)
		}
	}
}
