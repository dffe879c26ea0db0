package process_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/process"
)

func init() {
	gate := object{"events": []string{"tool_call", "agent_start"}}
	// brave answers, until it is asked for something that ends it.
	roles["brave"] = func(p *peer) {
		hello := p.ready(gate)
		p.take = func(call object) object {
			event, _ := call["event"].(object)
			input, _ := event["input"].(object)
			switch input["command"] {
			case "die":
				fmt.Fprintln(os.Stderr, "goodbye")
				os.Exit(7)
			case "hang":
				time.Sleep(time.Hour)
			case "refuse":
				return object{"type": "error", "error": "I will not"}
			}
			return object{"result": object{"block": true, "reason": fmt.Sprint("restarts ", hello["restarts"])}}
		}
		p.serve()
	}
	roles["stillborn"] = func(*peer) { fmt.Fprintln(os.Stderr, "cannot find my keys"); os.Exit(1) }
	roles["silent"] = func(*peer) { time.Sleep(time.Hour) }
	roles["future"] = func(p *peer) {
		p.receive()
		p.raw(`{"type":"ready","protocol":2}`)
		p.serve()
	}
	roles["unready"] = func(p *peer) {
		p.receive()
		p.raw(`{"type":"ready","protocol":1,"events":"all"}`)
		p.serve()
	}
	roles["wrong tool"] = func(p *peer) {
		p.ready(object{"tools": []object{{"name": "has blanks", "description": "x"}}})
		p.serve()
	}
	roles["mortal"] = func(p *peer) { // ends soon after each start
		p.ready(gate)
		os.Exit(1)
	}
	roles["chatty"] = func(p *peer) {
		p.raw("Welcome to the extension!")
		p.ready(gate)
		for i := range 10_000 {
			p.raw(fmt.Sprint("this is no JSON ", i))
		}
		for _, line := range []string{`{}`, `[]`, `null`, `{"type":7}`, `{"type":"result","id":{}}`, `{"type":"result","id":99}`, "\xff\xfe", `{"type":"from the future","x":1}`} {
			p.raw(line)
		}
		p.take = func(object) object { return object{"result": object{"block": true, "reason": "still here"}} }
		p.serve()
	}
	roles["verbose"] = func(p *peer) { // answers with a line over the limit
		p.ready(gate)
		p.take = func(call object) object {
			p.raw(fmt.Sprintf(`{"type":"result","id":%v,"result":{"block":true,"reason":"%s"}}`, call["id"], strings.Repeat("x", 100_000)))
			return nil
		}
		p.serve()
	}
	roles["mid call"] = func(p *peer) {
		p.ready(object{"tools": []object{{"name": "fragile", "description": "x"}}})
		p.take = func(call object) object {
			p.send(object{"type": "progress", "id": call["id"], "result": "half"})
			os.Stdout.WriteString(`{"type":"result","id":`)
			os.Exit(0)
			return nil
		}
		p.serve()
	}
	roles["immortal"] = func(p *peer) {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		heir := exec.Command(os.Args[0], "role:heir")
		heir.Stdin, heir.Stdout, heir.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := heir.Start(); err != nil {
			panic(err)
		}
		p.ready(gate)
		p.take = func(object) object {
			return object{"result": object{"block": true, "reason": fmt.Sprint(heir.Process.Pid)}}
		}
		for {
			m := p.receive()
			if m["type"] == "shutdown" {
				time.Sleep(time.Hour)
			}
			p.send(object{"type": "result", "id": m["id"], "result": p.take(m)["result"]})
		}
	}
	roles["heir"] = func(*peer) {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		time.Sleep(time.Hour)
	}
	roles["halves"] = func(p *peer) { // answers with half a character, as Python writes names that are no UTF-8
		p.ready(object{"tools": []object{{"name": "cut", "description": "x"}}})
		for {
			m := p.receive()
			p.raw(fmt.Sprintf(`{"type":"result","id":%v,"result":{"content":[{"type":"text","text":"a\udcff"}],"details":{"b":"\ud83d"}}}`, m["id"]))
		}
	}
	roles["impatient"] = func(p *peer) { // asks a hundred things at once, and takes them back
		p.ready(gate)
		p.take = func(call object) object {
			refused, cancelled := 0, 0
			for i := range 100 {
				p.send(object{"type": "action", "id": i, "for": call["id"], "action": "ui.select", "params": object{"title": "x", "options": []string{"a"}}})
			}
			for refused < 36 {
				if m := p.receive(); m["type"] == "error" {
					refused++
				}
			}
			for i := range 100 {
				p.send(object{"type": "cancel", "id": i})
			}
			for cancelled < 64 {
				if m := p.receive(); m["type"] == "result" && m["result"] == nil {
					cancelled++
				}
			}
			return object{"result": object{"block": true, "reason": fmt.Sprintf("%d refused, %d cancelled", refused, cancelled)}}
		}
		p.serve()
	}
	roles["greedy"] = func(p *peer) { // asks without end, and reads nothing
		p.ready(gate)
		for i := range 1_000_000 {
			p.send(object{"type": "action", "id": i, "action": "getActions"})
		}
		time.Sleep(time.Hour)
	}
}

func TestHost_DoesNotLoad(t *testing.T) {
	for name, want := range map[string]string{
		"stillborn":  "cannot find my keys",
		"silent":     "has not sent ready within",
		"future":     "version 2 of the protocol",
		"unready":    "its message ready is wrong",
		"wrong tool": `"has blanks"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, sceneOptions{source: role(t, name), config: process.Config{StartLimit: 2 * time.Second}})
			if len(s.failed) != 1 || !strings.Contains(s.failed[0].Error(), want) {
				t.Errorf("the failure is %v, want one with %q", s.failed, want)
			}
			if !s.Empty() {
				t.Error("something is left of the extension")
			}
		})
	}
}

// TestHost_IsStartedAgain: a program that dies in a call fails that call, closed; the next one
// finds a new program.
func TestHost_IsStartedAgain(t *testing.T) {
	s := open(t, sceneOptions{source: role(t, "brave")}).ok(t)
	for i := range 2 {
		if r, _, err := s.toolCall(t.Context(), `{}`); err != nil || r.Reason != fmt.Sprint("restarts ", i) {
			t.Fatalf("result %v, %v", r, err)
		}
		_, _, err := s.toolCall(t.Context(), `{"command":"die"}`)
		if err == nil || !strings.Contains(err.Error(), "exit code 7; it wrote: goodbye") {
			t.Fatalf("the failure is %v", err)
		}
	}
	s.await(t, "it is started again")
}

func TestHost_FailsClosed(t *testing.T) {
	s := open(t, sceneOptions{source: role(t, "brave")}).ok(t)
	if _, _, err := s.toolCall(t.Context(), `{"command":"refuse"}`); err == nil || err.Error() != "I will not" {
		t.Errorf("the failure is %v", err)
	}
}

// TestHost_Deadline: a program that does not answer in time, nor when it is told to stop, is
// ended, and started again.
func TestHost_Deadline(t *testing.T) {
	s := open(t, sceneOptions{source: role(t, "brave"), deadline: time.Second, config: process.Config{Grace: 900 * time.Millisecond}}).ok(t)
	if _, _, err := s.toolCall(t.Context(), `{"command":"hang"}`); !errors.Is(err, extension.ErrDeadline) {
		t.Errorf("the failure is %v", err)
	}
	s.await(t, "has not answered a message of the type event within 900ms of its being cancelled; it is started again")
	for end := time.Now().Add(time.Minute); ; { // while it starts, calls fail closed
		r, _, err := s.toolCall(t.Context(), `{}`)
		if err == nil && r.Reason == "restarts 1" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("result %v, %v", r, err)
		}
	}
}

// TestHost_Cancelled: an abort is no failure of the extension.
func TestHost_Cancelled(t *testing.T) {
	s := open(t, sceneOptions{source: role(t, "brave"), config: process.Config{Grace: 100 * time.Millisecond}}).ok(t)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, _, err := s.toolCall(ctx, `{"command":"hang"}`); err == nil {
		t.Error("the call was not cancelled")
	}
	s.await(t, "it is started again")
}

func TestHost_GivesUp(t *testing.T) {
	s := open(t, sceneOptions{source: role(t, "mortal")}).ok(t)
	s.await(t, "it has been started 4 times and stays ended")
	if _, _, err := s.toolCall(t.Context(), `{}`); err == nil || !strings.Contains(err.Error(), "the extension's process has ended") {
		t.Errorf("tool_call did not fail closed: %v", err)
	}
	before := len(s.trace.all())
	s.Emit(t.Context(), &extension.AgentStart{})
	if after := s.trace.all(); len(after) != before {
		t.Errorf("what was reported is reported again: %q", after[before:])
	}
}

// TestHost_Garbage: lines that are no messages are reported, a few times, and harm nothing.
func TestHost_Garbage(t *testing.T) {
	s := open(t, sceneOptions{source: role(t, "chatty")}).ok(t)
	if r, _, err := s.toolCall(t.Context(), `{}`); err != nil || r.Reason != "still here" {
		t.Fatalf("result %v, %v", r, err)
	}
	if n := len(s.trace.all()); n != 10 {
		t.Errorf("%d reports, want 10:\n%s", n, strings.Join(s.trace.all(), "\n"))
	}
	if !s.trace.has(`print to stderr what is for people`) || !s.trace.has(`"Welcome to the extension!"`) {
		t.Errorf("reports: %q", s.trace.all())
	}
}

func TestHost_HugeLine(t *testing.T) {
	s := open(t, sceneOptions{source: role(t, "verbose"), config: process.Config{MaxLine: 64 << 10}}).ok(t)
	if _, _, err := s.toolCall(t.Context(), `{}`); err == nil || !strings.Contains(err.Error(), "longer than 65536 bytes") {
		t.Errorf("the failure is %v", err)
	}
}

func TestHost_HalfACharacter(t *testing.T) {
	s := open(t, sceneOptions{source: role(t, "halves")}).ok(t)
	tool := s.Tools()[0]
	r, err := tool.Execute(t.Context(), &agent.Call{ID: "1", Tool: tool.Tool.Tool, Args: []byte(`{}`)})
	if err != nil || r.Content.Text() != "a\uFFFD" || string(r.Details) != "{\"b\":\"\uFFFD\"}" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestHost_DiesInATool(t *testing.T) {
	s := open(t, sceneOptions{source: role(t, "mid call")}).ok(t)
	tool := s.Tools()[0]
	_, err := tool.Execute(t.Context(), &agent.Call{ID: "1", Tool: tool.Tool.Tool, Args: []byte(`{}`)})
	if err == nil || !strings.Contains(err.Error(), "exit code 0") {
		t.Errorf("the failure is %v", err)
	}
}

// TestHost_EndsWhatDoesNotEnd: neither a program that ignores signals nor its children, which
// hold its pipes, outlive the host.
func TestHost_EndsWhatDoesNotEnd(t *testing.T) {
	s := open(t, sceneOptions{source: role(t, "immortal"), config: process.Config{Grace: 100 * time.Millisecond}}).ok(t)
	r, _, err := s.toolCall(t.Context(), `{}`)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(r.Reason, &pid); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	heir, err := os.FindProcess(pid)
	if err != nil {
		return
	}
	for range 100 {
		if heir.Signal(syscall.Signal(0)) != nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("a child of the program is alive")
}

// TestHost_Stderr: what a program writes to stderr is kept, and stdout is not mistaken for it.
func TestHost_Stderr(t *testing.T) {
	dir := t.TempDir()
	s := open(t, sceneOptions{source: role(t, "brave"), config: process.Config{LogDir: dir}}).ok(t)
	if _, _, err := s.toolCall(t.Context(), `{"command":"die"}`); err == nil {
		t.Error("the call succeeded")
	}
	s.await(t, "it is started again")
	files, err := filepath.Glob(filepath.Join(dir, "brave-*.log"))
	if err != nil || len(files) != 1 {
		t.Fatalf("logs: %q, %v", files, err)
	}
	if text, err := os.ReadFile(files[0]); err != nil || string(text) != "goodbye\n" {
		t.Errorf("the log is %q, %v", text, err)
	}
}

// TestHost_ManyActions: actions that wait are bounded; those over the bound fail, and nothing
// else.
func TestHost_ManyActions(t *testing.T) {
	s := open(t, sceneOptions{source: role(t, "impatient")}).ok(t)
	s.ui.delay = time.Hour
	if r, _, err := s.toolCall(t.Context(), `{}`); err != nil || r.Reason != "36 refused, 64 cancelled" {
		t.Errorf("result %+v, %v", r, err)
	}
}

func TestHost_Flood(t *testing.T) {
	s := open(t, sceneOptions{source: role(t, "greedy"), config: process.Config{Grace: 200 * time.Millisecond}, deadline: time.Second}).ok(t)
	if _, _, err := s.toolCall(t.Context(), `{}`); err == nil {
		t.Error("the call succeeded")
	}
	s.await(t, "it is started again")
}
