package main

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// An input that stays open is told once, after a second; one that ends in time is not.
func TestInputThatStaysOpenIsTold(t *testing.T) {
	for _, test := range []struct {
		open  time.Duration
		lines int
	}{{0, 0}, {slowInput / 2, 0}, {slowInput * 2, 1}, {time.Hour, 1}} {
		synctest.Test(t, func(t *testing.T) {
			in, out := io.Pipe()
			go func() {
				_, _ = out.Write([]byte("some "))
				time.Sleep(test.open)
				_, _ = out.Write([]byte("text"))
				_ = out.Close()
			}()
			var told strings.Builder
			p := &program{in: in, err: &told}
			data, err := p.readInput(t.Context())
			if err != nil || string(data) != "some text" {
				t.Errorf("read %q, %v", data, err)
			}
			if got := strings.Count(told.String(), "\n"); got != test.lines || got > 0 && !strings.Contains(told.String(), "waiting for the end of standard input") {
				t.Errorf("open for %v: told %q", test.open, told.String())
			}
		})
	}
}
