package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sys/unix"
)

// TestFullDisk fills the disk under a running session, in two ways: by a limit
// on the size of its files, and where we may mount one by a file system that is really full.
func TestFullDisk(t *testing.T) {
	t.Run("limit", func(t *testing.T) {
		dir := scriptFolder(t, diskScript)
		c := serveSession(t, dir)
		testFullDisk(t, c, func() string { return theSession(t, dir) }, "file too large", func() (room func()) {
			info, err := os.Stat(theSession(t, dir))
			if err != nil {
				t.Fatal(err)
			}
			old := limitFiles(t, c, &unix.Rlimit{Cur: uint64(info.Size()) + 50, Max: unix.RLIM_INFINITY})
			return func() { limitFiles(t, c, old) }
		})
	})
	t.Run("file system", func(t *testing.T) {
		dir := scriptFolder(t, diskScript)
		small := mountSmall(t)
		c := serveSession(t, dir, "--session-dir", small)
		file := func() string {
			files, _ := filepath.Glob(filepath.Join(small, "*.jsonl"))
			if len(files) != 1 {
				t.Fatalf("sessions: %v", files)
			}
			return files[0]
		}
		testFullDisk(t, c, file, "no space left on device", func() (room func()) {
			filler := filepath.Join(small, "filler")
			f, err := os.Create(filler)
			if err != nil {
				t.Fatal(err)
			}
			for err == nil {
				_, err = f.Write(make([]byte, 4096))
			}
			f.Close()
			return func() { os.Remove(filler) }
		})
	})
}

// diskScript has one answer for each prompt that is stored.
const diskScript = `"first answer", "second answer"`

func testFullDisk(t *testing.T, c *client, file func() string, reason string, fill func() (room func())) {
	c.prompt("one")
	c.until("agent_settled")
	before, err := os.ReadFile(file())
	if err != nil {
		t.Fatal(err)
	}
	room := fill()
	c.prompt("two " + strings.Repeat("and a long text ", 500))
	told := false
	for l := c.next(); l == nil || l.Type != "agent_settled"; l = c.next() {
		if l == nil {
			t.Fatalf("the program has ended: %s", &c.stderr)
		}
		told = told || l.Type == "message_end" && bytes.Contains(l.Message, []byte(`"errorMessage"`)) && bytes.Contains(l.Message, []byte(reason))
	}
	if !told {
		t.Error("the client was not told")
	}
	c.bash("echo unrecorded")
	if l := c.until("response"); l.Success {
		t.Error("a command that could not be recorded was acknowledged")
	}
	full, err := os.ReadFile(file())
	if err != nil || !bytes.HasPrefix(full, before) {
		t.Errorf("what was there has changed: %v", err)
	}
	expectJSONLines(t, full)

	room()
	c.prompt("three")
	c.until("agent_settled")
	c.end()
	text, err := os.ReadFile(file())
	if err != nil {
		t.Fatal(err)
	}
	expectJSONLines(t, text)
	for _, want := range []string{`"one"`, `"first answer"`, `"two and`, `"three"`, `"second answer"`, `"echo unrecorded"`} {
		if n := bytes.Count(text, []byte(want)); n != 1 {
			t.Errorf("the file has %s %d times", want, n)
		}
	}
	expectWhole(t, file())
}

func expectJSONLines(t *testing.T, text []byte) {
	t.Helper()
	if !bytes.HasSuffix(text, []byte("\n")) {
		t.Error("the last line is torn")
	}
	for l := range bytes.Lines(text) {
		if !jsontext.Value(l).IsValid() {
			t.Errorf("a line that is no JSON: %q", l)
		}
	}
}

// limitFiles changes how large files of the running program may become.
func limitFiles(t *testing.T, c *client, limit *unix.Rlimit) (old *unix.Rlimit) {
	t.Helper()
	old = new(unix.Rlimit)
	if err := unix.Prlimit(c.cmd.Process.Pid, unix.RLIMIT_FSIZE, limit, old); err != nil {
		t.Fatal(err)
	}
	return old
}

// mountSmall mounts a file system of a few pages.
func mountSmall(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// A disk that is full from the beginning: the user reads why, and the program fails.
func TestFullDiskFromTheBeginning(t *testing.T) {
	small := mountSmall(t)
	if err := os.WriteFile(filepath.Join(small, "filler"), make([]byte, 64<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := scriptFolder(t, `"never"`)
	cmd := exec.Command("rondo", "--session-dir", small, "--model", "scripted", "--script", "script.json", "-p", strings.Repeat("long ", 2000))
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(string(out), "no space left on device") || strings.Contains(string(out), "never") {
		t.Errorf("exit code %d, %v: %s", code, err, out)
	}
	if strings.Count(string(out), "\n") != 1 {
		t.Errorf("the user is told more than once: %s", out)
	}
}

func TestAKilledProgramTakesItsCommandsAlong(t *testing.T) {
	p := launch(t, `{"tools": [{"name": "bash", "args": {"command": "echo $$ > pid; exec sleep 600"}}]}`, "--mode", "rpc")
	p.send(`{"type":"prompt","message":"go"}`)
	p.send(`{"type":"bash","command":"echo $$ > user; exec sleep 600"}`)
	pids := []string{p.await("pid"), p.await("user")}
	p.signal(syscall.SIGKILL)
	p.exit()
	for _, pid := range pids {
		p.expectGone(pid)
	}
}
