package script

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// fetchArg is a request of fetch.
type fetchArg struct {
	URL      string      `json:"url"`
	Method   string      `json:"method"`
	Headers  [][2]string `json:"headers"`
	Body     []byte      `json:"body"`
	Redirect string      `json:"redirect"` // follow, manual or error
	// Dispatcher is how it is made; nil for the usual way.
	Dispatcher *dispatcher `json:"dispatcher"`
}

// fetchHead is the first part of the answer, before the body.
type fetchHead struct {
	Status     int         `json:"status"`
	StatusText string      `json:"statusText"`
	Headers    [][2]string `json:"headers"`
	URL        string      `json:"url"`
	Redirected bool        `json:"redirected"`
}

func (s *system) netOps() Table {
	return Table{"net.fetch": Reaching(s.toFetch, s.fetch), "net.rest": Typed(s.rest), "net.connect": Reaching(s.toConnect, s.connect), "net.send": Typed(s.send)}.Add(s.serveOps(), nameOps())
}

func (s *system) toFetch(a *fetchArg) []Access {
	u, err := url.Parse(a.URL)
	if err != nil || u.Host == "" {
		return nil // it is no request either
	}
	if a.Dispatcher == nil {
		return []Access{toReach(u)}
	}
	if a.Dispatcher.Socket != "" {
		a.Dispatcher.Socket = s.path(a.Dispatcher.Socket)
	}
	return append(a.Dispatcher.accesses(u), toReach(u))
}

// toReach is the access of a request.
func toReach(u *url.URL) Access {
	port := u.Port()
	if port == "" {
		port = defaultPorts[u.Scheme]
	}
	return Access{Kind: Network, Subject: net.JoinHostPort(u.Hostname(), port)}
}

// fetch makes a request; the head of the answer and then its body come as parts.
func (s *system) fetch(ctx context.Context, a fetchArg) (any, error) {
	req, err := http.NewRequestWithContext(ctx, a.Method, a.URL, bytes.NewReader(a.Body))
	if err != nil {
		return nil, &Error{Name: "TypeError", Message: "fetch failed: " + err.Error()}
	}
	if len(a.Body) == 0 {
		req.Body = http.NoBody
	}
	for _, h := range a.Headers {
		req.Header.Add(h[0], h[1])
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "rondo")
	}
	through, err := s.transport(a.Dispatcher)
	if err != nil {
		return nil, &Error{Name: "TypeError", Message: "fetch failed: " + err.Error()}
	}
	client := http.Client{Transport: through, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		return s.redirect(ctx, a, next.URL, len(via))
	}}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fetchError(ctx, err)
	}
	if d := a.Dispatcher; d != nil && d.BodyTimeout > 0 {
		resp.Body = &impatient{resp.Body, ms(d.BodyTimeout)}
	}
	defer resp.Body.Close()
	head := fetchHead{Status: resp.StatusCode, StatusText: http.StatusText(resp.StatusCode), URL: resp.Request.URL.String(), Redirected: resp.Request.URL.String() != req.URL.String()}
	for name, values := range resp.Header {
		for _, v := range values {
			head.Headers = append(head.Headers, [2]string{name, v})
		}
	}
	emitJSON(ctx, head)
	return nil, emitBody(ctx, resp.Body)
}

// redirect returns why a request does not go on at another address.
func (s *system) redirect(ctx context.Context, a fetchArg, next *url.URL, before int) error {
	switch {
	case a.Redirect == "manual":
		return http.ErrUseLastResponse
	case a.Redirect == "error":
		return errors.New("redirected, which the request forbids")
	case before >= 20:
		return errors.New("redirected too often")
	}
	a.URL = next.String()
	return permit(ctx, s.toFetch(&a)...)
}

// fetchError is how a request fails.
func fetchError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused
	}
	code, _, _ := errnoName(err)
	if strings.Contains(err.Error(), "timeout awaiting response headers") { // net/http has no other name for it
		code = "UND_ERR_HEADERS_TIMEOUT"
	}
	return &Error{Name: "TypeError", Code: code, Message: "fetch failed: " + err.Error()}
}

// emitBody sends what is read as parts, as base64.
func emitBody(ctx context.Context, body io.Reader) error {
	buf := make([]byte, 64<<10)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			emitJSON(ctx, buf[:n])
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return &Error{Name: "TypeError", Message: "terminated: " + err.Error()}
		}
	}
}

type connectArg struct {
	ID         int    `json:"id"`
	Host       string `json:"host"`
	Port       int    `json:"port"`
	Path       string `json:"path"` // of a local socket
	TLS        bool   `json:"tls"`
	ServerName string `json:"servername"`
	Insecure   bool   `json:"insecure"`
}

func (a *connectArg) address() (network, address string) {
	if a.Path != "" {
		return "unix", a.Path
	}
	return "tcp", net.JoinHostPort(a.Host, strconv.Itoa(a.Port))
}

func (s *system) toConnect(a *connectArg) []Access {
	if a.Path == "" {
		_, address := a.address()
		return []Access{{Kind: Network, Subject: address}}
	}
	a.Path = s.path(a.Path)
	return []Access{{Kind: Network, Subject: "unix:" + a.Path}}
}

// connect opens a connection and sends what arrives as parts, until it ends.
func (s *system) connect(ctx context.Context, a connectArg) (any, error) {
	network, address := a.address()
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		code, text, number := errnoName(err)
		if code == "" {
			code, text = "ENOTFOUND", err.Error()
		}
		return nil, &Error{Code: code, Errno: -number, Syscall: "connect", Message: "connect " + code + " " + address + ": " + text}
	}
	if a.TLS {
		name := a.ServerName
		if name == "" {
			name = a.Host
		}
		conn = tls.Client(conn, &tls.Config{ServerName: name, InsecureSkipVerify: a.Insecure}) //nolint:gosec // the script's rejectUnauthorized: false
	}
	return nil, s.carry(ctx, a.ID, newConnection(conn))
}

// send writes to a connection; with End, nothing more is written.
func (s *system) send(_ context.Context, a struct {
	ID   int    `json:"id"`
	Data []byte `json:"data"`
	End  bool   `json:"end"`
},
) (any, error) {
	s.mu.Lock()
	conn := s.connections[a.ID]
	s.mu.Unlock()
	if conn == nil {
		return nil, &Error{Code: "EPIPE", Syscall: "write", Message: "write EPIPE"}
	}
	if _, err := conn.Write(a.Data); err != nil {
		return nil, &Error{Code: "EPIPE", Syscall: "write", Message: "write EPIPE: " + err.Error()}
	}
	if a.End {
		return nil, conn.endWriting()
	}
	return nil, nil
}
