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
			text, err := p.readInput(t.Context())
			if err != nil || text != "some text" {
				t.Errorf("read %q, %v", text, err)
			}
			if got := strings.Count(told.String(), "\n"); got != test.lines || got > 0 && !strings.Contains(told.String(), "waiting for the end of standard input") {
				t.Errorf("open for %v: told %q", test.open, told.String())
			}
		})
	}
}

// PowerShell writes UTF-16 into a pipe.
func TestInputInUTF16IsText(t *testing.T) {
	p := &program{in: strings.NewReader("\xff\xfeh\x00\xe9\x00\r\x00\n\x00")}
	if text, err := p.readInput(t.Context()); err != nil || text != "hé\r\n" {
		t.Errorf("read %q, %v", text, err)
	}
}
