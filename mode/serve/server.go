package serve

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/internal/httpguard"
)

// Server serves sessions over HTTP. Make one with [New].
type Server struct {
	opts    Options
	gate    *gate
	guard   *httpguard.Guard
	pool    *pool
	lists   lists
	handler http.Handler
	running sync.WaitGroup // what goes on after its request was answered, or its client is gone
	ending  context.Context
	end     context.CancelFunc
}

// New returns a server. It returns an error for a token that is too short.
func New(opts *Options) (*Server, error) {
	if len(opts.Token) < MinToken {
		return nil, fmt.Errorf("the token has %d characters: use at least %d, so that nobody guesses it", len(opts.Token), MinToken)
	}
	s := &Server{opts: opts.orDefault()}
	s.gate = newGate(s.opts.Token, s.opts.Hosts)
	s.guard = httpguard.New(httpguard.Limits{Time: s.opts.Limits.AdmitTimeout, Strangers: s.opts.Limits.MaxStrangers})
	s.pool = newPool(&s.opts)
	s.ending, s.end = context.WithCancel(context.Background())
	s.handler = s.routes()
	return s, nil
}

// Link returns an address that opens the page once, for a server that listens at addr.
func (s *Server) Link(addr string) string { return "http://" + addr + "/open?code=" + s.gate.newCode() }

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Serve answers requests until ctx is done, and ends then: sessions are closed, which aborts
// what runs and notifies the readers of its events, and requests come to their end. It closes the
// listener. The error is that of the listener, or of a session that could not be closed.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	base, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	hs := &http.Server{
		Handler: s, BaseContext: func(net.Listener) context.Context { return base },
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			if tcp, ok := c.(*net.TCPConn); ok {
				// A reader that has stopped shall not hold megabytes in the system either. If it
				// cannot be said, the system's own limit holds.
				_ = tcp.SetWriteBuffer(sendBuffer)
			}
			return ctx
		},
		ErrorLog: log.New(noteWriter(s.opts.Note), "", 0),
	}
	s.guard.Watch(hs)
	var work sync.WaitGroup
	work.Go(func() { s.evictIdle(s.ending) })
	failed := make(chan error, 1)
	work.Go(func() { failed <- hs.Serve(listener) })
	var err error
	select {
	case err = <-failed:
		err = fmt.Errorf("serve at %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	err = errors.Join(err, s.Close(context.WithoutCancel(ctx)))
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if hs.Shutdown(last) != nil {
		cut()
		_ = hs.Close() // clients that do not read what is left
	}
	work.Wait()
	return err
}

// sendBuffer is how much the system holds for a client that does not read.
const sendBuffer = 128 << 10

// Close ends all sessions and what goes on in them. [Server.Serve] calls it; it is for those
// programs that use the server as a handler.
func (s *Server) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.opts.Limits.CloseTimeout)
	defer cancel()
	s.end()
	err := s.pool.close(ctx)
	if err == nil {
		s.running.Wait()
	}
	return err
}

// evictIdle closes sessions that are not used, until ctx is done.
func (s *Server) evictIdle(ctx context.Context) {
	ticks := time.NewTicker(max(s.opts.Limits.Idle/8, 10*time.Millisecond))
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		case <-s.pool.excess:
		}
		s.pool.evict(context.WithoutCancel(ctx))
	}
}

// noteWriter passes on what the HTTP server logs, which is about connections that go wrong.
type noteWriter func(string)

func (n noteWriter) Write(p []byte) (int, error) {
	if line := strings.TrimSpace(string(p)); !strings.Contains(line, "TLS handshake") {
		n(line)
	}
	return len(p), nil
}
