package google

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/rondo-agent/rondo/ai"
)

// APIVertex is the name of this wire in records of models that Vertex AI serves.
const APIVertex = "google-vertex"

// Vertex asks models that Vertex AI serves: with the API key of the request, or with an
// access token for a project. Fields that are empty are read from the environment when a
// request is sent, so that the zero value is ready to use.
type Vertex struct {
	// Project is the id of the Google Cloud project (GOOGLE_CLOUD_PROJECT,
	// GCLOUD_PROJECT). Requests with a key belong to the project of the key.
	Project string
	// Location is where the project's models are served (GOOGLE_CLOUD_LOCATION); the
	// default is global.
	Location string
	// Token returns an OAuth access token, which it keeps and renews, for requests
	// without a key. It may wait; ctx is the request's.
	Token func(ctx context.Context) (string, error)
}

const vertexHost = "aiplatform.googleapis.com"

// Stream asks a model. It implements [ai.StreamFunc].
func (v Vertex) Stream(ctx context.Context, req *ai.Request) *ai.Stream {
	return ai.NewStream(ctx, req.Model, func(ctx context.Context, w *ai.Writer) error {
		header, err := v.header(ctx, req)
		if err != nil {
			return err
		}
		base, err := v.base(req)
		if err != nil {
			return err
		}
		path := req.Model.ID
		if !strings.Contains(path, "/") { // as in publishers/meta/models/llama
			path = "publishers/google/models/" + path
		}
		return ask(ctx, w, req, address(base, path), header)
	})
}

// header returns the header with the credential.
func (v Vertex) header(ctx context.Context, req *ai.Request) (http.Header, error) {
	h := keyOf(req)
	switch {
	case len(h) > 0:
	case v.Token != nil:
		token, err := v.Token(ctx)
		if err != nil {
			return nil, fmt.Errorf("get an access token for Vertex AI: %w", err)
		}
		h.Set("Authorization", "Bearer "+token)
	case !authorized(req):
		return nil, errors.New("there is no credential for Vertex AI; set GOOGLE_CLOUD_API_KEY, or an Authorization header in models.json")
	}
	return h, nil
}

// authorized reports whether the model or the options bring a credential of their own.
func authorized(req *ai.Request) bool {
	for _, layer := range []map[string]string{req.Model.Headers, req.Options.Headers} {
		for name, value := range layer {
			if value != "" && (strings.EqualFold(name, "Authorization") || strings.EqualFold(name, keyHeader)) {
				return true
			}
		}
	}
	return false
}

// base returns the address that a model's path is added to. A base URL with a place for
// the location in it, as catalogues have it, says nothing.
func (v Vertex) base(req *ai.Request) (string, error) {
	if own := req.Model.BaseURL; own != "" && !strings.Contains(own, "{location}") {
		return own, nil
	}
	if strings.TrimSpace(req.Options.APIKey) != "" {
		return "https://" + vertexHost + "/v1", nil
	}
	project := cmp.Or(v.Project, req.Options.Getenv("GOOGLE_CLOUD_PROJECT"), req.Options.Getenv("GCLOUD_PROJECT"))
	if project == "" {
		return "", errors.New("Vertex AI needs a project; set GOOGLE_CLOUD_PROJECT")
	}
	location := cmp.Or(v.Location, req.Options.Getenv("GOOGLE_CLOUD_LOCATION"), "global")
	host := vertexHost
	if location != "global" {
		host = location + "-" + vertexHost
	}
	return fmt.Sprintf("https://%s/v1/projects/%s/locations/%s", host, project, location), nil
}
