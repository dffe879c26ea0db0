//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// console is rondo in a terminal: the real program at one end of a pseudo-terminal, an
// emulator that reads the screen at the other.
type console struct {
	*running
	pty    *os.File
	read   chan struct{} // closed when all that the program has written is on the screen
	copied sync.WaitGroup

	mu     sync.Mutex
	screen *vt.Emulator
	raw    strings.Builder // all that the program has written
}

// Keys as terminals send them.
const (
	enter  = "\r"
	escape = "\x1b"
	ctrlC  = "\x03"
	ctrlZ  = "\x1a"
	ctrlL  = "\x0c"
	up     = "\x1b[A"
	down   = "\x1b[B"
	left   = "\x1b[D"
)

// prepare makes rondo for a terminal with the scripted model and these replies; an empty text
// is no script.
func prepare(t *testing.T, replies string, args ...string) *running {
	t.Helper()
	p := &running{t: t, dir: t.TempDir()}
	if replies != "" {
		p.write("script.json", `{"replies": [`+replies+`]}`)
		args = append([]string{"--script", "script.json"}, args...)
	}
	p.cmd = exec.Command("rondo", args...)
	return p
}

// show starts it in a terminal of this size.
func (p *running) show(width, height int) *console {
	p.t.Helper()
	c := &console{running: p, screen: vt.NewEmulator(width, height), read: make(chan struct{})}
	p.cmd.Dir = p.dir
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "TMPDIR=" + p.dir, "TERM=xterm-256color", "GORACE=" + os.Getenv("GORACE")}, p.cmd.Env...)
	var err error
	c.pty, err = pty.StartWithSize(p.cmd, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)})
	if err != nil {
		p.t.Fatal(err)
	}
	c.copied.Go(func() {
		defer close(c.read)
		buf := make([]byte, 64<<10)
		for {
			n, err := c.pty.Read(buf)
			if n > 0 {
				c.mu.Lock()
				c.raw.Write(buf[:n])
				_, _ = c.screen.Write(buf[:n])
				c.mu.Unlock()
			}
			if err != nil {
				return
			}
		}
	})
	c.copied.Go(func() { _, _ = io.Copy(c.pty, c.screen) }) // what the emulator answers
	p.t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = c.pty.Close()
		_ = c.screen.InputPipe().(io.Closer).Close() // what it answers ends
		c.copied.Wait()
	})
	c.until("raw mode", func() bool { // what is typed before means something else
		c.mu.Lock()
		defer c.mu.Unlock()
		return strings.Contains(c.raw.String(), "\x1b[?2026l")
	})
	return c
}

// rows returns the lines of the screen without blanks at their ends.
func (c *console) rows() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var rows []string
	for y := range c.screen.Height() {
		var b strings.Builder
		for x := 0; x < c.screen.Width(); {
			cell := c.screen.CellAt(x, y)
			if cell == nil || cell.Content == "" {
				b.WriteByte(' ')
				x++
				continue
			}
			b.WriteString(cell.Content)
			x += max(cell.Width, 1)
		}
		rows = append(rows, strings.TrimRight(b.String(), " "))
	}
	return rows
}

func (c *console) text() string { return strings.TrimRight(strings.Join(c.rows(), "\n"), "\n") }

// history returns what has been scrolled off the screen, and the screen.
func (c *console) history() string {
	rest := c.text()
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	for y := range c.screen.ScrollbackLen() {
		var line strings.Builder
		for x := range c.screen.Width() {
			if cell := c.screen.ScrollbackCellAt(x, y); cell != nil && cell.Content != "" {
				line.WriteString(cell.Content)
			} else {
				line.WriteByte(' ')
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String() + rest
}

// resize changes the terminal's size.
func (c *console) resize(width, height int) {
	c.t.Helper()
	c.mu.Lock()
	c.screen.Resize(width, height)
	c.mu.Unlock()
	if err := pty.Setsize(c.pty, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		c.t.Fatal(err)
	}
}

// until waits for a condition.
func (c *console) until(what string, ok func() bool) {
	c.t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(3 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("%s does not come; the screen is\n%s", what, c.text())
		}
	}
}

// sees waits until a text is on the screen.
func (c *console) sees(text string) {
	c.t.Helper()
	c.until(text, func() bool { return strings.Contains(c.text(), text) })
}

// loses waits until a text is no longer on the screen.
func (c *console) loses(text string) {
	c.t.Helper()
	c.until("the end of "+text, func() bool { return !strings.Contains(c.text(), text) })
}

// types sends keys.
func (c *console) types(keys ...string) {
	c.t.Helper()
	for _, k := range keys {
		if _, err := io.WriteString(c.pty, k); err != nil {
			c.t.Fatal(err)
		}
	}
}

// say writes a message and sends it.
func (c *console) say(message string) {
	c.t.Helper()
	c.types(message)
	c.sees(message)
	c.types(enter)
}

// shows compares the screen with lines, where … at an end stands for anything.
func (c *console) shows(want ...string) {
	c.t.Helper()
	c.until(strings.Join(want, "\n"), func() bool { return matches(c.rows(), want) })
}

// matches reports whether the wanted lines stand below each other somewhere.
func matches(rows, want []string) bool {
	for from := 0; from+len(want) <= len(rows); from++ {
		ok := true
		for i, w := range want {
			begin, open := strings.CutSuffix(w, "…")
			if rows[from+i] != w && !(open && strings.HasPrefix(rows[from+i], begin)) {
				ok = false
				break
			}
		}
		if ok {
			return true
		}
	}
	return false
}

// leave quits and returns the exit code.
func (c *console) leave() int {
	c.t.Helper()
	c.types(ctrlC)
	c.sees("ctrl+c again leaves")
	c.types(ctrlC)
	code := c.exit()
	<-c.read
	return code
}
