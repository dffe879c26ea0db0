package local_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/config/local"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answers of the servers, as they send them.
var answers = map[string]struct{ path, body string }{
	"ollama": {"/api/tags", `{"models":[
		{"name":"qwen3-coder:30b","model":"qwen3-coder:30b","details":{"families":["qwen3"]}},
		{"name":"llava:7b","details":{"families":["llama","clip"]}},
		{"name":"nomic-embed-text:latest","details":{"families":["nomic-bert"]}}]}`},
	"lmstudio": {"/api/v0/models", `{"object":"list","data":[
		{"id":"cold-model","object":"model","type":"llm","state":"not-loaded","max_context_length":131072},
		{"id":"text-embedding-x","type":"embeddings","state":"loaded","max_context_length":2048},
		{"id":"hot-vlm","type":"vlm","state":"loaded","max_context_length":131072,"loaded_context_length":8192}]}`},
	"llama.cpp": {"/v1/models", `{"object":"list","data":[
		{"id":"gemma.gguf","object":"model","owned_by":"llamacpp","meta":{"n_ctx_train":65536}},
		{"id":"other.gguf","owned_by":"llamacpp","status":{"value":"unloaded"}}]}`},
	"vllm": {"/v1/models", `{"object":"list","data":[{"id":"Qwen/Qwen3-32B","owned_by":"vllm","max_model_len":40960}]}`},
}

// servers returns the kinds, each at an address of a test; those without one are where nobody
// listens.
func servers(t *testing.T, addresses map[string]string) []local.Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + l.Addr().String()
	l.Close()
	all := local.Servers()
	for i := range all {
		all[i].Address = nobody
		if a := addresses[all[i].ID]; a != "" {
			all[i].Address = a
		}
	}
	return all
}

// serve answers at one path.
func serve(t *testing.T, path, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path || r.Header.Get("Authorization") != "" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestServersAreFound(t *testing.T) {
	addresses := make(map[string]string)
	for id, a := range answers {
		addresses[id] = serve(t, a.path, a.body)
	}
	type model struct {
		ID             string
		Window, Output int
		Images         bool
	}
	got := make(map[string][]model)
	for _, f := range local.Find(t.Context(), servers(t, addresses)) {
		for _, m := range f.Models {
			got[f.ID] = append(got[f.ID], model{m.ID, m.ContextWindow, m.MaxTokens, m.Reads(ai.InputImage)})
			if m.API != "openai-completions" || m.Provider != f.ID || m.BaseURL != addresses[f.ID]+"/v1" || !strings.Contains(string(m.Compat), `"supportsDeveloperRole":false`) {
				t.Errorf("%+v", m)
			}
		}
		if "http://"+f.Host() != addresses[f.ID] || f.Name == "" {
			t.Errorf("%+v", f)
		}
	}
	want := map[string][]model{
		"ollama":    {{"qwen3-coder:30b", 32768, 8192, false}, {"llava:7b", 32768, 8192, true}},
		"lmstudio":  {{"hot-vlm", 8192, 4096, true}, {"cold-model", 131072, 8192, false}},
		"llama.cpp": {{"gemma.gguf", 65536, 8192, false}, {"other.gguf", 32768, 8192, false}},
		"vllm":      {{"Qwen/Qwen3-32B", 40960, 8192, false}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWhatIsNoneIsNotFound: others use these ports as well.
func TestWhatIsNoneIsNotFound(t *testing.T) {
	for name, body := range map[string]string{
		"a page": "<html>", "another server": `{"data":[{"id":"m","owned_by":"somebody"}]}`, "nothing": "", "no models": `{"data":[],"models":[]}`,
		"no names":      `{"data":[{"owned_by":"vllm"},{"owned_by":"llamacpp"},{"type":"llm"}],"models":[{}]}`,
		"another shape": `{"data":{"id":1},"models":"x"}`, "a lot": `{"models":[` + strings.Repeat(`{"name":"x"},`, 400_000) + `{}]}`,
	} {
		addresses := make(map[string]string)
		for id, a := range answers {
			addresses[id] = serve(t, a.path, body)
		}
		if found := local.Find(t.Context(), servers(t, addresses)); len(found) != 0 {
			t.Errorf("%s: found %v", name, found)
		}
	}
	if found := local.Find(t.Context(), servers(t, nil)); len(found) != 0 {
		t.Errorf("found %v where nobody listens", found)
	}
	redirect := httptest.NewServer(http.RedirectHandler(serve(t, "/api/tags", answers["ollama"].body)+"/api/tags", http.StatusFound))
	t.Cleanup(redirect.Close)
	if found := local.Find(t.Context(), servers(t, map[string]string{"ollama": redirect.URL})); len(found) != 0 {
		t.Errorf("a redirect was followed: %v", found)
	}
}

// TestASilentServerCostsLittle: one that takes the connection and says nothing, or is slow, or
// never ends.
func TestASilentServerCostsLittle(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write([]byte(" ")); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			time.Sleep(time.Millisecond)
		}
	}))
	t.Cleanup(endless.Close)
	addresses := map[string]string{"lmstudio": "http://" + silent.Addr().String(), "vllm": endless.URL, "ollama": serve(t, "/api/tags", answers["ollama"].body)}
	limited, end := context.WithTimeout(t.Context(), 3*time.Second)
	defer end()
	found := local.Find(limited, servers(t, addresses))
	if len(found) != 1 || found[0].ID != "ollama" {
		t.Errorf("found %v", found)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if found := local.Find(ctx, servers(t, addresses)); len(found) != 0 {
		t.Errorf("found %v after the end", found)
	}
}

func TestTheVariablesOfTheServersCount(t *testing.T) {
	for host, want := range map[string]string{
		"": "http://127.0.0.1:11434", "0.0.0.0": "http://127.0.0.1:11434", "127.0.0.1:9": "http://127.0.0.1:9", ":9": "http://127.0.0.1:9",
		"box": "http://box:11434", "http://box:9/": "http://box:9", "https://box": "https://box:11434", "[::1]:9": "http://[::1]:9", "::": "http://127.0.0.1:11434",
	} {
		t.Setenv("OLLAMA_HOST", host)
		if got := local.Servers()[0].Address; got != want {
			t.Errorf("%q: %s, want %s", host, got, want)
		}
	}
	t.Setenv("LLAMA_BASE_URL", "http://127.0.0.1:9/")
	if got := local.Servers()[2].Address; got != "http://127.0.0.1:9" {
		t.Errorf("llama.cpp at %s", got)
	}
	t.Setenv(local.EnvServers, "off")
	if len(local.Servers()) != 0 || local.Is("vllm") {
		t.Error("off does not count")
	}
	t.Setenv(local.EnvServers, "")
	if !local.Is("vllm") || local.Is("openai") {
		t.Error("Is")
	}
}

func FuzzAnswers(f *testing.F) {
	for _, a := range answers {
		f.Add(a.body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, s := range local.Servers() {
			for _, m := range s.Records([]byte(body)) {
				if m.ID == "" || m.ContextWindow <= 0 || m.MaxTokens <= 0 || m.MaxTokens > m.ContextWindow {
					t.Errorf("%+v", m)
				}
			}
		}
	})
}
