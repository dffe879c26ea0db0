package jsonl_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/session/jsonl"
	"github.com/rondo-agent/rondo/session/storetest"
)

// BenchmarkAppend reports the median beside the mean: the bar is 5 µs at the median.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := open(b, write(b, header))
			text := strings.Repeat("x", size)
			var took []time.Duration
			b.ReportAllocs()
			for b.Loop() {
				e := storetest.Assistant(text)
				start := time.Now()
				if err := s.Append(e); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "median-ns")
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	file := write(b, chain(200_000))
	b.ReportAllocs()
	for b.Loop() {
		s, err := jsonl.Open(file, &jsonl.Options{ReadOnly: true})
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}
