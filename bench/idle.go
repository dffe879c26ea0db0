package main

import (
	"context"
	"time"
)

// idleTime is how long a program is left alone before its memory is read.
const idleTime = 3 * time.Second

// idleRPC measures the time to the first answer in RPC mode and the memory at rest.
func idleRPC(ctx context.Context, b *bench) []row {
	pi, rondo := b.programs(ctx, "RPC start", 1, b.ready, measureReady)
	piIdle, rondoIdle := b.programs(ctx, "RPC idle memory", 0, b.idle, measureIdle)
	return []row{
		{What: "first answer (get_state)", Unit: nanoseconds, Pi: pi["ready"], Rondo: rondo["ready"], Bar: ofPi(0.1)},
		{What: "processor time to it", Unit: nanoseconds, Pi: pi["cpu"], Rondo: rondo["cpu"]},
		{What: "idle for 3 s, resident memory", Unit: byteCount, Pi: piIdle["rss"], Rondo: rondoIdle["rss"], Bar: ofPi(0.25)},
		{What: "idle for 3 s, proportional share", Unit: byteCount, Pi: piIdle["pss"], Rondo: rondoIdle["pss"], Bar: ofPi(0.25)},
	}
}

func measureReady(ctx context.Context, p *program) (values, error) {
	found := values{}
	err := withRPC(ctx, p, noModel, func(r *rpc, ready time.Duration) error {
		found["ready"] = sample{float64(ready)}
		if cpu, err := processorTime(r.cmd.Process.Pid); err == nil {
			found["cpu"] = sample{float64(cpu)}
		}
		return nil
	})
	return found, err
}

func measureIdle(ctx context.Context, p *program) (values, error) {
	found := values{}
	err := withRPC(ctx, p, noModel, func(r *rpc, _ time.Duration) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(idleTime):
		}
		rss, pss, err := memory(r.cmd.Process.Pid)
		found["rss"], found["pss"] = sample{rss}, sample{pss}
		return err
	})
	return found, err
}

// withRPC starts a program in RPC mode in a workspace of its own, waits for its first
// answer, and calls use.
func withRPC(ctx context.Context, p *program, url string, use func(r *rpc, ready time.Duration) error) error {
	ws, err := newWorkspace(url)
	if err != nil {
		return err
	}
	defer ws.remove()
	r, err := startRPC(ctx, p, ws)
	if err != nil {
		return err
	}
	defer r.stop()
	ready, err := r.getState()
	if err != nil {
		return err
	}
	return use(r, ready)
}
