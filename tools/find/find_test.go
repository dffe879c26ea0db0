package find_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rondo-agent/rondo/tools/find"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/internal/tooltest"
)

const nothing = "No files found matching pattern"

type args map[string]any

func run(ctx context.Context, cwd string, opts *find.Options, a args) (string, *find.Details, error) {
	return tooltest.Run[find.Details](ctx, find.New(cwd, opts), a)
}

func mustRun(t testing.TB, cwd string, a args) (string, *find.Details) {
	t.Helper()
	text, details, err := run(t.Context(), cwd, nil, a)
	if err != nil {
		t.Fatalf("find %v: %v", a, err)
	}
	return text, details
}

func check(t *testing.T, cwd string, a args, want string) {
	t.Helper()
	if got, _ := mustRun(t, cwd, a); got != strings.ReplaceAll(want, " ", "\n") {
		t.Errorf("find %v\ngot:\n%s\nwant:\n%s", a, got, want)
	}
}

func tree(t testing.TB, dir string, names ...string) string {
	t.Helper()
	for _, name := range names {
		name, text, _ := strings.Cut(name, "=")
		p := filepath.Join(dir, name)
		tooltest.WriteFile(t, p, text)
	}
	return dir
}

func TestRecordedScenario(t *testing.T) {
	dir := tree(t, t.TempDir(), ".git/HEAD", "src/main.go", "src/util.go", ".hidden/conf", "ignored/main.txt", ".gitignore=ignored/\n*.log\n", "run.log")
	check(t, dir, args{"pattern": "*.go"}, "src/main.go src/util.go")
	check(t, dir, args{"pattern": "*main*"}, "src/main.go")
	check(t, dir, args{"pattern": "*.go", "path": "src"}, "main.go util.go")
	check(t, dir, args{"pattern": "*"}, ".gitignore .hidden/ .hidden/conf src/ src/main.go src/util.go")
	if got, _ := mustRun(t, dir, args{"pattern": "*.rs"}); got != nothing {
		t.Errorf("nothing: %q", got)
	}
}

func TestIgnoreFilesCountOutsideRepositories(t *testing.T) {
	dir := tree(t, t.TempDir(), ".gitignore=*.log\n", "sub/a.log", "sub/a.txt", "sub/.fdignore=b*\n", "sub/b.txt", "sub/.ignore=!b.log\n", "sub/b.log", "sub/c.log")
	check(t, dir, args{"pattern": "?.*", "path": "sub"}, "a.txt")
	check(t, filepath.Join(dir, "sub"), args{"pattern": "?.*"}, "a.txt")
}

func TestPatternsAreRelativeToTheFolder(t *testing.T) {
	dir := tree(t, filepath.Join(t.TempDir(), "src", "app"), "src/a.ts", "src/x/b.ts", "other/src/c.ts")
	for pattern, want := range map[string]string{
		"*.ts":                  "other/src/c.ts src/a.ts src/x/b.ts",
		"./src/*.ts":            "src/a.ts",
		"src/*.ts":              "src/a.ts",
		"src/**/*.ts":           "src/a.ts src/x/b.ts",
		"**/src/*.ts":           "other/src/c.ts src/a.ts",
		"**/*.ts":               "other/src/c.ts src/a.ts src/x/b.ts",
		"src/**":                "src/a.ts src/x/ src/x/b.ts",
		"src":                   "other/src/ src/",
		"src/":                  "other/src/ src/",
		"SRC":                   nothing,
		"app/**":                nothing,
		dir + "/src/*.ts":       "src/a.ts",
		dir + "/**/src/*.ts":    "other/src/c.ts src/a.ts",
		"{other,src}/**/?.ts":   "other/src/c.ts src/a.ts src/x/b.ts",
		"src/[!a]/../../*.ts":   "",
		"/src/*.ts":             "",
		dir + "-other/src/*":    "",
		"../app/src/*.ts":       "",
		"[":                     "",
		"":                      "",
		filepath.Dir(dir) + "/": "",
	} {
		got, _, err := run(t.Context(), dir, nil, args{"pattern": pattern})
		if want == "" && err == nil || want != "" && strings.Join(strings.Split(got, "\n"), " ") != want {
			t.Errorf("%s: %q, %v, want %q", pattern, got, err, want)
		}
	}
	check(t, dir, args{"pattern": "x/*.ts", "path": "src"}, "x/b.ts")
	check(t, dir, args{"pattern": "*.ts", "path": dir + "/src/x"}, "b.ts")
}

func TestCaseMattersIfThePatternHasCapitals(t *testing.T) {
	dir := tree(t, t.TempDir(), "README.md", "docs/readme.MD")
	check(t, dir, args{"pattern": "*.md"}, "README.md docs/readme.MD")
	check(t, dir, args{"pattern": "README*"}, "README.md")
	check(t, dir, args{"pattern": "*.MD"}, "docs/readme.MD")
}

func TestLinksAreListedAndNotFollowed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	dir := tree(t, t.TempDir(), "real/a.txt")
	for name, target := range map[string]string{"loop": ".", "broken": "nowhere.txt", "far": "real"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	check(t, dir, args{"pattern": "*"}, "broken far loop real/ real/a.txt")
	check(t, dir, args{"pattern": "*.txt", "path": "far"}, "a.txt")
}

func TestNoticeOnlyIfThereIsMore(t *testing.T) {
	dir := t.TempDir()
	for i := range 1000 {
		tree(t, dir, fmt.Sprintf("d%02d/f%04d.txt", i%10, i))
	}
	text, details := mustRun(t, dir, args{"pattern": "*.txt"})
	if strings.Count(text, "\n") != 999 || *details != (find.Details{}) {
		t.Errorf("1000 of 1000: %d lines, %+v", strings.Count(text, "\n")+1, details)
	}
	text, details = mustRun(t, dir, args{"pattern": "*"})
	if !strings.HasSuffix(text, "or raise limit]") || strings.Count(text, "\n") != 1001 || details.ResultLimitReached != 1000 {
		t.Errorf("1000 of 1010: %d lines, %+v", strings.Count(text, "\n")+1, details)
	}
	for _, limit := range []float64{0, -1, 0.2, 1} {
		text, details := mustRun(t, dir, args{"pattern": "*.txt", "limit": limit})
		if !strings.HasPrefix(text, "d00/f0000.txt\n\n[") || details.ResultLimitReached != 1 {
			t.Errorf("limit %v: %q, %+v", limit, text, details)
		}
	}
	text, details = mustRun(t, dir, args{"pattern": "f0999.txt", "limit": 1})
	if text != "d09/f0999.txt" || details.ResultLimitReached != 0 {
		t.Errorf("one of one: %q, %+v", text, details)
	}
}

func TestOutputIsValidAndCutBetweenLines(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs a file system that takes any bytes as names")
	}
	dir := tree(t, t.TempDir(), "bad\xff\xf0\x9f.txt")
	for i := range 400 {
		tree(t, dir, fmt.Sprintf("%s%03d.txt", strings.Repeat("😀", 50), i))
	}
	text, details := mustRun(t, dir, args{"pattern": "*.txt"})
	body, _, ok := strings.Cut(text, "\n\n[")
	if !ok || !utf8.ValidString(text) || !strings.HasSuffix(body, ".txt") || len(body) > 50<<10 || details.Truncation == nil {
		t.Errorf("valid %v, %d bytes, %+v", utf8.ValidString(text), len(body), details)
	}
	check(t, dir, args{"pattern": "bad*"}, "bad\ufffd.txt")
}

func TestCancelStopsTheSearch(t *testing.T) {
	dir := tree(t, t.TempDir(), "a/b", "c/d")
	cause := errors.New("stopped by the user")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, _, err := run(ctx, dir, nil, args{"pattern": "*"}); !errors.Is(err, cause) {
		t.Errorf("cancelled before the start: %v", err)
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	defer cancel(nil)
	files := &endless{Host: host.Local, after: 50, stop: func() { cancel(cause) }}
	if _, _, err := run(ctx, "/", &find.Options{Host: files}, args{"pattern": "x"}); !errors.Is(err, cause) || files.read > 50 {
		t.Errorf("cancelled during the search: %v after %d folders", err, files.read)
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	defer cancel(nil)
	files = &endless{Host: host.Local, inAbove: true, stop: func() { cancel(cause) }}
	if _, _, err := run(ctx, "/a/b/c", &find.Options{Host: files}, args{"pattern": "x"}); !errors.Is(err, cause) || files.read > 0 {
		t.Errorf("cancelled while the folders above are looked at: %v after %d folders", err, files.read)
	}
}

// endless is a file system of folders in folders.
type endless struct {
	host.Host
	read, after int
	inAbove     bool
	stop        func()
}

func (e *endless) Stat(_ context.Context, path string) (fs.FileInfo, error) {
	if strings.Contains(path, ".") {
		if e.inAbove {
			e.stop()
		}
		return nil, fs.ErrNotExist
	}
	return os.Stat(os.TempDir())
}

func (e *endless) ReadDir(context.Context, string) ([]fs.DirEntry, error) {
	if e.read++; e.read == e.after {
		e.stop()
	}
	info, err := os.Stat(os.TempDir())
	return []fs.DirEntry{fs.FileInfoToDirEntry(info)}, err
}

func TestBraceBombs(t *testing.T) {
	dir := tree(t, t.TempDir(), strings.Repeat("a", 30), strings.Repeat("a", 200)+"!")
	check(t, dir, args{"pattern": strings.Repeat("{a,b}", 30)}, strings.Repeat("a", 30))
	if got, _ := mustRun(t, dir, args{"pattern": strings.Repeat("*{a,*a}", 300) + "x"}); got != nothing {
		t.Errorf("many stars: %q", got)
	}
}

func TestPlacesThatCannotBeSearched(t *testing.T) {
	dir := tree(t, t.TempDir(), "a.txt")
	if _, _, err := run(t.Context(), dir, nil, args{"pattern": "*", "path": "none"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
	if _, _, err := run(t.Context(), dir, nil, args{"pattern": "*", "path": "a.txt"}); err == nil || !strings.Contains(err.Error(), "not a folder") {
		t.Errorf("a file: %v", err)
	}
}

func TestDeclaration(t *testing.T) {
	tool := find.New("/", nil)
	if tool.Name != "find" || tool.Description == "" || find.Snippet == "" || !tool.Declaration().Parameters.IsValid() {
		t.Errorf("incomplete: %+v", tool)
	}
}
