package bash

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rondo-agent/rondo/agent"
)

// received is an update and when it came.
type received struct {
	at   time.Duration
	text string
}

// watch runs a progress in a bubble of its own; step gets the function that adds output.
func watch(t *testing.T, step func(add func(string))) (got []received) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		var output strings.Builder
		p := &progress{
			send: func(r *agent.ToolResult) {
				got = append(got, received{time.Since(start), r.Content.Text()})
			},
			snapshot: func() *agent.ToolResult {
				mu.Lock()
				defer mu.Unlock()
				return agent.TextResult(output.String())
			},
			last: start,
		}
		step(func(s string) {
			mu.Lock()
			output.WriteString(s)
			mu.Unlock()
			p.changed()
		})
		p.close()
		n := len(got)
		p.changed()
		time.Sleep(time.Second)
		if len(got) != n {
			t.Error("an update after the end")
		}
	})
	return got
}

func TestProgressIsThrottled(t *testing.T) {
	got := watch(t, func(add func(string)) {
		for range 100 {
			add("x")
			time.Sleep(5 * time.Millisecond)
		}
	})
	if len(got) != 4 && len(got) != 5 {
		t.Errorf("%d updates in half a second", len(got))
	}
	for i := 1; i < len(got); i++ {
		if got[i].at-got[i-1].at < updateInterval || len(got[i].text) <= len(got[i-1].text) {
			t.Errorf("update %d: %v after %v", i, got[i], got[i-1])
		}
	}
}

func TestProgressReportsTheLastOutputBeforeAPause(t *testing.T) {
	got := watch(t, func(add func(string)) {
		time.Sleep(time.Second)
		add("a")
		time.Sleep(time.Millisecond)
		add("b")
		time.Sleep(time.Second)
	})
	if len(got) != 2 || got[0].text != "a" || got[1].text != "ab" || got[1].at-got[0].at != updateInterval {
		t.Errorf("updates %v", got)
	}
}

func TestProgressOfAShortCommand(t *testing.T) {
	got := watch(t, func(add func(string)) {
		add("a")
		time.Sleep(time.Millisecond)
	})
	if len(got) != 0 {
		t.Errorf("updates %v", got)
	}
}
