package wires_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/openai"
	"github.com/rondo-agent/rondo/ai/wires"
)

func TestEveryAPIHasItsWire(t *testing.T) {
	apis, router := wires.APIs(), wires.New()
	for _, api := range apis {
		if router[api] == nil {
			t.Errorf("nothing speaks %s", api)
		}
	}
	if len(router) != len(apis) || len(slices.Compact(slices.Sorted(slices.Values(apis)))) != len(apis) {
		t.Errorf("%d wires for %q", len(router), apis)
	}
	wires.APIs()[0] = "changed"
	if slices.Contains(wires.APIs(), "changed") {
		t.Error("a caller can change the table")
	}
}

func TestARouterOfOthersIsTheirs(t *testing.T) {
	mine := wires.New()
	delete(mine, openai.APICompletions)
	if wires.New()[openai.APICompletions] == nil {
		t.Error("a caller can change the router of others")
	}
	got, err := ai.Complete(t.Context(), mine.Stream, &ai.Request{Model: &ai.Model{ID: "m", Provider: "p", API: openai.APICompletions}})
	if err != nil || !got.Failed() || !strings.Contains(got.ErrorMessage, openai.APICompletions) {
		t.Errorf("got %+v, %v", got, err)
	}
}
