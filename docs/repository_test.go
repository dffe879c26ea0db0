package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// paths are the texts in backquotes that name a file or a folder of the repository.
var paths = regexp.MustCompile("`((?:agent|ai|cmd|compaction|conformance|config|docs|examples|extension|internal|js|mode|resource|schema|session|telemetry|tools|transcript)/[a-z0-9_/.]*)`")

// What ARCHITECTURE.md and CONTRIBUTING.md name is there, and the recipes are complete.
func TestRepositoryPages_NameWhatIsThere(t *testing.T) {
	for _, page := range []string{"ARCHITECTURE.md", "CONTRIBUTING.md"} {
		raw, err := os.ReadFile(filepath.Join("..", page))
		if err != nil {
			t.Fatal(err)
		}
		found := paths.FindAllStringSubmatch(string(raw), -1)
		if len(found) < 8 {
			t.Errorf("%s names only %d paths", page, len(found))
		}
		for _, m := range found {
			if _, err := os.Stat(filepath.Join("..", strings.TrimSuffix(m[1], "/"))); err != nil {
				t.Errorf("%s names %s: %v", page, m[1], err)
			}
		}
	}
}

func TestContributing_HasTheRecipes(t *testing.T) {
	raw, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"a provider", "a tool", "a setting", "a session event", "an RPC command", "a terminal command", "an entry kind"} {
		if !strings.Contains(string(raw), "**To add "+what+"**") {
			t.Errorf("there is no recipe for %s", what)
		}
	}
	if n := strings.Count(string(mustRead(t, "../ARCHITECTURE.md")), "\n"); n > 90 {
		t.Errorf("ARCHITECTURE.md has %d lines: it is one page", n)
	}
}

func mustRead(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
