package rondo

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
)

// vertexScope is what Vertex AI wants tokens to be for.
const vertexScope = "https://www.googleapis.com/auth/cloud-platform"

// vertexTokens gets access tokens for Vertex AI from the credentials of the machine, as
// Google's programs do: GOOGLE_APPLICATION_CREDENTIALS, or gcloud auth application-default
// login. They are looked for when a token is needed, and it is kept.
type vertexTokens struct {
	lock  chan struct{} // held by who gets a token; a channel, so that waiting can be cancelled
	token *oauth2.Token
}

func newVertexTokens() *vertexTokens { return &vertexTokens{lock: make(chan struct{}, 1)} }

// get returns a token that is good for a while.
func (v *vertexTokens) get(ctx context.Context) (string, error) {
	select {
	case v.lock <- struct{}{}:
		defer func() { <-v.lock }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	if v.token.Valid() {
		return v.token.AccessToken, nil
	}
	found, err := google.FindDefaultCredentials(ctx, vertexScope)
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
	v.token = token
	return token.AccessToken, nil
}
