package main

import (
	"context"
	"strings"
	"testing"
	"time"
)

// client starts a fake program in RPC mode with a model.
func client(t *testing.T, behaviour string) (*model, *rpc) {
	t.Helper()
	m, err := startModel()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.close)
	ws, err := newWorkspace(m.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ws.remove)
	r, err := startRPC(t.Context(), fake(t, behaviour), ws)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.stop)
	return m, r
}

func TestRPC_PromptsAreSettledWithAllTheirDeltas(t *testing.T) {
	m, r := client(t, "good")
	if took, err := r.getState(); err != nil || took <= 0 {
		t.Fatalf("get_state: %v, %v", took, err)
	}
	for _, a := range []answer{{deltas: 1}, {deltas: 50}, {deltas: 5, pace: time.Millisecond}} {
		c, err := ask(m, r, a)
		if err != nil || c.wall <= 0 {
			t.Errorf("%+v: %+v, %v", a, c, err)
		}
	}
}

func TestRPC_LostDeltasAreAnError(t *testing.T) {
	m, r := client(t, "lossy")
	_, err := ask(m, r, answer{deltas: 10})
	if err == nil || !strings.Contains(err.Error(), "5 of the answer's 10 deltas") {
		t.Errorf("got %v", err)
	}
}

func TestRPC_AProgramThatEndsIsQuoted(t *testing.T) {
	_, r := client(t, "crash")
	_, err := r.getState()
	if err == nil || !strings.Contains(err.Error(), "cannot go on") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("got %v", err)
	}
}

func TestPromptClient_MeasuresEveryQuantity(t *testing.T) {
	m, r := client(t, "good")
	found, err := promptClient(m, r, 2)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"short wall": 2, "long wall": 2, "paced wall": 1, "delta wall": 1} {
		if len(found[name]) != want {
			t.Errorf("%s: %v, want %d values", name, found[name], want)
		}
	}
}

func TestPromptValues_TheMedianShortAnswerIsSubtracted(t *testing.T) {
	costs := values{}
	for _, c := range []struct {
		name string
		cost cost
	}{
		{"short", cost{wall: 1e6, cpu: 2e6, hasCPU: true}},
		{"short", cost{wall: 1e6, cpu: 2e6, hasCPU: true}},
		{"short", cost{wall: 9e6, cpu: 9e6, hasCPU: true}},
		{"long", cost{wall: 20.9e6, cpu: 400e6, hasCPU: true}},
		{"paced", cost{wall: 1, cpu: 201e6, hasCPU: true}},
	} {
		costs.add(c.cost.values(c.name))
	}
	found := promptValues(costs)
	for name, want := range map[string]float64{"delta wall": 1e5, "delta cpu": 2e6, "paced delta cpu": 1e6, "long cpu": 400e6} {
		if got := found[name].median(); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if found := promptValues(cost{wall: 1}.values("long")); found["delta cpu"] != nil || found["delta wall"] != nil {
		t.Errorf("derived from nothing: %v", found)
	}
}

func TestMeasureVersion(t *testing.T) {
	found, err := measureVersion(context.Background(), fake(t, "good"))
	if err != nil || found["cpu"].median() <= 0 {
		t.Errorf("got %v, %v", found, err)
	}
	if _, err := measureVersion(context.Background(), &program{argv: []string{"/no/such/program"}}); err == nil {
		t.Error("a missing program is no error")
	}
}
