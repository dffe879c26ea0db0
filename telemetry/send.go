package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// sender posts encoded requests to one address.
type sender struct {
	address string
	headers map[string]string
	timeout time.Duration
	gzip    bool
	client  *http.Client
}

func newSender(address string, headers map[string]string, to target) *sender {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	return &sender{address, headers, to.timeout, to.gzip, &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // headers are secrets
	}}
}

// firstPause is the time before an export is tried again; it doubles each time.
const firstPause = 500 * time.Millisecond

// send posts a request, again where the collector asks for it or cannot be reached, until
// the export's time is over (OTLP/HTTP).
func (s *sender) send(ctx context.Context, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	if s.gzip {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		if _, err := z.Write(body); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		body = packed.Bytes()
	}
	for pause := firstPause; ; pause *= 2 {
		again, err := s.post(ctx, body)
		if err == nil || again < 0 {
			return err
		}
		timer := time.NewTimer(max(again, pause))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
	}
}

// post makes one attempt. again is how long to wait before the next one at least; negative
// if there is to be none.
func (s *sender) post(ctx context.Context, body []byte) (again time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address, bytes.NewReader(body))
	if err != nil {
		return -1, errors.New("the address of the collector is none")
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	r.Header.Set("User-Agent", "rondo")
	if s.gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	for name, value := range s.headers {
		r.Header.Set(name, value)
	}
	resp, err := s.client.Do(r)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err
		}
		return 0, fmt.Errorf("connection to the collector at %s failed: %w", r.URL.Host, err)
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection serves the next one
	if resp.StatusCode/100 == 2 {
		return 0, nil
	}
	again = -1
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // what is no number is no wish
		again = time.Duration(max(seconds, 0)) * time.Second
	}
	return again, fmt.Errorf("the collector at %s answered %s", r.URL.Host, resp.Status)
}

func (s *sender) close() { s.client.CloseIdleConnections() }
