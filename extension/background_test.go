package extension_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// What an extension does in the background ends with its instance; a panic there is its failure
// alone.
func TestBackgroundWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ticks := 0
		s := load(t, nil, func(api *api) {
			api.Go(func(ctx context.Context) error {
				for tick := time.NewTicker(time.Second); ; ticks++ {
					select {
					case <-tick.C:
					case <-ctx.Done():
						tick.Stop()
						return context.Cause(ctx)
					}
					if err := api.Err(); ticks > 3 {
						return err
					}
				}
			})
			api.Go(func(context.Context) error { panic("broken") })
		})
		s.Bind(&bare{})
		time.Sleep(2500 * time.Millisecond)
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if ticks != 2 || s.String() != "<a> background failed: panic: broken" {
			t.Errorf("%d ticks; %s", ticks, s)
		}
	})
}
