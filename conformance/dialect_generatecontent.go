package conformance

import (
	"strconv"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// encodeGenerateContent speaks Google's streamGenerateContent. A call is one part: this
// dialect does not cut arguments.
func encodeGenerateContent(r *Reply, n int) []string {
	id := "resp" + strconv.Itoa(n)
	var events []string
	part := func(part ordered.Object) {
		candidate := ordered.Of("content", ordered.Of("role", "model", "parts", []any{part}), "index", 0)
		events = append(events, dataEvent(ordered.Of("candidates", []any{candidate}, "modelVersion", "m", "responseId", id)))
	}
	for _, block := range r.content() {
		switch {
		case block.Thinking != nil:
			for _, piece := range r.split(*block.Thinking) {
				part(ordered.Of("text", piece, "thought", true))
			}
		case block.Text != nil:
			for _, piece := range r.split(*block.Text) {
				part(ordered.Of("text", piece))
			}
		case block.Tool != nil:
			c := block.Tool
			part(ordered.Of("functionCall", ordered.Of("id", c.ID, "name", c.Name, "args", c.args())))
		}
	}
	u := r.Usage.counts()
	candidate := ordered.Of("content", ordered.Of("role", "model"), "index", 0, "finishReason", finishReason(r, 0, "STOP", ""))
	return append(events, dataEvent(ordered.Of(
		"candidates", []any{candidate}, "modelVersion", "m", "responseId", id,
		"usageMetadata", ordered.Of(
			"promptTokenCount", u.prompt(),
			"candidatesTokenCount", u.output,
			"cachedContentTokenCount", u.cacheRead,
			"totalTokenCount", u.total()))))
}
