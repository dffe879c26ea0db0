package responses

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// errLostArguments ends an answer with a call whose arguments may be incomplete.
var errLostArguments = errors.New("the answer ended with a call whose arguments did not arrive as a whole; nothing of it is run")

// end takes the terminal event. how is its type without the prefix.
func (r *reader) end(how string, resp *response) error {
	r.w.SetResponse(string(resp.ID), string(resp.Model))
	if resp.Usage != nil {
		r.count(resp)
	}
	status := string(resp.Status)
	switch status {
	case "", "in_progress", "queued":
		status = strings.Replace(how, "done", "completed", 1)
	}
	raw := status
	if reason := resp.Incomplete.Reason; status == "incomplete" && reason != "" {
		raw += "." + string(reason)
	}
	r.w.SetRawStopReason(raw)
	if err := r.closeItems(resp); err != nil {
		return err
	}
	switch {
	case status == "completed" && r.w.HasToolCalls():
		r.w.Done(ai.StopToolUse)
	case status == "completed":
		r.w.Done(ai.StopEnd)
	case raw == "incomplete.max_output_tokens": // wins over calls, which may have been cut
		r.w.Done(ai.StopLength)
	default:
		return r.failed(status, resp)
	}
	return nil
}

// closeItems ends what the server has left open.
func (r *reader) closeItems(resp *response) error {
	for len(r.held) > 0 { // what they wait for does not come any more
		h, _ := r.held.take(func(wire.Index) bool { return true })
		r.finish(r.begin(newItem(h.index, &h.item)), &h.item)
	}
	if len(r.items.list) == 0 {
		if err := r.takeOutput(resp.Output); err != nil {
			return err
		}
	}
	r.seal(resp.Output)
	for _, it := range r.items.list {
		switch {
		case it.done:
		case it.kind == call && r.stray && !it.whole:
			return errLostArguments
		case it.kind == message:
			r.sign(it, &outputItem{})
		}
	}
	return nil
}

// seal adds encrypted content that only the final event has to the reasoning that came without it: the
// service takes the item back only so.
func (r *reader) seal(raw jsontext.Value) {
	var output []outputItem
	if !slices.ContainsFunc(r.items.list, func(it *item) bool { return it.unsealed != nil }) ||
		raw.Kind() != '[' || json.Unmarshal(raw, &output, wire.Lax) != nil {
		return
	}
	for i := range output {
		it := r.items.byID[string(output[i].ID)]
		if it == nil || it == several || it.unsealed == nil || output[i].Type != "reasoning" || !present(output[i].Encrypted) {
			continue
		}
		sealed, err := wire.Override(it.unsealed, map[string]jsontext.Value{"encrypted_content": output[i].Encrypted})
		if err == nil {
			r.w.SetSignature(it.block, string(sealed))
		}
	}
}

// present reports whether a member has a text.
func present(v jsontext.Value) bool { return v.Kind() == '"' && len(v) > len(`""`) }

// takeOutput takes the items of an answer that was not streamed.
func (r *reader) takeOutput(raw jsontext.Value) error {
	var output []outputItem
	if raw.Kind() == '[' && json.Unmarshal(raw, &output, wire.Lax) != nil {
		return nil
	}
	for i := range output {
		if err := r.itemDone(wire.Index{N: i, Given: true}, &output[i]); err != nil {
			return err
		}
	}
	return nil
}

// failed describes an answer that ended in another way than by being complete.
func (r *reader) failed(status string, resp *response) error {
	if resp.Error.Kind() == '{' || resp.Error.Kind() == '"' {
		return failure(resp.Error)
	}
	if reason := resp.Incomplete.Reason; status == "incomplete" {
		return &ai.StatusError{Code: string(reason), Message: fmt.Sprintf("the answer is incomplete: %s", orUnknown(reason))}
	}
	return &ai.StatusError{Code: status, Message: fmt.Sprintf("the service ended the answer with the status %q", status)}
}

func orUnknown(reason text) text {
	if reason == "" {
		return "the service does not say why"
	}
	return reason
}

// codeStatus is the HTTP status that an error code stands for. Inside a stream the
// response's own status, 200, says nothing.
var codeStatus = map[string]int{
	"server_error":         http.StatusInternalServerError,
	"internal_error":       http.StatusInternalServerError,
	"rate_limit_exceeded":  http.StatusTooManyRequests,
	"invalid_prompt":       http.StatusBadRequest,
	"vector_store_timeout": http.StatusGatewayTimeout,
}

// failure reads an error that stands inside a stream. Its text names the code, which
// often says more than the message.
func failure(raw []byte) error {
	e := ai.NewStatusError(0, nil, raw)
	if e.Code == "error" || e.Code == strconv.Itoa(e.Status) { // the event's type for want of a code, and what the status says already
		e.Code = ""
	}
	if e.Status == 0 && codeStatus[e.Code] != 0 {
		e.Status = codeStatus[e.Code]
	}
	switch {
	case e.Message == "":
		e.Message = e.Code
	case e.Code != "" && !strings.Contains(e.Message, e.Code):
		e.Message = e.Code + ": " + e.Message
	}
	return e
}
