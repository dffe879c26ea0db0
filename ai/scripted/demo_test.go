package scripted_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/tools/edit"
	"github.com/rondo-agent/rondo/tools/find"
	"github.com/rondo-agent/rondo/tools/grep"
	"github.com/rondo-agent/rondo/tools/ls"
	"github.com/rondo-agent/rondo/tools/read"
	"github.com/rondo-agent/rondo/tools/write"
)

var demo = scripted.DemoAt(0)

var allTools = []string{"read", "write", "edit", "bash", "ls", "find", "grep"}

func offered(names ...string) []ai.ToolDecl {
	var out []ai.ToolDecl
	for _, name := range names {
		out = append(out, ai.ToolDecl{Name: name})
	}
	return out
}

// say sends one message and returns the answer.
func say(t *testing.T, text string, tools ...string) *ai.AssistantMessage {
	t.Helper()
	_, m := send(t, demo, t.Context(), &ai.Request{Context: ai.Context{
		Messages: []ai.Message{user(text)}, Tools: offered(tools...),
	}})
	return m
}

// callOf returns the call of an answer, or its text behind the notice.
func callOf(m *ai.AssistantMessage) string {
	if calls := m.Content.ToolCalls(); len(calls) == 1 {
		return calls[0].Name + " " + string(calls[0].Arguments)
	}
	return strings.TrimSpace(strings.TrimPrefix(m.Content.Text(), notice))
}

const notice = "I am the scripted demo model, not an AI model: I only know a few fixed phrases.\n" +
	"For a real model, set ANTHROPIC_API_KEY or OPENAI_API_KEY, or describe one in ~/.rondo/models.json."

func TestDemo_Requests(t *testing.T) {
	for text, want := range map[string]string{
		"read notes.txt":                              `read {"path":"notes.txt"}`,
		"Read notes.txt.":                             `read {"path":"notes.txt"}`,
		"please read the file `my notes.txt`!":        `read {"path":"my notes.txt"}`,
		"can you show me my notes.txt?":               `read {"path":"notes.txt"}`,
		"show me the contents of ../a/b.go":           `read {"path":"../a/b.go"}`,
		"cat Makefile":                                `read {"path":"Makefile"}`,
		"what's in go.mod?":                           `read {"path":"go.mod"}`,
		"read a.txt, then read b.txt":                 `read {"path":"a.txt"}`,
		"read Quarterly Report.txt":                   `read {"path":"Quarterly Report.txt"}`,
		"<file name=\"/a\">\nread b\n</file>\nread c": `read {"path":"c"}`,

		"list":                         `ls {}`,
		"List files":                   `ls {}`,
		"ls":                           `ls {}`,
		"list the files here, please":  `ls {}`,
		"list ..":                      `ls {"path":".."}`,
		"list src":                     `ls {"path":"src"}`,
		"list all files in src/":       `ls {"path":"src/"}`,
		"list the folder \"my files\"": `ls {"path":"my files"}`,
		"show me the files":            `ls {}`,
		"what files are in internal?":  `ls {"path":"internal"}`,
		"what is in the folder docs":   `ls {"path":"docs"}`,

		"find *.go":                          `find {"pattern":"*.go"}`,
		"find all files named go.mod in src": `find {"pattern":"go.mod","path":"src"}`,
		"find config":                        `find {"pattern":"*config*"}`,
		"search TODO":                        `grep {"pattern":"TODO","literal":true}`,
		"search for \"a b\" in src/x.go":     `grep {"pattern":"a b","path":"src/x.go","literal":true}`,
		"search in src for func main":        `grep {"pattern":"func main","path":"src","literal":true}`,
		"grep TODO in .":                     `grep {"pattern":"TODO","path":".","literal":true}`,
		"look for TODO":                      `grep {"pattern":"TODO","literal":true}`,

		"run go test ./...":         `bash {"command":"go test ./..."}`,
		"run: the thing; then that": `bash {"command":"the thing; then that"}`,
		"run `ls -l`":               `bash {"command":"ls -l"}`,
		"$ echo \"a b\"":            `bash {"command":"echo \"a b\""}`,
		"execute the command date":  `bash {"command":"date"}`,
		"run: if true; then ls; fi": `bash {"command":"if true; then ls; fi"}`,
		"run hello.sh":              `bash {"command":"sh hello.sh"}`,

		"write notes.txt: buy milk":                     `write {"path":"notes.txt","content":"buy milk\n"}`,
		"write notes.txt:\nbuy milk\n\n- and tea.":      `write {"path":"notes.txt","content":"buy milk\n\n- and tea.\n"}`,
		"create a file called notes.txt with buy milk.": `write {"path":"notes.txt","content":"buy milk.\n"}`,
		"create notes.txt with the text \"buy milk\"":   `write {"path":"notes.txt","content":"buy milk\n"}`,
		"write \"buy milk\" to notes.txt":               `write {"path":"notes.txt","content":"buy milk\n"}`,
		"write a.txt: one, then read a.txt":             `write {"path":"a.txt","content":"one\n"}`,
		"write a.txt: read one, then two":               `write {"path":"a.txt","content":"read one, then two\n"}`,
		"write a.txt: rock and roll":                    `write {"path":"a.txt","content":"rock and roll\n"}`,
		"write a.txt: rock and read it":                 `write {"path":"a.txt","content":"rock\n"}`,
		"write a.txt: rock and test it":                 `write {"path":"a.txt","content":"rock and test it\n"}`,

		"replace milk with tea in notes.txt":               `edit {"path":"notes.txt","edits":[{"oldText":"milk","newText":"tea"}]}`,
		"replace \"a with b\" with \"\" in the file x.txt": `edit {"path":"x.txt","edits":[{"oldText":"a with b","newText":""}]}`,
		"change 'two\nlines' to `one` in x.txt":            `edit {"path":"x.txt","edits":[{"oldText":"two\nlines","newText":"one"}]}`,

		"make a hello script and test it":                    `write {"path":"hello-rondo.sh","content":"#!/bin/sh\n# Says hello.\necho 'Hello, world!'\n"}`,
		"Make hello.sh, and then run it.":                    `write {"path":"hello.sh","content":"#!/bin/sh\n# Says hello.\necho 'Hello, world!'\n"}`,
		"create a hello world program in python and test it": `write {"path":"hello-rondo.py","content":"\"\"\"Says hello.\"\"\"\n\nprint(\"Hello, world!\")\n"}`,
		"write hello.js and try it":                          `write {"path":"hello.js","content":"// Says hello.\nconsole.log(\"Hello, world!\");\n"}`,
	} {
		if got := callOf(say(t, text, allTools...)); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestDemo_Talk(t *testing.T) {
	for text, want := range map[string]string{
		"hello":                       "Hello! Say “help”",
		"Hi there!":                   "Hello! Say “help”",
		"help":                        "I understand phrases like these:\n\n- read README.md",
		"what can you do?":            "I understand phrases like these:",
		"Are you an AI?":              "I am a script that comes with Rondo",
		"thanks":                      "You are welcome.",
		"":                            "I understand phrases like these:",
		"What is love?":               "I do not understand “What is love?”: say it in the form “list”.",
		"Prove P != NP":               "I do not understand “Prove P != NP”. I understand phrases like these:",
		"run the tests":               "I do not understand “run the tests”: say it in the form “run: echo hi”.",
		"run it":                      "I do not understand “run it”: say it in the form “run: echo hi”.",
		"fix the bug":                 "I do not understand “fix the bug”: say it in the form “replace milk with tea in notes.txt”.",
		"show me how it works":        "I do not understand “show me how it works”: say it in the form “read README.md”.",
		"make a todo app and test it": "I can only make programs that say hello",
		"make hello.rs and test it":   "I can only make programs that say hello",
		strings.Repeat("x ", 50000):   "I do not understand “x x x",
	} {
		if got := callOf(say(t, text, allTools...)); !strings.HasPrefix(got, want) {
			t.Errorf("%.80q: got %q, want %q…", text, got, want)
		}
	}
}

// It calls only what is offered, and says what it lacks.
func TestDemo_MissingTools(t *testing.T) {
	for _, c := range []struct{ text, tools, want string }{
		{"read a b.txt", "bash", `bash {"command":"cat 'a b.txt'"}`},
		{"read -n.txt", "bash", `bash {"command":"cat ./-n.txt"}`},
		{"list", "read bash", `bash {"command":"ls -A ."}`},
		{"list src", "bash", `bash {"command":"ls -A src"}`},
		{"find *.go in src", "bash", `bash {"command":"find src -name '*.go'"}`},
		{"search it's", "bash", `bash {"command":"grep -rnF -e 'it'\\''s' . || [ $? -eq 1 ]"}`},
		{"list", "read", "Listing this folder needs the tool ls, which is not offered here. Offered: read."},
		{"run ls", "", "Running `ls` needs the tool bash, which is not offered here: there are no tools."},
		{"write a: b", "bash read", "Writing a needs the tool write, which is not offered here. Offered: bash, read."},
		{"replace a with b in c", "bash", "Replacing “a” with “b” in c needs the tool edit, which is not offered here. Offered: bash."},
		{"make a hello script and test it", "bash", "Writing hello-rondo.sh needs the tool write, which is not offered here. Offered: bash."},
		{"help", "read", "I understand phrases like these:\n\n- read README.md\n\nJoin them with “, then” to do one after another."},
		{"help", "", "I work with tools, and none that I know is offered here. I can only say hello."},
	} {
		if got := callOf(say(t, c.text, strings.Fields(c.tools)...)); got != c.want {
			t.Errorf("%q with %q:\n got %s\nwant %s", c.text, c.tools, got, c.want)
		}
	}
	req := &ai.Request{Context: ai.Context{Messages: []ai.Message{user("list")}, Tools: offered("ls")}, Options: ai.Options{ToolChoice: "none"}}
	if _, m := send(t, demo, t.Context(), req); len(m.Content.ToolCalls()) > 0 {
		t.Error("it called a tool although the request allows none")
	}
}

// Tools may be declared in the transcript alone.
func TestDemo_ToolsOfSystemMessages(t *testing.T) {
	req := &ai.Request{Context: ai.Context{Messages: []ai.Message{
		&ai.SystemMessage{Content: "Be kind.", ToolsAdded: offered("read", "ls")}, user("list"),
	}}}
	_, m := send(t, demo, t.Context(), req)
	diff(t, "call", `ls {}`, callOf(m))
}

func TestDemo_Images(t *testing.T) {
	req := &ai.Request{Context: ai.Context{Messages: []ai.Message{agent.User("What is this?", &ai.Image{Data: "AAAA", MIMEType: "image/png"})}}}
	_, m := send(t, demo, t.Context(), req)
	if text := callOf(m); !strings.HasPrefix(text, "I cannot look at images. I do not understand “What is this?”.") {
		t.Errorf("got %q", text)
	}
}

func TestDemo_OddConversations(t *testing.T) {
	for name, messages := range map[string][]ai.Message{
		"empty":         nil,
		"only a system": {&ai.SystemMessage{Content: "x"}},
		"only a result": {&ai.ToolResultMessage{ToolCallID: "demo_1"}},
		"results of others": {
			user("list"), &ai.AssistantMessage{Content: ai.Content{&ai.ToolCall{ID: "x", Name: "ls"}}},
			&ai.ToolResultMessage{ToolCallID: "x", IsError: true},
		},
		"too many results": {user("list"), &ai.ToolResultMessage{ToolCallID: "demo_1"}, &ai.ToolResultMessage{ToolCallID: "demo_2"}},
		"unknown message":  {user("read"), &ai.UnknownMessage{}},
	} {
		t.Run(name, func(t *testing.T) {
			_, m := send(t, demo, t.Context(), &ai.Request{Context: ai.Context{Messages: messages, Tools: offered("ls")}})
			if m.Failed() || len(m.Content) == 0 {
				t.Errorf("got %s", show(m))
			}
		})
	}
}

func TestDemo_Summary(t *testing.T) {
	m := say(t, "Write a summary of this conversation.\n"+strings.Repeat("[User] read a.txt\n", 50))
	if text := m.Content.Text(); !strings.HasPrefix(text, "This summary comes from the scripted demo model") {
		t.Errorf("got %q", text)
	}
}

// fakes are tools that answer as told and keep what they were called with.
type fakes struct {
	calls   []string
	results map[string]string // by tool; a result that begins with ! is an error
	on      func(call string)
}

func (f *fakes) tools(names ...string) []*agent.Tool {
	var out []*agent.Tool
	for _, name := range names {
		out = append(out, &agent.Tool{Name: name, Execute: func(_ context.Context, call *agent.Call) (*agent.ToolResult, error) {
			f.calls = append(f.calls, name+" "+string(call.Args))
			if f.on != nil {
				f.on(name)
			}
			if text, failed := strings.CutPrefix(f.results[name], "!"); failed {
				return nil, fmt.Errorf("%s", text)
			}
			return agent.TextResult(f.results[name]), nil
		}})
	}
	return out
}

// conversation is an agent with the demo model.
type conversation struct {
	t     *testing.T
	agent *agent.Agent
}

func converse(t *testing.T, tools []*agent.Tool) *conversation {
	return &conversation{t, agent.New(demo, &agent.Options{Model: scripted.DemoRecord(), Tools: tools})}
}

// say prompts and returns the texts of the answers to it.
func (c *conversation) say(text string) []string {
	c.t.Helper()
	before := len(c.agent.State().Messages)
	if err := c.agent.Prompt(c.t.Context(), agent.User(text)); err != nil {
		c.t.Fatal(err)
	}
	if e := c.agent.State().Error; e != "" {
		c.t.Fatal(e)
	}
	var texts []string
	for _, m := range c.agent.State().Messages[before:] {
		if answer, ok := m.(*ai.AssistantMessage); ok {
			texts = append(texts, answer.Content.Text())
		}
	}
	return texts
}

const (
	reminder = "\n\n(Scripted demo model, not an AI model. For a real one, set ANTHROPIC_API_KEY or OPENAI_API_KEY.)"
	label    = "\n\n(scripted demo model)"
)

// The first answer says at length that no AI is at work, later ones in a few words.
func TestDemo_Notices(t *testing.T) {
	f := &fakes{results: map[string]string{"ls": "a.txt\n", "read": "one\ntwo\n"}}
	c := converse(t, f.tools("ls", "read"))
	diff(t, "first", []string{
		notice + "\n\nListing this folder.",
		"In this folder there is:\n\n```\na.txt\n```" + reminder,
	}, c.say("list"))
	diff(t, "second", []string{
		"Reading a.txt.",
		"This is a.txt:\n\n```\none\ntwo\n```" + label,
	}, c.say("read a.txt"))
	diff(t, "third", []string{"Hello! Say “help” to see what I understand." + label}, c.say("hello"))

	c = converse(t, nil)
	diff(t, "hello", []string{notice + "\n\nHello! Say “help” to see what I understand."}, c.say("hello"))
	diff(t, "again", []string{"Hello! Say “help” to see what I understand." + label}, c.say("hello"))
}

func TestDemo_Chain(t *testing.T) {
	f := &fakes{results: map[string]string{"write": "ok", "read": "one\n", "bash": "(no output)"}}
	c := converse(t, f.tools("write", "read", "bash"))
	texts := c.say("write a.txt: one, then read it and then run: true")
	diff(t, "calls", []string{`write {"path":"a.txt","content":"one\n"}`, `read {"path":"a.txt"}`, `bash {"command":"true"}`}, f.calls)
	diff(t, "report", "I wrote a.txt (1 line).\n\nThis is a.txt:\n\n```\none\n```\n\n`true` printed nothing."+reminder, texts[3])
	c.say("read it and list")
	diff(t, "later calls", []string{`read {"path":"a.txt"}`, `bash {"command":"ls -A ."}`}, f.calls[3:])
}

func TestDemo_Failure(t *testing.T) {
	f := &fakes{results: map[string]string{"write": "ok", "bash": "!sh: 3: oops\n\nCommand exited with code 2"}}
	c := converse(t, f.tools("write", "bash"))
	texts := c.say("make hello.sh and test it, then run: date")
	diff(t, "calls", 2, len(f.calls))
	diff(t, "report", "Running `sh hello.sh` failed:\n\n```\nsh: 3: oops\n\nCommand exited with code 2\n```\n\nI stop here, with 1 step left."+reminder, texts[2])

	f.results["bash"] = "Goodbye!"
	texts = c.say("make hello.sh and test it")
	diff(t, "report", "I wrote hello.sh (3 lines).\n\nhello.sh ran without an error, but did not print “Hello, world!” as it should. `sh hello.sh` printed:\n\n```\nGoodbye!\n```"+label, texts[2])
}

func TestDemo_MissingToolInTheMiddle(t *testing.T) {
	f := &fakes{results: map[string]string{"write": "ok"}}
	texts := converse(t, f.tools("write")).say("make hello.sh and test it")
	diff(t, "report", "I wrote hello.sh (3 lines).\n\nRunning `sh hello.sh` needs the tool bash, which is not offered here. Offered: write."+reminder, texts[1])
}

// A message that comes in the middle of the steps is the one that counts.
func TestDemo_Steering(t *testing.T) {
	f := &fakes{results: map[string]string{"write": "ok", "read": "milk\n"}}
	c := converse(t, f.tools("write", "bash", "read"))
	f.on = func(tool string) {
		if tool == "write" {
			c.agent.Steer(agent.User("read notes.txt"))
		}
	}
	texts := c.say("make hello.sh and test it")
	diff(t, "call", `read {"path":"notes.txt"}`, f.calls[1])
	diff(t, "calls", 2, len(f.calls))
	diff(t, "answers", []string{"Reading notes.txt.", "This is notes.txt:\n\n```\nmilk\n```" + label}, texts[1:])
}

// What a tool gave is repeated in bounds, and cannot break out of its fence.
func TestDemo_LongResults(t *testing.T) {
	for name, c := range map[string]struct{ result, begin, end string }{
		"lines":  {strings.Repeat("line\n", 100), "```\nline\n", "line\n```\n(and 60 more lines)"},
		"bytes":  {strings.Repeat("é", 5000), "```\né", "é\n```\n(and 1 more line)"},
		"fences": {"a\n```\nb\n", "````\na\n```\nb\n", "````"},
		"empty":  {"", "", "x.txt is empty."},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakes{results: map[string]string{"read": c.result}}
			texts := converse(t, f.tools("read")).say("read x.txt")
			got := strings.TrimSuffix(strings.TrimPrefix(texts[1], "This is x.txt:\n\n"), reminder)
			if !strings.HasPrefix(got, c.begin) || !strings.HasSuffix(got, c.end) || len(got) > 4200 {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestDemo_Deterministic(t *testing.T) {
	run := func() string {
		f := &fakes{results: map[string]string{"write": "ok", "bash": "Hello, world!"}}
		c := converse(t, f.tools("write", "bash"))
		c.say("make a hello script and test it")
		var out []string
		for _, m := range c.agent.State().Messages {
			switch m := m.(type) {
			case *ai.AssistantMessage:
				out = append(out, show(m))
			case *ai.ToolResultMessage:
				out = append(out, m.ToolCallID)
			}
		}
		return strings.Join(out, "\n")
	}
	diff(t, "second run", run(), run())
}

func TestDemo_Pace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		events, _ := send(t, scripted.Demo(), t.Context(), &ai.Request{Context: ai.Context{Messages: []ai.Message{user("hello")}}})
		diff(t, "time", time.Duration(len(deltas(events)))*scripted.DemoPace, time.Since(start))
	})
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		long := []ai.Message{user("read a"), &ai.ToolResultMessage{ToolCallID: "demo_1", Content: ai.TextContent(strings.Repeat("a ", 5000))}}
		send(t, scripted.DemoAt(time.Second), t.Context(), &ai.Request{Context: ai.Context{Messages: long, Tools: offered("read")}})
		if took := time.Since(start); took > time.Second {
			t.Errorf("a long answer took %s", took)
		}
	})
}

func realTools(dir string) []*agent.Tool {
	return []*agent.Tool{
		read.New(dir, nil), write.New(dir, nil), edit.New(dir, nil), bash.New(dir, nil),
		ls.New(dir, nil), find.New(dir, nil), grep.New(dir, nil),
	}
}

// The whole tour with the real tools.
func TestDemo_RealTools(t *testing.T) {
	dir := t.TempDir()
	c := converse(t, realTools(dir))
	last := func(text string) string {
		t.Helper()
		texts := c.say(text)
		return strings.TrimSuffix(strings.TrimSuffix(texts[len(texts)-1], reminder), label)
	}
	diff(t, "make", "I wrote hello-rondo.sh (3 lines).\n\nhello-rondo.sh works: `sh hello-rondo.sh` printed:\n\n```\nHello, world!\n```", last("make a hello script and test it"))
	if _, err := os.Stat(filepath.Join(dir, "hello-rondo.sh")); err != nil {
		t.Error(err)
	}
	diff(t, "empty", "No file matches *.txt.", last("find *.txt"))
	diff(t, "write", "I wrote notes.txt (1 line).", last("write notes.txt: buy milk"))
	diff(t, "edit", "I replaced “milk” with “tea” in notes.txt.", last("replace milk with tea in it"))
	diff(t, "read", "This is notes.txt:\n\n```\nbuy tea\n```", last("read it"))
	diff(t, "list", "In this folder there is:\n\n```\nhello-rondo.sh\nnotes.txt\n```", last("list"))
	diff(t, "find", "Files that match *note*:\n\n```\nnotes.txt\n```", last("find note"))
	diff(t, "search", "Lines with “tea”:\n\n```\nnotes.txt:1: buy tea\n```", last("search tea"))
	diff(t, "search nothing", "No line holds “milk”.", last("search milk"))
	diff(t, "run", "`echo $((6 * 7))` printed:\n\n```\n42\n```", last("run: echo $((6 * 7))"))
	for text, want := range map[string]string{
		"read nothing.txt":                  "Reading nothing.txt failed:\n\n```\nread nothing.txt:",
		"run: echo oops; exit 3":            "Running `echo oops; exit 3` failed:\n\n```\noops\n",
		"replace sugar with x in notes.txt": "Replacing “sugar” with “x” in notes.txt failed:",
	} {
		if got := last(text); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q…", text, got, want)
		}
	}
}

// With the tools that are active by default, bash does the work of the others.
func TestDemo_RealTools_OnlyBash(t *testing.T) {
	dir := t.TempDir()
	c := converse(t, []*agent.Tool{bash.New(dir, nil), write.New(dir, nil)})
	last := func(text string) string {
		t.Helper()
		texts := c.say(text)
		return strings.TrimSuffix(strings.TrimSuffix(texts[len(texts)-1], reminder), label)
	}
	diff(t, "empty", "There is nothing in this folder.", last("list"))
	last("write it's.txt: tea")
	diff(t, "list", "In this folder there is:\n\n```\nit's.txt\n```", last("list"))
	diff(t, "read", "This is it's.txt:\n\n```\ntea\n```", last("read \"it's.txt\""))
	diff(t, "find", "Files that match *it's*:\n\n```\n./it's.txt\n```", last("find it's"))
	diff(t, "search", "Lines with “tea”:\n\n```\n./it's.txt:1:tea\n```", last("search tea"))
	diff(t, "search nothing", "No line holds “milk”.", last("search milk"))
}

// A program whose interpreter is missing is reported as such.
func TestDemo_RealTools_MissingInterpreter(t *testing.T) {
	dir := t.TempDir()
	shell := bash.New(dir, &bash.Options{CommandPrefix: "PATH=/nonexistent"})
	c := converse(t, []*agent.Tool{shell, write.New(dir, nil)})
	texts := c.say("make hello.py and test it")
	if got := texts[len(texts)-1]; !strings.HasPrefix(got, "Running `python3 hello.py` failed:\n\n```\npython3 is not installed on this machine\n") {
		t.Errorf("got %q", got)
	}
}

// Whatever a user says, the demo model answers in order and calls only what is offered.
func FuzzDemo(f *testing.F) {
	f.Add("write a.txt: one, then read it and run it")
	f.Add("replace “a” with b in c, please!")
	f.Add("make hello.py and test it")
	f.Add("run: echo \xb5")
	f.Add("search for the text \"x\" in the folder y")
	f.Add("run a then run b then run c then run d then run e then run f then run g then run h then ???")
	f.Fuzz(func(t *testing.T, text string) {
		req := &ai.Request{Context: ai.Context{Messages: []ai.Message{user("read last.sh"), user(text)}, Tools: offered("read", "bash", "write")}}
		_, m := send(t, demo, t.Context(), req)
		if m.Failed() || len(m.Content) == 0 {
			t.Fatalf("got %s", show(m))
		}
		for _, call := range m.Content.ToolCalls() {
			if call.Name != "read" && call.Name != "bash" && call.Name != "write" {
				t.Errorf("called %s", call.Name)
			}
			var args map[string]any
			if call.ArgumentsError != "" || json.Unmarshal(call.Arguments, &args) != nil {
				t.Errorf("bad arguments %s", call.Arguments)
			}
		}
	})
}
