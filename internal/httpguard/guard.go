// Package httpguard bounds what clients can hold of an HTTP server before they have shown that
// they may use it.
//
// # What can be relied on
//
//  1. A request of a client that was not let in is read for [Limits.Time] and answered within twice
//     that, whatever the client sends or does not send, reads or does not read. [Admit] lifts this
//     for one request.
//  2. [Refuse] ends the connection with the answer: what is left of the request is not waited
//     for.
//  3. Of connections whose requests were not let in, [Limits.Strangers] are open at most. A
//     further one takes the place of the oldest.
package httpguard

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits bound strangers. The zero value is a good start.
type Limits struct {
	// Time is how long a request may take until it was let in or answered; 0 means ten
	// seconds.
	Time time.Duration
	// Strangers is how many connections may be open that no request was let in on; 0 means
	// 128.
	Strangers int
}

// Guard watches the connections of a server. The zero value uses the default limits.
type Guard struct {
	limits Limits

	mu        sync.Mutex
	strangers list.List // of net.Conn, the oldest first
	places    map[net.Conn]*list.Element
}

// New returns a guard.
func New(limits Limits) *Guard { return &Guard{limits: limits} }

func (g *Guard) time() time.Duration {
	if g.limits.Time > 0 {
		return g.limits.Time
	}
	return 10 * time.Second
}

func (g *Guard) strangersAllowed() int {
	if g.limits.Strangers > 0 {
		return g.limits.Strangers
	}
	return 128
}

// Watch lets the guard count the connections of a server, and bounds the time for a request's
// head. It is called before the server serves, and keeps a ConnContext that is set already.
func (g *Guard) Watch(s *http.Server) {
	s.ReadHeaderTimeout = g.time()
	s.ConnState = g.state
	inner := s.ConnContext
	s.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if inner != nil {
			ctx = inner(ctx, c)
		}
		return context.WithValue(ctx, connKey{}, &connection{guard: g, conn: c})
	}
}

type connKey struct{}

// connection is what a request's context has.
type connection struct {
	guard *Guard
	conn  net.Conn
}

// state notes connections that begin and end.
func (g *Guard) state(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		g.add(c)
	case http.StateClosed, http.StateHijacked:
		g.remove(c)
	case http.StateActive, http.StateIdle:
	}
}

func (g *Guard) add(c net.Conn) {
	g.mu.Lock()
	if g.places == nil {
		g.places = make(map[net.Conn]*list.Element)
	}
	g.places[c] = g.strangers.PushBack(c)
	var oldest net.Conn
	if g.strangers.Len() > g.strangersAllowed() {
		oldest = g.strangers.Front().Value.(net.Conn)
		g.drop(oldest)
	}
	g.mu.Unlock()
	if oldest != nil {
		_ = oldest.Close() // its server notices
	}
}

func (g *Guard) remove(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.drop(c)
}

// drop forgets a connection; the mutex is held.
func (g *Guard) drop(c net.Conn) {
	if e := g.places[c]; e != nil {
		g.strangers.Remove(e)
		delete(g.places, c)
	}
}

// Handler bounds the time of each request until next has called [Admit] or has answered.
func (g *Guard) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := time.Now()
		setDeadlines(w, now.Add(g.time()), now.Add(2*g.time())) // one that came late is answered too
		next.ServeHTTP(w, r)
	})
}

// Admit lifts the limits of a request whose client may use the server: its connection counts no
// more, and has no deadlines.
func Admit(w http.ResponseWriter, r *http.Request) {
	if c, ok := r.Context().Value(connKey{}).(*connection); ok {
		c.guard.remove(c.conn)
	}
	setDeadlines(w, time.Time{}, time.Time{})
}

// linger is how long what is left of a refused request is read, so that a client that is still
// sending gets the answer instead of a reset connection.
const linger = 500 * time.Millisecond

// Refuse is called before an answer that refuses a request: the connection is closed behind it,
// and what the client has not sent yet is not waited for.
func Refuse(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	Finish(w, linger)
}

// Finish is called when a request is about to be answered: what is left of it unread is waited for
// no longer than d.
func Finish(w http.ResponseWriter, d time.Duration) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(d)) // as in setDeadlines
}

func setDeadlines(w http.ResponseWriter, read, write time.Time) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(read) // a writer without deadlines has no connection to wait for
	_ = control.SetWriteDeadline(write)
}
