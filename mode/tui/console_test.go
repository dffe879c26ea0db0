package tui_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/tui"
	"github.com/rondo-agent/rondo/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("update", false, "write the golden frames anew")

// console is the program in an emulated terminal, with a session that a scripted model answers.
type console struct {
	*prepared
	*screen
	term    *tui.Terminal
	runtime *rondo.Runtime
	ended   chan struct{}
	err     error // of Run, once it has ended
	cancel  context.CancelCauseFunc
	close   func()        // ends it, and closes the session
	took    time.Duration // from the start of the terminal to its first frame
}

// Keys as terminals send them.
const (
	enter    = "\r"
	escape   = "\x1b"
	ctrlC    = "\x03"
	ctrlJ    = "\n"
	ctrlO    = "\x0f"
	ctrlL    = "\x0c"
	tab      = "\t"
	up       = "\x1b[A"
	down     = "\x1b[B"
	left     = "\x1b[D"
	altEnter = "\x1b\r"
	altUp    = "\x1b[1;3A"
	bksp     = "\x7f"
)

// prepared is what a console will show.
type prepared struct {
	t     testing.TB
	dir   string // where the session works
	home  string
	model *scripted.Model
	opts  rondo.Options
	term  tui.Options
	first []session.Prompt
	id    string // of the session; empty for a new one
}

// prepare makes a console with replies in the format of [scripted.Script], and these extensions.
func prepare(t testing.TB, replies string, extensions ...string) *prepared {
	t.Helper()
	script, err := scripted.ParseScript([]byte(`{"replies": [` + replies + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	p := &prepared{t: t, dir: t.TempDir(), model: script.Model()}
	p.home = filepath.Join(p.dir, ".rondo")
	t.Setenv("HOME", p.dir)
	p.opts = rondo.Options{
		Home: p.home, Dir: p.dir,
		Models: rondo.ModelOptions{Custom: scripted.Record(), Stream: p.model.Stream},
	}
	for _, e := range extensions {
		p.opts.Extensions.Paths = append(p.opts.Extensions.Paths, filepath.Join(p.dir, e))
	}
	p.term.Settings = settings{}
	p.term.Greeting = []string{"Rondo — / commands, @ files, ! shell, /hotkeys keys"}
	p.term.ImageProtocol = "none"
	return p
}

// settings are those that the terminal saves.
type settings map[string]any

func (s settings) Save(key string, value any) error {
	s[key] = value
	return nil
}

func (s settings) Value(key string) any { return s[key] }

func (p *prepared) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// show starts the terminal with a size.
func (p *prepared) show(width, height int) *console {
	p.t.Helper()
	c := &console{prepared: p, screen: newScreen(width, height), ended: make(chan struct{})}
	ctx, cancel := context.WithCancelCause(context.Background())
	c.cancel = cancel
	app, err := rondo.New(ctx, &p.opts)
	if err != nil {
		p.t.Fatal(err)
	}
	open := app.Open
	if p.id != "" {
		open = func(ctx context.Context, o *rondo.SessionOptions) (*rondo.Session, error) {
			return app.ResumeID(ctx, p.id, o)
		}
	}
	s, err := open(ctx, &rondo.SessionOptions{})
	if err != nil {
		p.t.Fatal(err)
	}
	p.term.Device = c.screen
	p.term.Models = s.Models
	p.term.Sessions = func(ctx context.Context) (infos []tui.SessionInfo, err error) {
		kept, err := app.Sessions(ctx, "")
		for _, k := range kept {
			infos = append(infos, tui.SessionInfo{Path: k.Path, Title: cmp.Or(k.Name, k.First), ID: k.Header.ID, Modified: k.Modified, Messages: k.Messages})
		}
		return infos, err
	}
	c.term = tui.New(&p.term)
	c.runtime = app.Runtime(s, func(now *session.Session, r *session.Change) { c.term.Replaced(now, r) })
	var helpers sync.WaitGroup
	helpers.Go(c.answer)
	start := time.Now()
	helpers.Go(func() {
		defer close(c.ended)
		c.err = c.term.Run(ctx, c.runtime.Runtime, p.first)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.change()
	})
	c.close = sync.OnceFunc(func() {
		cancel(errOver)
		c.unblock()
		<-c.ended
		_ = c.vt.InputPipe().(io.Closer).Close() // what it answers ends
		_ = c.typed.Close()
		helpers.Wait()
		if err := errors.Join(c.runtime.Close(context.Background()), app.Close(context.Background())); err != nil {
			p.t.Error(err)
		}
	})
	p.t.Cleanup(c.close)
	c.until("the first frame", func() bool { return c.wrote("\x1b\\[\\?2026l") })
	c.took = time.Since(start)
	return c
}

var errOver = errors.New("the test has ended")

// until waits for a condition, which is looked at after each change of the screen.
func (c *console) until(what string, ok func() bool) {
	c.t.Helper()
	limit := time.After(time.Minute)
	for {
		c.mu.Lock()
		changed := c.changed
		c.mu.Unlock()
		if ok() {
			return
		}
		select {
		case <-changed:
		case <-limit:
			c.t.Fatalf("%s does not come; the screen is\n%s", what, c.text())
		}
	}
}

// rows returns the lines of the screen without blanks at their ends.
func (c *console) rows() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lines()
}

func (c *console) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.contents()
}

// history returns what has been scrolled off the screen, and the screen.
func (c *console) history() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	for y := range c.vt.ScrollbackLen() {
		var line strings.Builder
		for x := range c.vt.Width() {
			if cell := c.vt.ScrollbackCellAt(x, y); cell != nil && cell.Content != "" {
				line.WriteString(cell.Content)
			} else {
				line.WriteByte(' ')
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String() + c.contents()
}

// resize changes the size of the screen.
func (c *console) resize(width, height int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.vt.Resize(width, height)
	select {
	case c.resized <- struct{}{}:
	default: // the program has yet to look at the size
	}
}

// block makes that nothing which is written is taken, until unblock.
func (c *console) block() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.blocked = make(chan struct{})
}

func (c *console) unblock() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.blocked != nil {
		close(c.blocked)
		c.blocked = nil
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

// wrote reports whether what has been written matches a pattern.
func (c *console) wrote(pattern string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return regexp.MustCompile(pattern).MatchString(c.raw.String())
}

// written waits until a text has been written, sequences included.
func (c *console) written(text string) {
	c.t.Helper()
	c.until(strconv.Quote(text), func() bool { return c.wrote(regexp.QuoteMeta(text)) })
}

// types sends keys.
func (c *console) types(keys ...string) {
	c.t.Helper()
	for _, k := range keys {
		if _, err := io.WriteString(c.typed, k); err != nil {
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

// shows waits until lines stand below each other somewhere; … at an end stands for anything.
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

// colour reports whether the character at a place has one.
func (c *console) colour(x, y int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	cell := c.vt.CellAt(x, y)
	return cell != nil && cell.Style.Fg != nil
}

// leave quits, and checks that the terminal is as before.
func (c *console) leave() {
	c.t.Helper()
	c.types(ctrlC)
	c.sees("ctrl+c again leaves")
	c.types(ctrlC)
	c.exits()
}

// exits waits for the end, which must be one in order.
func (c *console) exits() {
	c.t.Helper()
	<-c.ended
	if c.err != nil {
		c.t.Error(c.err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.modes != 0 || !strings.HasSuffix(c.raw.String(), "\x1b[?2026l") && !strings.Contains(c.raw.String(), "\x1b[?2004l") {
		c.t.Errorf("the terminal is not switched back (%d)", c.modes)
	}
}

// frame compares the screen, and where the cursor stands, with the golden frame of a name in
// testdata/frames. It waits for it.
func (c *console) frame(name string) {
	c.t.Helper()
	path := filepath.Join("testdata", "frames", strings.ReplaceAll(c.t.Name(), "/", "_")+".txtar")
	golden := new(txtar.Archive)
	if data, err := os.ReadFile(path); err == nil {
		golden = txtar.Parse(data)
	}
	i := 0
	for i < len(golden.Files) && golden.Files[i].Name != name {
		i++
	}
	if *update {
		time.Sleep(settled)
		c.mu.Lock()
		data := []byte(c.drawing())
		c.mu.Unlock()
		if i == len(golden.Files) {
			golden.Files = append(golden.Files, txtar.File{Name: name})
		}
		golden.Files[i].Data = data
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, txtar.Format(golden), 0o644)); err != nil {
			c.t.Fatal(err)
		}
		return
	}
	if i == len(golden.Files) {
		c.t.Fatalf("%s has no frame %s: write it with -update", path, name)
	}
	want := string(golden.Files[i].Data)
	c.until("the frame "+name+"\n"+want, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.drawing() == want
	})
}

// bubble runs a test where time is that of package synctest: it goes on when all goroutines
// wait, so that nothing takes any time and nothing comes too late. A test with processes that
// wait for something runs outside.
func bubble(t *testing.T, fn func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		t.Cleanup(func() { time.Sleep(time.Second) }) // a bundler of scripts ends a little later
		fn(t)
	})
}

// settled is how long a screen has been still when a golden frame is written.
const settled = 300 * time.Millisecond

// environment sets variables that say what a terminal can, and no others.
func (p *prepared) environment(variables ...string) {
	p.t.Helper()
	all := map[string]string{"TERM": "xterm-256color"}
	for _, name := range []string{"KITTY_WINDOW_ID", "TERM_PROGRAM", "TMUX", "STY", "COLORTERM", "WEZTERM_PANE", "GHOSTTY_RESOURCES_DIR", "ITERM_SESSION_ID"} {
		all[name] = ""
	}
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		all[name] = value
	}
	for name, value := range all {
		p.t.Setenv(name, value)
	}
}
