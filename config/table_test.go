package config_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/config"
)

var update = flag.Bool("update", false, "write the table of settings into the documentation")

// documentation is the page that lists the settings, between the marks.
const (
	documentation = "../docs/configuration.md"
	tableBegin    = "<!-- settings: go test ./config -run Documentation -update -->\n"
	tableEnd      = "<!-- end of settings -->\n"
)

func TestTheDocumentationHasTheTable(t *testing.T) {
	page, err := os.ReadFile(documentation)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(page), tableBegin)
	got, after, ended := strings.Cut(rest, tableEnd)
	if !begun || !ended {
		t.Fatalf("%s has no table of settings between its marks", documentation)
	}
	want := "\n" + markdown() + "\n"
	if *update {
		if err := os.WriteFile(documentation, []byte(before+tableBegin+want+tableEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the page differs from the table of settings: run this test with -update (-table +page):\n%s", diff)
	}
}

// markdown writes the table.
func markdown() string {
	var b strings.Builder
	b.WriteString("| key | type | default | what it does |\n| --- | --- | --- | --- |\n")
	for _, row := range config.Table() {
		def := row.Shown
		if def == "" && row.Default != nil {
			def = fmt.Sprintf("`%v`", row.Default)
		}
		about := row.Help
		if row.More != "" {
			about += ": " + row.More
		}
		kind := row.Type
		if row.Values != nil {
			kind = "`" + strings.Join(row.Values, "`, `") + "`"
			if row.Type == "object" {
				kind = "object of " + kind
			}
		}
		if row.See != "" {
			page, _, _ := strings.Cut(row.See, ".md")
			about += "; see [" + page + "](" + row.See + ")"
		}
		if row.UserOnly {
			about += ". Yours alone"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", row.Key, kind, def, about)
	}
	return b.String()
}

// Every setting says what it is, and its default is one of the values that it may have.
func TestTheTableIsWhole(t *testing.T) {
	seen := make(map[string]bool)
	for _, row := range config.Table() {
		if row.Key == "" || row.Help == "" || seen[row.Key] {
			t.Errorf("%q has no key or no help, or is there twice", row.Key)
		}
		seen[row.Key] = true
		if def, ok := row.Default.(string); ok && row.Values != nil && !slices.Contains(row.Values, def) {
			t.Errorf("%s: the default %q is none of %q", row.Key, def, row.Values)
		}
		if row.Default != nil && row.Choices != nil && !slices.Contains(row.Choices, row.Default) {
			t.Errorf("%s: the default %v is none of the choices %v", row.Key, row.Default, row.Choices)
		}
	}
	if len(seen) < 40 {
		t.Errorf("the table has %d rows", len(seen))
	}
}

// The value of each default is what the table says, and every row can be read from a file.
func TestSettingsFollowTheTable(t *testing.T) {
	for _, row := range config.Table() {
		if row.Default == nil {
			continue
		}
		got := config.DefaultSettings().Value(row.Key)
		if n, ok := row.Default.(int); ok {
			row.Default = float64(n)
		}
		if !reflect.DeepEqual(got, row.Default) {
			t.Errorf("%s is %v by default, and the table says %v", row.Key, got, row.Default)
		}
		for _, choice := range row.Choices {
			c := load(t, nil)
			if err := c.Save(row.Key, choice); err != nil {
				t.Fatal(err)
			}
			again, err := config.Load(c.Home)
			if err != nil || len(again.Warnings()) > 0 {
				t.Fatalf("%s: %v: %v, %v", row.Key, choice, err, again.Warnings())
			}
			if n, ok := choice.(int); ok {
				choice = float64(n)
			}
			if got := again.Settings.Value(row.Key); !reflect.DeepEqual(got, choice) {
				t.Errorf("%s was saved as %v and is %v", row.Key, choice, got)
			}
		}
	}
	if got := config.DefaultSettings().Value("no.such.key"); got != nil {
		t.Errorf("a key that does not exist is %v", got)
	}
}

// A wrong value of a strict setting stops the program; one of another setting does not.
func TestOnlyStrictSettingsStopTheProgram(t *testing.T) {
	for _, row := range config.Table() {
		wrong := `{"is": ["of", "another", "kind"]}`
		if row.Type == "object" {
			wrong = `5`
		}
		parts := strings.Split(row.Key, ".")
		text := wrong
		for _, part := range slices.Backward(parts) {
			text = fmt.Sprintf("{%q: %s}", part, text)
		}
		c, err := config.Load(home(t, map[string]string{config.SettingsFile: text}))
		switch {
		case row.Strict && err == nil:
			t.Errorf("%s: the program goes on with a wrong value", row.Key)
		case !row.Strict && (err != nil || len(c.Warnings()) != 1):
			t.Errorf("%s: %v", row.Key, err)
		}
	}
}
