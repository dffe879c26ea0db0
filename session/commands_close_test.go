package session_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/memory"
)

// TestClose_EndsACommandThatBeginsMeanwhile closes sessions while commands of the user begin: a
// command is refused, or it is aborted, and the end never waits for it.
func TestClose_EndsACommandThatBeginsMeanwhile(t *testing.T) {
	forEver := func(ctx context.Context, _ *host.Command, _ func([]byte)) (host.Exit, error) {
		<-ctx.Done()
		return host.Exit{}, ctx.Err()
	}
	dir := t.TempDir()
	for i := range 4000 {
		s, err := session.New(memory.New(transcript.NewHeader(dir)), &session.Options{Stream: scripted.New().Stream, Bash: &bash.Options{Host: host.WithCommands(nil, forEver)}})
		if err != nil {
			t.Fatal(err)
		}
		var commands sync.WaitGroup
		begin := make(chan struct{})
		for range 8 {
			commands.Go(func() {
				<-begin
				if result, err := s.RunBash(context.Background(), session.BashCommand{Text: "wait"}); err == nil && !result.Cancelled {
					t.Error("a command that never ends has ended by itself")
				}
			})
		}
		close(begin)
		for range i % 50 {
			runtime.Gosched() // the end comes at many places of their beginning
		}
		if err := s.Close(t.Context()); err != nil {
			t.Errorf("Close: %v", err)
		}
		commands.Wait()
	}
}
