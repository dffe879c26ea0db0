package ring_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/rondo-agent/rondo/session/ring"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// gone is a context for those who do not want to wait.
func gone() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func Example() {
	r := ring.New(ring.Limits{})
	r.Append([]byte("one "))
	reader := r.Reader(r.Last()) // what comes from now on
	r.Append([]byte("two "))
	r.Append([]byte("three"))
	batch, err := reader.Next(context.Background())
	fmt.Printf("%s, %v, up to %d\n", batch, err, reader.Last())
	// Output: two three, <nil>, up to 3
}

// TestRing_ReadersSeeAllOrAreTold compares with a list of all records: whatever is appended
// and whenever one reads, a reader gets what it has not had, in order, or is told that some
// of it is gone.
func TestRing_ReadersSeeAllOrAreTold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := ring.Limits{
			Bytes: rapid.IntRange(1, 8000).Draw(t, "bytes"), Records: rapid.IntRange(1, 40).Draw(t, "records"),
			Batch: rapid.IntRange(1, 600).Draw(t, "batch"),
		}
		r := ring.New(limits)
		defer r.Close()
		all := [][]byte{nil} // by number
		readers := []*ring.Reader{r.Reader(0)}
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				record := bytes.Repeat([]byte{byte('a' + len(all)%26)}, rapid.IntRange(1, 900).Draw(t, "size"))
				all = append(all, record)
				if n := r.Append(record); n != uint64(len(all)-1) {
					t.Fatalf("record %d got the number %d", len(all)-1, n)
				}
			},
			"open": func(t *rapid.T) {
				readers = append(readers, r.Reader(uint64(rapid.IntRange(0, len(all)+1).Draw(t, "after"))))
			},
			"read": func(t *rapid.T) {
				c := readers[rapid.IntRange(0, len(readers)-1).Draw(t, "reader")]
				from := c.Last()
				kept, known := r.Since(from)
				batch, err := c.Next(gone())
				switch {
				case errors.Is(err, ring.ErrBehind):
					if known {
						t.Fatalf("told that records after %d are gone, but they are %d bytes", from, kept)
					}
				case errors.Is(err, context.Canceled):
					if from != uint64(len(all)-1) {
						t.Fatalf("nothing after %d, but there are %d records", from, len(all)-1)
					}
				case err != nil:
					t.Fatal(err)
				default:
					want := bytes.Join(all[from+1:c.Last()+1], nil)
					if c.Last() <= from || !bytes.Equal(batch, want) || len(batch) > kept {
						t.Fatalf("after %d: %q up to %d, want %q", from, batch, c.Last(), want)
					}
				}
			},
			"": func(t *rapid.T) {
				newest := uint64(len(all) - 1)
				if newest == 0 {
					return
				}
				if n, ok := r.Since(newest - 1); !ok || n != len(all[newest]) {
					t.Fatalf("the newest record is not there: %d, %v", n, ok)
				}
				if n, ok := r.Since(0); ok && n > max(limits.Bytes, len(all[newest])) {
					t.Fatalf("%d bytes are kept of at most %d", n, limits.Bytes)
				}
			},
		})
	})
}

func FuzzReaderAtAnyPlace(f *testing.F) {
	f.Add(uint64(0), uint16(1))
	f.Add(uint64(1<<63), uint16(300))
	f.Add(^uint64(0), uint16(3))
	f.Fuzz(func(t *testing.T, after uint64, records uint16) {
		r := ring.New(ring.Limits{Bytes: 4000, Records: 64})
		for range records % 512 {
			r.Append([]byte("a record"))
		}
		r.Close()
		c := r.Reader(after)
		for {
			if _, err := c.Next(context.Background()); err != nil {
				if behind := errors.Is(err, ring.ErrBehind); !behind && !errors.Is(err, ring.ErrClosed) {
					t.Fatal(err)
				}
				return
			}
		}
	})
}

func TestRing_WakesReadersTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := ring.New(ring.Limits{Interval: 10 * time.Millisecond})
		start := time.Now()
		var mu sync.Mutex
		var got []string
		var readers sync.WaitGroup
		for range 3 {
			c := r.Reader(0)
			readers.Go(func() {
				for {
					batch, err := c.Next(t.Context())
					if err != nil {
						return
					}
					mu.Lock()
					got = append(got, fmt.Sprintf("%v %s", time.Since(start), batch))
					mu.Unlock()
				}
			})
		}
		synctest.Wait()
		for _, record := range []string{"a", "b", "c"} {
			r.Append([]byte(record))
			time.Sleep(time.Millisecond)
		}
		time.Sleep(50 * time.Millisecond)
		r.Close()
		readers.Wait()
		want := []string{"0s a", "0s a", "0s a", "10ms bc", "10ms bc", "10ms bc"}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the readers got %q, want %q", got, want)
		}
	})
}

func TestRing_CloseWakesAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := ring.New(ring.Limits{})
		r.Append([]byte("x"))
		c := r.Reader(1)
		done := make(chan error)
		go func() {
			_, err := c.Next(t.Context())
			done <- err
		}()
		synctest.Wait()
		r.Close()
		if err := <-done; !errors.Is(err, ring.ErrClosed) {
			t.Errorf("the reader that waited got %v", err)
		}
		if batch, err := r.Reader(0).Next(t.Context()); string(batch) != "x" || err != nil {
			t.Errorf("a later reader got %q, %v", batch, err)
		}
		if r.Append([]byte("y")) != 0 {
			t.Error("a closed ring took a record")
		}
	})
}

func TestRing_EmptyIsSmall(t *testing.T) {
	const n = 1000
	rings := make([]*ring.Ring, n)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range rings {
		rings[i] = ring.New(ring.Limits{})
		rings[i].Append(make([]byte, 100))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if each := (after.HeapAlloc - before.HeapAlloc) / n; each > 2<<10 {
		t.Errorf("a ring with one small record takes %d bytes", each)
	}
	runtime.KeepAlive(rings)
}

func TestRing_AppendingAllocatesLittle(t *testing.T) {
	r := ring.New(ring.Limits{})
	record := make([]byte, 250)
	for range 10_000 {
		r.Append(record)
	}
	if n := testing.AllocsPerRun(10_000, func() { r.Append(record) }); n > 0.2 {
		t.Errorf("%v allocations a record", n)
	}
}

// BenchmarkAppend shows what readers cost who appends: ns/op must not grow with them.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{0, 1, 100} {
		b.Run(fmt.Sprintf("readers=%d", n), func(b *testing.B) {
			r := ring.New(ring.Limits{})
			var readers sync.WaitGroup
			for range n {
				c := r.Reader(0)
				readers.Go(func() {
					for {
						if _, err := c.Next(context.Background()); errors.Is(err, ring.ErrBehind) {
							c = r.Reader(r.Last())
						} else if err != nil {
							return
						}
					}
				})
			}
			record := make([]byte, 250)
			b.ReportAllocs()
			for b.Loop() {
				r.Append(record)
			}
			r.Close()
			readers.Wait()
		})
	}
}
