package relay_test

import (
	"context"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/relay"
)

// BenchmarkClient measures one delta from the relay's bytes to the event.
func BenchmarkClient(b *testing.B) {
	const deltas = 10_000
	body := lines(`{"type":"start"}`, `{"type":"text_start","contentIndex":0}`) +
		strings.Repeat(lines(`{"type":"text_delta","contentIndex":0,"delta":" some text"}`), deltas) +
		lines(`{"type":"text_end","contentIndex":0}`, `{"type":"done","reason":"stop"}`)
	b.ReportAllocs()
	for b.Loop() {
		for range stream(b.Context(), body).Events() {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/deltas, "ns/delta")
}

// BenchmarkRelay measures one delta from a provider through a server on loopback to the
// client's event.
func BenchmarkRelay(b *testing.B) {
	const deltas = 10_000
	l := newLab(b, func(_ context.Context, w *ai.Writer) error {
		text := w.StartText()
		for range deltas {
			w.Append(text, " some text")
		}
		w.Done(ai.StopEnd)
		return nil
	})
	b.ReportAllocs()
	for b.Loop() {
		for range relay.New(l.url, token)(b.Context(), l.request()).Events() {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/deltas, "ns/delta")
}
