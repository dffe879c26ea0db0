package telemetry

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// defaultTimeout bounds one export.
const defaultTimeout = 10 * time.Second

// target is where the signals go; an empty address means nowhere.
type target struct {
	traces, metrics string
	headers         map[string]string // of traces; those of metrics may differ
	metricHeaders   map[string]string
	timeout         time.Duration
	gzip            bool
}

// environment reads what the variables ask for (names: OpenTelemetry's specification). The
// error is for what cannot be done as it is asked.
func environment() (target, error) {
	t := target{timeout: defaultTimeout}
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return t, nil
	}
	var err error
	if t.traces, err = endpoint("TRACES", "/v1/traces"); err != nil {
		return t, err
	}
	if t.metrics, err = endpoint("METRICS", "/v1/metrics"); err != nil {
		return t, err
	}
	if t.traces == "" && t.metrics == "" {
		return t, nil
	}
	t.headers, t.metricHeaders = headers("TRACES"), headers("METRICS")
	if ms, err := strconv.Atoi(os.Getenv("OTEL_EXPORTER_OTLP_TIMEOUT")); err == nil && ms > 0 {
		t.timeout = time.Duration(ms) * time.Millisecond
	}
	t.gzip = os.Getenv("OTEL_EXPORTER_OTLP_COMPRESSION") == "gzip"
	return t, nil
}

// endpoint returns the address for a signal; the general one is completed with path.
func endpoint(signal, path string) (string, error) {
	switch exporter := os.Getenv("OTEL_" + signal + "_EXPORTER"); exporter {
	case "", "otlp":
	case "none":
		return "", nil
	default:
		return "", fmt.Errorf("OTEL_%s_EXPORTER is %q: only otlp and none are known", signal, exporter)
	}
	name := "OTEL_EXPORTER_OTLP_" + signal + "_ENDPOINT"
	address := os.Getenv(name)
	if address == "" {
		name, address = "OTEL_EXPORTER_OTLP_ENDPOINT", os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT")
		if address == "" {
			return "", nil
		}
		address = strings.TrimRight(address, "/") + path
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%s is no address; it looks like http://localhost:4318", name)
	}
	protocol := os.Getenv("OTEL_EXPORTER_OTLP_" + signal + "_PROTOCOL")
	if protocol == "" {
		protocol = os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL")
	}
	if protocol != "" && protocol != "http/protobuf" {
		return "", fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q: only http/protobuf is known, usually on port 4318", protocol)
	}
	return address, nil
}

// headers reads key=value pairs, separated by commas, in percent encoding.
func headers(signal string) map[string]string {
	list := make(map[string]string)
	for _, name := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_" + signal + "_HEADERS"} {
		for pair := range strings.SplitSeq(os.Getenv(name), ",") {
			key, value, ok := strings.Cut(pair, "=")
			if !ok {
				continue
			}
			if plain, err := url.PathUnescape(value); err == nil {
				value = plain
			}
			list[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	return list
}

// capturesContent reports whether what is said is to be sent, too.
func capturesContent() bool {
	value := strings.ToLower(os.Getenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"))
	return slices.Contains([]string{"true", "span_only", "span_and_event"}, value)
}
