package extension_test

import (
	"context"
	"net/http"
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

func BenchmarkNoExtension(b *testing.B) {
	m := agent.User("hello")
	list, header := []agent.Message{m}, http.Header{"A": {"b"}}
	r := extension.NewRunner(nil)
	defer r.Close(context.Background())
	b.ReportAllocs()
	for b.Loop() {
		pass(b.Context(), r, m, list, header)
	}
}

func BenchmarkOneHandler(b *testing.B) {
	r := extension.NewRunner(nil)
	defer r.Close(context.Background())
	r.Load(b.Context(), extension.Builtin("a", func(_ context.Context, api *extension.API) error {
		extension.Observe(api, func(context.Context, *extension.Context, *extension.TurnStart) error { return nil })
		return nil
	}))
	e := &extension.TurnStart{}
	b.ReportAllocs()
	for b.Loop() {
		r.Emit(b.Context(), e)
	}
}
