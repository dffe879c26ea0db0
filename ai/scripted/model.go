package scripted

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/rondo-agent/rondo/ai"
)

// What names the scripted model in model records and messages.
const (
	API      = "scripted"
	Provider = "scripted"
	ModelID  = "scripted"
)

// The limits of the scripted model, in tokens, as in Pi 0.85.
const (
	ContextWindow = 128000
	MaxTokens     = 16384
)

// Record returns a new record of the scripted model.
func Record() *ai.Model {
	return &ai.Model{
		ID: ModelID, Name: "Scripted", API: API, Provider: Provider,
		Input:         []string{ai.InputText, ai.InputImage},
		ContextWindow: ContextWindow, MaxTokens: MaxTokens,
	}
}

// ErrNoReply is behind the answer to a request that no reply is left for.
var ErrNoReply = errors.New("no scripted reply is left")

// Model answers requests with the replies that it was given, in order. Its Stream method
// is an [ai.StreamFunc]. A request without a reply fails with [ErrNoReply].
type Model struct {
	gates gates
	cache promptCache
	// keep says that the requests are kept.
	keep bool

	mu       sync.Mutex
	queue    []Reply
	again    []Reply // what the queue is filled with when it is empty
	calls    int
	requests []*ai.Request
}

// New returns a model that gives these replies, one a request.
func New(replies ...Reply) *Model {
	return &Model{queue: slices.Clone(replies), keep: true}
}

// Stream implements [ai.StreamFunc]. A request without a model is answered as
// [Record].
func (m *Model) Stream(ctx context.Context, req *ai.Request) *ai.Stream {
	return ai.NewStream(ctx, modelOf(req), func(ctx context.Context, w *ai.Writer) error {
		reply, err := m.take(req)
		if err != nil {
			return err
		}
		reply = reply.resolve(req)
		p := player{w: w, reply: &reply, wait: m.gates.wait, usage: m.cache.usage(req), ids: newIDs("call_", req)}
		return p.play(ctx)
	})
}

func modelOf(req *ai.Request) *ai.Model {
	if req.Model == nil {
		return Record()
	}
	return req.Model
}

// take records a request and returns its reply.
func (m *Model) take(req *ai.Request) (Reply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if m.keep {
		kept := *req
		kept.Context.Messages = slices.Clone(req.Context.Messages)
		m.requests = append(m.requests, &kept)
	}
	if len(m.queue) == 0 {
		m.queue = m.again
	}
	if len(m.queue) == 0 {
		return Reply{}, fmt.Errorf("%w for request %d; add a reply, or let the script loop", ErrNoReply, m.calls)
	}
	reply := m.queue[0]
	m.queue = m.queue[1:]
	return reply, nil
}

// Append adds replies behind those that are left.
func (m *Model) Append(replies ...Reply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queue = slices.Concat(m.queue, replies)
}

// Replace puts replies in the place of those that are left.
func (m *Model) Replace(replies ...Reply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queue = slices.Clone(replies)
}

// Pending returns how many replies are left. Of a script that loops, it counts those of
// the round under way.
func (m *Model) Pending() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.queue)
}

// Calls returns how many requests have been made, including those that no reply was left
// for.
func (m *Model) Calls() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls
}

// Requests returns the requests that have been made, oldest first. They must not be
// changed.
func (m *Model) Requests() []*ai.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Release opens a gate, for good: replies that wait at it go on, and later ones do not
// wait.
func (m *Model) Release(gate string) { m.gates.release(gate) }

// Waiting returns a channel that is closed once a reply has come to this gate, open or
// not.
func (m *Model) Waiting(gate string) <-chan struct{} { return m.gates.reached(gate) }

// gates holds the gates of a model by name; the zero value has none.
type gates struct {
	mu     sync.Mutex
	byName map[string]*gate
}

// gate is two things that happen once.
type gate struct{ arrived, open once }

// once is a channel that is closed the first time.
type once struct {
	sync.Once
	ch chan struct{}
}

func (o *once) close() { o.Do(func() { close(o.ch) }) }

func (g *gates) get(name string) *gate {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.byName == nil {
		g.byName = make(map[string]*gate)
	}
	if g.byName[name] == nil {
		g.byName[name] = &gate{arrived: once{ch: make(chan struct{})}, open: once{ch: make(chan struct{})}}
	}
	return g.byName[name]
}

func (g *gates) release(name string)                 { g.get(name).open.close() }
func (g *gates) reached(name string) <-chan struct{} { return g.get(name).arrived.ch }

// wait returns when the gate is open; its error means that ctx is done.
func (g *gates) wait(ctx context.Context, name string) error {
	gate := g.get(name)
	gate.arrived.close()
	select {
	case <-gate.open.ch:
		return nil
	case <-ctx.Done():
		return aborted(ctx)
	}
}
