package conformance

import (
	"strconv"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// encodeMessages speaks Anthropic Messages.
func encodeMessages(r *Reply, n int) []string {
	out, u := &messagesWriter{reply: r}, r.Usage.counts()
	out.event("type", "message_start", "message", ordered.Of(
		"id", "msg"+strconv.Itoa(n), "type", "message", "role", "assistant", "model", "m",
		"content", []any{}, "stop_reason", nil, "stop_sequence", nil,
		"usage", ordered.Of("input_tokens", u.input, "output_tokens", 1,
			"cache_read_input_tokens", u.cacheRead, "cache_creation_input_tokens", u.cacheWrite)))
	for i, block := range r.content() {
		out.block(i, block, "sig"+strconv.Itoa(n))
	}
	out.event("type", "message_delta",
		"delta", ordered.Of("stop_reason", finishReason(r, out.calls, "end_turn", "tool_use"), "stop_sequence", nil),
		"usage", ordered.Of("output_tokens", u.output))
	out.event("type", "message_stop")
	return out.events
}

type messagesWriter struct {
	reply  *Reply
	events []string
	calls  int
}

func (w *messagesWriter) event(pairs ...any) {
	w.events = append(w.events, namedEvent(ordered.Of(pairs...)))
}

func (w *messagesWriter) block(index int, b Block, signature string) {
	switch {
	case b.Thinking != nil:
		w.start(index, "type", "thinking", "thinking", "", "signature", "")
		w.deltas(index, "thinking_delta", "thinking", w.reply.split(*b.Thinking))
		w.deltas(index, "signature_delta", "signature", []string{orElse(b.Signature, signature)})
	case b.Text != nil:
		w.start(index, "type", "text", "text", "")
		w.deltas(index, "text_delta", "text", w.reply.split(*b.Text))
	case b.Tool != nil:
		w.calls++
		w.start(index, "type", "tool_use", "id", b.Tool.ID, "name", b.Tool.Name, "input", ordered.Object{})
		w.deltas(index, "input_json_delta", "partial_json", w.reply.split(b.Tool.arguments()))
	}
	w.event("type", "content_block_stop", "index", index)
}

func (w *messagesWriter) start(index int, block ...any) {
	w.event("type", "content_block_start", "index", index, "content_block", ordered.Of(block...))
}

func (w *messagesWriter) deltas(index int, kind, field string, pieces []string) {
	for _, piece := range pieces {
		w.event("type", "content_block_delta", "index", index, "delta", ordered.Of("type", kind, field, piece))
	}
}
