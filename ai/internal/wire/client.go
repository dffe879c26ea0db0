package wire

import (
	"net/http"
	"sync"
	"time"
)

// sharedClient is made at the first request, so that a program that sends none does not
// pay for it.
var sharedClient = sync.OnceValue(func() *http.Client {
	return &http.Client{Transport: NewTransport(), CheckRedirect: refuseRedirect}
})

// NewTransport returns a transport with the settings of the shared one: proxies from the
// environment, HTTP/2 with pings that notice a dead connection, no compression (which
// holds a stream's bytes back).
func NewTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 16
	t.DisableCompression = true
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second}
	return t
}

// refuseRedirect keeps credentials from following a redirect to another host; a model's
// endpoint has no reason to move.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
