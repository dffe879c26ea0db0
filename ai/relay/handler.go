package relay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
	"github.com/rondo-agent/rondo/internal/httpguard"
)

// Resolve decides what a client gets when it asks for a model. asked holds API, Provider
// and ID and nothing else, since whatever else a client says of a model could send the
// server's key elsewhere: look the model up, do not pass it on. ctx is the HTTP
// request's. The text of an error is what the client sees; the status is 403 unless the
// error is an [*ai.StatusError].
type Resolve func(ctx context.Context, asked *ai.Model) (*Target, error)

// Target is a model as the server asks it.
type Target struct {
	Model *ai.Model
	// Options holds the key and the server's settings. The client's temperature,
	// thinking, tool choice, cache retention, session and sampling are laid over them; a
	// limit of the answer's tokens is only made smaller; headers, metadata and sampling
	// parameters that are set here win.
	Options ai.Options
}

// HandlerOptions are the settings of a [Handler]. The zero value is a good start.
type HandlerOptions struct {
	// MaxBody is the largest request in bytes; 0 means 64 MiB.
	MaxBody int64
	// ReadTimeout is how long a client may take to send a request; 0 means a minute.
	ReadTimeout time.Duration
	// WriteTimeout is how long a client may take to read an event; 0 means a minute.
	WriteTimeout time.Duration
	// KeepAlive is how often a comment is sent while the model is silent, so that proxies
	// keep the connection; 0 means 15 seconds, a negative value never.
	KeepAlive time.Duration
}

// Token returns the authorization of a [Handler] with one token. The comparison takes
// the same time for every wrong token; an empty token lets nobody in.
func Token(token string) func(string) bool {
	want := sha256.Sum256([]byte(token))
	return func(got string) bool {
		sum := sha256.Sum256([]byte(got))
		return subtle.ConstantTimeCompare(sum[:], want[:]) == 1 && token != ""
	}
}

// Handler serves the requests of clients made with [New], or of Pi's proxy. It is
// mounted at [Path].
//
// authorize judges the bearer token of a request. ask sends it to a provider, with what
// resolve has decided. A client that disconnects cancels the request. opts may be nil.
func Handler(ask ai.StreamFunc, authorize func(token string) bool, resolve Resolve, opts *HandlerOptions) http.Handler {
	h := &handler{ask: ask, authorize: authorize, resolve: resolve}
	if opts != nil {
		h.opts = *opts
	}
	if h.opts.MaxBody == 0 {
		h.opts.MaxBody = 64 << 20
	}
	if h.opts.ReadTimeout == 0 {
		h.opts.ReadTimeout = time.Minute
	}
	if h.opts.WriteTimeout == 0 {
		h.opts.WriteTimeout = time.Minute
	}
	if h.opts.KeepAlive == 0 {
		h.opts.KeepAlive = 15 * time.Second
	}
	return h
}

type handler struct {
	ask       ai.StreamFunc
	authorize func(string) bool
	resolve   Resolve
	opts      HandlerOptions
}

// ServeHTTP streams one answer.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req, secrets, err := h.request(w, r)
	if err != nil {
		httpguard.Refuse(w)
		refuse(w, err)
		return
	}
	ctx := r.Context()
	s := newSender(w, &h.opts)
	defer s.close()
	enc := newEncoder(secrets)
	stream := h.ask(ctx, req)
	for ev, err := range stream.Events() {
		switch ev := ev.(type) {
		case nil:
			s.send(enc.appendFailure(s.line(), req.Model, err))
			return
		case *ai.Done:
			s.send(enc.appendEnding(s.line(), ev.Message))
			return
		case *ai.Error:
			s.send(enc.appendEnding(s.line(), ev.Message))
			return
		default:
			if !s.send(enc.append(s.line(), ev)) {
				return // leaving the loop cancels the request
			}
		}
	}
	if m := stream.Result(); m != nil {
		s.send(enc.appendEnding(s.line(), m))
		return
	}
	s.send(enc.appendFailure(s.line(), req.Model, ai.ErrUnterminated))
}

// request reads a request and resolves its model. secrets is what no client may see.
func (h *handler) request(w http.ResponseWriter, r *http.Request) (req *ai.Request, secrets []string, err error) {
	if r.Method != http.MethodPost {
		return nil, nil, &ai.StatusError{Status: http.StatusMethodNotAllowed, Message: "use POST"}
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || !h.authorize(strings.TrimSpace(token)) {
		return nil, nil, &ai.StatusError{Status: http.StatusUnauthorized, Message: "the relay's token is missing or wrong"}
	}
	httpguard.Admit(w, r)
	httpguard.Finish(w, h.opts.ReadTimeout)
	body, err := read(http.MaxBytesReader(w, r.Body, h.opts.MaxBody))
	httpguard.Admit(w, r) // the answer may take longer
	if err != nil {
		return nil, nil, err
	}
	asked := &ai.Model{API: body.Model.API, Provider: body.Model.Provider, ID: body.Model.ID}
	target, err := h.resolve(r.Context(), asked)
	if err != nil {
		return nil, nil, err
	}
	req = &ai.Request{
		Model: target.Model,
		Context: ai.Context{
			SystemPrompt: body.Context.SystemPrompt,
			Messages:     body.Context.Messages,
			Tools:        body.Context.Tools,
		},
		Options: body.Options.lay(target.Options),
	}
	return req, secretsOf(target), nil
}

func read(r io.Reader) (*request, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, &ai.StatusError{Status: http.StatusRequestEntityTooLarge, Message: fmt.Sprintf("the request is larger than the relay's limit of %d bytes", large.Limit)}
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, &ai.StatusError{Status: http.StatusRequestTimeout, Message: "the request has not come to its end in time"}
		}
		return nil, badRequest(err)
	}
	var body request
	if err := json.Unmarshal(raw, &body, wire.Lax); err != nil {
		return nil, badRequest(err)
	}
	if body.Model == nil || body.Model.ID == "" {
		return nil, badRequest(errors.New("it names no model"))
	}
	return &body, nil
}

func badRequest(err error) error {
	return &ai.StatusError{Status: http.StatusBadRequest, Message: "read the request: " + err.Error()}
}

// refuse answers a request that is not passed on.
func refuse(w http.ResponseWriter, err error) {
	status, message := http.StatusForbidden, err.Error()
	if e, ok := errors.AsType[*ai.StatusError](err); ok && e.Status >= 400 {
		status = e.Status
		if e.Message != "" {
			message = e.Message
		}
	}
	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	var body struct {
		Error string `json:"error"`
	}
	body.Error = message
	_, _ = w.Write(appendJSON(nil, &body)) // a client that is gone needs no answer
}

// minSecret is the shortest text that is taken for a key; a shorter one would hit plain
// words.
const minSecret = 8

// secretsOf lists the keys in a target.
func secretsOf(t *Target) []string {
	found := []string{t.Options.APIKey}
	for _, headers := range []map[string]string{t.Model.Headers, t.Options.Headers} {
		for name, value := range headers {
			if !isCredential(name) {
				continue
			}
			found = append(found, value)
			if _, token, ok := strings.Cut(value, " "); ok {
				found = append(found, token)
			}
		}
	}
	secrets := found[:0]
	for _, secret := range found {
		if len(secret) >= minSecret {
			secrets = append(secrets, secret)
		}
	}
	return secrets
}

// redact removes secrets from JSON text. Keys hold nothing that JSON escapes.
func redact(text []byte, secrets []string) []byte {
	for _, secret := range secrets {
		text = bytes.ReplaceAll(text, []byte(secret), []byte("[redacted]"))
	}
	return text
}
