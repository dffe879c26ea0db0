package extension_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
)

// A handler that causes its own event, whose inner call is left behind, is called again once
// that has returned.
func TestLaw_X2_AHangInsideOfAHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var s *stage
		var got recorder
		s = load(t, nil, func(api *api) {
			extension.Observe(api, func(ctx context.Context, _ *x, e *extension.TurnStart) error {
				got.add("%d", e.TurnIndex)
				switch e.TurnIndex {
				case 0:
					inner, cancel := context.WithTimeout(ctx, time.Second)
					defer cancel()
					s.Emit(inner, &extension.TurnStart{TurnIndex: 1})
					close(release)
					time.Sleep(time.Millisecond)
				case 1:
					<-release
				}
				return nil
			})
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		s.Emit(ctx, &extension.TurnStart{})
		synctest.Wait()
		s.Emit(ctx, &extension.TurnStart{TurnIndex: 2})
		if ctx.Err() != nil || got.String() != "0, 1, 2" {
			t.Errorf("%v; told %s; %s", ctx.Err(), got.String(), s)
		}
	})
}

// Who waits for a handler's turn goes on when the handler is left behind.
func TestLaw_X2_WhoWaitsForAHangGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		calls := 0
		s := load(t, nil, func(api *api) {
			extension.Observe(api, func(context.Context, *x, *extension.TurnStart) error {
				calls++
				<-release
				return nil
			})
		})
		limit := extension.KindTurnStart.Policy().Deadline
		begun := time.Now()
		second := make(chan time.Duration, 1)
		go s.Emit(t.Context(), &extension.TurnStart{})
		synctest.Wait()
		go func() {
			s.Emit(t.Context(), &extension.TurnStart{})
			second <- time.Since(begun)
		}()
		select {
		case took := <-second:
			if took > limit+2*time.Second {
				t.Errorf("it took %v", took)
			}
		case <-time.After(time.Hour):
			t.Error("it waits for ever")
		}
		close(release)
		synctest.Wait()
		if calls != 1 {
			t.Errorf("%d calls", calls)
		}
	})
}

// What an event after an abort was given is what the report says.
func TestTheReportSaysHowLongAHandlerHad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := load(t, nil, func(api *api) {
			extension.Observe(api, func(context.Context, *x, *extension.AgentEnd) error { <-release; return nil })
		})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s.Emit(ctx, &extension.AgentEnd{})
		close(release)
		if want := "<a> agent_end failed: the handler takes too long: it was given 1s, since the run was aborted; it is left behind"; s.String() != want {
			t.Errorf("got  %s\nwant %s", s, want)
		}
	})
}

// A call that is blocked since a handler hangs says which one does.
func TestLaw_X2_AHangThatBlocksNamesTheExtension(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := load(t, &extension.Options{Deadline: time.Second}, func(api *api) {
			extension.On(api, func(context.Context, *x, *extension.ToolCall) (*extension.ToolCallResult, error) {
				<-release
				return nil, nil
			})
		})
		for _, when := range []string{"at its deadline", "when it has not come back"} {
			if _, err := s.ToolCall(t.Context(), &extension.ToolCall{}); err == nil || !strings.Contains(err.Error(), "extension <a>: tool_call: ") {
				t.Errorf("%s: %v", when, err)
			}
		}
		close(release)
	})
}

// waitingHost waits at its end for what one of its extensions does.
type waitingHost struct{ done chan struct{} }

func (h waitingHost) Load(context.Context, string) (extension.Factory, error) {
	return func(context.Context, *api) error { return nil }, nil
}

func (h waitingHost) Close() error { <-h.done; return nil }

// What a host waits for may be what has ended the extensions: a command that has replaced the
// session, and whose call was given up.
func TestTheEndDoesNotWaitForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := waitingHost{make(chan struct{})}
		r := extension.NewRunner(&extension.Options{Hosts: []extension.HostKind{{Suffixes: []string{".ts"}, Open: func(*extension.Options) (extension.Host, error) {
			return host, nil
		}}}})
		if failed := r.Load(t.Context(), extension.Source{Path: "/a.ts"}); failed != nil {
			t.Fatal(failed)
		}
		go func() {
			r.End()
			close(host.done)
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := r.Close(ctx); err != nil {
			close(host.done)
			t.Error(err)
		}
	})
}

// A handler of another language that an abort has left behind is asked again: a promise that is
// never kept takes nothing from those that follow. At its deadline it is not.
func TestLaw_L8_AnAbortedHandlerIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var calls atomic.Int32
		s := load(t, nil, func(api *api) {
			_, _ = api.OnJSON("tool_call", func(context.Context, *x, *extension.Envelope) (extension.Reply, error) {
				if calls.Add(1) != 2 {
					<-release
				}
				return extension.Reply{}, nil
			})
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		call := &extension.ToolCall{Input: jsontext.Value(`{}`)}
		if _, err := s.ToolCall(ctx, call); err == nil {
			t.Error("an aborted handler lets the call pass")
		}
		if _, err := s.ToolCall(t.Context(), call); err != nil {
			t.Errorf("after an abort: %v", err)
		}
		_, _ = s.ToolCall(t.Context(), call) // until its deadline
		if _, err := s.ToolCall(t.Context(), call); err == nil || !strings.Contains(err.Error(), "a reload starts") || calls.Load() != 3 {
			t.Errorf("after its deadline: %v, %d calls", err, calls.Load())
		}
		close(release)
	})
}
