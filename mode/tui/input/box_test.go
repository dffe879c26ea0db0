package input_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/input"
)

// source completes /model and /paint, and what provider adds.
type source struct {
	dir      string
	provider extension.AutocompleteProvider
	away     bool // what is typed goes elsewhere
}

func (s *source) Commands(typed string) []input.Suggestion {
	var found []input.Suggestion
	for _, name := range []string{"model", "paint"} {
		if strings.HasPrefix(name, typed) {
			found = append(found, input.Suggestion{Label: name, Value: "/" + name + " "})
		}
	}
	return found
}

func (s *source) Arguments(command, typed string) ([]input.Suggestion, bool) {
	return []input.Suggestion{{Label: "gpt", Value: "gpt"}}, command == "model"
}

func (s *source) Asker(command string) func(context.Context, string) []input.Suggestion {
	if command != "paint" {
		return nil
	}
	return func(_ context.Context, typed string) []input.Suggestion {
		return []input.Suggestion{{Label: typed + "reen", Value: typed + "reen"}}
	}
}

func (s *source) Folder() string                           { return s.dir }
func (s *source) Provider() extension.AutocompleteProvider { return s.provider }
func (s *source) Writing() bool                            { return !s.away }

// box returns a box whose tasks run when later is called.
func box(s *source) (b *input.Box, later func()) {
	keys, _ := input.NewKeys(nil)
	var tasks []func(context.Context) func()
	b = &input.Box{Keys: keys, Rows: 5, Source: s, Do: func(fn func(context.Context) func()) { tasks = append(tasks, fn) }}
	return b, func() {
		for len(tasks) > 0 {
			fn := tasks[0]
			tasks = tasks[1:]
			if then := fn(context.Background()); then != nil {
				then()
			}
		}
	}
}

func write(b *input.Box, s string) {
	for _, r := range s {
		b.Edit(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

func suggestions(b *input.Box) string {
	lines, _, _ := b.Draw(theme.Ink{Theme: theme.New(false), Measure: ansi.GraphemeWidth}, 40, 24, 20)
	var out []string
	for _, l := range lines[2+strings.Count(b.Editor.Value(), "\n")+1:] {
		out = append(out, ansi.Strip(l))
	}
	return strings.Join(out, "\n")
}

var tab = tea.KeyPressMsg{Code: tea.KeyTab}

func TestBox_Commands(t *testing.T) {
	b, _ := box(&source{})
	write(b, "/mo")
	if got := suggestions(b); got != "→ model" {
		t.Errorf("suggestions: %q", got)
	}
	if b.CompletionKey(tea.KeyPressMsg{Code: tea.KeyEnter}) || b.Editor.Text() != "/model " {
		t.Errorf("enter does not send what it completes: %q", b.Editor.Text())
	}
	write(b, "g")
	if !b.CompletionKey(tab) || b.Editor.Text() != "/model gpt" {
		t.Errorf("the argument is %q", b.Editor.Text())
	}
}

// TestBox_AsksForArguments: what comes when the text is another one, or when a dialog has what is
// typed, is not shown.
func TestBox_AsksForArguments(t *testing.T) {
	s := &source{}
	b, later := box(s)
	write(b, "/paint g")
	later()
	if got := suggestions(b); got != "→ green" {
		t.Errorf("suggestions: %q", got)
	}
	b.CompletionKey(tea.KeyPressMsg{Code: tea.KeyEscape})
	write(b, "r")
	s.away = true
	later()
	if got := suggestions(b); got != "" {
		t.Errorf("suggestions under a dialog: %q", got)
	}
}

func TestBox_Files(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"alpha.go", "sub/beta.txt", "sub/gamma delta.md"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b, later := box(&source{dir: dir})
	write(b, "see @gam")
	later() // the names have been read
	if !b.CompletionKey(tab) || b.Editor.Text() != `see @"sub/gamma delta.md" ` {
		t.Errorf("a file with a blank: %q", b.Editor.Text())
	}
	b.Editor.Set("cat al")
	b.Complete(true)
	if b.Editor.Text() != "cat alpha.go" {
		t.Errorf("a path: %q", b.Editor.Text())
	}
	b.Editor.Set("cat su")
	b.Complete(true)
	if got := suggestions(b); b.Editor.Text() != "cat sub/" || got != "" {
		t.Errorf("a folder: %q, %q", b.Editor.Text(), got)
	}
}

// tags suggests #beta.
type tags struct{ extension.AutocompleteProvider }

func (tags) Suggest(_ context.Context, lines []string, line, col int, _ bool) (*extension.Suggestions, error) {
	if i := strings.LastIndexByte(lines[line][:col], '#'); i >= 0 {
		return &extension.Suggestions{Prefix: lines[line][i:col], Items: []extension.AutocompleteItem{{Value: "#beta", Label: "tag beta"}}}, nil
	}
	return &extension.Suggestions{}, nil
}

func (tags) Apply(lines []string, line, col int, item extension.AutocompleteItem, prefix string) ([]string, int, int) {
	lines[line] = strings.TrimSuffix(lines[line], prefix) + item.Value
	return lines, line, len(lines[line])
}

func TestBox_Provider(t *testing.T) {
	b, later := box(&source{provider: tags{}})
	write(b, "one #b")
	later()
	if got := suggestions(b); got != "→ tag beta" {
		t.Errorf("suggestions: %q", got)
	}
	b.CompletionKey(tab)
	later()
	if b.Editor.Text() != "one #beta" {
		t.Errorf("applied: %q", b.Editor.Text())
	}
}

// TestBox_ProviderWithoutSuggestions leaves those of the terminal, which are applied as such.
func TestBox_ProviderWithoutSuggestions(t *testing.T) {
	b, later := box(&source{provider: tags{}})
	write(b, "/mo")
	later()
	b.CompletionKey(tab)
	if b.Editor.Text() != "/model " {
		t.Errorf("applied: %q", b.Editor.Text())
	}
}

func TestBox_BackslashBreaksTheLine(t *testing.T) {
	b, _ := box(&source{})
	write(b, `one\`)
	if !b.BreakLine() || b.Editor.Text() != "one\n" || b.BreakLine() {
		t.Errorf("%q", b.Editor.Text())
	}
}

func TestKeys(t *testing.T) {
	keys, unknown := input.NewKeys(map[string][]string{"app.model.select": {"f2"}, "app.tools.expand": {}, "app.nonsense": {"x"}})
	if len(unknown) != 1 || unknown[0] != "app.nonsense" {
		t.Errorf("unknown: %v", unknown)
	}
	for key, want := range map[string]string{"f2": "app.model.select", "ctrl+l": "", "ctrl+o": "", "esc": "app.interrupt"} {
		k := tea.KeyPressMsg{Code: tea.KeyF2}
		switch key {
		case "ctrl+l", "ctrl+o":
			k = tea.KeyPressMsg{Code: rune(key[5]), Mod: tea.ModCtrl}
		case "esc":
			k = tea.KeyPressMsg{Code: tea.KeyEscape}
		}
		if got := keys.Action(k); got != want {
			t.Errorf("%s does %q, want %q", key, got, want)
		}
	}
	if !keys.Matches("\x1bOQ", "app.model.select") || keys.Scroll(tea.KeyPressMsg{Code: tea.KeyPgUp}) != "tui.altScreen.pageUp" {
		t.Error("other tables")
	}
}
