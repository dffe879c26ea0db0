//go:build unix

package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// The interactive mode sends telemetry like the others.
func TestTerminal_Telemetry(t *testing.T) {
	var mu sync.Mutex
	var got bytes.Buffer
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		io.Copy(&got, r.Body)
	}))
	defer collector.Close()
	p := prepare(t, `"Hello."`)
	p.cmd.Env = append(p.cmd.Env, "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL)
	c := p.show(60, 20)
	c.say("a secret prompt")
	c.sees("Hello.")
	if code := c.leave(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	mu.Lock()
	defer mu.Unlock()
	for text, want := range map[string]bool{"invoke_agent rondo": true, "chat ": true, "gen_ai.client.operation.duration": true, "a secret prompt": false} {
		if bytes.Contains(got.Bytes(), []byte(text)) != want {
			t.Errorf("%q was sent: %t", text, !want)
		}
	}
}
