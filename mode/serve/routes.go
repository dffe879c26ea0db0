package serve

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/relay"
	"github.com/rondo-agent/rondo/internal/httpguard"
	"github.com/rondo-agent/rondo/mode/rpc/proto"
)

// lenient accepts halves of surrogate pairs, which JavaScript writes.
var lenient = jsontext.AllowInvalidUTF8(true)

// action answers a request with a body, or an error.
type action func(w http.ResponseWriter, r *http.Request) (any, error)

// visit is an action on a session that is open.
type visit func(w http.ResponseWriter, r *http.Request, l *live) (any, error)

// written is the body of an action that has answered by itself.
var written = new(struct{ _ int })

// routes puts the addresses together. Everything passes the checks of Host and Origin; all
// that shows or does something passes that of the token.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	s.pageRoutes(mux)
	api := func(pattern string, do action) { mux.Handle(pattern, s.protected(do)) }
	on := func(pattern string, do visit) { api(pattern, s.onSession(do)) }

	api("GET /api", s.about)
	api("POST /api/links", s.link)
	api("GET /api/models", s.models)
	api("GET /api/sessions", s.listSessions)
	api("POST /api/sessions", s.createSession)
	api("DELETE /api/sessions/{id}", s.removeSession)

	on("GET /api/sessions/{id}", s.showSession)
	on("GET /api/sessions/{id}/events", s.events)
	on("GET /api/sessions/{id}/messages", s.showMessages)
	on("GET /api/sessions/{id}/export", s.export)
	on("GET /api/sessions/{id}/{what}", s.get)
	api("POST /api/sessions/{id}/prompt", s.prompt)
	api("POST /api/sessions/{id}/steer", s.steer)
	api("POST /api/sessions/{id}/follow_up", s.followUp)
	on("POST /api/sessions/{id}/compact", s.compact)
	on("POST /api/sessions/{id}/bash", s.bash)
	on("POST /api/sessions/{id}/fork", s.fork)
	on("POST /api/sessions/{id}/dialogs/{dialog}", s.answerDialog)
	on("POST /api/sessions/{id}/{what}", s.post)

	if s.opts.Relay != nil {
		mux.Handle("POST "+relay.Path, s.opts.Relay) // it asks for the token itself
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.lost(w, r, mux) })
	return s.guard.Handler(s.checked(mux))
}

// checked lets through requests that are for this server and of its own page or of no page.
func (s *Server) checked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if err := s.gate.checkHost(r); err != nil {
			refuse(w, err)
			return
		}
		if err := s.gate.checkOrigin(r); err != nil {
			refuse(w, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// protected answers requests that have the token.
func (s *Server) protected(do action) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.gate.checkToken(r); err != nil {
			refuse(w, err)
			return
		}
		httpguard.Admit(w, r)
		if s.ending.Err() != nil {
			fail(w, ErrClosing)
			return
		}
		body, err := do(w, r)
		httpguard.Finish(w, restTime)
		switch {
		case err != nil:
			fail(w, err)
		case body == written:
		default:
			status := http.StatusOK
			if made, ok := body.(created); ok {
				status, body = http.StatusCreated, made.body
			}
			if _, ok := body.(*accepted); ok {
				status = http.StatusAccepted
			}
			respond(w, status, body)
		}
	})
}

// created is the body of an action that has made something.
type created struct{ body any }

// onSession opens the session of the address for an action.
func (s *Server) onSession(do visit) action {
	return func(w http.ResponseWriter, r *http.Request) (any, error) {
		l, leave, err := s.pool.use(r.Context(), r.PathValue("id"))
		if err != nil {
			return nil, err
		}
		defer leave()
		return do(w, r, l)
	}
}

// lost answers for addresses and methods that there are none of.
func (s *Server) lost(w http.ResponseWriter, r *http.Request, mux *http.ServeMux) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		other := &http.Request{Method: method, URL: &url.URL{Path: r.URL.Path}, Host: r.Host}
		if _, pattern := mux.Handler(other); pattern != "/" && pattern != "" && method != r.Method {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) > 0 {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		refuse(w, withStatus(http.StatusMethodNotAllowed, fmt.Errorf("%s does not take %s: use %s", r.URL.Path, r.Method, strings.Join(allowed, " or "))))
		return
	}
	refuse(w, withStatus(http.StatusNotFound, fmt.Errorf("there is nothing at %s; docs/http.md lists what there is", r.URL.Path)))
}

const (
	// readTime is how long a client with the token may take to send a body.
	readTime = time.Minute
	// restTime is how long a body that no action has read may take.
	restTime = 10 * time.Second
)

// body reads the JSON object of a request whose client has the token.
func (s *Server) body(w http.ResponseWriter, r *http.Request) (jsontext.Value, error) {
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Now().Add(readTime)); err == nil {
		defer func() { _ = control.SetReadDeadline(time.Time{}) }() // the connection is used again
	}
	return readBody(w, r, s.opts.Limits.MaxBody)
}

// readBody reads a JSON object of at most limit bytes; an empty body is an empty object.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) (jsontext.Value, error) {
	if kind := r.Header.Get("Content-Type"); kind != "" || r.ContentLength > 0 {
		if media, _, err := mime.ParseMediaType(kind); err != nil || media != "application/json" {
			return nil, withStatus(http.StatusUnsupportedMediaType, errors.New("send the body as JSON, with Content-Type: application/json"))
		}
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, withStatus(http.StatusRequestEntityTooLarge, fmt.Errorf("the request is larger than %d bytes", large.Limit))
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, withStatus(http.StatusRequestTimeout, errors.New("the request has not come to its end in time: send it again"))
	}
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	body := jsontext.Value(raw)
	if len(strings.TrimSpace(string(raw[:min(len(raw), 64)]))) == 0 {
		return jsontext.Value("{}"), nil
	}
	if !body.IsValid(lenient) || body.Kind() != '{' {
		return nil, errors.New("the body is no JSON object: send one such as {\"message\":\"hello\"}")
	}
	return body, nil
}

// fields decodes the body of a request.
func (s *Server) fields(w http.ResponseWriter, r *http.Request, into any) error {
	raw, err := s.body(w, r)
	if err != nil {
		return err
	}
	return decode(raw, into)
}

func decode(raw jsontext.Value, into any) error {
	err := proto.Unmarshal(raw, into)
	if wrong, ok := errors.AsType[*json.SemanticError](err); ok {
		place := strings.ReplaceAll(strings.TrimPrefix(string(wrong.JSONPointer), "/"), "/", ".")
		return fmt.Errorf("%s is of the wrong kind", place)
	}
	if err != nil {
		return fmt.Errorf("read the body: %w", err)
	}
	return nil
}

// about says what this is.
func (s *Server) about(http.ResponseWriter, *http.Request) (any, error) {
	return struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		CWD     string `json:"cwd"`
	}{"rondo", s.opts.Version, s.opts.CWD}, nil
}

// link makes a link that opens the page once, for another browser.
func (s *Server) link(_ http.ResponseWriter, r *http.Request) (any, error) {
	return map[string]string{"url": s.Link(r.Host)}, nil
}

// models lists those that can be asked.
func (s *Server) models(http.ResponseWriter, *http.Request) (any, error) {
	list := []*ai.Model{}
	if s.opts.Models != nil {
		list = append(list, s.opts.Models.Available()...)
	}
	return map[string]any{"models": list}, nil
}
