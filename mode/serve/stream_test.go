package serve_test

import (
	"context"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/serve"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/ring"
)

// TestStream_ResumesWhereItWas: whoever names the last event gets what came after it, once.
func TestStream_ResumesWhereItWas(t *testing.T) {
	p := newPlace(t, []scripted.Reply{{Gates: []scripted.Gate{{Name: "gate", At: 5}}, Blocks: scripted.Say(long(40)).Blocks}})
	s := p.newSession()
	r := p.follow(s+"/events", "")
	if first := r.next(); first.kind != "snapshot" {
		t.Fatalf("the stream begins with %s", first.kind)
	}
	p.do("POST", s+"/prompt", `{"message":"Count."}`)
	frames := r.untilText("w3")
	last := r.lastID
	r.close()
	p.model.Release("gate")
	r = p.follow(s+"/events", last)
	frames = append(frames, r.until("agent_settled")...)
	if got := said(t, frames); got != long(40) {
		t.Errorf("the two streams together say %q", got)
	}
	if strings.Contains(kinds(frames), "snapshot") {
		t.Error("a snapshot was sent that nobody needed")
	}
}

// TestSnapshotAndDeltasApplyOnce: who comes in the middle of an answer gets a
// snapshot, and the deltas behind it go on exactly where it ends.
func TestSnapshotAndDeltasApplyOnce(t *testing.T) {
	var gates []scripted.Gate
	for at := 1; at < 30; at++ {
		gates = append(gates, scripted.Gate{Name: "g" + string(rune('A'+at)), At: at})
	}
	p := newPlace(t, []scripted.Reply{{Gates: gates, Blocks: scripted.Say(long(40)).Blocks}})
	s := p.newSession()
	p.do("POST", s+"/prompt", `{"message":"Count."}`)
	var readers []*reader
	var begun [][]frame
	for _, gate := range gates {
		<-p.model.Waiting(gate.Name)
		r := p.follow(s+"/events", "")
		readers, begun = append(readers, r), append(begun, r.until("snapshot"))
		p.model.Release(gate.Name)
	}
	for i, r := range readers {
		if got := said(t, append(begun[i], r.until("message_end")...)); got != long(40) {
			t.Errorf("the client that came after %d pieces shows %q", i+1, got)
		}
	}
}

// TestSnapshot_HoldsWhatStreams: also a tool call that is being written, and one that runs.
func TestSnapshot_HoldsWhatStreams(t *testing.T) {
	running, release := make(chan struct{}), make(chan struct{})
	slow := tool("slow", func(context.Context) (string, error) {
		close(running)
		<-release
		return "done", nil
	})
	reply := scripted.Reply{
		Blocks: []scripted.Block{scripted.RawCall("c1", "slow", `{"note": "ab`, `c", "x": 1`, `}`)},
		Gates:  []scripted.Gate{{Name: "args", At: 2}},
	}
	p := newPlace(t, []scripted.Reply{reply, scripted.Say("So.")}, func(_ *serve.Options, o *session.Options) { o.Tools = append(o.Tools, slow) })
	s := p.newSession()
	p.do("POST", s+"/prompt", `{"message":"Do it."}`)
	<-p.model.Waiting("args")
	snap := p.follow(s+"/events", "").next()
	if want := `"arguments":{"0":"{\"note\": \"abc\", \"x\": 1"}`; !strings.Contains(snap.data, want) {
		t.Errorf("the snapshot has no %s: %s", want, snap.data)
	}
	p.model.Release("args")
	<-running
	snap = p.follow(s+"/events", "").next()
	if want := `"toolCalls":[{"type":"tool_execution_start","toolCallId":"c1","toolName":"slow"`; !strings.Contains(snap.data, want) {
		t.Errorf("the snapshot has no %s: %s", want, snap.data)
	}
	p.do("POST", s+"/steer", `{"message":"Faster."}`)
	snap = p.follow(s+"/events", "").next()
	if want := `"queue":{"steering":["Faster."],"followUp":[]}`; !strings.Contains(snap.data, want) {
		t.Errorf("the snapshot has no %s: %s", want, snap.data)
	}
	last := p.follow(s+"/events", "")
	last.until("snapshot")
	close(release)
	last.until("agent_settled")
}

// TestStream_BehindGetsASnapshot: who has missed too much is told so, and loses nothing.
func TestStream_BehindGetsASnapshot(t *testing.T) {
	p := newPlace(t, []scripted.Reply{scripted.Say("First."), scripted.Say(long(2000))}, func(o *serve.Options, _ *session.Options) {
		o.Limits.Ring = ring.Limits{Bytes: 64 << 10}
	})
	s := p.newSession()
	r := p.follow(s+"/events", "")
	r.until("snapshot")
	p.stream(p.request("POST", s+"/prompt?stream=1", `{"message":"One."}`)).until("agent_settled")
	r.until("agent_settled")
	r.close()
	p.stream(p.request("POST", s+"/prompt?stream=1", `{"message":"Two."}`)).until("agent_settled")
	for _, id := range []string{r.lastID, "other-12", "nonsense"} {
		late := p.follow(s+"/events", id)
		if first := late.next(); first.kind != "behind" || first.id != "" {
			t.Errorf("after %q the stream begins with %+v", id, first)
		}
		snap := late.next()
		if snap.kind != "snapshot" || !strings.Contains(snap.data, "w1999") || !strings.Contains(snap.data, "First.") {
			t.Errorf("after %q comes %.200s", id, snap.data)
		}
		late.close()
	}
}

// TestDisconnectDoesNotAbort: a reader that goes leaves the run alone; only an
// abort ends it, and what had come is kept.
func TestDisconnectDoesNotAbort(t *testing.T) {
	p := newPlace(t, []scripted.Reply{
		{Gates: []scripted.Gate{{Name: "one", At: 3}}, Blocks: scripted.Say(long(20)).Blocks},
		{Gates: []scripted.Gate{{Name: "two", At: 3}}, Blocks: scripted.Say(long(20)).Blocks},
	})
	s := p.newSession()
	for _, path := range []string{"/events", "/prompt?stream=1"} {
		req := p.request("GET", s+path, "")
		if path != "/events" {
			req = p.request("POST", s+path, `{"message":"Count."}`)
		}
		r := p.stream(req)
		if path != "/events" {
			r.untilText("w1")
		}
		r.close()
	}
	watcher := p.follow(s+"/events", "")
	first := watcher.until("snapshot")
	p.model.Release("one")
	if got := append(first, watcher.until("agent_settled")...); said(t, got) != long(20) {
		t.Errorf("the run that nobody read said %q", said(t, got))
	}
	p.do("POST", s+"/prompt", `{"message":"Count."}`)
	<-p.model.Waiting("two")
	p.do("POST", s+"/abort", "")
	frames := watcher.until("agent_settled")
	if all := p.do("GET", s+"/messages", ""); !strings.Contains(all, `"stopReason":"aborted"`) || !strings.Contains(all, "w2") {
		t.Errorf("after the abort (%s) the messages are %s", kinds(frames), all)
	}
}

// TestBytesGrowWithTheAnswer: an answer of twice the length is twice the bytes.
func TestBytesGrowWithTheAnswer(t *testing.T) {
	count := func(words int) int {
		p := newPlace(t, []scripted.Reply{scripted.Of(scripted.Text(strings.SplitAfter(long(words), " ")...))}, func(o *serve.Options, _ *session.Options) {
			o.Limits.Ring.Bytes, o.Limits.Ring.Records = 64<<20, 100_000 // nobody falls behind
		})
		s := p.newSession()
		n, deltas := 0, 0
		for _, f := range p.stream(p.request("POST", s+"/prompt?stream=1", `{"message":"Count."}`)).until("agent_settled") {
			n += len(f.data) + len(f.id) + 14
			if f.kind == "message_update" {
				deltas++
			}
		}
		if deltas < words {
			t.Errorf("%d words came in %d deltas", words, deltas)
		}
		return n
	}
	small, large := count(2000), count(20_000)
	if large > 11*small {
		t.Errorf("2,000 words are %d bytes, 20,000 are %d", small, large)
	}
}

// TestCallsHaveTheirIDFromTheirFirstEvent: and what is partial has another type
// than what is final.
func TestCallsHaveTheirIDFromTheirFirstEvent(t *testing.T) {
	reply := scripted.Of(scripted.RawCall("", "ls", `{"pa`, `th": "`, `."}`))
	p := newPlace(t, []scripted.Reply{reply, scripted.Say("So.")})
	s := p.newSession()
	frames := p.stream(p.request("POST", s+"/prompt?stream=1", `{"message":"List."}`)).until("agent_settled")
	var order []string
	id := ""
	for _, f := range frames {
		for _, kind := range []string{"toolcall_start", "toolcall_delta", "toolcall_end", "tool_execution_start", "tool_execution_end"} {
			if !strings.Contains(f.data, `"type":"`+kind+`"`) {
				continue
			}
			if len(order) == 0 || order[len(order)-1] != kind {
				order = append(order, kind)
			}
			if kind == "toolcall_start" {
				_, after, _ := strings.Cut(f.data, `"id":"`)
				id, _, _ = strings.Cut(after, `"`)
			}
			if kind != "toolcall_delta" && (id == "" || !strings.Contains(f.data, `"`+id+`"`)) {
				t.Errorf("%s does not name the call %q: %s", kind, id, f.data)
			}
		}
	}
	if got := strings.Join(order, " "); got != "toolcall_start toolcall_delta toolcall_end tool_execution_start tool_execution_end" {
		t.Errorf("the call's events are %s", got)
	}
}

// TestLongSession: a snapshot has the newest messages, and the rest can be asked for.
func TestLongSession(t *testing.T) {
	var replies []scripted.Reply
	for range 200 {
		replies = append(replies, scripted.Say("Hm."))
	}
	p := newPlace(t, replies)
	s := p.newSession()
	r := p.follow(s+"/events?after=now", "")
	for range 200 {
		p.do("POST", s+"/prompt", `{"message":"Go on."}`)
		r.until("agent_settled")
	}
	if snap := p.follow(s+"/events", "").next(); !strings.Contains(snap.data, `"skippedMessages":100`) || strings.Count(snap.data, `"role":`) != 300 {
		t.Errorf("the snapshot has %d messages: %.300s", strings.Count(snap.data, `"role":`), snap.data)
	}
	if older := p.do("GET", s+"/messages?before=100&limit=30", ""); !strings.Contains(older, `"skippedMessages":70,"total":400`) || strings.Count(older, `"role":`) != 30 {
		t.Errorf("the older messages are %d", strings.Count(older, `"role":`))
	}
}

// TestToolArgumentsOnSeveralLines: a model may write line ends into the arguments of a call,
// which must not end the event that has them.
func TestToolArgumentsOnSeveralLines(t *testing.T) {
	p := newPlace(t, []scripted.Reply{scripted.Of(scripted.RawCall("c", "ls", "{\n  \"path\":\r\n \".\"\n}")), scripted.Say("So.")})
	s := p.newSession()
	frames := p.stream(p.request("POST", s+"/prompt?stream=1", `{"message":"List."}`)).until("agent_settled")
	if !strings.Contains(kinds(frames), "tool_execution_start tool_execution_end") {
		t.Errorf("the events are %s", kinds(frames))
	}
	if snap := p.follow(s+"/events", "").next(); !strings.Contains(snap.data, `"path"`) {
		t.Errorf("the snapshot is %s", snap.data)
	}
}
