//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// running is rondo as a process of its own, in a folder of its own.
type running struct {
	t      *testing.T
	dir    string
	cmd    *exec.Cmd
	stdin  *os.File // its other end
	stdout *os.File
	stderr bytes.Buffer
}

// launch starts rondo with the scripted model and these replies.
func launch(t *testing.T, replies string, args ...string) *running {
	t.Helper()
	dir := t.TempDir()
	p := &running{t: t, dir: dir}
	p.write("script.json", `{"replies": [`+replies+`]}`)
	p.cmd = exec.Command("rondo", append([]string{"--script", "script.json", "--session-id", "s"}, args...)...)
	p.start()
	return p
}

func (p *running) start() {
	p.t.Helper()
	p.cmd.Dir = p.dir
	p.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "TMPDIR=" + p.dir, "GORACE=" + os.Getenv("GORACE")}
	in, stdin, err := os.Pipe()
	if err != nil {
		p.t.Fatal(err)
	}
	stdout, out, err := os.Pipe()
	if err != nil {
		p.t.Fatal(err)
	}
	p.stdin, p.stdout = stdin, stdout
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, out, &p.stderr
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	in.Close()
	out.Close()
	p.t.Cleanup(func() {
		p.cmd.Process.Kill()
		stdin.Close()
		stdout.Close()
	})
}

func (p *running) write(name, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(p.dir, name)), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// await returns what is in a file as soon as it ends with a newline.
func (p *running) await(name string) string {
	p.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if text, _ := os.ReadFile(filepath.Join(p.dir, name)); bytes.HasSuffix(text, []byte("\n")) {
			return string(text)
		}
	}
	p.t.Fatalf("%s does not come; stderr: %s", name, &p.stderr)
	return ""
}

// exit waits for the end of the program and returns its exit code.
func (p *running) exit() int {
	p.t.Helper()
	kill := time.AfterFunc(patience, func() { p.cmd.Process.Kill() })
	defer kill.Stop()
	if err := p.cmd.Wait(); err != nil {
		if _, exited := errors.AsType[*exec.ExitError](err); !exited {
			p.t.Fatal(err)
		}
	}
	return p.cmd.ProcessState.ExitCode()
}

// expect checks the end of the program.
func (p *running) expect(code int, stderr string) {
	p.t.Helper()
	if got := p.exit(); got != code {
		p.t.Errorf("exit code %d, want %d", got, code)
	}
	if got := p.stderr.String(); stderr == "" && got != "" || !strings.Contains(got, stderr) {
		p.t.Errorf("stderr %q, want %q", got, stderr)
	}
}

func (p *running) signal(sig os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Fatal(err)
	}
}

// send writes a command of the RPC protocol.
func (p *running) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.stdin, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// busy is a reply that runs a command with a descendant; both wait for ever. Their process
// ids are in the file pids.
const busy = `{"tools": [{"name": "bash", "args": {"command": "sleep 600 & (echo $$ $!) > pids; wait"}}]}`

// expectGone checks that the processes of the busy reply have ended.
func (p *running) expectGone(pids string) {
	p.t.Helper()
	for _, field := range strings.Fields(pids) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			p.t.Fatal(err)
		}
		for end := time.Now().Add(patience); alive(pid); time.Sleep(2 * time.Millisecond) {
			if time.Now().After(end) {
				p.t.Errorf("process %d has not ended", pid)
				break
			}
		}
	}
}

// alive reports whether a process runs; one that nobody has waited for does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil { // pid (name) state
		_, state, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(state, "Z")
	}
	state, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err != nil || !strings.HasPrefix(strings.TrimSpace(string(state)), "Z")
}

// expectLines checks that the output consists of whole JSON lines and returns their types.
func expectLines(t *testing.T, output []byte) []string {
	t.Helper()
	if !bytes.HasSuffix(output, []byte("\n")) {
		t.Errorf("the last line is cut: %.200q", output[bytes.LastIndexByte(output, '\n')+1:])
	}
	var types []string
	for line := range bytes.Lines(output) {
		var ev struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(line, &ev); err != nil {
			t.Errorf("%v in the line %.200s", err, line)
		}
		types = append(types, ev.Type)
	}
	return types
}

func TestSignalsEndCommands(t *testing.T) {
	for _, mode := range []string{"text", "json", "rpc"} {
		for sig, code := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130, syscall.SIGHUP: 129} {
			t.Run(mode+"/"+sig.String(), func(t *testing.T) {
				t.Parallel()
				args := []string{"--mode", mode}
				if mode != "rpc" {
					args = append(args, "go")
				}
				p := launch(t, busy, args...)
				if mode == "rpc" {
					p.send(`{"type":"prompt","message":"go"}`)
				} else {
					p.stdin.Close()
				}
				pids := p.await("pids")
				p.signal(sig)
				output, err := io.ReadAll(p.stdout)
				if err != nil {
					t.Fatal(err)
				}
				p.expect(code, "")
				p.expectGone(pids)
				if mode == "text" {
					if len(output) > 0 {
						t.Errorf("output %q", output)
					}
				} else if types := expectLines(t, output); types[len(types)-1] != "agent_settled" {
					t.Errorf("the last events are %q", types[max(len(types)-3, 0):])
				}
				expectPaired(t, p.dir)
			})
		}
	}
}

// expectPaired checks that the call of the busy reply has its result in the session (law
// L6).
func expectPaired(t *testing.T, dir string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, ".rondo", "sessions", "*", "*"))
	if len(files) != 1 {
		t.Fatalf("sessions: %v", files)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte(`"role":"toolResult"`)); n != 1 {
		t.Errorf("%d results in\n%s", n, text)
	}
}

// A signal that was ignored when the program began, as nohup does it, stays ignored.
func TestSignals_Nohup(t *testing.T) {
	p := &running{t: t, dir: t.TempDir()}
	p.write("script.json", `{"replies": [{"tools": [{"name": "bash", "args": {"command": "echo up > up; until [ -e go ]; do sleep 0.01; done"}}]}, "done"]}`)
	p.cmd = exec.Command("sh", "-c", `trap "" HUP; exec rondo --script script.json go`)
	p.start()
	p.stdin.Close()
	p.await("up")
	p.signal(syscall.SIGHUP)
	p.write("go", "")
	output, _ := io.ReadAll(p.stdout)
	p.expect(0, "")
	if string(output) != "done\n" {
		t.Errorf("output %q", output)
	}
}

// The first signal lets the run end in order, which a reader that does not read prevents;
// the second one ends the program, and its commands, at once.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	p := launch(t, strings.Replace(busy, "sleep", "yes | head -c 100000; sleep", 1), "--mode", "json", "go")
	p.stdin.Close()
	pids := p.await("pids")
	stop := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				p.cmd.Process.Signal(syscall.SIGINT)
			}
		}
	}()
	p.expect(130, "")
	close(stop)
	<-stopped
	p.expectGone(pids)
}

func TestEndOfInputAndSignalTogether(t *testing.T) {
	p := launch(t, busy, "--mode", "rpc")
	p.send(`{"type":"prompt","message":"go"}`)
	pids := p.await("pids")
	p.stdin.Close()
	p.signal(syscall.SIGTERM)
	output, _ := io.ReadAll(p.stdout)
	p.expect(143, "")
	p.expectGone(pids)
	settled := 0
	for _, typ := range expectLines(t, output) {
		if typ == "agent_settled" {
			settled++
		}
	}
	if settled != 1 {
		t.Errorf("settled %d times:\n%s", settled, output)
	}
}

// A signal also ends the wait for standard input.
func TestSignals_WhileReadingInput(t *testing.T) {
	p := launch(t, `"never"`, "go")
	if _, err := p.stdin.Write(make([]byte, 1<<18)); err != nil { // more than a pipe holds
		t.Fatal(err)
	}
	p.signal(syscall.SIGINT)
	p.expect(130, "")
	if files, _ := os.ReadDir(filepath.Join(p.dir, ".rondo")); len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
}

func TestBrokenPipeIsAFailure(t *testing.T) {
	t.Run("json", func(t *testing.T) { // rondo --mode json | head -1
		// A command that goes on talking, because the pipe may take the rest before it closes.
		talking := strings.Replace(busy, "; wait", "; while sleep 0.02; do echo here; done", 1)
		p := launch(t, talking+`, "done"`, "--mode", "json", "go")
		p.stdin.Close()
		if line, err := bufio.NewReaderSize(p.stdout, 16).ReadString('\n'); err != nil || !strings.HasPrefix(line, `{"type":"session"`) {
			t.Errorf("first line %q, %v", line, err)
		}
		p.stdout.Close()
		p.expect(1, "rondo: write the events: write /dev/stdout: broken pipe\n")
		if pids, err := os.ReadFile(filepath.Join(p.dir, "pids")); err == nil {
			p.expectGone(string(pids))
		}
	})
	t.Run("text", func(t *testing.T) {
		p := launch(t, `"hello"`, "go")
		p.stdin.Close()
		p.stdout.Close()
		p.expect(1, "rondo: write the answer: write /dev/stdout: broken pipe\n")
	})
	t.Run("rpc", func(t *testing.T) { // the client has gone, but its end of the input is open
		p := launch(t, busy, "--mode", "rpc")
		p.send(`{"type":"prompt","message":"go"}`)
		pids := p.await("pids")
		p.stdout.Close()
		p.send(`{"type":"get_state"}`)
		p.expect(1, "rondo: write to the client: write /dev/stdout: broken pipe\n")
		p.expectGone(pids)
	})
	t.Run("full", func(t *testing.T) {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip(err)
		}
		defer full.Close()
		cmd := exec.Command("rondo", "--no-session", "--model", "scripted", "hello")
		cmd.Stdout, cmd.Env = full, []string{"HOME=" + t.TempDir()}
		cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != 1 {
			t.Errorf("exit code %d", code)
		}
	})
}

func TestSlowReaderGetsEverything(t *testing.T) {
	const size = 1_500_000
	reply := fmt.Sprintf(`{"text": %q, "chunks": 10}`, strings.Repeat("0123456789", size/10))
	for _, mode := range []string{"text", "json"} {
		t.Run(mode, func(t *testing.T) {
			p := launch(t, reply, "--mode", mode, "go")
			p.stdin.Close()
			var output []byte
			for piece := make([]byte, 16<<10); ; time.Sleep(100 * time.Microsecond) {
				n, err := p.stdout.Read(piece)
				output = append(output, piece[:n]...)
				if err != nil {
					break
				}
			}
			p.expect(0, "")
			if mode == "text" {
				if len(output) != size+1 {
					t.Errorf("%d bytes", len(output))
				}
				return
			}
			types := expectLines(t, output)
			if types[len(types)-1] != "agent_settled" || types[len(types)-2] != "agent_end" {
				t.Errorf("the last events are %q", types[len(types)-2:])
			}
		})
	}
}

// The exit codes of a run do not apply to the RPC mode: its client sees them as events.
func TestRPC_FailedModel(t *testing.T) {
	p := launch(t, `{"error": {"status": 400, "message": "refused"}}, {"text": "cut", "stop": "length"}`, "--mode", "rpc")
	lines := bufio.NewScanner(p.stdout)
	for _, reason := range []string{"error", "length"} {
		p.send(`{"id":1,"type":"prompt","message":"go"}`)
		var got string
		for lines.Scan() {
			var ev struct {
				Type    string         `json:"type"`
				Message jsontext.Value `json:"message"`
			}
			if err := json.Unmarshal(lines.Bytes(), &ev); err != nil {
				t.Fatal(err)
			}
			if ev.Type == "turn_end" {
				got = string(ev.Message)
			}
			if ev.Type == "agent_settled" {
				break
			}
		}
		if !strings.Contains(got, `"stopReason":"`+reason+`"`) {
			t.Errorf("the answer is %s", got)
		}
	}
	p.stdin.Close()
	if lines.Scan() {
		t.Errorf("a line after the last event: %s", lines.Text())
	}
	p.expect(0, "")
}
