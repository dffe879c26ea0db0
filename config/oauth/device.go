package oauth

import (
	"cmp"
	"context"
	"time"
)

// The defaults of RFC 8628.
const (
	deviceInterval = 5 * time.Second
	slowerBy       = 5 * time.Second
	deviceExpiry   = 15 * time.Minute
)

// answer is what a server says to the question whether a code has been entered.
type answer int

// The answers.
const (
	entered answer = iota
	pending
	slowDown
)

// poll asks again and again until the code has been entered, or cannot be any more. An error
// of ask ends it.
type poll struct {
	interval, expiry time.Duration // 0 stands for the defaults
	sleep            func(context.Context, time.Duration) error
	ask              func(context.Context) (answer, error)
}

func (p *poll) run(ctx context.Context) error {
	interval := cmp.Or(p.interval, deviceInterval)
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(p.expiry, deviceExpiry), ErrExpired)
	defer cancel()
	sleep := p.sleep
	if sleep == nil {
		sleep = wait
	}
	for {
		if err := sleep(ctx, interval); err != nil {
			return err
		}
		got, err := p.ask(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		case got == entered:
			return nil
		case got == slowDown:
			interval += slowerBy
		}
	}
}

// wait returns nil after d, or why ctx has ended.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }
