package filequeue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

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

// place is somebody in the line of a key: who waits, or works until stop is called.
type place struct {
	stop   context.CancelFunc
	inside bool
}

func stand(ctx context.Context, q *filequeue.Queue, key string) *place {
	ctx, stop := context.WithCancel(ctx)
	p := &place{stop: stop}
	go func() {
		leave, err := q.Enter(ctx, key)
		if err != nil {
			return
		}
		defer leave()
		p.inside = true
		<-ctx.Done()
	}()
	return p
}

type step struct {
	key  string
	stop int // whom in the line; nobody if there are fewer
}

// follow makes the steps and returns what is wrong after one of them.
func follow(ctx context.Context, steps []step) (problem string) {
	var q filequeue.Queue
	model := map[string][]*place{}
	for n, s := range steps {
		if line := model[s.key]; s.stop < len(line) {
			line[s.stop].stop()
			model[s.key] = slices.Delete(line, s.stop, s.stop+1)
		} else {
			model[s.key] = append(line, stand(ctx, &q, s.key))
		}
		synctest.Wait()
		for key, line := range model {
			for i, p := range line {
				if p.inside != (i == 0) {
					problem = fmt.Sprintf("after step %d, place %d of line %s: inside %v", n, i, key, p.inside)
				}
			}
		}
	}
	for _, line := range model {
		for _, p := range line {
			p.stop()
		}
	}
	synctest.Wait()
	if n := q.Lines(); n != 0 {
		problem = fmt.Sprintf("%d lines are left; %s", n, problem)
	}
	return problem
}

// TestQueueAgainstModel checks after random steps that exactly the first of each line is
// at work.
func TestQueueAgainstModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) step {
			return step{rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "key"), rapid.IntRange(0, 6).Draw(r, "stop")}
		}), 1, 60).Draw(r, "steps")
		var problem string
		synctest.Test(t, func(t *testing.T) { problem = follow(t.Context(), steps) })
		if problem != "" {
			r.Fatal(problem)
		}
	})
}
