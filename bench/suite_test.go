package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recording returns a measurement that notes its name and counts up.
func recording(order *[]string, name string) func(context.Context) (values, error) {
	n := 0.0
	return func(context.Context) (values, error) {
		*order = append(*order, name)
		n++
		return values{"n": {n}}, nil
	}
}

func TestTurns_EachRoundBeginsWithTheOtherSide(t *testing.T) {
	b := &bench{log: &bytes.Buffer{}}
	var order []string
	pi, rondo := b.turns(t.Context(), "x", 1, 3, recording(&order, "pi"), recording(&order, "rondo"))
	if got, want := strings.Join(order, " "), "pi rondo rondo pi pi rondo rondo pi"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	for _, found := range []values{pi, rondo} {
		if diff := cmp.Diff(values{"n": {2, 3, 4}}, found); diff != "" {
			t.Errorf("the skipped round counts, or another does not (-want +got)\n%s", diff)
		}
	}
}

func TestTurns_AFailingSideIsLeftOutAndNamed(t *testing.T) {
	b := &bench{log: &bytes.Buffer{}}
	var order []string
	failing := func(context.Context) (values, error) {
		order = append(order, "failing")
		return nil, errors.New("no such program")
	}
	pi, rondo := b.turns(t.Context(), "x", 0, 2, failing, recording(&order, "rondo"))
	if len(pi) != 0 || len(rondo["n"]) != 2 || strings.Count(strings.Join(order, " "), "failing") != 1 {
		t.Errorf("pi %v, rondo %v, order %v", pi, rondo, order)
	}
	if diff := cmp.Diff([]string{"x of Pi: no such program"}, b.failures); diff != "" {
		t.Errorf("failures (-want +got)\n%s", diff)
	}
}

func TestPrograms_WithoutPi(t *testing.T) {
	b := &bench{log: &bytes.Buffer{}, rondo: &rondoSide{built: true, program: fake(t, "good")}}
	pi, rondo := b.programs(t.Context(), "x", 0, 2, func(_ context.Context, p *program) (values, error) {
		return values{"args": {float64(len(p.argv))}}, nil
	})
	if len(pi) != 0 || len(rondo["args"]) != 2 || len(b.failures) != 0 {
		t.Errorf("pi %v, rondo %v, failures %v", pi, rondo, b.failures)
	}
}

func TestBinarySize_WithoutACommand(t *testing.T) {
	b := &bench{log: &bytes.Buffer{}, rondo: &rondoSide{built: true}}
	if got := b.binarySize(t.Context()); got != nil {
		t.Errorf("got %v", got)
	}
}
