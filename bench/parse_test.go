package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const goBenchOutput = `goos: linux
goarch: amd64
pkg: github.com/rondo-agent/rondo/agent
BenchmarkTextDelta/deltas=1000-2         	    1234	    239000 ns/op	       239.0 ns/delta	  160000 B/op	    2050 allocs/op
BenchmarkTextDelta/deltas=1000-2         	    1300	    220000 ns/op	       220.0 ns/delta	  160000 B/op	    2050 allocs/op
BenchmarkToolCall/batch=10-16            	     100	     12000 ns/op	      1200 ns/call
BenchmarkArgumentDelta-2                 	      10	   8000000 ns/op	      8700 deltas	       900 ns/delta
BenchmarkTextDelta is only mentioned here with words
PASS
`

func TestParseGoBench(t *testing.T) {
	got, err := parseGoBench(strings.NewReader(goBenchOutput))
	if err != nil {
		t.Fatal(err)
	}
	want := values{
		"deltas=1000": {239, 220}, "deltas=1000 ns/op": {239000, 220000},
		"deltas=1000 B/op": {160000, 160000}, "deltas=1000 allocs/op": {2050, 2050},
		"batch=10": {1200}, "batch=10 ns/op": {12000},
		"ns/op": {8000000}, "deltas": {8700}, "ns/delta": {900},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := parseGoBench(strings.NewReader("BenchmarkX 10 many ns/op\n")); err == nil {
		t.Error("a result without a number is no error")
	}
}

func TestDerive_OfTheKernelsBenchmarks(t *testing.T) {
	text := values{
		"deltas=10000": {200, 220, 210}, "listeners=11": {310},
		"deltas=1000 allocs/op": {2040}, "deltas=10000 allocs/op": {20045}, "deltas=100000 allocs/op": {200080},
		"deltas=1000 B/op": {160e3}, "deltas=10000 B/op": {1510e3},
	}
	deriveText(text)
	argument := values{"allocs/op": {43700}, "deltas": {8700}}
	deriveArgument(argument)
	tools := values{"batch=100": {10}, "batch=10000": {15}}
	deriveTools(tools)
	for _, c := range []struct {
		in   values
		name string
		want sample
	}{
		{text, "further", sample{10}},
		{text, "allocs 10000", sample{2}},
		{text, "allocs 100000", sample{2}},
		{text, "bytes 10000", sample{150}},
		{text, "bytes 100000", nil},
		{argument, "allocs", sample{5}},
		{tools, "growth", sample{1.5}},
	} {
		if diff := cmp.Diff(c.want, c.in[c.name]); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, diff)
		}
	}
}

func TestParseDriver(t *testing.T) {
	got, err := parseDriver([]byte(`{"name":"deltas=1000","value":351.5}` + "\n" + `{"name":"deltas=1000","value":360}` + "\n"))
	if diff := cmp.Diff(values{"deltas=1000": {351.5, 360}}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if _, err := parseDriver([]byte("Warning: something\n")); err == nil {
		t.Error("a line that is no JSON is no error")
	}
}

func FuzzParseGoBench(f *testing.F) {
	f.Add([]byte(goBenchOutput))
	f.Add([]byte("Benchmark/-2 1 1 x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := parseGoBench(bytes.NewReader(data))
		if err != nil {
			return
		}
		for name, s := range found {
			if len(s) == 0 {
				t.Errorf("%q has no values", name)
			}
		}
	})
}

func FuzzParseDriver(f *testing.F) {
	f.Add([]byte(`{"name":"a","value":1}` + "\n"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = parseDriver(data) // only a panic is wrong
	})
}
