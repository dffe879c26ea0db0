package rondo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/config/oauth"
	"github.com/rondo-agent/rondo/extension"
)

// corporate is a provider of an extension with a login whose tokens end at once.
func corporate(renewals *int, refuse *bool) *extension.Provider {
	credentials := func(access string, until time.Time) (jsontext.Value, error) {
		return jsontext.Value(fmt.Sprintf(`{"access":%q,"refresh":"r","expires":%d,"tenant":{"id":7}}`, access, until.UnixMilli())), nil
	}
	return &extension.Provider{
		BaseURL: "https://corp.example/v1", API: "openai-completions", Models: []jsontext.Value{jsontext.Value(`{"id":"m"}`)},
		OAuth: &extension.OAuth{
			Name: "Corporate",
			Login: func(ctx context.Context, ui extension.LoginUI) (jsontext.Value, error) {
				ui.Open("https://corp.example/login", "Use your badge.")
				ui.DeviceCode("https://corp.example/device", "AB-12")
				place, err := ui.Select(ctx, "Where?", [][2]string{{"eu", "Europe"}, {"us", "America"}})
				if err != nil {
					return nil, err
				}
				name, err := ui.Ask(ctx, "Name?", "as on the badge")
				if err != nil {
					return nil, err
				}
				return credentials(place+"-"+name, time.Now().Add(-time.Hour))
			},
			Refresh: func(_ context.Context, old jsontext.Value) (jsontext.Value, error) {
				if *refuse || !strings.Contains(string(old), `"tenant":{"id":7}`) {
					return nil, errors.New("the badge is not valid")
				}
				*renewals++
				return credentials(fmt.Sprintf("renewed-%d", *renewals), time.Now().Add(time.Hour))
			},
			APIKey: func(c jsontext.Value) string {
				_, rest, _ := strings.Cut(string(c), `"access":"`)
				access, _, _ := strings.Cut(rest, `"`)
				return "key-of-" + access
			},
		},
	}
}

func TestLoginsOfExtensionsAreKeptAndRenewed(t *testing.T) {
	cfg, err := config.Load(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	renewals, refuse := 0, false
	brought := newProviders(cfg)
	if err := brought.add("corp", corporate(&renewals, &refuse)); err != nil {
		t.Fatal(err)
	}
	var told []string
	lines := []string{"7", "us", "Ada"}
	ui := &oauth.UI{
		Browse: func(url string) { told = append(told, url) }, Tell: func(text string) { told = append(told, text) },
		Code: func(url, code string, _ time.Duration) { told = append(told, url+" "+code) },
		Ask: func(_ context.Context, question string) (string, error) {
			told = append(told, question)
			line := lines[0]
			lines = lines[1:]
			return line, nil
		},
	}
	if err := brought.now.Load().Login(t.Context(), "corp", ui, nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Use your badge.", "https://corp.example/login", "https://corp.example/device AB-12", "1  Europe", `"7" is none of them.`, "Name? (as on the badge)"} {
		if !strings.Contains(strings.Join(told, "\n"), want) {
			t.Errorf("%q was not shown: %q", want, told)
		}
	}
	m := brought.now.Load().Model("corp", "m")
	for range 2 { // the first token has ended already
		key, _, err := brought.Auth(t.Context(), m)
		if err != nil || key != "key-of-renewed-1" {
			t.Errorf("%s, %v", key, err)
		}
	}
	stored, err := os.ReadFile(filepath.Join(cfg.Home, config.AuthFile))
	if err != nil || !strings.Contains(string(stored), `"tenant":{"id":7}`) || !strings.Contains(string(stored), "renewed-1") {
		t.Errorf("stored: %v", err)
	}
	if err := brought.remove("corp"); err != nil || len(cfg.Logins()) != 3 {
		t.Errorf("left: %v, %v", cfg.Logins(), err)
	}
}

func TestALoginOfAnExtensionThatFails(t *testing.T) {
	cfg, err := config.Load(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	refuse := true
	brought := newProviders(cfg)
	if err := brought.add("corp", corporate(new(int), &refuse)); err != nil {
		t.Fatal(err)
	}
	if err := cfg.Login(t.Context(), "corp", &oauth.UI{}, nil); err == nil || !strings.Contains(err.Error(), "log in at a terminal") {
		t.Errorf("nobody to ask: %v", err)
	}
	ask := func(context.Context, string) (string, error) { return "1", nil }
	if err := cfg.Login(t.Context(), "corp", &oauth.UI{Ask: ask}, nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := brought.Auth(t.Context(), brought.now.Load().Model("corp", "m")); err == nil || !strings.Contains(err.Error(), "renew the login of corp: the badge is not valid") {
		t.Errorf("refused: %v", err)
	}
	empty := extensionLogin{&extension.OAuth{}}
	if _, err := empty.Login(t.Context(), &oauth.UI{}, nil); err == nil {
		t.Error("a login without a function")
	}
	if _, err := empty.Renew(t.Context(), &oauth.Credential{}); !errors.Is(err, oauth.ErrRevoked) {
		t.Errorf("a renewal without a function: %v", err)
	}
	if _, err := fromExtension([]byte(`"x"`)); err == nil {
		t.Error("a text was taken for credentials")
	}
}
