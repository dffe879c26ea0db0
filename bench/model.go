package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// modelText is the text of each delta that the model sends.
const modelText = "Hello token "

// The wire of an OpenAI-compatible server: one delta, the end of the answer with its
// usage, and the end of the stream.
const (
	chunkHead  = `data: {"id":"r","object":"chat.completion.chunk","created":1,"model":"m",`
	chunkDelta = chunkHead + `"choices":[{"index":0,"delta":{"role":"assistant","content":"` + modelText + `"},"finish_reason":null}]}` + "\n\n"
	chunkEnd   = chunkHead + `"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" +
		chunkHead + `"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}` + "\n\n" +
		"data: [DONE]\n\n"
)

// answer is what the model says to the next requests.
type answer struct {
	deltas int
	pace   time.Duration // between two deltas; 0 sends the whole answer in one piece
}

// model is a server on loopback that speaks openai-completions. It stands for a provider
// that costs as good as nothing, so that it does not set the pace.
type model struct {
	url    string // base URL, as models.json names it
	server *http.Server
	done   chan struct{}

	mu   sync.Mutex
	next answer
}

// startModel starts a model; close ends it.
func startModel() (*model, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the loopback model: %w", err)
	}
	m := &model{url: fmt.Sprintf("http://%s/v1", listener.Addr()), done: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", m.serve)
	m.server = &http.Server{Handler: mux}
	go func() {
		defer close(m.done)
		_ = m.server.Serve(listener) // always ErrServerClosed after close
	}()
	return m, nil
}

// close ends the server and its connections.
func (m *model) close() {
	_ = m.server.Close()
	<-m.done
}

// say sets the answer to the requests that follow.
func (m *model) say(a answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next = a
}

func (m *model) serve(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return // the client went away
	}
	m.mu.Lock()
	a := m.next
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	if a.pace == 0 {
		_, _ = io.WriteString(w, strings.Repeat(chunkDelta, a.deltas)+chunkEnd) // a client that went away shows on its own side
		return
	}
	flusher := http.NewResponseController(w)
	for range a.deltas {
		if _, err := io.WriteString(w, chunkDelta); err != nil {
			return
		}
		if err := flusher.Flush(); err != nil {
			return
		}
		time.Sleep(a.pace)
	}
	_, _ = io.WriteString(w, chunkEnd)
}
