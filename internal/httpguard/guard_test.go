package httpguard_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/internal/httpguard"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve serves: with the password, /slow takes longer than a stranger may; without it, requests are
// refused, except that /read reads the body and /large writes much.
func serve(t *testing.T, limits httpguard.Limits) (addr string) {
	t.Helper()
	guard := httpguard.New(limits)
	server := &http.Server{Handler: guard.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") == "password":
			httpguard.Admit(w, r)
			if r.URL.Path == "/slow" {
				time.Sleep(3 * limits.Time)
			}
			httpguard.Finish(w, limits.Time)
			fmt.Fprint(w, "done")
		case r.URL.Path == "/read":
			_, err := io.ReadAll(r.Body)
			httpguard.Refuse(w)
			http.Error(w, fmt.Sprint(err), http.StatusRequestTimeout)
		case r.URL.Path == "/large":
			_, _ = w.Write(make([]byte, 64<<20)) // it fails when the client does not read
		default:
			httpguard.Refuse(w)
			http.Error(w, "refused", http.StatusUnauthorized)
		}
	}))}
	guard.Watch(server)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // ends with Close
	}()
	t.Cleanup(func() { _ = server.Close(); <-done })
	return l.Addr().String()
}

func dial(t *testing.T, addr, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(time.Minute)) // for a server that holds it for ever
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestStrangersAreAnsweredAndLeft: whatever part of a request a client keeps back, it gets its
// answer, and its connection ends.
func TestStrangersAreAnsweredAndLeft(t *testing.T) {
	addr := serve(t, httpguard.Limits{Time: 500 * time.Millisecond})
	for text, want := range map[string]string{
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nx":                   "401",
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\nx":                "401",
		"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n":                         "401",
		"PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nx":           "401",
		"POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nx":                   "408",
		"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n": "401",
		"GET / HTTP/1.1\r\nHost: x\r\n":                                                   "", // the head itself
		"G":                                                                               "",
	} {
		t.Run(strings.TrimSpace(text), func(t *testing.T) {
			t.Parallel()
			answer, err := io.ReadAll(dial(t, addr, text))
			if err != nil && len(answer) == 0 && want != "" || !strings.Contains(string(answer), want) {
				t.Errorf("%q, %v; want %s", answer, err, want)
			}
		})
	}
}

// TestAnswerNobodyReadsIsGivenUp: the writing of an answer ends too.
func TestAnswerNobodyReadsIsGivenUp(t *testing.T) {
	addr := serve(t, httpguard.Limits{Time: 300 * time.Millisecond})
	c := dial(t, addr, "GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
	time.Sleep(time.Second)
	n, err := io.Copy(io.Discard, c)
	if n >= 64<<20 {
		t.Errorf("the client got all %d bytes (%v), although it did not read in time", n, err)
	}
}

// TestAdmitLiftsTheLimits: a client that was let in may take its time, and keeps its connection.
func TestAdmitLiftsTheLimits(t *testing.T) {
	addr := serve(t, httpguard.Limits{Time: 200 * time.Millisecond, Strangers: 1})
	c := dial(t, addr, "")
	answers := bufio.NewReader(c)
	for range 2 {
		if _, err := io.WriteString(c, "GET /slow HTTP/1.1\r\nHost: x\r\nAuthorization: password\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(res.Body); string(body) != "done" || err != nil || res.Close {
			t.Errorf("%q, %v, closed: %t", body, err, res.Close)
		}
		dial(t, addr, "G") // a stranger, which takes nobody's place but that of a stranger
		dial(t, addr, "G")
	}
}

// TestStrangersAreFew: further strangers take the place of the oldest.
func TestStrangersAreFew(t *testing.T) {
	addr := serve(t, httpguard.Limits{Time: time.Minute, Strangers: 3})
	var conns []net.Conn
	for range 10 {
		conns = append(conns, dial(t, addr, "G"))
	}
	for i, c := range conns[:7] {
		if _, err := c.Read(make([]byte, 1)); err == nil || isTimeout(err) {
			t.Errorf("stranger %d is still there: %v", i, err)
		}
	}
	for i, c := range conns[7:] {
		_ = c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		if _, err := c.Read(make([]byte, 1)); !isTimeout(err) {
			t.Errorf("stranger %d, one of the newest, was cut: %v", i+7, err)
		}
	}
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}
