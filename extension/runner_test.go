package extension_test

import (
	"context"
	"errors"
	"testing"

	"github.com/rondo-agent/rondo/extension"
)

func load(t *testing.T, opts *extension.Options, factories ...extension.Factory) *extension.Runner {
	t.Helper()
	r := extension.NewRunner(opts)
	names := "abcdef"
	for i, factory := range factories {
		for _, err := range r.Load(t.Context(), extension.Builtin(names[i:i+1], factory)) {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r
}

// TestReport_EXT04_FactoryRolledBack: a factory that fails leaves nothing behind, and the
// others are loaded.
func TestReport_EXT04_FactoryRolledBack(t *testing.T) {
	r := extension.NewRunner(nil)
	defer r.Close(t.Context())
	broken := errors.New("cannot start")
	failed := r.Load(t.Context(),
		extension.Builtin("a", func(_ context.Context, api *extension.API) error {
			extension.Observe(api, func(context.Context, *extension.Context, *extension.AgentStart) error { return nil })
			return broken
		}),
		extension.Builtin("b", func(_ context.Context, api *extension.API) error {
			extension.Observe(api, func(context.Context, *extension.Context, *extension.AgentStart) error { return nil })
			panic(broken)
		}),
		extension.Builtin("c", func(_ context.Context, api *extension.API) error {
			extension.Observe(api, func(context.Context, *extension.Context, *extension.AgentEnd) error { return nil })
			return nil
		}))
	if len(failed) != 2 || !errors.Is(failed[0], broken) || !errors.Is(failed[1], broken) || failed[1].Stack == "" {
		t.Fatalf("failed: %v", failed)
	}
	if r.Has(extension.KindAgentStart) || !r.Has(extension.KindAgentEnd) {
		t.Error("handlers of the failed extensions are left, or that of the good one is gone")
	}
}
