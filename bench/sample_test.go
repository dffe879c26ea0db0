package main

import "testing"

func TestSample(t *testing.T) {
	for _, c := range []struct {
		s                   sample
		median, least, most float64
	}{
		{nil, 0, 0, 0},
		{sample{7}, 7, 7, 7},
		{sample{9, 1, 5}, 5, 1, 9},
		{sample{4, 1, 3, 2}, 2.5, 1, 4},
		{sample{-3, 1e9, 0}, 0, -3, 1e9},
	} {
		before := append(sample(nil), c.s...)
		if got := [3]float64{c.s.median(), c.s.min(), c.s.max()}; got != [3]float64{c.median, c.least, c.most} {
			t.Errorf("%v: %v", c.s, got)
		}
		for i := range before {
			if before[i] != c.s[i] {
				t.Errorf("%v was reordered to %v", before, c.s)
			}
		}
	}
}

func TestValues_Derive(t *testing.T) {
	v := values{"a": {1, 3}, "b": {5}}
	difference := func(a, b float64) float64 { return b - a }
	v.derive("c", "a", "b", difference)
	v.derive("d", "a", "missing", difference)
	if got := v["c"]; len(got) != 1 || got[0] != 3 {
		t.Errorf("c: %v", got)
	}
	if got, ok := v["d"]; ok {
		t.Errorf("d: %v", got)
	}
	v.add(values{"a": {2}, "e": {1}})
	if len(v["a"]) != 3 || len(v["e"]) != 1 {
		t.Errorf("after add: %v", v)
	}
}

func TestUnit_Format(t *testing.T) {
	for _, c := range []struct {
		unit  unit
		value float64
		want  string
	}{
		{nanoseconds, 0, "0 ns"},
		{nanoseconds, 5.294, "5.29 ns"},
		{nanoseconds, -10.6, "-10.6 ns"},
		{nanoseconds, 1_500, "1.50 µs"},
		{nanoseconds, 445e6, "445 ms"},
		{nanoseconds, 4.29e9, "4.29 s"},
		{byteCount, 153, "153 B"},
		{byteCount, 116 << 20, "116 MiB"},
		{megabytes, 12.866, "12.9 MB"},
		{count, 2, "2.00"},
		{count, 0.0996, "0.100"},
		{count, 0.00047, "0.00047"},
		{times, 1.42, "1.42 ×"},
	} {
		if got := c.unit.format(c.value); got != c.want {
			t.Errorf("%v %s: %q, want %q", c.value, c.unit, got, c.want)
		}
	}
}
