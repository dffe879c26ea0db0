// Package strict plays services that refuse what the real ones refuse, by their public
// documentation: a request that only a strict service refuses passes every lenient one, and the
// session that holds it is stuck at the first strict one it meets.
package strict

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// Service answers requests of one wire: with Stream, or with status 400 and the reasons where the
// service would refuse the request. It is an [http.RoundTripper].
type Service struct {
	// API is the wire's name in model records. One that is not known refuses nothing.
	API string
	// Stream is the body of a good answer.
	Stream string
}

// RoundTrip judges a request.
func (s *Service) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	answer, status := s.Stream, http.StatusOK
	if reasons := Refusals(s.API, body); len(reasons) > 0 {
		text, err := json.Marshal(map[string]any{"message": strings.Join(reasons, "; ")})
		if err != nil {
			return nil, err
		}
		answer, status = string(text), http.StatusBadRequest
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(answer))}, nil
}

// judges are the rules of the wires.
var judges = map[string]func(*judge, object){
	"openai-completions":      completions,
	"mistral-conversations":   mistral,
	"anthropic-messages":      messages,
	"openai-responses":        responses,
	"azure-openai-responses":  responses,
	"openai-codex-responses":  responses,
	"google-generative-ai":    google,
	"google-vertex":           google,
	"bedrock-converse-stream": bedrock,
}

// Refusals lists why the service of a wire would refuse the body of a request; none if it takes it.
func Refusals(api string, body []byte) []string {
	var request object
	if err := json.Unmarshal(body, &request); err != nil {
		return []string{"the body is no strict JSON: " + err.Error()}
	}
	j := &judge{}
	if rules := judges[api]; rules != nil {
		rules(j, request)
	}
	return j.reasons
}

// Knows reports whether there are rules for a wire.
func Knows(api string) bool { return judges[api] != nil }

// object is a JSON object; the readers of its members return what is empty for any other type.
type object map[string]any

func (o object) text(name string) string { s, _ := o[name].(string); return s }

func (o object) has(name string) bool { v, ok := o[name]; return ok && v != nil }

func (o object) object(name string) object { m, _ := o[name].(map[string]any); return m }

func (o object) list(name string) []object { return objects(o[name]) }

func objects(v any) []object {
	elements, _ := v.([]any)
	out := make([]object, 0, len(elements))
	for _, e := range elements {
		m, _ := e.(map[string]any)
		out = append(out, m)
	}
	return out
}

// judge collects reasons.
type judge struct{ reasons []string }

// want adds a reason unless ok.
func (j *judge) want(ok bool, format string, args ...any) {
	if !ok {
		j.reasons = append(j.reasons, fmt.Sprintf(format, args...))
	}
}

// fields refuses members that an object of this kind does not have.
func (j *judge) fields(o object, at string, names ...string) {
	for name := range o {
		j.want(slices.Contains(names, name), "%s: %s: extra inputs are not permitted", at, name)
	}
}

// said refuses a text that is blank.
func (j *judge) said(text, at string) {
	j.want(strings.TrimSpace(text) != "", "%s: text must not be blank", at)
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// named refuses a name of a tool that is missing, too long or outside of the alphabet.
func (j *judge) named(name, at string, limit int) {
	j.want(plainName.MatchString(name) && len(name) <= limit, "%s: the name %q", at, name)
}

// image refuses an image whose type or data the service does not read.
func (j *judge) image(mime, data, at string) {
	j.want(slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, mime), "%s: images of type %q", at, mime)
	_, err := base64.StdEncoding.DecodeString(data)
	j.want(err == nil && data != "", "%s: the image is no base64", at)
}

// dataURL is image for a data URL.
func (j *judge) dataURL(address, at string) {
	mime, data, ok := strings.Cut(strings.TrimPrefix(address, "data:"), ";base64,")
	j.want(ok, "%s: no data URL", at)
	j.image(mime, data, at)
}

// pairs checks that calls and results belong together.
type pairs struct {
	*judge
	open []string // calls that wait for their result
	seen map[string]bool
}

// call takes a call, whose id must be new.
func (p *pairs) call(id, at string) {
	if p.seen == nil {
		p.seen = make(map[string]bool)
	}
	p.want(id != "", "%s: a call without id", at)
	p.want(!p.seen[id], "%s: the id %q is used twice", at, id)
	p.seen[id] = true
	p.open = append(p.open, id)
}

// result takes a result, whose call must wait for it.
func (p *pairs) result(id, at string) {
	i := slices.Index(p.open, id)
	p.want(i >= 0, "%s: a result of %q, which is no call before it", at, id)
	if i >= 0 {
		p.open = slices.Delete(p.open, i, i+1)
	}
}

// closed is called where no call may wait any more.
func (p *pairs) closed(at string) {
	p.want(len(p.open) == 0, "%s: the calls %q have no results", at, p.open)
	p.open = nil
}
