package rpc_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/rpc"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/memory"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

// connectRuntime serves a runtime that begins with a new session in a folder of its own.
func connectRuntime(t *testing.T, stream ai.StreamFunc, ropts *session.RuntimeOptions, opts *rpc.Options) (*client, *session.Runtime) {
	t.Helper()
	header := transcript.NewHeader(t.TempDir())
	store, err := jsonl.Create(filepath.Join(t.TempDir(), jsonl.FileName(header)), header, nil)
	if err != nil {
		t.Fatal(err)
	}
	if ropts == nil {
		ropts = &session.RuntimeOptions{}
	}
	ropts.Repository = jsonl.Files{}
	ropts.Open = func(store transcript.Store) (*session.Session, error) {
		return session.New(store, &session.Options{CWD: store.Header().CWD, Stream: stream, Model: scripted.Record()})
	}
	first, err := ropts.Open(store)
	if err != nil {
		t.Fatal(err)
	}
	rt := session.NewRuntime(first, ropts)
	in, stdin := io.Pipe()
	c := &client{t: t, in: stdin, out: newTranscript(), done: make(chan error, 1)}
	go func() { c.done <- rpc.ServeRuntime(t.Context(), rt, in, c.out, opts) }()
	t.Cleanup(func() { stdin.Close() })
	return c, rt
}

func TestReplacingCommands(t *testing.T) {
	model := scripted.New(scripted.Say("one"), scripted.Say("two"), scripted.Say("three"))
	c, rt := connectRuntime(t, model.Stream, nil, nil)
	ask := func(line, want string) string {
		t.Helper()
		got := c.ask(line)
		if !strings.Contains(got, want) {
			t.Fatalf("%s\n got %s\nwant %s", line, got, want)
		}
		return got
	}
	ask(`{"type":"clone"}`, `"success":false,"error":"the session is empty: there is nothing to take along; send a prompt first"`)
	ask(`{"type":"prompt","message":"first"}`, `"success":true`)
	c.until("agent_settled")
	first := rt.Session().Store().Path()
	var forks struct {
		Data struct{ Messages []session.ForkMessage }
	}
	if err := json.Unmarshal([]byte(ask(`{"type":"get_fork_messages"}`, `"text":"first"`)), &forks, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	ask(`{"type":"clone"}`, `"data":{"cancelled":false}}`)
	ask(`{"type":"get_state"}`, `"messageCount":2`)
	ask(fmt.Sprintf(`{"type":"fork","entryId":%q}`, forks.Data.Messages[0].EntryID), `"data":{"text":"first","cancelled":false}}`)
	ask(`{"type":"get_messages"}`, `"data":{"messages":[]}`)
	ask(fmt.Sprintf(`{"type":"new_session","parentSession":%q}`, first), `"data":{"cancelled":false}}`)
	if got := rt.Session().Store().Header().ParentSession; got != first {
		t.Errorf("the parent is %s", got)
	}
	ask(fmt.Sprintf(`{"type":"switch_session","sessionPath":%q}`, first), `"data":{"cancelled":false}}`)
	ask(`{"type":"get_last_assistant_text"}`, `"data":{"text":"one"}`)
	ask(`{"type":"switch_session"}`, `switch_session: sessionPath is missing`)
	ask(`{"type":"switch_session","sessionPath":7}`, `sessionPath must not be a number`)
	ask(`{"type":"fork"}`, `fork: entryId is missing: get_fork_messages lists`)
	ask(`{"type":"fork","entryId":"nonesuch"}`, `no such entry in this session`)
	ask(`{"type":"set_session_name","name":" my\nname "}`, `"success":true}`)
	ask(`{"type":"get_state"}`, `"sessionName":"my name"`)
	c.end()
}

// Commands that come while the session is being replaced are for the new one, in order.
func TestCommandsWaitForTheNewSession(t *testing.T) {
	asked, gate := make(chan struct{}), make(chan struct{})
	model := scripted.New(scripted.Say("one"))
	c, _ := connectRuntime(t, model.Stream, &session.RuntimeOptions{
		Before: func(context.Context, *session.Change) error { close(asked); <-gate; return nil },
	}, nil)
	c.send(`{"id":1,"type":"set_session_name","name":"old"}`, `{"id":2,"type":"new_session"}`, `{"id":3,"type":"get_state"}`, `{"id":4,"type":"prompt","message":"hello"}`)
	<-asked
	c.send(`{"id":5,"type":"set_session_name","name":"new"}`)
	close(gate)
	lines := c.until("agent_settled")
	c.send(`{"id":6,"type":"get_state"}`)
	lines = append(lines, c.until(`"id":6`)...)
	var responses []string
	for _, line := range lines {
		if strings.Contains(line, `"type":"response"`) {
			responses = append(responses, line[:strings.Index(line, `"type"`)])
		}
	}
	if got := strings.Join(responses, ""); got != `{"id":1,{"id":2,{"id":3,{"id":4,{"id":5,{"id":6,` {
		t.Errorf("the responses are %s", got)
	}
	for _, line := range lines {
		if strings.HasPrefix(line, `{"id":3`) && strings.Contains(line, "sessionName") {
			t.Errorf("asked of the old session: %s", line)
		}
	}
	if !strings.Contains(lines[len(lines)-1], `"sessionName":"new"`) {
		t.Errorf("the state is %s", lines[len(lines)-1])
	}
	c.end()
}

func TestTheEndOfTheInputWaitsForTheNewSession(t *testing.T) {
	model := scripted.New(scripted.Say("one"))
	c, _ := connectRuntime(t, model.Stream, nil, nil)
	c.send(`{"id":1,"type":"new_session"}`, `{"id":2,"type":"get_state"}`)
	lines := c.end()
	if len(lines) != 2 || !strings.Contains(lines[1], `"messageCount":0`) {
		t.Errorf("lines: %q", lines)
	}
}

func TestACalledOffReplacementIsNoFailure(t *testing.T) {
	model := scripted.New(scripted.Say("one"))
	c, _ := connectRuntime(t, model.Stream, &session.RuntimeOptions{
		Before: func(context.Context, *session.Change) error { return fmt.Errorf("asked: %w", session.ErrCancelled) },
	}, nil)
	for _, line := range []string{`{"type":"new_session"}`, `{"type":"switch_session","sessionPath":"/x"}`, `{"type":"fork","entryId":"x"}`, `{"type":"clone"}`} {
		if got := c.ask(line); !strings.HasSuffix(got, `"success":true,"data":{"cancelled":true}}`) {
			t.Errorf("%s: %s", line, got)
		}
	}
	c.end()
}

func TestWithoutOtherSessions(t *testing.T) {
	c := connect(t, open(t, scripted.New().Stream, session.Options{}), nil)
	if got := c.ask(`{"type":"new_session"}`); !strings.Contains(got, `"success":false,"error":"this session cannot be replaced`) {
		t.Errorf("got %s", got)
	}
	c.end()
}

// entries of a session with a label, from a store that is served.
func serveStore(t *testing.T, store transcript.Store) *client {
	t.Helper()
	s, err := session.New(store, &session.Options{CWD: t.TempDir(), Stream: scripted.New().Stream, Model: scripted.Record()})
	if err != nil {
		t.Fatal(err)
	}
	return connect(t, s, nil)
}

func data(t *testing.T, line string, into any) {
	t.Helper()
	var response struct {
		Success bool           `json:"success"`
		Data    jsontext.Value `json:"data"`
		Error   string         `json:"error"`
	}
	if err := json.Unmarshal([]byte(line), &response); err != nil || !response.Success {
		t.Fatalf("%v in %s", err, line)
	}
	if err := json.Unmarshal(response.Data, into); err != nil {
		t.Fatal(err)
	}
}

func TestGetEntries(t *testing.T) {
	store := memory.New(transcript.NewHeader("/"))
	c := serveStore(t, store)
	var got struct {
		Entries []jsontext.Value `json:"entries"`
		LeafID  *string          `json:"leafId"`
	}
	data(t, c.ask(`{"type":"get_entries"}`), &got)
	if len(got.Entries) != 2 || *got.LeafID != string(store.Leaf()) {
		t.Fatalf("%d entries, leaf %v", len(got.Entries), got.LeafID)
	}
	since := store.Leaf()
	if err := store.Append(storetest.User("a\u2028b"), storetest.Assistant("x")); err != nil {
		t.Fatal(err)
	}
	line := c.ask(fmt.Sprintf(`{"type":"get_entries","since":%q}`, since))
	data(t, line, &got)
	if len(got.Entries) != 2 {
		t.Fatalf("since: %s", line)
	}
	i := 0
	for e := range store.After(since) {
		if string(got.Entries[i]) != string(e.Base().Raw()) {
			t.Errorf("entry %d is %s, the store has %s", i, got.Entries[i], e.Base().Raw())
		}
		i++
	}
	data(t, c.ask(fmt.Sprintf(`{"type":"get_entries","since":%q}`, store.Leaf())), &got)
	if len(got.Entries) != 0 {
		t.Errorf("since the last one: %d", len(got.Entries))
	}
	if line := c.ask(`{"type":"get_entries","since":"nonesuch"}`); !strings.Contains(line, `"success":false`) {
		t.Errorf("since an unknown one: %s", line)
	}
	if err := store.SetLeaf(""); err != nil {
		t.Fatal(err)
	}
	if line := c.ask(fmt.Sprintf(`{"type":"get_entries","since":%q}`, since)); !strings.HasSuffix(line, `"leafId":null}}`) {
		t.Errorf("without a leaf: %s", line)
	}
	c.end()
}

func TestGetTree(t *testing.T) {
	store := memory.New(transcript.NewHeader("/"))
	root := storetest.User("root")
	if err := store.Append(root, storetest.Assistant("left")); err != nil {
		t.Fatal(err)
	}
	if err := store.SetLeaf(root.ID); err != nil {
		t.Fatal(err)
	}
	if err := store.Append(storetest.Assistant("right"), &transcript.LabelEntry{TargetID: root.ID, Label: `a "label"`}); err != nil {
		t.Fatal(err)
	}
	c := serveStore(t, store)
	type node struct {
		Entry          jsontext.Value `json:"entry"`
		Children       []node         `json:"children"`
		Label          string         `json:"label"`
		LabelTimestamp string         `json:"labelTimestamp"`
	}
	var got struct {
		Tree   []node `json:"tree"`
		LeafID string `json:"leafId"`
	}
	data(t, c.ask(`{"type":"get_tree"}`), &got)
	if len(got.Tree) != 1 || len(got.Tree[0].Children) != 2 || got.Tree[0].Label != `a "label"` || got.Tree[0].LabelTimestamp == "" || got.LeafID != string(store.Leaf()) {
		t.Errorf("the tree is %+v", got)
	}
	if string(got.Tree[0].Entry) != string(root.Raw()) {
		t.Errorf("the root is %s", got.Tree[0].Entry)
	}
	right := got.Tree[0].Children[1]
	if len(right.Children) != 1 || len(right.Children[0].Children) != 1 || right.Children[0].Label != "" {
		t.Errorf("the right branch is %+v", right)
	}
	c.end()
}

func TestATreeMayBeAsDeepAsTheSessionIsLong(t *testing.T) {
	const n = 50_000 // several times as deep as JSON packages go
	store := memory.New(transcript.NewHeader("/"))
	entries := make([]transcript.Entry, n)
	for i := range entries {
		entries[i] = &transcript.CustomEntry{CustomType: "x"}
	}
	if err := store.Append(entries...); err != nil {
		t.Fatal(err)
	}
	c := serveStore(t, store)
	line := c.ask(`{"id":"t","type":"get_tree"}`)
	if got := strings.Count(line, `"entry":`); got < n || !strings.HasPrefix(line, `{"id":"t","type":"response","command":"get_tree","success":true,"data":{"tree":[{"entry":`) {
		t.Errorf("%d entries in %.200s", got, line)
	}
	if open, closed := strings.Count(line, "["), strings.Count(line, "]"); open != closed {
		t.Errorf("%d lists are opened and %d closed", open, closed)
	}
	c.end()
}

func TestGetSessionStats(t *testing.T) {
	c := connect(t, open(t, scripted.New(scripted.Say("hi")).Stream, session.Options{}), nil)
	if got := c.ask(`{"type":"get_session_stats"}`); !strings.Contains(got, `"tokens":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0},"cost":0,"contextUsage":{"tokens":0,`) || strings.Contains(got, "sessionFile") {
		t.Errorf("at the beginning: %s", got)
	}
	c.ask(`{"type":"prompt","message":"hello"}`)
	c.until("agent_settled")
	if got := c.ask(`{"type":"get_session_stats"}`); !strings.Contains(got, `"userMessages":1,"assistantMessages":1,"toolCalls":0,"toolResults":0,"totalMessages":2,`) {
		t.Errorf("after a prompt: %s", got)
	}
	c.end()
}

func TestExportHTML(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.html")
	c := connect(t, open(t, scripted.New(scripted.Say("hi")).Stream, session.Options{}), nil)
	line := fmt.Sprintf(`{"type":"export_html","outputPath":%q}`, path)
	if got := c.ask(line); !strings.Contains(got, `"success":false`) {
		t.Errorf("an empty session: %s", got)
	}
	c.ask(`{"type":"prompt","message":"hello"}`)
	c.until("agent_settled")
	if got := c.ask(line); !strings.HasSuffix(got, fmt.Sprintf(`"data":{"path":%q}}`, path)) {
		t.Errorf("got %s", got)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	c.end()
}

func TestCycleModel(t *testing.T) {
	s := open(t, scripted.New().Stream, session.Options{Available: catalogue{scripted.Record(), thinker()}.Available})
	c := connect(t, s, nil)
	if got := c.ask(`{"type":"cycle_thinking_level"}`); !strings.HasSuffix(got, `"success":true,"data":null}`) {
		t.Errorf("a model that cannot think: %s", got)
	}
	if got := c.ask(`{"type":"cycle_model"}`); !strings.Contains(got, `"data":{"model":{"id":"thinker"`) || !strings.HasSuffix(got, `"thinkingLevel":"off","isScoped":false}}`) {
		t.Errorf("the next model: %s", got)
	}
	if got := c.ask(`{"type":"cycle_thinking_level"}`); !strings.HasSuffix(got, `"data":{"level":"minimal"}}`) {
		t.Errorf("the next level: %s", got)
	}
	c.end()
	c = connect(t, open(t, scripted.New().Stream, session.Options{}), nil)
	if got := c.ask(`{"type":"cycle_model"}`); !strings.HasSuffix(got, `"success":true,"data":null}`) {
		t.Errorf("one model: %s", got)
	}
	c.end()
}

// settings remembers what was saved.
type settings struct {
	saved []string
	err   error
}

func (s *settings) Save(key string, value any) error {
	s.saved = append(s.saved, fmt.Sprintf("%s=%v", key, value))
	return s.err
}

func TestSwitchesAreSaved(t *testing.T) {
	kept := &settings{}
	c := connect(t, open(t, scripted.New().Stream, session.Options{}), &rpc.Options{Settings: kept})
	c.ask(`{"type":"set_steering_mode","mode":"all"}`)
	c.ask(`{"type":"set_follow_up_mode","mode":"all"}`)
	c.ask(`{"type":"set_follow_up_mode","mode":"none"}`)
	kept.err = fmt.Errorf("the disk is full")
	if got := c.ask(`{"type":"set_steering_mode","mode":"one-at-a-time"}`); !strings.Contains(got, `"success":false,"error":"the disk is full"`) {
		t.Errorf("got %s", got)
	}
	c.end()
	if got := strings.Join(kept.saved, " "); got != "steeringMode=all followUpMode=all steeringMode=one-at-a-time" {
		t.Errorf("saved was %s", got)
	}
}

func TestAClientCanAskWhatBecomesOfAPrompt(t *testing.T) {
	model := scripted.New(scripted.Reply{Hold: "gate"}, scripted.Say("two"), scripted.Say("three"))
	c := connect(t, open(t, model.Stream, session.Options{}), nil)
	for _, prompt := range []struct{ fields, want string }{
		{`"disposition":true`, `"success":true,"data":{"disposition":"started"}}`},
		{`"streamingBehavior":"followUp","disposition":true`, `"success":true,"data":{"disposition":"queued"}}`},
		{`"streamingBehavior":"steer"`, `"success":true}`},
		{`"streamingBehavior":"abort","disposition":true`, `"success":true,"data":{"disposition":"started"}}`},
	} {
		if got := c.ask(`{"type":"prompt","message":"x",` + prompt.fields + `}`); !strings.HasSuffix(got, prompt.want) {
			t.Errorf("%s: %s", prompt.fields, got)
		}
	}
	c.end()
}

func TestAbortAndPromptInOneStep(t *testing.T) {
	model := scripted.New(scripted.Reply{Blocks: scripted.Say("one two three").Blocks, Gates: []scripted.Gate{{Name: "gate", At: 1}}}, scripted.Say("two"))
	c := connect(t, open(t, model.Stream, session.Options{}), nil)
	c.ask(`{"type":"prompt","message":"one"}`)
	begun := c.until("message_update") // the model has the request
	c.send(`{"id":"stop","type":"prompt","message":"instead","streamingBehavior":"abort"}`)
	lines := append(begun, c.until("agent_settled")...)
	text := strings.Join(lines, "\n")
	if !strings.Contains(text, `"id":"stop","type":"response","command":"prompt","success":true`) || !strings.Contains(text, `"two"`) {
		t.Errorf("lines:\n%s", text)
	}
	if n := strings.Count(text, `"type":"agent_start"`); n != 2 {
		t.Errorf("%d runs", n)
	}
	c.end()
}

func TestCustomContentKeepsItsForm(t *testing.T) {
	store := memory.New(transcript.NewHeader("/"))
	if err := store.Append(
		&transcript.CustomMessageEntry{CustomType: "a", Content: transcript.CustomContent{Text: "a text"}},
		&transcript.CustomMessageEntry{CustomType: "b", Content: transcript.CustomContent{Blocks: ai.TextContent("blocks")}},
	); err != nil {
		t.Fatal(err)
	}
	c := serveStore(t, store)
	got := c.ask(`{"type":"get_messages"}`)
	for _, want := range []string{`"content":"a text"`, `"content":[{"type":"text","text":"blocks"}]`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	c.end()
}
