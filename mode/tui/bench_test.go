package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/session"
)

// BenchmarkAnswer is an answer of 3,000 deltas, from the prompt to the last frame, with 60 frames a
// second at most.
func BenchmarkAnswer(b *testing.B) {
	var pieces []string
	for i := range 3000 {
		pieces = append(pieces, fmt.Sprintf(`"word%d "`, i))
		if i%40 == 39 {
			pieces[i] = `"\n\n- item **b** ` + "`c`" + `\n\n` + "```go\\nfunc f() {}\\n```" + `\n\n"`
		}
	}
	reply := `{"text": [` + strings.Join(pieces, ",") + `], "paceMs": 1}`
	b.ReportAllocs()
	for b.Loop() {
		c := prepare(b, reply).show(120, 40)
		c.types("go" + enter)
		c.sees("word2998")
		c.loses("Working")
		c.close()
	}
}

// BenchmarkFirstFrame is a terminal from its start to its first frame, without the session.
func BenchmarkFirstFrame(b *testing.B) {
	p := prepare(b, `"ok"`)
	var took time.Duration
	for b.Loop() {
		c := p.show(120, 40)
		took += c.took
		c.close()
	}
	b.ReportMetric(float64(took.Microseconds())/float64(b.N), "µs/frame")
}

// BenchmarkResume is the first frame of a session of 200 messages.
func BenchmarkResume(b *testing.B) {
	p := prepare(b, strings.TrimSuffix(strings.Repeat(`"An answer of some words, with **bold** ones.",`, 100), ","))
	c := p.show(120, 40)
	for i := range 100 {
		if _, err := c.runtime.Session().Prompt(b.Context(), session.Prompt{Text: fmt.Sprintf("question %d", i)}); err != nil {
			b.Fatal(err)
		}
	}
	p.id = c.runtime.Session().ID()
	c.close()
	var took time.Duration
	for b.Loop() {
		c := p.show(120, 40)
		took += c.took
		c.close()
	}
	b.ReportMetric(float64(took.Microseconds())/float64(b.N), "µs/frame")
}
