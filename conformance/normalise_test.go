package conformance

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// recorded makes a recording of a scenario and of lines of output, all in JSON.
func recorded(t *testing.T, scenario string, lines ...string) *Recording {
	t.Helper()
	s, err := ParseScenario("group/name", []byte(scenario))
	if err != nil {
		t.Fatal(err)
	}
	return &Recording{
		scenario: s,
		Lines:    objects(t, lines),
		paths:    []place{{"/tmp/lab-1/work", "<cwd>"}, {"/tmp/lab-1/home", "<home>"}},
		top:      "/tmp/lab-1",
		port:     4711,
	}
}

func objects(t *testing.T, lines []string) []ordered.Object {
	t.Helper()
	var out []ordered.Object
	for _, line := range lines {
		value, err := ordered.Parse([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out = append(out, value.(ordered.Object))
	}
	return out
}

// written writes the elements of a facet, one a line.
func written(facet any) string {
	var b strings.Builder
	for _, x := range facet.([]any) {
		b.WriteString(ordered.Spaced(x) + "\n")
	}
	return b.String()
}

func TestNormalise_Output(t *testing.T) {
	const uuid = "01234567-89ab-cdef-0123-456789abcdef"
	long := strings.Repeat("é", 3001)
	for _, c := range []struct{ name, scenario, line, want string }{
		{
			"ids", `{}`, `{"id": "0123abcd", "parentId": "ffffffff", "fromId": "0123abcd", "name": "0123abcd"}`,
			`{"id": "#1", "parentId": "#2", "fromId": "#1", "name": "0123abcd"}`,
		},
		{"ids in lists", `{}`, `{"id": ["0123abcd", 1]}`, `{"id": ["#1", 1]}`},
		{"uuids", `{}`, `{"text": "x ` + uuid + ` y", "sessionId": "` + uuid + `"}`, `{"text": "x #1 y", "sessionId": "#1"}`},
		{
			"times", `{}`, `{"timestamp": 1, "durationMs": 2, "at": "2026-01-02T03:04:05.678Z", "file": "2026-01-02T03-04-05-678Z_x"}`,
			`{"at": "<time>", "file": "<time>_x"}`,
		},
		{
			"paths", `{}`, `{"a": "/tmp/lab-1/work/x /tmp/lab-1/home /tmp/lab-1/y localhost:4711", "b": "--tmp-lab-1-work--", "c": "/tmp/pi-bash-12ab.log."}`,
			`{"a": "<cwd>/x <home> <top>/y localhost:<port>", "b": "<cwd-slug>", "c": "<tmpfile>"}`,
		},
		{"numbers", `{}`, `{"a": 1.0, "b": 0.30000000000000004, "c": 1e-05}`, `{"a": 1, "b": 0.3, "c": 1e-05}`},
		{
			"long text", `{}`, `{"x": "` + long + `"}`,
			`{"x": "` + long[:120] + ` ...<3001 characters, sha1 fc03f66d57c7c48f35e30a3fead84f9fe8f8262c>... ` + long[:120] + `"}`,
		},
		{"3000 characters are not long", `{}`, `{"x": "` + long[2:] + `"}`, `{"x": "` + long[2:] + `"}`},
		{
			"generated call ids", `{"generated_call_ids": true, "args": ["mine"]}`, `{"toolCallId": "abc", "id": "mine", "call_id": "abc"}`,
			`{"toolCallId": "<call 1>", "id": "mine", "call_id": "<call 1>"}`,
		},

		{
			"half-built message", `{}`, `{"type": "message_start", "message": {"content": [], "role": "assistant", "model": "m", "usage": {}}}`,
			`{"type": "message_start", "message": {"role": "assistant", "model": "m"}}`,
		},
		{
			"a user's message is whole", `{}`, `{"type": "message_start", "message": {"role": "user", "content": "x"}}`,
			`{"type": "message_start", "message": {"role": "user", "content": "x"}}`,
		},
		{
			"running usage", `{}`, `{"type": "message_update", "usage": 1, "message": {}, "assistantMessageEvent": {"partial": {}, "delta": "x"}}`,
			`{"type": "message_update", "assistantMessageEvent": {"delta": "x"}}`,
		},
		{"requests of an extension", `{}`, `{"type": "extension_ui_request", "id": "x", "method": "m"}`, `{"type": "extension_ui_request", "method": "m"}`},
		{"ignored", `{"ignore_events": ["noise"]}`, `{"type": "noise"}`, ``},

		{
			"result", `{}`, `{"toolName": "bash", "isError": false, "result": {"content": [{"text": "out\n\n[more below]\n"}], "details": {"x": 1}}}`,
			`{"toolName": "bash", "isError": false, "result": {"content": [{"text": "out\n\n<notice>"}]}}`,
		},
		{
			"details on request", `{"keep_details": true}`, `{"toolName": "bash", "isError": false, "details": {"x": 1}}`,
			`{"toolName": "bash", "isError": false, "details": {"x": 1}}`,
		},
		{"confirmation", `{}`, `{"toolName": "write", "isError": false, "text": "Wrote it."}`, `{"toolName": "write", "isError": false, "text": "<done>"}`},
		{
			"free text", `{"free_text": ["c1"]}`, `{"toolName": "bash", "toolCallId": "c1", "isError": false, "text": "nothing"}`,
			`{"toolName": "bash", "toolCallId": "c1", "isError": false, "text": "<free text>"}`,
		},
		{
			"sorted lines", `{"sort_lines": true}`, `{"toolName": "find", "isError": false, "text": "b\na\n\n[x]"}`,
			`{"toolName": "find", "isError": false, "text": "a\nb\n\n<notice>"}`,
		},
		{"error", `{}`, `{"toolName": "bash", "isError": true, "text": "out\n\nfailed"}`, `{"toolName": "bash", "isError": true, "text": "<error text>"}`},
		{
			"error with output", `{"error_output": true}`, `{"toolName": "bash", "isError": true, "text": "a\n\nb\n\nfailed"}`,
			`{"toolName": "bash", "isError": true, "text": "a\n\nb\n\n<error text>"}`,
		},
		{
			"error as it is", `{"keep_error_text": true}`, `{"toolName": "write", "isError": true, "text": "failed"}`,
			`{"toolName": "write", "isError": true, "text": "failed"}`,
		},

		{"error message", `{}`, `{"errorMessage": "boom", "finalError": null}`, `{"errorMessage": "<error>", "finalError": null}`},
		{"marks in it", `{"error_marks": ["529", "busy", "x"]}`, `{"finalError": "busy, 529"}`, `{"finalError": "<error: busy 529>"}`},
		{"error of an extension", `{"extensions": {"a.ts": "throw 'mine'"}}`, `{"type": "extension_error", "error": "mine"}`, `{"type": "extension_error", "error": "mine"}`},
		{"error around it", `{}`, `{"type": "extension_error", "error": "mine"}`, `{"type": "extension_error", "error": "<error>"}`},
		{"redacted thinking", `{}`, `{"thinking": "[hidden]", "redacted": true}`, `{"thinking": "<notice>", "redacted": true}`},
		{"thinking in brackets", `{}`, `{"thinking": "[hidden]"}`, `{"thinking": "[hidden]"}`},

		{"summary", `{"replies": [{"text": "the sum"}]}`, `{"summary": "Here it is: the sum"}`, `{"summary": "<preamble> the sum"}`},
		{
			"summary of a turn", `{"replies": [{"text": "the sum"}, {"text": "the turn"}]}`, `{"summary": "the sum\n\n---\n\n**The turn:**\n\nthe turn"}`,
			`{"summary": "the sum | the turn"}`,
		},
		{
			"marked summary", `{"replies": [{"text": "the sum"}]}`, `{"text": "Said before:\n<summary>\nIt is the sum\n</summary> bye"}`,
			`{"text": "<summary: <preamble> the sum>"}`,
		},
		{"request for a summary", `{"summary_marks": ["b", "a", "zz"]}`, `{"text": "do <conversation> a then b"}`, `{"text": "<summarization request: a b>"}`},
		{"command of the user", `{}`, `{"text": "Ran ` + "`ls`\\n```\\nx\\n```\\n\\nCommand said no\\n" + `"}`, `{"text": "Ran ` + "`ls`\\n```\\nx\\n```\\n\\n<notice>\\n" + `"}`},
		{"skill", `{}`, `{"text": "<skill name=\"a\" location=\"b\">\nPaths are relative.\n\nbody"}`, `{"text": "<skill name=\"a\" location=\"b\"> <note>\nbody"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := strings.TrimSpace(written(Normalise(recorded(t, c.scenario, c.line))["events"]))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestNormalise_Responses(t *testing.T) {
	got := written(Normalise(recorded(t, `{}`,
		`{"type": "response", "success": false, "error": "because"}`,
		`{"type": "response", "command": "get_commands", "success": true, "data": {"commands": [
			{"name": "own", "sourceInfo": {"path": "<builtin>"}}, {"name": "mine", "sourceInfo": {"path": "/x"}}, {"name": "bare"}]}}`,
	))["responses"])
	want := `{"type": "response", "success": false, "error": "<error>"}
{"type": "response", "command": "get_commands", "success": true, "data": {"commands": [{"name": "mine", "sourceInfo": {"path": "/x"}}, {"name": "bare"}]}}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestNormalise_Requests(t *testing.T) {
	output := []string{
		`{"type": "tool_execution_end", "toolCallId": "c2|x", "isError": true}`,
		`{"said": "hello "}`, `{"said": "world"}`,
	}
	for _, c := range []struct{ name, scenario, body, want string }{
		{
			"system prompts", `{"system_marks": ["MINE"]}`,
			`{"system": [{"type": "text", "text": "be good MINE"}], "systemInstruction": {"parts": [{"text": " MINE "}]}, "instructions": "x"}`,
			`{"system": [{"type": "text", "text": "<system prompt: MINE>"}], "systemInstruction": {"parts": [{"text": "<system prompt only: MINE>"}]}, "instructions": "<system prompt>"}`,
		},
		{
			"system messages", `{"args": ["hi"]}`, `{"input": [{"role": "developer", "content": "x"}, {"role": "user", "content": "hi"}]}`,
			`{"input": [{"role": "developer", "content": "<system prompt>"}, {"role": "user", "content": "hi"}]}`,
		},
		{
			"tools", `{"show_tools": ["b"]}`,
			`{"tools": [{"type": "function", "function": {"name": "a", "x": 1}}, {"name": "b", "x": 2}, {"functionDeclarations": [{"name": "c"}, {"name": "b"}]}]}`,
			`{"tools": ["a", {"name": "b", "x": 2}, "c", {"name": "b"}]}`,
		},
		{"caches", `{}`, `{"prompt_cache_key": "x", "metadata": {}, "model": "m"}`, `{"model": "m"}`},
		{
			"what was said", `{"args": ["from the scenario"]}`, `{"messages": [{"content": "from the scenario"}, {"content": "hello world"}, {"content": "hello"}, {"content": "hello there"}]}`,
			`{"messages": [{"content": "from the scenario"}, {"content": "hello world"}, {"content": "<notice>"}, {"content": "<notice>"}]}`,
		},
		{"remarks in lines", `{}`, `{"content": "first\n(this is a remark)\n(short)"}`, `{"content": "first\n<notice>\n(short)"}`},
		{
			"results", `{"free_text": ["c3"]}`,
			`{"messages": [{"tool_calls": [{"id": "c1", "function": {"name": "bash"}}, {"id": "c2|y", "function": {"name": "bash"}}, {"id": "c4", "function": {"name": "edit"}}]},
			 {"tool_call_id": "c1", "content": "many\nlines\n\n[notice]"}, {"tool_use_id": "c2|y", "content": [{"text": "a"}]},
			 {"tool_call_id": "c3", "content": "x"}, {"type": "function_call_output", "call_id": "c4", "output": "x"}]}`,
			`{"messages": [{"tool_calls": [{"id": "c1", "function": {"name": "bash"}}, {"id": "c2|y", "function": {"name": "bash"}}, {"id": "c4", "function": {"name": "edit"}}]}, ` +
				`{"tool_call_id": "c1", "content": "many\nlines\n\n<notice>"}, {"tool_use_id": "c2|y", "content": [{"text": "<error text>"}]}, ` +
				`{"tool_call_id": "c3", "content": "<free text>"}, {"type": "function_call_output", "call_id": "c4", "output": "<done>"}]}`,
		},
		{
			"function responses", `{}`, `{"parts": [{"functionResponse": {"name": "write", "response": {"output": "x"}}}, {"functionResponse": {"name": "bash", "response": {"error": "x"}}}]}`,
			`{"parts": [{"functionResponse": {"name": "write", "response": {"output": "<done>"}}}, {"functionResponse": {"name": "bash", "response": {"error": "<error text>"}}}]}`,
		},
		{
			"made-up ids", `{"args": ["msg_7"]}`, `{"input": [{"type": "message", "id": "msg_0"}, {"type": "message", "id": "msg_7"}, {"type": "message", "id": "world"}]}`,
			`{"input": [{"type": "message", "id": "<made-up id>"}, {"type": "message", "id": "msg_7"}, {"type": "message", "id": "world"}]}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := recorded(t, c.scenario, output...)
			rec.Requests = []Request{{Path: "/v1/messages?beta=true", Body: objects(t, []string{c.body})[0]}}
			want := `{"path": "/v1/messages", "body": ` + c.want + "}\n"
			if diff := cmp.Diff(want, written(Normalise(rec)["requests"])); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestNormalise_SessionsNameTheIDsFirst(t *testing.T) {
	rec := recorded(t, `{}`, `{"id": "bbbbbbbb"}`, `{"id": "aaaaaaaa"}`)
	rec.Sessions = [][]ordered.Object{objects(t, []string{`{"id": "aaaaaaaa"}`})}
	if got, want := written(Normalise(rec)["events"]), "{\"id\": \"#2\"}\n{\"id\": \"#1\"}\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNormalise_HeadersThatAreShown(t *testing.T) {
	rec := recorded(t, `{"show_headers": ["x-a", "x-c"]}`)
	rec.Requests = []Request{{Path: "/", Headers: map[string]string{"x-a": "1", "x-b": "2"}, Body: ordered.Object{}}}
	if got, want := written(Normalise(rec)["requests"]), `{"path": "/", "body": {}, "headers": {"x-a": "1"}}`+"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNormalise_FacetsAreThoseOfTheScenario(t *testing.T) {
	for scenario, want := range map[string]string{
		`{}`:                                    "events exit files requests responses sessions",
		`{"compare": ["exit", "closed_early"]}`: "closed_early exit",
	} {
		facets := slices.Sorted(maps.Keys(Normalise(recorded(t, scenario))))
		if got := strings.Join(facets, " "); got != want {
			t.Errorf("%s: got %s, want %s", scenario, got, want)
		}
	}
	rec := recorded(t, `{"compare": ["exit"]}`, `{"unparsed": "x"}`)
	rec.Problem = "stuck in /tmp/lab-1/work"
	trace := Normalise(rec)
	if got := written(trace["other"]); got != `{"unparsed": "x"}`+"\n" || trace["problem"] != "stuck in <cwd>" {
		t.Errorf("other %s, problem %v: both count always", got, trace["problem"])
	}
}

func TestValidText_OneMarkForEachBrokenCharacter(t *testing.T) {
	for in, want := range map[string]string{
		"plain é":              "plain é",
		"\xff\xfe":             "��",
		"a\xf0\x9fb":           "a�b",
		"\xf0\x9f":             "�",
		"\xe2\x82":             "�",
		"\xe2\x28\xa1":         "�(�",
		"\xed\xa0\x80":         "���",
		"\xc0\xaf\xc3\xa9":     "��é",
		"\xf0\x9f\x98\xf0\x9f": "��",
	} {
		if got := validText([]byte(in)); got != want {
			t.Errorf("%s: got %q, want %q", strconv.QuoteToASCII(in), got, want)
		}
	}
}
