package rpc_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/rpc"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The end of the input aborts what runs; its end is written and stored, and is no error.
func TestEndOfInputDuringARun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	store, err := jsonl.Create(path, transcript.NewHeader("/"), nil)
	if err != nil {
		t.Fatal(err)
	}
	hang := &agent.Tool{Name: "hang", Execute: func(ctx context.Context, _ *agent.Call) (*agent.ToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	model := scripted.New(scripted.Of(scripted.Call("c1", "hang", nil)))
	s, err := session.New(store, &session.Options{Stream: model.Stream, Model: scripted.Record(), Tools: []*agent.Tool{hang}, Bash: &bash.Options{Host: host.WithCommands(nil, echo)}})
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, s, nil)
	c.ask(`{"type":"prompt","message":"go"}`)
	c.until("tool_execution_start")
	c.send(`{"type":"bash","command":"wait","id":"b"}`)
	c.until(`"delta":"waiting\n"`)
	c.ask(`{"type":"follow_up","message":"later"}`)
	lines := c.end()
	got := strings.Join(kinds(t, lines), " ")
	for _, want := range []string{"tool_execution_end", "message_end:toolResult", "agent_end", "agent_settled", "ok:bash"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("not once %s in %s", want, got)
		}
	}
	if !inOrder(got, "tool_execution_end", "agent_end", "agent_settled") { // the answer to bash comes when it will
		t.Errorf("the run ends with %s", got)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !inOrder(string(text), `"role":"user"`, `"id":"c1"`, `"role":"toolResult"`, `"role":"bashExecution"`) || !bytes.HasSuffix(text, []byte("\n")) {
		t.Errorf("the session is\n%s", text)
	}
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "x"}); !errors.Is(err, transcript.ErrClosed) {
		t.Errorf("the session is still open: %v", err)
	}
}

// The end of the input and of the context at the same moment is one end.
func TestOneShutdown(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			model := scripted.New(scripted.Reply{Hold: "gate"})
			out := newTranscript()
			c := connectTo(t, ctx, open(t, model.Stream, session.Options{}), out, out, nil)
			c.ask(`{"type":"prompt","message":"go"}`)
			<-model.Waiting("gate")
			go cancel()
			lines := c.end()
			if n := strings.Count(strings.Join(lines, "\n"), "agent_settled"); n != 1 {
				t.Errorf("settled %d times: %q", n, lines)
			}
		})
	}
}

// Only the context ends: the input stays open.
func TestContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		model := scripted.New(scripted.Reply{Hold: "gate"})
		out := newTranscript()
		c := connectTo(t, ctx, open(t, model.Stream, session.Options{}), out, out, nil)
		c.ask(`{"type":"prompt","message":"go"}`)
		<-model.Waiting("gate")
		cancel()
		if err := <-c.done; err != nil {
			t.Errorf("Serve: %v", err)
		}
		if lines := out.rest(); !strings.Contains(strings.Join(lines, "\n"), "agent_settled") {
			t.Errorf("lines %q", lines)
		}
	})
}

// What ignores the end of everything is given up after a while.
func TestCloseTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, works := make(chan struct{}), make(chan struct{})
		stuck := func(context.Context, *host.Command, func([]byte)) (host.Exit, error) { <-gate; return host.Exit{}, nil }
		deaf := &agent.Tool{Name: "deaf", Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) {
			close(works)
			<-gate
			return nil, nil
		}}
		model := scripted.New(scripted.Of(scripted.Call("c1", "deaf", nil)))
		s := open(t, model.Stream, session.Options{Tools: []*agent.Tool{deaf}, AbortGrace: time.Hour, Bash: &bash.Options{Host: host.WithCommands(nil, stuck)}})
		c := connect(t, s, &rpc.Options{CloseTimeout: time.Second})
		c.ask(`{"type":"prompt","message":"go"}`)
		<-works // a call that has not begun does not begin after an abort
		began := time.Now()
		if _, err := c.finish(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Serve: %v", err)
		}
		if waited := time.Since(began); waited != time.Second {
			t.Errorf("waited %v", waited)
		}
		close(gate)
	})
}

// counting is a model that answers with n words and counts those that it has said.
func counting(n int, said *atomic.Int64) ai.StreamFunc {
	return func(ctx context.Context, req *ai.Request) *ai.Stream {
		return ai.NewStream(ctx, req.Model, func(_ context.Context, w *ai.Writer) error {
			block := w.StartText()
			for i := range n {
				said.Store(int64(i + 1))
				w.Append(block, fmt.Sprintf("%d ", i))
			}
			w.Done(ai.StopEnd)
			return nil
		})
	}
}

// A client that reads slowly holds the run back: nothing is lost, and nothing piles up.
func TestSlowReaderHoldsTheRunBack(t *testing.T) {
	const words = 5000
	synctest.Test(t, func(t *testing.T) {
		var said atomic.Int64
		s := open(t, counting(words, &said), session.Options{})
		out, in := io.Pipe()
		c := connectTo(t, t.Context(), s, in, nil, nil)
		go io.WriteString(c.in, `{"type":"prompt","message":"go"}`+"\n")
		r := bufio.NewReader(out)
		next := 0
		for {
			synctest.Wait()
			if ahead := said.Load() - int64(next); ahead > 2 {
				t.Fatalf("the model is %d words ahead of the reader", ahead)
			}
			line, err := r.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(line, `"text_delta"`) {
				if !strings.Contains(line, fmt.Sprintf(`"delta":"%d "`, next)) {
					t.Fatalf("word %d is missing: %s", next, line)
				}
				next++
			}
			if strings.Contains(line, "agent_settled") {
				break
			}
		}
		if next != words {
			t.Errorf("%d words", next)
		}
		c.in.Close()
		if err := <-c.done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

// The output of the user's commands is held back as well, however many run.
func TestSlowReaderHoldsCommandsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var written atomic.Int64
		const pieces = 1000
		chatty := func(_ context.Context, _ *host.Command, output func([]byte)) (host.Exit, error) {
			for range pieces {
				output([]byte("0123456789\n"))
				written.Add(1)
			}
			return host.Exit{}, nil
		}
		s := open(t, scripted.New().Stream, session.Options{Bash: &bash.Options{Host: host.WithCommands(nil, chatty)}})
		out, in := io.Pipe()
		c := connectTo(t, t.Context(), s, in, nil, nil)
		go io.WriteString(c.in, `{"type":"bash","command":"a"}`+"\n"+`{"type":"bash","command":"b"}`+"\n"+`{"type":"bash","command":"c"}`+"\n")
		synctest.Wait()
		if n := written.Load(); n > 3 {
			t.Errorf("%d pieces are written before one is read", n)
		}
		lines := bufio.NewScanner(out)
		deltas, responses := 0, 0
		for responses < 3 && lines.Scan() {
			deltas += strings.Count(lines.Text(), "0123456789") * strings.Count(lines.Text(), "bash_execution_update")
			responses += strings.Count(lines.Text(), `"type":"response"`)
		}
		if deltas != 3*pieces {
			t.Errorf("%d pieces", deltas)
		}
		c.in.Close()
		if err := <-c.done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

// A command that never stops writing does not keep the agent from its work.
func TestEndlessCommandBesideARun(t *testing.T) {
	endless := func(ctx context.Context, _ *host.Command, output func([]byte)) (host.Exit, error) {
		for ctx.Err() == nil {
			output([]byte("y\n"))
		}
		return host.Exit{}, ctx.Err()
	}
	model := scripted.New(scripted.Say(strings.Repeat("word ", 100)))
	c := connect(t, open(t, model.Stream, session.Options{Bash: &bash.Options{Host: host.WithCommands(nil, endless)}}), nil)
	c.send(`{"type":"bash","command":"yes","id":1}`, `{"type":"bash","command":"yes","id":2}`)
	c.until(`"delta"`)
	c.send(`{"type":"prompt","message":"go"}`)
	c.until("agent_settled")
	c.send(`{"type":"abort_bash"}`)
	for range 3 {
		c.until(`"type":"response"`)
	}
	c.end()
}

// dead is a client that goes away after some lines.
type dead struct {
	lines int
	*capture
}

var errGone = errors.New("the client has gone")

func (d *dead) Write(p []byte) (int, error) {
	if d.lines--; d.lines < 0 {
		return 0, errGone
	}
	return d.capture.Write(p)
}

// The end of the client ends everything, wherever it comes, also if its input stays open.
func TestDeadClient(t *testing.T) {
	for lines := range 12 {
		synctest.Test(t, func(t *testing.T) {
			model := scripted.New(scripted.Of(scripted.Text("a", "b"), scripted.Call("c1", "hang", nil)))
			hang := &agent.Tool{Name: "hang", Execute: func(ctx context.Context, _ *agent.Call) (*agent.ToolResult, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}}
			out := newTranscript()
			c := connectTo(t, t.Context(), open(t, model.Stream, session.Options{Tools: []*agent.Tool{hang}}), &dead{lines, out}, out, nil)
			c.send(`{"type":"prompt","message":"go"}`)
			err := <-c.done
			if !errors.Is(err, errGone) || err.Error() != "write to the client: the client has gone" {
				t.Errorf("after %d lines: %v", lines, err)
			}
			if got := out.rest(); len(got) != lines {
				t.Errorf("%d lines instead of %d", len(got), lines)
			}
		})
	}
}
