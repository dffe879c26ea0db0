package rpc_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/rpc"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/tools/host"
)

// Whatever comes in, every line that is not blank gets one response that says yes or why not,
// and the output is made of whole JSON lines.
func FuzzServe(f *testing.F) {
	for _, seed := range []string{
		"{\"type\":\"prompt\",\"message\":\"a\",\"id\":1}\n{\"type\":\"prompt\",\"message\":\"b\",\"streamingBehavior\":\"steer\",\"id\":2}",
		"{\"type\":\"steer\",\"message\":\"a\",\"images\":[{\"type\":\"image\",\"data\":\"aGk=\",\"mimeType\":\"image/png\"}]}\r\n\r\n{\"type\":\"clear_queue\"}",
		"{\"type\":\"bash\",\"command\":\"echo x\",\"id\":{\"a\":[]}}\n{\"type\":\"bash\",\"command\":\"wait\"}\n{\"type\":\"abort_bash\"}\n{\"type\":\"abort\"}",
		"null\n[]\n\"\xff\"\n{\"id\":\"\\ud800\",\"type\":\"get_state\"}\n{\"id\":1,\"id\":2}\n{\"type\":\"nothing\"",
		"{\"type\":\"set_model\",\"provider\":\"scripted\",\"modelId\":\"thinker\"}\n{\"type\":\"set_thinking_level\",\"level\":\"high\"}\n{\"type\":\"get_messages\"}",
		"{\"type\":\"set_steering_mode\",\"mode\":\"all\"}\n{\"type\":\"follow_up\",\"message\":\"\u2028\"}\n{\"type\":\"get_last_assistant_text\"}\n{\"type\":\"get_available_models\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		reply := scripted.Reply{Func: func(*ai.Request) scripted.Reply { return scripted.Say("an answer") }}
		script := &scripted.Script{Replies: []scripted.Reply{reply}, Loop: true}
		s := open(t, scripted.Stream(script), session.Options{Bash: &bash.Options{Host: host.WithCommands(nil, echo)}})
		out := newTranscript()
		if err := rpc.Serve(t.Context(), s, bytes.NewReader(input), out, &rpc.Options{Models: catalogue{thinker()}, MaxLine: 4096}); err != nil {
			t.Fatalf("Serve: %v", err)
		}
		want := 0
		for line := range bytes.Lines(input) {
			if len(bytes.TrimSpace(line)) > 0 {
				want++
			}
		}
		responses := 0
		for _, line := range out.rest() {
			if !jsontext.Value(line).IsValid() {
				t.Fatalf("not JSON: %q", line)
			}
			var r struct {
				Type    string `json:"type"`
				Success *bool  `json:"success"`
				Error   string `json:"error"`
			}
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatalf("%v in %q", err, line)
			}
			if r.Type != "response" {
				continue
			}
			responses++
			if r.Success == nil || *r.Success == (r.Error != "") || strings.Contains(r.Error, "json:") {
				t.Errorf("a response without a reason: %s", line)
			}
		}
		if responses != want {
			t.Errorf("%d lines and %d responses", want, responses)
		}
	})
}
