package find_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestAgreesWithFd compares with the program whose behaviour the tool has.
func TestAgreesWithFd(t *testing.T) {
	fd, err := exec.LookPath("fdfind")
	if err != nil {
		if fd, err = exec.LookPath("fd"); err != nil {
			t.Skip("fd is not installed")
		}
	}
	names := []string{
		".git/HEAD", ".gitignore=*.log\n/build/\n!keep.log\n", ".ignore=*.tmp\n", "src/.fdignore=*.bak\n!x.tmp\n", "src/.gitignore=gen/\n/only.go\n",
		"README.md", "docs/Readme.MD", "build/a.go", "src/build/a.go", "src/only.go", "src/sub/only.go", "src/gen/z.go", "src/x.tmp", "y.tmp", "src/old.bak", "old.bak",
		"a.log", "keep.log", ".hidden/a.go", ".hidden/.b.go", "{a,b}.go", "[x].go", "src/a/b/c/d.go", "src/a/b.ts", "src/a/b.tsx", "other/src/a/b.ts",
	}
	for i := range 40 {
		names = append(names, fmt.Sprintf("many/d%d/file%d.txt", i%7, i))
	}
	dir := tree(t, t.TempDir(), names...)
	for _, pattern := range []string{
		"*", "*.go", "*.md", "*.MD", "R*", "src", "?.go", "[ab].*", "[!ab].*", "[^ab].*", "*.{ts,tsx}", "{a,b}.go", `\{a,b\}.go`, "[[]x].go", ".*", "*.tmp", "*.log",
		"**", "**.go", "file1*", "file[1-3]?.txt", "{file1,b*}.{txt,ts}", "nothing",
		"src/*", "src/**", "src/**/*.go", "**/src/**", "**/*.ts", "*/*.md", "src/a/**/d.go", "src/**/b/**", "many/d[1-3]/*", "**/{a,b}/*.ts", "src/a*/*", "*/src/a/b.*",
	} {
		got, _ := mustRun(t, dir, args{"pattern": pattern})
		if want := runFd(t, fd, dir, pattern); got != want {
			t.Errorf("%s\ngot:\n%s\nwant:\n%s", pattern, got, want)
		}
	}
}

func runFd(t *testing.T, fd, dir, pattern string) string {
	t.Helper()
	flags := []string{"--glob", "--hidden", "--color=never", "--exclude", ".git", "--no-global-ignore-file"}
	if strings.Contains(pattern, "/") {
		flags, pattern = append(flags, "--full-path"), dir+"/"+pattern
		if pattern == strings.ToLower(pattern) {
			flags = append(flags, "--ignore-case")
		} else if tail := strings.TrimPrefix(pattern, dir); tail == strings.ToLower(tail) {
			flags = append(flags, "--ignore-case")
		}
	}
	cmd := exec.CommandContext(t.Context(), fd, append(flags, "--", pattern, ".")...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("fd %s: %v", pattern, err)
	}
	lines := strings.Fields(strings.ReplaceAll(string(out), "./", ""))
	if len(lines) == 0 {
		return "No files found matching pattern"
	}
	slices.SortFunc(lines, func(a, b string) int {
		return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
	})
	return strings.Join(lines, "\n")
}
