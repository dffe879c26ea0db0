package filequeue_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/rondo-agent/rondo/tools/internal/filequeue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestReport_PAR04_OrderOfWorkIsTheOrderOfEnter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			q     filequeue.Queue
			order []int
			wg    sync.WaitGroup
		)
		tickets := make([]*filequeue.Ticket, 100)
		for i := range tickets {
			tickets[i] = q.Enter("a")
		}
		for i, ticket := range slices.Backward(tickets) { // started the wrong way round
			wg.Go(func() {
				defer ticket.Release()
				if err := ticket.Wait(t.Context()); err != nil {
					t.Error(err)
				}
				order = append(order, i)
			})
			synctest.Wait()
		}
		wg.Wait()
		if !slices.IsSorted(order) || len(order) != len(tickets) {
			t.Errorf("order %v", order)
		}
	})
}

func TestDifferentKeysDoNotWait(t *testing.T) {
	var q filequeue.Queue
	a, b := q.Enter("a"), q.Enter("b")
	if err := errors.Join(b.Wait(t.Context()), a.Wait(t.Context())); err != nil {
		t.Error(err)
	}
}

func TestAbortedCallLeavesTheOrderIntact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q filequeue.Queue
		first, second, third := q.Enter("a"), q.Enter("a"), q.Enter("a")
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped := errors.New("stopped")
		cancel(stopped)
		if err := second.Wait(ctx); err != stopped {
			t.Errorf("Wait: %v", err)
		}
		second.Release()
		entered := false
		done := make(chan struct{})
		go func() {
			defer close(done)
			third.Wait(t.Context())
			entered = true
		}()
		synctest.Wait()
		if entered {
			t.Error("third did not wait for first")
		}
		first.Release()
		first.Release()
		<-done
	})
}

func TestTakePrefersTheTicketOfTheCall(t *testing.T) {
	var q, other filequeue.Queue
	ctx, release := q.Claim(t.Context(), "a")
	defer release()
	mine := q.Take(ctx, "a")
	if mine != q.Take(ctx, "a") || !mine.Ready() {
		t.Error("the ticket of the context was not taken")
	}
	second := q.Take(t.Context(), "a")
	if other.Take(ctx, "a") == mine || second == mine || q.Take(ctx, "b") == mine {
		t.Error("a ticket for something else was taken")
	}
	if !second.Ready() {
		t.Error("the ticket for another key was not given up")
	}
}

// TestQueueAgainstModel checks after random steps that exactly the first of each line has
// its turn.
func TestQueueAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q filequeue.Queue
		model := map[string][]*filequeue.Ticket{}
		for range rapid.IntRange(1, 50).Draw(t, "steps") {
			key := strconv.Itoa(rapid.IntRange(0, 2).Draw(t, "key"))
			if n := len(model[key]); n > 0 && rapid.Bool().Draw(t, "release") {
				i := rapid.IntRange(0, n-1).Draw(t, "which")
				model[key][i].Release()
				model[key] = slices.Delete(model[key], i, i+1)
			} else {
				model[key] = append(model[key], q.Enter(key))
			}
			for key, line := range model {
				for i, ticket := range line {
					if ticket.Ready() != (i == 0) {
						t.Fatalf("ticket %d of line %s: ready %v", i, key, ticket.Ready())
					}
				}
			}
		}
	})
}
