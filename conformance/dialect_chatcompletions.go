package conformance

import (
	"strconv"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// encodeChatCompletions speaks OpenAI Chat Completions.
func encodeChatCompletions(r *Reply, n int) []string {
	out := &chatWriter{base: ordered.Of("id", "resp"+strconv.Itoa(n), "object", "chat.completion.chunk", "created", 1, "model", "m")}
	for _, block := range r.content() {
		switch {
		case block.Thinking != nil:
			for _, piece := range r.split(*block.Thinking) {
				out.delta(ordered.Of("reasoning_content", piece), nil)
			}
		case block.Text != nil:
			for _, piece := range r.split(*block.Text) {
				out.delta(ordered.Of("role", "assistant", "content", piece), nil)
			}
		case block.Tool != nil:
			out.call(block.Tool, r.split(block.Tool.arguments()))
		}
	}
	out.delta(ordered.Object{}, finishReason(r, out.calls, "stop", "tool_calls"))
	u := r.Usage.counts()
	out.chunk(
		"choices", []any{},
		"usage", ordered.Of(
			"prompt_tokens", u.prompt(),
			"completion_tokens", u.output,
			"total_tokens", u.total(),
			"prompt_tokens_details", ordered.Of("cached_tokens", u.cacheRead)))
	return append(out.events, "data: [DONE]\n\n")
}

// finishReason is the reply's own stop reason, or what fits to the calls in it.
func finishReason(r *Reply, calls int, plain, withCalls string) string {
	switch {
	case r.Finish != "":
		return r.Finish
	case calls > 0:
		return withCalls
	}
	return plain
}

type chatWriter struct {
	base   ordered.Object
	events []string
	calls  int
}

func (w *chatWriter) chunk(pairs ...any) {
	w.events = append(w.events, dataEvent(w.base.Merge(ordered.Of(pairs...))))
}

func (w *chatWriter) delta(delta ordered.Object, finish any) {
	w.chunk("choices", []any{ordered.Of("index", 0, "delta", delta, "finish_reason", finish)})
}

func (w *chatWriter) call(c *Call, arguments []string) {
	w.toolDelta(ordered.Of("index", w.calls, "id", c.ID, "type", "function",
		"function", ordered.Of("name", c.Name, "arguments", arguments[0])))
	for _, piece := range arguments[1:] {
		w.toolDelta(ordered.Of("index", w.calls, "function", ordered.Of("arguments", piece)))
	}
	w.calls++
}

func (w *chatWriter) toolDelta(call ordered.Object) {
	w.delta(ordered.Of("tool_calls", []any{call}), nil)
}
