package rpc_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/rpc"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/tools/host"
)

// TestCall runs commands without a connection.
func TestCall(t *testing.T) {
	s := open(t, scripted.New().Stream, session.Options{Bash: &bash.Options{Host: host.WithCommands(nil, echo)}})
	defer s.Close(context.Background())
	for _, c := range []struct{ name, fields, want, wrong string }{
		{name: "get_state", want: `{"model":{"id":"scripted"`},
		{name: "get_tree", want: `{"tree":[`},
		{name: "steer", fields: `{"message":"a"}`},
		{name: "clear_queue", want: `{"steering":["a"],"followUp":[]}`},
		{name: "set_session_name", fields: `{"name":"Notes"}`},
		{name: "bash", fields: `{"id":7,"command":"echo hi"}`, want: `{"output":"hi\n"`},
		{name: "abort"},
		{name: "set_thinking_level", fields: `{"level":7}`, wrong: "level must not be a number"},
		{name: "bash", fields: `{}`, wrong: "command is missing"},
		{name: "get_state", fields: `[]`, wrong: "must be a JSON object"},
		{name: "prompt", fields: `{"message":"a"}`, wrong: "no command"},
		{name: "compact", wrong: "no command"},
		{name: "new_session", wrong: "no command"},
		{name: "dance", wrong: "no command"},
	} {
		data, err := rpc.Call(t.Context(), s, c.name, jsontext.Value(c.fields), nil)
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s %s: the error is %v, want one about %q", c.name, c.fields, err, c.wrong)
			}
			_, unknown := errors.AsType[*rpc.UnknownCommandError](err)
			if unknown != (c.wrong == "no command") {
				t.Errorf("%s: the error is a %T", c.name, err)
			}
		case err != nil, !strings.HasPrefix(string(data), c.want), c.want == "" && data != nil:
			t.Errorf("%s %s: %s, %v", c.name, c.fields, data, err)
		}
	}
}
