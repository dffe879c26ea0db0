package conformance

import (
	"strconv"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// encodeResponses speaks OpenAI Responses.
func encodeResponses(r *Reply, n int) []string {
	out := &responsesWriter{reply: r, n: strconv.Itoa(n)}
	response := ordered.Of("id", "resp"+out.n, "object", "response", "status", "in_progress", "model", "m", "output", []any{})
	out.event("type", "response.created", "response", response)
	items := []any{}
	for i, block := range r.content() {
		items = append(items, out.item(i, block))
	}
	status, u := finishReason(r, 0, "completed", ""), r.Usage.counts()
	response = response.Merge(ordered.Of("status", status, "output", items, "usage", ordered.Of(
		"input_tokens", u.prompt(), "output_tokens", u.output, "total_tokens", u.total(),
		"input_tokens_details", ordered.Of("cached_tokens", u.cacheRead),
		"output_tokens_details", ordered.Of("reasoning_tokens", 0))))
	last := "response.completed"
	if status == "incomplete" {
		last = "response.incomplete"
		response = response.With("incomplete_details", ordered.Of("reason", "max_output_tokens"))
	}
	out.event("type", last, "response", response)
	return out.events
}

type responsesWriter struct {
	reply  *Reply
	n      string
	events []string
}

func (w *responsesWriter) event(pairs ...any) {
	w.events = append(w.events, namedEvent(ordered.Of(pairs...).With("sequence_number", len(w.events))))
}

// item sends one output item and returns it as it is when it is done.
func (w *responsesWriter) item(index int, b Block) ordered.Object {
	name := func(prefix string) string { return prefix + "_" + w.n + "_" + strconv.Itoa(index) }
	var done ordered.Object
	switch {
	case b.Thinking != nil:
		done = w.reasoning(index, name("rs"), *b.Thinking, orElse(b.Signature, "enc"+w.n))
	case b.Text != nil:
		done = w.message(index, name("msg"), *b.Text)
	default:
		done = w.call(index, name("fc"), b.Tool)
	}
	w.event("type", "response.output_item.done", "output_index", index, "item", done)
	return done
}

func (w *responsesWriter) added(index int, item ordered.Object) {
	w.event("type", "response.output_item.added", "output_index", index, "item", item)
}

func (w *responsesWriter) reasoning(index int, id, thinking, encrypted string) ordered.Object {
	item := ordered.Of("id", id, "type", "reasoning", "summary", []any{})
	event := func(kind, field string, value any) {
		w.event("type", "response.reasoning_summary_"+kind, "item_id", id, "output_index", index, "summary_index", 0, field, value)
	}
	w.added(index, item)
	event("part.added", "part", ordered.Of("type", "summary_text", "text", ""))
	for _, piece := range w.reply.split(thinking) {
		event("text.delta", "delta", piece)
	}
	part := ordered.Of("type", "summary_text", "text", thinking)
	event("part.done", "part", part)
	return item.With("summary", []any{part}).With("encrypted_content", encrypted)
}

func (w *responsesWriter) message(index int, id, text string) ordered.Object {
	item := ordered.Of("id", id, "type", "message", "role", "assistant", "status", "in_progress", "content", []any{})
	event := func(kind, field string, value any) {
		w.event("type", "response."+kind, "item_id", id, "output_index", index, "content_index", 0, field, value)
	}
	w.added(index, item)
	part := ordered.Of("type", "output_text", "text", "", "annotations", []any{})
	event("content_part.added", "part", part)
	for _, piece := range w.reply.split(text) {
		event("output_text.delta", "delta", piece)
	}
	event("output_text.done", "text", text)
	part = part.With("text", text)
	event("content_part.done", "part", part)
	return item.With("status", "completed").With("content", []any{part})
}

func (w *responsesWriter) call(index int, id string, c *Call) ordered.Object {
	item := ordered.Of("id", id, "type", "function_call", "call_id", c.ID, "name", c.Name, "arguments", "", "status", "in_progress")
	event := func(kind, field string, value any) {
		w.event("type", "response.function_call_arguments."+kind, "item_id", id, "output_index", index, field, value)
	}
	w.added(index, item)
	arguments := c.arguments()
	for _, piece := range w.reply.split(arguments) {
		event("delta", "delta", piece)
	}
	event("done", "arguments", arguments)
	return item.With("arguments", arguments).With("status", "completed")
}
