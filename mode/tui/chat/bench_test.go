package chat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai"
)

// grown shows an answer that has grown to n bytes, and returns what shows one delta more.
func grown(opening, line string, n int) func() {
	whole := opening + strings.Repeat(line, n/len(line)+100_000)
	var tr Transcript
	at := 0
	show := func(by int) {
		at = min(at+by, len(whole))
		tr.update(&ai.AssistantMessage{Content: ai.Content{&ai.Text{Text: whole[:at]}}})
		if n := len(tr.blocks); n > 100 {
			tr.Drop(n - 1)
		}
	}
	return func() {
		if at < n || at == len(whole) {
			tr, at = Transcript{}, n
		}
		show(5)
	}
}

const (
	prose = "Some words of an answer that goes on and on.\n\n"
	code  = "func f() int { return 1 }\n"
)

// TestDeltaCostsTheSame: what a delta takes does not grow with the answer, neither in prose
// nor in one long block of code.
func TestDeltaCostsTheSame(t *testing.T) {
	for _, c := range []struct{ opening, line string }{{"", prose}, {"```go\n", code}} {
		short := testing.AllocsPerRun(500, grown(c.opening, c.line, 10_000))
		long := testing.AllocsPerRun(500, grown(c.opening, c.line, 1_000_000))
		if long > short+3 {
			t.Errorf("%q: %.1f allocations for a delta of a short answer, %.1f of a long one", c.line, short, long)
		}
	}
}

func BenchmarkUpdate(b *testing.B) {
	for _, c := range []struct{ name, opening, line string }{{"prose", "", prose}, {"code", "```go\n", code}} {
		for _, n := range []int{10_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				step := grown(c.opening, c.line, n)
				b.ReportAllocs()
				for b.Loop() {
					step()
				}
			})
		}
	}
}
