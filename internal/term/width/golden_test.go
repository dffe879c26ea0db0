package width_test

import (
	"bufio"
	"os"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/internal/term/width"
)

// record is one line of testdata/pi.jsonl: what Pi's library answered to a call.
type record struct {
	fn   string
	args []jsontext.Value
	want jsontext.Value
}

// records reads what testdata/record.mjs wrote.
func records(t *testing.T) []record {
	t.Helper()
	file, err := os.Open("testdata/pi.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out []record
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var parts []jsontext.Value
		var r record
		if err := json.Unmarshal(lines.Bytes(), &parts, jsontext.AllowInvalidUTF8(true)); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(parts[0], &r.fn); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(parts[1], &r.args); err != nil {
			t.Fatal(err)
		}
		r.want = parts[2]
		out = append(out, r)
	}
	if err := lines.Err(); err != nil || len(out) == 0 {
		t.Fatalf("%d records: %v", len(out), err)
	}
	return out
}

// arg decodes argument i, or returns otherwise if there is none.
func arg[T any](t *testing.T, r record, i int, otherwise T) T {
	t.Helper()
	if i >= len(r.args) || string(r.args[i]) == "null" {
		return otherwise
	}
	var v T
	if err := json.Unmarshal(r.args[i], &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestSameAsPi compares every recorded answer of Pi's library with ours.
func TestSameAsPi(t *testing.T) {
	failed := map[string]int{}
	total := map[string]int{}
	for _, r := range records(t) {
		s := arg(t, r, 0, "")
		n := func(i int) int { return arg(t, r, i, 0) }
		var got any
		switch r.fn {
		case "visibleWidth":
			got = width.Of(s)
		case "stripTerminalSequences":
			got = width.Strip(s)
		case "wrapTextWithAnsi":
			got = width.Wrap(s, n(1))
		case "truncateToWidth":
			got = width.Truncate(s, n(1), arg(t, r, 2, "..."), arg(t, r, 3, false))
		case "sliceByColumn":
			got = width.Slice(s, n(1), n(2), arg(t, r, 3, false))
		case "getOsc8LinkAtColumn":
			if url := width.LinkAt(s, n(1)); url != "" {
				got = url
			}
		default:
			continue
		}
		total[r.fn]++
		have, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(comparable(t, r.fn, r.want), comparable(t, r.fn, have)); diff != "" {
			if failed[r.fn]++; failed[r.fn] < 6 {
				t.Errorf("%s%s\n got %s\nwant %s", r.fn, r.args, have, r.want)
			}
		}
	}
	t.Log(total, failed)
}

// comparable decodes a result, without two things in which ours is meant to differ: a wrapped
// line that would show nothing but set a style is left out, and a slice keeps the order of
// the sequences that it takes along.
func comparable(t *testing.T, fn string, raw jsontext.Value) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	switch v := v.(type) {
	case string:
		if fn == "sliceByColumn" {
			return width.Strip(v)
		}
	case []any:
		return slices.DeleteFunc(v, func(line any) bool {
			s, _ := line.(string)
			return s != "" && width.Of(s) == 0
		})
	}
	return v
}
