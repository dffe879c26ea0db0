package main

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// startup measures --version: processor time, peak memory and the size of the binary.
func startup(ctx context.Context, b *bench) []row {
	pi, rondo := b.programs(ctx, "--version", 1, b.startup, measureVersion)
	return []row{
		{What: "--version, processor time", Unit: nanoseconds, Pi: pi["cpu"], Rondo: rondo["cpu"], Bar: ofPi(0.06)},
		{What: "--version, peak memory", Unit: byteCount, Pi: pi["peak"], Rondo: rondo["peak"], Bar: ofPi(0.2)},
		{What: "size of the binary, with the server", Unit: megabytes, Rondo: b.binarySize(ctx), Bar: atMost(45)},
	}
}

// measureVersion runs a program twice: memory is read by a busy observer, which must not
// disturb the time.
func measureVersion(ctx context.Context, p *program) (values, error) {
	ws, err := newWorkspace(noModel)
	if err != nil {
		return nil, err
	}
	defer ws.remove()
	timed := p.command(ctx, ws, "--version")
	if out, err := timed.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, tail(string(out), 600))
	}
	cpu := timed.ProcessState.UserTime() + timed.ProcessState.SystemTime()
	found := values{"cpu": {float64(cpu)}}
	peak, err := peakMemory(p.command(ctx, ws, "--version"))
	if errors.Is(err, errUnsupported) {
		return found, nil
	}
	found["peak"] = sample{peak}
	return found, err
}

func (b *bench) binarySize(ctx context.Context) sample {
	p := b.rondo.command(ctx, b)
	if p == nil {
		return nil
	}
	info, err := os.Stat(p.argv[0])
	if err != nil {
		b.fail("size of the binary", err)
		return nil
	}
	return sample{float64(info.Size()) / 1e6}
}
