package walk_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/internal/gitignore"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/internal/tooltest"
	"github.com/rondo-agent/rondo/tools/internal/walk"
)

// tree makes files; names that end with a slash are folders.
func tree(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if !strings.HasSuffix(name, "/") {
			tooltest.WriteFile(t, p, text)
		} else if err := os.MkdirAll(p, 0o777); err != nil {
			t.Fatal(err)
		}
	}
}

func list(t testing.TB, root string, opts *walk.Options) string {
	t.Helper()
	var all []string
	for e, err := range walk.Dir(t.Context(), host.Local, root, opts) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type.IsDir() {
			e.Rel += "/"
		}
		all = append(all, e.Rel)
	}
	return strings.Join(all, " ")
}

func TestOrder(t *testing.T) {
	dir := t.TempDir()
	tree(t, dir, map[string]string{"b/z": "", "b/a/y": "", "a": "", "B": "", ".h/x": "", "b.txt": "", ".git/HEAD": "", "b/.git/HEAD": "", "a-": "", ".gitx/": ""})
	want := ".gitx/ .h/ .h/x B a a- b/ b/a/ b/a/y b/z b.txt"
	if got := list(t, dir, nil); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestIgnoreFiles(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		root  string
		opts  walk.Options
		want  string
	}{
		{
			"nested files, the deeper is stronger",
			map[string]string{".gitignore": "*.log\n/dist/\n", "a.log": "", "dist/x": "", "sub/dist/x": "", "sub/.gitignore": "!keep.log\n", "sub/keep.log": "", "sub/b.log": ""},
			"",
			walk.Options{},
			".gitignore sub/ sub/.gitignore sub/dist/ sub/dist/x sub/keep.log",
		}, {
			"files above count up to the top of the repository",
			map[string]string{".gitignore": "a\n", "repo/.git/": "", "repo/.gitignore": "b\n/in/c\n", "repo/in/a": "", "repo/in/b": "", "repo/in/c": "", "repo/in/d/c": ""},
			"repo/in",
			walk.Options{RequireGit: true},
			"a d/ d/c",
		}, {
			"outside a repository all files above count",
			map[string]string{".gitignore": "a\n", "x/.gitignore": "/in/b\n", "x/in/a": "", "x/in/b": "", "x/in/c": ""},
			"x/in",
			walk.Options{},
			"c",
		}, {
			"outside a repository none count, if one is required",
			map[string]string{".gitignore": "a\n", ".ignore": "b\n", "x/a": "", "x/b": "", "x/c/.git/": "", "x/c/.gitignore": "d\n", "x/c/a": "", "x/c/d": ""},
			"x",
			walk.Options{RequireGit: true, IgnoreFiles: []string{".ignore"}},
			"a c/ c/.gitignore c/a",
		}, {
			"a repository in a repository has its own rules",
			map[string]string{".git/": "", ".gitignore": "a\n", "in/.git/": "", "in/a": "", "in/.gitignore": "b\n", "in/b": "", "a": ""},
			"",
			walk.Options{RequireGit: true},
			".gitignore in/ in/.gitignore in/a",
		}, {
			"the order of strength",
			map[string]string{".git/info/exclude": "a\nb\nc\nd\n", ".gitignore": "!a\n", "sub/.gitignore": "a\nb\n", ".ignore": "!b\n", ".rgignore": "c\n", "sub/.ignore": "!c\n", "a": "", "sub/a": "", "sub/b": "", "sub/c": "", "sub/d": ""},
			"",
			walk.Options{IgnoreFiles: []string{".rgignore", ".ignore"}},
			".gitignore .ignore .rgignore a sub/ sub/.gitignore sub/.ignore sub/b",
		}, {
			"a folder that is ignored is not entered",
			map[string]string{".gitignore": "out\n!out/keep\n", "out/keep": "", "a": ""},
			"",
			walk.Options{},
			".gitignore a",
		}, {
			"a folder that is named is searched",
			map[string]string{".gitignore": "out/\nout/sub\n*.log\n", "out/keep": "", "out/sub/x": "", "out/a.log": ""},
			"out",
			walk.Options{},
			"keep",
		}, {
			"worktree",
			map[string]string{"main/.git/info/exclude": "a\n", "main/.git/worktrees/wt/commondir": "../..\n", "wt/.git": "gitdir: ../main/.git/worktrees/wt\n", "wt/a": "", "wt/b": ""},
			"wt",
			walk.Options{RequireGit: true},
			".git b",
		}, {
			"submodule",
			map[string]string{".git/modules/sub/info/exclude": "a\n", "sub/.git": "gitdir: ../.git/modules/sub\n", "sub/a": "", "sub/b": ""},
			"sub",
			walk.Options{RequireGit: true},
			".git b",
		}, {
			"an ignore file that is none",
			map[string]string{".gitignore/x": "", "a": ""},
			"",
			walk.Options{},
			".gitignore/ .gitignore/x a",
		}, {
			"override",
			map[string]string{".gitignore": "*.log\nout\n", "a.log": "", "b.txt": "", "out/c.log": "", "sub/d.log": ""},
			"",
			walk.Options{Override: func(rel string, dir bool) gitignore.Verdict {
				switch {
				case strings.HasSuffix(rel, ".log"):
					return gitignore.Include
				case dir:
					return gitignore.None
				}
				return gitignore.Ignore
			}},
			"a.log sub/ sub/d.log",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			tree(t, dir, tt.files)
			if got := list(t, filepath.Join(dir, tt.root), &tt.opts); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestAgreesWithGit compares with the files that git would add.
func TestAgreesWithGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	tree(t, dir, map[string]string{
		".gitignore": "*.o\n/build\nnode_modules/\n!keep.o\ndocs/**/*.html\n**/tmp/\n\\#x\nq\\ \n[Bb]in/\nlogs/*\n!logs/keep/\n",
		"a.o":        "", "keep.o": "", "a.c": "", "build/x": "", "src/build/x": "", "node_modules/m/i.js": "", "src/node_modules": "",
		"docs/a.html": "", "docs/x/y/a.html": "", "docs/x/a.md": "", "src/tmp/x": "", "src/tmp.txt": "", "#x": "", "q ": "", "q": "",
		"bin/x": "", "src/Bin/x": "", "logs/a": "", "logs/keep/a": "", "logs/other/a": "",
		"src/.gitignore": "!*.o\nkeep.o\n*.tmp\n!/x.tmp\n", "src/a.o": "", "src/keep.o": "", "src/x.tmp": "", "src/sub/x.tmp": "", "src/sub/a.o": "",
	})
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), git, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	run("init", "--quiet")
	if err := os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte("*.md\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSuffix(run("ls-files", "-z", "--others", "--exclude-standard"), "\x00"), "\x00")
	var got []string
	for e, err := range walk.Dir(t.Context(), host.Local, dir, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if !e.Type.IsDir() {
			got = append(got, e.Rel)
		}
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	dir := t.TempDir()
	tree(t, dir, map[string]string{"real/.git/": "", "real/.gitignore": "b\n", "real/sub/a": "", "real/sub/b": ""})
	for name, target := range map[string]string{"loop": ".", "broken": "nowhere", "far": "real/sub"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := list(t, dir, &walk.Options{RequireGit: true}), "broken far loop real/ real/.gitignore real/sub/ real/sub/a"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// The root itself may be a link: what counts are the ignore files where it leads.
	if got := list(t, filepath.Join(dir, "far"), &walk.Options{RequireGit: true}); got != "a" {
		t.Errorf("through a link: %s", got)
	}
}

func TestErrors(t *testing.T) {
	for e, err := range walk.Dir(t.Context(), host.Local, filepath.Join(t.TempDir(), "none"), nil) {
		if !errors.Is(err, os.ErrNotExist) || e.Rel != "" {
			t.Errorf("%+v, %v", e, err)
		}
	}
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("everything can be read")
	}
	dir := t.TempDir()
	tree(t, dir, map[string]string{"a/x": "", "b/x": "", "c": ""})
	if err := os.Chmod(filepath.Join(dir, "a"), 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Join(dir, "a"), 0o777)
	var got []string
	for e, err := range walk.Dir(t.Context(), host.Local, dir, nil) {
		if err != nil {
			e.Rel += "!"
		}
		got = append(got, e.Rel)
	}
	if strings.Join(got, " ") != "a a! b b/x c" {
		t.Errorf("%q", got)
	}
}

func TestCancelEndsTheWalk(t *testing.T) {
	dir := t.TempDir()
	tree(t, dir, map[string]string{"a/b": "", "c/d": "", "e/f": ""})
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var got []string
	for e, err := range walk.Dir(ctx, host.Local, dir, nil) {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, e.Rel)
		cancel(cause)
	}
	if strings.Join(got, " ") != "a enough" {
		t.Errorf("%q", got)
	}
}
