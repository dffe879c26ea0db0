package extension_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rondo-agent/rondo/extension"
)

func TestEveryDialogEnds(t *testing.T) {
	tests := []struct {
		want    extension.DialogEnd
		prepare func(answers chan string, cancel context.CancelFunc, gone chan struct{})
		after   time.Duration
	}{
		{extension.DialogAnswered, func(answers chan string, _ context.CancelFunc, _ chan struct{}) { answers <- "yes" }, 0},
		{extension.DialogTimedOut, func(chan string, context.CancelFunc, chan struct{}) {}, time.Minute},
		{extension.DialogCancelled, func(_ chan string, cancel context.CancelFunc, _ chan struct{}) { cancel() }, 0},
		{extension.DialogCancelled, func(_ chan string, _ context.CancelFunc, gone chan struct{}) { close(gone) }, 0},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			answers, gone := make(chan string, 1), make(chan struct{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			test.prepare(answers, cancel, gone)
			began := time.Now()
			answer, end := extension.WaitForAnswer(ctx, answers, time.Minute, gone)
			if end != test.want || (answer == "yes") != (end == extension.DialogAnswered) || time.Since(began) != test.after {
				t.Errorf("got %q, %s after %v; want %s", answer, end, time.Since(began), test.want)
			}
		})
	}
}
