// Package adc gets access tokens for Vertex AI from Google's application default credentials: the
// file that GOOGLE_APPLICATION_CREDENTIALS names, the login of the gcloud program, or the metadata
// server of the machine.
package adc

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
)

// scope is what Vertex AI wants tokens to be for.
const scope = "https://www.googleapis.com/auth/cloud-platform"

// Tokens gets access tokens. They are looked for when a token is needed, and a token is kept while
// it is valid.
type Tokens struct {
	lock  chan struct{} // held while a token is got; a channel, so that waiting can be cancelled
	token *oauth2.Token
}

// NewTokens returns Tokens that hold none yet.
func NewTokens() *Tokens { return &Tokens{lock: make(chan struct{}, 1)} }

// Get returns a valid token. It is safe for concurrent calls. An error names what to run where
// there is no credential or the credential is refused, and never has the server's text, which may
// hold secrets; a cancelled ctx is its cause.
func (t *Tokens) Get(ctx context.Context) (string, error) {
	select {
	case t.lock <- struct{}{}:
		defer func() { <-t.lock }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	if t.token.Valid() {
		return t.token.AccessToken, nil
	}
	found, err := google.FindDefaultCredentials(ctx, scope)
	if err != nil {
		return "", fmt.Errorf("%w; run gcloud auth application-default login, or set GOOGLE_CLOUD_API_KEY", err)
	}
	token, err := found.TokenSource.Token()
	switch refused, ok := errors.AsType[*oauth2.RetrieveError](err); {
	case err != nil && ctx.Err() != nil:
		return "", context.Cause(ctx)
	case ok: // what the server has answered may have secrets in it
		return "", fmt.Errorf("it is refused (%s); run gcloud auth application-default login", cmp.Or(refused.ErrorCode, "no reason is given"))
	case err != nil:
		return "", err
	}
	t.token = token
	return token.AccessToken, nil
}
