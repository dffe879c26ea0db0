package process_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/internal/process"
)

// alive reports whether a process is there and not just waiting for its parent to ask.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := bytes.Cut(stat, []byte(") "))
	return len(rest) > 0 && rest[0] != 'Z' && rest[0] != 'X'
}

// readPid waits for a file with a process id.
func readPid(t *testing.T, path string) int {
	t.Helper()
	for end := time.Now().Add(long); time.Now().Before(end); time.Sleep(time.Millisecond) {
		data, _ := os.ReadFile(path)
		if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil && bytes.HasSuffix(data, []byte("\n")) {
			t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
			return pid
		}
	}
	t.Fatalf("no process id in %s", path)
	return 0
}

func awaitDeath(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(long); alive(pid); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %d is still there", pid)
		}
	}
}

func TestWhatLeavesTheGroupIsStopped(t *testing.T) {
	const record = `echo $$ > "$F.tmp"; mv "$F.tmp" "$F"; `
	for name, text := range map[string]string{
		"group":       `bash -c '` + record + `sleep 600; :' & sleep 600`,
		"own group":   `set -m; bash -c '` + record + `sleep 600; :' & sleep 600; :`,
		"setsid":      `setsid bash -c '` + record + `sleep 600; :' & sleep 600; :`,
		"double fork": `(setsid -f bash -c '` + record + `sleep 600; :'); sleep 600; :`,
		"ignores":     `(setsid -f bash -c 'trap "" TERM; ` + record + `while :; do sleep 0.01; done'); sleep 600; :`,
		"no mark":     `env -u RONDO_PROCESS setsid bash -c '` + record + `sleep 600; :' & sleep 600; :`,
		"dead middle": `(bash -c '` + record + `sleep 600; :' &) ; sleep 600; :`,
		"pipeline":    `yes | (` + strings.ReplaceAll(record, "$$", "$BASHPID") + ` while :; do sleep 0.01; done) | cat`,
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pid")
			t.Setenv("F", file)
			p, _ := run(t, text)
			pid := readPid(t, file)
			if !alive(pid) {
				t.Fatal("the descendant is not there")
			}
			if left := p.Stop(100 * time.Millisecond); left != nil {
				t.Errorf("left: %v", left)
			}
			if alive(pid) {
				t.Errorf("process %d is still there", pid)
			}
			p.Drain(t.Context(), 0, 0)
		})
	}
}

func TestStop_DoesNotTouchOthers(t *testing.T) {
	other, err := process.Start(exec.Command("sleep", "600"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Stop(0)
	p, _ := run(t, "sleep 600; :")
	p.Stop(long)
	p.Drain(t.Context(), 0, 0)
	if !alive(other.Pid()) {
		t.Error("another command was stopped as well")
	}
}

// A command that starts commands with this package, in sessions of their own, takes them
// with it.
func TestStop_ReachesNestedCommands(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	t.Setenv("F", file)
	t.Setenv(helperVariable, `echo $$ > "$F"; trap "" TERM; while :; do sleep 0.01; done`)
	p, _ := run(t, "'"+os.Args[0]+"'; :")
	pid := readPid(t, file)
	if left := p.Stop(0); left != nil {
		t.Errorf("left: %v", left)
	}
	if alive(pid) {
		t.Errorf("process %d is still there", pid)
	}
	p.Drain(t.Context(), 0, 0)
}

func TestCommandsEndWithTheProgram(t *testing.T) {
	for _, test := range []struct {
		name   string
		signal syscall.Signal
		text   string
	}{
		{"a signal that is handled", syscall.SIGTERM, `(setsid -f bash -c 'echo $$ > "$F"; sleep 600; :'); sleep 600`},
		{"kill -9", syscall.SIGKILL, `echo $$ > "$F"; exec sleep 600`},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pid")
			agent := exec.Command(os.Args[0])
			agent.Env = append(os.Environ(), helperVariable+"="+test.text, "F="+file)
			if err := agent.Start(); err != nil {
				t.Fatal(err)
			}
			pid := readPid(t, file)
			if err := agent.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			_ = agent.Wait()
			awaitDeath(t, pid)
		})
	}
}
