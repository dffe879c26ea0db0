package serve_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/compaction"

	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/serve"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/ring"
)

// TestCommands sends everything that a session has an address for.
func TestCommands(t *testing.T) {
	p := newPlace(t, []scripted.Reply{scripted.Say("Hi.")})
	s := p.newSession()
	for _, c := range []struct{ method, path, body, want string }{
		{"GET", "/api", "", `{"name":"rondo","version":"test","cwd":"` + p.cwd + `"}`},
		{"GET", "/api/models", "", `{"models":[{"id":"scripted",`},
		{"POST", s + "/prompt?stream=1", `{"message":"Hello."}`, `data: {"type":"response","command":"prompt","success":true,"data":{"disposition":"started","lastEventId":`},
		{"GET", s, "", `{"sessionId":"`},
		{"GET", s + "/state", "", `{"model":{"id":"scripted"`},
		{"GET", s + "/messages", "", `{"messages":[{"role":"user",`},
		{"GET", s + "/messages?before=1&limit=5", "", `{"messages":[{"role":"user","content":[{"type":"text","text":"Hello."}],`},
		{"GET", s + "/last_assistant_text", "", `{"text":"Hi."}`},
		{"GET", s + "/session_stats", "", `{"sessionFile":`},
		{"GET", s + "/entries", "", `{"entries":[{"type":`},
		{"GET", s + "/tree", "", `{"tree":[{"entry":`},
		{"GET", s + "/commands", "", `{"commands":[]}`},
		{"GET", s + "/available_models", "", `{"models":[{"id":"scripted"`},
		{"GET", s + "/available_thinking_levels", "", `{"levels":["off"]}`},
		{"GET", s + "/fork_messages", "", `{"messages":[{"entryId":`},
		{"POST", s + "/set_model", `{"provider":"scripted","modelId":"scripted"}`, `{"id":"scripted"`},
		{"POST", s + "/set_session_name", `{"name":"Greetings"}`, `{}`},
		{"POST", s + "/steer", `{"message":"a"}`, `{"disposition":"queued","lastEventId":`},
		{"POST", s + "/follow_up", `{"message":"b"}`, `{"disposition":"queued","lastEventId":`},
		{"POST", s + "/clear_queue", "", `{"steering":["a"],"followUp":["b"]}`},
		{"POST", s + "/bash", `{"command":"echo out"}`, `{"output":"out\n","exitCode":0,`},
		{"POST", s + "/abort", "", `{}`},
		{"POST", s + "/abort_bash", "", `{}`},
		{"POST", s + "/fork", "", `{"sessionId":"`},
		{"GET", "/api/sessions", "", `{"sessions":[{"sessionId":`},
		{"GET", "/api/sessions?search=greetings&limit=1", "", `{"sessions":[{"sessionId":`},
		{"GET", s + "/export", "", `<!doctype html>`},
		{"DELETE", s, "", `{}`},
	} {
		got := p.do(c.method, c.path, c.body)
		if !strings.HasPrefix(strings.ToLower(got), strings.ToLower(c.want)) {
			t.Errorf("%s %s: %.300s\nwant %s", c.method, c.path, got, c.want)
		}
	}
	p.refused(http.StatusNotFound, "GET", s, "")
}

// TestRefusals checks that every refusal has its status and a sentence.
func TestRefusals(t *testing.T) {
	p := newPlace(t, []scripted.Reply{{Hold: "gate", Blocks: scripted.Say("x").Blocks}}, func(o *serve.Options, _ *session.Options) { o.Limits.MaxBody = 2000 })
	s := p.newSession()
	p.do("POST", s+"/prompt", `{"message":"Go."}`)
	for _, c := range []struct {
		status                   int
		method, path, body, want string
	}{
		{404, "GET", "/api/nothing", "", "docs/http.md"},
		{404, "GET", "/api/sessions/none", "", "GET /api/sessions lists them"},
		{404, "GET", "/api/sessions/..%2F..%2Fetc/state", "", "no such session"},
		{404, "GET", s + "/nothing", "", `"nothing"`},
		{404, "POST", s + "/get_state", "", "nothing called"},
		{404, "POST", s + "/new_session", "", "nothing called"},
		{404, "POST", s + "/export_html", "", "nothing called"},
		{405, "DELETE", s + "/prompt", "", "POST"},
		{400, "POST", s + "/prompt", `{"message":`, "no JSON object"},
		{400, "POST", s + "/prompt", `[]`, "no JSON object"},
		{400, "POST", s + "/prompt", `{}`, "give a message"},
		{400, "POST", s + "/prompt", `{"message":7}`, "message is of the wrong kind"},
		{400, "POST", s + "/prompt", `{"message":"a","images":[{}]}`, "images.0 needs data"},
		{400, "POST", s + "/prompt", `{"message":"a","streamingBehavior":"x"}`, "unknown streamingBehavior"},
		{409, "POST", s + "/prompt", `{"message":"a"}`, "queue the message as steering"},
		{409, "POST", s + "/dialogs/none", `{"confirmed":true}`, "no such dialog"},
		{400, "POST", s + "/dialogs/none", `{}`, "give value"},
		{413, "POST", s + "/prompt", `{"message":"` + strings.Repeat("a", 3000) + `"}`, "larger than 2000 bytes"},
		{404, "POST", s + "/fork", `{"entryId":"gone"}`, "no such entry"},
		{400, "GET", s + "/messages?before=x", "", "no number"},
		{400, "POST", s + "/set_thinking_level", `{"level":"deep"}`, "deep"},
	} {
		if got := p.refused(c.status, c.method, c.path, c.body); !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %q does not say %q", c.method, c.path, got, c.want)
		}
	}
	req := p.request("POST", s+"/prompt", `{"message":"a"}`)
	req.Header.Set("Content-Type", "text/plain")
	if status, text := p.send(req); status != http.StatusUnsupportedMediaType {
		t.Errorf("a body of text: %d %s", status, text)
	}
	p.model.Release("gate")
}

// TestOneShot_EndsWithSettled: the stream of a prompt ends with agent_settled, and not with the
// agent_end of a run that another one follows.
func TestOneShot_EndsWithSettled(t *testing.T) {
	p := newPlace(t, []scripted.Reply{{Gates: []scripted.Gate{{Name: "gate", At: 1}}, Blocks: scripted.Say("one two three").Blocks}, scripted.Say("again"), scripted.Say("third")})
	s := p.newSession()
	r := p.stream(p.request("POST", s+"/prompt?stream=1", `{"message":"Go."}`))
	r.untilText("text_delta")
	p.do("POST", s+"/follow_up", `{"message":"And then?"}`)
	p.model.Release("gate")
	rest := r.until("agent_settled")
	if f := r.next(); f.kind != "" {
		t.Errorf("there is a %s after agent_settled", f.kind)
	}
	if !strings.Contains(said(t, rest), "again") {
		t.Errorf("the follow-up was not answered: %s", kinds(rest))
	}
	// a later prompt's events are none of it, also where they lie in the ring already
	req := p.request("POST", s+"/prompt?stream=1", `{"message":"More.","id":"m"}`)
	r = p.stream(req)
	r.until("agent_settled")
	p.model.Append(scripted.Say("fourth"))
	p.stream(p.request("POST", s+"/prompt?stream=1", `{"message":"Even more."}`)).until("agent_settled")
	again := p.stream(p.request("POST", s+"/prompt?stream=1", `{"message":"More.","id":"m"}`))
	frames := again.until("agent_settled")
	if f := again.next(); f.kind != "" || !strings.Contains(said(t, frames), "third") || strings.Contains(said(t, frames), "fourth") {
		t.Errorf("sent again, the prompt has the events %s, then %q", kinds(frames), f.kind)
	}
}

// TestPrompt_Idempotent: a prompt that is sent again with its id is taken once.
func TestPrompt_Idempotent(t *testing.T) {
	p := newPlace(t, []scripted.Reply{{Hold: "gate", Blocks: scripted.Say("x").Blocks}, scripted.Say("y")})
	s := p.newSession()
	const body = `{"id":"p1","message":"Go."}`
	first := p.do("POST", s+"/prompt", body)
	if again := p.do("POST", s+"/prompt", body); !strings.Contains(again, `"repeated":true`) || !strings.HasPrefix(again, strings.TrimSuffix(first, "}")) {
		t.Errorf("first %s, again %s", first, again)
	}
	p.refused(http.StatusConflict, "POST", s+"/prompt", `{"id":"p1","message":"Something else."}`)
	p.refused(http.StatusConflict, "POST", s+"/prompt", `{"id":"p2","message":"Go."}`) // it works
	p.model.Release("gate")
	r := p.follow(s+"/events", "")
	r.until("snapshot")
	for strings.Contains(p.do("GET", s, ""), `"isStreaming":true`) {
		time.Sleep(time.Millisecond)
	}
	if got := p.do("POST", s+"/prompt", `{"id":"p2","message":"Go."}`); !strings.Contains(got, `"started"`) {
		t.Errorf("what was refused may be sent again: %s", got)
	}
	r.until("agent_settled")
	if n := p.model.Calls(); n > 2 {
		t.Errorf("the model was asked %d times", n)
	}
}

// TestDialogs: any client answers, the others are told, and a snapshot has those that wait.
func TestDialogs(t *testing.T) {
	p := newPlace(t, nil)
	s := p.newSession()
	ui := <-p.ui
	one, two := p.follow(s+"/events", ""), p.follow(s+"/events", "")
	one.until("snapshot")
	two.until("snapshot")
	type outcome struct {
		choice string
		ok     bool
	}
	answers := make(chan outcome, 1)
	go func() {
		choice, ok := ui.Select(context.Background(), "Which?", []string{"red", "blue"}, 0)
		answers <- outcome{choice, ok}
	}()
	request := one.until("extension_ui_request")[0]
	two.until("extension_ui_request")
	_, after, _ := strings.Cut(request.data, `"id":"`)
	id, _, _ := strings.Cut(after, `"`)
	if snap := p.follow(s+"/events", "").next(); !strings.Contains(snap.data, `"dialogs":[{"type":"extension_ui_request","id":"`+id) {
		t.Errorf("the snapshot has no dialog: %s", snap.data)
	}
	if list := p.do("GET", "/api/sessions", ""); !strings.Contains(list, `"isWaiting":true`) {
		t.Errorf("the list does not tell of it: %s", list)
	}
	p.do("POST", s+"/dialogs/"+id, `{"value":"blue"}`)
	if got := <-answers; got != (outcome{"blue", true}) {
		t.Errorf("the answer is %+v", got)
	}
	for _, r := range []*reader{one, two} {
		if end := r.until("extension_ui_end"); !strings.Contains(end[0].data, `"reason":"answered"`) {
			t.Errorf("the end is %s", end[0].data)
		}
	}
	p.refused(http.StatusConflict, "POST", s+"/dialogs/"+id, `{"value":"red"}`)

	if ui.Confirm(context.Background(), "Sure?", "", 10*time.Millisecond) {
		t.Error("a dialog that nobody answered was confirmed")
	}
	if end := one.until("extension_ui_end"); !strings.Contains(end[len(end)-1].data, `"reason":"timeout"`) {
		t.Errorf("the end is %s", end[len(end)-1].data)
	}
	go func() {
		_, ok := ui.Input(context.Background(), "Name?", "", 0)
		answers <- outcome{"", ok}
	}()
	one.until("extension_ui_request")
	p.stop() // the server's end is one of the dialog
	if got := <-answers; got.ok {
		t.Error("a dialog was answered by the end of the server")
	}
}

// TestRest: a session that nobody uses is closed, and opens again by itself with all it had.
func TestRest(t *testing.T) {
	p := newPlace(t, []scripted.Reply{scripted.Say("Hi."), scripted.Say("Hi again.")}, func(o *serve.Options, _ *session.Options) { o.Limits.Idle = 30 * time.Millisecond })
	s, fresh := p.newSession(), p.newSession()
	p.do("POST", fresh+"/set_session_name", `{"name":"Fresh"}`)
	r := p.stream(p.request("POST", s+"/prompt?stream=1", `{"id":"a","message":"Hello."}`))
	r.until("agent_settled")
	waitFor(t, func() bool { return !strings.Contains(p.do("GET", "/api/sessions", ""), `"isOpen":true`) })
	if got := p.do("GET", fresh, ""); !strings.Contains(got, `"sessionName":"Fresh"`) {
		t.Errorf("a session without a file has forgotten its name: %s", got)
	}
	// the file is free for others, and what is at rest can be gone on with
	late := p.follow(s+"/events", r.lastID)
	if first := late.next(); first.kind != "behind" {
		t.Errorf("an id of before gets %s", first.kind)
	}
	if snap := late.next(); !strings.Contains(snap.data, `"Hi."`) {
		t.Errorf("the snapshot is %s", snap.data)
	}
	late.close()
	again := p.stream(p.request("POST", s+"/prompt?stream=1", `{"id":"a","message":"Hello."}`))
	frames := again.until("agent_settled")
	if !strings.Contains(kinds(frames), "response behind snapshot agent_settled") {
		t.Errorf("a prompt of before, sent again, gets %s", kinds(frames))
	}
	if got := p.do("POST", s+"/prompt", `{"id":"b","message":"And now?"}`); !strings.Contains(got, "started") {
		t.Errorf("the session goes on with %s", got)
	}
	if p.model.Calls() > 2 {
		t.Errorf("the model was asked %d times", p.model.Calls())
	}
}

// TestRest_NotAtWork: a session that works, asks or is followed does not rest.
func TestRest_NotAtWork(t *testing.T) {
	p := newPlace(t, []scripted.Reply{{Hold: "gate", Blocks: scripted.Say("x").Blocks}}, func(o *serve.Options, _ *session.Options) {
		o.Limits.Idle, o.Limits.MaxOpen = 10*time.Millisecond, 1
	})
	s := p.newSession()
	p.do("POST", s+"/prompt", `{"message":"Go."}`)
	<-p.model.Waiting("gate")
	for range 5 {
		p.newSession()
		time.Sleep(10 * time.Millisecond)
	}
	if list := p.do("GET", "/api/sessions", ""); !strings.Contains(list, `"isStreaming":true`) {
		t.Errorf("the session that works was closed: %s", list)
	}
	r := p.follow(s+"/events", "")
	r.until("snapshot")
	p.model.Release("gate")
	r.until("agent_settled")
	time.Sleep(50 * time.Millisecond)
	p.model.Append(scripted.Say("y"))
	p.do("POST", s+"/prompt", `{"message":"Go on."}`)
	r.until("agent_settled")
}

// TestInUseElsewhere: a session that another program writes is not opened, and says so.
func TestInUseElsewhere(t *testing.T) {
	p := newPlace(t, []scripted.Reply{scripted.Say("Hi.")})
	s := p.newSession()
	p.stream(p.request("POST", s+"/prompt?stream=1", `{"message":"Hello."}`)).until("agent_settled")
	other := newPlace(t, nil, func(o *serve.Options, _ *session.Options) {
		files, _ := os.ReadDir(p.dir())
		o.Dir = p.dir()
		if len(files) == 0 {
			t.Fatal("there is no file")
		}
	})
	if got := other.refused(http.StatusConflict, "GET", s, ""); !strings.Contains(got, "in use") {
		t.Error(got)
	}
	p.stop()
	if got := other.do("GET", s+"/messages", ""); !strings.Contains(got, "Hi.") {
		t.Errorf("the session goes on with %s", got)
	}
}

// TestShutdown: what runs is aborted, and those who follow it are told before their stream ends.
func TestShutdown(t *testing.T) {
	p := newPlace(t, []scripted.Reply{{Gates: []scripted.Gate{{Name: "never", At: 2}}, Blocks: scripted.Say(long(9)).Blocks}})
	s := p.newSession()
	r := p.stream(p.request("POST", s+"/prompt?stream=1", `{"message":"Count."}`))
	watcher := p.follow(s+"/events", "")
	watcher.until("snapshot")
	r.untilText("w0")
	p.stop()
	for _, r := range []*reader{r, watcher} {
		frames := r.until("agent_settled")
		if !strings.Contains(frames[len(frames)-2].data, `"aborted"`) {
			t.Errorf("the run ended with %s", frames[len(frames)-2].data)
		}
		if f := r.next(); f.kind != "" {
			t.Errorf("after the end comes %s", f.kind)
		}
	}
}

// waitFor waits until something is so.
func waitFor(t *testing.T, so func() bool) {
	t.Helper()
	for range 2000 {
		if so() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("it does not come to be")
}

// TestCompaction: it is announced, and the snapshot after it has what the model goes on with.
func TestCompaction(t *testing.T) {
	p := newPlace(t, []scripted.Reply{scripted.Say(long(3000)), scripted.Say(long(50)), scripted.Say("It was about counting."), scripted.Say("It was about counting.")}, func(_ *serve.Options, o *session.Options) {
		o.Compaction = compaction.Settings{Disabled: true, KeepRecentTokens: 10, ReserveTokens: 100}
	})
	s := p.newSession()
	r := p.follow(s+"/events?after=now", "")
	for _, prompt := range []string{"Count.", "And?"} {
		p.do("POST", s+"/prompt", `{"message":"`+prompt+`"}`)
		r.until("agent_settled")
	}
	if got := p.do("POST", s+"/compact", `{"customInstructions":"Dwell on numbers."}`); !strings.Contains(got, "It was about counting.") {
		t.Errorf("the compaction came to %s", got)
	}
	if got := kinds(r.until("compaction_end")); !strings.Contains(got, "compaction_start") {
		t.Errorf("the events are %s", got)
	}
	snap := p.follow(s+"/events", "").next()
	if strings.Contains(snap.data, "w2999") || !strings.Contains(snap.data, `"role":"compactionSummary"`) {
		t.Errorf("the snapshot is %.500s", snap.data)
	}
	p.refused(http.StatusConflict, "POST", s+"/compact", "")
}

// TestOneShot_BehindStillEnds: a one-shot stream that falls behind gets a snapshot, and its end.
func TestOneShot_BehindStillEnds(t *testing.T) {
	for range 20 {
		p := newPlace(t, []scripted.Reply{scripted.Of(scripted.Text(strings.SplitAfter(long(5000), " ")...))}, func(o *serve.Options, _ *session.Options) {
			o.Limits.Ring = ring.Limits{Bytes: 8 << 10}
		})
		s := p.newSession()
		r := p.stream(p.request("POST", s+"/prompt?stream=1", `{"message":"Count."}`))
		frames := r.until("agent_settled")
		if f := r.next(); f.kind != "" {
			t.Errorf("after agent_settled comes %s", f.kind)
		}
		if last := frames[len(frames)-1].kind; last != "agent_settled" {
			t.Errorf("the last event is %s", last)
		}
		p.stop()
	}
}
