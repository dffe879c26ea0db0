package conformance

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// textMembers hold text that a model reads.
var textMembers = set("text", "content", "output", "result", "error")

// noticeLine is a line in parentheses that could be a program's own remark.
var noticeLine = regexp.MustCompile(`^\([^()]{8,100}\)$`)

// noticeLength is the most characters that a program's own remark has.
const noticeLength = 200

func (n *normaliser) requests() []any {
	requests := []any{}
	for _, r := range n.rec.Requests {
		body := r.Body
		if object, ok := body.(ordered.Object); ok {
			body = n.requestBody(object)
		}
		request := ordered.Of("path", strings.ReplaceAll(r.Path, "?beta=true", ""), "body", body)
		if len(n.s.ShowHeaders) > 0 {
			request = request.With("headers", shownHeaders(r, n.s.ShowHeaders))
		}
		requests = append(requests, n.walk(request, ""))
	}
	return requests
}

func shownHeaders(r Request, names []string) ordered.Object {
	headers := ordered.Object{}
	for _, name := range names {
		if value, ok := r.Headers[name]; ok {
			headers = headers.With(name, value)
		}
	}
	return headers
}

func (n *normaliser) requestBody(body ordered.Object) any {
	for _, name := range []string{"system", "systemInstruction", "instructions"} {
		if v, ok := body.Find(name); ok {
			body = body.With(name, n.systemProse(v))
		}
	}
	for _, name := range []string{"messages", "input"} {
		if messages, ok := body.Get(name).([]any); ok {
			body = body.With(name, n.systemMessages(messages))
		}
	}
	if tools, ok := body.Get("tools").([]any); ok {
		body = body.With("tools", toolNames(tools, n.s.ShowTools))
	}
	body = body.Without("prompt_cache_key", "metadata")
	if n.s.KeepRequestText {
		return body
	}
	w := requestWording{normaliser: n, tools: map[string]string{}, failed: n.failedCalls()}
	w.findCalls(body)
	return w.reword(body, "")
}

// systemProse replaces the system prompt, which is the implementation's own; its place and
// the scenario's marks in it are kept.
func (n *normaliser) systemProse(v any) any {
	switch v := v.(type) {
	case string:
		return marked(v, n.s.SystemMarks, "system prompt", true)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = n.systemProse(v[i])
		}
		return out
	case ordered.Object:
		for _, name := range []string{"text", "parts"} {
			if x, ok := v.Find(name); ok {
				v = v.With(name, n.systemProse(x))
			}
		}
		return v
	}
	return v
}

func (n *normaliser) systemMessages(messages []any) []any {
	out := slices.Clone(messages)
	for i := range out {
		message, _ := out[i].(ordered.Object)
		role := message.Text("role")
		if content, ok := message.Find("content"); ok && (role == "system" || role == "developer") {
			out[i] = message.With("content", n.systemProse(content))
		}
	}
	return out
}

// toolNames lists tools by name; those named in whole stay as they were sent.
func toolNames(tools []any, whole []string) []any {
	names := []any{}
	add := func(tool ordered.Object, name any) {
		if text, ok := name.(string); ok && slices.Contains(whole, text) {
			names = append(names, tool)
			return
		}
		names = append(names, name)
	}
	for _, t := range tools {
		tool, _ := t.(ordered.Object)
		if declarations, ok := tool.Get("functionDeclarations").([]any); ok {
			for _, d := range declarations {
				declaration, _ := d.(ordered.Object)
				add(declaration, declaration.Get("name"))
			}
			continue
		}
		if function := tool.Object("function"); function != nil {
			add(tool, function.Get("name"))
			continue
		}
		add(tool, tool.Get("name"))
	}
	return names
}

// failedCalls are the ids of calls whose result was an error, also without the part that
// a provider adds.
func (n *normaliser) failedCalls() map[string]bool {
	failed := map[string]bool{}
	for _, line := range n.rec.Lines {
		if line.Text("type") == "tool_execution_end" && ordered.Truthy(line.Get("isError")) {
			id := line.Text("toolCallId")
			failed[id], failed[plainID(id)] = true, true
		}
	}
	return failed
}

func plainID(id string) string {
	id, _, _ = strings.Cut(id, "|")
	return id
}

// requestWording is prose for a request: tool results are found by the call that they
// answer.
type requestWording struct {
	*normaliser
	// tools are the names of the tools by the ids of their calls.
	tools  map[string]string
	failed map[string]bool
}

func (w *requestWording) findCalls(v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			w.findCalls(x)
		}
	case ordered.Object:
		if function := v.Object("function"); function != nil && v.Has("id") {
			w.tools[v.Text("id")] = function.Text("name")
		}
		switch v.Text("type") {
		case "tool_use":
			w.tools[v.Text("id")] = v.Text("name")
		case "function_call":
			w.tools[v.Text("call_id")] = v.Text("name")
		}
		for _, m := range v {
			w.findCalls(m.Value)
		}
	}
}

func (w *requestWording) reword(v any, member string) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = w.reword(v[i], member)
		}
		return out
	case string:
		v = w.summaryWording(v, false)
		if textMembers[member] {
			return w.ownWording(v)
		}
		return v
	case ordered.Object:
		return w.rewordObject(v)
	}
	return v
}

func (w *requestWording) rewordObject(v ordered.Object) ordered.Object {
	if id := answeredCall(v); id != "" {
		return w.result(v, w.originOf(id), "content", "output")
	}
	if response := v.Object("functionResponse"); response != nil {
		in := origin{
			tool:   cmp.Or(response.Text("name"), someTool),
			failed: w.failed[response.Text("id")] || response.Object("response").Has("error"),
		}
		return v.With("functionResponse", w.result(response, in, "response"))
	}
	if id, ok := v.Get("id").(string); ok && v.Text("type") == "message" && w.madeUp(id) {
		v = v.With("id", "<made-up id>")
	}
	out := make(ordered.Object, len(v))
	for i, m := range v {
		out[i] = ordered.Member{Name: m.Name, Value: w.reword(m.Value, m.Name)}
	}
	return out
}

// answeredCall is the id of the call whose result v is, "" if it is none.
func answeredCall(v ordered.Object) string {
	id := cmp.Or(v.Text("tool_call_id"), v.Text("tool_use_id"))
	if id == "" && v.Text("type") == "function_call_output" {
		id = v.Text("call_id")
	}
	return id
}

func (w *requestWording) originOf(id string) origin {
	plain := plainID(id)
	in := origin{
		tool:   cmp.Or(w.tools[id], w.tools[plain], someTool),
		failed: w.failed[id] || w.failed[plain],
	}
	if slices.Contains(w.s.FreeText, plain) {
		in.tool = freeTool
	}
	return in
}

// result replaces the wording in those members of v that hold a tool's result.
func (w *requestWording) result(v ordered.Object, in origin, members ...string) ordered.Object {
	for _, name := range members {
		if x, ok := v.Find(name); ok {
			v = v.With(name, w.resultText(x, in))
		}
	}
	return v
}

func (w *requestWording) resultText(v any, in origin) any {
	switch v := v.(type) {
	case string:
		return w.ownWording(w.toolWords(v, in))
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = w.resultText(v[i], in)
		}
		return out
	case ordered.Object:
		out := slices.Clone(v)
		for i, m := range out {
			if textMembers[m.Name] {
				out[i].Value = w.resultText(m.Value, in)
			}
		}
		return out
	}
	return v
}

// ownWording replaces a line that neither the scenario nor the output contains: it is the
// implementation's own, a notice.
func (w *requestWording) ownWording(x string) string {
	switch {
	case strings.Contains(x, "\n"):
		return w.ownLines(x)
	case x == "" || strings.HasPrefix(x, "<") || utf8.RuneCountInString(x) > noticeLength:
		return x
	case strings.Contains(w.script, x) || w.composed(x):
		return x
	}
	return "<notice>"
}

// ownLines does so for the lines of a text that stand in parentheses.
func (w *requestWording) ownLines(x string) string {
	if w.said[x] {
		return x
	}
	lines := strings.Split(x, "\n")
	for i, line := range lines {
		if noticeLine.MatchString(line) && !w.said[line] && !strings.Contains(w.script, line) {
			lines[i] = "<notice>"
		}
	}
	return strings.Join(lines, "\n")
}

// composed says whether texts of the output, one behind the other, make x.
func (w *requestWording) composed(x string) bool {
	reached := make([]bool, len(x)+1)
	reached[0] = true
	for i := range x {
		if !reached[i] {
			continue
		}
		for text := range w.said {
			if strings.HasPrefix(x[i:], text) {
				reached[i+len(text)] = true
			}
		}
	}
	return reached[len(x)]
}

// madeUp says whether an id comes neither from the scenario nor from the output.
func (w *requestWording) madeUp(id string) bool {
	if strings.Contains(w.script, id) {
		return false
	}
	for text := range w.said {
		if strings.Contains(text, id) {
			return false
		}
	}
	return true
}
