package tools_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/tools/edit"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/ls"
	"github.com/rondo-agent/rondo/tools/write"
)

// minute waits that long, unless the call is aborted.
func minute(ctx context.Context) error {
	select {
	case <-time.After(time.Minute):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// slowWrites is a disk on which a minute passes before a file is written.
type slowWrites struct{ host.Host }

func (d slowWrites) WriteFile(ctx context.Context, path string, data []byte) error {
	if err := minute(ctx); err != nil {
		return err
	}
	return d.Host.WriteFile(ctx, path, data)
}

func slowWrite(dir string) *agent.Tool {
	return write.New(dir, &write.Options{Host: slowWrites{host.Local}})
}

// slowEdits is a disk on which a minute passes between reading and replacing a file.
type slowEdits struct{ host.Host }

func (d slowEdits) ReplaceFile(ctx context.Context, path string, old, data []byte) error {
	if err := minute(ctx); err != nil {
		return err
	}
	return d.Host.ReplaceFile(ctx, path, old, data)
}

func slowEdit(dir string) *agent.Tool {
	return edit.New(dir, &edit.Options{Host: slowEdits{host.Local}})
}

// slowToResolve is a tool for which it takes a minute to say which file a call changes.
func slowToResolve(tool *agent.Tool) *agent.Tool {
	slow := *tool
	slow.Exclusive = func(args jsontext.Value) string {
		time.Sleep(time.Minute)
		return tool.Exclusive(args)
	}
	return &slow
}

func link(t *testing.T, dir, target, name string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// manyPaths makes a file, sub/a.txt, and returns the folder and paths of that file.
func manyPaths(t *testing.T, content string) (dir string, paths []string) {
	t.Helper()
	dir = folder(t, map[string]string{"sub/a.txt": content})
	link(t, dir, "sub/a.txt", "link")
	link(t, dir, "sub", "folder")
	for i := range 30 {
		link(t, dir, fmt.Sprintf("chain%d", i+1), fmt.Sprintf("chain%d", i))
	}
	link(t, dir, "folder/a.txt", "chain30")
	return dir, []string{
		"chain0", "sub/a.txt", "link", "folder/a.txt", "./sub/../sub/a.txt", "@sub/a.txt",
		filepath.Join(dir, "sub", "a.txt"), filepath.Join(dir, "folder", "a.txt"),
	}
}

func TestExclusiveIsTheRealFile(t *testing.T) {
	dir, paths := manyPaths(t, "x")
	link(t, dir, "sub/new.txt", "dangling")
	for _, list := range [][]string{paths, {"dangling", "sub/new.txt", "folder/new.txt"}, {"sub/more/b", "folder/more/b"}} {
		keys := map[string]bool{}
		for _, name := range list {
			keys[edit.New(dir, nil).Exclusive(replace(name, "x", "y").Arguments)] = true
			keys[write.New(dir, nil).Exclusive(create(name, "y").Arguments)] = true
			keys[slowWrite(dir).Exclusive(create(name, "y").Arguments)] = true
			keys[slowEdit(dir).Exclusive(replace(name, "x", "y").Arguments)] = true
		}
		if len(keys) != 1 || keys[""] {
			t.Errorf("%q have the keys %v", list, keys)
		}
	}
}

func TestExclusiveOfUnusableArgumentsIsNothing(t *testing.T) {
	dir := t.TempDir()
	for _, raw := range []string{`{}`, `{"path":""}`, `{"path":7}`, `{"path":["a"]}`, `[]`, `{"path":"a"`, ``} {
		for _, tool := range []*agent.Tool{edit.New(dir, nil), write.New(dir, nil)} {
			if key := tool.Exclusive(jsontext.Value(raw)); key != "" {
				t.Errorf("%s: %s has the key %q", tool.Name, raw, key)
			}
		}
	}
	if key := write.New(dir, nil).Exclusive(create("sub/", "x").Arguments); key != "" {
		t.Errorf("a folder has the key %q", key)
	}
}

func TestEffectsAreInTheOrderOfTheCalls(t *testing.T) {
	dir, paths := manyPaths(t, "0")
	var calls []*ai.ToolCall
	n := 5 * len(paths)
	for i := range n {
		calls = append(calls, replace(paths[i%len(paths)], fmt.Sprint(i), fmt.Sprint(i+1)))
	}
	mustSucceed(t, builtin(dir), calls...)
	mustHold(t, dir, "sub/a.txt", fmt.Sprint(n))
}

func TestLastWriteStays(t *testing.T) {
	dir, paths := manyPaths(t, "x")
	var calls []*ai.ToolCall
	n := 5 * len(paths)
	for i := range n {
		calls = append(calls, create(paths[i%len(paths)], fmt.Sprint(i+1)))
	}
	mustSucceed(t, builtin(dir), calls...)
	mustHold(t, dir, "sub/a.txt", fmt.Sprint(n))
}

func TestSlowCallComesFirst(t *testing.T) {
	for name, slow := range map[string]func(dir string) *agent.Tool{
		"to resolve": func(dir string) *agent.Tool { return slowToResolve(write.New(dir, nil)) },
		"to write":   slowWrite,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := folder(t, map[string]string{"a.txt": "old"})
				link(t, dir, "a.txt", "link")
				mustSucceed(t, []*agent.Tool{slow(dir), edit.New(dir, nil)}, create("link", "one"), replace("a.txt", "one", "two"))
				mustHold(t, dir, "a.txt", "two")
			})
		})
	}
}

func TestWriteAndEditOfOneFile(t *testing.T) {
	tests := []struct {
		name  string
		calls []*ai.ToolCall
		file  string
		want  string
	}{
		{"edits of a new file", []*ai.ToolCall{create("new/a", "one"), replace("new/a", "one", "two"), replace("./new/../new/a", "two", "three")}, "new/a", "three"},
		{"rewrite of what was edited", []*ai.ToolCall{replace("old", "old", "edited"), create("old", "written")}, "old", "written"},
		{"edit of what was rewritten", []*ai.ToolCall{create("old", "written"), replace("old", "written", "edited")}, "old", "edited"},
		{"through a link that leads nowhere yet", []*ai.ToolCall{create("dangling", "one"), replace("new/a", "one", "two")}, "new/a", "two"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := folder(t, map[string]string{"old": "old", "new/b": ""})
				link(t, dir, "new/a", "dangling")
				mustSucceed(t, []*agent.Tool{slowWrite(dir), slowEdit(dir)}, tt.calls...)
				mustHold(t, dir, tt.file, tt.want)
			})
		})
	}
}

func TestCallsThatDoNotRunHoldNobodyUp(t *testing.T) {
	block := func(_ context.Context, c *agent.PendingCall) (agent.Decision, error) {
		return agent.Decision{Block: strings.Contains(string(c.Args), "forbidden")}, nil
	}
	for name, first := range map[string]*ai.ToolCall{
		"fails":   replace("a.txt", "missing", "x"),
		"invalid": call("edit", args{"path": "a.txt", "edits": 7}),
		"blocked": create("a.txt", "forbidden"),
		"unknown": call("patch", args{"path": "a.txt"}),
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, map[string]string{"a.txt": "old"})
			c := newConversation(agent.Options{Tools: builtin(dir), Hooks: agent.Hooks{BeforeToolCall: block}},
				first, replace("a.txt", "old", "one"), first, replace("a.txt", "one", "two"))
			for i, r := range c.run(t) {
				if r.IsError != (i%2 == 0) {
					t.Errorf("call %d: %s", i+1, r.Content.Text())
				}
			}
			mustHold(t, dir, "a.txt", "two")
		})
	}
}

func TestPathThatAHookHasChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := folder(t, map[string]string{"a.txt": "old"})
		redirect := func(_ context.Context, c *agent.PendingCall) (agent.Decision, error) {
			c.Args = jsontext.Value(strings.NewReplacer("x.txt", "a.txt", "y.txt", "a.txt").Replace(string(c.Args)))
			return agent.Decision{}, nil
		}
		c := newConversation(agent.Options{Tools: []*agent.Tool{slowWrite(dir), edit.New(dir, nil)}, Hooks: agent.Hooks{BeforeToolCall: redirect}},
			create("x.txt", "one"), replace("y.txt", "one", "two"))
		c.run(t)
		mustHold(t, dir, "a.txt", "two")
	})
}

func TestEditsOfOneFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := folder(t, map[string]string{"a.txt": "a\nb\n"})
		mustSucceed(t, []*agent.Tool{slowEdit(dir)}, replace("a.txt", "a", "A"), replace("./a.txt", "b", "B"))
		mustHold(t, dir, "a.txt", "A\nB\n")
	})
}

// writeMeeting holds everybody until all have come.
type writeMeeting struct {
	host.Host
	all *sync.WaitGroup
}

func (m writeMeeting) WriteFile(ctx context.Context, path string, data []byte) error {
	m.all.Done()
	m.all.Wait()
	return m.Host.WriteFile(ctx, path, data)
}

// editMeeting is the same for edits.
type editMeeting struct {
	host.Host
	all *sync.WaitGroup
}

func (m editMeeting) ReplaceFile(ctx context.Context, path string, old, data []byte) error {
	m.all.Done()
	m.all.Wait()
	return m.Host.ReplaceFile(ctx, path, old, data)
}

func TestDifferentFilesStayParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which fails if anybody waits for ever
		dir := folder(t, map[string]string{"a.txt": "a", "b.txt": "b"})
		link(t, dir, "a.txt", "link")
		var all sync.WaitGroup
		all.Add(4)
		mustSucceed(t, []*agent.Tool{
			write.New(dir, &write.Options{Host: writeMeeting{host.Local, &all}}),
			edit.New(dir, &edit.Options{Host: editMeeting{host.Local, &all}}),
		}, create("c.txt", "C"), replace("link", "a", "A"), replace("b.txt", "b", "B"), create("sub/c.txt", "D"))
		for name, want := range map[string]string{"a.txt": "A", "b.txt": "B", "c.txt": "C", "sub/c.txt": "D"} {
			mustHold(t, dir, name, want)
		}
	})
}

func TestTwoAgentsOnOneFile(t *testing.T) {
	for _, tt := range []struct {
		name   string
		second *ai.ToolCall
		want   string
	}{
		{"edit", replace("link", "b", "B"), "A\nB\n"},
		{"write", create("link", "all new"), "all new"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := folder(t, map[string]string{"a.txt": "a\nb\n"})
				link(t, dir, "a.txt", "link")
				var wg sync.WaitGroup
				wg.Go(func() { mustSucceed(t, []*agent.Tool{slowEdit(dir)}, replace("a.txt", "a", "A")) })
				synctest.Wait() // the first agent has read the file
				wg.Go(func() { mustSucceed(t, builtin(dir), tt.second) })
				wg.Wait()
				mustHold(t, dir, "a.txt", tt.want)
			})
		})
	}
}

func TestAbortWhileAnotherAgentIsAtWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := folder(t, map[string]string{"a.txt": "a\nb\n"})
		var wg sync.WaitGroup
		wg.Go(func() { mustSucceed(t, []*agent.Tool{slowEdit(dir)}, replace("a.txt", "a", "A")) })
		synctest.Wait()
		waiting := newConversation(agent.Options{Tools: builtin(dir)}, create("a.txt", "x"), replace("a.txt", "b", "B"))
		wg.Go(func() {
			for _, r := range waiting.run(t) {
				mustFail(t, r, "abort")
			}
		})
		synctest.Wait()
		begin := time.Now()
		waiting.Abort()
		if err := waiting.Wait(t.Context()); err != nil || time.Since(begin) > 0 {
			t.Errorf("the abort waited for the other agent: %v", err)
		}
		wg.Wait()
		mustHold(t, dir, "a.txt", "A\nb\n")
	})
}

func TestCallsThatAToolMakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := folder(t, map[string]string{"a.txt": "a\nb\n"})
		both := &agent.Tool{Name: "both", Description: "makes two edits at once", Execute: func(ctx context.Context, outer *agent.Call) (*agent.ToolResult, error) {
			var wg sync.WaitGroup
			for _, c := range []*ai.ToolCall{replace("a.txt", "a", "A"), replace("a.txt", "b", "B")} {
				wg.Go(func() {
					if o := outer.RunTool(ctx, c, nil); o.IsError {
						t.Error(o.Result.Content.Text())
					}
				})
			}
			wg.Wait()
			return agent.TextResult("ok"), nil
		}}
		mustSucceed(t, []*agent.Tool{both, slowEdit(dir)}, call("both", "{}"))
		mustHold(t, dir, "a.txt", "A\nB\n")
	})
}

func TestSequentialToolMakesTheBatchSequential(t *testing.T) {
	sequential := func(tool *agent.Tool) *agent.Tool {
		tool.Mode = agent.Sequential
		return tool
	}
	const (
		inTurn   = "start:1 end:1 result:1 start:2 end:2 result:2"
		together = "start:1 start:2 end:2 end:1 result:1 result:2"
	)
	for _, tt := range []struct {
		name   string
		list   func(dir string) *agent.Tool
		mode   agent.ExecutionMode
		events string
	}{
		{"parallel", func(dir string) *agent.Tool { return ls.New(dir, nil) }, "", together},
		{"sequential tool", func(dir string) *agent.Tool { return sequential(ls.New(dir, nil)) }, "", inTurn},
		{"setting", func(dir string) *agent.Tool { return ls.New(dir, nil) }, agent.Sequential, inTurn},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := folder(t, map[string]string{"plans/001.md": "x"})
				c := newConversation(agent.Options{Tools: []*agent.Tool{slowWrite(dir), tt.list(dir)}, ToolExecution: tt.mode},
					create("plans/003.md", "plan"), call("ls", args{"path": "plans"}))
				listing := c.run(t)[1].Content.Text()
				if seen := strings.Contains(listing, "003.md"); seen != (tt.events == inTurn) {
					t.Errorf("listing %q", listing)
				}
				if got := c.events(); got != tt.events {
					t.Errorf("events %s, want %s", got, tt.events)
				}
			})
		})
	}
}
