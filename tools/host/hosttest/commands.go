package hosttest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/tools/host"
)

// Commands tests the commands of a host that has a POSIX shell.
func Commands(t *testing.T, open Open) {
	for _, tt := range []struct {
		name, text, output string
		code               int
	}{
		{"success", "echo out; echo err >&2; echo end", "out\nerr\nend\n", 0},
		{"failure", "echo so far; exit 3", "so far\n", 3},
		{"script", "for i in 1 2; do\n  printf '%s.' $i\ndone", "1.2.", 0},
		{"environment", `echo "$SUITE_NAME"`, "given\n", 0},
		{"no input", "cat; echo end", "end\n", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, dir := open(t)
			var out strings.Builder
			cmd := &host.Command{Text: tt.text, Dir: dir, Env: []string{"SUITE_NAME=given"}}
			exit, err := h.Run(t.Context(), cmd, func(p []byte) { out.Write(p) })
			if err != nil || exit.Code != tt.code || out.String() != tt.output {
				t.Errorf("code %d, output %q, %v", exit.Code, out.String(), err)
			}
		})
	}
	t.Run("files are those of the host", func(t *testing.T) { commandFiles(t, open) })
	t.Run("abort", func(t *testing.T) { abort(t, open) })
}

func commandFiles(t *testing.T, open Open) {
	h, dir := open(t)
	s := &suite{Host: h, T: t, dir: dir}
	s.must(h.WriteFile(t.Context(), s.at("in"), []byte("text")))
	if exit, err := h.Run(t.Context(), &host.Command{Text: "cp in out", Dir: dir}, func([]byte) {}); err != nil || exit.Code != 0 {
		t.Fatalf("%+v, %v", exit, err)
	}
	s.mustHold(s.at("out"), "text")
}

func abort(t *testing.T, open Open) {
	h, dir := open(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	cause := errors.New("stopped by the user")
	cmd := &host.Command{Text: "echo started; sleep 600", Dir: dir}
	if exit, err := h.Run(ctx, cmd, func([]byte) { cancel(cause) }); err == nil {
		t.Errorf("the command has ended with %+v", exit)
	}
}
