package main

import (
	"context"
	"time"
)

// The answers of the prompt group. What a delta costs is the difference between the long
// answer and the short one, so that neither the start of a request nor the session's files
// count.
var (
	shortAnswer = answer{deltas: 1}
	longAnswer  = answer{deltas: 200}
	pacedAnswer = answer{deltas: 200, pace: time.Millisecond}
)

// warmUps is how many long answers come before the measured ones: a just-in-time compiler
// has seen the path by then.
const warmUps = 5

// prompts measures prompts over RPC against the loopback model.
func prompts(ctx context.Context, b *bench) []row {
	m, err := startModel()
	if err != nil {
		b.fail("prompts", err)
		return nil
	}
	defer m.close()
	pi, rondo := b.programs(ctx, "prompts", 0, b.clients, func(ctx context.Context, p *program) (values, error) {
		found := values{}
		err := withRPC(ctx, p, m.url, func(r *rpc, _ time.Duration) (err error) {
			found, err = promptClient(m, r, b.prompts)
			return err
		})
		return found, err
	})
	line := func(what, key string, bar bar) row {
		return row{What: what, Unit: nanoseconds, Pi: pi[key], Rondo: rondo[key], Bar: bar}
	}
	return []row{
		line("prompt to settled, 1 delta", "short wall", bar{}),
		line("prompt to settled, 200 deltas", "long wall", bar{}),
		line("  processor time", "long cpu", bar{}),
		line("a delta, bytes to line", "delta wall", ofPi(0.1)),
		line("  processor time", "delta cpu", ofPi(0.1)),
		line("  processor time, 1 ms apart", "paced cpu", bar{}),
	}
}

// promptClient sends n prompts of each kind to one program.
func promptClient(m *model, r *rpc, n int) (values, error) {
	for range warmUps {
		if _, err := ask(m, r, longAnswer); err != nil {
			return nil, err
		}
	}
	found := values{}
	for range n {
		var costs []cost
		for _, a := range []answer{shortAnswer, longAnswer, pacedAnswer} {
			c, err := ask(m, r, a)
			if err != nil {
				return nil, err
			}
			costs = append(costs, c)
		}
		found.add(costValues(costs[0], costs[1], costs[2]))
	}
	return found, nil
}

// cost is what one prompt took.
type cost struct {
	wall   time.Duration
	cpu    time.Duration
	hasCPU bool
}

// costValues turns the costs of a short, a long and a paced answer into quantities.
func costValues(short, long, paced cost) values {
	further := float64(longAnswer.deltas - shortAnswer.deltas)
	found := values{
		"short wall": {float64(short.wall)},
		"long wall":  {float64(long.wall)},
		"delta wall": {float64(long.wall-short.wall) / further},
	}
	if short.hasCPU && long.hasCPU && paced.hasCPU {
		found["long cpu"] = sample{float64(long.cpu)}
		found["delta cpu"] = sample{float64(long.cpu-short.cpu) / further}
		found["paced cpu"] = sample{float64(paced.cpu-short.cpu) / further}
	}
	return found
}

// ask sends one prompt and measures it.
func ask(m *model, r *rpc, a answer) (cost, error) {
	m.say(a)
	pid := r.cmd.Process.Pid
	before, errBefore := processorTime(pid)
	wall, err := r.prompt(a.deltas)
	if err != nil {
		return cost{}, err
	}
	after, errAfter := processorTime(pid)
	return cost{wall: wall, cpu: after - before, hasCPU: errBefore == nil && errAfter == nil}, nil
}
