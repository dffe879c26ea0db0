package script

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/net/http/httpproxy"
)

// dispatcher says how requests are made that go through one of undici's dispatchers. Times are
// milliseconds; 0 stands for no limit.
type dispatcher struct {
	CA         []string `json:"ca"` // whom to trust, instead of the system's
	Cert       string   `json:"cert"`
	Key        string   `json:"key"`
	ServerName string   `json:"servername"`
	Insecure   bool     `json:"insecure"`
	Socket     string   `json:"socketPath"`
	// Proxy is asked for everything; Env stands for the variables of the environment, which
	// what follows it replaces.
	Proxy        string            `json:"proxy"`
	ProxyHeaders map[string]string `json:"proxyHeaders"`
	Env          bool              `json:"env"`
	HTTPProxy    *string           `json:"httpProxy"`
	HTTPSProxy   *string           `json:"httpsProxy"`
	NoProxy      *string           `json:"noProxy"`

	ConnectTimeout int `json:"connectTimeout"`
	HeadersTimeout int `json:"headersTimeout"`
	BodyTimeout    int `json:"bodyTimeout"`
}

// proxyFor returns the proxy of a request, nil for none.
func (d *dispatcher) proxyFor(u *url.URL) (*url.URL, error) {
	if d.Proxy != "" {
		return url.Parse(d.Proxy)
	}
	if !d.Env {
		return nil, nil //nolint:nilnil // which is what net/http calls none
	}
	c := httpproxy.FromEnvironment()
	for into, given := range map[*string]*string{&c.HTTPProxy: d.HTTPProxy, &c.HTTPSProxy: d.HTTPSProxy, &c.NoProxy: d.NoProxy} {
		if given != nil {
			*into = *given
		}
	}
	return c.ProxyFunc()(u)
}

// accesses are those of a request beside the one of its address.
func (d *dispatcher) accesses(u *url.URL) []Access {
	if d.Socket != "" {
		return []Access{{Kind: Network, Subject: "unix:" + d.Socket}}
	}
	if proxy, err := d.proxyFor(u); err == nil && proxy != nil {
		return []Access{toReach(proxy)}
	}
	return nil
}

// transport returns what makes the requests of a dispatcher; those of equal ones share it.
func (s *system) transport(d *dispatcher) (http.RoundTripper, error) {
	if d == nil {
		return http.DefaultTransport, nil
	}
	raw, err := json.Marshal(d, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.transports[string(raw)]; t != nil {
		return t, nil
	}
	secure, err := d.secure()
	if err != nil {
		return nil, err
	}
	dial := &net.Dialer{Timeout: ms(cmp.Or(d.ConnectTimeout, 10_000))}
	t := &http.Transport{
		Proxy:           func(r *http.Request) (*url.URL, error) { return d.proxyFor(r.URL) },
		TLSClientConfig: secure, ForceAttemptHTTP2: true, IdleConnTimeout: 4 * time.Second,
		ResponseHeaderTimeout: ms(d.HeadersTimeout), ProxyConnectHeader: http.Header{},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if d.Socket != "" {
				network, address = "unix", d.Socket
			}
			return dial.DialContext(ctx, network, address)
		},
	}
	for name, value := range d.ProxyHeaders {
		t.ProxyConnectHeader.Set(name, value)
	}
	s.transports[string(raw)] = t
	return t, nil
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// secure returns how connections are encrypted.
func (d *dispatcher) secure() (*tls.Config, error) {
	c := &tls.Config{ServerName: d.ServerName, InsecureSkipVerify: d.Insecure} //nolint:gosec // the script's rejectUnauthorized: false
	if len(d.CA) > 0 {
		c.RootCAs = x509.NewCertPool()
		for _, text := range d.CA {
			if !c.RootCAs.AppendCertsFromPEM([]byte(text)) {
				return nil, errors.New("the option ca holds no certificate in the form of PEM")
			}
		}
	}
	if d.Cert != "" {
		pair, err := tls.X509KeyPair([]byte(d.Cert), []byte(d.Key))
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// rest ends the connections of a dispatcher that nobody uses any more.
func (s *system) rest(_ context.Context, d dispatcher) (any, error) {
	t, err := s.transport(&d)
	if err == nil {
		t.(*http.Transport).CloseIdleConnections()
	}
	return nil, err
}

// impatient reads a body no longer than its limit between two parts.
type impatient struct {
	io.ReadCloser
	limit time.Duration
}

func (r *impatient) Read(p []byte) (int, error) {
	late := time.AfterFunc(r.limit, func() { r.Close() })
	n, err := r.ReadCloser.Read(p)
	if !late.Stop() && err != nil {
		err = errors.New("UND_ERR_BODY_TIMEOUT: nothing came within " + r.limit.String())
	}
	return n, err
}
