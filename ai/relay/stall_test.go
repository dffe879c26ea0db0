package relay_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/relay"
)

// TestHandler_WaitsForNoBody: a request whose body does not come is answered, with a wrong token
// at once and with the right one after a while, and its connection ends.
func TestHandler_WaitsForNoBody(t *testing.T) {
	ask := func(context.Context, *ai.Request) *ai.Stream { panic("nothing was asked") }
	server := httptest.NewServer(relay.Handler(ask, relay.Token(token), resolveTo(relay.Target{Model: serverModel}),
		&relay.HandlerOptions{ReadTimeout: 300 * time.Millisecond}))
	defer server.Close()
	for sent, want := range map[string]int{
		"POST / HTTP/1.1\r\nAuthorization: Bearer wrong\r\nContent-Length: 100000\r\n":         http.StatusUnauthorized,
		"POST / HTTP/1.1\r\nContent-Length: 5\r\n":                                             http.StatusUnauthorized,
		"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n":                                     http.StatusMethodNotAllowed,
		"POST / HTTP/1.1\r\nAuthorization: Bearer " + token + "\r\nContent-Length: 100000\r\n": http.StatusRequestTimeout,
	} {
		t.Run(fmt.Sprint(want, len(sent)), func(t *testing.T) {
			c, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_ = c.SetDeadline(time.Now().Add(time.Minute)) // for a handler that waits for ever
			if _, err := io.WriteString(c, sent+"Host: x\r\n\r\n"); err != nil {
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
