//go:build unix

package bash_test

import (
	"context"
	"fmt"

	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/tools/host"
)

func ExampleRun() {
	cmd := host.Command{Text: "echo one; echo two >&2; exit 3", Dir: "/"}
	result, err := bash.Run(context.Background(), cmd, nil, func(delta string) {
		// Show the output while it comes.
	})
	if err != nil {
		fmt.Println("the command could not be run:", err)
		return
	}
	fmt.Print(result.Output)
	fmt.Println("exit code", *result.ExitCode)
	// Output:
	// one
	// two
	// exit code 3
}

// A command can be changed before it runs, or run elsewhere.
func ExampleOptions_host() {
	logged := func(ctx context.Context, cmd *host.Command, output func([]byte)) (host.Exit, error) {
		fmt.Println("running", cmd.Text)
		return host.Local.Run(ctx, cmd, output)
	}
	result, _ := bash.Run(context.Background(), host.Command{Text: "echo hi", Dir: "/"}, &bash.Options{Host: host.WithCommands(host.Local, logged)}, nil)
	fmt.Print(result.Output)
	// Output:
	// running echo hi
	// hi
}
