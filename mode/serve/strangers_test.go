package serve_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/mode/serve"
	"github.com/rondo-agent/rondo/session"
)

// impatient makes a server that judges requests within a second.
func impatient(o *serve.Options, _ *session.Options) { o.Limits.AdmitTimeout = time.Second }

// TestStrangers_GetTheirAnswerAndGo: a client without the token that keeps back a part of its
// request is answered, and its connection ends, whatever it asks for.
func TestStrangers_GetTheirAnswerAndGo(t *testing.T) {
	relay := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnauthorized) })
	p := newPlace(t, nil, impatient, func(o *serve.Options, _ *session.Options) { o.Relay = relay })
	const stalled = "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\nx"
	for head, want := range map[string]int{
		"POST /api/sessions HTTP/1.1\r\nHost: localhost\r\n":                                http.StatusUnauthorized,
		"GET /api/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong\r\n":  http.StatusUnauthorized,
		"POST /api/sessions/x/prompt?stream=1 HTTP/1.1\r\nHost: localhost\r\n":              http.StatusUnauthorized,
		"POST /api/sessions HTTP/1.1\r\nHost: evil.example\r\n":                             http.StatusMisdirectedRequest,
		"POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n": http.StatusForbidden,
		"POST /sign-in HTTP/1.1\r\nHost: localhost\r\n":                                     http.StatusRequestTimeout,
		"POST /nothing HTTP/1.1\r\nHost: localhost\r\n":                                     http.StatusNotFound,
		"PATCH /api/sessions HTTP/1.1\r\nHost: localhost\r\n":                               http.StatusMethodNotAllowed,
		"GET / HTTP/1.1\r\nHost: localhost\r\n":                                             http.StatusOK,
		"GET /open?code=x HTTP/1.1\r\nHost: localhost\r\n":                                  http.StatusForbidden,
		"POST /api/stream HTTP/1.1\r\nHost: localhost\r\n":                                  http.StatusUnauthorized,
	} {
		t.Run(strings.Fields(head)[1]+" "+fmt.Sprint(want), func(t *testing.T) {
			t.Parallel()
			c, err := net.Dial("tcp", p.addr)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_ = c.SetDeadline(time.Now().Add(time.Minute)) // for a server that holds it for ever
			text := head + stalled
			if want == http.StatusRequestTimeout {
				text = head + strings.Replace(stalled, "100000", "100", 1) // it reads what a sign-in may have
			}
			if _, err := io.WriteString(c, text); err != nil {
				t.Fatal(err)
			}
			answers := bufio.NewReader(c)
			res, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatalf("no answer: %v", err)
			}
			if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != want {
				t.Errorf("the answer is %s (%v), want %d", res.Status, err, want)
			}
			if n, err := answers.Read(make([]byte, 1)); n > 0 || err == nil {
				t.Error("the connection goes on")
			}
		})
	}
}

// TestRequestsWithTheToken_MayTakeTheirTime: what is judged has no such limit.
func TestRequestsWithTheToken_MayTakeTheirTime(t *testing.T) {
	p := newPlace(t, nil, func(o *serve.Options, _ *session.Options) { o.Limits.AdmitTimeout = 200 * time.Millisecond })
	s := p.newSession()
	r := p.follow(s+"/events", "")
	r.until("snapshot")
	body, send := io.Pipe()
	req := p.request("POST", s+"/set_session_name", "")
	req.Body, req.ContentLength = body, -1
	req.Header.Set("Content-Type", "application/json")
	go func() {
		for _, part := range []string{`{"name":`, `"slowly`, ` sent"`, `}`} {
			time.Sleep(150 * time.Millisecond)
			_, _ = io.WriteString(send, part)
		}
		_ = send.Close()
	}()
	if status, text := p.send(req); status != http.StatusOK {
		t.Errorf("the request got %d %s", status, text)
	}
	r.until("session_info_changed") // on a stream that is older than a stranger may become
}
