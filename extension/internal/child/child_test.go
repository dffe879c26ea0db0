package child_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/extension/internal/child"
)

// roles are what the test binary is as a program.
var roles = map[string]func(){
	"echo": func() {
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			fmt.Println(in.Text())
		}
	},
	"deaf": func() { time.Sleep(time.Minute) },
	"stubborn": func() {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		fmt.Println("up")
		time.Sleep(time.Minute)
	},
	"mute": func() { os.Stdout.Close(); time.Sleep(time.Minute) },
	"parent": func() { // leaves a child with all its files
		cmd := exec.Command(os.Args[0], "role:stubborn")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		fmt.Println(cmd.Process.Pid)
	},
	"failing": func() { fmt.Fprintln(os.Stderr, "no such thing as luck"); os.Exit(3) },
}

func TestMain(m *testing.M) {
	if name, ok := strings.CutPrefix(os.Args[len(os.Args)-1], "role:"); ok {
		roles[name]()
		return
	}
	goleak.VerifyTestMain(m)
}

// lines collects what a program writes.
type collected struct {
	mu    sync.Mutex
	lines []string
	came  chan struct{}
}

func start(t *testing.T, role string) (*child.Child, *collected) {
	t.Helper()
	got := &collected{came: make(chan struct{}, 1000)}
	c, err := child.Start(&child.Options{
		Command: []string{os.Args[0], "role:" + role}, Env: os.Environ(),
		Line: func(line []byte) {
			got.mu.Lock()
			got.lines = append(got.lines, string(line))
			got.mu.Unlock()
			got.came <- struct{}{}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Kill(fmt.Errorf("the test is over"), 0); <-c.Done() })
	return c, got
}

func (c *collected) wait(t *testing.T, n int) []string {
	t.Helper()
	for range n {
		select {
		case <-c.came:
		case <-time.After(time.Minute):
			t.Fatal("nothing comes")
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lines
}

func ended(t *testing.T, c *child.Child) error {
	t.Helper()
	select {
	case <-c.Done():
		return c.Err()
	case <-time.After(30 * time.Second):
		t.Fatal("the program does not end")
		return nil
	}
}

func TestChild_Echo(t *testing.T) {
	c, got := start(t, "echo")
	c.Send([]byte("{\"a\":1,\n\"b\":\"x\u2028y\"}"))
	c.Send([]byte("second"))
	lines := got.wait(t, 2)
	if lines[0] != "{\"a\":1,\"b\":\"x\u2028y\"}" || lines[1] != "second" {
		t.Errorf("lines: %q", lines)
	}
	c.CloseInput()
	if err := ended(t, c); err == nil || !strings.Contains(err.Error(), "exit code 0") {
		t.Errorf("the end: %v", err)
	}
	c.Send([]byte("nobody reads this"))
}

func TestChild_SaysWhy(t *testing.T) {
	c, _ := start(t, "failing")
	if err := ended(t, c); err == nil || !strings.Contains(err.Error(), "exit code 3; it wrote: no such thing as luck") {
		t.Errorf("the end: %v", err)
	}
}

func TestChild_NotReading(t *testing.T) {
	c, _ := start(t, "deaf")
	line := make([]byte, 1<<20)
	for i := range line {
		line[i] = 'x'
	}
	for range 80 {
		c.Send(line[:len(line):len(line)])
	}
	if err := ended(t, c); err != child.ErrNotReading {
		t.Errorf("the end: %v", err)
	}
}

func TestChild_Mute(t *testing.T) {
	c, _ := start(t, "mute")
	if err := ended(t, c); err != child.ErrMute {
		t.Errorf("the end: %v", err)
	}
}

func TestChild_IgnoresSignals(t *testing.T) {
	c, got := start(t, "stubborn")
	got.wait(t, 1)
	reason := fmt.Errorf("enough")
	c.Kill(reason, 50*time.Millisecond)
	if err := ended(t, c); err != reason {
		t.Errorf("the end: %v", err)
	}
}

// TestChild_LeavesAGrandchild: what a program leaves behind, with its pipes, ends with it.
func TestChild_LeavesAGrandchild(t *testing.T) {
	c, got := start(t, "parent")
	var pid int
	if _, err := fmt.Sscan(got.wait(t, 1)[0], &pid); err != nil {
		t.Fatal(err)
	}
	ended(t, c)
	p, err := os.FindProcess(pid)
	if err != nil {
		return
	}
	for range 100 {
		if p.Signal(syscall.Signal(0)) != nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("the grandchild %d is alive", pid)
}

func TestChild_CannotStart(t *testing.T) {
	_, err := child.Start(&child.Options{Command: []string{"/there/is/no/such/program"}, Line: func([]byte) {}})
	if err == nil {
		t.Error("no error")
	}
}
