package extension_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/extension"
)

// pass sends one of everything that a run sends often through a runner.
func pass(ctx context.Context, r *extension.Runner, m agent.Message, list []agent.Message, header http.Header) {
	if r.Has(extension.KindMessageUpdate) {
		r.Emit(ctx, &extension.MessageUpdate{})
	}
	r.MessageEnd(ctx, m)
	r.Context(ctx, list)
	r.ContextWithSystem(ctx, list)
	r.Payload(ctx, nil)
	r.Headers(ctx, header)
	r.Response(ctx, 200, header)
	r.Stream(ctx, nil)
}

// Without extensions nothing is allocated.
func TestNoExtensionCostsNothing(t *testing.T) {
	m := agent.User("hello")
	list, header := []agent.Message{m}, http.Header{"A": {"b"}}
	empty := extension.NewRunner(nil)
	defer empty.Close(t.Context())
	for name, r := range map[string]*extension.Runner{"nil": nil, "empty": empty} {
		ctx := t.Context()
		if n := testing.AllocsPerRun(100, func() { pass(ctx, r, m, list, header) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// BenchmarkDispatch sends one event to no extension, and to one that is compiled in.
func BenchmarkDispatch(b *testing.B) {
	args := fmt.Appendf(nil, `{"command":"echo %s"}`, strings.Repeat("x", 900))
	run := func(name string, sources ...extension.Source) {
		r := extension.NewRunner(nil)
		defer r.Close(context.Background())
		for _, err := range r.Load(b.Context(), sources...) {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r.Has(extension.KindToolExecutionStart) { // as a session asks before it makes an event
					r.Emit(b.Context(), &extension.ToolExecutionStart{ToolCallID: "c1", ToolName: "bash", Args: args})
				}
			}
		})
	}
	run("none")
	run("builtin", extension.Builtin("a", func(_ context.Context, api *extension.API) error {
		extension.Observe(api, func(context.Context, *extension.Context, *extension.ToolExecutionStart) error { return nil })
		return nil
	}))
}
