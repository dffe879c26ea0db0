package conformance_test

import (
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/conformance"
	"github.com/rondo-agent/rondo/conformance/ordered"
)

func TestCompare(t *testing.T) {
	want := conformance.Trace{
		"events": []any{ordered.Of("a", 1, "b", 2), "x"},
		"exit":   ordered.Number("0"),
		"files":  ordered.Object{},
	}
	same := conformance.Trace{
		"events": []any{ordered.Of("b", 2, "a", 1), "x"},
		"exit":   0,
		"files":  ordered.Object{},
	}
	if d := conformance.Compare(want, same); len(d) > 0 {
		t.Errorf("the same traces differ: %v", d)
	}
	other := conformance.Trace{
		"events":  []any{ordered.Of("a", 1, "b", 3), "x"},
		"exit":    0,
		"files":   ordered.Object{},
		"problem": "stuck",
	}
	differences := conformance.Compare(want, other)
	if len(differences) != 2 || differences[0].Facet != "events" || differences[1].Facet != "problem" {
		t.Fatalf("got %v, want events and problem", differences)
	}
	const diff = `--- want events
+++ got events
@@ -1,7 +1,7 @@
 [
  {
   "a": 1,
-  "b": 2
+  "b": 3
  },
  "x"
 ]`
	if got := differences[0].String(); got != diff {
		t.Errorf("got\n%s\nwant\n%s", got, diff)
	}
}

func TestDifference_IsCutToWhatAReaderCanUse(t *testing.T) {
	var many []any
	for range 500 {
		many = append(many, strings.Repeat("é", 500))
	}
	text := conformance.Difference{Facet: "events", Want: []any{}, Got: many}.String()
	lines := strings.Split(text, "\n")
	if last := lines[len(lines)-1]; len(lines) > 150 || !strings.HasSuffix(last, "more lines") {
		t.Errorf("%d lines, the last is %q", len(lines), last)
	}
	for _, line := range lines {
		if len(line) > 450 || strings.ToValidUTF8(line, "") != line {
			t.Fatalf("a line of %d bytes: %q", len(line), line)
		}
	}
}
