package agent

import (
	"context"
	"iter"
)

// Run is the iterable form of [Agent.Prompt]: the loop's body gets each event after the
// listeners, and the run waits until it is done with it. Breaking out of the loop aborts
// the run and waits for its end. The error, if there is one, comes last; it is what Prompt
// would return.
func (a *Agent) Run(ctx context.Context, messages ...Message) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		events, next := make(chan Event), make(chan struct{})
		ended := make(chan error, 1)
		go func() {
			ended <- a.start(ctx, func() (runInput, error) {
				return runInput{prompts: messages, last: func(_ context.Context, ev Event) error {
					events <- ev
					<-next
					return nil
				}}, nil
			})
			close(events)
		}()
		held, left := false, true // an event is with the body; the body has gone
		defer func() {
			if !left {
				return
			}
			cancel(ErrAborted)
			if held { // the body panicked
				next <- struct{}{}
			}
			for range events {
				next <- struct{}{}
			}
		}()
		for ev := range events {
			held = true
			more := yield(ev, nil)
			held = false
			if !more {
				cancel(ErrAborted)
			}
			next <- struct{}{}
			if !more {
				return
			}
		}
		left = false
		if err := <-ended; err != nil {
			yield(nil, err)
		}
	}
}
