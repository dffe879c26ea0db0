package adc_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai/google/adc"
)

// serviceAccount writes the key file of a service account whose tokens a server gives.
func serviceAccount(t *testing.T, tokenURL string) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "a@b", "private_key_id": "1", "token_uri": tokenURL,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestTokensAreOfTheMachineAndKept(t *testing.T) {
	asked, refuse := 0, false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Content-Type", "application/json")
		if refuse {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"invalid_grant","error_description":"secret"}`)
			return
		}
		fmt.Fprint(w, `{"access_token":"of-the-machine","token_type":"Bearer","expires_in":3600}`)
	}))
	t.Cleanup(s.Close)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", serviceAccount(t, s.URL))
	tokens := adc.NewTokens()
	for range 3 {
		if token, err := tokens.Get(t.Context()); err != nil || token != "of-the-machine" {
			t.Fatalf("%v", err)
		}
	}
	if asked != 1 {
		t.Errorf("%d tokens were asked for", asked)
	}
	refuse = true
	_, err := adc.NewTokens().Get(t.Context())
	if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "gcloud auth application-default login") {
		t.Errorf("refused: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("enough")
	cancel(stop)
	if _, err := adc.NewTokens().Get(ctx); !errors.Is(err, stop) {
		t.Errorf("cancelled: %v", err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "none.json"))
	if _, err := adc.NewTokens().Get(t.Context()); err == nil || !strings.Contains(err.Error(), "none.json") {
		t.Errorf("without a file: %v", err)
	}
}
