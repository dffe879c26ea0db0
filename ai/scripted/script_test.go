package scripted_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/aitest"
	"github.com/rondo-agent/rondo/ai/scripted"
)

func parse(t *testing.T, text string) *scripted.Script {
	t.Helper()
	s, err := scripted.ParseScript([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParseScript(t *testing.T) {
	readNotes := scripted.Call("", "read", map[string]any{"path": "notes.txt"})
	for name, c := range map[string]struct {
		json string
		want scripted.Reply
	}{
		"plain":       {`"Hello."`, scripted.Say("Hello.")},
		"text":        {`{"text": "Hello."}`, scripted.Say("Hello.")},
		"pieces":      {`{"text": ["Hel", "lo."]}`, scripted.Of(scripted.Text("Hel", "lo."))},
		"thinking":    {`{"thinking": "Hm."}`, scripted.Of(scripted.Thinking("Hm."))},
		"in order":    {`{"tools": [{"name": "read", "args": {"path":"notes.txt"}}], "text": "b", "thinking": "a"}`, scripted.Of(scripted.Thinking("a"), scripted.Text("b"), readNotes)},
		"tool":        {`{"tools": [{"id": "c1", "name": "now"}]}`, scripted.Of(scripted.Call("c1", "now", nil))},
		"raw":         {`{"tools": [{"name": "read", "rawArgs": "{\"pa"}]}`, scripted.Of(scripted.RawCall("", "read", `{"pa`))},
		"raw pieces":  {`{"tools": [{"name": "read", "rawArgs": ["{", "}"]}]}`, scripted.Of(scripted.RawCall("", "read", "{", "}"))},
		"raw nothing": {`{"tools": [{"name": "read", "rawArgs": ""}]}`, scripted.Of(scripted.RawCall("", "read"))},
		"blocks":      {`{"blocks": [{"text": "b"}, {"thinking": "a"}, {"tool": {"name": "read", "args": {"path":"notes.txt"}}}]}`, scripted.Of(scripted.Text("b"), scripted.Thinking("a"), readNotes)},
		"how": {`{"chunks": 3, "delayMs": 1500, "paceMs": 0.5, "tokensPerSecond": 30, "hold": "h", "gate": "g", "gateAt": 2}`, scripted.Reply{
			Chunks: 3, Latency: 1500 * time.Millisecond, Pace: 500 * time.Microsecond, TokensPerSecond: 30, Hold: "h", Gates: []scripted.Gate{{"g", 2}},
		}},
		"end":    {`{"stop": "length", "cutAt": 4, "usage": {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4}}`, scripted.Reply{Stop: ai.StopLength, CutAt: 4, Usage: &ai.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}}},
		"status": {`{"error": {"status": 529, "message": "overloaded", "code": "busy", "retryAfterMs": 2000}}`, scripted.Fail(&ai.StatusError{Status: 529, Message: "overloaded", Code: "busy", RetryAfter: 2 * time.Second})},
	} {
		t.Run(name, func(t *testing.T) {
			s := parse(t, `{"replies": [`+c.json+`]}`)
			if d := cmp.Diff([]scripted.Reply{c.want}, s.Replies); d != "" {
				t.Errorf("reply (-want +got):\n%s", d)
			}
		})
	}
	s := parse(t, "\xef\xbb\xbf"+`{"replies": [{"error": "down"}], "loop": true}`)
	if !s.Loop || s.Replies[0].Err.Error() != "down" {
		t.Errorf("got %+v", s)
	}
}

// Every error names the place and says what to write.
func TestParseScript_Errors(t *testing.T) {
	for in, want := range map[string]string{
		``:                              `script: there is nothing in it; write {"replies": ["Hello."]}`,
		`["Hello."]`:                    `script: line 1: this is a list; write an object with the list in it: {"replies": […]}`,
		`{"replies": []}`:               `script: line 1: it has no replies; write {"replies": ["Hello."]}`,
		`{"replies": "Hello."}`:         `script: line 1: replies: this is a text; write a list, such as ["Hello."]`,
		`{"replies": [7]}`:              `script: line 1: replies[0]: this is a number; write an object, such as {"text": "Hello."}`,
		`{"replies": ["a"]} {}`:         `script: line 1: there is more after the end of the script; a script is one JSON object`,
		`{"loop": 1}`:                   `script: line 1: loop: this is a number; write true or false`,
		`{"loop": null}`:                `script: line 1: loop: this is null; write true or false`,
		`{"responses": []}`:             `script: line 1: responses: there is no such field; write "replies"`,
		"{\n\"replies\": [\"a\",]":      `script: line 2, column 17: this is not valid JSON (invalid character ']' at start of value)`,
		`{"loop": true, "loop": false}`: `script: line 1, column 16: the field "loop" is given twice; keep one of them`,
	} {
		checkError(t, in, want)
	}
	for in, want := range map[string]string{
		`{"text": 7}`:                              `text: this is a number; write a text, such as "Hello.", or a list of texts`,
		`{"text": ["a", {}]}`:                      `text[1]: this is an object; write a text, such as "Hello."`,
		`{"finish_reason": "a"}`:                   `finish_reason: there is no such field; write "stop"`,
		`{"delay_ms": 3}`:                          `delay_ms: there is no such field; write "delayMs"`,
		`{"tool": {}}`:                             `tool: there is no such field; write "tools"`,
		`{"100%": 3}`:                              `100%: there is no such field; write one of blocks, chunks, cutAt, delayMs, error, gate, gateAt, hold, paceMs, stop, text, thinking, tokensPerSecond, tools, usage`,
		`{"tools": {}}`:                            `tools: this is an object; write a list, such as [{"name": "read", "args": {"path": "notes.txt"}}]`,
		`{"tools": [{"args": {}}]}`:                `tools[0]: the name of the tool is missing; write {"name": "read", "args": {"path": "notes.txt"}}`,
		`{"tools": [{"name": "a", "args": "{}"}]}`: `tools[0].args: this is a text; write an object, such as {"path": "notes.txt"}, or use rawArgs for text that is no object`,
		`{"tools": [{"name": "a", "args": {}, "rawArgs": "{"}]}`: `tools[0]: args and rawArgs are both given; keep one of them`,
		`{"tools": [{"name": "a", "arguments": {}}]}`:            `tools[0].arguments: there is no such field; write "args"`,
		`{"blocks": [{}]}`: `blocks[0]: a block is one of text, thinking and tool, but this has 0 of them; write a block for each`,
		`{"blocks": [{"text": "a", "thinking": "b"}]}`: `blocks[0]: a block is one of text, thinking and tool, but this has 2 of them; write a block for each`,
		`{"blocks": [{"text": "a"}], "text": "b"}`:     `blocks stands beside thinking, text or tools; put everything into blocks`,
		`{"chunks": 0}`:              `chunks: 0 is out of range; write a number from 1 to 1000000`,
		`{"chunks": 1.5}`:            `chunks: 1.5 is not whole; write a number such as 1`,
		`{"delayMs": -1}`:            `delayMs: -1 is out of range; write a number from 0 to 3600000`,
		`{"paceMs": "1s"}`:           `paceMs: this is a text; write a number from 0 to 3600000`,
		`{"gateAt": 1}`:              `gateAt needs the name of a gate; write "gate": "ready" beside it`,
		`{"stop": "end"}`:            `there is no stop reason "end"; write one of stop, length, toolUse, deferred, error, aborted`,
		`{"usage": {"total": 1}}`:    `usage.total: there is no such field; write one of cacheRead, cacheWrite, input, output`,
		`{"error": ""}`:              `error: the message is empty; write what is wrong, such as "overloaded"`,
		`{"error": {"status": 200}}`: `error.status: 200 is out of range; write a number from 400 to 599`,
		`{"error": []}`:              `error: this is a list; write an object, such as {"status": 529, "message": "overloaded"}`,
	} {
		checkError(t, "{\"replies\": [\n  \"a\",\n  "+in+"\n]}", want)
	}
}

func checkError(t *testing.T, in, want string) {
	t.Helper()
	_, err := scripted.ParseScript([]byte(in))
	switch {
	case err == nil:
		t.Errorf("%s: no error, want %q", in, want)
	case strings.HasPrefix(want, "script:") && err.Error() != want,
		!strings.HasSuffix(err.Error(), want), strings.Contains(in, "\n  \"a\"") && !strings.HasPrefix(err.Error(), "script: line 3: replies[1]"):
		t.Errorf("%s:\n got %s\nwant %s", in, err, want)
	}
}

func TestLoad(t *testing.T) {
	file, err := os.Open("testdata/script.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s, err := scripted.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	stream := scripted.Stream(s)
	for range s.Replies {
		_, m := ask(t, stream, t.Context())
		got = append(got, show(m))
	}
	diff(t, "answers", []string{
		`text "A plain text is a whole reply."; stop`,
		`thinking "Which file?"; text "I look."; call call_1 read {"path":"notes.txt"}; call c2 bash {"command":"ls"} bad; toolUse`,
		`text "Two pieces."; stop`,
		`error; 529 overloaded`,
	}, got)

	broken := errors.New("the disk is gone")
	if _, err := scripted.Load(io.MultiReader(strings.NewReader("{"), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("the error of the reader is lost: %v", err)
	}
}

// What parses can be played, and every reply keeps the contract of streams.
func FuzzParseScript(f *testing.F) {
	example, err := os.ReadFile("testdata/script.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(example)
	f.Add([]byte(`{"replies": [{"blocks": [{"tool": {"name": "a", "rawArgs": ["{", "x"]}}], "cutAt": 1, "stop": "aborted", "chunks": 3}], "loop": true}`))
	f.Add([]byte(`{"replies": [{"error": {"status": 400}, "usage": {"input": 3}, "gate": "a", "gateAt": 1, "hold": "b"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := scripted.ParseScript(data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "script: ") {
				t.Errorf("the error %q does not say what it is about", err)
			}
			return
		}
		for i := range s.Replies {
			r := &s.Replies[i]
			r.Latency, r.Pace, r.TokensPerSecond = 0, 0, 0
		}
		m := s.Model()
		for _, r := range s.Replies {
			m.Release(r.Hold)
			for _, g := range r.Gates {
				m.Release(g.Name)
			}
		}
		for range s.Replies {
			aitest.CheckStream(t, m.Stream(t.Context(), &ai.Request{}))
		}
	})
}
