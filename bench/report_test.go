package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

func TestRow_Verdict(t *testing.T) {
	for name, c := range map[string]struct {
		row  row
		want verdict
	}{
		"no bar":              {row{Rondo: sample{1}}, noBar},
		"share holds":         {row{Pi: sample{10, 10, 99}, Rondo: sample{1, 1, 50}, Bar: ofPi(0.1)}, holds},
		"share missed":        {row{Pi: sample{10}, Rondo: sample{2}, Bar: ofPi(0.1)}, missed},
		"share without Pi":    {row{Rondo: sample{2}, Bar: ofPi(0.1)}, notJudged},
		"share of nothing":    {row{Pi: sample{0}, Rondo: sample{2}, Bar: ofPi(0.1)}, notJudged},
		"limit holds":         {row{Rondo: sample{2}, Bar: atMost(2)}, holds},
		"limit missed":        {row{Rondo: sample{2.01}, Bar: atMost(2)}, missed},
		"limit below zero":    {row{Rondo: sample{-2}, Bar: atMost(2)}, holds},
		"limit without Rondo": {row{Pi: sample{1}, Bar: atMost(2)}, notJudged},
	} {
		if got := c.row.verdict(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestRow_Ratio(t *testing.T) {
	r := row{Pi: sample{10, 20, 30}, Rondo: sample{4, 2, 3}}
	if ratio, ok := r.ratio(); !ok || ratio != 0.15 {
		t.Errorf("ratio %v, %v", ratio, ok)
	}
	if best, ok := r.best(); !ok || best != 0.2 {
		t.Errorf("best %v, %v", best, ok)
	}
	if ratio, ok := (&row{Rondo: sample{1}}).ratio(); ok || !math.IsNaN(ratio) {
		t.Errorf("without Pi: %v, %v", ratio, ok)
	}
}

func exampleRows() []row {
	return []row{
		{Group: "startup", What: "--version", Unit: nanoseconds, Pi: sample{4e8, 5e8}, Rondo: sample{9e6}, Bar: ofPi(0.06)},
		{Group: "startup", What: "size", Unit: megabytes, Rondo: sample{13}, Bar: atMost(30)},
		{Group: "tools", What: "a call", Unit: nanoseconds, Pi: sample{100}, Rondo: sample{50}, Bar: ofPi(0.35)},
		{Group: "tools", What: "  alone", Unit: nanoseconds, Pi: sample{1e5}, Bar: bar{}},
	}
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	writeAligned(&out, (&report{Rows: exampleRows()}).cells(), "lrlrlrrll")
	want := strings.TrimPrefix(`
                 Pi                       Rondo    ratio   best  bar

startup
  --version  450 ms  [400 ms – 500 ms]  9.00 ms    0.020  0.022  ≤ 0.060 of Pi  holds
  size            –                     13.0 MB                  ≤ 30.0 MB      holds

tools
  a call     100 ns                     50.0 ns     0.50   0.50  ≤ 0.35 of Pi   MISSED
    alone    100 µs                           –
`, "\n")
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestReport_SaysWhatFailed(t *testing.T) {
	var out bytes.Buffer
	r := &report{Rows: exampleRows(), NotMeasured: []string{"Pi's side: npm is not installed"}, Load: []float64{1e6}}
	r.writeText(&out)
	for _, want := range []string{"Not measured:\n  Pi's side: npm is not installed\n", "2 bars hold, 1 missed, 0 not judged.", "The machine was busy"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
}

func TestReport_AllHold(t *testing.T) {
	rows := exampleRows()
	for name, c := range map[string]struct {
		report report
		want   bool
	}{
		"all hold":     {report{Rows: rows[:2]}, true},
		"one missed":   {report{Rows: rows}, false},
		"one unjudged": {report{Rows: []row{{Rondo: sample{1}, Bar: ofPi(1)}}}, false},
		"failure":      {report{Rows: rows[:2], NotMeasured: []string{"x"}}, false},
	} {
		if got := c.report.allHold(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestReport_JSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.json")
	if err := (&report{Rows: exampleRows(), Load: []float64{0.5, 1}}).writeJSON(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got reportJSON
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Rows) != 4 || got.Pi != piVersion {
		t.Fatalf("got %+v", got)
	}
	want := rowJSON{
		Group: "startup", What: "size", Unit: megabytes,
		Rondo: &sampleJSON{13, 13, 13, sample{13}}, Bar: &barJSON{30, false, holds},
	}
	if diff := cmp.Diff(want, got.Rows[1]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got.Rows[3].Bar != nil || got.Rows[3].Rondo != nil || got.Rows[0].Ratio == nil {
		t.Errorf("got %+v", got.Rows)
	}
}
