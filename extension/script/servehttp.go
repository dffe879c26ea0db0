package script

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// server is an HTTP server of a script; done is closed when its last request has ended.
type server struct {
	*http.Server
	done chan struct{}
	once sync.Once
}

// exchange is a request that a script answers.
type exchange struct {
	w    http.ResponseWriter
	r    *http.Request
	done chan struct{}

	mu   sync.Mutex
	over bool // nothing more can be written
	sent bool // the head was
	cut  bool // the connection is closed at once
}

// hangUp cuts the connection of a request.
func (x *exchange) hangUp() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.cut = !x.over
	x.end()
}

// end lets the handler return; x.mu is held.
func (x *exchange) end() {
	if !x.over {
		x.over = true
		close(x.done)
	}
}

var errHungUp = &Error{Code: "ECONNRESET", Syscall: "write", Message: "write ECONNRESET: the connection of this request has ended"}

func (s *system) exchange(id int) *exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.exchanges[id]
}

// requested tells a script of a request, or that its client has gone.
type requested struct {
	Request int         `json:"request,omitzero"`
	Method  string      `json:"method,omitzero"`
	URL     string      `json:"url,omitzero"`
	Version string      `json:"version,omitzero"`
	Headers [][2]string `json:"headers,omitzero"`
	Remote  string      `json:"remote,omitzero"`
	Upgrade bool        `json:"upgrade,omitzero"`
	Gone    int         `json:"gone,omitzero"`
}

// serve serves HTTP until the server is shut, or the operation ends.
func (s *system) serve(ctx context.Context, a listenArg) (any, error) {
	l, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	srv := &server{done: make(chan struct{}), Server: &http.Server{
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.request(ctx, w, r) }),
		ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0),
	}}
	s.mu.Lock()
	s.servers[a.ID] = srv
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.servers, a.ID)
	}()
	stop := context.AfterFunc(ctx, func() { _ = srv.Close() })
	defer stop()
	emitJSON(ctx, arrival{Address: l.Addr().String()})
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return nil, err
	}
	select {
	case <-srv.done:
	case <-ctx.Done():
	}
	return nil, nil
}

// shut ends a server: at once, or when the requests under way are answered. With Force alone
// it cuts the connections and goes on to listen, as closeAllConnections does before close.
func (s *system) shut(_ context.Context, a struct {
	ID    int  `json:"id"`
	Force bool `json:"force"`
},
) (any, error) {
	s.mu.Lock()
	srv := s.servers[a.ID]
	var open []*exchange
	if a.Force {
		for _, x := range s.exchanges {
			if x.r.Context().Value(http.ServerContextKey) == srv.httpServer() {
				open = append(open, x)
			}
		}
	}
	s.mu.Unlock()
	for _, x := range open {
		x.hangUp()
	}
	if srv == nil || a.Force {
		return nil, nil
	}
	srv.once.Do(func() {
		go func() {
			defer close(srv.done)
			_ = srv.Shutdown(context.Background()) // ends with the last request, or when serve closes the server
		}()
	})
	return nil, nil
}

func (s *server) httpServer() *http.Server {
	if s == nil {
		return nil
	}
	return s.Server
}

// request hands a request to the script, and waits for its answer.
func (s *system) request(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	x := &exchange{w: w, r: r, done: make(chan struct{})}
	s.mu.Lock()
	s.last++
	id := s.last
	s.exchanges[id] = x
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.exchanges, id)
		s.mu.Unlock()
		x.mu.Lock() // after a write that is under way
		defer x.mu.Unlock()
		x.end()
	}()
	q := requested{
		Request: id, Method: r.Method, URL: r.RequestURI, Version: strings.TrimPrefix(r.Proto, "HTTP/"), Remote: r.RemoteAddr,
		Headers: [][2]string{{"Host", r.Host}}, Upgrade: strings.Contains(strings.ToLower(r.Header.Get("Connection")), "upgrade"),
	}
	for name, values := range r.Header {
		for _, v := range values {
			q.Headers = append(q.Headers, [2]string{name, v})
		}
	}
	if len(r.TransferEncoding) > 0 {
		q.Headers = append(q.Headers, [2]string{"Transfer-Encoding", strings.Join(r.TransferEncoding, ", ")})
	}
	slices.SortFunc(q.Headers[1:], func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	emitJSON(ctx, q)
	select {
	case <-x.done:
	case <-ctx.Done():
	case <-r.Context().Done():
		emitJSON(ctx, requested{Gone: id})
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.cut {
		panic(http.ErrAbortHandler)
	}
}

// cut ends a request without an answer.
func (s *system) cut(_ context.Context, a struct {
	Request int `json:"request"`
},
) (any, error) {
	if x := s.exchange(a.Request); x != nil {
		x.hangUp()
	}
	return nil, nil
}

// body sends the body of a request as parts.
func (s *system) body(ctx context.Context, a struct {
	Request int `json:"request"`
},
) (any, error) {
	x := s.exchange(a.Request)
	if x == nil {
		return nil, nil // answered before it was read
	}
	return nil, emitBody(ctx, x.r.Body)
}

// answer writes a part of an answer. The head goes with the first one.
func (s *system) answer(_ context.Context, a struct {
	Request int         `json:"request"`
	Status  int         `json:"status"`
	Headers [][2]string `json:"headers"`
	Data    []byte      `json:"data"`
	End     bool        `json:"end"`
},
) (any, error) {
	x := s.exchange(a.Request)
	if x == nil {
		return nil, errHungUp
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return nil, errHungUp
	}
	if !x.sent {
		x.sent = true
		x.w.Header()["Content-Type"] = nil // none is guessed
		for _, h := range a.Headers {
			x.w.Header().Add(h[0], h[1])
		}
		x.w.WriteHeader(a.Status)
	}
	_, err := x.w.Write(a.Data)
	if errors.Is(err, http.ErrBodyNotAllowed) {
		err = nil
	}
	if a.End || err != nil {
		x.end()
		return nil, err
	}
	return nil, http.NewResponseController(x.w).Flush()
}
