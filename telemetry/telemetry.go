package telemetry

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"
)

// scope names who makes the spans and metrics.
const scope = "github.com/rondo-agent/rondo"

// Options are the settings that do not come from the environment.
type Options struct {
	// Version is the program's own.
	Version string
}

// Telemetry sends what sessions report. A nil one sends nothing.
type Telemetry struct {
	tracer  trace.Tracer
	meters  meters
	content bool

	traces  *sdktrace.TracerProvider // nil if no spans are sent
	metrics *sdkmetric.MeterProvider // nil if no metrics are sent

	mu     sync.Mutex
	failed error // the first export that failed
}

// Start begins to send what the environment asks for. It returns nil if that is nothing,
// and an error that says what cannot be done.
func Start(ctx context.Context, opts *Options) (*Telemetry, error) {
	to, err := environment()
	if err != nil {
		return nil, fmt.Errorf("telemetry is off: %w", err)
	}
	if to.traces == "" && to.metrics == "" {
		return nil, nil
	}
	if opts == nil {
		opts = &Options{}
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "rondo"), attribute.String("service.version", opts.Version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("telemetry is off: read OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	t := &Telemetry{content: capturesContent(), tracer: tracenoop.NewTracerProvider().Tracer(scope)}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(t.fail)) // the default writes between our lines
	if to.traces != "" {
		exporter := &spanExporter{newSender(to.traces, to.headers, to)}
		t.traces = sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
		t.tracer = t.traces.Tracer(scope, trace.WithInstrumentationVersion(opts.Version))
	}
	if to.metrics != "" {
		exporter := &metricExporter{newSender(to.metrics, to.metricHeaders, to)}
		t.metrics = sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(exporter)), sdkmetric.WithResource(about))
	}
	t.meters = newMeters(t.meter(opts.Version))
	return t, nil
}

func (t *Telemetry) meter(version string) metric.Meter {
	if t.metrics == nil {
		return noop.NewMeterProvider().Meter(scope)
	}
	return t.metrics.Meter(scope, metric.WithInstrumentationVersion(version))
}

func (t *Telemetry) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed == nil {
		t.failed = err
	}
}

// Shutdown sends what is left and ends. The error is that of the first export that failed;
// the sessions have not noticed it.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	if t == nil {
		return nil
	}
	var errs [2]error
	var both sync.WaitGroup
	if t.traces != nil {
		both.Go(func() { errs[0] = t.traces.Shutdown(ctx) })
	}
	if t.metrics != nil {
		both.Go(func() { errs[1] = t.metrics.Shutdown(ctx) })
	}
	both.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, err := range []error{t.failed, errs[0], errs[1]} {
		if err != nil {
			return fmt.Errorf("telemetry was not sent: %w", err)
		}
	}
	return nil
}

// meters are the instruments (names and units: the semantic conventions).
type meters struct {
	tokens     metric.Int64Histogram
	request    metric.Float64Histogram
	firstChunk metric.Float64Histogram
	run        metric.Float64Histogram
	tool       metric.Float64Histogram
}

// The conventions' boundaries.
var (
	tokenBounds  = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
	secondBounds = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
)

func newMeters(m metric.Meter) meters {
	seconds := func(name, about string) metric.Float64Histogram {
		h, err := m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(about), metric.WithExplicitBucketBoundaries(secondBounds...))
		if err != nil {
			panic(err) // of a name that is wrong
		}
		return h
	}
	tokens, err := m.Int64Histogram("gen_ai.client.token.usage", metric.WithUnit("{token}"),
		metric.WithDescription("Tokens of requests to models."), metric.WithExplicitBucketBoundaries(tokenBounds...))
	if err != nil {
		panic(err)
	}
	return meters{
		tokens:     tokens,
		request:    seconds("gen_ai.client.operation.duration", "Duration of requests to models."),
		firstChunk: seconds("gen_ai.client.operation.time_to_first_chunk", "Time to the first piece of an answer."),
		run:        seconds("gen_ai.invoke_agent.duration", "Duration of runs."),
		tool:       seconds("gen_ai.execute_tool.duration", "Duration of tool calls."),
	}
}

func since(start time.Time) float64 { return time.Since(start).Seconds() }
