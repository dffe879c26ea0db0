package print_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/print"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/memory"
)

// A command of an extension has no answer, unless it begins a run, which is waited for.
func TestCommandsOfExtensions(t *testing.T) {
	r := extension.NewRunner(nil)
	r.Load(t.Context(), extension.Builtin("a", func(_ context.Context, api *extension.API) error {
		extension.Observe(api, func(context.Context, *extension.Context, *extension.Input) error { return nil })
		_ = api.RegisterCommand(&extension.Command{Name: "nothing", Handler: func(context.Context, *extension.CommandContext, string) error { return nil }})
		return api.RegisterCommand(&extension.Command{Name: "ask", Handler: func(context.Context, *extension.CommandContext, string) error {
			return api.SendUserMessage(&extension.UserMessage{Content: extension.Content{Text: "question"}})
		}})
	}))
	s, err := session.New(memory.New(transcript.NewHeader("/")), &session.Options{
		Stream: scripted.New(scripted.Say("first"), scripted.Say("second")).Stream, Model: scripted.Record(), Extensions: r,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	for _, c := range []struct{ prompt, want string }{{"hi", "first\n"}, {"/nothing", ""}, {"/ask", "second\n"}} {
		var out bytes.Buffer
		if err := print.Run(t.Context(), session.NewRuntime(s, nil), []session.Prompt{{Text: c.prompt}}, &out); err != nil {
			t.Fatal(err)
		}
		if out.String() != c.want {
			t.Errorf("%s: printed %q", c.prompt, out.String())
		}
	}
}
