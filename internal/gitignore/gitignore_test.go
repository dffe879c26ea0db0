package gitignore_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/internal/gitignore"
)

func TestMatch(t *testing.T) {
	tests := []struct {
		file string
		path string // a folder if it ends with a slash
		want gitignore.Verdict
	}{
		{"*.log", "a/b.log", gitignore.Ignore},
		{"*.log", "a/b.log.txt", gitignore.None},
		{"# *.log", "b.log", gitignore.None},
		{`\#x`, "#x", gitignore.Ignore},
		{`\!x`, "!x", gitignore.Ignore},
		{"*.log\n!keep.log", "a/keep.log", gitignore.Include},
		{"!keep.log\n*.log", "keep.log", gitignore.Ignore},
		{"/a", "a", gitignore.Ignore},
		{"/a", "b/a", gitignore.None},
		{"a/b", "a/b", gitignore.Ignore},
		{"a/b", "x/a/b", gitignore.None},
		{"build/", "x/build/", gitignore.Ignore},
		{"build/", "x/build", gitignore.None},
		{"**/a/b", "a/b", gitignore.Ignore},
		{"**/a/b", "x/y/a/b", gitignore.Ignore},
		{"**/a/b", "x/ya/b", gitignore.None},
		{"a/**", "a/x/y", gitignore.Ignore},
		{"a/**", "a/", gitignore.None},
		{"a/**/b", "a/b", gitignore.Ignore},
		{"a/**/b", "a/x/y/b", gitignore.Ignore},
		{"a/*/b", "a/x/y/b", gitignore.None},
		{"a/x*y", "a/x/y", gitignore.None},
		{"a  ", "a", gitignore.Ignore},
		{`a\  `, "a ", gitignore.Ignore},
		{"a\t", "a", gitignore.None},
		{"a\r\n", "a", gitignore.Ignore},
		{"\ufeffa", "a", gitignore.Ignore},
		{`a\`, "a", gitignore.None},
		{"[", "[", gitignore.None},
		{"[]-]", "]", gitignore.Ignore},
		{"[!a-c]", "b", gitignore.None},
		{"[^a-c]", "d", gitignore.Ignore},
		{"a[/]b", "a/b", gitignore.None},
		{"[[:digit:][:upper:]]", "7", gitignore.Ignore},
		{"[[:nothing:]]", "n", gitignore.None},
		{"{a,b}", "a", gitignore.None},
		{"{a,b}", "{a,b}", gitignore.Ignore},
		{"A", "a", gitignore.None},
		{"/", "a", gitignore.None},
		{"!", "a", gitignore.None},
		{"", "a", gitignore.None},
	}
	for _, tt := range tests {
		path, dir := strings.CutSuffix(tt.path, "/")
		if got := gitignore.Parse(tt.file).Match(path, dir); got != tt.want {
			t.Errorf("%q: Match(%q) = %d, want %d", tt.file, tt.path, got, tt.want)
		}
	}
}

// ignored asks about the folders above a path first, as a walk and Git do.
func ignored(f *gitignore.File, path string) bool {
	for i := range len(path) {
		if path[i] == '/' && f.Match(path[:i], true) == gitignore.Ignore {
			return true
		}
	}
	return f.Match(path, false) == gitignore.Ignore
}

// TestAgreesWithGit makes ignore files from the pieces that give trouble and compares with
// git check-ignore for paths that do not exist: those count as files in folders.
func TestAgreesWithGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("needs git and file names with backslashes")
	}
	repo, random := t.TempDir(), rand.New(rand.NewPCG(7, 11))
	files := map[string]string{}
	for i := range 3000 {
		files[fmt.Sprintf("t%04d", i)] = randomFile(random)
	}
	for dir, text := range files {
		if err := os.Mkdir(filepath.Join(repo, dir), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(repo, dir, ".gitignore"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var ask []string
	for dir := range files {
		for range 40 {
			ask = append(ask, dir+"/"+randomPath(random))
		}
	}
	says := checkIgnore(t, git, repo, ask)
	if len(says) < len(ask)/20 {
		t.Fatalf("git ignores only %d of %d paths", len(says), len(ask))
	}
	wrong := 0
	for _, full := range ask {
		dir, path, _ := strings.Cut(full, "/")
		if got := ignored(gitignore.Parse(files[dir]), path); got != says[full] {
			if wrong++; wrong > 20 {
				t.Fatal("and more")
			}
			t.Errorf("%q: %q is ignored: %v, git says %v", files[dir], path, got, says[full])
		}
	}
}

func checkIgnore(t *testing.T, git, repo string, paths []string) map[string]bool {
	t.Helper()
	run := func(stdin string, args ...string) []byte {
		cmd := exec.CommandContext(t.Context(), git, args...)
		cmd.Dir, cmd.Stdin = repo, strings.NewReader(stdin)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_DIR="+filepath.Join(repo, ".git"))
		out, err := cmd.Output()
		if err != nil && cmd.ProcessState.ExitCode() > 1 {
			t.Fatalf("git %v: %v", args, err)
		}
		return out
	}
	run("", "init", "--quiet")
	out := run(strings.Join(paths, "\x00"), "-c", "core.ignorecase=false", "check-ignore", "--no-index", "-z", "--stdin")
	says := map[string]bool{}
	for path := range bytes.SplitSeq(out, []byte{0}) {
		says[string(path)] = true
	}
	return says
}

var pieces = []string{
	"a", "b", "c", "a", "b", "ab", "-", ".", "*", "*", "**", "***", "?", "/", "/", "/", "**/", "/**", "/**/",
	"[ab]", "[!a]", "[^a]", "[a-c]", "[a-]", "[]a]", "[!]a]", "[[:alpha:]]", "[[:punct:]b]", "[^[:alnum:]]", "[[:x:]]",
	"[a-c-e]", "[\\a-c]", "[\\]]", "[--a]", "[[:]", "[[:a]", "[", "]", "\\", "\\a", "\\*", "\\/", "\\ ", " ", "\t", "#", "!", "{a,b}",
}

func randomFile(random *rand.Rand) string {
	var b strings.Builder
	for range 1 + random.IntN(3) {
		if random.IntN(4) == 0 {
			b.WriteByte('!')
		}
		for range 1 + random.IntN(5) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		b.WriteString([]string{"\n", "\n", "\n", "/\n", " \n", "\r\n"}[random.IntN(6)])
	}
	return b.String()
}

func randomPath(random *rand.Rand) string {
	names := []string{"a", "b", "c", "ab", "abc", "aab", "ba", "*", "a*", "[", "]", "-", "a-", "a ", "{a,b}", "#", "!a", "d", "\\", ".a", "ab.c"}
	path := names[random.IntN(len(names))]
	for range random.IntN(4) {
		path += "/" + names[random.IntN(len(names))]
	}
	return path
}

// TestStarsTakePolynomialTime would run for ages with a backtracking matcher.
func TestStarsTakePolynomialTime(t *testing.T) {
	for _, pattern := range []string{
		strings.Repeat("*a", 40) + "b",
		"/" + strings.Repeat("**/a/", 40) + "b",
		"/" + strings.Repeat("**/*a*/", 40) + "b",
	} {
		f := gitignore.Parse(pattern)
		for _, path := range []string{strings.Repeat("a", 400), strings.Repeat("a/", 200) + "a"} {
			if got := f.Match(path, false); got != gitignore.None {
				t.Errorf("%q matches %q", pattern, path)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("*.log\n!keep.log\n", "a/keep.log")
	f.Add("a/**/b[!x-z]\\ \n", "a/q/b ")
	f.Add("[[:alpha:]]*?\n", "abc")
	f.Fuzz(func(t *testing.T, text, path string) {
		file := gitignore.Parse(text)
		got := file.Match(path, false)
		if got == gitignore.None && len(text) > 0 && gitignore.Parse(text+"\n*\n").Match(path, false) != gitignore.Ignore {
			t.Errorf("%q followed by * does not ignore %q", text, path)
		}
		if dir := file.Match(path, true); got != gitignore.None && dir == gitignore.None {
			t.Errorf("%q matches the file %q but not the folder", text, path)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	f := gitignore.Parse("# build\n/dist/\nnode_modules/\n*.log\n*.tmp\n*.o\n.DS_Store\n/vendor/**/testdata\n**/generated/*.go\n!important.log\ncoverage\n.env\n[Bb]in/\n*.py[co]\n")
	b.ReportAllocs()
	for b.Loop() {
		f.Match("internal/services/account/handlers/create_account.go", false)
	}
}
