package rpc_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/rpc"
	"github.com/rondo-agent/rondo/session"
)

// serve gives Serve a whole input and returns its lines.
func serve(t *testing.T, in io.Reader, opts *rpc.Options) ([]string, error) {
	t.Helper()
	out := newTranscript()
	err := rpc.Serve(t.Context(), open(t, scripted.New().Stream, session.Options{}), in, out, opts)
	return out.rest(), err
}

func TestFraming(t *testing.T) {
	const clear = `{"type":"clear_queue"}`
	const emptied = `{"type":"queue_update","steering":[],"followUp":[]}`
	const ok = `{"type":"response","command":"clear_queue","success":true,"data":{"steering":[],"followUp":[]}}`
	noCommand := func(id, why string) string {
		return `{` + id + `"type":"response","command":"parse","success":false,"error":"this line is no command: ` + why
	}
	for name, c := range map[string]struct {
		in   string
		want []string // how the lines begin
	}{
		"empty":              {"", nil},
		"line":               {clear + "\n", []string{emptied, ok}},
		"no final newline":   {clear, []string{emptied, ok}},
		"CRLF":               {clear + "\r\n" + clear + "\r\n", []string{emptied, ok, emptied, ok}},
		"CR at the end":      {clear + "\r", []string{emptied, ok}},
		"a CR is no end":     {clear + "\r" + clear + "\n", []string{noCommand("", "")}},
		"blank lines":        {"\n\r\n  \t\n" + clear + "\n\n", []string{emptied, ok}},
		"white space around": {" \t" + clear + " \n", []string{emptied, ok}},
		"separators in a text": {"{\"type\":\"steer\",\"message\":\"a\u2028b\u2029c\u0085d\"}\n" + clear + "\n", []string{
			`{"type":"queue_update","steering":["a` + "\u2028b\u2029c\u0085d" + `"]`, `{"type":"response","command":"steer","success":true}`,
			emptied, `{"type":"response","command":"clear_queue","success":true,"data":{"steering":["a` + "\u2028b\u2029c\u0085d" + `"]`,
		}},
		"half of a surrogate pair": {`{"type":"steer","message":"a\ud83d"}`, []string{`{"type":"queue_update","steering":["a` + "\uFFFD" + `"]`, `{"type":"response","command":"steer","success":true}`, emptied}},
		"invalid UTF-8":            {"{\"type\":\"steer\",\"message\":\"a\xff\"}", []string{`{"type":"queue_update","steering":["a` + "\uFFFD" + `"]`, `{"type":"response","command":"steer","success":true}`, emptied}},
		"null":                     {"null\n", []string{noCommand("", "it must be an object;")}},
		"list":                     {"[" + clear + "]\n", []string{noCommand("", "it must be an object;")}},
		"text":                     {`"abort"`, []string{noCommand("", "it must be an object;")}},
		"number":                   {"7\n", []string{noCommand("", "it must be an object;")}},
		"half":                     {`{"type":"clear` + "\n" + clear + "\n", []string{noCommand("", ""), emptied, ok}},
		"more behind it":           {clear + clear + "\n", []string{noCommand("", "")}},
		"a name twice":             {`{"type":"abort","type":"abort"}`, []string{noCommand("", "")}},
		"no type":                  {`{"id":1}`, []string{noCommand(`"id":1,`, "its type must be a text;")}},
		"type is no text":          {`{"type":7,"id":"x"}`, []string{noCommand(`"id":"x",`, "its type must be a text;")}},
		"unknown":                  {`{"type":"clear_queues","id":3}`, []string{`{"id":3,"type":"response","command":"clear_queues","success":false,"error":"unknown command \"clear_queues\""}`}},
		"case counts":              {`{"type":"Abort"}`, []string{`{"type":"response","command":"Abort","success":false,"error":"unknown command`}},
		"unknown fields":           {`{"type":"clear_queue","later":{"a":[1]}}`, []string{emptied, ok}},
	} {
		t.Run(name, func(t *testing.T) {
			lines, err := serve(t, iotest.OneByteReader(strings.NewReader(c.in)), nil)
			if err != nil {
				t.Errorf("Serve: %v", err)
			}
			if len(lines) != len(c.want) {
				t.Fatalf("%d lines, want %d:\n%s", len(lines), len(c.want), strings.Join(lines, "\n"))
			}
			for i, line := range lines {
				if !strings.HasPrefix(line, c.want[i]) {
					t.Errorf("line %d is\n  %s\nwant\n  %s", i, line, c.want[i])
				}
			}
		})
	}
}

func TestIDs(t *testing.T) {
	for _, id := range []string{`"a"`, `""`, `1`, `-1.50e3`, `12345678901234567890`, `true`, `null`, `[1,"a"]`, `{"a":{"b":null}}`, `"\u2028"`} {
		lines, err := serve(t, strings.NewReader(`{"type":"abort_bash","id":`+id+`}`), nil)
		if want := `{"id":` + strings.ReplaceAll(id, `\u2028`, "\u2028") + `,"type":"response","command":"abort_bash","success":true}`; err != nil || len(lines) != 1 || lines[0] != want {
			t.Errorf("got %s, %v, want %s", lines, err, want)
		}
	}
}

func TestLongLine(t *testing.T) {
	long := `{"type":"steer","message":"` + strings.Repeat("0123456789", 200_000) + `"}`
	lines, err := serve(t, strings.NewReader(long+"\n"+`{"type":"abort"}`), nil)
	if err != nil || len(lines) != 4 || len(lines[0]) < 2_000_000 {
		t.Errorf("%d lines, %v", len(lines), err)
	}

	// One that is too long is refused, and the next ones are answered.
	lines, err = serve(t, strings.NewReader(long+"\n"+`{"type":"abort"}`), &rpc.Options{MaxLine: 100_000})
	if err != nil || len(lines) != 2 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	if want := "this line is no command: it is longer than 100000 bytes; "; !strings.Contains(lines[0], want) {
		t.Errorf("the first response is %s", lines[0])
	}
	expectKinds(t, lines, "refused:parse ok:abort")
}

// What has come of a line when reading fails is not a command.
func TestReadingFails(t *testing.T) {
	broken := errors.New("the line is down")
	in := io.MultiReader(strings.NewReader(`{"type":"abort"}`+"\n"+`{"type":"abort"}`), iotest.ErrReader(broken))
	lines, err := serve(t, in, nil)
	if !errors.Is(err, broken) || err.Error() != "read commands: the line is down" {
		t.Errorf("Serve: %v", err)
	}
	expectKinds(t, lines, "ok:abort")
}

func TestWrongFields(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"prompt"}`:                                                               "prompt: there is nothing in it: give a message, or images",
		`{"type":"prompt","message":null}`:                                                "prompt: there is nothing in it: give a message, or images",
		`{"type":"prompt","message":{"text":"a"}}`:                                        "prompt: message must not be an object",
		`{"type":"prompt","message":"a","streamingBehavior":"later"}`:                     `unknown streamingBehavior "later": use "steer", "followUp" or "abort"`,
		`{"type":"prompt","message":"a","images":"b"}`:                                    "prompt: images must not be a text",
		`{"type":"prompt","images":[{"data":"aGk=","mimeType":"image/png"},{"data":""}]}`: "prompt: images.1 needs data, in base64, and mimeType",
		`{"type":"prompt","images":[{"data":7}]}`:                                         "prompt: images.0.data must not be a number",
		`{"type":"steer"}`:                                                                "steer: there is nothing in it: give a message, or images",
		`{"type":"follow_up","message":["a"]}`:                                            "follow_up: message must not be a list",
		`{"type":"set_steering_mode"}`:                                                    `set_steering_mode: mode is missing: use "one-at-a-time" or "all"`,
		`{"type":"set_steering_mode","mode":"some"}`:                                      `unknown queue mode "some": use "one-at-a-time" or "all"`,
		`{"type":"set_follow_up_mode","mode":""}`:                                         `set_follow_up_mode: mode is missing: use "one-at-a-time" or "all"`,
		`{"type":"set_follow_up_mode","mode":true}`:                                       "set_follow_up_mode: mode must not be true",
		`{"type":"set_thinking_level","level":"loud"}`:                                    `unknown thinking level "loud": use one of [off minimal low medium high xhigh max]`,
		`{"type":"set_thinking_level"}`:                                                   `unknown thinking level "": use one of [off minimal low medium high xhigh max]`,
		`{"type":"set_model","provider":"scripted"}`:                                      "model scripted/ is not available; get_available_models lists those that are",
		`{"type":"bash"}`:                                                                 "bash: command is missing: give it a shell command",
		`{"type":"bash","command":"ls","excludeFromContext":"yes"}`:                       "bash: excludeFromContext must not be a text",
	} {
		lines, err := serve(t, strings.NewReader(line), nil)
		if err != nil || len(lines) != 1 || !strings.Contains(lines[0], fmt.Sprintf(`"success":false,"error":%q}`, want)) {
			t.Errorf("%s: got %s, %v, want %s", line, lines, err, want)
		}
	}
}
