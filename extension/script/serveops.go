package script

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
)

// listenArg says where a script serves.
type listenArg struct {
	ID   int    `json:"id"`
	Host string `json:"host"` // empty is all addresses
	Port int    `json:"port"`
	Path string `json:"path"` // of a local socket
}

// arrival is what a server tells: first where it listens, then who has come.
type arrival struct {
	Address string `json:"address,omitzero"`
	Conn    int    `json:"conn,omitzero"`
	Local   string `json:"local,omitzero"`
	Remote  string `json:"remote,omitzero"`
	End     bool   `json:"end,omitzero"` // the other side has sent everything
}

func (s *system) serveOps() Table {
	return Table{
		"net.listen": Reaching(s.toListen, s.listen), "net.attach": Typed(s.attach),
		"http.listen": Reaching(s.toListen, s.serve), "http.close": Typed(s.shut), "http.body": Typed(s.body),
		"http.write": Typed(s.answer), "http.cut": Typed(s.cut), "http.hijack": Typed(s.hijack),
	}
}

func (s *system) toListen(a *listenArg) []Access {
	c := connectArg{Host: cmp.Or(a.Host, "0.0.0.0"), Port: a.Port, Path: a.Path}
	list := s.toConnect(&c)
	a.Path = c.Path
	return list
}

// open listens, and stops when the operation ends. Its errors are Node's.
func (a *listenArg) open(ctx context.Context) (net.Listener, error) {
	network, address := "tcp", net.JoinHostPort(a.Host, strconv.Itoa(a.Port))
	if a.Path != "" {
		network, address = "unix", a.Path
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, network, address)
	if err == nil {
		return l, nil
	}
	code, text, number := errnoName(err)
	if code == "" {
		code, text = "EADDRNOTAVAIL", err.Error()
	}
	return nil, &Error{Code: code, Errno: -number, Syscall: "listen", Message: "listen " + code + ": " + text + " " + address}
}

// listen serves connections: each is kept under a number until the script attaches itself.
func (s *system) listen(ctx context.Context, a listenArg) (any, error) {
	l, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	emitJSON(ctx, arrival{Address: l.Addr().String()})
	for {
		conn, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil, nil
			}
			return nil, err
		}
		emitJSON(ctx, arrival{Conn: s.keep(conn), Local: conn.LocalAddr().String(), Remote: conn.RemoteAddr().String()})
	}
}

// connection is one that a script has. Either side may end its part first.
type connection struct {
	net.Conn
	once  sync.Once
	ended chan struct{} // closed when the script has written everything
}

func newConnection(conn net.Conn) *connection {
	return &connection{Conn: conn, ended: make(chan struct{})}
}

func (c *connection) endWriting() (err error) {
	c.once.Do(func() {
		close(c.ended)
		if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
			err = half.CloseWrite()
		}
	})
	return err
}

// keep gives a connection that came from outside a number; those that scripts open have
// numbers of their own, above zero.
func (s *system) keep(conn net.Conn) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accepted--
	s.connections[s.accepted] = newConnection(conn)
	return s.accepted
}

// attach sends what arrives at a connection that was kept, until it ends.
func (s *system) attach(ctx context.Context, a struct {
	ID int `json:"id"`
},
) (any, error) {
	s.mu.Lock()
	conn := s.connections[a.ID]
	s.mu.Unlock()
	if conn == nil {
		return nil, &Error{Code: "ECONNRESET", Syscall: "read", Message: "read ECONNRESET"}
	}
	return nil, s.carry(ctx, a.ID, conn)
}

// carry makes a connection known, sends what arrives as parts and then that it has ended. It
// closes the connection when both sides have ended theirs.
func (s *system) carry(ctx context.Context, id int, conn *connection) error {
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	s.mu.Lock()
	s.connections[id] = conn
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.connections, id)
	}()
	emitJSON(ctx, arrival{Local: conn.LocalAddr().String(), Remote: conn.RemoteAddr().String()})
	if err := emitBody(ctx, conn); err != nil {
		return err
	}
	emitJSON(ctx, arrival{End: true})
	select {
	case <-conn.ended:
	case <-ctx.Done():
	}
	return nil
}

// hijack takes a connection out of HTTP, for what a request has asked to upgrade to.
func (s *system) hijack(_ context.Context, a struct {
	Request int `json:"request"`
},
) (int, error) {
	x := s.exchange(a.Request)
	if x == nil {
		return 0, errHungUp
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return 0, errHungUp
	}
	conn, buffered, err := http.NewResponseController(x.w).Hijack()
	if err != nil {
		return 0, err
	}
	x.end()
	return s.keep(&ahead{Conn: conn, r: buffered.Reader}), nil
}

// ahead is a connection of which something was read already.
type ahead struct {
	net.Conn
	r interface{ Read(p []byte) (int, error) }
}

func (c *ahead) Read(p []byte) (int, error) { return c.r.Read(p) }

func (c *ahead) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
