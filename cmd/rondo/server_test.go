package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
)

// What the models of the test server do.
const (
	modelHello    = "hello"    // says hello
	modelRefuse   = "refuse"   // HTTP 400
	modelBusy     = "busy"     // HTTP 529
	modelTelltale = "telltale" // HTTP 401 with the key in the message
	modelCut      = "cut"      // comes to its output limit
	modelTorn     = "torn"     // the connection ends in the middle
	modelSilent   = "silent"   // an answer without anything in it
	modelEndless  = "endless"  // says a word, and nothing more until the client goes
)

// labModels is a models.json with a provider for each wire, and one that nobody serves.
func labModels(server, closed string) string {
	var models []string
	for _, id := range []string{modelHello, modelRefuse, modelBusy, modelTelltale, modelCut, modelTorn, modelSilent, modelEndless} {
		models = append(models, fmt.Sprintf(`{"id": %q}`, id))
	}
	models = append(models, `{"id": "eyes", "input": ["text", "image"]}`)
	list := strings.Join(models, ", ")
	return fmt.Sprintf(`{"providers": {
		"lab": {"baseUrl": "%[1]s/v1", "api": "openai-completions", "apiKey": "lab-key", "models": [%[3]s]},
		"claude": {"baseUrl": "%[1]s", "api": "anthropic-messages", "apiKey": "claude-key", "models": [%[3]s]},
		"nobody": {"baseUrl": "%[2]s/v1", "api": "openai-completions", "apiKey": "none", "models": [{"id": "gone"}]}
	}}`, server, closed, list)
}

// deferrer is what ends with a test.
type deferrer interface{ Defer(func()) }

// serveModels starts a server that speaks both wires, and writes what it is asked to a file.
func serveModels(d deferrer, requests string) *httptest.Server {
	var mu sync.Mutex
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		if f, err := os.OpenFile(requests, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
			fmt.Fprintf(f, "%s %s\n", r.Method, r.URL.Path)
			r.Header.Write(f)
			fmt.Fprintf(f, "\n%s\n", body)
			f.Close()
		}
		mu.Unlock()
		if r.URL.Path == "/api/tags" { // as Ollama
			_, _ = io.WriteString(w, `{"models": [{"name": "hello"}, {"name": "refuse"}]}`)
			return
		}
		if r.URL.Path == "/v2/providers" { // as the source of the catalogue
			if w.Header().Set("ETag", `"one"`); r.Header.Get("If-None-Match") == `"one"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = io.WriteString(w, `[{"id": "anthropic", "models": [{"id": "claude-new", "context_window": 1000}]}, {"id": "openrouter", "models": [{"id": "brand-new", "context_window": 1000}]}]`)
			return
		}
		var asked struct {
			Model string `json:"model"`
		}
		_ = json.Unmarshal(body, &asked)
		reply(w, r, asked.Model)
	}))
	d.Defer(s.Close)
	return s
}

func reply(w http.ResponseWriter, r *http.Request, model string) {
	wire := chatCompletions
	if strings.HasSuffix(r.URL.Path, "/messages") {
		wire = messages
	}
	switch model {
	case modelRefuse:
		refuse(w, http.StatusBadRequest, "this model refuses")
		return
	case modelBusy:
		refuse(w, 529, "too much to do")
		return
	case modelTelltale:
		refuse(w, http.StatusUnauthorized, "wrong key: "+r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, wire.start)
	if model != modelSilent {
		fmt.Fprintf(w, wire.text, "Hello from the server.")
	}
	switch model {
	case modelTorn:
	case modelEndless:
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case modelCut:
		fmt.Fprintf(w, wire.end, wire.length)
	default:
		fmt.Fprintf(w, wire.end, wire.stop)
	}
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	body, _ := json.Marshal(map[string]any{"type": "error", "error": map[string]string{"type": "lab_error", "message": message}})
	w.Write(body)
}

// dialect is how an answer is written.
type dialect struct{ start, text, end, stop, length string }

var chatCompletions = dialect{
	start: `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}` + "\n\n",
	text:  `data: {"choices":[{"index":0,"delta":{"content":%q}}]}` + "\n\n",
	end:   `data: {"choices":[{"index":0,"delta":{},"finish_reason":%q}],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}}` + "\n\ndata: [DONE]\n\n",
	stop:  "stop", length: "length",
}

var messages = dialect{
	start: sse("message_start", `{"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","model":"x","content":[],"usage":{"input_tokens":9,"output_tokens":1}}}`),
	text: sse("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`) +
		sse("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%q}}`) +
		sse("content_block_stop", `{"type":"content_block_stop","index":0}`),
	end: sse("message_delta", `{"type":"message_delta","delta":{"stop_reason":%q},"usage":{"output_tokens":5}}`) +
		sse("message_stop", `{"type":"message_stop"}`),
	stop: "end_turn", length: "max_tokens",
}

func sse(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }
