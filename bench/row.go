package main

import "math"

// bar is what a number must not exceed. The zero bar judges nothing.
type bar struct {
	limit float64
	// ofPi says that the limit is a share of Pi's number; otherwise it is Rondo's own.
	ofPi bool
}

// ofPi is a bar at a share of what Pi needs.
func ofPi(share float64) bar { return bar{limit: share, ofPi: true} }

// atMost is a bar for Rondo's number alone.
func atMost(limit float64) bar { return bar{limit: limit} }

// verdict says what became of a bar.
type verdict string

// The verdicts.
const (
	noBar     verdict = ""
	holds     verdict = "holds"
	missed    verdict = "MISSED"
	notJudged verdict = "not judged"
)

// row is one line of the table: a quantity of both sides and its bar.
type row struct {
	Group string
	What  string
	Unit  unit
	Pi    sample // nil when it was not measured
	Rondo sample // nil when it was not measured
	Bar   bar
}

// ratio is Rondo's median over Pi's; ok is false when there is none.
func (r *row) ratio() (ratio float64, ok bool) { return over(r.Rondo, r.Pi, sample.median) }

// best is the ratio of the least values, which other work on the machine disturbs least.
func (r *row) best() (ratio float64, ok bool) { return over(r.Rondo, r.Pi, sample.min) }

func over(a, b sample, of func(sample) float64) (float64, bool) {
	if len(a) == 0 || len(b) == 0 || of(a) < 0 || of(b) <= 0 {
		return math.NaN(), false
	}
	return of(a) / of(b), true
}

// verdict judges the medians.
func (r *row) verdict() verdict {
	if r.Bar == (bar{}) {
		return noBar
	}
	got, ok := r.Rondo.median(), len(r.Rondo) > 0
	if r.Bar.ofPi {
		got, ok = r.ratio()
	}
	switch {
	case !ok:
		return notJudged
	case got <= r.Bar.limit:
		return holds
	}
	return missed
}

// barText is the bar as the table shows it.
func (r *row) barText() string {
	switch {
	case r.Bar == (bar{}):
		return ""
	case r.Bar.ofPi:
		return "≤ " + digits(r.Bar.limit) + " of Pi"
	}
	return "≤ " + r.Unit.format(r.Bar.limit)
}
