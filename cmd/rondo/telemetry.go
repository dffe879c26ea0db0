package main

import (
	"context"
	"time"

	"github.com/rondo-agent/rondo/telemetry"
)

// telemetryLimit is how long the end of the program waits for what has not been sent yet.
const telemetryLimit = 3 * time.Second

// startTelemetry begins to send what the environment asks for. Nothing else depends on it.
func (p *program) startTelemetry(ctx context.Context) {
	var err error
	if p.telemetry, err = telemetry.Start(ctx, &telemetry.Options{Version: version}); err != nil {
		p.note([]string{err.Error()})
	}
}

// stopTelemetry sends what is left.
func (p *program) stopTelemetry(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), telemetryLimit)
	defer cancel()
	if err := p.telemetry.Shutdown(ctx); err != nil {
		p.note([]string{err.Error()})
	}
}
