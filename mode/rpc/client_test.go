package rpc_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/rpc"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is a time that no test waits for unless something is broken.
const patience = time.Minute

// catalogue is a fixed choice of models.
type catalogue []*ai.Model

func (c catalogue) Available() []*ai.Model { return c }

func (c catalogue) Get(provider, id string) *ai.Model {
	for _, m := range c {
		if m.Provider == provider && m.ID == id {
			return m
		}
	}
	return nil
}

// thinker is a model with thinking levels.
func thinker() *ai.Model {
	m := scripted.Record()
	m.ID, m.Reasoning = "thinker", true
	return m
}

// open returns a session in memory that the stream answers in.
func open(t *testing.T, stream ai.StreamFunc, opts session.Options) *session.Session {
	t.Helper()
	opts.Stream, opts.CWD = stream, t.TempDir()
	if opts.Model == nil {
		opts.Model = scripted.Record()
	}
	if opts.Bash == nil {
		opts.Bash = &bash.Options{Host: host.WithCommands(nil, noCommands)}
	}
	s, err := session.New(memory.New(transcript.NewHeader("/")), &opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func noCommands(context.Context, *host.Command, func([]byte)) (host.Exit, error) {
	return host.Exit{}, fmt.Errorf("this test runs no commands")
}

// client is the other end of a connection.
type client struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *capture
	done chan error // what Serve returns
}

// connect serves a session to a client that reads everything at once.
func connect(t *testing.T, s *session.Session, opts *rpc.Options) *client {
	t.Helper()
	out := newTranscript()
	return connectTo(t, t.Context(), s, out, out, opts)
}

func connectTo(t *testing.T, ctx context.Context, s *session.Session, w io.Writer, out *capture, opts *rpc.Options) *client {
	t.Helper()
	in, stdin := io.Pipe()
	c := &client{t: t, in: stdin, out: out, done: make(chan error, 1)}
	if opts == nil {
		opts = &rpc.Options{Models: catalogue{scripted.Record(), thinker()}}
	}
	go func() { c.done <- rpc.Serve(ctx, s, in, w, opts) }()
	t.Cleanup(func() { stdin.Close() })
	return c
}

// send writes lines, each with a newline.
func (c *client) send(lines ...string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, strings.Join(lines, "\n")+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// until returns the lines up to the next one that contains the text.
func (c *client) until(text string) []string {
	c.t.Helper()
	lines, ok := c.out.until(text)
	if !ok {
		c.t.Fatalf("no line with %s after\n%s", text, strings.Join(lines, "\n"))
	}
	return lines
}

// ask sends one command and returns its response.
func (c *client) ask(line string) string {
	c.t.Helper()
	c.send(line)
	lines := c.until(`"type":"response"`)
	return lines[len(lines)-1]
}

// finish ends the input and returns the lines that came since and what Serve returned.
func (c *client) finish() ([]string, error) {
	c.t.Helper()
	c.in.Close()
	err := <-c.done
	return c.out.rest(), err
}

// end ends the input and expects that all is well.
func (c *client) end() []string {
	c.t.Helper()
	lines, err := c.finish()
	if err != nil {
		c.t.Errorf("Serve: %v", err)
	}
	return lines
}

// capture collects the lines that are written to it.
type capture struct {
	mu     sync.Mutex
	grown  *sync.Cond
	text   bytes.Buffer // a line that is not whole yet
	lines  []string
	cursor int
}

func newTranscript() *capture {
	out := &capture{}
	out.grown = sync.NewCond(&out.mu)
	return out
}

func (o *capture) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(p)
	for {
		line, rest, whole := bytes.Cut(o.text.Bytes(), []byte("\n"))
		if !whole {
			o.grown.Broadcast()
			return len(p), nil
		}
		o.lines = append(o.lines, string(line))
		o.text.Next(len(o.text.Bytes()) - len(rest))
	}
}

func (o *capture) until(text string) (lines []string, found bool) {
	end := time.Now().Add(patience)
	wake := time.AfterFunc(patience, o.grown.Broadcast)
	defer wake.Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := o.cursor; ; i++ {
		for i >= len(o.lines) {
			if !time.Now().Before(end) {
				return o.lines[o.cursor:], false
			}
			o.grown.Wait()
		}
		if strings.Contains(o.lines[i], text) {
			lines = o.lines[o.cursor : i+1]
			o.cursor = i + 1
			return lines, true
		}
	}
}

// rest returns the lines that no call has returned yet, and the beginning of one.
func (o *capture) rest() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	lines := o.lines[o.cursor:]
	o.cursor = len(o.lines)
	if o.text.Len() > 0 {
		lines = append(lines, "CUT: "+o.text.String())
	}
	return lines
}

// kinds are the types of lines; of responses also command and outcome, of messages the
// role. Updates of messages are left out.
func kinds(t *testing.T, lines []string) []string {
	t.Helper()
	var out []string
	for _, line := range lines {
		var l struct {
			Type, Command string
			Success       bool
			Message       struct{ Role string }
		}
		if err := json.Unmarshal([]byte(line), &l, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Errorf("%v in the line %s", err, line)
		}
		switch {
		case l.Type == "response" && l.Success:
			out = append(out, "ok:"+l.Command)
		case l.Type == "response":
			out = append(out, "refused:"+l.Command)
		case l.Type == "message_update":
		case l.Message.Role != "":
			out = append(out, l.Type+":"+l.Message.Role)
		default:
			out = append(out, l.Type)
		}
	}
	return out
}

// expectKinds compares types, which want lists with spaces between them.
func expectKinds(t *testing.T, lines []string, want string) {
	t.Helper()
	if got := strings.Join(kinds(t, lines), " "); got != want {
		t.Errorf("got\n  %s\nwant\n  %s", got, want)
	}
}

// run is what a prompt with a plain answer causes.
const run = "agent_start turn_start message_start:user message_end:user message_start:assistant message_end:assistant turn_end:assistant agent_end agent_settled"
