package main

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// report is everything that one run of the command found.
type report struct {
	Date        time.Time
	CPU         string    // model of the processor, where the system tells it
	Node        string    // version of Node, empty without Pi's side
	Load        []float64 // load averages of one minute, at the start and at the end
	Quick       bool
	Rows        []row
	NotMeasured []string // what failed, and why
}

func newReport(b *bench) *report {
	r := &report{Date: time.Now(), CPU: cpuModel(), Quick: b.quick, Load: []float64{load()}}
	if b.pi != nil {
		r.Node = b.pi.nodeVersion
	}
	return r
}

// allHold reports whether every bar was judged and holds.
func (r *report) allHold() bool {
	for _, row := range r.Rows {
		if v := row.verdict(); v == missed || v == notJudged {
			return false
		}
	}
	return len(r.NotMeasured) == 0
}

// reportJSON is the report as -json writes it.
type reportJSON struct {
	Date        time.Time `json:"date"`
	OS          string    `json:"os"`
	Arch        string    `json:"arch"`
	CPU         string    `json:"cpu,omitempty"`
	Cores       int       `json:"cores"`
	Go          string    `json:"go"`
	Node        string    `json:"node,omitempty"`
	Pi          string    `json:"pi"`
	Load        []float64 `json:"load"`
	Quick       bool      `json:"quick"`
	Rows        []rowJSON `json:"rows"`
	NotMeasured []string  `json:"notMeasured"`
}

type rowJSON struct {
	Group string      `json:"group"`
	What  string      `json:"what"`
	Unit  unit        `json:"unit"`
	Pi    *sampleJSON `json:"pi"`
	Rondo *sampleJSON `json:"rondo"`
	Ratio *float64    `json:"ratio"`
	Best  *float64    `json:"bestRatio"`
	Bar   *barJSON    `json:"bar"`
}

type sampleJSON struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Values sample  `json:"values"`
}

type barJSON struct {
	Limit   float64 `json:"limit"`
	OfPi    bool    `json:"ofPi"`
	Verdict verdict `json:"verdict"`
}

func (r *report) writeJSON(path string) error {
	out := reportJSON{
		Date: r.Date, OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: r.CPU, Cores: runtime.NumCPU(), Go: runtime.Version(),
		Node: r.Node, Pi: piVersion, Load: r.Load, Quick: r.Quick, NotMeasured: r.NotMeasured,
	}
	for _, row := range r.Rows {
		out.Rows = append(out.Rows, row.wire())
	}
	data, err := json.Marshal(out, jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

func (r *row) wire() rowJSON {
	out := rowJSON{Group: r.Group, What: r.What, Unit: r.Unit, Pi: r.Pi.wire(), Rondo: r.Rondo.wire()}
	if ratio, ok := r.ratio(); ok {
		out.Ratio = &ratio
	}
	if best, ok := r.best(); ok {
		out.Best = &best
	}
	if r.Bar != (bar{}) {
		out.Bar = &barJSON{r.Bar.limit, r.Bar.ofPi, r.verdict()}
	}
	return out
}

func (s sample) wire() *sampleJSON {
	if len(s) == 0 {
		return nil
	}
	return &sampleJSON{s.median(), s.min(), s.max(), s}
}
