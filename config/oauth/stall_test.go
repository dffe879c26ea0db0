package oauth

import (
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestCallback_WaitsForNoBody: a program that sends a part of a request to the port of a login is
// answered, and its connection ends; the browser's request still counts.
func TestCallback_WaitsForNoBody(t *testing.T) {
	c, err := listen(0, "/callback", "the-state")
	if err != nil {
		t.Fatal(err)
	}
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(c.port()))
	code := make(chan string, 1)
	go func() {
		got, err := c.wait(context.Background(), &UI{})
		if err != nil {
			t.Error(err)
		}
		code <- got
	}()
	for _, head := range []string{"POST /callback?state=x", "GET /callback?state=wrong", "GET /"} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(time.Minute)) // for a server that waits for ever
		if _, err := io.WriteString(conn, head+" HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nx"); err != nil {
			t.Fatal(err)
		}
		if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 40") {
			t.Errorf("%s: %q, %v", head, answer, err)
		}
		_ = conn.Close()
	}
	res, err := http.Get("http://" + addr + "/callback?state=the-state&code=the-code")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if got := <-code; got != "the-code" {
		t.Errorf("the code is %q", got)
	}
}
