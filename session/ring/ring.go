// Package ring keeps the newest records of a stream for readers that may be slow.
//
// # Usage
//
//	r := ring.New(ring.Limits{})
//	r.Append([]byte("one"))
//	c := r.Reader(0)
//	batch, err := c.Next(ctx)
//
// # What can be relied on
//
//  1. Append never waits for a reader, and what it costs does not depend on how many there
//     are: readers that wait are woken together, by another goroutine, at most once in
//     [Limits.Interval], and less often where they are many.
//  2. A record has a number, counted from 1. A reader gets all records from its place on, in
//     order and without a gap, or [ErrBehind]: nothing is ever left out silently.
//  3. Readers share the records' memory. However many read and however slowly they do, a ring
//     holds no more than its limits, and a reader at most the batch that it was given last.
//  4. What a reader was given is never changed.
package ring

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Limits bound what a ring keeps. The zero value is a good start.
type Limits struct {
	// Bytes is how much of records is kept; 0 means 4 MiB. The newest record is kept
	// whatever its size.
	Bytes int
	// Records is how many are kept; 0 means 16,384.
	Records int
	// Batch is how many bytes a reader gets at once, if they are more than one record; 0
	// means 32 KiB.
	Batch int
	// Interval is the shortest time between two rounds of waking the readers that wait; 0
	// means 8 milliseconds. For many readers it is longer, 200 microseconds for each, so that
	// they leave the processors to others. The first record after a pause is never held back.
	Interval time.Duration
}

// perReader is what a reader adds to the interval.
const perReader = 200 * time.Microsecond

func (l Limits) or() Limits {
	if l.Bytes <= 0 {
		l.Bytes = 4 << 20
	}
	if l.Records <= 0 {
		l.Records = DefaultRecords
	}
	if l.Batch <= 0 {
		l.Batch = 32 << 10
	}
	if l.Interval <= 0 {
		l.Interval = 8 * time.Millisecond
	}
	return l
}

// Errors of a [Reader].
var (
	// ErrBehind means that records which the reader has not had are gone. The reader gets no
	// more: its owner takes a snapshot of what the records have led to, and a new reader from
	// there.
	ErrBehind = errors.New("ring: the reader has fallen behind: records that it has not had are gone")
	// ErrClosed means that the ring was closed, and that the reader has had all records.
	ErrClosed = errors.New("ring: closed")
)

// Ring holds the newest records of a stream. All methods may be called from any goroutine.
type Ring struct {
	limits Limits

	mu     sync.Mutex
	chunks []*chunk // oldest first; only the last one grows
	last   uint64   // number of the newest record
	bytes  int      // capacity of all chunks
	closed bool

	wake    chan struct{} // closed to wake the readers that wait; nil if none does
	waiting int           // how many those are, or a few more
	timer   *time.Timer   // wakes them; nil until it is needed
	armed   bool          // the timer is running
	wokenAt time.Time
}

// chunk is a piece of memory that records lie in, one behind the other. It is never moved:
// readers read what is written while more is being appended behind it.
type chunk struct {
	first uint64 // number of its first record
	buf   []byte
	ends  []uint32 // where each record ends
}

const (
	smallChunk = 1 << 10 // what a ring begins with
	largeChunk = 64 << 10
)

// New returns an empty ring.
func New(limits Limits) *Ring { return &Ring{limits: limits.or()} }

// Append adds a record, which is copied, and returns its number; 0 if the ring is closed.
func (r *Ring) Append(record []byte) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0
	}
	c := r.room(len(record))
	c.buf = append(c.buf, record...)
	c.ends = append(c.ends, uint32(len(c.buf)))
	r.last++
	r.evict()
	r.arm()
	return r.last
}

// room returns a chunk that has room for n bytes; the mutex is held.
func (r *Ring) room(n int) *chunk {
	size := smallChunk
	if len(r.chunks) > 0 {
		newest := r.chunks[len(r.chunks)-1]
		if cap(newest.buf)-len(newest.buf) >= n && len(newest.ends) < max(r.limits.Records/8, 1) {
			return newest
		}
		size = 2 * cap(newest.buf)
	}
	size = max(n, min(size, largeChunk, r.limits.Bytes/8))
	c := &chunk{first: r.last + 1, buf: make([]byte, 0, size)}
	r.chunks = append(r.chunks, c)
	r.bytes += size
	return c
}

// evict drops the oldest chunks while there is more than the limits allow; the mutex is held.
func (r *Ring) evict() {
	for len(r.chunks) > 1 && (r.bytes > r.limits.Bytes || r.last-r.chunks[0].first >= uint64(r.limits.Records)) {
		r.bytes -= cap(r.chunks[0].buf)
		r.chunks[0] = nil // the array below may live on
		r.chunks = r.chunks[1:]
	}
}

// Last returns the number of the newest record; 0 if there was none.
func (r *Ring) Last() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// Since returns how many bytes the records after number n have. ok is false if some of them
// are gone, or if n is still to come.
func (r *Ring) Since(n uint64) (bytes int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.has(n) {
		return 0, false
	}
	for _, c := range slices.Backward(r.chunks) {
		if c.first <= n+1 {
			return bytes + len(c.buf) - c.start(n+1), true
		}
		bytes += len(c.buf)
	}
	return bytes, true
}

// has reports whether all records after number n are there; the mutex is held.
func (r *Ring) has(n uint64) bool {
	return n <= r.last && (len(r.chunks) == 0 || n+1 >= r.chunks[0].first)
}

// start returns where the record of a number begins.
func (c *chunk) start(n uint64) int {
	if n == c.first {
		return 0
	}
	return int(c.ends[n-c.first-1])
}

// Close ends the stream. Readers get what there is, and [ErrClosed] then.
func (r *Ring) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.timer != nil {
		r.timer.Stop()
	}
	r.armed = false
	r.release()
}

// arm sees to it that readers that wait are woken; the mutex is held.
func (r *Ring) arm() {
	if r.wake == nil || r.armed {
		return
	}
	r.armed = true
	delay := max(r.limits.Interval, time.Duration(r.waiting)*perReader) - time.Since(r.wokenAt)
	if r.timer == nil {
		r.timer = time.AfterFunc(max(delay, 0), r.wakeAll)
		return
	}
	r.timer.Reset(max(delay, 0))
}

func (r *Ring) wakeAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.armed {
		r.armed, r.wokenAt = false, time.Now()
		r.release()
	}
}

// release wakes the readers that wait; the mutex is held.
func (r *Ring) release() {
	if r.wake != nil {
		close(r.wake)
		r.wake, r.waiting = nil, 0
	}
}

// Reader is a place in a ring. It is for one goroutine at a time.
type Reader struct {
	ring *Ring
	next uint64
}

// Reader returns a reader of the records after number n. A number that is still to come is
// one of another stream: the reader gets [ErrBehind] at once.
func (r *Ring) Reader(n uint64) *Reader { return &Reader{r, n + 1} }

// Next waits for records and returns those that lie together, one behind the other, up to
// [Limits.Batch]; they must not be changed. The error is [ErrBehind], [ErrClosed] or ctx's.
func (c *Reader) Next(ctx context.Context) ([]byte, error) {
	for {
		batch, wake, err := c.take()
		if err != nil || batch != nil {
			return batch, err
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Last returns the number of the record that Next gave last.
func (c *Reader) Last() uint64 { return c.next - 1 }

// take returns what there is, or what to wait for.
func (c *Reader) take() (batch []byte, wake chan struct{}, err error) {
	r := c.ring
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !r.has(c.next - 1):
		return nil, nil, ErrBehind
	case c.next <= r.last:
		return c.batch(), nil, nil
	case r.closed:
		return nil, nil, ErrClosed
	}
	if r.wake == nil {
		r.wake = make(chan struct{})
	}
	r.waiting++
	return nil, r.wake, nil
}

// batch takes records of one chunk; the mutex is held, and there is one at least.
func (c *Reader) batch() []byte {
	chunks := c.ring.chunks
	i := len(chunks) - 1
	for chunks[i].first > c.next {
		i--
	}
	in := chunks[i]
	start, n := in.start(c.next), int(c.next-in.first)
	end := n + 1
	for end < len(in.ends) && int(in.ends[end])-start <= c.ring.limits.Batch {
		end++
	}
	c.next += uint64(end - n)
	return in.buf[start:in.ends[end-1]:in.ends[end-1]]
}
