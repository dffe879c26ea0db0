package google_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/google"
	"github.com/rondo-agent/rondo/ai/internal/replay"
)

// Vertex fails as Gemini does, and hides its token.
func TestVertex_Failures(t *testing.T) {
	noVertexEnv(t)
	for status, want := range map[int]ai.Class{400: ai.ClassPermanent, 401: ai.ClassPermanent, 403: ai.ClassPermanent, 429: ai.ClassTransient, 500: ai.ClassTransient, 503: ai.ClassTransient} {
		m, client := listen(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"error":{"code":%d,"message":"so it is: %s","status":"X"}}`, status, r.Header.Get("Authorization"))
		})
		m.API, m.Provider = google.APIVertex, "google-vertex"
		vertex := google.Vertex{Token: func(context.Context) (string, error) { return "very-secret-token", nil }}
		got, err := ai.Complete(t.Context(), vertex.Stream, &ai.Request{Model: m, Options: ai.Options{Client: client}})
		if err != nil || ai.Classify(got.Err, got.ErrorMessage) != want || !strings.Contains(got.ErrorMessage, "so it is") || strings.Contains(got.ErrorMessage, "secret") {
			t.Errorf("%d: %q, %v", status, got.ErrorMessage, ai.Classify(got.Err, got.ErrorMessage))
		}
	}
	m, client := listen(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, replay.SSE(parts(`{"text":"x"}`))) })
	m.API = google.APIVertex
	got, err := ai.Complete(t.Context(), google.Vertex{}.Stream, &ai.Request{Model: m, Options: ai.Options{APIKey: "k", Client: client}})
	if err != nil || !ai.IsRetryable(got) {
		t.Errorf("cut: %v, %v", got, err)
	}
}
