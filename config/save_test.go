package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/config"
)

func TestSaveKeepsWhatElseIsInTheFile(t *testing.T) {
	for name, c := range map[string]struct {
		before, key string
		value       any
		after       string
	}{
		"no file":        {"", "steeringMode", "all", "{\n  \"steeringMode\": \"all\"\n}"},
		"empty object":   {"{}\n", "steeringMode", "all", "{\n  \"steeringMode\": \"all\"\n}\n"},
		"added":          {"{\n  \"later\": [1, 2.50]\n}\n", "steeringMode", "all", "{\n  \"later\": [1, 2.50],\n  \"steeringMode\": \"all\"\n}\n"},
		"replaced":       {"{\"steeringMode\": \"all\" , \"x\":1}", "steeringMode", "one-at-a-time", "{\"steeringMode\": \"one-at-a-time\" , \"x\":1}"},
		"one line":       {"{\"x\":1}", "followUpMode", "all", "{\"x\":1,\n  \"followUpMode\": \"all\"}"},
		"nested":         {"{\n  \"compaction\": {\n    \"reserveTokens\": 5\n  }\n}", "compaction.enabled", false, "{\n  \"compaction\": {\n    \"reserveTokens\": 5,\n    \"enabled\": false\n  }\n}"},
		"nested is new":  {"{}", "retry.enabled", true, "{\n  \"retry\": {\n    \"enabled\": true\n  }\n}"},
		"in the way":     {"{\"retry\":null}", "retry.enabled", true, "{\"retry\":{\n    \"enabled\": true\n  }}"},
		"comments":       {"{\n  // why\n  \"theme\": \"day\", // a, b\n}", "theme", "night", "{\n  // why\n  \"theme\": \"night\", // a, b\n}"},
		"behind a comma": {"{\n  \"theme\": \"day\", // a } b\n}", "tuiMode", "regular", "{\n  \"theme\": \"day\",\n  \"tuiMode\": \"regular\", // a } b\n}"},
		"only a comment": {"{ /* {} */ }", "theme", "day", "{ /* {} */ \n  \"theme\": \"day\"\n}"},
		"nested comment": {"{\"retry\": {/* often */ \"maxRetries\": 9,},}", "retry.enabled", true, "{\"retry\": {/* often */ \"maxRetries\": 9,\n    \"enabled\": true,},}"},
		"a wrong value":  {"{\"theme\": 5}", "theme", "day", "{\"theme\": \"day\"}"},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{config.SettingsFile: c.before}
			if c.before == "" {
				files = nil
			}
			cfg := load(t, files)
			if err := cfg.Save(c.key, c.value); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(filepath.Join(cfg.Home, config.SettingsFile))
			if err != nil || string(data) != c.after {
				t.Errorf("the file is\n%s\nwant\n%s (%v)", data, c.after, err)
			}
			if again, err := config.Load(cfg.Home); err != nil || len(again.Warnings()) > 0 {
				t.Errorf("it cannot be read again: %v", err)
			}
		})
	}
}

func TestSavingAtOnceLosesNothing(t *testing.T) {
	home := t.TempDir()
	var wg sync.WaitGroup
	keys := []string{"a", "b", "c", "d.e", "d.f", "g", "h", "i"}
	for _, key := range keys {
		wg.Go(func() {
			cfg, err := config.Load(home)
			if err != nil {
				t.Error(err)
				return
			}
			if err := cfg.Save(key, key); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	data, err := os.ReadFile(filepath.Join(home, config.SettingsFile))
	if err != nil || !jsontext.Value(data).IsValid() {
		t.Fatalf("%s (%v)", data, err)
	}
	for _, key := range keys {
		if !strings.Contains(string(data), `"`+key+`"`) {
			t.Errorf("%s is not in\n%s", key, data)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(home, "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestABrokenFileIsLeftAlone(t *testing.T) {
	cfg := load(t, nil)
	path := filepath.Join(cfg.Home, config.SettingsFile)
	for _, broken := range []string{`{"steeringMode": "all",`, `[]`} {
		if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		err := cfg.Save("steeringMode", "all")
		if _, ok := errors.AsType[*config.FileError](err); !ok {
			t.Errorf("Save over %s: %v", broken, err)
		}
		if data, _ := os.ReadFile(path); string(data) != broken {
			t.Errorf("the file is now %s", data)
		}
	}
}

// A process that was killed while it wrote a key leaves a hidden file with it. The next one that
// writes removes it, and so does a start some time later.
func TestWhatAKilledProcessLeftIsRemoved(t *testing.T) {
	cfg := load(t, nil)
	for _, file := range []string{config.AuthFile, config.SettingsFile} {
		left := filepath.Join(cfg.Home, "."+file+"."+strings.Repeat("A", 26)+".tmp")
		write := func(age time.Duration) {
			if err := os.WriteFile(left, []byte("a key"), 0o600); err != nil {
				t.Fatal(err)
			}
			then := time.Now().Add(-age)
			if err := os.Chtimes(left, then, then); err != nil {
				t.Fatal(err)
			}
		}
		gone := func(when string) {
			if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s: %s is still there: %v", when, left, err)
			}
		}
		write(0)
		if _, err := config.Load(cfg.Home); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(left); err != nil {
			t.Errorf("a file that is perhaps being written was removed: %v", err)
		}
		if file == config.AuthFile {
			if err := cfg.SaveKey(t.Context(), "openai", "k"); err != nil {
				t.Fatal(err)
			}
		} else if err := cfg.Save("theme", "day"); err != nil {
			t.Fatal(err)
		}
		gone("after the next write")
		write(time.Hour)
		if _, err := config.Load(cfg.Home); err != nil {
			t.Fatal(err)
		}
		gone("after a start")
	}
}
