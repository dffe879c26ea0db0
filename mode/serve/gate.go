package serve

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// NewToken returns a token that cannot be guessed.
func NewToken() string {
	var b [24]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// gate decides which requests get in.
type gate struct {
	token [sha256.Size]byte
	// pass is the cookie of a browser that has shown the token: it follows from it, so that
	// it stays good when the server starts again with the same token.
	pass  string
	hosts []string

	mu    sync.Mutex
	links map[string]time.Time // digests of codes that open the page once, and when they expire
}

// linkTime is how long a link to the page works.
const linkTime = 15 * time.Minute

func newGate(token string, hosts []string) *gate {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("the page of rondo serve"))
	return &gate{
		token: sha256.Sum256([]byte(token)), pass: base64.RawURLEncoding.EncodeToString(mac.Sum(nil)),
		hosts: lowered(hosts), links: make(map[string]time.Time),
	}
}

// lowered returns names as they are compared.
func lowered(names []string) []string {
	var out []string
	for _, name := range names {
		out = append(out, strings.ToLower(name))
	}
	return out
}

// checkHost refuses requests for another server, which a page of another site gets here by
// letting its own name lead to this machine. An IP address is no such name.
func (g *gate) checkHost(r *http.Request) error {
	host := hostName(r.Host)
	if host == "localhost" || slices.Contains(g.hosts, host) {
		return nil
	}
	if ip, err := netip.ParseAddr(host); err == nil && (ip.IsLoopback() || ip.Unmap() == localAddr(r.Context())) {
		return nil
	}
	return withStatus(http.StatusMisdirectedRequest, fmt.Errorf("this server does not go by the name %q: use its address, or start it with --hostname and that name", r.Host))
}

// hostName returns the name of a Host header in lower case, without its port; empty if the header
// is none that a browser or program sends.
func hostName(header string) string {
	host := header
	if name, port, err := net.SplitHostPort(header); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return ""
		}
		if host = name; strings.Contains(name, ":") != strings.HasPrefix(header, "[") {
			return "" // brackets are for addresses of IPv6
		}
	} else if inner, ok := strings.CutPrefix(header, "["); ok {
		if host, ok = strings.CutSuffix(inner, "]"); !ok || !strings.Contains(host, ":") {
			return ""
		}
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// localAddr is the address that the client has connected to.
func localAddr(ctx context.Context) netip.Addr {
	if addr, ok := ctx.Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		return addr.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}

// checkOrigin refuses what a browser sends for a page of another origin, whether it may read
// the answer or not.
func (g *gate) checkOrigin(r *http.Request) error {
	foreign := withStatus(http.StatusForbidden, errors.New("the request comes from a page of another site, and is refused"))
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host && origin != "https://"+r.Host {
		return foreign
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return nil
	}
	if r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/api") {
		return nil // a link to the page
	}
	return foreign
}

// checkToken refuses requests without the token.
func (g *gate) checkToken(r *http.Request) error {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, token, _ := strings.Cut(header, " ")
		if strings.EqualFold(scheme, "Bearer") && g.isToken(strings.TrimSpace(token)) {
			return nil
		}
		return withStatus(http.StatusUnauthorized, errors.New("the token is wrong: send that of rondo serve as \"Authorization: Bearer TOKEN\""))
	}
	cookie, err := r.Cookie(cookieName(r))
	if err == nil && subtle.ConstantTimeCompare([]byte(cookie.Value), []byte(g.pass)) == 1 {
		return nil
	}
	return withStatus(http.StatusUnauthorized, errors.New("the token is missing: send that of rondo serve as \"Authorization: Bearer TOKEN\", or open the link that it has printed"))
}

// isToken takes the same time for every wrong token.
func (g *gate) isToken(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}

// cookieName has the port, since browsers send the cookies of a host to all of its ports.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "80"
	}
	return "rondo_" + port
}

// admit gives the browser its cookie, or takes it away.
func (g *gate) admit(w http.ResponseWriter, r *http.Request, in bool) {
	cookie := &http.Cookie{
		Name: cookieName(r), Value: g.pass, Path: "/", MaxAge: int((30 * 24 * time.Hour).Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	}
	if !in {
		cookie.Value, cookie.MaxAge = "", -1
	}
	http.SetCookie(w, cookie)
}

// newCode returns a code that opens the page once.
func (g *gate) newCode() string {
	code := NewToken()
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	for digest, expires := range g.links {
		if now.After(expires) {
			delete(g.links, digest)
		}
	}
	g.links[digest(code)] = now.Add(linkTime)
	return code
}

// redeem uses a code up, and reports whether it was good.
func (g *gate) redeem(code string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	expires, ok := g.links[digest(code)]
	delete(g.links, digest(code))
	return ok && time.Now().Before(expires)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return string(sum[:])
}
