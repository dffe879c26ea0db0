package wire_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// answers is a transport that gives one answer after the other.
type answers struct {
	list []func(*http.Request) (*http.Response, error)
	sent []time.Time
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	n := len(a.sent)
	a.sent = append(a.sent, time.Now())
	return a.list[min(n, len(a.list)-1)](r)
}

func status(code int, header ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i+1 < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(strings.NewReader("{}"))}, nil
	}
}

func broken(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

func silent(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func request(a *answers, o ai.Options) *ai.Request {
	o.Client = &http.Client{Transport: a}
	return &ai.Request{Model: &ai.Model{ID: "m", Provider: "lab"}, Options: o}
}

func TestPost_Retries(t *testing.T) {
	type list = []func(*http.Request) (*http.Response, error)
	tests := []struct {
		name    string
		answers list
		retries int
		sent    int
		min     time.Duration // spent waiting
		max     time.Duration
		failed  int // status of the error; 0: none
	}{
		{"no retries by default", list{status(503)}, 0, 1, 0, 0, 503},
		{"500 is retried", list{status(500), status(200)}, 2, 2, 375 * time.Millisecond, 500 * time.Millisecond, 0},
		{"408", list{status(408), status(200)}, 1, 2, 375 * time.Millisecond, 500 * time.Millisecond, 0},
		{"409", list{status(409), status(200)}, 1, 2, 375 * time.Millisecond, 500 * time.Millisecond, 0},
		{"transport failure", list{broken(syscall.ECONNRESET), status(200)}, 1, 2, 375 * time.Millisecond, 500 * time.Millisecond, 0},
		{"400 is not", list{status(400)}, 5, 1, 0, 0, 400},
		{"the number is kept", list{status(503)}, 3, 4, 2625 * time.Millisecond, 3500 * time.Millisecond, 503},
		{"the delay has a limit", list{status(503)}, 6, 7, 17625 * time.Millisecond, 23500 * time.Millisecond, 503},
		{"retry-after", list{status(429, "Retry-After", "7"), status(200)}, 1, 2, 7 * time.Second, 7 * time.Second, 0},
		{"retry-after-ms wins", list{status(429, "Retry-After", "7", "Retry-After-Ms", "1500"), status(200)}, 1, 2, 1500 * time.Millisecond, 1500 * time.Millisecond, 0},
		{"the server may ask for too much", list{status(429, "Retry-After", "61")}, 5, 1, 0, 0, 429},
		{"the server says no", list{status(503, "X-Should-Retry", "false")}, 5, 1, 0, 0, 503},
		{"the server says yes", list{status(400, "X-Should-Retry", "true"), status(200)}, 1, 2, 375 * time.Millisecond, 500 * time.Millisecond, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &answers{list: test.answers}
				began := time.Now()
				resp, err := wire.Post(t.Context(), request(a, ai.Options{MaxRetries: test.retries}), "http://lab/", nil, 1)
				waited := time.Since(began)
				if err == nil {
					resp.Body.Close()
				}
				code := 0
				if e, ok := errors.AsType[*ai.StatusError](err); ok {
					code = e.Status
				}
				if len(a.sent) != test.sent || code != test.failed {
					t.Errorf("sent %d times, failed with %d (%v); want %d, %d", len(a.sent), code, err, test.sent, test.failed)
				}
				if waited < test.min || waited > test.max {
					t.Errorf("waited %v, want %v to %v", waited, test.min, test.max)
				}
			})
		})
	}
}

func TestPost_MaxRetryDelay(t *testing.T) {
	for limit, sent := range map[time.Duration]int{0: 1, 2 * time.Minute: 2, -1: 2, time.Second: 1} {
		synctest.Test(t, func(t *testing.T) {
			a := &answers{list: []func(*http.Request) (*http.Response, error){status(429, "Retry-After", "90"), status(200)}}
			resp, err := wire.Post(t.Context(), request(a, ai.Options{MaxRetries: 1, MaxRetryDelay: limit}), "http://lab/", nil, 1)
			if err == nil {
				resp.Body.Close()
			} else if e, ok := errors.AsType[*ai.StatusError](err); !ok || e.RetryAfter != 90*time.Second {
				t.Errorf("limit %v: the error does not carry the delay: %v", limit, err)
			}
			if len(a.sent) != sent {
				t.Errorf("limit %v: sent %d times, want %d", limit, len(a.sent), sent)
			}
		})
	}
}

func TestAbortDuringTheDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &answers{list: []func(*http.Request) (*http.Response, error){status(429, "Retry-After", "60")}}
		stopped := errors.New("stopped")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(stopped) })
		began := time.Now()
		_, err := wire.Post(ctx, request(a, ai.Options{MaxRetries: 9}), "http://lab/", nil, 1)
		if !errors.Is(err, stopped) || time.Since(began) != time.Second {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
	})
}

func TestAbortWhileConnectingIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &answers{list: []func(*http.Request) (*http.Response, error){silent}}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := wire.Post(ctx, request(a, ai.Options{MaxRetries: 9}), "http://lab/", nil, 1)
		if !errors.Is(err, context.Canceled) || len(a.sent) != 1 {
			t.Errorf("got %v after %d requests", err, len(a.sent))
		}
	})
}

func TestPost_TimeoutIsRetriedAndSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &answers{list: []func(*http.Request) (*http.Response, error){silent}}
		_, err := wire.Post(t.Context(), request(a, ai.Options{MaxRetries: 1, Timeout: 20 * time.Second}), "http://lab/", nil, 1)
		e, ok := errors.AsType[*ai.TimeoutError](err)
		if !ok || e.After != 20*time.Second || len(a.sent) != 2 {
			t.Errorf("got %v after %d requests", err, len(a.sent))
		}
	})
}

// quiet is a body that gives some text and then nothing until it is closed; it knows no
// context.
type quiet struct {
	text   io.Reader
	closed chan struct{}
	close  func()
}

func newQuiet(text string) *quiet {
	closed := make(chan struct{})
	return &quiet{strings.NewReader(text), closed, sync.OnceFunc(func() { close(closed) })}
}

func (q *quiet) Read(p []byte) (int, error) {
	if n, err := q.text.Read(p); err == nil {
		return n, nil
	}
	<-q.closed
	return 0, errors.New("read of a closed body")
}

func (q *quiet) Close() error {
	q.close()
	return nil
}

func TestPost_SilenceInTheBody(t *testing.T) {
	for idle, want := range map[time.Duration]time.Duration{0: 5 * time.Minute, time.Second: time.Second} {
		synctest.Test(t, func(t *testing.T) {
			a := &answers{list: []func(*http.Request) (*http.Response, error){func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Body: newQuiet("hi")}, nil
			}}}
			resp, err := wire.Post(t.Context(), request(a, ai.Options{IdleTimeout: idle}), "http://lab/", nil, 1)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour) // the reader is slow: that is no silence of the server
			began := time.Now()
			text, err := io.ReadAll(resp.Body)
			e, ok := errors.AsType[*ai.TimeoutError](err)
			if !ok || e.After != want || string(text) != "hi" || time.Since(began) != want {
				t.Errorf("got %q, %v after %v", text, err, time.Since(began))
			}
			resp.Body.Close()
		})
	}
}

func TestPost_CloseOfABodyThatIgnoresItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &answers{list: []func(*http.Request) (*http.Response, error){func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: newQuiet("hi")}, nil
		}}}
		resp, err := wire.Post(t.Context(), request(a, ai.Options{}), "http://lab/", nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		resp.Body.Close()
		if d := time.Since(began); d > 20*time.Millisecond {
			t.Errorf("Close took %v", d)
		}
	})
}

func TestBackoff(t *testing.T) {
	for attempt, want := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 8 * time.Second} {
		if got := wire.Backoff(attempt, 0); got != want {
			t.Errorf("attempt %d: %v, want %v", attempt, got, want)
		}
		if got := wire.Backoff(attempt, 0.9999); got < want*3/4 || got > want {
			t.Errorf("attempt %d with jitter: %v", attempt, got)
		}
	}
}

func TestHurry_ShortensTheWaitForTheEnd(t *testing.T) {
	for hurry, want := range map[time.Duration]time.Duration{time.Second: time.Second, time.Hour: 5 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			a := &answers{list: []func(*http.Request) (*http.Response, error){func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Body: newQuiet("hi")}, nil
			}}}
			resp, err := wire.Post(t.Context(), request(a, ai.Options{}), "http://lab/", nil, 1)
			if err != nil {
				t.Fatal(err)
			}
			io.ReadFull(resp.Body, make([]byte, 2))
			wire.Hurry(resp.Body, hurry)
			began := time.Now()
			_, err = resp.Body.Read(make([]byte, 1))
			if e, ok := errors.AsType[*ai.TimeoutError](err); !ok || e.After != want || time.Since(began) != want {
				t.Errorf("got %v after %v", err, time.Since(began))
			}
			resp.Body.Close()
			wire.Hurry(http.NoBody, hurry) // not ours: nothing happens
		})
	}
}

// A wait that is longer than retries may take is told with the failure, with or without retries.
func TestPost_AWaitThatIsTooLongIsTold(t *testing.T) {
	for _, test := range []struct {
		status     int
		header     string
		retries    int
		limit      time.Duration
		told, want string
	}{
		{429, "7200", 2, 0, "2h0m0s", "1m0s"},
		{429, "7200", 0, 0, "2h0m0s", "1m0s"},
		{503, "90", 3, time.Minute, "1m30s", "1m0s"},
		{429, "11", 1, 10 * time.Second, "11s", "10s"},
		{429, "11", 0, 20 * time.Second, "", ""},
		{429, "7200", 0, -1, "", ""},
		{400, "7200", 1, 0, "", ""},
	} {
		n := 0
		req, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			n++
			w.Header().Set("Retry-After", test.header)
			w.WriteHeader(test.status)
			io.WriteString(w, `{"error":{"message":"slow down"}}`)
		})
		req.Options.MaxRetries, req.Options.MaxRetryDelay = test.retries, test.limit
		_, err := post(t, req, url, 1)
		text := err.Error()
		if n != 1 || !strings.Contains(text, "slow down") || strings.Contains(text, "asks to wait") != (test.told != "") ||
			!strings.Contains(text, test.told) || !strings.Contains(text, test.want) {
			t.Errorf("%+v: %d requests, %q", test, n, text)
		}
		if transient := ai.Classify(err, "") == ai.ClassTransient; transient != (test.status != 400) {
			t.Errorf("%q is %v", text, ai.Classify(err, ""))
		}
	}
}
