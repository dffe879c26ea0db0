package sse_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai/internal/sse"
)

// event is an event that outlives the next read.
type event struct{ Name, Data, ID string }

func readAll(r *sse.Reader) (events []event, err error) {
	for {
		ev, err := r.Next()
		if err != nil {
			return events, err
		}
		events = append(events, event{ev.Name, string(ev.Data), ev.ID})
	}
}

func TestNext(t *testing.T) {
	tests := []struct {
		name, in string
		want     []event
	}{
		{"one event", "data: a\n\n", []event{{Data: "a"}}},
		{"name and data", "event: delta\ndata: {}\n\n", []event{{Name: "delta", Data: "{}"}}},
		{"no space after the colon", "event:delta\ndata:x\n\n", []event{{Name: "delta", Data: "x"}}},
		{"one space is dropped, not two", "data:  x\n\n", []event{{Data: " x"}}},
		{"data lines are joined", "data: a\ndata: b\ndata:\ndata: c\n\n", []event{{Data: "a\nb\n\nc"}}},
		{"no colon", "data\n\n", []event{{}}},
		{"empty data", "data:\n\n", []event{{}}},
		{"comments", ": hello\n:\ndata: a\n: ping\n\n", []event{{Data: "a"}}},
		{"comments alone", ": ping\n\n: ping\n\n", nil},
		{"a name without data is skipped and forgotten", "event: ping\n\ndata: a\n\n", []event{{Data: "a"}}},
		{"unknown fields and retry", "retry: 10\nfoo: bar\ndata: a\n\n", []event{{Data: "a"}}},
		{"field names are exact", "Data: a\n data: b\ndata: c\n\n", []event{{Data: "c"}}},
		{"the last name counts", "event: a\nevent: b\ndata: x\n\n", []event{{Name: "b", Data: "x"}}},
		{"ids stay", "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", []event{{Data: "a", ID: "1"}, {Data: "b", ID: "1"}, {Data: "c"}}},
		{"an id with NUL is ignored", "id: a\x00\ndata: a\n\n", []event{{Data: "a"}}},
		{"CRLF", "event: e\r\ndata: a\r\n\r\ndata: b\r\n\r\n", []event{{Name: "e", Data: "a"}, {Data: "b"}}},
		{"lone CR", "event: e\rdata: a\r\rdata: b\r\r", []event{{Name: "e", Data: "a"}, {Data: "b"}}},
		{"mixed ends", "data: a\r\ndata: b\rdata: c\n\r\ndata: d\n\r", []event{{Data: "a\nb\nc"}, {Data: "d"}}},
		{"BOM", "\uFEFFdata: a\n\n", []event{{Data: "a"}}},
		{"BOM is dropped once, at the start", "data: \uFEFFa\n\n\uFEFFdata: b\n\n", []event{{Data: "\uFEFFa"}}},
		{"empty lines", "\n\n\r\n\rdata: a\n\n\n\n", []event{{Data: "a"}}},
		{"nothing", "", nil},
		{"BOM alone", "\uFEFF", nil},
		{"invalid UTF-8 is kept", "data: \xff\n\n", []event{{Data: "\xff"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readAll(sse.NewReader(strings.NewReader(tt.in)))
			if err != io.EOF {
				t.Errorf("error = %v, want io.EOF", err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// The last event needs no empty line after it.
func TestNoEmptyLineBeforeEOF(t *testing.T) {
	for _, tail := range []string{"", "\n", "\r\n", "\r"} {
		in := "data: a\n\nevent: response.completed\ndata: {}" + tail
		got, err := readAll(sse.NewReader(strings.NewReader(in)))
		want := []event{{Data: "a"}, {Name: "response.completed", Data: "{}"}}
		if diff := cmp.Diff(want, got); diff != "" || err != io.EOF {
			t.Errorf("tail %q: error %v, events (-want +got):\n%s", tail, err, diff)
		}
	}
}

func TestAnySplit(t *testing.T) {
	lf := "\uFEFF: hi\nevent: délta\ndata: 👩‍💻 emoji\ndata:漢字かな\n\nid: 7\ndata:x\n\nevent: end\ndata: {\"a\":\"\\n\"}\n\n"
	for name, end := range map[string]string{"LF": "\n", "CRLF": "\r\n", "CR": "\r"} {
		t.Run(name, func(t *testing.T) {
			in := strings.ReplaceAll(lf, "\n", end)
			want := []event{
				{Name: "délta", Data: "👩‍💻 emoji\n漢字かな"},
				{Data: "x", ID: "7"},
				{Name: "end", Data: `{"a":"\n"}`, ID: "7"},
			}
			for i := range len(in) + 1 {
				checkSplit(t, want, in[:i], in[i:])
				for j := i; j < len(in); j += 5 {
					checkSplit(t, want, in[:i], in[i:j], in[j:])
				}
			}
			checkReader(t, want, iotest.OneByteReader(strings.NewReader(in)))
			checkReader(t, want, iotest.DataErrReader(strings.NewReader(in)))
		})
	}
}

func checkSplit(t *testing.T, want []event, parts ...string) {
	t.Helper()
	checkReader(t, want, newChunks(parts...))
}

func checkReader(t *testing.T, want []event, r io.Reader) {
	t.Helper()
	got, err := readAll(sse.NewReader(r))
	if diff := cmp.Diff(want, got); diff != "" || err != io.EOF {
		t.Fatalf("%v: error %v, events (-want +got):\n%s", r, err, diff)
	}
}

// chunks is a reader that returns one part at a time, and then an error.
type chunks struct {
	parts []string
	err   error
}

func newChunks(parts ...string) *chunks { return &chunks{parts, io.EOF} }

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.parts) == 0 {
		return 0, c.err
	}
	n := copy(p, c.parts[0])
	if c.parts[0] = c.parts[0][n:]; c.parts[0] == "" {
		c.parts = c.parts[1:]
	}
	return n, nil
}

// An event is returned when its empty line has come, not when the next bytes come.
func TestNextDoesNotReadAhead(t *testing.T) {
	for _, in := range []string{"data: a\n\n", "data: a\r\n\r\n", "data: a\r\r", "data: a\r\n\r"} {
		unread := errors.New("read too far")
		r := sse.NewReader(&chunks{[]string{in}, unread})
		ev, err := r.Next()
		if err != nil || string(ev.Data) != "a" {
			t.Errorf("%q: got %q, %v", in, ev.Data, err)
		}
		if _, err := r.Next(); err != unread {
			t.Errorf("%q: second error = %v", in, err)
		}
	}
}

// What a broken connection cuts off is no event.
func TestReadErrorDropsTheRest(t *testing.T) {
	broken := errors.New("connection reset")
	for _, rest := range []string{"", "data: b", "data: b\n", "data: b\nev"} {
		r := sse.NewReader(&chunks{[]string{"data: a\n\n" + rest}, broken})
		got, err := readAll(r)
		if err != broken || len(got) != 1 {
			t.Errorf("rest %q: %v, error %v", rest, got, err)
		}
		if _, err := r.Next(); err != broken {
			t.Errorf("rest %q: the error changed to %v", rest, err)
		}
	}
}

func TestMaxEvent(t *testing.T) {
	long := strings.Repeat("x", 3000)
	tests := []struct {
		name, in string
		events   int
	}{
		{"a line without an end", "data: a\n\ndata: " + long, 1},
		{"a long line", "data: a\n\ndata: " + long + "\n\n", 1},
		{"many lines", "data: a\n\n" + strings.Repeat("data: 0123456789\n", 200), 1},
		{"many events are no problem", strings.Repeat("data: 0123456789\n\n", 500), 500},
		{"many comments are no problem", strings.Repeat(": 0123456789\n", 500) + "data: a\n\n", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := sse.NewReader(newChunks(tt.in))
			r.MaxEvent = 1000
			got, err := readAll(r)
			want := sse.ErrTooLarge
			if strings.HasSuffix(tt.name, "no problem") {
				want = io.EOF
			}
			if !errors.Is(err, want) || len(got) != tt.events {
				t.Errorf("%d events, error %v; want %d, %v", len(got), err, tt.events, want)
			}
			if _, again := r.Next(); again != err {
				t.Errorf("the error changed from %v to %v", err, again)
			}
		})
	}
}

// MaxEvent also bounds a stream that never ends a line.
func TestMaxEventEndless(t *testing.T) {
	r := sse.NewReader(endless{})
	r.MaxEvent = 1 << 20
	if _, err := r.Next(); !errors.Is(err, sse.ErrTooLarge) {
		t.Errorf("error = %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte("x"), len(p))), nil }

func TestNoProgress(t *testing.T) {
	if _, err := sse.NewReader(iotest.ErrReader(nil)).Next(); err != io.ErrNoProgress {
		t.Errorf("error = %v", err)
	}
}

func TestNextAllocs(t *testing.T) {
	in := stream(1000)
	allocs := testing.AllocsPerRun(5, func() {
		got, err := count(sse.NewReader(bytes.NewReader(in)))
		if got != 1000 || err != io.EOF {
			t.Fatal(got, err)
		}
	})
	if allocs > 20 {
		t.Errorf("%v allocations for 1000 events", allocs)
	}
}

func stream(events int) []byte {
	var b bytes.Buffer
	for i := range events {
		fmt.Fprintf(&b, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" token %d\"}}\n\n", i)
	}
	return b.Bytes()
}

func count(r *sse.Reader) (n int, err error) {
	for {
		if _, err := r.Next(); err != nil {
			return n, err
		}
		n++
	}
}

func BenchmarkNext(b *testing.B) {
	in := stream(1000)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		if n, _ := count(sse.NewReader(bytes.NewReader(in))); n != 1000 {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/event")
}

// reference is the format in its plainest form, on the whole text.
func reference(in string) []event {
	in = strings.TrimPrefix(in, "\uFEFF")
	in = strings.ReplaceAll(strings.ReplaceAll(in, "\r\n", "\n"), "\r", "\n")
	var events []event
	var name, id string
	var data []string
	for _, line := range append(strings.Split(in, "\n"), "") {
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if data != nil {
				events = append(events, event{name, strings.Join(data, "\n"), id})
			}
			name, data = "", nil
		case field == "data":
			data = append(data, value)
		case field == "event":
			name = value
		case field == "id" && !strings.Contains(value, "\x00"):
			id = value
		}
	}
	return events
}

func FuzzReader(f *testing.F) {
	for _, s := range []string{
		"data: a\n\n", "\uFEFFevent: x\r\ndata: 漢\r\n\r\n", "data\r\rid: 1\r\n\n\rdata:👩‍💻", "event\n:c\ndata::\n\n",
		"data: " + strings.Repeat("long", 3000) + "\r\n\r\ndata:x",
	} {
		f.Add(s, uint64(1))
	}
	f.Fuzz(func(t *testing.T, in string, seed uint64) {
		want := reference(in)
		checkReader(t, want, strings.NewReader(in))
		checkReader(t, want, iotest.OneByteReader(strings.NewReader(in)))
		rng := rand.New(rand.NewPCG(seed, 0))
		var parts []string
		for rest := in; rest != ""; {
			n := 1 + rng.IntN(min(len(rest), 1+rng.IntN(40)))
			parts, rest = append(parts, rest[:n]), rest[n:]
		}
		checkSplit(t, want, parts...)
	})
}
