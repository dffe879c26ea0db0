package bash

import (
	"sync"
	"time"

	"github.com/rondo-agent/rondo/agent"
)

// updateInterval is the shortest time between two updates (Pi 0.85).
const updateInterval = 100 * time.Millisecond

// progress reports a command's output while it runs. Updates are made only when they are
// due, one after another, and the last output before a pause is always reported.
type progress struct {
	send     func(*agent.ToolResult)
	snapshot func() *agent.ToolResult

	mu     sync.Mutex
	last   time.Time
	armed  bool // a timer is running, or an update is being sent
	dirty  bool // there is output that no update had
	closed bool
	timer  *time.Timer
	active sync.WaitGroup
}

// changed says that there is new output.
func (p *progress) changed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dirty = true
	p.arm()
}

func (p *progress) arm() {
	if p.armed || p.closed || !p.dirty {
		return
	}
	p.armed = true
	p.active.Add(1)
	p.timer = time.AfterFunc(time.Until(p.last.Add(updateInterval)), p.fire)
}

func (p *progress) fire() {
	defer p.active.Done()
	p.mu.Lock()
	p.dirty = false
	p.mu.Unlock()
	p.send(p.snapshot())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed, p.last = false, time.Now()
	p.arm()
}

// close ends the reporting. No update is sent after it has returned.
func (p *progress) close() {
	p.mu.Lock()
	p.closed = true
	if p.armed && p.timer.Stop() {
		p.active.Done()
	}
	p.mu.Unlock()
	p.active.Wait()
}
