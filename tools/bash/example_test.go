//go:build unix

package bash_test

import (
	"context"
	"fmt"

	"github.com/rondo-agent/rondo/tools/bash"
)

func ExampleRun() {
	cmd := bash.Command{Text: "echo one; echo two >&2; exit 3", Dir: "/"}
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
func ExampleExec() {
	logged := func(ctx context.Context, cmd *bash.Command, output func([]byte)) (bash.Exit, error) {
		fmt.Println("running", cmd.Text)
		return bash.Local(ctx, cmd, output)
	}
	result, _ := bash.Run(context.Background(), bash.Command{Text: "echo hi", Dir: "/"}, &bash.Options{Exec: logged}, nil)
	fmt.Print(result.Output)
	// Output:
	// running echo hi
	// hi
}
