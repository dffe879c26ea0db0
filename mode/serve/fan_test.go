package serve_test

import (
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/serve"
	"github.com/rondo-agent/rondo/session"
)

// pieces is an answer of n deltas.
func pieces(n int) scripted.Reply {
	return scripted.Of(scripted.Text(strings.SplitAfter(strings.TrimSuffix(strings.Repeat("Hello token ;", n), ";"), ";")...))
}

// listener reads a stream without looking at it, as fast or as slowly as pause says.
func (p *place) listener(path string, pause time.Duration) (done func()) {
	p.t.Helper()
	conn, err := net.Dial("tcp", p.addr)
	if err != nil {
		p.t.Fatal(err)
	}
	if pause != 0 {
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10) // or it would seem to read for long
	}
	fmt.Fprintf(conn, "GET %s/events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, p.addr, token)
	head := make([]byte, 1)
	if _, err := io.ReadFull(conn, head); err != nil { // it is connected
		p.t.Fatal(err)
	}
	var reading sync.WaitGroup
	if pause >= 0 {
		reading.Go(func() {
			buf := make([]byte, 32<<10)
			if pause > 0 {
				buf = buf[:256]
			}
			for {
				if _, err := conn.Read(buf); err != nil {
					return
				}
				time.Sleep(pause)
			}
		})
	}
	return func() {
		conn.Close()
		reading.Wait()
	}
}

const never = -1

// TestFan_BoundedMemory: a hundred readers, one that is slow and one that never reads do not
// make the server hold more than the ring and a little for each.
func TestFan_BoundedMemory(t *testing.T) {
	const ringBytes = 1 << 20
	p := newPlace(t, nil, func(o *serve.Options, _ *session.Options) { o.Limits.Ring.Bytes = ringBytes })
	s := p.newSession()
	used := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc + m.StackInuse)
	}
	var ends []func()
	before := used()
	for range 98 {
		ends = append(ends, p.listener(s, 0))
	}
	ends = append(ends, p.listener(s, 50*time.Millisecond), p.listener(s, never))
	p.model.Append(pieces(60_000)) // some 15 MB of events
	p.stream(p.request("POST", s+"/prompt?stream=1", `{"message":"Say much."}`)).untilSettled()
	grown := used() - before
	for _, end := range ends {
		end()
	}
	// the ring, the answer itself with what its steps share, and 96 KiB for each connection
	// with both of its ends in this process
	if limit := ringBytes + 8<<20 + 100*96<<10; grown > limit {
		t.Errorf("the server holds %d KiB more, at most %d KiB are expected", grown>>10, limit>>10)
	}
}

// untilSettled reads a one-shot stream to its end, also past a snapshot.
func (r *reader) untilSettled() {
	r.p.t.Helper()
	for f := r.next(); f.kind != ""; f = r.next() {
		if f.kind == "agent_settled" {
			return
		}
	}
	r.p.t.Fatal("the stream ended before agent_settled")
}

// BenchmarkFan is a run of 2,000 deltas with so many readers, or with one that never reads:
// ns/delta is what a delta takes the run. The readers take the same processors.
func BenchmarkFan(b *testing.B) {
	for _, kind := range []struct {
		name    string
		readers int
		pause   time.Duration
		pace    time.Duration
		deltas  int
	}{
		{"readers=0", 0, 0, 0, 2000},
		{"readers=1", 1, 0, 0, 2000},
		{"readers=100", 100, 0, 0, 2000},
		{"stalled=1", 1, never, 0, 2000},
		{"stalled=100", 100, never, 0, 2000},
		{"slow=1", 1, 50 * time.Millisecond, 0, 2000},
		{"paced/readers=0", 0, 0, time.Millisecond, 200},
		{"paced/readers=100", 100, 0, time.Millisecond, 200},
		{"paced/stalled=100", 100, never, time.Millisecond, 200},
	} {
		b.Run(kind.name, func(b *testing.B) {
			p := newPlace(b, nil)
			s := p.newSession()
			for range kind.readers {
				b.Cleanup(p.listener(s, kind.pause))
			}
			l, leave := p.live(s)
			defer leave()
			b.ReportAllocs()
			for b.Loop() {
				answer := pieces(kind.deltas)
				answer.Pace = kind.pace
				p.model.Append(answer)
				if _, err := l.Prompt(b.Context(), session.Prompt{Text: "Say much."}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(kind.deltas), "ns/delta")
		})
	}
}

// BenchmarkIdleSessions is the memory of sessions that are open and of those at rest, each
// after a prompt.
func BenchmarkIdleSessions(b *testing.B) {
	for name, open := range map[string]int{"open": 1 << 20, "at-rest": 1} {
		b.Run(name, func(b *testing.B) {
			p := newPlace(b, nil, func(o *serve.Options, _ *session.Options) { o.Limits.MaxOpen = open })
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			n := 0
			for b.Loop() {
				p.model.Append(scripted.Say("Hi."))
				s := p.newSession()
				<-p.ui
				p.sessions.Clear()
				p.stream(p.request("POST", s+"/prompt?stream=1", `{"message":"Hello."}`)).untilSettled()
				n++
			}
			if open == 1 {
				for strings.Count(p.do("GET", "/api/sessions?limit=1000000", ""), `"isOpen":true`) > 1 {
					time.Sleep(10 * time.Millisecond)
				}
			}
			p.http.CloseIdleConnections()
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapAlloc+after.StackInuse-before.HeapAlloc-before.StackInuse)/float64(n), "B/session")
		})
	}
}
