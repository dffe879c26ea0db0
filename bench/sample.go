package main

import "slices"

// sample is one quantity, measured several times.
type sample []float64

// median is the middle value, or the mean of the two in the middle; 0 for no values.
func (s sample) median() float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

// min is the least value; 0 for no values.
func (s sample) min() float64 {
	if len(s) == 0 {
		return 0
	}
	return slices.Min(s)
}

// max is the greatest value; 0 for no values.
func (s sample) max() float64 {
	if len(s) == 0 {
		return 0
	}
	return slices.Max(s)
}

// values are the quantities that one run measured, by name.
type values map[string]sample

// add appends the values of one more run.
func (v values) add(more values) {
	for name, s := range more {
		v[name] = append(v[name], s...)
	}
}

// derive adds a quantity that follows from the medians of two others, if they are there.
func (v values) derive(name, from, and string, f func(a, b float64) float64) {
	if a, b := v[from], v[and]; len(a) > 0 && len(b) > 0 {
		v[name] = sample{f(a.median(), b.median())}
	}
}
