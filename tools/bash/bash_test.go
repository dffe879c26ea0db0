//go:build unix

package bash_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/tools/host"
)

// sh runs one command with the tool in a folder of its own.
func sh(t testing.TB, command string) *agent.ToolResult {
	t.Helper()
	return call(t, bash.New(t.TempDir(), nil), map[string]any{"command": command})
}

func TestResultText(t *testing.T) {
	for _, test := range []struct {
		name, command, want string
		isError             bool
	}{
		{"output", "echo hi", "hi\n", false},
		{"no output", "true", "(no output)", false},
		{"order", "echo one; echo two >&2; echo three", "one\ntwo\nthree\n", false},
		{"script", "x=1\nfor i in a b; do\n  echo \"$i$x\"\ndone\ncat <<EOT\nheredoc $x\nEOT", "a1\nb1\nheredoc 1\n", false},
		{"failure", "echo out; exit 3", "out\n\n\nCommand exited with code 3", true},
		{"failure without output", "exit 7", "Command exited with code 7", true},
		{"invalid UTF-8", `printf 'a\377b\n'; printf 'caf\303\251 \342\202'`, "a\ufffdb\ncafé \ufffd", false},
		{"background", "sleep 25 & echo started", "started\n", false},
		{"failure with background", "sleep 25 & exit 1", "Command exited with code 1. A process in the background still has its output open", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			res := sh(t, test.command)
			if got := res.Content.Text(); got != test.want || res.IsError != test.isError {
				t.Errorf("got %q, error %v", got, res.IsError)
			}
		})
	}
}

func TestWorkingFolder(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, cwd := range []string{dir, link} {
		if got := call(t, bash.New(cwd, nil), map[string]any{"command": "pwd"}).Content.Text(); got != cwd+"\n" {
			t.Errorf("in %s: got %q", cwd, got)
		}
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	_, err := bash.New(link, nil).Execute(t.Context(), &agent.Call{Args: []byte(`{"command":"pwd"}`)})
	res := call(t, bash.New(link, nil), map[string]any{"command": "pwd"})
	if text := res.Content.Text(); err != nil || !res.IsError || !strings.Contains(text, "does not exist any more") {
		t.Errorf("result %q, error %v", text, err)
	}
}

func TestCommandsThatCannotRun(t *testing.T) {
	for command, want := range map[string]string{
		"echo a\x00b":                        "NUL",
		"echo " + strings.Repeat("x", 4<<20): "write the script to a file",
	} {
		if res := sh(t, command); !res.IsError || !strings.Contains(res.Content.Text(), want) {
			t.Errorf("got %q", res.Content.Text())
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("SSH_ASKPASS_REQUIRE", "force")
	opts := &bash.Options{
		CommandPrefix: "PREFIX=set",
		Env:           func() []string { return []string{"PI_SESSION_ID=s1", "AI_AGENT=other"} },
	}
	command := `echo "$PREFIX $AI_AGENT $PI_SESSION_ID $GIT_TERMINAL_PROMPT $SSH_ASKPASS_REQUIRE"`
	res := call(t, bash.New(t.TempDir(), opts), map[string]any{"command": command})
	if got := res.Content.Text(); got != "set other s1 0 force\n" {
		t.Errorf("got %q", got)
	}
	if got := sh(t, "echo $AI_AGENT").Content.Text(); got != "rondo\n" {
		t.Errorf("got %q", got)
	}
}

func TestShell(t *testing.T) {
	for _, test := range []struct{ shell, want string }{
		{"", "bash"},
		{"/bin/sh", "sh"},
	} {
		res := call(t, bash.New(t.TempDir(), &bash.Options{Shell: test.shell}), map[string]any{"command": `basename "$0"`})
		if got := strings.TrimSpace(res.Content.Text()); got != test.want {
			t.Errorf("shell %q: got %q", test.shell, got)
		}
	}
	res := call(t, bash.New(t.TempDir(), &bash.Options{Shell: "/no/shell"}), map[string]any{"command": "true"})
	if !res.IsError || !strings.Contains(res.Content.Text(), "shellPath") {
		t.Errorf("got %q", res.Content.Text())
	}
}

func TestTimeout(t *testing.T) {
	tool := bash.New(t.TempDir(), nil)
	res := call(t, tool, map[string]any{"command": "echo before; sleep 20; echo after", "timeout": 0.5})
	text := res.Content.Text()
	if !res.IsError || !strings.HasPrefix(text, "before\n\n\nCommand stopped: it did not end within its timeout of 0.5 seconds.") {
		t.Errorf("got %q", text)
	}
	if string(res.Details) != "{}" {
		t.Errorf("details %s", res.Details)
	}
}

// abortAt runs commands at the same time, and aborts them when each has made its file.
func abortAt(t *testing.T, commands ...string) []*bash.Result {
	t.Helper()
	ctx, abort := context.WithCancel(t.Context())
	defer abort()
	dir := t.TempDir()
	results := make([]*bash.Result, len(commands))
	var wg sync.WaitGroup
	for i, command := range commands {
		wg.Go(func() {
			text := fmt.Sprintf("%s; touch %d; sleep 600; echo late", command, i)
			r, err := bash.Run(ctx, host.Command{Text: text, Dir: dir}, nil, nil)
			if err != nil {
				t.Error(err)
			}
			results[i] = r
		})
	}
	for i := range commands {
		awaitFile(t, filepath.Join(dir, fmt.Sprint(i)))
	}
	abort()
	wg.Wait()
	return results
}

func awaitFile(t *testing.T, path string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
	t.Errorf("%s was never made", path)
}

func TestAbortEndsAllCommands(t *testing.T) {
	for i, r := range abortAt(t, "echo 0", "echo 1", "trap '' TERM; echo 2") {
		data, err := json.Marshal(r)
		want := fmt.Sprintf(`{"output":"%d\n","cancelled":true,"truncated":false}`, i)
		if err != nil || string(data) != want {
			t.Errorf("got %s, %v, want %s", data, err, want)
		}
	}
}

func TestRun_AbortedTool(t *testing.T) {
	ctx, abort := context.WithCancel(t.Context())
	dir := t.TempDir()
	go func() {
		awaitFile(t, filepath.Join(dir, "begun"))
		abort()
	}()
	args := []byte(`{"command":"echo begun; touch begun; sleep 20; echo ended"}`)
	res, err := bash.New(dir, nil).Execute(ctx, &agent.Call{Args: args})
	if err != nil || !res.IsError || res.Content.Text() != "begun\n\n\nCommand aborted: it was stopped before it had ended" {
		t.Errorf("got %q, %v", res.Content.Text(), err)
	}
}

func TestRun_UserCommand(t *testing.T) {
	var deltas strings.Builder
	r, err := bash.Run(t.Context(), host.Command{Text: "echo hello; exit 3", Dir: t.TempDir()}, nil,
		func(delta string) { deltas.WriteString(delta) })
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(r)
	if want := `{"output":"hello\n","exitCode":3,"cancelled":false,"truncated":false}`; err != nil || string(data) != want {
		t.Errorf("got %s, %v, want %s", data, err, want)
	}
	if deltas.String() != "hello\n" {
		t.Errorf("deltas %q", deltas.String())
	}
}

func TestBackgroundWriter(t *testing.T) {
	res := sh(t, "(for i in $(seq 100); do echo x; sleep 0.05; done) & sleep 0.2; echo end")
	text := res.Content.Text()
	if res.IsError || !strings.Contains(text, "end\n") || !strings.HasSuffix(text, "is not shown]") {
		t.Errorf("got %q, error %v", text, res.IsError)
	}
}

func TestOutputThroughASibling(t *testing.T) {
	for range 5 {
		if got := sh(t, "exec > >(tee -a log) 2>&1; echo hi").Content.Text(); got != "hi\n" {
			t.Errorf("got %q", got)
		}
	}
}

func TestNothingWaitsForAPerson(t *testing.T) {
	for command, want := range map[string]string{
		"cat":                                  "(no output)",
		"read x || echo none":                  "none\n",
		"(: </dev/tty) 2>/dev/null || echo no": "no\n",
		"grep x || echo none":                  "none\n",
	} {
		if got := sh(t, command).Content.Text(); got != want {
			t.Errorf("%s: got %q", command, got)
		}
	}
}

func TestEmojiThroughThePipe(t *testing.T) {
	want := strings.Repeat("😀", 10_000)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("x"+want), 0o600); err != nil {
		t.Fatal(err)
	}
	got := call(t, bash.New(dir, nil), map[string]any{"command": "dd if=f bs=4095 2>/dev/null"}).Content.Text()
	if got != "x"+want {
		t.Errorf("got %d bytes, want %d", len(got), len(want)+1)
	}
}

func TestRandomBytes(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	res := sh(t, "head -c 100000 /dev/urandom")
	data, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(res.Content.Text(), "\x00\x1b\x7f\r") {
		t.Error("control characters in the result")
	}
	if regexp.MustCompile(`\\u00`).Match(data) {
		t.Error("control characters in the JSON")
	}
}

func TestSplitEscapeSequence(t *testing.T) {
	res := sh(t, `printf '\033['; sleep 0.1; printf '31mred\033]0;ti'; sleep 0.1; printf 'tle\007 text\n'`)
	if got := res.Content.Text(); got != "red text\n" {
		t.Errorf("got %q", got)
	}
}

var notice = regexp.MustCompile(`\n\n\[These are lines (\d+)-(\d+) of (\d+)(, within the limit of 50.0KB)?\. Full output: (\S+)\]$`)

func TestWhateverIsCutIsInAFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, test := range []struct {
		command           string
		from, to, of, why string
	}{
		{"seq 3000", "1001", "3000", "3000", ""},
		{"seq 20000", "18001", "20000", "20000", ""},
		{"yes " + strings.Repeat("x", 99) + " | head -n 1000", "489", "1000", "1000", ", within the limit of 50.0KB"},
	} {
		res := sh(t, test.command)
		text := res.Content.Text()
		m := notice.FindStringSubmatch(text)
		if m == nil {
			t.Errorf("%s: no notice at the end of the result: %q", test.command, text[max(0, len(text)-200):])
			continue
		}
		if diff := cmp.Diff([]string{test.from, test.to, test.of, test.why}, m[1:5]); diff != "" {
			t.Errorf("%s: notice (-want +got):\n%s", test.command, diff)
		}
		checkDetails(t, res, m[5])
		full, err := os.ReadFile(m[5])
		shown := strings.TrimSuffix(text, m[0])
		if err != nil || !strings.HasSuffix(string(full), "\n"+shown+"\n") {
			t.Errorf("%s: the file does not end in what was shown, error %v", test.command, err)
		}
	}
}

func checkDetails(t *testing.T, res *agent.ToolResult, path string) {
	t.Helper()
	var d bash.Details
	if err := json.Unmarshal(res.Details, &d); err != nil {
		t.Fatal(err)
	}
	if d.Truncation == nil || !d.Truncation.Truncated || d.FullOutputPath != path {
		t.Errorf("details %s", res.Details)
	}
}

func TestLongLine(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	text := sh(t, "head -c 200000 /dev/zero | tr '\\0' x").Content.Text()
	if !strings.Contains(text, "191.3KB left out") || !strings.Contains(text, "[Of long lines the middle is left out; the output has 195.3KB. Full output: ") {
		t.Errorf("got %q", text[max(0, len(text)-2200):])
	}
}

// Also a command that fails, or is stopped, says where its output is.
func TestNoticeBesideAFailure(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	text := sh(t, "seq 3000; exit 1").Content.Text()
	if !regexp.MustCompile(`\n3000\n\n\[These are lines 1001-3000 of 3000\. Full output: \S+\]\n\nCommand exited with code 1$`).MatchString(text) {
		t.Errorf("got %q", text[len(text)-200:])
	}
	for _, r := range abortAt(t, "seq 3000") {
		if !r.Cancelled || !r.Truncated || r.FullOutputPath == "" || !strings.Contains(r.Notice(), r.FullOutputPath) {
			t.Errorf("cancelled %v, truncated %v, file %q, notice %q", r.Cancelled, r.Truncated, r.FullOutputPath, r.Notice())
		}
	}
}

func TestDeathBySignal(t *testing.T) {
	for command, want := range map[string]string{
		"kill -9 $$":                  "Command exited with code 137: it was killed by SIGKILL",
		"kill -SEGV $$":               "Command exited with code 139: it was killed by SIGSEGV",
		"sh -c 'kill -9 $$'; exit $?": "Command exited with code 137, which a shell reports when SIGKILL ended a program",
		"exit 255":                    "Command exited with code 255",
	} {
		res := sh(t, command)
		text := res.Content.Text()
		if i := strings.LastIndex(text, "\n\n"); i >= 0 { // what the shell itself says
			text = text[i+2:]
		}
		if text != want || !res.IsError {
			t.Errorf("%s: got %q, error %v", command, text, res.IsError)
		}
	}
}

func TestBackgroundProcessIsReported(t *testing.T) {
	dir := t.TempDir()
	r, err := bash.Run(t.Context(), host.Command{Text: "echo ok; sleep 25 & exit 0", Dir: dir, Timeout: 20 * time.Second}, nil, nil)
	if err != nil || r.TimedOut || r.ExitCode == nil || *r.ExitCode != 0 || !r.Exit.OutputHeld || r.Exit.OutputLost {
		t.Errorf("result %+v, error %v", r, err)
	}
	if got := string(sh(t, "echo ok; sleep 25 &").Details); got != `{"backgroundProcess":true}` {
		t.Errorf("details %s", got)
	}
	if got := sh(t, "sleep 25 >/dev/null 2>&1 & echo ok").Details; got != nil {
		t.Errorf("details %s", got)
	}
}

func TestLinesAreCountedAsByWc(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	res := sh(t, "seq 2000")
	if text := res.Content.Text(); !strings.HasPrefix(text, "1\n") || !strings.HasSuffix(text, "\n2000\n") || res.Details != nil {
		t.Errorf("got %q, details %s", text[:20], res.Details)
	}
	for command, want := range map[string]string{
		"seq 2001":                   "2-2001 of 2001",
		"seq 2000; printf last":      "2-2001 of 2001",
		"seq 2000; echo":             "2-2001 of 2001",
		"printf '\\n%.0s' {1..2500}": "501-2500 of 2500",
	} {
		if text := sh(t, command).Content.Text(); !strings.Contains(text, "[These are lines "+want+". ") {
			t.Errorf("%s: got %q", command, text[len(text)-150:])
		}
	}
}

func TestStructured(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	tool := bash.New(t.TempDir(), &bash.Options{Structured: true})
	if tool.Output == nil {
		t.Error("no schema of the output")
	}
	var got struct {
		Output    string  `json:"output"`
		Truncated bool    `json:"truncated"`
		Path      string  `json:"full_output_path"`
		ExitCode  *int    `json:"exit_code"`
		WallTime  float64 `json:"wall_time_seconds"`
	}
	for _, test := range []struct {
		command   string
		min, max  int
		truncated bool
		code      int
	}{
		{"echo a; exit 3", 2, 2, false, 3},
		{"seq 3000", 13893, 13893, false, 0},
		{"seq 300000", 1<<20 - 20, 1 << 20, true, 0},
	} {
		got.Path = ""
		res := call(t, tool, map[string]any{"command": test.command})
		if err := json.Unmarshal(res.Structured, &got); err != nil {
			t.Fatal(err)
		}
		if n := len(got.Output); n < test.min || n > test.max || got.Truncated != test.truncated || *got.ExitCode != test.code || got.WallTime <= 0 {
			t.Errorf("%s: %d bytes, truncated %v, code %d, %v s", test.command, n, got.Truncated, *got.ExitCode, got.WallTime)
		}
	}
	if got.Path == "" {
		t.Error("no path")
	}
}

func BenchmarkTrivialCommand(b *testing.B) {
	tool := bash.New(b.TempDir(), nil)
	b.ReportAllocs()
	for b.Loop() {
		call(b, tool, map[string]any{"command": "true"})
	}
}

func BenchmarkOutput(b *testing.B) {
	b.Setenv("TMPDIR", b.TempDir())
	const size = 64 << 20
	file := filepath.Join(b.TempDir(), "f")
	if err := os.WriteFile(file, []byte(strings.Repeat("a line of the output of some command\n", size/37)), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		r, err := bash.Run(b.Context(), host.Command{Text: "cat " + file, Dir: "/"}, nil, nil)
		if err != nil {
			b.Fatal(err)
		}
		os.Remove(r.FullOutputPath)
	}
}
