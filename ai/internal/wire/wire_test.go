package wire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server and returns a request whose client talks to it.
func serve(t *testing.T, handler http.HandlerFunc) (*ai.Request, string) {
	t.Helper()
	server := httptest.NewServer(handler)
	transport := wire.NewTransport()
	t.Cleanup(server.Close)
	t.Cleanup(transport.CloseIdleConnections)
	return &ai.Request{
		Model:   &ai.Model{ID: "m", Provider: "lab"},
		Options: ai.Options{Client: &http.Client{Transport: transport}},
	}, server.URL
}

func post(t *testing.T, req *ai.Request, url string, body any) (string, error) {
	t.Helper()
	resp, err := wire.Post(t.Context(), req, url, http.Header{"Authorization": {"Bearer secret-key-1"}}, body)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

func TestPost_SendsJSONWithoutEscapingHTML(t *testing.T) {
	req, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Write(body)
	})
	got, err := post(t, req, url, map[string]string{"a": "<b> & c\u2028"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "{\"a\":\"<b> & c\u2028\"}"; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
}

func TestPost_TextThatIsNoUnicodeIsReplaced(t *testing.T) {
	type body struct {
		A string         `json:"a"`
		B jsontext.Value `json:"b"`
	}
	got, err := wire.Marshal(body{"x\xed\xa0\xbdy", jsontext.Value(`"\ud83d!\ud83d\ude42"`)})
	if err != nil {
		t.Fatal(err)
	}
	if want := "{\"a\":\"x\uFFFD\uFFFD\uFFFDy\",\"b\":\"\uFFFD!🙂\"}"; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestOverride(t *testing.T) {
	got, err := wire.Override(jsontext.Value(`{"b":1,"a":{"x":[1]},"c":"<"}`), map[string]jsontext.Value{
		"a": jsontext.Value(`0.3`), "z": jsontext.Value(`true`), "d": jsontext.Value(`null`),
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"b":1,"a":0.3,"c":"<","d":null,"z":true}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := wire.Override(jsontext.Value(`[1]`), map[string]jsontext.Value{"a": nil}); err == nil {
		t.Error("an array was accepted")
	}
}

func TestHeaders_Precedence(t *testing.T) {
	own := http.Header{"Authorization": {"Bearer k"}, "X-One": {"own"}, "X-Two": {"own"}}
	got := wire.Headers(own,
		map[string]string{"x-one": "model", "X-TWO": "model", "x-three": "model"},
		map[string]string{"X-One": "options", "authorization": "", "user-agent": ""})
	want := http.Header{
		"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}, "User-Agent": {""},
		"X-One": {"options"}, "X-Two": {"model"}, "X-Three": {"model"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	if own.Get("X-One") != "own" {
		t.Error("the wire's own headers were changed")
	}
}

func TestPost_HooksRunInOrderAndMayChangeTheRequest(t *testing.T) {
	req, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Lab-Id", "r-7")
		io.WriteString(w, r.Header.Get("X-Late")+" "+string(body))
	})
	var order []string
	req.Options.OnHeaders = func(_ context.Context, h http.Header) error {
		order = append(order, "headers")
		h.Set("X-Late", "yes")
		return nil
	}
	req.Options.OnPayload = func(_ context.Context, body jsontext.Value) (jsontext.Value, error) {
		order = append(order, "payload "+string(body))
		return jsontext.Value(`{"b":2}`), nil
	}
	req.Options.OnResponse = func(_ context.Context, status int, h http.Header) error {
		order = append(order, http.StatusText(status)+" "+h.Get("X-Lab-Id"))
		return nil
	}
	got, err := post(t, req, url, map[string]int{"a": 1})
	if err != nil || got != `yes {"b":2}` {
		t.Errorf("sent %q, %v", got, err)
	}
	if diff := cmp.Diff([]string{"headers", `payload {"a":1}`, "OK r-7"}, order); diff != "" {
		t.Errorf("hooks (-want +got):\n%s", diff)
	}
}

func TestPost_AnErrorOfAHookEndsTheRequest(t *testing.T) {
	stop := errors.New("stop")
	req, url := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "x") })
	for name, hook := range map[string]func(*ai.Options){
		"headers":  func(o *ai.Options) { o.OnHeaders = func(context.Context, http.Header) error { return stop } },
		"response": func(o *ai.Options) { o.OnResponse = func(context.Context, int, http.Header) error { return stop } },
		"payload": func(o *ai.Options) {
			o.OnPayload = func(context.Context, jsontext.Value) (jsontext.Value, error) { return nil, stop }
		},
	} {
		r := *req
		hook(&r.Options)
		if _, err := post(t, &r, url, 1); !errors.Is(err, stop) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestPost_StatusErrorHoldsNoSecret(t *testing.T) {
	responded := false
	req, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, `{"error":{"message":"Incorrect API key provided: secret-key-1","type":"invalid_request_error"}}`)
	})
	req.Options.OnResponse = func(context.Context, int, http.Header) error { responded = true; return nil }
	_, err := post(t, req, url, 1)
	status, ok := errors.AsType[*ai.StatusError](err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	if want := "401 Incorrect API key provided: [redacted]"; err.Error() != want {
		t.Errorf("Error() = %q, want %q", err, want)
	}
	if status.Code != "invalid_request_error" || strings.Contains(status.Body, "secret-key-1") {
		t.Errorf("got %+v", status)
	}
	if responded {
		t.Error("OnResponse was called for a failure")
	}
}

func TestPost_DoesNotFollowRedirects(t *testing.T) {
	req, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://elsewhere.example/v1?key=1", http.StatusTemporaryRedirect)
	})
	req.Options.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	_, err := post(t, req, url, 1)
	if err == nil || !strings.Contains(err.Error(), "https://elsewhere.example/v1;") {
		t.Errorf("got %v", err)
	}
}

func TestPost_BadAddressSaysWhichModel(t *testing.T) {
	req := &ai.Request{Model: &ai.Model{ID: "m", Provider: "lab"}, Options: ai.Options{MaxRetries: 3}}
	_, err := post(t, req, "http://bad host/?key=secret", 1)
	if err == nil || !strings.Contains(err.Error(), "lab/m") || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func TestTransportErrorsKeepTheirType(t *testing.T) {
	t.Run("refused", func(t *testing.T) {
		server := httptest.NewServer(nil)
		url := server.URL
		server.Close()
		req, _ := serve(t, nil)
		_, err := post(t, req, url+"/?key=secret-key-1", 1)
		if !errors.Is(err, syscall.ECONNREFUSED) || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("cut in a chunked body", func(t *testing.T) {
		req, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			conn, buf, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			io.WriteString(buf, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel")
			buf.Flush()
			conn.Close()
		})
		got, err := post(t, req, url, 1)
		if got != "hel" || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestCloseDoesNotWaitForTheServer(t *testing.T) {
	release := make(chan struct{})
	req, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "data: end\n\n")
		http.NewResponseController(w).Flush()
		select { // a proxy that holds the stream open
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	resp, err := wire.Post(t.Context(), req, url, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 11)); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	go func() { closed <- resp.Body.Close() }()
	select {
	case <-closed:
	case <-time.After(10 * time.Second):
		t.Fatal("Close hangs")
	}
}

func TestPost_ConnectionIsKeptWhenTheEndWasNotRead(t *testing.T) {
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "data: end\n\n")
		http.NewResponseController(w).Flush()
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	transport := wire.NewTransport()
	defer transport.CloseIdleConnections()
	req := &ai.Request{Model: &ai.Model{}, Options: ai.Options{Client: &http.Client{Transport: transport}}}
	for range 3 {
		resp, err := wire.Post(t.Context(), req, server.URL, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		io.ReadFull(resp.Body, make([]byte, 11))
		resp.Body.Close()
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections for 3 requests", n)
	}
}

func TestPost_AbortEndsAReadWithTheCause(t *testing.T) {
	req, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "x")
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	stopped := errors.New("the user pressed escape")
	ctx, cancel := context.WithCancelCause(t.Context())
	resp, err := wire.Post(ctx, req, url, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	io.ReadFull(resp.Body, make([]byte, 1))
	cancel(stopped)
	if _, err := resp.Body.Read(make([]byte, 1)); !errors.Is(err, stopped) {
		t.Errorf("got %v", err)
	}
}
