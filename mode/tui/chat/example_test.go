package chat_test

import (
	"fmt"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/mode/tui/chat"
)

// Events go in, blocks come out. In a program, the inbox is filled by a subscriber of the
// session, and emptied by whoever draws, whenever that has time.
func Example() {
	inbox := chat.NewInbox()
	inbox.Put(&agent.MessageEnd{Message: agent.User("Hello.")})
	inbox.Put(&agent.MessageEnd{Message: &ai.AssistantMessage{StopReason: ai.StopEnd, Content: ai.TextContent("Good \x1b[31mmorning\x1b[0m.")}})

	var tr chat.Transcript
	for _, ev := range inbox.Take() {
		tr.Apply(ev)
	}
	for _, b := range tr.Blocks() {
		fmt.Println(b.Kind == chat.User, b.Text)
	}
	// Output:
	// true Hello.
	// false Good morning.
}
