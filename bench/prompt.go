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
		line("  processor time, 1 ms apart", "paced delta cpu", bar{}),
	}
}

// promptClient sends n short and n long prompts in turns to one program, and a third as
// many paced ones.
func promptClient(m *model, r *rpc, n int) (values, error) {
	for range warmUps {
		if _, err := ask(m, r, longAnswer); err != nil {
			return nil, err
		}
	}
	costs := values{}
	for i := range n {
		kinds := map[string]answer{"short": shortAnswer, "long": longAnswer}
		if i%3 == 0 {
			kinds["paced"] = pacedAnswer
		}
		for name, a := range kinds {
			c, err := ask(m, r, a)
			if err != nil {
				return nil, err
			}
			costs.add(c.values(name))
		}
	}
	return promptValues(costs), nil
}

// promptValues adds what follows from the costs of one program's prompts. Only the medians
// of many are compared: a single difference of two prompts is mostly noise.
func promptValues(costs values) values {
	perDelta := func(many, one float64) float64 { return (many - one) / float64(longAnswer.deltas-shortAnswer.deltas) }
	costs.derive("delta wall", "long wall", "short wall", perDelta)
	costs.derive("delta cpu", "long cpu", "short cpu", perDelta)
	costs.derive("paced delta cpu", "paced cpu", "short cpu", perDelta)
	return costs
}

// cost is what one prompt took.
type cost struct {
	wall   time.Duration
	cpu    time.Duration
	hasCPU bool
}

// values are the quantities of a prompt with an answer of the given name.
func (c cost) values(name string) values {
	found := values{name + " wall": {float64(c.wall)}}
	if c.hasCPU {
		found[name+" cpu"] = sample{float64(c.cpu)}
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
