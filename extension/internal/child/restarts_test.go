package child_test

import (
	"slices"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/extension/internal/child"
)

// A program is started again after pauses that grow, until there are none left; one that has
// run for a while begins anew.
func TestRestarts(t *testing.T) {
	r := child.Restarts{Pauses: child.DefaultPauses}
	var pauses []time.Duration
	for _, ran := range []time.Duration{0, time.Second, child.Healthy, 0, 0, 0, 0} {
		pause, ok := r.Next(ran)
		if !ok {
			t.Fatal(pauses)
		}
		pauses = append(pauses, pause)
	}
	if want := slices.Concat(child.DefaultPauses[:2], child.DefaultPauses); !slices.Equal(pauses, want) {
		t.Errorf("pauses %v, want %v", pauses, want)
	}
	if pause, ok := r.Next(0); ok || r.Starts() != 6 {
		t.Error(pause, r.Starts())
	}
}
