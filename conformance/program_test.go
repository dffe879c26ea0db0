package conformance_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/conformance"
	"github.com/rondo-agent/rondo/conformance/ordered"
)

// play runs the stub through a scenario in JSON.
func play(t *testing.T, mode, scenario string) *conformance.Recording {
	t.Helper()
	return playFor(t, 0, mode, scenario)
}

func playFor(t *testing.T, stepTimeout time.Duration, mode, scenario string) *conformance.Recording {
	t.Helper()
	scenario = strings.Replace(scenario, "{", `{"env": {"`+envStub+`": "`+mode+`"},`, 1)
	s, err := conformance.ParseScenario("group/name", []byte(scenario))
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &conformance.Program{Command: []string{self}, StepTimeout: stepTimeout}
	recording, err := p.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return recording
}

// traceOf writes facets of a trace as the goldens do, so that a test can state them as
// text.
func traceOf(r *conformance.Recording, facets ...string) string {
	trace, members := conformance.Normalise(r), ordered.Object{}
	for _, facet := range facets {
		members = members.With(facet, trace[facet])
	}
	return ordered.Spaced(members)
}

func TestRun_RecordsWhatBothSidesSee(t *testing.T) {
	r := play(t, "ask", `{
		"replies": [{"sse": ["data: 1\n\n", {"b": 2}, {"bytes64": "/w=="}], "headers": {"x": "y"}}],
		"steps": [{"send": {"model": "<port>", "messages": [{"role": "system", "content": "own"}]}}, {"wait": {"type": "answer"}}],
		"files": {"out.txt": "before"},
		"show_files": ["out.txt"]}`)
	got := traceOf(r, "events", "responses", "requests", "sessions", "files", "exit")
	port := r.Requests[0].Body.(ordered.Object).Text("model")
	want := `{"events": [{"type": "answer", "id": "#1", "status": 200, "body": "data: 1\n\ndata: {\"b\":2}\n\n�", "broken": false}], ` +
		`"responses": [], ` +
		`"requests": [{"path": "/v1/chat/completions", "body": {"model": "` + port + `", "messages": [{"role": "system", "content": "<system prompt>"}]}}], ` +
		`"sessions": [[{"parentId": "#1"}, {"unparsed": "broken"}]], "files": {"out.txt": "left behind"}, "exit": 3}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if r.Stderr != "end of input" || r.Problem != "" {
		t.Errorf("standard error %q, problem %q", r.Stderr, r.Problem)
	}
}

func TestRun_TheModelCutsHoldsAndRefuses(t *testing.T) {
	r := play(t, "ask", `{
		"replies": [
			{"sse": ["a", "b"], "cut_at": 1},
			{"sse": ["a", "b"], "cut_at": 1, "chunked": true},
			{"sse": ["a", "b"], "chunked": true},
			{"status": 429, "body": {"no": 1}},
			{"status": 400, "body": "plain"},
			{"sse": ["a", "b"], "hold": "first", "gate_at": 1, "gate": "second"}],
		"steps": [
			{"raw": "1\n2\n3\n4\n5\n"}, {"send": {"held": true}},
			{"wait_requests": 6}, {"release": "second"}, {"release": "first"}, {"release": "first"},
			{"send": {"more": true}}, {"wait": {"status": 500}}]}`)
	type answer struct {
		Status int    `json:"status"`
		Body   string `json:"body"`
		Broken bool   `json:"broken"`
	}
	var got []answer
	for _, line := range r.Lines {
		var a answer
		if err := ordered.Decode(line.Only("status", "body", "broken"), &a); err != nil {
			t.Fatal(err)
		}
		got = append(got, a)
	}
	want := []answer{
		{200, "a", false},
		{200, "a", true},
		{200, "ab", false},
		{429, `{"no":1}`, false},
		{400, "plain", false},
		{200, "ab", false},
		{500, `{"error":{"message":"lab: no reply scripted for request 6"}}`, false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRun_StepsUseKeptLines(t *testing.T) {
	r := play(t, "ask", `{
		"replies": [{"sse": ["x"]}, {"sse": ["y"]}],
		"steps": [
			{"send": {"n": 1}}, {"wait": {"body": "~^x$"}, "as": "first"},
			{"send": {"id": "", "n": 2}, "reply_to": "first", "with": {"copied": ["first", "status"], "plain": [1]}, "eol": "\r\n"},
			{"wait": {"body": "y"}},
			{"touch": "<cwd>/made"}, {"wait_file": "<cwd>/made"}, {"sleep_ms": 1}]}`)
	got, want := ordered.Compact(r.Requests[1].Body), `{"id":"0123abcd","n":2,"copied":200,"plain":[1]}`
	if got != want || r.Problem != "" {
		t.Errorf("got %s (problem %q), want %s", got, r.Problem, want)
	}
}

func TestRun_StartsTheProgramAsTheScenarioSays(t *testing.T) {
	r := play(t, "environment", `{"mode": "json", "select": "m2", "args": ["go", "<home>"], "stdin": "typed",
		"files": {"sub/x": ""}, "subdir": "sub", "extensions": {"b.ts": "", "a.ts": ""}}`)
	got := traceOf(r, "events", "other", "exit")
	want := `{"events": [{"type": "started", "args": ["--mode", "json", "--provider", "lab", "--model", "m2", ` +
		`"-e", "<ext>/a.ts", "-e", "<ext>/b.ts", "go", "<home>"], "cwd": "<cwd>/sub", "home": "<home>", "stdin": "typed"}], ` +
		`"other": [{"unparsed": "no JSON"}], "exit": 0}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRun_SaysWhyAScenarioCouldNotBePlayed(t *testing.T) {
	for _, c := range []struct{ name, mode, steps, problem string }{
		{"no line", "hang", `[{"wait": {"type": "ready"}, "timeout": 30}, {"wait": {"type": "x"}, "timeout": 0.01}]`, `timed out waiting for {"type":"x"}`},
		{"no more lines", "quit", `[{"wait": "x", "timeout": 30}]`, `program ended waiting for "x"`},
		{"no request", "hang", `[{"wait_requests": 1}]`, "timed out waiting for request 1"},
		{"no file", "hang", `[{"wait_file": "<cwd>/x"}]`, "timed out waiting for file <cwd>/x"},
		{"no exit", "hang", `[], "exit_timeout": 0.01`, "program did not exit"},
		{"closed input", "deaf", `[{"wait": {"type": "ready"}, "timeout": 30}, {"raw": "x"}]`, "program closed its input"},
		{"full input", "hang", `[{"raw": "` + strings.Repeat("x", 1<<20) + `"}]`, "timed out writing to the program's input"},
		{"unknown step", "hang", `[{"dance": 1}]`, "unknown step"},
		{"nothing kept", "hang", `[{"send": {}, "reply_to": "a"}]`, `no line is kept as "a"`},
		{"no such field", "hang", `[{"send": {}, "with": {"x": ["a", "b"]}}]`, `no line is kept as "a" with a member "b"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := playFor(t, time.Second, c.mode, `{"steps": `+c.steps+`}`)
			if got := conformance.Normalise(r)["problem"]; got != c.problem {
				t.Errorf("got %q, want %q", got, c.problem)
			}
			if c.mode != "quit" && r.Exit != -9 {
				t.Errorf("exit %d, want -9: the program is killed", r.Exit)
			}
		})
	}
}

func TestRun_AProgramThatCannotBeStarted(t *testing.T) {
	s, err := conformance.ParseScenario("group/name", []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	p := &conformance.Program{Command: []string{"/nowhere/rondo"}}
	if _, err := p.Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), "/nowhere/rondo") {
		t.Errorf("got %v, want an error that names the program", err)
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, value string
		want           bool
	}{
		{`{"a": 1}`, `{"b": 2, "a": 1.0}`, true},
		{`{"a": {"b": "x"}}`, `{"a": {"b": "x", "c": 0}}`, true},
		{`{"a": null}`, `{}`, false},
		{`[{"a": 1}]`, `[{"a": 1}, 2]`, true},
		{`[1, 2]`, `[1]`, false},
		{`"~^a.c$"`, `"abc"`, true},
		{`"~b"`, `"abc"`, true},
		{`"~("`, `"("`, false},
		{`"~a"`, `1`, false},
		{`"a"`, `"ab"`, false},
	} {
		pattern, err := ordered.Parse([]byte(c.pattern))
		if err != nil {
			t.Fatal(err)
		}
		value, err := ordered.Parse([]byte(c.value))
		if err != nil {
			t.Fatal(err)
		}
		if got := conformance.Matches(pattern, value); got != c.want {
			t.Errorf("%s in %s: got %t", c.pattern, c.value, got)
		}
	}
}
