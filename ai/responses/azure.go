package responses

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/ai"
)

// APIAzure is the name of this wire in records of models that are deployed at Azure.
const APIAzure = "azure-openai-responses"

// azureVersion is the API version that is asked for (Pi 0.85).
const azureVersion = "v1"

// Azure asks models that are deployed at Azure. Fields that are empty are read from the
// environment when a request is sent, so that the zero value is ready to use.
type Azure struct {
	// Resource names the Azure resource, for models that have no BaseURL
	// (AZURE_OPENAI_RESOURCE_NAME).
	Resource string
	// BaseURL is the resource's address, which wins over Resource
	// (AZURE_OPENAI_BASE_URL).
	BaseURL string
	// Version is the API version (AZURE_OPENAI_API_VERSION); the default is v1.
	Version string
	// Deployments maps a model's id to the name that it is deployed by
	// (AZURE_OPENAI_DEPLOYMENT_NAME_MAP, as in "gpt-5.5=mine,gpt-5.4=other"). A model
	// that is not in it is deployed by its id.
	Deployments map[string]string
}

// Stream asks a model. It implements [ai.StreamFunc].
func (a Azure) Stream(ctx context.Context, req *ai.Request) *ai.Stream {
	return ai.NewStream(ctx, req.Model, func(ctx context.Context, w *ai.Writer) error {
		address, err := a.address(req)
		if err != nil {
			return err
		}
		b, err := newBuilder(req)
		if err != nil {
			return err
		}
		if b.deployment, err = a.deployment(req); err != nil {
			return err
		}
		header := b.header()
		if key := strings.TrimSpace(req.Options.APIKey); key != "" {
			header.Del("Authorization")
			header.Set("Api-Key", key)
		}
		return ask(ctx, w, b, address, header)
	})
}

// address returns where the model is asked. The model's own base URL is the most
// particular one and wins.
func (a Azure) address(req *ai.Request) (string, error) {
	m := req.Model
	base := cmp.Or(m.BaseURL, a.BaseURL, req.Options.Getenv("AZURE_OPENAI_BASE_URL"))
	if base == "" {
		resource := cmp.Or(a.Resource, req.Options.Getenv("AZURE_OPENAI_RESOURCE_NAME"))
		if resource == "" {
			return "", fmt.Errorf("model %s/%s has no address: set AZURE_OPENAI_BASE_URL or AZURE_OPENAI_RESOURCE_NAME, or baseUrl in models.json", m.Provider, m.ID)
		}
		base = "https://" + resource + ".openai.azure.com"
	}
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("the base URL of model %s/%s is no address; it looks like https://NAME.openai.azure.com/openai/v1", m.Provider, m.ID)
	}
	u.Path = azurePath(u)
	query := u.Query()
	query.Set("api-version", cmp.Or(a.Version, req.Options.Getenv("AZURE_OPENAI_API_VERSION"), query.Get("api-version"), azureVersion))
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// azureHosts are the ends of the host names that Azure gives its resources.
var azureHosts = []string{".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"}

// azurePath completes what people leave out of a resource's address.
func azurePath(u *url.URL) string {
	path := strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/responses")
	ofAzure := slices.ContainsFunc(azureHosts, func(end string) bool { return strings.HasSuffix(u.Hostname(), end) })
	if ofAzure && (path == "" || path == "/openai") {
		path = "/openai/v1"
	}
	return path + "/responses"
}

func (a Azure) deployment(req *ai.Request) (string, error) {
	model := req.Model.ID
	if name := a.Deployments[model]; name != "" {
		return name, nil
	}
	if a.Deployments != nil {
		return model, nil
	}
	for pair := range strings.SplitSeq(req.Options.Getenv("AZURE_OPENAI_DEPLOYMENT_NAME_MAP"), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		id, name, ok := strings.Cut(pair, "=")
		id, name = strings.TrimSpace(id), strings.TrimSpace(name)
		if !ok || id == "" || name == "" {
			return "", fmt.Errorf("AZURE_OPENAI_DEPLOYMENT_NAME_MAP has the entry %q; write MODEL=DEPLOYMENT, separated by commas", strings.TrimSpace(pair))
		}
		if id == model {
			return name, nil
		}
	}
	return model, nil
}
