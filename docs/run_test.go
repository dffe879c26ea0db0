package docs_test

import (
	"errors"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/rondo-agent/rondo/config"
)

// built is the folder of the program that binary has built.
var built string

// binary builds the program once and returns its folder.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "rondo-docs")
	if err != nil {
		return "", err
	}
	built = dir
	out, err := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "../cmd/rondo").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build rondo: %w\n%s", err, out)
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	if address, ok := strings.CutPrefix(os.Args[len(os.Args)-1], "relay:"); ok {
		relay(address)
		return
	}
	code := m.Run()
	if built != "" {
		os.RemoveAll(built)
	}
	os.Exit(code)
}

// place is where the blocks of a page run: a working folder, a state folder, and an
// environment without keys.
type place struct {
	bin, work, home string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	p := &place{bin: bin, work: filepath.Join(dir, "project"), home: filepath.Join(dir, "home")}
	for _, folder := range []string{p.work, p.home} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *place) command(name string, args ...string) *exec.Cmd {
	if name == "rondo" {
		name = filepath.Join(p.bin, name)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = p.work
	cmd.Env = []string{
		"PATH=" + p.bin + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"HOME=" + p.work, "RONDO_HOME=" + p.home, "USER=docs", "RONDO_LOCAL_SERVERS=off", "TMPDIR=" + os.TempDir(),
	}
	return cmd
}

func TestShellBlocks_PrintWhatIsShown(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the pages show commands of a Unix shell")
	}
	for _, page := range pages(t, "*.md") {
		t.Run(page.name, func(t *testing.T) {
			t.Parallel()
			where := newPlace(t)
			for _, b := range page.blocks {
				if b.is("fresh") {
					where = newPlace(t)
				}
				switch {
				case b.is("file"):
					where.install(t, b)
				case b.is("run"):
					where.run(t, b, page.output(b))
				}
			}
		})
	}
}

// install puts a configuration file, or an extension, in its place.
func (p *place) install(t *testing.T, b *block) {
	t.Helper()
	if b.lang == "ts" {
		if err := os.WriteFile(filepath.Join(p.work, b.marks["file"]), []byte(b.text), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.WriteFile(filepath.Join(p.home, b.marks["file"]), []byte(b.text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(p.home)
	if wrong := err != nil || len(c.Warnings()) > 0; wrong != b.is("wrong") {
		t.Errorf("%s: loading the file gives the error %v", b.at, err)
	}
}

func (p *place) run(t *testing.T, b, output *block) {
	t.Helper()
	out, err := p.command("sh", "-c", b.text).CombinedOutput()
	code := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatalf("%s: %v", b.at, err)
	}
	want := b.marks["exit"]
	if want == "" {
		want = "0"
	}
	if fmt.Sprint(code) != want {
		t.Errorf("%s: exit code %d, want %s; it printed\n%s", b.at, code, want, out)
	}
	if output == nil {
		t.Errorf("%s: the output is not shown; it is\n%s", b.at, out)
	} else if !matchesText(output.text, string(out)) {
		t.Errorf("%s: the output is\n%s", output.at, out)
	}
}

func TestGoBlocks_Work(t *testing.T) {
	for _, page := range pages(t, "*.md") {
		for _, b := range page.blocks {
			switch {
			case b.is("program"):
				t.Run(b.at, func(t *testing.T) {
					t.Parallel()
					checkProgram(t, b, page.output(b))
				})
			case b.is("from"):
				checkExcerpt(t, b)
			}
		}
	}
}

// checkProgram checks a program, and runs it if its output is shown or it is a test. The
// file lies outside of the module but is built as if it were in its root.
func checkProgram(t *testing.T, b, output *block) {
	t.Helper()
	if formatted, err := format.Source([]byte(b.text)); err != nil || string(formatted) != b.text {
		t.Errorf("%s: not formatted as gofmt does it (%v)", b.at, err)
	}
	name, verb := "main.go", "vet"
	switch {
	case strings.Contains(b.text, "\nfunc Test"):
		name, verb = "main_test.go", "test"
	case output != nil:
		verb = "run"
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(b.text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", verb, file)
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: go %s: %v\n%s", b.at, verb, err, out)
	}
	if output != nil && !matchesText(output.text, string(out)) {
		t.Errorf("%s: the output is\n%s", output.at, out)
	}
}

// checkExcerpt sees that a block stands in a file, indentation aside.
func checkExcerpt(t *testing.T, b *block) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", b.marks["from"]))
	if err != nil {
		t.Errorf("%s: %v", b.at, err)
		return
	}
	if !strings.Contains(flat(string(data)), flat(b.text)) {
		t.Errorf("%s: this does not stand in %s any more", b.at, b.marks["from"])
	}
}

func flat(code string) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		b.WriteString("\n" + strings.TrimSpace(line))
	}
	return b.String() + "\n"
}
