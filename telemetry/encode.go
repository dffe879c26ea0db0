package telemetry

import (
	"context"
	"math"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/protobuf/encoding/protowire"
)

// What follows writes the messages of opentelemetry-proto 1 (trace.proto, metrics.proto,
// common.proto), by their field numbers.

// spanExporter sends spans.
type spanExporter struct{ to *sender }

// ExportSpans implements [sdktrace.SpanExporter].
func (e *spanExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	return e.to.send(ctx, encodeSpans(spans))
}

// Shutdown implements [sdktrace.SpanExporter].
func (e *spanExporter) Shutdown(context.Context) error {
	e.to.close()
	return nil
}

// metricExporter sends metrics, as sums since the start.
type metricExporter struct{ to *sender }

// Temporality implements [sdkmetric.Exporter].
func (*metricExporter) Temporality(sdkmetric.InstrumentKind) metricdata.Temporality {
	return metricdata.CumulativeTemporality
}

// Aggregation implements [sdkmetric.Exporter].
func (*metricExporter) Aggregation(kind sdkmetric.InstrumentKind) sdkmetric.Aggregation {
	return sdkmetric.DefaultAggregationSelector(kind)
}

// Export implements [sdkmetric.Exporter].
func (e *metricExporter) Export(ctx context.Context, data *metricdata.ResourceMetrics) error {
	body, some := encodeMetrics(data)
	if !some {
		return nil
	}
	return e.to.send(ctx, body)
}

// ForceFlush implements [sdkmetric.Exporter].
func (*metricExporter) ForceFlush(context.Context) error { return nil }

// Shutdown implements [sdkmetric.Exporter].
func (e *metricExporter) Shutdown(context.Context) error {
	e.to.close()
	return nil
}

// Fields of a message, appended in any order.
func appendMessage(dst []byte, field protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, field, protowire.BytesType), message)
}

func appendText(dst []byte, field protowire.Number, text string) []byte {
	if text == "" {
		return dst
	}
	return protowire.AppendString(protowire.AppendTag(dst, field, protowire.BytesType), text)
}

func appendNumber(dst []byte, field protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(dst, field, protowire.VarintType), n)
}

func appendFixed(dst []byte, field protowire.Number, n uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(dst, field, protowire.Fixed64Type), n)
}

func appendTime(dst []byte, field protowire.Number, t time.Time) []byte {
	return appendFixed(dst, field, uint64(t.UnixNano()))
}

// encodeSpans makes a trace request. All spans are of one resource and one scope.
func encodeSpans(spans []sdktrace.ReadOnlySpan) []byte {
	list := appendMessage(nil, 1, scopeOf(spans[0].InstrumentationScope()))
	for _, s := range spans {
		list = appendMessage(list, 2, encodeSpan(s))
	}
	of := appendMessage(nil, 1, resourceOf(spans[0].Resource()))
	of = appendMessage(of, 2, list)
	return appendMessage(nil, 1, of)
}

func encodeSpan(s sdktrace.ReadOnlySpan) []byte {
	trace, id := s.SpanContext().TraceID(), s.SpanContext().SpanID()
	out := appendMessage(nil, 1, trace[:])
	out = appendMessage(out, 2, id[:])
	if parent := s.Parent().SpanID(); parent.IsValid() {
		out = appendMessage(out, 4, parent[:])
	}
	out = appendText(out, 5, s.Name())
	out = appendNumber(out, 6, uint64(s.SpanKind()))
	out = appendTime(out, 7, s.StartTime())
	out = appendTime(out, 8, s.EndTime())
	out = appendAttributes(out, 9, s.Attributes())
	if n := s.DroppedAttributes(); n > 0 {
		out = appendNumber(out, 10, uint64(n))
	}
	if status := s.Status(); status.Code != codes.Unset {
		code := uint64(1) // OK, where the SDK counts in another order
		if status.Code == codes.Error {
			code = 2
		}
		out = appendMessage(out, 15, appendNumber(appendText(nil, 2, status.Description), 3, code))
	}
	return out
}

func scopeOf(s instrumentation.Scope) []byte {
	return appendText(appendText(nil, 1, s.Name), 2, s.Version)
}

func resourceOf(r *resource.Resource) []byte { return appendAttributes(nil, 1, r.Attributes()) }

func appendAttributes(dst []byte, field protowire.Number, list []attribute.KeyValue) []byte {
	for _, kv := range list {
		pair := appendText(nil, 1, string(kv.Key))
		dst = appendMessage(dst, field, appendMessage(pair, 2, encodeValue(kv.Value)))
	}
	return dst
}

func encodeValue(v attribute.Value) []byte {
	switch v.Type() {
	case attribute.BOOL:
		return appendNumber(nil, 2, protowire.EncodeBool(v.AsBool()))
	case attribute.INT64:
		return appendNumber(nil, 3, uint64(v.AsInt64()))
	case attribute.FLOAT64:
		return appendFixed(nil, 4, math.Float64bits(v.AsFloat64()))
	case attribute.STRINGSLICE:
		var values []byte
		for _, text := range v.AsStringSlice() {
			values = appendMessage(values, 1, encodeValue(attribute.StringValue(text)))
		}
		return appendMessage(nil, 5, values)
	}
	// Nothing else is used here; the SDK's own resource may bring it. An empty text is a
	// value, too.
	return protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), v.String())
}

// encodeMetrics makes a metrics request; false if there is nothing to send. Histograms are
// all that is made here.
func encodeMetrics(data *metricdata.ResourceMetrics) (body []byte, some bool) {
	of := appendMessage(nil, 1, resourceOf(data.Resource))
	for _, scope := range data.ScopeMetrics {
		list := appendMessage(nil, 1, scopeOf(scope.Scope))
		for _, m := range scope.Metrics {
			var points []byte
			switch h := m.Data.(type) {
			case metricdata.Histogram[int64]:
				points = histogram(h.DataPoints)
			case metricdata.Histogram[float64]:
				points = histogram(h.DataPoints)
			}
			if points == nil {
				continue
			}
			some = true
			metric := appendText(appendText(appendText(nil, 1, m.Name), 2, m.Description), 3, m.Unit)
			const cumulative = 2
			list = appendMessage(list, 2, appendMessage(metric, 9, appendNumber(points, 2, cumulative)))
		}
		of = appendMessage(of, 2, list)
	}
	return appendMessage(nil, 1, of), some
}

func histogram[N int64 | float64](points []metricdata.HistogramDataPoint[N]) []byte {
	var out []byte
	for i := range points {
		p := &points[i]
		one := appendTime(nil, 2, p.StartTime)
		one = appendTime(one, 3, p.Time)
		one = appendFixed(one, 4, p.Count)
		one = appendFixed(one, 5, math.Float64bits(float64(p.Sum)))
		var counts, bounds []byte
		for _, n := range p.BucketCounts {
			counts = protowire.AppendFixed64(counts, n)
		}
		for _, b := range p.Bounds {
			bounds = protowire.AppendFixed64(bounds, math.Float64bits(b))
		}
		one = appendMessage(appendMessage(one, 6, counts), 7, bounds)
		one = appendAttributes(one, 9, p.Attributes.ToSlice())
		if least, ok := p.Min.Value(); ok {
			one = appendFixed(one, 11, math.Float64bits(float64(least)))
		}
		if most, ok := p.Max.Value(); ok {
			one = appendFixed(one, 12, math.Float64bits(float64(most)))
		}
		out = appendMessage(out, 1, one)
	}
	return out
}
