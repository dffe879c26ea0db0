package serve

import (
	"errors"
	"io/fs"
	"net/http"

	"github.com/rondo-agent/rondo/compaction"

	"github.com/rondo-agent/rondo/internal/httpguard"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
)

// statusError is an error with the status of its answer.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

// withStatus returns an error with the status of its answer.
func withStatus(status int, err error) error { return &statusError{status, err} }

// conflicts are refusals that depend on what a session is doing.
var conflicts = []error{
	session.ErrBusy, session.ErrCompacting, transcript.ErrClosed, session.ErrNoModel, compaction.ErrNothingToCompact,
	session.ErrNothingToFork, ErrNoDialog, errOtherMessage,
}

// statusOf chooses the status of an error.
func statusOf(err error) int {
	if e, ok := errors.AsType[*statusError](err); ok {
		return e.status
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return http.StatusRequestEntityTooLarge
	}
	if _, ok := errors.AsType[*jsonl.LockedError](err); ok {
		return http.StatusConflict
	}
	if _, ok := errors.AsType[*session.UnstoredError](err); ok {
		return http.StatusInternalServerError
	}
	switch {
	case errors.Is(err, ErrNoSession), errors.Is(err, transcript.ErrNoEntry), errors.Is(err, fs.ErrNotExist):
		return http.StatusNotFound
	case errors.Is(err, ErrClosing):
		return http.StatusServiceUnavailable
	}
	for _, conflict := range conflicts {
		if errors.Is(err, conflict) {
			return http.StatusConflict
		}
	}
	return http.StatusBadRequest
}

// fail answers with an error: {"error": a sentence that says what to do}.
func fail(w http.ResponseWriter, err error) {
	status := statusOf(err)
	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	respond(w, status, struct {
		Error string `json:"error"`
	}{err.Error()})
}

// refuse answers a request of a client that was not let in, and ends its connection.
func refuse(w http.ResponseWriter, err error) {
	httpguard.Refuse(w)
	fail(w, err)
}

// respond writes a body of JSON.
func respond(w http.ResponseWriter, status int, body any) {
	data := append(appendValue(nil, body), '\n')
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(data) // a client that is gone needs no answer
}
