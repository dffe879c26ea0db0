//go:build unix

package process_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/internal/process"
)

// long is a time that no test waits for unless something is broken.
const long = time.Minute

// run starts a command and collects its output.
func run(t *testing.T, text string) (*process.Process, *buffer) {
	t.Helper()
	out := new(buffer)
	p, err := process.Start(exec.Command("bash", "-c", text), out.write)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(0) })
	return p, out
}

type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) write(p []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// await waits until the output contains text.
func (b *buffer) await(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(long); !strings.Contains(b.String(), text); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %q in the output %q", text, b)
		}
	}
}

func TestExit(t *testing.T) {
	for _, test := range []struct {
		text   string
		code   int
		signal string
	}{
		{"true", 0, ""},
		{"exit 3", 3, ""},
		{"kill -9 $$", 137, "SIGKILL"},
		{"kill -SEGV $$", 139, "SIGSEGV"},
		{"sh -c 'kill -9 $$'; exit $?", 137, ""},
	} {
		p, _ := run(t, test.text)
		got, err := p.Wait()
		if want := (process.Exit{Code: test.code, Signal: test.signal}); err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", test.text, got, err, want)
		}
		p.Drain(t.Context(), long, long)
	}
}

func TestStart_Fails(t *testing.T) {
	_, err := process.Start(exec.Command("/no/such/program"), func([]byte) {})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestOutputKeepsTheOrder(t *testing.T) {
	p, out := run(t, "for i in 1 2 3; do echo out$i; echo err$i >&2; done")
	<-p.Exited()
	if left := p.Drain(t.Context(), long, long); left != process.Nobody {
		t.Errorf("left over: %v", left)
	}
	if got, want := out.String(), "out1\nerr1\nout2\nerr2\nout3\nerr3\n"; got != want {
		t.Errorf("got %q", got)
	}
}

func TestStop_AsksFirst(t *testing.T) {
	p, out := run(t, "trap 'echo cleaned; exit 4' TERM; echo ready; while :; do sleep 0.01; done")
	out.await(t, "ready")
	if left := p.Stop(long); left != nil {
		t.Errorf("left: %v", left)
	}
	p.Drain(t.Context(), 0, 0)
	if !strings.Contains(out.String(), "cleaned") {
		t.Errorf("output %q", out)
	}
	if exit, _ := p.Wait(); exit.Code != 4 {
		t.Errorf("exit %+v", exit)
	}
}

func TestStop_KillsWhatIgnoresTheRequest(t *testing.T) {
	p, out := run(t, "trap '' TERM; echo ready; while :; do sleep 0.01; done")
	out.await(t, "ready")
	if left := p.Stop(50 * time.Millisecond); left != nil {
		t.Errorf("left: %v", left)
	}
	p.Drain(t.Context(), 0, 0)
	if exit, _ := p.Wait(); exit.Signal != "SIGKILL" {
		t.Errorf("exit %+v", exit)
	}
}

func TestStop_EndsWhatIsSuspended(t *testing.T) {
	p, out := run(t, "echo ready; kill -STOP $$; echo resumed")
	out.await(t, "ready")
	if left := p.Stop(long); left != nil {
		t.Errorf("left: %v", left)
	}
	p.Drain(t.Context(), 0, 0)
	if exit, _ := p.Wait(); exit.Signal != "SIGTERM" {
		t.Errorf("exit %+v", exit)
	}
}

func TestStop_LeavesTheBackgroundOfAFinishedCommand(t *testing.T) {
	p, out := run(t, "(sleep 0.3; echo later) & echo now")
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	p.Stop(0)
	if left := p.Drain(t.Context(), long, long); left != process.Nobody {
		t.Errorf("left over: %v", left)
	}
	if got := out.String(); got != "now\nlater\n" {
		t.Errorf("got %q", got)
	}
}

func TestKillAllEndsEveryCommand(t *testing.T) {
	var all []*process.Process
	for range 3 {
		p, out := run(t, "echo ready; sleep 600; echo late")
		out.await(t, "ready")
		all = append(all, p)
	}
	process.KillAll(0)
	for _, p := range all {
		if exit, _ := p.Wait(); exit.Signal != "SIGKILL" {
			t.Errorf("exit %+v", exit)
		}
		p.Drain(t.Context(), 0, 0)
	}
}

func TestDrainHasALimit(t *testing.T) {
	p, out := run(t, "(while :; do echo x; sleep 0.01; done) & echo $!; sleep 0.1; echo end")
	<-p.Exited()
	left := p.Drain(t.Context(), 200*time.Millisecond, 400*time.Millisecond)
	if left != process.Writing {
		t.Errorf("left over: %v", left)
	}
	if !strings.Contains(out.String(), "end\n") {
		t.Errorf("output %q", out)
	}
	kill(t, out) // not needed where it dies of the broken pipe
}

// kill ends the process whose id is the first line of the output.
func kill(t *testing.T, out *buffer) {
	t.Helper()
	pid, _, _ := strings.Cut(out.String(), "\n")
	_ = exec.Command("kill", "-9", pid).Run()
}

func TestDrain_ReadsWhatASlowReaderHasNotSeen(t *testing.T) {
	const size = 150_000 // more than a pipe holds and less than two pieces and a pipe
	var got int
	slow := func(p []byte) {
		if got == 0 {
			time.Sleep(300 * time.Millisecond)
		}
		got += len(p)
	}
	p, err := process.Start(exec.Command("bash", "-c", "sleep 1 & head -c 60000 /dev/zero; head -c 90000 /dev/zero"), slow)
	if err != nil {
		t.Fatal(err)
	}
	<-p.Exited()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if left := p.Drain(ctx, long, long); left != process.Silent {
		t.Errorf("left over: %v", left)
	}
	if got != size {
		t.Errorf("read %d bytes, want %d", got, size)
	}
}

func TestNoTerminalAndNoInput(t *testing.T) {
	p, out := run(t, "cat; read x; echo read $?; (: </dev/tty) 2>/dev/null || echo no tty")
	<-p.Exited()
	p.Drain(t.Context(), long, long)
	if got := out.String(); got != "read 1\nno tty\n" {
		t.Errorf("got %q", got)
	}
}

func BenchmarkStart(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		p, err := process.Start(exec.Command("/bin/true"), func([]byte) {})
		if err != nil {
			b.Fatal(err)
		}
		<-p.Exited()
		p.Drain(b.Context(), long, long)
		if _, err := p.Wait(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStart_StandardLibrary(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := exec.Command("/bin/true").CombinedOutput(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStop(b *testing.B) {
	for b.Loop() {
		p, err := process.Start(exec.Command("sleep", "600"), nil)
		if err != nil {
			b.Fatal(err)
		}
		p.Stop(long)
	}
}
