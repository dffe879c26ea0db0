package filequeue_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/tools/internal/filequeue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func enter(t *testing.T, q *filequeue.Queue, key string) (leave func()) {
	t.Helper()
	leave, err := q.Enter(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return leave
}

func TestTurnsAreTakenInTheOrderOfEnter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 100
		var (
			q     filequeue.Queue
			order []int
			wg    sync.WaitGroup
		)
		leave := enter(t, &q, "a")
		for i := range n {
			wg.Go(func() {
				leave, err := q.Enter(t.Context(), "a")
				if err != nil {
					t.Error(err)
					return
				}
				defer leave()
				order = append(order, i)
			})
			synctest.Wait() // the goroutine stands in the line
		}
		leave()
		wg.Wait()
		if !slices.IsSorted(order) || len(order) != n {
			t.Errorf("order %v", order)
		}
	})
}

func TestDifferentKeysDoNotWait(t *testing.T) {
	var q filequeue.Queue
	leaveA, leaveB := enter(t, &q, "a"), enter(t, &q, "b")
	leaveA()
	leaveB()
	if n := q.Lines(); n != 0 {
		t.Errorf("%d lines are left", n)
	}
}

func TestAbortedWaitLeavesTheOrderIntact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			q  filequeue.Queue
			wg sync.WaitGroup
		)
		first := enter(t, &q, "a")
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped := errors.New("stopped")
		wg.Go(func() {
			if _, err := q.Enter(ctx, "a"); err != stopped {
				t.Errorf("Enter: %v", err)
			}
		})
		synctest.Wait()
		entered := false
		wg.Go(func() {
			defer enter(t, &q, "a")()
			entered = true
		})
		synctest.Wait()
		cancel(stopped)
		synctest.Wait()
		if entered {
			t.Error("the third did not wait for the first")
		}
		first()
		wg.Wait()
		if _, err := q.Enter(ctx, "a"); err != stopped || q.Lines() != 0 {
			t.Errorf("Enter: %v, %d lines are left", err, q.Lines())
		}
	})
}

// TestOneAtATime has the race detector and the counters as its judges.
func TestOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			q      filequeue.Queue
			inside [3]int
			wg     sync.WaitGroup
		)
		random := rand.New(rand.NewPCG(1, 2))
		for range 500 {
			key := random.IntN(len(inside))
			pause, patience := time.Duration(random.IntN(5)), time.Duration(random.IntN(400))
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				leave, err := q.Enter(ctx, strconv.Itoa(key))
				if err != nil {
					return
				}
				defer leave()
				if inside[key]++; inside[key] != 1 {
					t.Errorf("%d work on key %d", inside[key], key)
				}
				time.Sleep(pause)
				inside[key]--
			})
		}
		wg.Wait()
		if n := q.Lines(); n != 0 {
			t.Errorf("%d lines are left", n)
		}
	})
}
