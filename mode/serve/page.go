package serve

import (
	"embed"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"mime"
	"net/http"
	"path"

	"github.com/rondo-agent/rondo/internal/httpguard"
)

//go:embed page
var pageFiles embed.FS

// policy lets the page load what it consists of from here, and nothing from anywhere else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
	"manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// pageRoutes are the addresses of the page. Its files are no secret: what it shows comes from
// the addresses that ask for the token.
func (s *Server) pageRoutes(mux *http.ServeMux) {
	files, err := fs.Sub(pageFiles, "page")
	if err != nil {
		panic(err) // the folder is compiled in
	}
	names, err := fs.Glob(files, "*")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		pattern := "GET /page/" + name
		if name == "index.html" {
			pattern = "GET /{$}"
		}
		mux.Handle(pattern, pageFile(files, name))
	}
	mux.HandleFunc("GET /open", s.openPage)
	mux.HandleFunc("POST /sign-in", s.signIn)
	mux.HandleFunc("POST /sign-out", s.signOut)
}

// pageFile serves one file; browsers ask whether it has changed.
func pageFile(files fs.FS, name string) http.Handler {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		panic(err)
	}
	sum := fnv.New64a()
	_, _ = sum.Write(data) // it never fails
	tag := fmt.Sprintf(`"%x"`, sum.Sum64())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", kindOf(name))
		h.Set("Content-Security-Policy", policy)
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(data) // a client that is gone needs no answer
	})
}

// kindOf does not depend on what the machine says about types.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// The answers to a link. The page is loaded by the browser's own code, not by a redirection:
// the cookie goes along whatever site the link was on, and the code is in no history.
const (
	welcome = `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/"><title>Rondo</title><p><a href="/">Rondo</a></p></html>` + "\n"
	spent   = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Rondo</title><p>This link has been used, or is too old. Start <code>rondo serve</code> again for a new one, or <a href="/">sign in with the token</a>.</p></html>` + "\n"
)

// openPage lets the browser in that has a link.
func (s *Server) openPage(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'")
	h.Set("Cache-Control", "no-store")
	if !s.gate.redeem(r.URL.Query().Get("code")) {
		httpguard.Refuse(w)
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(spent))
		return
	}
	s.gate.admit(w, r, true)
	_, _ = w.Write([]byte(welcome))
}

// maxSignIn is how many bytes the request with the token may have.
const maxSignIn = 4 << 10

// signIn lets the browser in whose user has typed the token.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) {
	var fields struct {
		Token string `json:"token"`
	}
	raw, err := readBody(w, r, maxSignIn)
	if err == nil {
		err = decode(raw, &fields)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	if !s.gate.isToken(fields.Token) {
		refuse(w, withStatus(http.StatusUnauthorized, errors.New("the token is wrong: rondo serve has printed it, unless it is the one in RONDO_SERVE_TOKEN")))
		return
	}
	s.gate.admit(w, r, true)
	respond(w, http.StatusOK, struct{}{})
}

// signOut takes the browser's cookie away.
func (s *Server) signOut(w http.ResponseWriter, r *http.Request) {
	s.gate.admit(w, r, false)
	respond(w, http.StatusOK, struct{}{})
}
