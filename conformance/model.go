package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// Request is what the model received.
type Request struct {
	// Path is the request's target as it was sent, with its query.
	Path string
	// Headers have names in lower case.
	Headers map[string]string
	// Body is the JSON of the body, or {"unparsed": TEXT}.
	Body any
}

// Model is the model's side: an HTTP server on loopback that answers as scripted and
// keeps every request. It writes to its connections itself, because a scenario may ask
// for what a well-behaved server never does.
type Model struct {
	api         API
	gateTimeout time.Duration
	listener    net.Listener
	requests    *feed[Request]
	closedEarly atomic.Int64

	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	replies []Reply
	gates   map[string]chan struct{}
	conns   map[net.Conn]struct{}
}

// NewModel starts a server for requests of any dialect; api is that of paths that belong
// to none. A gate that nobody opens is passed after gateTimeout.
func NewModel(api API, gateTimeout time.Duration) (*Model, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the model's server: %w", err)
	}
	m := &Model{
		api:         api,
		gateTimeout: gateTimeout,
		listener:    listener,
		requests:    newFeed[Request](),
		gates:       map[string]chan struct{}{},
		conns:       map[net.Conn]struct{}{},
	}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.work.Go(m.accept)
	return m, nil
}

// Port is the port that the server listens on.
func (m *Model) Port() int { return m.listener.Addr().(*net.TCPAddr).Port }

// Script sets the answers, one a request.
func (m *Model) Script(replies []Reply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.replies = replies
}

// Release opens a gate for good.
func (m *Model) Release(gate string) {
	open := m.gate(gate)
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-open:
	default:
		close(open)
	}
}

// Requests returns what has been received so far.
func (m *Model) Requests() []Request { return m.requests.all() }

// ClosedEarly is the number of answers that the client did not read to the end.
func (m *Model) ClosedEarly() int { return int(m.closedEarly.Load()) }

// Close ends all connections and waits for them.
func (m *Model) Close() {
	m.cancel()
	m.listener.Close()
	m.mu.Lock()
	for conn := range m.conns {
		conn.Close()
	}
	m.mu.Unlock()
	m.work.Wait()
}

func (m *Model) gate(name string) chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	gate, ok := m.gates[name]
	if !ok {
		gate = make(chan struct{})
		m.gates[name] = gate
	}
	return gate
}

func (m *Model) accept() {
	for {
		conn, err := m.listener.Accept()
		if err != nil {
			return
		}
		if m.keep(conn) {
			m.work.Go(func() {
				defer m.drop(conn)
				m.converse(conn)
			})
		}
	}
}

// keep notes an open connection, unless the server is closing.
func (m *Model) keep(conn net.Conn) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ctx.Err() != nil {
		conn.Close()
		return false
	}
	m.conns[conn] = struct{}{}
	return true
}

func (m *Model) drop(conn net.Conn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.conns, conn)
	conn.Close()
}

// converse answers the requests of one connection.
func (m *Model) converse(conn net.Conn) {
	in := bufio.NewReader(conn)
	for {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		if open := m.answer(conn, req, body); !open || req.Close {
			return
		}
	}
}

// answer handles one request and says whether the connection stays open.
func (m *Model) answer(conn net.Conn, req *http.Request, body []byte) bool {
	if req.Method != http.MethodPost {
		return writePlain(conn, http.StatusNotFound, nil, "")
	}
	n, reply := m.take(req, body)
	if reply.Status != 0 && reply.Status != http.StatusOK {
		text, ok := reply.Body.(string)
		if !ok {
			text = ordered.Compact(objectOrEmpty(reply.Body))
		}
		return writePlain(conn, reply.Status, reply.Headers, text)
	}
	if reply.Hold != "" {
		m.pass(reply.Hold)
	}
	err := m.stream(conn, reply, pieces(reply, apiOf(req.RequestURI, m.api), n))
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
		m.closedEarly.Add(1)
	}
	return false
}

func objectOrEmpty(v any) any {
	if v == nil {
		return ordered.Object{}
	}
	return v
}

// take records a request and finds its reply.
func (m *Model) take(req *http.Request, body []byte) (int, *Reply) {
	headers := map[string]string{"host": req.Host}
	for name, values := range req.Header {
		headers[strings.ToLower(name)] = values[len(values)-1]
	}
	value, err := ordered.Parse(body)
	if err != nil {
		value = ordered.Of("unparsed", validText(body))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.requests.add(Request{Path: req.RequestURI, Headers: headers, Body: value})
	if n < len(m.replies) {
		return n, &m.replies[n]
	}
	message := fmt.Sprintf("lab: no reply scripted for request %d", n)
	return n, &Reply{Status: http.StatusInternalServerError, Body: ordered.Of("error", ordered.Of("message", message))}
}

// pass waits at a gate.
func (m *Model) pass(name string) {
	timeout := time.NewTimer(m.gateTimeout)
	defer timeout.Stop()
	select {
	case <-m.gate(name):
	case <-timeout.C:
	case <-m.ctx.Done():
	}
}

// pieces returns the body of the answer to request n in the parts in which it is sent.
func pieces(r *Reply, api API, n int) [][]byte {
	var out [][]byte
	if r.SSE != nil {
		for _, item := range r.SSE {
			out = append(out, rawEvent(item))
		}
		return out
	}
	for _, event := range dialects[api].encode(r, n) {
		out = append(out, []byte(event))
	}
	return out
}

func rawEvent(item any) []byte {
	switch item := item.(type) {
	case string:
		return []byte(item)
	case ordered.Object:
		if item.Has("bytes64") {
			data, err := base64.StdEncoding.DecodeString(item.Text("bytes64"))
			if err == nil {
				return data
			}
		}
		return []byte(dataEvent(item))
	}
	return []byte("data: " + ordered.Compact(item) + "\n\n")
}

// stream sends an answer piece by piece. Without HTTP chunks the body ends with the
// connection, so that a cut looks like an end.
func (m *Model) stream(conn net.Conn, r *Reply, pieces [][]byte) error {
	head := responseHead(http.StatusOK, "text/event-stream", r.Headers)
	if r.Chunked {
		head += "transfer-encoding: chunked\r\n"
	}
	if _, err := io.WriteString(conn, head+"connection: close\r\n\r\n"); err != nil {
		return err
	}
	for i, piece := range pieces {
		if i == orElse(r.GateAt, -1) {
			m.pass(r.Gate)
		}
		if i == orElse(r.CutAt, -1) {
			return nil
		}
		if r.Chunked {
			piece = fmt.Appendf(nil, "%x\r\n%s\r\n", len(piece), piece)
		}
		if _, err := conn.Write(piece); err != nil {
			return err
		}
		m.pause(r.pace())
	}
	if r.Chunked {
		_, err := io.WriteString(conn, "0\r\n\r\n")
		return err
	}
	return nil
}

func (m *Model) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-m.ctx.Done():
	}
}

// writePlain sends an answer of known length and says whether that worked.
func writePlain(conn net.Conn, status int, headers map[string]string, body string) bool {
	var out bytes.Buffer
	contentType := "application/json"
	if _, ok := headers["content-type"]; ok {
		contentType = ""
	}
	out.WriteString(responseHead(status, contentType, headers))
	fmt.Fprintf(&out, "content-length: %d\r\n\r\n%s", len(body), body)
	_, err := conn.Write(out.Bytes())
	return err == nil
}

func responseHead(status int, contentType string, headers map[string]string) string {
	var head strings.Builder
	fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	fmt.Fprintf(&head, "date: %s\r\n", time.Now().UTC().Format(http.TimeFormat))
	if contentType != "" {
		fmt.Fprintf(&head, "content-type: %s\r\n", contentType)
	}
	for name, value := range headers {
		fmt.Fprintf(&head, "%s: %s\r\n", name, value)
	}
	return head.String()
}
