package telemetry_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	v1 "go.opentelemetry.io/proto/slim/otlp/collector/metrics/v1"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// receiver is a collector: it decodes what it gets with OpenTelemetry's own messages.
type receiver struct {
	*httptest.Server
	t testing.TB

	mu       sync.Mutex
	statuses []int // of the first requests; then it is 200
	requests int
	headers  []http.Header
	raw      []byte
	spans    []*trace.Span
	metrics  []*metrics.Metric
	about    *resource.Resource
	scope    *common.InstrumentationScope
}

func newReceiver(t testing.TB, statuses ...int) *receiver {
	r := &receiver{t: t, statuses: statuses}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var from io.Reader = req.Body
	if req.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(from)
		if err != nil {
			r.t.Error(err)
			return
		}
		from = z
	}
	body, err := io.ReadAll(from)
	if err != nil {
		r.t.Error(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	r.headers = append(r.headers, req.Header)
	if r.requests <= len(r.statuses) {
		w.WriteHeader(r.statuses[r.requests-1])
		return
	}
	r.raw = append(r.raw, body...)
	switch req.URL.Path {
	case "/v1/traces":
		var got collector.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &got); err != nil {
			r.t.Error(err)
		}
		for _, of := range got.ResourceSpans {
			r.about = of.Resource
			for _, scope := range of.ScopeSpans {
				r.scope, r.spans = scope.Scope, append(r.spans, scope.Spans...)
			}
		}
	case "/v1/metrics":
		var got v1.ExportMetricsServiceRequest
		if err := proto.Unmarshal(body, &got); err != nil {
			r.t.Error(err)
		}
		for _, of := range got.ResourceMetrics {
			for _, scope := range of.ScopeMetrics {
				r.metrics = append(r.metrics, scope.Metrics...)
			}
		}
	default:
		r.t.Errorf("a request to %s", req.URL.Path)
	}
}

// named returns the spans whose names begin so.
func (r *receiver) named(prefix string) []*trace.Span {
	var list []*trace.Span
	for _, s := range r.spans {
		if strings.HasPrefix(s.Name, prefix) {
			list = append(list, s)
		}
	}
	return list
}

// attributes returns a span's attributes as text.
func attributes(list []*common.KeyValue) map[string]string {
	all := make(map[string]string)
	for _, kv := range list {
		switch v := kv.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			all[kv.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			all[kv.Key] = fmt.Sprint(v.IntValue)
		case *common.AnyValue_DoubleValue:
			all[kv.Key] = fmt.Sprint(v.DoubleValue)
		case *common.AnyValue_BoolValue:
			all[kv.Key] = fmt.Sprint(v.BoolValue)
		case *common.AnyValue_ArrayValue:
			for _, e := range v.ArrayValue.Values {
				all[kv.Key] += e.GetStringValue() + ";"
			}
		}
	}
	return all
}

// clean removes what the machine's environment asks for.
func clean(t *testing.T) {
	for _, name := range []string{
		"OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
		"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_COMPRESSION", "OTEL_EXPORTER_OTLP_TIMEOUT",
		"OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "OTEL_TRACES_SAMPLER",
	} {
		t.Setenv(name, "")
	}
}
