package client_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/rondo-agent/rondo/mode/rpc/client"
	"github.com/rondo-agent/rondo/mode/rpc/proto"
)

// The agent of the example is this test itself; one that is installed needs no Command.
var agentCommand, agentEnvironment = []string{os.Args[0]}, append(os.Environ(), agentEnv+"=serve")

func Example() {
	dir, err := os.MkdirTemp("", "sessions")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	agentEnvironment = append(agentEnvironment, "SESSIONS="+dir)
	if err := fixTheTest(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// You said Fix the failing test
	// 1 answer
}

func fixTheTest(ctx context.Context) error {
	c, err := client.Start(&client.Options{Command: agentCommand, Env: agentEnvironment})
	if err != nil {
		return err
	}
	defer c.Close()
	c.Subscribe(func(ev proto.Event) {
		if end, ok := ev.(*proto.ToolExecutionEnd); ok {
			fmt.Println(end.ToolName, "has ended")
		}
	})
	if err := c.Run(ctx, proto.PromptRequest{Message: "Fix the failing test."}); err != nil {
		return err
	}
	text, err := c.LastAnswer(ctx)
	if err != nil {
		return err
	}
	fmt.Println(text)
	stats, err := client.Do(ctx, c, proto.GetSessionStats, proto.None{})
	if err != nil {
		return err
	}
	fmt.Println(stats.AssistantMessages, "answer")
	return nil
}
