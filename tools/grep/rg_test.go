package grep_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestAgreesWithRipgrep compares with the program whose behaviour the tool has.
func TestAgreesWithRipgrep(t *testing.T) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		t.Skip("ripgrep is not installed")
	}
	outside := tree(t, corpus())
	inside := tree(t, corpus())
	if err := os.Mkdir(filepath.Join(inside, ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	searches := []args{
		{"pattern": "alpha"},
		{"pattern": "ALPHA"},
		{"pattern": "alpha", "ignoreCase": true},
		{"pattern": "Kilo|SIERRA", "ignoreCase": true},
		{"pattern": "^alpha"},
		{"pattern": "echo$"},
		{"pattern": "^$"},
		{"pattern": ""},
		{"pattern": `\bbeta\b.*delta`},
		{"pattern": "(alpha|beta) (gamma|delta)"},
		{"pattern": "[a-c]lpha +[^ ]+ma"},
		{"pattern": `\d{3,}`},
		{"pattern": `x{2}|\S{12,}`},
		{"pattern": "a.b", "literal": true},
		{"pattern": "(*[", "literal": true},
		{"pattern": "A.B", "literal": true, "ignoreCase": true},
		{"pattern": "zulu"},
		{"pattern": "grün"},
		{"pattern": "GRÜN", "ignoreCase": true},
		{"pattern": "gr.n"},
		{"pattern": "alpha beta", "context": 1},
		{"pattern": "gamma", "context": 3},
		{"pattern": `^\s*delta`, "context": 2},
		{"pattern": "alpha", "glob": "*.txt"},
		{"pattern": "alpha", "glob": "*.{txt,log}"},
		{"pattern": "alpha", "glob": "!*.txt"},
		{"pattern": "alpha", "glob": "dir1/**"},
		{"pattern": "alpha", "glob": "/dir1/*"},
		{"pattern": "alpha", "glob": "**/sub/*"},
		{"pattern": "alpha", "glob": "!dir1"},
		{"pattern": "alpha", "glob": "[a-m]*"},
		{"pattern": "alpha", "glob": "sub/*"},
		{"pattern": "alpha", "glob": "!sub/"},
	}
	for i, a := range searches {
		dir := inside
		if i%4 == 0 {
			dir = outside
		}
		a["limit"] = 1e6
		got, details := mustRun(t, dir, a)
		want := ripgrep(t, rg, dir, a)
		if details.Truncation != nil {
			got, want = details.Truncation.Content, want[:len(details.Truncation.Content)]
		}
		if got != want {
			t.Errorf("grep %v, in a repository: %v\n%s", a, dir == inside, firstDifference(got, want))
		}
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d\ngot  %.200q\nwant %.200q", i, g[i], w[i])
		}
	}
	return fmt.Sprintf("got %d lines, want %d", len(g), len(w))
}

func ripgrep(t *testing.T, rg, dir string, a args) string {
	t.Helper()
	flags := []string{"--no-config", "--json", "--hidden", "--crlf", "--sort=path", "--no-ignore-global"}
	if a["ignoreCase"] == true {
		flags = append(flags, "-i")
	}
	if a["literal"] == true {
		flags = append(flags, "-F")
	}
	if a["context"] != nil {
		flags = append(flags, fmt.Sprint("-C", a["context"]))
	}
	if glob, ok := a["glob"].(string); ok {
		flags = append(flags, "-g", glob)
	}
	cmd := exec.CommandContext(t.Context(), rg, append(flags, "-e", a["pattern"].(string))...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && bytes.Contains(exit.Stderr, []byte("No files were searched")) {
		return "No matches found"
	}
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("rg %v: %v", a, err)
	}
	var lines []string
	for raw := range bytes.Lines(out) {
		var event struct {
			Type string `json:"type"`
			Data struct {
				Path, Lines struct {
					Text  string
					Bytes []byte
				}
				Number int `json:"line_number"`
			} `json:"data"`
		}
		if err := json.Unmarshal(raw, &event, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		mark := map[string]string{"match": ":", "context": "-"}[event.Type]
		if mark == "" {
			continue
		}
		text := strings.TrimRight(event.Data.Lines.Text+strings.ToValidUTF8(string(event.Data.Lines.Bytes), "\ufffd"), "\r\n")
		lines = append(lines, fmt.Sprintf("%s%s%d%s %s", event.Data.Path.Text, mark, event.Data.Number, mark, strings.ReplaceAll(text, "\r", "")))
	}
	if len(lines) == 0 {
		return "No matches found"
	}
	return strings.Join(lines, "\n")
}

// corpus are files with random words in folders with ignore files.
func corpus() map[string]string {
	words := strings.Fields("alpha Alpha ALPHA beta gamma delta echo kilo sierra zulu a.b axb (*[ 12 345 xx grün GRÜN Grün zzzzzzzzzzzzzzzz")
	random := rand.New(rand.NewPCG(3, 5))
	text := func(newline string) string {
		var b strings.Builder
		for range random.IntN(60) {
			for i := range random.IntN(6) {
				if i > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(words[random.IntN(len(words))])
			}
			b.WriteString(newline)
		}
		return b.String()
	}
	files := map[string]string{
		".gitignore": "*.log\n/dir2/sub/\n!keep.log\n", ".ignore": "dir3/a.txt\n!b.log\n", "dir1/.rgignore": "c.txt\n", "dir3/.gitignore": "*.txt\n!c.txt\n",
		"early.bin": "alpha\n\x00alpha\n", "noend.txt": "alpha\nbeta echo", "utf16.txt": "\xff\xfea\x00l\x00p\x00h\x00a\x00\n\x00", "bom.txt": "\ufeffalpha\n",
		"invalid.txt": "alpha \xff\nbeta\n", "dir1/long.txt": strings.Repeat("alpha "+strings.Repeat("filler ", 20)+"\n", 1000),
	}
	for _, dir := range []string{"", "dir1/", "dir1/sub/", "dir2/", "dir2/sub/", "dir3/", ".hidden/"} {
		for _, name := range []string{"a.txt", "b.log", "c.txt", "keep.log", ".dot", "n"} {
			files[dir+name] = text("\n")
		}
		files[dir+"crlf.txt"] = text("\r\n")
	}
	return files
}
