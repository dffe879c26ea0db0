package oauth

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/internal/httpguard"
)

// EnvCallbackHost is the variable with the address that a login's callback is awaited on, for
// a browser in another network namespace; the default is 127.0.0.1.
const EnvCallbackHost = "RONDO_OAUTH_CALLBACK_HOST"

// loginTimeout is how long a person may take in the browser.
const loginTimeout = 10 * time.Minute

// callback waits for a browser to come back with a code.
type callback struct {
	path, state string
	listener    net.Listener // nil if the port is taken: then the address is pasted
	results     chan result
}

type result struct {
	code string
	err  error
}

// listen waits at a port, 0 being any, for requests to path that have the state.
func listen(port int, path, state string) (*callback, error) {
	c := &callback{path: path, state: state, results: make(chan result, 1)}
	host := cmp.Or(os.Getenv(EnvCallbackHost), "127.0.0.1")
	var err error
	c.listener, err = net.Listen("tcp", net.JoinHostPort(host, fmt.Sprint(port)))
	return c, err
}

// port returns the port that was taken.
func (c *callback) port() int { return c.listener.Addr().(*net.TCPAddr).Port }

// wait returns the code that the browser brings, or that the person pastes.
func (c *callback) wait(ctx context.Context, ui *UI) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, loginTimeout, ErrExpired)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	if c.listener != nil {
		guard := httpguard.New(httpguard.Limits{})
		server := &http.Server{Handler: guard.Handler(c), IdleTimeout: 10 * time.Second}
		guard.Watch(server)
		wg.Go(func() { _ = server.Serve(c.listener) }) // it ends with Shutdown
		defer func() {
			grace, end := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer end()
			if server.Shutdown(grace) != nil {
				_ = server.Close()
			}
		}()
	}
	if ui.Ask != nil {
		wg.Go(func() { c.ask(ctx, ui) })
	}
	select {
	case r := <-c.results:
		return r.code, r.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// ask lets the person paste the address that the browser has ended at, until one is right.
func (c *callback) ask(ctx context.Context, ui *UI) {
	for {
		text, err := ui.Ask(ctx, "If the browser cannot come back here, paste the address that it ends at, or the code:")
		if err != nil {
			return // the browser may still come
		}
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if u, err := url.Parse(text); err == nil && u.Host != "" {
			if !c.finish(u.Query()) {
				ui.tell("This address is not that of this login.")
				continue
			}
			return
		}
		c.give(result{code: text})
		return
	}
}

// ServeHTTP implements [http.Handler]. A request without the state of this login is not the
// browser's: it is refused, and the login goes on waiting.
func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	httpguard.Refuse(w) // no request is waited for, and none follows on its connection
	if r.Method != http.MethodGet || r.URL.Path != c.path {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	text := "The login is complete. You can close this window."
	switch query := r.URL.Query(); {
	case !c.finish(query):
		w.WriteHeader(http.StatusBadRequest)
		text = "This is not the login that is under way. Begin again in the terminal."
	case query.Get("code") == "":
		w.WriteHeader(http.StatusForbidden)
		text = "The login was not completed. You can close this window."
	}
	_, _ = io.WriteString(w, `<!doctype html><meta charset="utf-8"><title>Rondo</title><p>`+text)
}

// finish takes what the authorisation server has answered with. It returns false if the answer
// is not for this login.
func (c *callback) finish(query url.Values) bool {
	if subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(c.state)) != 1 {
		return false
	}
	if code := query.Get("code"); code != "" {
		c.give(result{code: code})
		return true
	}
	e := &Error{Code: query.Get("error"), Text: query.Get("error_description"), cause: ErrDenied}
	if e.Code == "" {
		c.give(result{err: errors.New("the authorisation server has sent the browser back without a code")})
		return true
	}
	if e.Code != "access_denied" {
		e.cause = causes[e.Code]
	}
	c.give(result{err: e})
	return true
}

// give hands over the first result; later ones do not count.
func (c *callback) give(r result) {
	select {
	case c.results <- r:
	default:
	}
}
