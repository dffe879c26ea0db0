package process_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/internal/process"
)

// helperVariable makes the test binary a program that runs a command, as an agent does,
// and ends with it when it is told to.
const helperVariable = "PROCESS_TEST_COMMAND"

func TestMain(m *testing.M) {
	if text := os.Getenv(helperVariable); text != "" {
		helper(text)
		return
	}
	goleak.VerifyTestMain(m)
}

func helper(text string) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	if _, err := process.Start(exec.Command("bash", "-c", text), nil); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	<-signals
	process.KillAll(0)
}
