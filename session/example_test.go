package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/memory"
)

// ExampleNew keeps a conversation in a file and goes on with it later.
func ExampleNew() {
	dir, err := os.MkdirTemp("", "sessions")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	model := scripted.New(scripted.Say("Noted."), scripted.Func(func(req *ai.Request) scripted.Reply {
		return scripted.Say(fmt.Sprintf("You told me %d messages ago.", len(req.Context.Messages)-1))
	}))
	opts := &session.Options{CWD: dir, Stream: model.Stream, Model: scripted.Record()}

	// talk sends a prompt to the session in a store, and closes both.
	talk := func(store transcript.Store, prompt string) error {
		s, err := session.New(store, opts)
		if err != nil {
			store.Close()
			return err
		}
		defer s.Close(context.Background())
		res, err := s.Prompt(context.Background(), session.Prompt{Text: prompt})
		if err != nil {
			return err
		}
		if err := res.Err(); err != nil {
			return err // the model failed
		}
		fmt.Println(res.Text())
		return nil
	}

	header := transcript.NewHeader(dir)
	store, err := jsonl.Create(filepath.Join(dir, jsonl.FileName(header)), header, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := talk(store, "My cat is called Minka."); err != nil {
		fmt.Println(err)
	}

	newest, err := jsonl.Recent(dir, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	if store, err = jsonl.Open(newest.Path, nil); err != nil {
		fmt.Println(err)
		return
	}
	if err := talk(store, "When did I tell you about my cat?"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Noted.
	// You told me 2 messages ago.
}

func ExampleSession_Subscribe() {
	model := scripted.New(scripted.Say("I begin."), scripted.Say("And I go on."))
	s, err := session.New(memory.New(transcript.NewHeader("/")), &session.Options{Stream: model.Stream, Model: scripted.Record()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background())
	s.Subscribe(func(ev event.Event) {
		switch ev := ev.(type) {
		case *agent.TurnStart:
			// A message for the run under way; a subscriber must not wait for it.
			if s.State().Messages == 0 {
				if _, err := s.Start(session.Prompt{Text: "Go on.", WhileBusy: session.FollowUp}); err != nil {
					fmt.Println(err)
				}
			}
		case *agent.MessageEnd:
			if answer, ok := ev.Message.(*ai.AssistantMessage); ok {
				fmt.Println("answer:", answer.Content.Text())
			}
		case *event.QueueUpdate:
			fmt.Println("waiting:", ev.FollowUp)
		case *event.AgentEnd, *event.AgentSettled:
			fmt.Println(ev.Type())
		}
	})
	if _, err := s.Prompt(context.Background(), session.Prompt{Text: "Begin."}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// waiting: [Go on.]
	// answer: I begin.
	// waiting: []
	// answer: And I go on.
	// agent_end
	// agent_settled
}
