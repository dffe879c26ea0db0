package json_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/json"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/memory"
)

func TestSettledIsLast(t *testing.T) {
	for i := range 3000 {
		s, err := session.New(memory.New(session.NewHeader("/")), &session.Options{CWD: "/", Stream: scripted.New(scripted.Say("hi")).Stream, Model: scripted.Record()})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := json.Run(t.Context(), s, []session.Prompt{{Text: "x"}}, &out); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(out.String(), `{"type":"agent_settled"}`+"\n") {
			t.Fatalf("%d: %s", i, out.String())
		}
		s.Close(t.Context())
	}
}
