package bash_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/host/hosttest"
)

// A function in place of local execution gets everything that it needs.
func TestExec(t *testing.T) {
	var got host.Command
	opts := &bash.Options{
		Shell:         "/shell",
		CommandPrefix: "set -e",
		Env:           func() []string { return []string{"A=1"} },
		Host: &hosttest.Memory{Exec: func(_ context.Context, cmd *host.Command, output func([]byte)) (host.Exit, error) {
			got = *cmd
			output([]byte("caf\xc3"))
			output([]byte("\xa9\n"))
			return host.Exit{Code: 2}, nil
		}},
	}
	res := call(t, bash.New("/far/away", opts), map[string]any{"command": "make", "timeout": 1.5})
	want := host.Command{Text: "set -e\nmake", Dir: "/far/away", Timeout: 1_500_000_000, Shell: "/shell", Env: []string{"A=1"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
	if text := res.Content.Text(); text != "café\n\n\nCommand exited with code 2" || !res.IsError {
		t.Errorf("result %q, error %v", text, res.IsError)
	}
}

// An error of the network on the way to where commands run is not one of the
// model's provider.
func TestErrorsAreNotOfTheNetwork(t *testing.T) {
	opts := &bash.Options{Host: &hosttest.Memory{Exec: func(_ context.Context, _ *host.Command, output func([]byte)) (host.Exit, error) {
		output([]byte("so far\n"))
		return host.Exit{}, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	}}}
	r, err := bash.Run(t.Context(), host.Command{Text: "x"}, opts, nil)
	if err == nil || r.Output != "so far\n" {
		t.Errorf("result %+v, error %v", r, err)
	}
	checkNoNetError(t, err)

	res := call(t, bash.New("/", opts), map[string]any{"command": "x"})
	if text := res.Content.Text(); !res.IsError || text != "so far\n\n\n"+err.Error() {
		t.Errorf("result %q, error %v", text, res.IsError)
	}

	for _, dir := range []string{"/no/such/folder", "/dev/null"} {
		_, err = bash.Run(t.Context(), host.Command{Text: "x", Dir: dir}, nil, nil)
		checkNoNetError(t, err)
	}
	_, err = bash.Run(t.Context(), host.Command{Text: "x", Dir: t.TempDir()}, &bash.Options{Shell: "/no/shell"}, nil)
	checkNoNetError(t, err)
}

func checkNoNetError(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		t.Error("no error")
	}
	if _, is := errors.AsType[net.Error](err); is {
		t.Errorf("%v looks like an error of the network", err)
	}
}

func TestTimeoutRange(t *testing.T) {
	ran := 0
	tool := bash.New("/", &bash.Options{Host: &hosttest.Memory{Exec: func(context.Context, *host.Command, func([]byte)) (host.Exit, error) {
		ran++
		return host.Exit{}, nil
	}}})
	for _, timeout := range []string{"0", "-5", "1e12", "2147483.648", "-0"} {
		_, err := tool.Execute(t.Context(), &agent.Call{Args: []byte(`{"command":"x","timeout":` + timeout + `}`)})
		if err == nil || !strings.Contains(err.Error(), "more than 0 and at most 2147483.647") {
			t.Errorf("timeout %s: error %v", timeout, err)
		}
	}
	if ran != 0 {
		t.Error("a command ran")
	}
	for _, timeout := range []string{"0.5", "3600", "2147483.647", "null"} {
		_, err := tool.Execute(t.Context(), &agent.Call{Args: []byte(`{"command":"x","timeout":` + timeout + `}`)})
		if err != nil {
			t.Errorf("timeout %s: error %v", timeout, err)
		}
	}
	if ran != 4 {
		t.Errorf("%d commands ran", ran)
	}
}

// A command is not started for a run that has been aborted.
func TestRun_AbortedBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := bash.Run(ctx, host.Command{Text: "x"}, &bash.Options{
		Host: &hosttest.Memory{Exec: func(context.Context, *host.Command, func([]byte)) (host.Exit, error) {
			t.Error("the command was run")
			return host.Exit{}, nil
		}},
	}, nil)
	if err != nil || !r.Cancelled || r.ExitCode != nil {
		t.Errorf("result %+v, error %v", r, err)
	}
}

func TestPromptTexts(t *testing.T) {
	tool := bash.New("/", nil)
	texts := append(slices.Clone(bash.Guidelines), bash.Snippet, tool.Description)
	for _, text := range texts {
		if strings.TrimSpace(text) != text || text == "" {
			t.Errorf("%q", text)
		}
	}
	if tool.Name != bash.Name || tool.Output != nil || tool.Mode == agent.Sequential {
		t.Errorf("tool %+v", tool)
	}
}
