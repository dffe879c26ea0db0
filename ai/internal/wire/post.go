package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/rondo-agent/rondo/ai"
)

const (
	maxErrorBody      = 64 << 10        // bytes read of a failed response
	errorBodyTimeout  = 5 * time.Second // for reading them
	defaultRetryDelay = time.Minute     // the longest delay that a server may ask for
)

// Post sends body as JSON to address and returns the response once its headers have
// come with a 2xx status. The caller closes its body, also when it has not read it to
// the end.
//
// header holds what the wire itself needs, above all its credentials; the headers of the
// model, then those of the options are laid over it, and Options.OnHeaders has the last
// word. A status that is not 2xx is an [*ai.StatusError], silence an [*ai.TimeoutError].
// Both, and failures of the transport, are retried Options.MaxRetries times where that
// can help. A cancelled ctx ends every wait at once with the context's cause.
func Post(ctx context.Context, req *ai.Request, address string, header http.Header, body any) (*http.Response, error) {
	return PostSigned(ctx, req, address, header, body, nil)
}

// Sign adds to a request what depends on all of it; payload is the request's body.
type Sign func(r *http.Request, payload []byte) error

// PostSigned is [Post] for services whose requests are signed. sign is called for each
// attempt, when nothing else is to be changed; nil signs nothing.
func PostSigned(ctx context.Context, req *ai.Request, address string, header http.Header, body any, sign Sign) (*http.Response, error) {
	c := &call{req: req, address: address, client: req.Options.Client, sign: sign}
	if c.client == nil {
		c.client = sharedClient()
	}
	c.header = Headers(header, req.Model.Headers, req.Options.Headers)
	if hook := req.Options.OnHeaders; hook != nil {
		if err := hook(ctx, c.header); err != nil {
			return nil, err
		}
	}
	var err error
	if c.payload, err = encode(ctx, req, body); err != nil {
		return nil, err
	}
	resp, err := c.sendRetrying(ctx)
	if err != nil {
		return nil, err
	}
	if hook := req.Options.OnResponse; hook != nil {
		if err := hook(ctx, resp.StatusCode, resp.Header); err != nil {
			resp.Body.Close()
			return nil, err
		}
	}
	return resp, nil
}

// encode makes the payload and lets OnPayload replace it.
func encode(ctx context.Context, req *ai.Request, body any) ([]byte, error) {
	payload, err := Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode the request to %s: %w", req.Model.Provider, err)
	}
	if req.Options.OnPayload == nil {
		return payload, nil
	}
	replaced, err := req.Options.OnPayload(ctx, payload)
	if err != nil {
		return nil, err
	}
	if replaced != nil {
		return replaced, nil
	}
	return payload, nil
}

// call is one request, which may be sent several times.
type call struct {
	req     *ai.Request
	client  *http.Client
	address string
	header  http.Header
	payload []byte
	sign    Sign
}

func (c *call) sendRetrying(ctx context.Context) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		resp, err := c.send(ctx)
		if err == nil {
			return resp, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !retryable(err) {
			return nil, err
		}
		delay, ok := c.delay(attempt, err)
		if !ok || attempt >= c.req.Options.MaxRetries {
			return nil, err
		}
		if err := sleep(ctx, delay); err != nil {
			return nil, err
		}
	}
}

// retryable reports whether sending the same request again may help. The server's own
// advice wins (statuses and header: Pi 0.85).
func retryable(err error) bool {
	status, ok := errors.AsType[*ai.StatusError](err)
	if !ok {
		return !errors.Is(err, errMisuse)
	}
	if status.Retry != nil {
		return *status.Retry
	}
	switch status.Status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return status.Status >= 500
}

// delay is how long to wait before the next attempt; false if the server asks for more
// than is allowed, which the error then says.
func (c *call) delay(attempt int, err error) (time.Duration, bool) {
	if status, ok := errors.AsType[*ai.StatusError](err); ok && status.RetryAfter > 0 {
		limit := c.req.Options.MaxRetryDelay
		if limit == 0 {
			limit = defaultRetryDelay
		}
		if limit < 0 || status.RetryAfter <= limit {
			return status.RetryAfter, true
		}
		status.Note = fmt.Sprintf("the server asks to wait %s, and retries wait for %s at most (retry.provider.maxRetryDelayMs)",
			status.RetryAfter.Round(time.Second), limit)
		return 0, false
	}
	return Backoff(attempt, rand.Float64()), true
}

// Backoff is the delay after a failed attempt, counted from 0: min(0.5·2ⁿ, 8) seconds
// less up to a quarter (Pi 0.85). jitter is in [0,1).
func Backoff(attempt int, jitter float64) time.Duration {
	base := 8 * time.Second
	if attempt < 4 {
		base = 500 * time.Millisecond << attempt
	}
	return base - time.Duration(jitter*0.25*float64(base))
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// errMisuse marks requests that can never be sent.
var errMisuse = errors.New("the request cannot be sent")

// send makes one attempt.
func (c *call) send(parent context.Context) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(parent)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address, bytes.NewReader(c.payload))
	if err != nil {
		cancel(nil)
		return nil, fmt.Errorf("%w: base URL of model %s/%s: %w", errMisuse, c.req.Model.Provider, c.req.Model.ID, withoutURL(err))
	}
	request.Header = c.header.Clone()
	if host := request.Header.Get("Host"); host != "" {
		request.Host = host
	}
	if c.sign != nil {
		if err := c.sign(request, c.payload); err != nil {
			cancel(nil)
			return nil, err
		}
	}
	resp, err := c.await(request, cancel)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		cancel(nil)
		if _, silent := errors.AsType[*ai.TimeoutError](err); silent || parent.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("connection to %s failed: %w", request.URL.Host, withoutURL(err))
	}
	if resp.StatusCode/100 != 2 {
		defer cancel(nil)
		return nil, c.statusError(resp, request.Header, cancel)
	}
	resp.Body = newBody(ctx, cancel, resp.Body, c.req.Options.IdleTimeout)
	return resp, nil
}

// await sends the request and waits for the headers, Options.Timeout at most.
func (c *call) await(request *http.Request, cancel context.CancelCauseFunc) (*http.Response, error) {
	limit := c.req.Options.Timeout
	if limit <= 0 {
		return c.client.Do(request)
	}
	timer := time.AfterFunc(limit, func() {
		cancel(&ai.TimeoutError{Waiting: "the response of " + request.URL.Host, After: limit})
	})
	defer timer.Stop()
	return c.client.Do(request)
}

// statusError reads a failed response and closes it.
func (c *call) statusError(resp *http.Response, sent http.Header, cancel context.CancelCauseFunc) *ai.StatusError {
	timer := time.AfterFunc(errorBodyTimeout, func() { cancel(context.DeadlineExceeded) })
	defer timer.Stop()
	defer resp.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // what came is worth more than why no more came
	e := ai.NewStatusError(resp.StatusCode, resp.Header, text)
	e.Redact(c.secrets(sent)...)
	if target := resp.Header.Get("Location"); e.Message == "" && resp.StatusCode/100 == 3 {
		e.Message = fmt.Sprintf("the server redirects to %s; set the model's baseUrl to where it really is", withoutQuery(target))
	}
	return e
}

// withoutURL unwraps the error of package http that repeats the URL, in which some
// services want their key.
func withoutURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

func withoutQuery(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "another address"
	}
	u.RawQuery, u.User, u.Fragment = "", nil, ""
	return u.String()
}
