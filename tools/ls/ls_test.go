package ls_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/tools/internal/tooltest"
	"github.com/rondo-agent/rondo/tools/ls"
)

type args map[string]any

func run(ctx context.Context, cwd string, a args) (string, *ls.Details, error) {
	return tooltest.Run[ls.Details](ctx, ls.New(cwd, nil), a)
}

func mustRun(t *testing.T, cwd string, a args) (string, *ls.Details) {
	t.Helper()
	text, details, err := run(t.Context(), cwd, a)
	if err != nil {
		t.Fatalf("ls %v: %v", a, err)
	}
	return text, details
}

func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		p := filepath.Join(dir, name)
		tooltest.WriteFile(t, p, "")
	}
	return dir
}

func TestRecordedScenario(t *testing.T) {
	dir := tree(t, "src/main.go", "src/util.go", ".hidden/conf", "ignored/main.txt", ".gitignore", "run.log", "Zed.txt", "abc", "Beta")
	if got, _ := mustRun(t, dir, args{}); got != ".gitignore\n.hidden/\nabc\nBeta\nignored/\nrun.log\nsrc/\nZed.txt" {
		t.Errorf("got:\n%s", got)
	}
	if got, _ := mustRun(t, dir, args{"path": "src"}); got != "main.go\nutil.go" {
		t.Errorf("src:\n%s", got)
	}
}

func TestEmpty(t *testing.T) {
	if got, details := mustRun(t, t.TempDir(), args{}); got != "(empty directory)" || *details != (ls.Details{}) {
		t.Errorf("%q, %+v", got, details)
	}
}

func TestLinksToFoldersAreFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	dir := tree(t, "real/a", "file")
	for name, target := range map[string]string{"broken": "nowhere", "to-file": "file", "to-real": "real"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := mustRun(t, dir, args{}); got != "broken\nfile\nreal/\nto-file\nto-real/" {
		t.Errorf("got:\n%s", got)
	}
}

func TestNoticeOnlyIfThereIsMore(t *testing.T) {
	var names []string
	for i := range 500 {
		names = append(names, fmt.Sprintf("f%03d", i))
	}
	dir := tree(t, names...)
	text, details := mustRun(t, dir, args{})
	if text != strings.Join(names, "\n") || *details != (ls.Details{}) {
		t.Errorf("500 of 500: %d lines, %+v", strings.Count(text, "\n")+1, details)
	}
	text, details = mustRun(t, dir, args{"limit": 499})
	if !strings.HasPrefix(text, strings.Join(names[:499], "\n")+"\n\n[Showing 499 of 500 entries") || details.EntryLimitReached != 499 {
		t.Errorf("499 of 500: %s, %+v", text, details)
	}
	for _, limit := range []float64{0, -3, 0.9, 1.5} {
		text, details := mustRun(t, dir, args{"limit": limit})
		if !strings.HasPrefix(text, "f000\n\n[") || details.EntryLimitReached != 1 {
			t.Errorf("limit %v: %q, %+v", limit, text, details)
		}
	}
}

func TestOutputIsCutBetweenLines(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs long names")
	}
	var names []string
	for i := range 400 {
		names = append(names, fmt.Sprintf("%s%03d", strings.Repeat("😀", 50), i))
	}
	text, details := mustRun(t, tree(t, names...), args{})
	body, notice, _ := strings.Cut(text, "\n\n[")
	if details.Truncation == nil || !strings.HasPrefix(strings.Join(names, "\n")+"\n", body+"\n") || !strings.Contains(notice, "50.0KB") {
		t.Errorf("%d bytes, notice %q, %+v", len(body), notice, details)
	}
}

func TestErrors(t *testing.T) {
	dir := tree(t, "file")
	if _, _, err := run(t.Context(), dir, args{"path": "none"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
	if _, _, err := run(t.Context(), dir, args{"path": "file"}); err == nil || !strings.Contains(err.Error(), "not a folder") {
		t.Errorf("a file: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("stopped by the user")
	cancel(cause)
	if _, _, err := run(ctx, dir, args{}); !errors.Is(err, cause) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestDeclaration(t *testing.T) {
	tool := ls.New("/", nil)
	if tool.Name != "ls" || tool.Description == "" || ls.Snippet == "" || !tool.Declaration().Parameters.IsValid() {
		t.Errorf("incomplete: %+v", tool)
	}
}
