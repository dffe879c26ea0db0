package process

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/internal/child"
	"github.com/rondo-agent/rondo/resource"
)

// Kind is the name of this kind of host, for [extension.HostKind].
const Kind = resource.HostProcess

// Config is the settings of a host. The zero value works.
type Config struct {
	// LogDir is the folder of the extensions' stderr, a file each of at most 1 MiB and one
	// of that size before it; empty drops it.
	LogDir string
	// Version is this program's, for extensions that want to know.
	Version string
	// MaxLine bounds a line of an extension in bytes; 0 is 16 MiB.
	MaxLine int
	// StartLimit is how long a program may take until it is ready; 0 is 30 seconds.
	StartLimit time.Duration
	// Grace is how long a program may take to answer a call that was cancelled, or to end
	// when it is told to; 0 is 3 seconds.
	Grace time.Duration
	// Pauses are those before a program that has ended is started again, one after another
	// until it has run for a minute; nil is five, from 100 milliseconds to 10 seconds.
	Pauses []time.Duration
}

// host runs the programs of the extensions of one session.
type host struct {
	cfg   Config
	grace time.Duration // the runner's

	mu       sync.Mutex
	programs []*program
	closed   bool
}

// Open returns a function that opens hosts.
func Open(cfg *Config) extension.OpenHost {
	return func(opts *extension.Options) (extension.Host, error) {
		h := &host{grace: opts.Grace}
		if cfg != nil {
			h.cfg = *cfg
		}
		if h.cfg.MaxLine <= 0 {
			h.cfg.MaxLine = child.DefaultMaxLine
		}
		if h.cfg.StartLimit <= 0 {
			h.cfg.StartLimit = startLimit
		}
		if h.cfg.Grace <= 0 {
			h.cfg.Grace = 3 * time.Second
		}
		if h.cfg.Pauses == nil {
			h.cfg.Pauses = child.DefaultPauses
		}
		return h, nil
	}
}

// Load reads what an extension says of itself; see [resource.FindManifest].
func (h *host) Load(_ context.Context, path string) (extension.Factory, error) {
	m, err := resource.FindManifest(path)
	if err != nil {
		return nil, err
	}
	if m.Host != Kind {
		return nil, fmt.Errorf("%s asks for the host %s", path, m.Host)
	}
	return func(ctx context.Context, api *extension.API) error {
		p := &program{
			host: h, manifest: m, log: newLog(h.cfg.LogDir, m),
			done: make(chan struct{}), closing: make(chan struct{}), change: make(chan struct{}),
		}
		return p.start(ctx, api)
	}, nil
}

// add takes a program that has been started; false if the host is closed.
func (h *host) add(p *program) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.programs = append(h.programs, p)
	return true
}

// Close ends all programs.
func (h *host) Close() error {
	h.mu.Lock()
	h.closed = true
	programs := h.programs
	h.programs = nil
	h.mu.Unlock()
	var all sync.WaitGroup
	for _, p := range programs {
		all.Go(p.stop)
	}
	all.Wait()
	return nil
}

// patience is how long a handler may wait for the answer to a call that was cancelled: less
// than the runner waits for the handler.
func (h *host) patience() time.Duration {
	return min(h.cfg.Grace, max(h.grace*3/4, 10*time.Millisecond))
}
