package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/rpc"
	"github.com/rondo-agent/rondo/mode/rpc/client"
	"github.com/rondo-agent/rondo/mode/rpc/proto"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
)

// agentEnv makes the test binary an agent: serve, or what it does instead.
const agentEnv = "RONDO_TEST_AGENT"

func TestMain(m *testing.M) {
	switch os.Getenv(agentEnv) {
	case "":
		goleak.VerifyTestMain(m)
	case "serve":
		if err := serve(os.Stdin, os.Stdout, os.Getenv("SESSIONS")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "fail":
		fmt.Fprintln(os.Stderr, "rondo: there is no such model")
		os.Exit(2)
	case "deaf":
		fmt.Println("something that is no event")
		time.Sleep(time.Hour)
	}
}

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

func thinker() *ai.Model {
	m := scripted.Record()
	m.ID, m.Reasoning = "thinker", true
	return m
}

// serve serves an agent whose answers say what was asked. It never ends one to "wait", and
// answers "confirm" with what the person at the client says.
func serve(in io.Reader, out io.Writer, dir string) error {
	var ui *rpc.UI
	answer := func(req *ai.Request) scripted.Reply {
		last := req.Context.Messages[len(req.Context.Messages)-1].(*ai.UserMessage).Content.Text()
		switch last {
		case "wait":
			endless := scripted.Say("One moment")
			endless.Gates = []scripted.Gate{{Name: "for ever", At: 1}}
			return endless
		case "confirm":
			return scripted.Say(fmt.Sprint("Confirmed: ", ui.Confirm(context.Background(), "Sure?", "It is final.", 0)))
		}
		return scripted.Say("You said " + last[:min(len(last), 20)])
	}
	stream := scripted.New(slices.Repeat([]scripted.Reply{scripted.Func(answer)}, 50)...).Stream
	models := catalogue{scripted.Record(), thinker()}
	open := func(store transcript.Store) (*session.Session, error) {
		return session.New(store, &session.Options{CWD: dir, Stream: stream, Model: models[0], Available: models.Available, Bash: &bash.Options{Host: host.WithCommands(nil, echo)}})
	}
	header := transcript.NewHeader(dir)
	store, err := jsonl.Create(filepath.Join(dir, jsonl.FileName(header)), header, nil)
	if err != nil {
		return err
	}
	s, err := open(store)
	if err != nil {
		return err
	}
	rt := session.NewRuntime(s, &session.RuntimeOptions{Repository: jsonl.Files{}, Open: open})
	return rpc.ServeRuntime(context.Background(), rt, in, out, &rpc.Options{Models: models, UI: func(u *rpc.UI) { ui = u }})
}

func echo(ctx context.Context, cmd *host.Command, output func([]byte)) (host.Exit, error) {
	output([]byte(cmd.Text))
	if cmd.Text == "wait" {
		<-ctx.Done()
	}
	return host.Exit{}, ctx.Err()
}

// connect returns a client of an agent in this process.
func connect(t *testing.T) *client.Client {
	t.Helper()
	return connectThrough(t, &noted{names: make(map[string]bool)})
}

// connectThrough is connect, and notes what is sent.
func connectThrough(t *testing.T, sent *noted) *client.Client {
	t.Helper()
	commands, in := io.Pipe()
	sent.WriteCloser = in
	out, lines := io.Pipe()
	dir := t.TempDir()
	var agent sync.WaitGroup
	agent.Go(func() {
		if err := serve(commands, lines, dir); err != nil {
			t.Error(err)
		}
		lines.Close()
	})
	c := client.New(sent, out)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		agent.Wait()
	})
	return c
}

// try fails the test unless the commands succeed.
func try(t *testing.T, errs ...error) {
	t.Helper()
	for i, err := range errs {
		if err != nil {
			t.Fatalf("command %d: %v", i+1, err)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// noted writes commands and notes their names.
type noted struct {
	io.WriteCloser
	mu    sync.Mutex
	names map[string]bool
}

func (n *noted) Write(line []byte) (int, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := proto.Unmarshal(line, &head); err == nil {
		n.mu.Lock()
		n.names[head.Type] = true
		n.mu.Unlock()
	}
	return n.WriteCloser.Write(line)
}

// do sends a command that must go well.
func do[Request, Answer any](t *testing.T, c *client.Client, command proto.Command[Request, Answer], req Request) Answer {
	t.Helper()
	answer, err := client.Do(t.Context(), c, command, req)
	if err != nil {
		t.Fatalf("%s: %v", command.Name(), err)
	}
	return answer
}

func say(text string) proto.PromptRequest { return proto.PromptRequest{Message: text} }

// TestEveryCommandOfTheTable sends each command to a server and looks at what it answers.
func TestEveryCommandOfTheTable(t *testing.T) {
	sent := &noted{names: make(map[string]bool)}
	c, ctx := connectThrough(t, sent), t.Context()
	var events []string
	c.Subscribe(func(ev proto.Event) { events = append(events, ev.Type()) })

	modelsAndSettings(t, c)
	try(t, c.Run(ctx, proto.PromptRequest{Message: "hello", Images: []*ai.Image{{Data: "aGk=", MIMEType: "image/png"}}}), c.Run(ctx, say("again")))
	if text := must(c.LastAnswer(ctx)); text != "You said again" {
		t.Errorf("the last answer is %q", text)
	}
	whatIsThere(t, c)
	queues(t, c)
	replacements(t, c)
	_, err := client.Do(ctx, c, proto.Compact, proto.CompactRequest{CustomInstructions: "briefly"})
	if refused, ok := errors.AsType[*client.CommandError](err); !ok || refused.Command != "compact" || !strings.Contains(err.Error(), "nothing to compact") {
		t.Errorf("compact: %v", err)
	}
	for _, want := range []string{"agent_start", "message_update", "agent_settled", "session_info_changed", "queue_update", "thinking_level_changed"} {
		if !slices.Contains(events, want) {
			t.Errorf("there was no %s", want)
		}
	}
	for _, spec := range proto.Commands() {
		if !sent.names[spec.Name] {
			t.Errorf("this test does not send %s", spec.Name)
		}
	}
}

func modelsAndSettings(t *testing.T, c *client.Client) {
	t.Helper()
	none := proto.None{}
	if st := do(t, c, proto.GetState, none); st.Model.ID != "scripted" || st.IsStreaming || st.MessageCount != 0 || !st.AutoCompactionEnabled {
		t.Errorf("the state is %+v", st)
	}
	if text := must(c.LastAnswer(t.Context())); text != "" {
		t.Errorf("the last answer is %q", text)
	}
	if models := do(t, c, proto.GetAvailableModels, none).Models; len(models) != 2 {
		t.Errorf("%d models", len(models))
	}
	if next := do(t, c, proto.CycleModel, none); next.Model.ID != "thinker" || next.IsScoped {
		t.Errorf("the next model is %+v", next)
	}
	if levels := do(t, c, proto.GetAvailableThinkingLevels, none).Levels; len(levels) != 5 {
		t.Errorf("levels %q", levels)
	}
	if next := do(t, c, proto.CycleThinkingLevel, none); next.Level != ai.ThinkingMinimal {
		t.Errorf("the next level is %q", next.Level)
	}
	if m := do(t, c, proto.SetModel, proto.ModelName{Provider: "scripted", ModelID: "scripted"}); m.ID != "scripted" {
		t.Errorf("the model is %+v", m)
	}
	if next := do(t, c, proto.CycleThinkingLevel, none); next != nil {
		t.Errorf("the level is %q", next.Level)
	}
	do(t, c, proto.SetThinkingLevel, proto.Thinking{Level: ai.ThinkingHigh})
	do(t, c, proto.SetSteeringMode, proto.ModeRequest{Mode: proto.All})
	do(t, c, proto.SetFollowUpMode, proto.ModeRequest{Mode: proto.All})
	do(t, c, proto.SetAutoRetry, proto.Off)
	do(t, c, proto.AbortRetry, none)
	do(t, c, proto.SetAutoCompaction, proto.Off)
	do(t, c, proto.AbortBash, none)
	do(t, c, proto.SetDialogs, proto.On)
}

// whatIsThere looks at a session with two prompts.
func whatIsThere(t *testing.T, c *client.Client) {
	t.Helper()
	none := proto.None{}
	if messages := do(t, c, proto.GetMessages, none).Messages; len(messages) != 4 || messages[3].Role() != ai.RoleAssistant {
		t.Errorf("messages: %v", messages)
	}
	if stats := do(t, c, proto.GetSessionStats, none); stats.UserMessages != 2 || stats.ContextUsage == nil {
		t.Errorf("stats: %+v", stats)
	}
	all := do(t, c, proto.GetEntries, proto.EntriesRequest{})
	ids := make([]string, 0, len(all.Entries))
	for _, raw := range all.Entries {
		ids = append(ids, string(must(transcript.DecodeEntry(raw)).Base().ID))
	}
	if ids[len(ids)-1] != *all.LeafID {
		t.Errorf("entries %q, leaf %s", ids, *all.LeafID)
	}
	if since := do(t, c, proto.GetEntries, proto.EntriesRequest{Since: ids[len(ids)-2]}); len(since.Entries) != 1 {
		t.Errorf("%d entries since", len(since.Entries))
	}
	if tree := do(t, c, proto.GetTree, none); len(tree.Tree) != 1 || len(tree.Tree[0].Children) != 1 || *tree.LeafID != *all.LeafID {
		t.Errorf("the tree: %+v", tree)
	}
	if result := do(t, c, proto.Bash, proto.BashRequest{Command: "echo", ExcludeFromContext: true}); result.Output != "echo" || *result.ExitCode != 0 {
		t.Errorf("the command: %+v", result)
	}
	if commands := do(t, c, proto.GetCommands, none).Commands; len(commands) != 0 {
		t.Errorf("commands: %v", commands)
	}
	if path := do(t, c, proto.ExportHTML, proto.ExportRequest{OutputPath: filepath.Join(t.TempDir(), "x.html")}).Path; !strings.HasSuffix(path, "x.html") {
		t.Errorf("exported to %s", path)
	}
	do(t, c, proto.SetSessionName, proto.NameRequest{Name: "a name"})
}

func queues(t *testing.T, c *client.Client) {
	t.Helper()
	answering, once := make(chan struct{}), new(sync.Once)
	leave := c.Subscribe(func(ev proto.Event) {
		if _, ok := ev.(*proto.MessageUpdate); ok {
			once.Do(func() { close(answering) })
		}
	})
	do(t, c, proto.Prompt, say("wait"))
	<-answering // a message that is queued before this would be in the same request
	leave()
	do(t, c, proto.Steer, proto.QueueRequest{Message: "a"})
	do(t, c, proto.FollowUp, proto.QueueRequest{Message: "b"})
	if q := do(t, c, proto.ClearQueue, proto.None{}); !slices.Equal(q.Steering, []string{"a"}) || !slices.Equal(q.FollowUp, []string{"b"}) {
		t.Errorf("the queues were %+v", q)
	}
	try(t, c.Run(t.Context(), proto.PromptRequest{Message: "instead", StreamingBehavior: proto.DeliverAbort}))
	if answer := do(t, c, proto.Prompt, proto.PromptRequest{Message: "wait", Disposition: true}); answer.Disposition != "started" {
		t.Errorf("the prompt was %+v", answer)
	}
	do(t, c, proto.Abort, proto.None{})
}

func replacements(t *testing.T, c *client.Client) {
	t.Helper()
	none := proto.None{}
	first := do(t, c, proto.GetState, none)
	messages := do(t, c, proto.GetForkMessages, none).Messages
	if messages[0].Text != "hello" {
		t.Errorf("messages to fork at: %v", messages)
	}
	if copied := do(t, c, proto.Clone, none); copied.Cancelled {
		t.Errorf("clone: %+v", copied)
	}
	if forked := do(t, c, proto.Fork, proto.ForkRequest{EntryID: messages[1].EntryID}); *forked.Text != "again" {
		t.Errorf("fork: %+v", forked)
	}
	do(t, c, proto.NewSession, proto.NewSessionRequest{ParentSession: first.SessionFile})
	do(t, c, proto.NewSession, proto.NewSessionRequest{})
	do(t, c, proto.SwitchSession, proto.SwitchRequest{SessionPath: first.SessionFile})
	if st := do(t, c, proto.GetState, none); st.SessionName != "a name" || st.MessageCount != first.MessageCount {
		t.Errorf("the state is %+v, it was %+v", st, first)
	}
}

func TestEventsCanBeRead(t *testing.T) {
	c := connect(t)
	var texts []string
	leave := c.Subscribe(func(ev proto.Event) {
		end, ok := ev.(*proto.MessageEnd)
		if !ok {
			return
		}
		switch m := end.Message.(type) {
		case *ai.UserMessage:
			texts = append(texts, m.Content.Text())
		case *ai.AssistantMessage:
			texts = append(texts, m.Content.Text())
		}
		if !strings.Contains(string(ev.Raw()), `"timestamp"`) {
			t.Errorf("the line is %s", ev.Raw())
		}
	})
	try(t, c.Run(t.Context(), say("hello")))
	leave()
	try(t, c.Run(t.Context(), say("unseen")))
	if !slices.Equal(texts, []string{"hello", "You said hello"}) {
		t.Errorf("the texts are %q", texts)
	}
}

func TestDialogsAreAnswered(t *testing.T) {
	c := connect(t)
	defer c.Subscribe(func(ev proto.Event) {
		dialog, ok := ev.(*proto.UIRequest)
		if !ok {
			return
		}
		if dialog.Method != proto.MethodConfirm || *dialog.Title != "Sure?" {
			t.Errorf("asked is %s", dialog.Raw())
		}
		try(t, c.Answer(dialog, proto.UIAnswer{Confirmed: new(true)}))
	})()
	try(t, c.Run(t.Context(), say("confirm")))
	if text := must(c.LastAnswer(t.Context())); text != "Confirmed: true" {
		t.Errorf("the answer is %q", text)
	}
}

// TestLinksNoAgent holds what a client of the protocol may link of this module.
func TestLinksNoAgent(t *testing.T) {
	const module = "github.com/rondo-agent/rondo/"
	out, err := exec.Command("go", "list", "-deps", module+"mode/rpc/client").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	seen := 0
	for line := range strings.Lines(string(out)) {
		within, ours := strings.CutPrefix(strings.TrimSpace(line), module)
		if !ours {
			continue
		}
		seen++
		if within != "ai" && !strings.HasPrefix(within, "ai/internal/") && !strings.HasPrefix(within, "mode/rpc/") || within == "mode/rpc" {
			t.Errorf("the client links %s", within)
		}
	}
	if seen < 3 {
		t.Errorf("go list names %d packages of this module: %s", seen, out)
	}
}

// start starts an agent in another process.
func start(t *testing.T, kind string, opts client.Options) *client.Client {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	opts.Command = []string{self}
	opts.Env = append(os.Environ(), agentEnv+"="+kind, "SESSIONS="+t.TempDir())
	c, err := client.Start(&opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestStartAndClose(t *testing.T) {
	c := start(t, "serve", client.Options{})
	try(t, c.Run(t.Context(), say("hello")), prompt(t, c, "wait"))
	if err := c.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if _, err := client.Do(t.Context(), c, proto.Abort, proto.None{}); !isEnded(err) {
		t.Errorf("after Close: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if _, err := client.Start(&client.Options{Command: []string{filepath.Join(t.TempDir(), "none")}}); err == nil {
		t.Error("a program that is not there was started")
	}
}

func prompt(t *testing.T, c *client.Client, text string) error {
	t.Helper()
	_, err := client.Do(t.Context(), c, proto.Prompt, say(text))
	return err
}

func isEnded(err error) bool {
	_, ok := errors.AsType[*client.EndedError](err)
	return ok
}

func TestEveryCallEndsWithTheAgent(t *testing.T) {
	t.Run("killed", func(t *testing.T) {
		c := start(t, "serve", client.Options{})
		var calls sync.WaitGroup
		running := make(chan struct{}, 20)
		c.Subscribe(func(ev proto.Event) {
			if _, ok := ev.(*proto.BashExecutionUpdate); ok {
				running <- struct{}{}
			}
		})
		for range 10 {
			calls.Go(func() {
				if _, err := client.Do(t.Context(), c, proto.Bash, proto.BashRequest{Command: "wait"}); !isEnded(err) {
					t.Errorf("Bash: %v", err)
				}
			})
		}
		for range 10 {
			<-running
		}
		c.Kill()
		calls.Wait()
		if err := c.Run(t.Context(), say("x")); !isEnded(err) {
			t.Errorf("Run: %v", err)
		}
		if err := c.Close(); !isEnded(err) {
			t.Errorf("Close: %v", err)
		}
	})
	t.Run("it never began", func(t *testing.T) {
		c := start(t, "fail", client.Options{})
		_, err := client.Do(t.Context(), c, proto.GetState, proto.None{})
		if !isEnded(err) || !strings.Contains(err.Error(), "there is no such model") {
			t.Errorf("State: %v", err)
		}
		if err := c.Close(); !isEnded(err) {
			t.Errorf("Close: %v", err)
		}
	})
	t.Run("it never answers", func(t *testing.T) {
		c := start(t, "deaf", client.Options{CloseTimeout: time.Millisecond})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := client.Do(ctx, c, proto.GetState, proto.None{}); !errors.Is(err, context.Canceled) {
			t.Errorf("State: %v", err)
		}
		if err := c.Close(); !isEnded(err) {
			t.Errorf("Close: %v", err)
		}
	})
}

func TestStandardErrorIsPassedOn(t *testing.T) {
	var text strings.Builder
	c := start(t, "fail", client.Options{Stderr: &text})
	_ = c.Close()
	if got := text.String(); got != "rondo: there is no such model\n" {
		t.Errorf("it said %q", got)
	}
}
