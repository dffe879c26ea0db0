package jsonl_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/storetest"
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

// BenchmarkOpen opens files of 40 MB: of many small entries, and of a program's output.
func BenchmarkOpen(b *testing.B) {
	for name, content := range map[string]string{"small": chain(200_000), "large": outputs(40 << 20)} {
		b.Run(name, func(b *testing.B) {
			file := write(b, content)
			b.SetBytes(int64(len(content)))
			b.ReportAllocs()
			for b.Loop() {
				s, err := jsonl.Open(file, &jsonl.Options{ReadOnly: true})
				if err != nil {
					b.Fatal(err)
				}
				s.Close()
			}
		})
	}
}

// BenchmarkProject makes the transcript of a file that has no compaction: all of it.
func BenchmarkProject(b *testing.B) {
	content := outputs(40 << 20)
	s := open(b, write(b, content))
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := transcript.Project(s, s.Leaf()); err != nil {
			b.Fatal(err)
		}
	}
}

// outputs is a session of messages of 50 KB, which look like programs.
func outputs(size int) string {
	text := strings.Repeat("\tif err := f.Close(); err != nil {\n\t\treturn fmt.Errorf(\"close %s: %w\", name, err)\n\t}\n", 600)
	var b strings.Builder
	b.WriteString(header)
	parent := ""
	for i := 0; b.Len() < size; i++ {
		id := fmt.Sprintf("%08x", i)
		b.WriteString(message(id, parent, text))
		parent = id
	}
	fmt.Fprintf(&b, `{"type":"model_change","id":"ffffffff","parentId":%q,"timestamp":"2025-01-01T00:00:01.000Z","provider":"p","modelId":"m"}`+"\n", parent)
	return b.String()
}
