package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/rpc"
	"github.com/rondo-agent/rondo/mode/rpc/client"
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
	commands, in := io.Pipe()
	out, lines := io.Pipe()
	dir := t.TempDir()
	var agent sync.WaitGroup
	agent.Go(func() {
		if err := serve(commands, lines, dir); err != nil {
			t.Error(err)
		}
		lines.Close()
	})
	c := client.New(in, out)
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

func TestRPC43_EveryCommand(t *testing.T) {
	c, ctx := connect(t), t.Context()
	var events []string
	c.Subscribe(func(ev client.Event) { events = append(events, ev.Type) })

	if st := must(c.State(ctx)); st.Model.ID != "scripted" || st.IsStreaming || st.MessageCount != 0 || !st.AutoCompactionEnabled {
		t.Errorf("the state is %+v", st)
	}
	if text := must(c.LastAnswer(ctx)); text != "" {
		t.Errorf("the last answer is %q", text)
	}
	if models := must(c.AvailableModels(ctx)); len(models) != 2 {
		t.Errorf("%d models", len(models))
	}
	if next := must(c.CycleModel(ctx)); next.Model.ID != "thinker" || next.Scoped {
		t.Errorf("the next model is %+v", next)
	}
	if levels := must(c.ThinkingLevels(ctx)); len(levels) != 5 {
		t.Errorf("levels %q", levels)
	}
	if level := must(c.CycleThinking(ctx)); level != ai.ThinkingMinimal {
		t.Errorf("the next level is %q", level)
	}
	if m := must(c.SetModel(ctx, "scripted", "scripted")); m.ID != "scripted" {
		t.Errorf("the model is %+v", m)
	}
	if level := must(c.CycleThinking(ctx)); level != "" {
		t.Errorf("the level is %q", level)
	}
	try(t, c.SetThinking(ctx, ai.ThinkingHigh), c.SetSteeringMode(ctx, agent.All), c.SetFollowUpMode(ctx, agent.All),
		c.SetAutoRetry(ctx, false), c.AbortRetry(ctx), c.SetAutoCompaction(ctx, false), c.AbortBash(ctx))

	try(t, c.Run(ctx, client.Prompt{Message: "hello", Images: []*ai.Image{{Data: "aGk=", MIMEType: "image/png"}}}), c.Run(ctx, client.Prompt{Message: "again"}))
	if text := must(c.LastAnswer(ctx)); text != "You said again" {
		t.Errorf("the last answer is %q", text)
	}
	if messages := must(c.Messages(ctx)); len(messages) != 4 || messages[3].Role() != ai.RoleAssistant {
		t.Errorf("messages: %v", messages)
	}
	if stats := must(c.Stats(ctx)); stats.UserMessages != 2 || stats.ContextUsage == nil {
		t.Errorf("stats: %+v", stats)
	}
	entries, leaf, err := c.Entries(ctx, "")
	if err != nil || entries[len(entries)-1].Base().ID != leaf {
		t.Errorf("%d entries, leaf %s (%v)", len(entries), leaf, err)
	}
	if since, _, err := c.Entries(ctx, entries[len(entries)-2].Base().ID); err != nil || len(since) != 1 {
		t.Errorf("%d entries since (%v)", len(since), err)
	}
	roots, treeLeaf, err := c.Tree(ctx)
	if err != nil || len(roots) != 1 || len(roots[0].Children) != 1 || treeLeaf != leaf {
		t.Errorf("the tree: %v, %s (%v)", roots, treeLeaf, err)
	}
	if result := must(c.Bash(ctx, "echo", true)); result.Output != "echo" || *result.ExitCode != 0 {
		t.Errorf("the command: %+v", result)
	}
	if commands := must(c.Commands(ctx)); len(commands) != 0 {
		t.Errorf("commands: %v", commands)
	}
	if path := must(c.ExportHTML(ctx, filepath.Join(t.TempDir(), "x.html"))); !strings.HasSuffix(path, "x.html") {
		t.Errorf("exported to %s", path)
	}
	try(t, c.SetName(ctx, "a name"))

	answering, once := make(chan struct{}), new(sync.Once)
	leave := c.Subscribe(func(ev client.Event) {
		if ev.Type == "message_update" {
			once.Do(func() { close(answering) })
		}
	})
	try(t, c.Prompt(ctx, client.Prompt{Message: "wait"}))
	<-answering // a message that is queued before this would be in the same request
	leave()
	try(t, c.Steer(ctx, client.Prompt{Message: "a"}), c.FollowUp(ctx, client.Prompt{Message: "b"}))
	if steering, followUp, err := c.ClearQueue(ctx); err != nil || !slices.Equal(steering, []string{"a"}) || !slices.Equal(followUp, []string{"b"}) {
		t.Errorf("the queues were %q and %q (%v)", steering, followUp, err)
	}
	try(t, c.Run(ctx, client.Prompt{Message: "instead", WhileBusy: session.Interrupt}))
	try(t, c.Prompt(ctx, client.Prompt{Message: "wait"}), c.Abort(ctx))

	first := must(c.State(ctx))
	messages := must(c.ForkMessages(ctx))
	if messages[0].Text != "hello" {
		t.Errorf("messages to fork at: %v", messages)
	}
	try(t, c.Clone(ctx))
	if text, err := c.Fork(ctx, messages[1].EntryID); text != "again" || err != nil {
		t.Errorf("Fork: %q, %v", text, err)
	}
	try(t, c.NewSession(ctx, first.SessionFile), c.NewSession(ctx, ""), c.SwitchSession(ctx, first.SessionFile))
	if st := must(c.State(ctx)); st.SessionName != "a name" || st.MessageCount != first.MessageCount {
		t.Errorf("the state is %+v, it was %+v", st, first)
	}
	_, err = c.Compact(ctx, "briefly")
	if refused, ok := errors.AsType[*client.CommandError](err); !ok || refused.Command != "compact" || !strings.Contains(err.Error(), "nothing to compact") {
		t.Errorf("Compact: %v", err)
	}
	for _, want := range []string{"agent_start", "message_update", "agent_settled", "session_info_changed", "queue_update", "thinking_level_changed"} {
		if !slices.Contains(events, want) {
			t.Errorf("there was no %s", want)
		}
	}
}

func TestEventsCanBeRead(t *testing.T) {
	c := connect(t)
	var texts []string
	leave := c.Subscribe(func(ev client.Event) {
		if ev.Type != "message_end" {
			return
		}
		var end struct {
			Message struct {
				Content ai.Content `json:"content"`
			} `json:"message"`
		}
		if err := ev.Decode(&end); err != nil {
			t.Error(err)
		}
		texts = append(texts, end.Message.Content.Text())
	})
	try(t, c.Run(t.Context(), client.Prompt{Message: "hello"}))
	leave()
	try(t, c.Run(t.Context(), client.Prompt{Message: "unseen"}))
	if !slices.Equal(texts, []string{"hello", "You said hello"}) {
		t.Errorf("the texts are %q", texts)
	}
}

func TestDialogsAreAnswered(t *testing.T) {
	c := connect(t)
	defer c.Subscribe(func(ev client.Event) {
		if ev.Type != "extension_ui_request" {
			return
		}
		var dialog struct {
			Method string `json:"method"`
			Title  string `json:"title"`
		}
		if err := ev.Decode(&dialog); err != nil || dialog.Method != "confirm" || dialog.Title != "Sure?" {
			t.Errorf("asked is %+v, %v", dialog, err)
		}
		try(t, c.Answer(ev, map[string]any{"confirmed": true}))
	})()
	try(t, c.Run(t.Context(), client.Prompt{Message: "confirm"}))
	if text := must(c.LastAnswer(t.Context())); text != "Confirmed: true" {
		t.Errorf("the answer is %q", text)
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
	try(t, c.Run(t.Context(), client.Prompt{Message: "hello"}), c.Prompt(t.Context(), client.Prompt{Message: "wait"}))
	if err := c.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := c.Abort(t.Context()); !isEnded(err) {
		t.Errorf("after Close: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if _, err := client.Start(&client.Options{Command: []string{filepath.Join(t.TempDir(), "none")}}); err == nil {
		t.Error("a program that is not there was started")
	}
}

func isEnded(err error) bool {
	_, ok := errors.AsType[*client.EndedError](err)
	return ok
}

func TestReport_RPC14_EveryCallEndsWithTheAgent(t *testing.T) {
	t.Run("killed", func(t *testing.T) {
		c := start(t, "serve", client.Options{})
		var calls sync.WaitGroup
		running := make(chan struct{}, 20)
		c.Subscribe(func(ev client.Event) {
			if ev.Type == "bash_execution_update" {
				running <- struct{}{}
			}
		})
		for range 10 {
			calls.Go(func() {
				if _, err := c.Bash(t.Context(), "wait", false); !isEnded(err) {
					t.Errorf("Bash: %v", err)
				}
			})
		}
		for range 10 {
			<-running
		}
		c.Kill()
		calls.Wait()
		if err := c.Run(t.Context(), client.Prompt{Message: "x"}); !isEnded(err) {
			t.Errorf("Run: %v", err)
		}
		if err := c.Close(); !isEnded(err) {
			t.Errorf("Close: %v", err)
		}
	})
	t.Run("it never began", func(t *testing.T) {
		c := start(t, "fail", client.Options{})
		_, err := c.State(t.Context())
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
		if _, err := c.State(ctx); !errors.Is(err, context.Canceled) {
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
