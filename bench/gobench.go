package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// parseGoBench reads the output of go test -bench. The key of a quantity is the name of
// the sub-benchmark, if there is one, and the unit ("deltas=1000 B/op", "allocs/op"); the
// cost of one step of a sub-benchmark (ns/delta, ns/call) goes by its name alone.
func parseGoBench(r io.Reader) (values, error) {
	found := values{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || len(fields)%2 != 0 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		if _, err := strconv.Atoi(fields[1]); err != nil {
			continue // a line that only begins like a result
		}
		for i := 2; i < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("benchmark result %q: %w", lines.Text(), err)
			}
			key := quantity(subBenchmark(fields[0]), fields[i+1])
			found[key] = append(found[key], value)
		}
	}
	return found, lines.Err()
}

// quantity is the key of a metric.
func quantity(sub, metric string) string {
	switch {
	case sub == "":
		return metric
	case metric == "ns/delta" || metric == "ns/call":
		return sub
	}
	return sub + " " + metric
}

// subBenchmark is the part of a benchmark's name behind the slash, without the number of
// processors at its end.
func subBenchmark(name string) string {
	_, sub, _ := strings.Cut(name, "/")
	if i := strings.LastIndexByte(sub, '-'); i >= 0 {
		if _, err := strconv.Atoi(sub[i+1:]); err == nil {
			sub = sub[:i]
		}
	}
	return sub
}
