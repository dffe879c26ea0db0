package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDialects(t *testing.T) {
	s, err := ParseScenario("x/y", []byte(`{"replies": [{
		"thinking": "Hm.", "signature": "s", "text": "Grüße 🎉!",
		"tools": [{"id": "c1", "name": "bash", "args": {"command": "ls"}}],
		"usage": {"input": 7, "cacheRead": 3}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for api, d := range dialects {
		t.Run(string(api), func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join("testdata", "dialects", string(api)+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), strings.Join(d.encode(&s.Replies[0], 1), "")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestAPIOf_FindsTheDialectByPath(t *testing.T) {
	for path, want := range map[string]API{
		"/v1/chat/completions":                           ChatCompletions,
		"/v1/messages?beta=true":                         Messages,
		"/v1/responses":                                  Responses,
		"/v1beta/models/m:streamGenerateContent?alt=sse": GenerateContent,
		"/elsewhere":                                     "other",
	} {
		if got := apiOf(path, "other"); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func TestSplit_PiecesAreEvenAndWholeCharacters(t *testing.T) {
	for _, c := range []struct {
		text   string
		chunks int
		want   []string
	}{
		{"", 2, []string{""}},
		{"a", 2, []string{"a"}},
		{"abcde", 0, []string{"abcde"}},
		{"abcde", 1, []string{"abcde"}},
		{"abcde", 2, []string{"abc", "de"}},
		{"abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"é🎉", 9, []string{"é", "🎉"}},
	} {
		r := &Reply{Chunks: &c.chunks}
		if got := r.split(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d: got %q, want %q", c.text, c.chunks, got, c.want)
		}
	}
}
