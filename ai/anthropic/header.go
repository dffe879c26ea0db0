package anthropic

import (
	"net/http"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/ai"
)

// Betas that a request may ask for (Pi 0.85).
const (
	betaInterleaved = "interleaved-thinking-2025-05-14"
	betaFineGrained = "fine-grained-tool-streaming-2025-05-14"
)

const betaHeader = "Anthropic-Beta"

// headers returns the wire's own headers. The model's and the options' are laid over
// them later.
func (b *builder) headers() http.Header {
	h := http.Header{"Anthropic-Version": {"2023-06-01"}}
	opts := &b.req.Options
	if opts.APIKey != "" && b.header("Authorization") == "" {
		h.Set("X-Api-Key", opts.APIKey)
	}
	if b.compat.SessionAffinity && opts.SessionID != "" {
		h.Set("X-Session-Affinity", opts.SessionID)
	}
	return h
}

// header returns a header as the options and the model set it.
func (b *builder) header(name string) string {
	for _, layer := range []map[string]string{b.req.Options.Headers, b.req.Model.Headers} {
		if value, ok := lookup(layer, name); ok {
			return value
		}
	}
	return ""
}

// lookup finds a header whatever the case of its name; a value wins over an empty one.
func lookup(layer map[string]string, name string) (value string, ok bool) {
	for key, v := range layer {
		if strings.EqualFold(key, name) {
			ok = true
			value = max(value, v)
		}
	}
	return value, ok
}

// betas returns what the request asks for in anthropic-beta: what the model and the
// options name, then what the wire needs. Options that set the header to nothing remove
// the model's.
func (b *builder) betas() string {
	var betas []string
	add := func(list string) {
		for beta := range strings.SplitSeq(list, ",") {
			if beta = strings.TrimSpace(beta); beta != "" && !slices.Contains(betas, beta) {
				betas = append(betas, beta)
			}
		}
	}
	fromOptions, set := lookup(b.req.Options.Headers, betaHeader)
	if !set || fromOptions != "" {
		fromModel, _ := lookup(b.req.Model.Headers, betaHeader)
		add(fromModel)
	}
	add(fromOptions)
	if len(b.context.Tools) > 0 && !b.compat.EagerToolInput {
		add(betaFineGrained)
	}
	if b.thinking.budget > 0 {
		add(betaInterleaved)
	}
	return strings.Join(betas, ",")
}

// withBetas returns the request with its betas in one header. They have to be the last
// layer, since headers of the model and the options replace the wire's own.
func (b *builder) withBetas() *ai.Request {
	betas := b.betas()
	if betas == "" {
		return b.req
	}
	req := *b.req
	req.Options.Headers = map[string]string{betaHeader: betas}
	for name, value := range b.req.Options.Headers {
		if !strings.EqualFold(name, betaHeader) {
			req.Options.Headers[name] = value
		}
	}
	return &req
}
