package ai_test

import (
	"context"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/aitest"
)

func TestPriceOfTheModelThatAnswered(t *testing.T) {
	known := map[string]*ai.Model{"cheap": {ID: "cheap", Provider: "lab", Cost: ai.Pricing{Input: 1, Output: 2}}}
	find := func(provider, id string) *ai.Model {
		if provider != "lab" {
			return nil
		}
		return known[id]
	}
	tests := map[string]struct {
		gave     string
		reported bool
		factor   float64 // of a service tier
		fails    bool
		want     float64
	}{
		"the one that was asked":    {"", false, 1, false, 30},
		"another one":               {"cheap", false, 1, false, 3},
		"another one, at half":      {"cheap", false, 0.5, false, 1.5},
		"one that is not known":     {"cheap-2026", false, 1, false, 30},
		"the provider's own price":  {"cheap", true, 1, false, 42},
		"another one, which failed": {"cheap", false, 1, true, 3},
	}
	for name, test := range tests {
		asked := &ai.Model{ID: "dear", Provider: "lab", Cost: ai.Pricing{Input: 10, Output: 20}}
		ask := func(ctx context.Context, req *ai.Request) *ai.Stream {
			return ai.NewStream(ctx, req.Model, func(_ context.Context, w *ai.Writer) error {
				w.SetResponse("r", test.gave)
				u := ai.Usage{Input: 1e6, Output: 1e6}
				if test.reported {
					u.Cost = ai.Cost{Total: 42, Reported: true}
				}
				w.SetUsage(u)
				if test.factor != 1 {
					c := w.Usage().Cost
					w.SetCost(ai.Cost{Input: c.Input * test.factor, Output: c.Output * test.factor, Total: c.Total * test.factor})
				}
				w.Append(w.StartText(), "x")
				if test.fails {
					return ai.ErrUnterminated
				}
				w.Done(ai.StopEnd)
				return nil
			})
		}
		stream := ai.PriceBy(ask, find)(t.Context(), &ai.Request{Model: asked})
		aitest.CheckStream(t, stream)
		if got := stream.Result().Usage.Cost; got.Total != test.want || !test.reported && got.Input+got.Output != test.want {
			t.Errorf("%s: got %+v, want %v", name, got, test.want)
		}
	}
}

func TestUnknownPricesAreFlagged(t *testing.T) {
	for price, flagged := range map[float64]bool{-1000000: true, 0: false, 3: false} {
		m := &ai.Model{ID: "auto", Provider: "router", Cost: ai.Pricing{Input: price, Output: price}}
		stream := ai.NewStream(t.Context(), m, func(_ context.Context, w *ai.Writer) error {
			w.SetUsage(ai.Usage{Input: 1, Output: 1})
			w.SetUsage(ai.Usage{Input: 1, Output: 2}) // the counts of a stream come more than once
			w.Done(ai.StopEnd)
			return nil
		})
		aitest.CheckStream(t, stream)
		got := stream.Result()
		if got.Usage.Cost.Total < 0 || (len(got.Diagnostics) == 1 && got.Diagnostics[0].Type == ai.DiagnosticPriceUnknown) != flagged {
			t.Errorf("price %v: cost %v, diagnostics %v", price, got.Usage.Cost.Total, got.Diagnostics)
		}
	}
}
