package serve_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/relay"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/serve"
	"github.com/rondo-agent/rondo/session"
)

// addresses are all that tell or do something.
func addresses(s string) []string {
	return []string{
		"GET /api", "POST /api/links", "GET /api/models", "GET /api/sessions", "POST /api/sessions", "DELETE " + s, "GET " + s,
		"GET " + s + "/events", "GET " + s + "/messages", "GET " + s + "/export", "GET " + s + "/state", "POST " + s + "/prompt",
		"POST " + s + "/prompt?stream=1", "POST " + s + "/steer", "POST " + s + "/follow_up", "POST " + s + "/compact", "POST " + s + "/bash",
		"POST " + s + "/fork", "POST " + s + "/dialogs/x", "POST " + s + "/abort", "POST " + relay.Path,
	}
}

// TestNoWayInForASite: without the token, from a page of another site, or under
// another name of this machine, nothing is told or done, streams included.
func TestNoWayInForASite(t *testing.T) {
	model := scripted.New()
	p := newPlace(t, nil, func(o *serve.Options, _ *session.Options) {
		o.Relay = relay.Handler(model.Stream, relay.Token(token), func(context.Context, *ai.Model) (*relay.Target, error) {
			return &relay.Target{Model: scripted.Record()}, nil
		}, nil)
	})
	s := p.newSession()
	for name, attack := range map[string]struct {
		change func(*http.Request)
		status int
	}{
		"no token":               {func(r *http.Request) { r.Header.Del("Authorization") }, http.StatusUnauthorized},
		"a wrong token":          {func(r *http.Request) { r.Header.Set("Authorization", "Bearer wrong") }, http.StatusUnauthorized},
		"a part of the token":    {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token[:8]) }, http.StatusUnauthorized},
		"a token in the address": {func(r *http.Request) { r.Header.Del("Authorization"); r.URL.RawQuery = "token=" + token }, http.StatusUnauthorized},
		"a made-up cookie": {func(r *http.Request) {
			r.Header.Del("Authorization")
			_, port, _ := net.SplitHostPort(p.addr)
			r.AddCookie(&http.Cookie{Name: "rondo_" + port, Value: token})
		}, http.StatusUnauthorized},
		"another origin":           {func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, http.StatusForbidden},
		"an opaque origin":         {func(r *http.Request) { r.Header.Set("Origin", "null") }, http.StatusForbidden},
		"another port's origin":    {func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }, http.StatusForbidden},
		"a cross-site fetch":       {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, http.StatusForbidden},
		"another port's fetch":     {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, http.StatusForbidden},
		"a name that was rebound":  {func(r *http.Request) { r.Host = "evil.example:" + p.addr[len("127.0.0.1:"):] }, http.StatusMisdirectedRequest},
		"a name like localhost":    {func(r *http.Request) { r.Host = "localhost.evil.example" }, http.StatusMisdirectedRequest},
		"an address elsewhere":     {func(r *http.Request) { r.Host = "192.0.2.7" }, http.StatusMisdirectedRequest},
		"a port that is no number": {func(r *http.Request) { r.Host = "localhost:1.evil" }, http.StatusMisdirectedRequest},
		"a port that is a name":    {func(r *http.Request) { r.Host = "127.0.0.1:80.evil.example" }, http.StatusMisdirectedRequest},
		"a port that is too large": {func(r *http.Request) { r.Host = "localhost:70000" }, http.StatusMisdirectedRequest},
		"a port with a sign":       {func(r *http.Request) { r.Host = "localhost:+80" }, http.StatusMisdirectedRequest},
		"two ports":                {func(r *http.Request) { r.Host = "localhost:80:80" }, http.StatusMisdirectedRequest},
		"a name in brackets":       {func(r *http.Request) { r.Host = "[localhost]:80" }, http.StatusMisdirectedRequest},
		"half a bracket":           {func(r *http.Request) { r.Host = "[::1" }, http.StatusMisdirectedRequest},
		"no name":                  {func(r *http.Request) { r.Host = "-" }, http.StatusMisdirectedRequest},
	} {
		for _, address := range addresses(s) {
			method, path, _ := strings.Cut(address, " ")
			body := ""
			if method == "POST" {
				body = `{"message":"hi","command":"touch here"}`
			}
			req := p.request(method, path, body)
			attack.change(req)
			res, err := p.client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			data, _ := io.ReadAll(io.LimitReader(res.Body, 1000))
			res.Body.Close()
			if res.StatusCode != attack.status || strings.Contains(string(data), "sessionId") {
				t.Errorf("%s, %s: %d %s", name, address, res.StatusCode, data)
			}
			if allowed := res.Header.Get("Access-Control-Allow-Origin"); allowed != "" {
				t.Errorf("%s, %s: another origin may read: %s", name, address, allowed)
			}
		}
	}
	if p.model.Calls()+model.Calls() > 0 {
		t.Error("the model was asked")
	}
	behind := newPlace(t, nil, func(o *serve.Options, _ *session.Options) { o.Hosts = []string{"Rondo.example"} })
	req := behind.request("GET", "/api", "")
	req.Host = "rondo.example"
	req.Header.Set("Origin", "https://rondo.example")
	if status, text := behind.send(req); status != http.StatusOK {
		t.Errorf("through a proxy: %d %s", status, text)
	}
	for _, host := range []string{"localhost:1", "127.0.0.1", "[::1]:5", "LOCALHOST", "127.9.9.9"} { // as behind a tunnel
		req := p.request("GET", "/api", "")
		req.Host = host
		req.Header.Set("Origin", "http://"+host)
		if status, text := p.send(req); status != http.StatusOK {
			t.Errorf("as %s: %d %s", host, status, text)
		}
	}
}

// TestOnePolicyForEveryWayIn: what may run is decided in the session, so that it
// holds for what comes over HTTP.
func TestOnePolicyForEveryWayIn(t *testing.T) {
	call := scripted.Of(scripted.Call("c1", "bash", map[string]any{"command": "touch here"}))
	p := newPlace(t, []scripted.Reply{call, scripted.Say("So be it.")}, func(_ *serve.Options, o *session.Options) {
		o.Hooks.BeforeToolCall = func(_ context.Context, call *agent.PendingCall) (agent.Decision, error) {
			return agent.Decision{Block: true, Reason: "not in this house"}, nil
		}
	})
	s := p.newSession()
	frames := p.stream(p.request("POST", s+"/prompt?stream=1", `{"message":"Touch it."}`)).until("agent_settled")
	var all strings.Builder
	for _, f := range frames {
		all.WriteString(f.data)
	}
	if !strings.Contains(all.String(), "not in this house") || !strings.Contains(all.String(), `"isError":true`) {
		t.Errorf("the call was not blocked: %s", all.String())
	}
}

// TestCookie: the page's cookie lets in, is out of reach for scripts and other sites, and goes.
func TestCookie(t *testing.T) {
	p := newPlace(t, nil)
	link := p.server.Link(p.addr)
	res, err := p.client.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	cookies := res.Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || strings.Contains(cookies[0].Value, token) {
		t.Fatalf("the cookies are %v", cookies)
	}
	if _, port, _ := net.SplitHostPort(p.addr); cookies[0].Name != "rondo_"+port {
		t.Errorf("the cookie is called %s", cookies[0].Name)
	}
	with := func(method, path string) int {
		req := p.request(method, path, "")
		req.Header.Del("Authorization")
		req.AddCookie(cookies[0])
		status, _ := p.send(req)
		return status
	}
	if status := with("GET", "/api/sessions"); status != http.StatusOK {
		t.Errorf("with the cookie: %d", status)
	}
	req := p.request("POST", "/sign-out", "")
	res, err = p.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if gone := res.Cookies(); len(gone) != 1 || gone[0].MaxAge >= 0 {
		t.Errorf("signing out leaves %v", gone)
	}
	if status, text := p.send(p.request("POST", "/sign-in", `{"token":"`+strings.Repeat("x", 5000)+`"}`)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("an endless token: %d %s", status, text)
	}
	if res, err = p.client.Get(link); err != nil || res.StatusCode != http.StatusForbidden {
		t.Errorf("a link works twice: %v %v", res, err)
	}
	res.Body.Close()
}

// TestToken_Short: a token that can be guessed is refused.
func TestToken_Short(t *testing.T) {
	if _, err := serve.New(&serve.Options{Token: "secret"}); err == nil || !strings.Contains(err.Error(), "at least 16") {
		t.Errorf("the error is %v", err)
	}
}

// TestPageHeaders: the page may load and run what is its own, and be framed by nobody.
func TestPageHeaders(t *testing.T) {
	p := newPlace(t, nil)
	for _, path := range []string{"/", "/page/app.js", "/page/app.css", "/page/icon.svg"} {
		res, err := p.client.Get(p.url + path)
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(res.Body)
		res.Body.Close()
		csp := res.Header.Get("Content-Security-Policy")
		if res.StatusCode != http.StatusOK || !strings.Contains(csp, "script-src 'self'") || strings.Contains(csp, "unsafe") || res.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d, %v", path, res.StatusCode, res.Header)
		}
		for _, outside := range []string{"http://", "https://"} {
			if path != "/page/icon.svg" && bytes.Contains(data, []byte(`"`+outside)) {
				t.Errorf("%s names something outside", path)
			}
		}
		req, _ := http.NewRequest("GET", p.url+path, nil)
		req.Header.Set("If-None-Match", res.Header.Get("ETag"))
		if status, _ := p.send(req); status != http.StatusNotModified {
			t.Errorf("%s is sent again though it has not changed: %d", path, status)
		}
	}
}

// TestPage_ForeignOrigin: a page of another site can neither read nor do anything, also in a
// browser that is signed in.
func TestPage_ForeignOrigin(t *testing.T) {
	p := newPlace(t, []scripted.Reply{scripted.Say("no")})
	who, own := enter(t, p)
	s := p.newSession()
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<title>evil</title>")
	}))
	defer evil.Close()
	for _, origin := range []string{evil.URL, strings.Replace(evil.URL, "127.0.0.1", "localhost", 1)} { // the same site, and another one
		tab := who.open(origin)
		tab.wait("document.title === 'evil'")
		for _, attempt := range []string{
			`fetch('%[1]s/api/sessions', {credentials: 'include'}).then((r) => r.text())`,
			`fetch('%[1]s%[2]s/prompt', {method: 'POST', credentials: 'include', mode: 'no-cors', headers: {'Content-Type': 'text/plain'}, body: '{"message":"hi"}'}).then((r) => r.text()).then((t) => { if (t) return t; throw new Error('opaque') })`,
			`fetch('%[1]s%[2]s/prompt', {method: 'POST', credentials: 'include', headers: {'Content-Type': 'application/json'}, body: '{"message":"hi"}'}).then((r) => r.text())`,
			`new Promise((ok, no) => { const e = new EventSource('%[1]s%[2]s/events', {withCredentials: true}); e.onmessage = (m) => ok(m.data); e.onerror = () => no(new Error('refused')); })`,
			`new Promise((ok, no) => { const f = document.createElement('iframe'); f.src = '%[1]s/'; f.onload = () => { try { f.contentDocument.title ? ok('framed') : no(new Error('empty')) } catch (e) { no(e) } }; document.body.append(f); })`,
		} {
			var got string
			if err := tab.eval(fmt.Sprintf(attempt, p.url, s), &got); err == nil {
				t.Errorf("a page of %s got %q by %s", origin, got, attempt)
			}
		}
	}
	if p.model.Calls() > 0 {
		t.Error("another site has sent a prompt")
	}
	own.wait("!document.getElementById('app').hidden")
}

// TestOneThatDoesNotReadBlocksNobody: with as many streams as a browser has to one
// server, of which one does not read, the others get everything at once, and each stream shows
// now and then that it is alive.
func TestOneThatDoesNotReadBlocksNobody(t *testing.T) {
	p := newPlace(t, []scripted.Reply{scripted.Say(long(30_000))}, func(o *serve.Options, _ *session.Options) {
		o.Limits.KeepAlive, o.Limits.Ring.Bytes, o.Limits.Ring.Records = 20*time.Millisecond, 64<<20, 100_000 // nobody falls behind
	})
	s := p.newSession()
	stuck, err := net.Dial("tcp", p.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer stuck.Close()
	fmt.Fprintf(stuck, "GET %s/events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", s, p.addr, token)
	quiet := p.follow(s+"/events?after=now", "")
	if line, err := quiet.lines.ReadString('\n'); line != "retry: 1000\n" || err != nil {
		t.Fatalf("the stream begins with %q, %v", line, err)
	}
	quiet.lines.ReadString('\n')
	if line, err := quiet.lines.ReadString('\n'); line != ":\n" || err != nil {
		t.Errorf("a stream that nothing happens in has %q, %v", line, err)
	}
	var readers sync.WaitGroup
	for range 5 {
		r := p.follow(s+"/events", "")
		r.until("snapshot")
		readers.Go(func() {
			if got := said(t, r.until("agent_settled")); got != long(30_000) {
				t.Errorf("a reader got %d bytes of the answer", len(got))
			}
		})
	}
	p.do("POST", s+"/prompt", `{"message":"Count."}`)
	readers.Wait()
}

// TestPoliciesSeeWholeCommands: nothing on the way decides by how a command begins,
// or takes it apart: who decides about it sees all of it.
func TestPoliciesSeeWholeCommands(t *testing.T) {
	commands := []string{"echo a && id", "echo a\nid", "echo $(id)", "echo `id`", "echo a | sh", "echo a & id", "cat <(id)", "cd /x && id"}
	var seen []string
	var replies []scripted.Reply
	for _, command := range commands {
		replies = append(replies, scripted.Of(scripted.Call("", "bash", map[string]any{"command": command})))
	}
	p := newPlace(t, append(replies, scripted.Say("So be it.")), func(_ *serve.Options, o *session.Options) {
		o.Hooks.BeforeToolCall = func(_ context.Context, call *agent.PendingCall) (agent.Decision, error) {
			var args struct {
				Command string `json:"command"`
			}
			err := json.Unmarshal(call.Args, &args)
			seen = append(seen, args.Command)
			return agent.Decision{Block: true, Reason: "no"}, err
		}
	})
	s := p.newSession()
	p.stream(p.request("POST", s+"/prompt?stream=1", `{"message":"Do all of it."}`)).until("agent_settled")
	if !slices.Equal(seen, commands) {
		t.Errorf("the policy has seen %q", seen)
	}
}

// TestRelay: a program without a key asks a model through the server, with its token.
func TestRelay(t *testing.T) {
	model := scripted.New(scripted.Say("From afar."))
	p := newPlace(t, nil, func(o *serve.Options, _ *session.Options) {
		o.Relay = relay.Handler(model.Stream, relay.Token(token), func(_ context.Context, asked *ai.Model) (*relay.Target, error) {
			return &relay.Target{Model: models{}.Get(asked.Provider, asked.ID)}, nil
		}, nil)
	})
	ask := relay.New(p.url, token)
	stream := ask(t.Context(), &ai.Request{Model: scripted.Record(), Context: ai.Context{Messages: []ai.Message{agent.User("Hello?")}}})
	for _, err := range stream.Events() {
		if err != nil {
			t.Error(err)
		}
	}
	if answer := stream.Result(); answer == nil || answer.Content.Text() != "From afar." {
		t.Errorf("the answer is %+v", answer)
	}
}
