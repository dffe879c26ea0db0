package conformance

import (
	"strings"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// API names a provider dialect, with the names that models.json uses.
type API string

// The dialects that the model speaks.
const (
	ChatCompletions API = "openai-completions"
	Messages        API = "anthropic-messages"
	Responses       API = "openai-responses"
	GenerateContent API = "google-generative-ai"
)

// dialect is what the model has to know about one API.
type dialect struct {
	// base is the path that the provider's base URL ends with.
	base string
	// suffix is how the path of a request ends.
	suffix string
	// encode returns the server-sent events of the answer to request n.
	encode func(r *Reply, n int) []string
}

var dialects = map[API]dialect{
	ChatCompletions: {base: "/v1", suffix: "/chat/completions", encode: encodeChatCompletions},
	Messages:        {base: "", suffix: "/messages", encode: encodeMessages},
	Responses:       {base: "/v1", suffix: "/responses", encode: encodeResponses},
	GenerateContent: {base: "/v1beta", suffix: ":streamGenerateContent", encode: encodeGenerateContent},
}

// apiOf finds the dialect of a request by its path: several can occur in one scenario.
func apiOf(path string, otherwise API) API {
	path, _, _ = strings.Cut(path, "?")
	for api, d := range dialects {
		if strings.HasSuffix(path, d.suffix) {
			return api
		}
	}
	return otherwise
}

// counts are the tokens of a reply with the defaults filled in.
type counts struct{ input, output, cacheRead, cacheWrite int }

func (u Usage) counts() counts {
	return counts{
		input:      orElse(u.Input, 10),
		output:     orElse(u.Output, 5),
		cacheRead:  orElse(u.CacheRead, 0),
		cacheWrite: orElse(u.CacheWrite, 0),
	}
}

// prompt is the size of the prompt for dialects that count what was cached as input.
func (c counts) prompt() int { return c.input + c.cacheRead }

func (c counts) total() int { return c.prompt() + c.output }

// split cuts a text into the number of pieces that the reply asks for, as even as
// possible. It counts characters, so that no piece ends within one.
func (r *Reply) split(text string) []string {
	chars := []rune(text)
	n := min(orElse(r.Chunks, 2), len(chars))
	if n <= 1 {
		return []string{text}
	}
	pieces := make([]string, n)
	for i := range pieces {
		size := (len(chars) + n - i - 1) / (n - i)
		pieces[i], chars = string(chars[:size]), chars[size:]
	}
	return pieces
}

// arguments returns the call's arguments as text.
func (c *Call) arguments() string {
	if c.RawArgs != nil {
		return *c.RawArgs
	}
	return ordered.Compact(c.args())
}

func (c *Call) args() any {
	if c.Args == nil {
		return ordered.Object{}
	}
	return c.Args
}

func dataEvent(object ordered.Object) string {
	return "data: " + ordered.Compact(object) + "\n\n"
}

func namedEvent(object ordered.Object) string {
	return "event: " + object.Text("type") + "\n" + dataEvent(object)
}
