package grep_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/tools/grep"
	"github.com/rondo-agent/rondo/tools/host/hosttest"
	"github.com/rondo-agent/rondo/tools/internal/tooltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type args map[string]any

func run(ctx context.Context, cwd string, a args) (string, *grep.Details, error) {
	return tooltest.Run[grep.Details](ctx, grep.New(cwd, nil), a)
}

func mustRun(t *testing.T, cwd string, a args) (string, *grep.Details) {
	t.Helper()
	text, details, err := run(t.Context(), cwd, a)
	if err != nil {
		t.Fatalf("grep %v: %v", a, err)
	}
	return text, details
}

func check(t *testing.T, cwd string, a args, want ...string) {
	t.Helper()
	if got, _ := mustRun(t, cwd, a); got != strings.Join(want, "\n") {
		t.Errorf("grep %v\ngot:\n%s\nwant:\n%s", a, got, strings.Join(want, "\n"))
	}
}

// tree writes files; their names are keys.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, name)
		tooltest.WriteFile(t, p, text)
	}
	return dir
}

// scenario are the files of the recorded conformance scenarios about grep.
var scenario = map[string]string{
	"src/main.go":      "package main\n\nfunc main() {\n\tprint(\"a.b\")\n}\n",
	"src/util.go":      "package main\n// MAIN helper axb\n",
	".hidden/conf":     "main = 1\n",
	"ignored/main.txt": "main\n",
	".gitignore":       "ignored/\n*.log\n",
	"run.log":          "main\n",
}

func TestRecordedScenarios(t *testing.T) {
	dir := tree(t, scenario)
	check(t, dir, args{"pattern": "func|^package m.in"},
		"src/main.go:1: package main", "src/main.go:3: func main() {", "src/util.go:1: package main")
	check(t, dir, args{"pattern": "a.b", "literal": true, "path": "src/main.go"}, "main.go:4: \tprint(\"a.b\")")
	check(t, dir, args{"pattern": "MAIN", "ignoreCase": true, "path": "src/util.go"},
		"util.go:1: package main", "util.go:2: // MAIN helper axb")
	check(t, dir, args{"pattern": "a.b", "path": "src/util.go"}, "util.go:2: // MAIN helper axb")
}

func TestIgnoreFilesCountAsInRipgrep(t *testing.T) {
	dir := tree(t, scenario)
	main := []string{"src/main.go:1: package main", "src/main.go:3: func main() {", "src/util.go:1: package main"}
	outside := append([]string{".hidden/conf:1: main = 1", "ignored/main.txt:1: main", "run.log:1: main"}, main...)
	check(t, dir, args{"pattern": "main"}, outside...)
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	inside := append([]string{".hidden/conf:1: main = 1"}, main...)
	check(t, dir, args{"pattern": "main"}, inside...)
	check(t, dir, args{"pattern": "main", "path": "run.log"}, "run.log:1: main")
	check(t, dir, args{"pattern": "main", "path": "ignored"}, "main.txt:1: main")
	check(t, dir, args{"pattern": "main", "glob": "*.log"}, "run.log:1: main")
	check(t, dir, args{"pattern": "main", "glob": "**/*"}, inside...)
}

func TestGlob(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.go": "x\n", "b.ts": "x\n", "c.tsx": "x\n", "src/a.go": "x\n", "src/sub/a.go": "x\n", "vendor/src/a.go": "x\n",
	})
	for glob, want := range map[string]string{
		"":                    "a.go b.ts c.tsx src/a.go src/sub/a.go vendor/src/a.go",
		"*":                   "a.go b.ts c.tsx src/a.go src/sub/a.go vendor/src/a.go",
		"*.go":                "a.go src/a.go src/sub/a.go vendor/src/a.go",
		"*.{ts,tsx}":          "b.ts c.tsx",
		"*.GO":                "",
		"./*.go":              "a.go",
		"/*.go":               "a.go",
		"src/*.go":            "src/a.go",
		"src/**/*.go":         "src/a.go src/sub/a.go",
		"**/src/*.go":         "src/a.go vendor/src/a.go",
		dir + "/src/**":       "src/a.go src/sub/a.go",
		"!*.go":               "b.ts c.tsx",
		"!vendor":             "a.go b.ts c.tsx src/a.go src/sub/a.go",
		"!src/":               "a.go b.ts c.tsx",
		"!src/sub":            "a.go b.ts c.tsx src/a.go vendor/src/a.go",
		"src":                 "",
		"[ab].*":              "a.go b.ts src/a.go src/sub/a.go vendor/src/a.go",
		"!" + dir + "/vendor": "a.go b.ts c.tsx src/a.go src/sub/a.go",
	} {
		want = strings.ReplaceAll(want, " ", ":1: x ")
		want = strings.ReplaceAll(want+":1: x", " x ", " x\n")
		if want == ":1: x" {
			want = "No matches found"
		}
		check(t, dir, args{"pattern": "x", "glob": glob}, want)
	}
	for _, bad := range []string{"{a", "[a", `a\`, "../x/*"} {
		if _, _, err := run(t.Context(), dir, args{"pattern": "x", "glob": bad}); err == nil || !strings.HasPrefix(err.Error(), "glob: ") {
			t.Errorf("glob %q: error %v", bad, err)
		}
	}
}

func TestContextIsMerged(t *testing.T) {
	dir := tree(t, map[string]string{"a.txt": "1\n2\nx3\n4\nx5\n6\n7\n8\n9\n10\nx11", "b.txt": "x\ny\n"})
	check(t, dir, args{"pattern": "x", "context": 2, "path": "a.txt"},
		"a.txt-1- 1", "a.txt-2- 2", "a.txt:3: x3", "a.txt-4- 4", "a.txt:5: x5", "a.txt-6- 6", "a.txt-7- 7",
		"a.txt-9- 9", "a.txt-10- 10", "a.txt:11: x11")
	check(t, dir, args{"pattern": "x", "context": 1, "limit": 1},
		"a.txt-2- 2", "a.txt:3: x3", "a.txt-4- 4",
		"", "[The limit of 1 matches is reached; there are more: narrow the pattern, path or glob, or raise limit]")
	check(t, dir, args{"pattern": "x", "context": 3, "limit": 2},
		"a.txt-1- 1", "a.txt-2- 2", "a.txt:3: x3", "a.txt-4- 4", "a.txt:5: x5", "a.txt-6- 6", "a.txt-7- 7", "a.txt-8- 8",
		"", "[The limit of 2 matches is reached; there are more: narrow the pattern, path or glob, or raise limit]")
	check(t, dir, args{"pattern": "x11|y", "context": 1},
		"a.txt-10- 10", "a.txt:11: x11", "b.txt-1- x", "b.txt:2: y")
	check(t, dir, args{"pattern": "x3", "context": -1}, "a.txt:3: x3")
}

// TestContextAcrossBlocks compares with a search that has the whole file in memory.
func TestContextAcrossBlocks(t *testing.T) {
	var lines []string
	for i := range 30000 {
		lines = append(lines, fmt.Sprintf("line %d %s", i+1, strings.Repeat("-", i*7%23)))
	}
	dir := tree(t, map[string]string{"a.txt": strings.Join(lines, "\n")})
	for _, context := range []int{0, 1, 3, 50} {
		var want []string
		marks := map[int]string{}
		for i, line := range lines {
			if strings.Contains(line, "777") {
				for j := max(0, i-context); j <= min(i+context, len(lines)-1); j++ {
					if marks[j] == "" {
						marks[j] = "-"
					}
				}
				marks[i] = ":"
			}
		}
		for i, line := range lines {
			if m := marks[i]; m != "" {
				want = append(want, fmt.Sprintf("a.txt%s%d%s %s", m, i+1, m, line))
			}
		}
		got, details := mustRun(t, dir, args{"pattern": "7[7]7", "context": context, "limit": 1000})
		if details.Truncation != nil {
			got = details.Truncation.Content
			want = want[:min(len(want), details.Truncation.OutputLines)]
		}
		if got != strings.Join(want, "\n") {
			t.Errorf("context %d: results differ", context)
		}
	}
}

func TestPatternsAreOnlyPatterns(t *testing.T) {
	trap := filepath.Join(t.TempDir(), "trap")
	dir := tree(t, map[string]string{"a.txt": "rg --pre=touch " + trap + "\n-v\n-e\n--files\n--\nplain\n"})
	for pattern, number := range map[string]string{"--pre=touch " + trap: "1: rg ", "-v": "2: ", "-e": "3: ", "--files": "4: "} {
		check(t, dir, args{"pattern": pattern}, "a.txt:"+number+pattern)
	}
	check(t, dir, args{"pattern": "plain", "glob": "--files"}, "No matches found")
	if _, err := os.Stat(trap); err == nil {
		t.Error("a program has run")
	}
}

func TestEnvironmentChangesNothing(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.txt": "axb\n", "b.log": "axb\n", "rg.conf": "--fixed-strings\n--glob=*.log\n",
		"home/.config/git/ignore": "*.log\n", "home/.gitconfig": "[core]\n\texcludesFile = ~/.config/git/ignore\n", ".git/HEAD": "",
	})
	for name, value := range map[string]string{
		"RIPGREP_CONFIG_PATH": filepath.Join(dir, "rg.conf"), "HOME": filepath.Join(dir, "home"),
		"XDG_CONFIG_HOME": filepath.Join(dir, "home/.config"), "GIT_DIR": filepath.Join(dir, "home"), "LC_ALL": "tr_TR.UTF-8",
	} {
		t.Setenv(name, value)
	}
	check(t, dir, args{"pattern": "a.b"}, "a.txt:1: axb", "b.log:1: axb")
}

func TestEncodings(t *testing.T) {
	utf16 := func(s string, bigEndian bool) string {
		var b []byte
		for _, u := range append([]uint16{0xfeff}, encode16(s)...) {
			if bigEndian {
				b = append(b, byte(u>>8), byte(u))
			} else {
				b = append(b, byte(u), byte(u>>8))
			}
		}
		return string(b)
	}
	long := strings.Repeat("filler ☃\r\n", 20000)
	dir := tree(t, map[string]string{
		"be.txt":      utf16("one\ntwo grün 😀\n", true),
		"bom.txt":     "\ufefftwo\n",
		"crlf.txt":    "one\r\ntwo\r\n",
		"half.txt":    utf16("one\ntwo", false) + "\x00\xd8" + "x",
		"latin1.txt":  "one\ntwo gr\xfcn\n",
		"le.txt":      utf16("one\ntwo grün 😀\r\n", false),
		"lelong.txt":  utf16(long+"two\n", false),
		"lone-cr.txt": "one\rtwo\nthree\rtwo\r\n",
		"nobom.txt":   strings.ReplaceAll("one\ntwo\n", "", "\x00"),
	})
	check(t, dir, args{"pattern": "two"},
		"be.txt:2: two grün 😀", "bom.txt:1: two", "crlf.txt:2: two", "half.txt:2: two\ufffd\ufffd", "latin1.txt:2: two gr\ufffdn",
		"le.txt:2: two grün 😀", "lelong.txt:20001: two", "lone-cr.txt:1: onetwo", "lone-cr.txt:2: threetwo")
	check(t, dir, args{"pattern": "^two$", "path": "crlf.txt"}, "crlf.txt:2: two")
	check(t, dir, args{"pattern": `o\r$`, "path": "crlf.txt"}, "crlf.txt:2: two")
	check(t, dir, args{"pattern": "^two", "path": "bom.txt"}, "bom.txt:1: two")
	check(t, dir, args{"pattern": "ü. 😀$", "path": "le.txt"}, "le.txt:2: two grün 😀")
}

func encode16(s string) []uint16 {
	var units []uint16
	for _, r := range s {
		if r < 0x10000 {
			units = append(units, uint16(r))
			continue
		}
		r -= 0x10000
		units = append(units, 0xd800+uint16(r>>10), 0xdc00+uint16(r&0x3ff))
	}
	return units
}

func TestBinaryFiles(t *testing.T) {
	filler := strings.Repeat("filler\n", 30000)
	dir := tree(t, map[string]string{
		"early.bin": "needle\n\x00",
		"late.bin":  "needle 1\n" + filler + "\x00needle 2\n",
		"text.txt":  "needle\n",
	})
	check(t, dir, args{"pattern": "needle"}, "late.bin:1: needle 1", "text.txt:1: needle")
	check(t, dir, args{"pattern": "needle", "path": "early.bin"},
		"No matches found", "", "[This is a binary file: it was searched only up to its first NUL byte]")
}

// endless is a file of many lines that needs no disk.
type endless struct {
	size, pos int
	line      string
	seen      func(pos int)
}

func (e *endless) Read(p []byte) (int, error) {
	if e.seen != nil {
		e.seen(e.pos)
	}
	n := 0
	for n < len(p) && e.pos < e.size {
		c := copy(p[n:min(len(p), n+e.size-e.pos)], e.line[e.pos%len(e.line):])
		n, e.pos = n+c, e.pos+c
	}
	if n == 0 {
		return 0, errEOF
	}
	return n, nil
}

func TestMemoryIsBounded(t *testing.T) {
	for name, tt := range map[string]struct {
		line string
		args args
		want string
	}{
		"many matches": {"a needle in a line\n", args{"context": 2, "limit": 1e9}, "big-1- a line"},
		"no match":     {"a line of no interest\n", args{"context": 1e9}, "No matches found"},
		"no newline":   {"a very long line ", nil, "No matches found\n\n[Lines of which only the first 8 MB were searched: 1]"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			text, err := runOn(t.Context(), oneFile{open: func() reader { return &endless{size: 128 << 20, line: strings.Repeat(tt.line, 4096)} }}, tt.args)
			runtime.ReadMemStats(&after)
			if err != nil || name != "many matches" && text != tt.want {
				t.Errorf("%q, %v", text, err)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
				t.Errorf("%d MB were allocated for a file of 128 MB", used>>20)
			}
		})
	}
}

func TestNoticeOnlyIfThereIsMore(t *testing.T) {
	dir := tree(t, map[string]string{"a.txt": strings.Repeat("x\n", 60), "b.txt": strings.Repeat("x\n", 40), "c/none.txt": "y\n"})
	text, details := mustRun(t, dir, args{"pattern": "x"})
	if strings.Count(text, "\n") != 99 || *details != (grep.Details{}) {
		t.Errorf("100 of 100 matches: %d lines, %+v", strings.Count(text, "\n")+1, details)
	}
	text, details = mustRun(t, dir, args{"pattern": "x", "limit": 99})
	if strings.Count(text, ": x\n") != 99 || !strings.HasSuffix(text, "or raise limit]") || details.MatchLimitReached != 99 {
		t.Errorf("99 of 100 matches: %s, %+v", text, details)
	}
	for _, limit := range []float64{0, -5, 0.5, 1.9} {
		text, details := mustRun(t, dir, args{"pattern": "x", "limit": limit})
		if !strings.HasPrefix(text, "a.txt:1: x\n\n[") || details.MatchLimitReached != 1 {
			t.Errorf("limit %v: %q, %+v", limit, text, details)
		}
	}
	text, details = mustRun(t, dir, args{"pattern": "y", "limit": 1})
	if text != "c/none.txt:1: y" || details.MatchLimitReached != 0 {
		t.Errorf("one of one: %q, %+v", text, details)
	}
}

func TestLinesAreCutBetweenCharacters(t *testing.T) {
	dir := tree(t, map[string]string{
		"exact.txt": strings.Repeat("😀", 500) + "\n",
		"long.txt":  strings.Repeat("😀", 501) + "\n",
		"odd.txt":   "x" + strings.Repeat("😀", 30000) + "\n",
		"bytes.txt": strings.Repeat("\xf0\x9f", 3000) + "😀\n",
	})
	text, details := mustRun(t, dir, args{"pattern": "😀", "path": "exact.txt"})
	if text != "exact.txt:1: "+strings.Repeat("😀", 500) || details.LinesTruncated {
		t.Errorf("500 characters: %d bytes, %+v", len(text), details)
	}
	text, details = mustRun(t, dir, args{"pattern": "😀"})
	if !utf8.ValidString(text) || !details.LinesTruncated {
		t.Errorf("long lines: valid %v, %+v", utf8.ValidString(text), details)
	}
	for _, want := range []string{
		"\nlong.txt:1: " + strings.Repeat("😀", 500) + "... [truncated]\n",
		"\nodd.txt:1: x" + strings.Repeat("😀", 499) + "... [truncated]\n",
		"\n\n[Long lines are cut at 500 characters; use read to see them whole]",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%.30q… is missing", want)
		}
	}
}

func TestOutputIsCutBetweenLines(t *testing.T) {
	dir := tree(t, map[string]string{"a.txt": strings.Repeat(strings.Repeat("😀", 400)+"\n", 200)})
	text, details := mustRun(t, dir, args{"pattern": "😀"})
	if details.Truncation == nil || details.Truncation.TotalLines != 100 || details.MatchLimitReached != 100 {
		t.Fatalf("details: %+v", details)
	}
	body, notice, _ := strings.Cut(text, "\n\n[")
	if len(body) > 50<<10 || !strings.HasSuffix(body, "😀") || !strings.Contains(notice, "50.0KB") {
		t.Errorf("%d bytes, notice %q", len(body), notice)
	}
}

func TestCancelStopsTheSearch(t *testing.T) {
	dir := tree(t, map[string]string{"a.txt": "x\n"})
	cause := errors.New("stopped by the user")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	for _, path := range []string{"", "a.txt"} {
		if _, _, err := run(ctx, dir, args{"pattern": "x", "path": path}); !errors.Is(err, cause) {
			t.Errorf("cancelled before the start, path %q: %v", path, err)
		}
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	last := 0
	_, err := runOn(ctx, oneFile{open: func() reader {
		return &endless{size: 1 << 40, line: "a line\n", seen: func(pos int) {
			if last = pos; pos > 1<<20 {
				cancel(cause)
			}
		}}
	}}, nil)
	if !errors.Is(err, cause) || last > 4<<20 {
		t.Errorf("cancelled during the search: %v after %d bytes", err, last)
	}
}

func TestCancelStopsWithinALine(t *testing.T) {
	cause := errors.New("stopped by the user")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	lines := oneFile{open: func() reader {
		return &endless{size: 7 << 20, line: strings.Repeat("a", 1<<16), seen: func(pos int) {
			if pos == 7<<20 {
				cancel(cause) // the next thing is to match the line, which would take long
			}
		}}
	}}
	if _, err := runOn(ctx, lines, args{"pattern": "^(" + strings.Repeat("[a-b]*c?", 60) + "){3}$|[^a]"}); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

func TestPatternsTakeLinearTime(t *testing.T) {
	dir := tree(t, map[string]string{"a.txt": strings.Repeat("a", 100000) + "!\n"})
	for _, pattern := range []string{"(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*a){20}$"} {
		check(t, dir, args{"pattern": "^" + pattern}, "No matches found")
	}
	for pattern, hint := range map[string]string{
		"a(?=b)": "look-around", "(?!b)a": "look-around", "(?<=b)a": "look-around", "(?<!b)a": "look-around",
		`(a)\1`: "back-references", `(?P<q>a)\k<q>`: "back-references",
		"((a{100}){100}){100}": "smaller repetitions", "a{2000}": "smaller repetitions", strings.Repeat("(", 2000) + strings.Repeat(")", 2000): "smaller",
		"foo(": "literal", "[a": "literal", "*": "literal", "a\nb": "span lines", `a\nb`: "span lines",
	} {
		if _, _, err := run(t.Context(), dir, args{"pattern": pattern}); err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%.40q: error %v, want one about %q", pattern, err, hint)
		}
	}
}

func TestPlacesThatCannotBeSearched(t *testing.T) {
	dir := tree(t, map[string]string{"a.txt": "x\n"})
	if _, _, err := run(t.Context(), dir, args{"pattern": "x", "path": "none"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Symlink("a.txt", filepath.Join(dir, "link.txt")); err != nil {
		t.Fatal(err)
	}
	check(t, dir, args{"pattern": "x"}, "a.txt:1: x")
	check(t, dir, args{"pattern": "x", "path": "link.txt"}, "link.txt:1: x")
	if _, _, err := run(t.Context(), dir, args{"pattern": "x", "path": os.DevNull}); err == nil {
		t.Error("a device was searched")
	}
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	if err := os.Chmod(filepath.Join(dir, "a.txt"), 0); err != nil {
		t.Fatal(err)
	}
	check(t, dir, args{"pattern": "x"}, "No matches found", "", "[Files and folders that could not be read: 1]")
}

func TestOtherFileSystem(t *testing.T) {
	files := &hosttest.Memory{}
	files.Put("/srv/app/main.go", "package main\n")
	files.Put("/srv/app/.ignore", "gen\n")
	files.Put("/srv/app/gen/x.go", "package gen\n")
	raw, err := json.Marshal(args{"pattern": "package", "path": "app"})
	if err != nil {
		t.Fatal(err)
	}
	result, err := grep.New("/srv", &grep.Options{Host: files}).Execute(t.Context(), &agent.Call{Args: raw})
	if err != nil {
		t.Fatal(err)
	}
	if got := result.Content[0].(*ai.Text).Text; got != "main.go:1: package main" {
		t.Errorf("got %q", got)
	}
}

func TestDeclaration(t *testing.T) {
	tool := grep.New("/", nil)
	if tool.Name != "grep" || tool.Description == "" || grep.Snippet == "" || !tool.Declaration().Parameters.IsValid() {
		t.Errorf("incomplete: %+v", tool)
	}
}
