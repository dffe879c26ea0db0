package local

import (
	"cmp"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
)

// Limit is enough for a search: who listens on this machine answers within a few milliseconds.
const Limit = 150 * time.Millisecond

// answerLimit bounds an answer, in bytes.
const answerLimit = 4 << 20

// Server is a kind of server, and where to look for it.
type Server struct {
	// ID is that of the provider, and Name for people.
	ID, Name string
	// Address is where it listens, such as http://127.0.0.1:11434.
	Address string
	// list is the path that lists the models, and read what reads the answer; nil if it is
	// not the answer of such a server.
	list string
	read func(answer []byte) []found
}

// found is a model as its server describes it.
type found struct {
	id     string
	window int // tokens; 0 if the server does not say
	images bool
	loaded bool
}

// Found is a server that is there.
type Found struct {
	ID, Name, Address string
	// Models are those that can be asked, loaded ones first.
	Models []*ai.Model
}

// EnvServers is the variable that says off where nothing shall be looked for.
const EnvServers = "RONDO_LOCAL_SERVERS"

// Servers lists the kinds of servers that are looked for. OLLAMA_HOST and LLAMA_BASE_URL move
// two of them, as they do for those servers' own clients.
func Servers() []Server {
	if os.Getenv(EnvServers) == "off" {
		return nil
	}
	return []Server{
		{ID: "ollama", Name: "Ollama", Address: ollamaAddress(os.Getenv("OLLAMA_HOST")), list: "/api/tags", read: readOllama},
		{ID: "lmstudio", Name: "LM Studio", Address: "http://127.0.0.1:1234", list: "/api/v0/models", read: readLMStudio},
		{ID: "llama.cpp", Name: "llama.cpp", Address: cmp.Or(strings.TrimRight(os.Getenv("LLAMA_BASE_URL"), "/"), "http://127.0.0.1:8080"), list: "/v1/models", read: readLlama},
		{ID: "vllm", Name: "vLLM", Address: "http://127.0.0.1:8000", list: "/v1/models", read: readVLLM},
	}
}

// Is reports whether a provider is one of the servers that are looked for.
func Is(provider string) bool {
	for _, s := range Servers() {
		if s.ID == provider {
			return true
		}
	}
	return false
}

// ollamaAddress reads OLLAMA_HOST, which may be a host, a port, both, or an address. One that
// a server listens on for everybody is asked on this machine.
func ollamaAddress(host string) string {
	const port = "11434"
	scheme, rest, ok := strings.Cut(host, "://")
	if !ok {
		scheme, rest = "http", host
	}
	rest, _, _ = strings.Cut(rest, "/")
	name, number, err := net.SplitHostPort(rest)
	if err != nil {
		name, number = strings.Trim(rest, "[]"), port
	}
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
		name = "127.0.0.1"
	}
	return scheme + "://" + net.JoinHostPort(name, cmp.Or(number, port))
}

// Find looks for the servers until ctx ends, and returns those that are there and have models.
func Find(ctx context.Context, servers []Server) []Found {
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true}, // and no proxy: they are here
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	all := make([]*Found, len(servers))
	var wg sync.WaitGroup
	for i := range servers {
		wg.Go(func() { all[i] = servers[i].ask(ctx, client) })
	}
	wg.Wait()
	var there []Found
	for _, f := range all {
		if f != nil {
			there = append(there, *f)
		}
	}
	return there
}

// ask returns nil if the server is not there, or has no models.
func (s *Server) ask(ctx context.Context, client *http.Client) *Found {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Address+s.list, nil)
	if err != nil {
		return nil
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	if err != nil || resp.StatusCode != http.StatusOK {
		return nil
	}
	f := &Found{ID: s.ID, Name: s.Name, Address: s.Address}
	var cold []*ai.Model
	for _, m := range s.read(answer) {
		if record := s.record(m); m.loaded {
			f.Models = append(f.Models, record)
		} else {
			cold = append(cold, record)
		}
	}
	if f.Models = append(f.Models, cold...); len(f.Models) == 0 {
		return nil
	}
	return f
}

// The limits of a model whose server does not say them.
const (
	defaultWindow = 32_768
	defaultOutput = 8_192
)

// compat is what such servers have in common: they know the chat completions of some years
// ago, and not what OpenAI has added.
const compat = `{"supportsStore":false,"supportsDeveloperRole":false,"supportsReasoningEffort":false,"supportsStrictMode":false,"supportsLongCacheRetention":false,"maxTokensField":"max_tokens"}`

func (s *Server) record(m found) *ai.Model {
	window := cmp.Or(max(m.window, 0), defaultWindow)
	record := &ai.Model{
		ID: m.id, Name: m.id, API: "openai-completions", Provider: s.ID, BaseURL: s.Address + "/v1",
		Input: []string{ai.InputText}, ContextWindow: window, MaxTokens: min(defaultOutput, max(window/2, 1)), Compat: []byte(compat),
	}
	if m.images {
		record.Input = append(record.Input, ai.InputImage)
	}
	return record
}

// readOllama reads an answer of Ollama's own API.
func readOllama(answer []byte) []found {
	var list struct {
		Models []struct {
			Name    string `json:"name"`
			Details struct {
				Families []string `json:"families"`
			} `json:"details"`
		} `json:"models"`
	}
	if json.Unmarshal(answer, &list) != nil {
		return nil
	}
	var models []found
	for _, m := range list.Models {
		if m.Name != "" && !embeds(m.Name) {
			models = append(models, found{id: m.Name, images: sees(m.Details.Families)})
		}
	}
	return models
}

// embeds reports whether a model makes vectors and no text, by the name that such models have.
func embeds(name string) bool { return strings.Contains(strings.ToLower(name), "embed") }

// sees reports whether one of a model's parts reads images.
func sees(families []string) bool {
	for _, f := range families {
		if f == "clip" || f == "mllama" {
			return true
		}
	}
	return false
}

// readLMStudio reads an answer of LM Studio's own API.
func readLMStudio(answer []byte) []found {
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			Type   string `json:"type"` // llm, vlm or embeddings
			State  string `json:"state"`
			Max    int    `json:"max_context_length"`
			Loaded int    `json:"loaded_context_length"`
		} `json:"data"`
	}
	if json.Unmarshal(answer, &list) != nil {
		return nil
	}
	var models []found
	for _, m := range list.Data {
		if m.ID != "" && (m.Type == "llm" || m.Type == "vlm") {
			models = append(models, found{id: m.ID, window: cmp.Or(m.Loaded, m.Max), images: m.Type == "vlm", loaded: m.State == "loaded"})
		}
	}
	return models
}

// listed is an entry of OpenAI's list of models, with what servers add to it.
type listed struct {
	ID      string `json:"id"`
	OwnedBy string `json:"owned_by"`
	Window  int    `json:"max_model_len"` // of vLLM
	Meta    struct {
		Window  int `json:"n_ctx"`
		Trained int `json:"n_ctx_train"`
	} `json:"meta"` // of llama.cpp
	Status struct {
		Value string `json:"value"`
	} `json:"status"` // of llama.cpp that switches between models
}

// readList reads OpenAI's list, if it is of a certain server: others use the same ports.
func readList(answer []byte, owner string, read func(listed) (found, bool)) []found {
	var list struct {
		Data []listed `json:"data"`
	}
	if json.Unmarshal(answer, &list) != nil {
		return nil
	}
	var models []found
	for _, m := range list.Data {
		if f, ok := read(m); ok && m.ID != "" && m.OwnedBy == owner {
			models = append(models, f)
		}
	}
	return models
}

func readLlama(answer []byte) []found {
	return readList(answer, "llamacpp", func(m listed) (found, bool) {
		loaded := m.Status.Value == "" || m.Status.Value == "loaded"
		return found{id: m.ID, window: cmp.Or(m.Meta.Window, m.Meta.Trained), loaded: loaded}, !embeds(m.ID)
	})
}

func readVLLM(answer []byte) []found {
	return readList(answer, "vllm", func(m listed) (found, bool) {
		return found{id: m.ID, window: m.Window, loaded: true}, true
	})
}

// Host returns where a server listens, for people.
func (f *Found) Host() string {
	if u, err := url.Parse(f.Address); err == nil && u.Host != "" {
		return u.Host
	}
	return f.Address
}
