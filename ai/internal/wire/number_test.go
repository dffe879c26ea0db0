package wire_test

import (
	"math"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// Counts of a server are taken as they are meant, and an answer never fails by one.
func TestOddNumbers(t *testing.T) {
	type members struct {
		Count  wire.Count
		Index  wire.Index
		Amount wire.Number
	}
	tests := map[string]members{
		`7`:       {7, wire.Index{N: 7, Given: true}, 7},
		`10.0`:    {10, wire.Index{N: 10, Given: true}, 10},
		`-3`:      {0, wire.Index{N: -3, Given: true}, -3},
		`1e99`:    {math.MaxInt32, wire.Index{N: math.MaxInt32, Given: true}, 1e99},
		`null`:    {},
		`"x"`:     {},
		`[1]`:     {},
		`{"a":1}`: {},
	}
	for value, want := range tests {
		got := members{Count: 99, Index: wire.Index{N: 99, Given: true}, Amount: 99}
		if err := json.Unmarshal([]byte(`{"Count":`+value+`,"Index":`+value+`,"Amount":`+value+`}`), &got); err != nil || got != want {
			t.Errorf("%s: got %+v, want %+v; %v", value, got, want, err)
		}
	}
}
