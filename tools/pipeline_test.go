package tools_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/read"
)

func TestWrongTypesNameTheFieldAndTheType(t *testing.T) {
	tests := []struct {
		name, args string
		parts      []string
	}{
		{"bash", `{"command":{"cmd":"touch ran"}}`, []string{"command", "expected string"}},
		{"bash", `{"command":"touch ran","timeout":"soon"}`, []string{"timeout", "expected number"}},
		{"bash", `{"cmd":"touch ran"}`, []string{"command"}},
		{"read", `{"path":{"file":"a.txt"}}`, []string{"path", "expected string"}},
		{"write", `{"path":"a.txt","content":{"text":"x"}}`, []string{"content", "expected string"}},
		{"edit", `{"path":"a.txt","edits":[{"oldText":"old","newText":{"text":"x"}}]}`, []string{"edits[0].newText", "expected string"}},
		{"edit", `{"path":"a.txt","edits":"many"}`, []string{"edits", "expected array"}},
		{"grep", `{"pattern":{"regex":"x"}}`, []string{"pattern", "expected string"}},
		{"find", `{"pattern":["*.go","*.md"]}`, []string{"pattern", "expected string"}},
		{"ls", `{"path":{},"limit":[]}`, []string{"path", "limit", "expected string", "expected number"}},
	}
	dir := folder(t, map[string]string{"a.txt": "old"})
	var calls []*ai.ToolCall
	for _, tt := range tests {
		calls = append(calls, call(tt.name, tt.args))
	}
	asked := 0
	c := newConversation(agent.Options{Tools: builtin(dir), Hooks: agent.Hooks{
		BeforeToolCall: func(context.Context, *agent.PendingCall) (agent.Decision, error) {
			asked++
			return agent.Decision{}, nil
		},
	}}, calls...)
	for i, r := range c.run(t) {
		mustFail(t, r, append(tests[i].parts, tests[i].name)...)
		if got := string(c.starts[i]); got != tests[i].args {
			t.Errorf("%s starts with %s, not with what the model wrote", r.ToolName, got)
		}
	}
	if asked > 0 {
		t.Errorf("the before-hook was asked about %d invalid calls", asked)
	}
	mustHold(t, dir, "a.txt", "old")
	mustHold(t, dir, "ran", "")
}

func TestCallOfAToolThatIsNotActive(t *testing.T) {
	dir := folder(t, map[string]string{"a.txt": "hello"})
	chosen, err := tools.Select(tools.Builtin(dir, nil), []string{"read"})
	if err != nil {
		t.Fatal(err)
	}
	c := newConversation(agent.Options{Tools: tools.Tools(chosen)}, call("bash", args{"command": "touch ran"}), call("read", args{"path": "a.txt"}))
	results := c.run(t)
	mustFail(t, results[0], "Tool bash not found")
	if results[1].IsError || results[1].Content.Text() != "hello" {
		t.Errorf("the other call: %q", results[1].Content.Text())
	}
	if got, want := c.events(), "start:1 failed:1 start:2 end:2 result:1 result:2"; got != want {
		t.Errorf("events %s, want %s", got, want)
	}
	if seen := c.seen(t); len(seen) != 2 || !seen[0].IsError {
		t.Errorf("the model saw %d results", len(seen))
	}
	mustHold(t, dir, "ran", "")
}

func TestOlderArgumentsOfEdit(t *testing.T) {
	for name, raw := range map[string]string{
		"top level":     `{"path":"a.txt","oldText":"x","newText":"y"}`,
		"empty edits":   `{"path":"a.txt","edits":[],"oldText":"x","newText":"y"}`,
		"string":        `{"path":"a.txt","edits":"[{\"oldText\":\"x\",\"newText\":\"y\"}]"}`,
		"single object": `{"path":"a.txt","edits":{"oldText":"x","newText":"y"}}`,
		"now":           `{"path":"a.txt","edits":[{"oldText":"x","newText":"y"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, map[string]string{"a.txt": "x"})
			c := newConversation(agent.Options{Tools: builtin(dir), Hooks: agent.Hooks{
				BeforeToolCall: func(_ context.Context, p *agent.PendingCall) (agent.Decision, error) {
					if !strings.Contains(string(p.Args), `"edits":[{`) || string(p.Call.Arguments) != raw {
						t.Errorf("the hook sees %s of %s", p.Args, p.Call.Arguments)
					}
					return agent.Decision{}, nil
				},
			}}, call("edit", raw))
			if r := c.run(t)[0]; r.IsError {
				t.Error(r.Content.Text())
			}
			mustHold(t, dir, "a.txt", "y")
		})
	}
}

func TestBrokenImageNeverReachesTheModel(t *testing.T) {
	var whole bytes.Buffer
	if err := png.Encode(&whole, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	dir := folder(t, map[string]string{
		"good.png": whole.String(), "cut.png": whole.String()[:40],
		"bad.jpg": "\xff\xd8\xff\xe0 no jpeg \x00", "bad.tiff": "II*\x00!!!\x00",
	})
	names := []string{"cut.png", "bad.jpg", "bad.tiff", "good.png"}
	var calls []*ai.ToolCall
	for _, name := range names {
		calls = append(calls, call("read", args{"path": name}))
	}
	c := newConversation(agent.Options{Tools: builtin(dir)}, calls...)
	results := c.run(t)
	mustFail(t, results[0], "cut.png", "damaged")
	mustFail(t, results[1], "bad.jpg", "damaged")
	for i, r := range c.seen(t) {
		images := 0
		for _, block := range r.Content {
			if _, ok := block.(*ai.Image); ok {
				images++
			}
		}
		if want := map[string]int{"good.png": 1}[names[i]]; images != want {
			t.Errorf("%s: the model sees %d images", names[i], images)
		}
	}
}

// stuck is a disk on which opening a file waits: for the abort or, if it is deaf, for
// free.
type stuck struct {
	host.Host
	deaf bool
	free chan struct{}
}

func (s stuck) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	abort := ctx.Done()
	if s.deaf {
		abort = nil
	}
	select {
	case <-s.free:
		return s.Host.Open(ctx, path)
	case <-abort:
		return nil, ctx.Err()
	}
}

func TestAbortWhileOpening(t *testing.T) {
	for _, deaf := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			dir := folder(t, map[string]string{"a.txt": "hello", "b.txt": "old"})
			files := stuck{host.Local, deaf, make(chan struct{})}
			defer close(files.free)
			list := append([]*agent.Tool{read.New(dir, &read.Options{Host: files})}, builtin(dir)[2:]...)
			c := newConversation(agent.Options{Tools: list}, call("read", args{"path": "a.txt"}), replace("b.txt", "old", "new"))
			var wg sync.WaitGroup
			wg.Go(func() {
				results := c.run(t)
				mustFail(t, results[0], "abort")
				if results[1].IsError {
					t.Errorf("the call that had ended: %q", results[1].Content.Text())
				}
			})
			synctest.Wait() // the edit has ended, the read has not
			c.Abort()
			wg.Wait()
			if got, want := c.events(), "start:1 start:2 end:2 failed:1 result:1 result:2"; got != want {
				t.Errorf("deaf %v: events %s, want %s", deaf, got, want)
			}
			mustHold(t, dir, "b.txt", "new")
		})
	}
}

func TestNothingRunsAfterAnAbort(t *testing.T) {
	dir := folder(t, map[string]string{"a.txt": "old"})
	c := newConversation(agent.Options{Tools: builtin(dir)},
		call("read", args{"path": "a.txt"}), call("bash", args{"command": "touch ran"}), replace("a.txt", "old", "new"),
		create("b.txt", "x"), call("grep", args{"pattern": "o"}), call("find", args{"pattern": "*"}), call("ls", "{}"))
	c.Subscribe(func(_ context.Context, ev agent.Event) error {
		if _, ok := ev.(*agent.ToolExecutionStart); ok {
			c.Abort()
		}
		return nil
	})
	for _, r := range c.run(t) {
		mustFail(t, r, "abort")
	}
	mustHold(t, dir, "a.txt", "old")
	mustHold(t, dir, "b.txt", "")
	mustHold(t, dir, "ran", "")
}

// The second of two calls that change one file must not run in the place of the first.
func TestAbortOfTheFirstOfTwoWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		c := newConversation(agent.Options{Tools: []*agent.Tool{slowWrite(dir)}}, create("a.txt", "one"), create("a.txt", "two"))
		var wg sync.WaitGroup
		wg.Go(func() {
			for _, r := range c.run(t) {
				mustFail(t, r, "abort")
			}
		})
		synctest.Wait()
		c.Abort()
		wg.Wait()
		mustHold(t, dir, "a.txt", "")
	})
}
