package process

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/internal/child"
	"github.com/rondo-agent/rondo/internal/lenient"
	"github.com/rondo-agent/rondo/resource"
)

const (
	// startLimit is how long a program may take until it is ready.
	startLimit = 30 * time.Second
	// killGrace is how long a program that is ended may take to end by itself.
	killGrace = 500 * time.Millisecond
)

// program is an extension, over all runs of its program.
type program struct {
	host     *host
	manifest *resource.Manifest
	api      *extension.API
	log      *logFile
	known    known
	done     chan struct{} // closed when supervise has returned
	closing  chan struct{}
	closed   sync.Once
	work     sync.WaitGroup // what its runs have begun: see link

	mu      sync.Mutex
	live    *link         // nil while there is none that is ready
	change  chan struct{} // closed when live or failed change
	failed  error         // the program stays ended
	session jsontext.Value
	runs    int
}

// start is the factory: it starts the program, waits until it is ready, and registers what it
// brings.
func (p *program) start(ctx context.Context, api *extension.API) error {
	p.api = api
	l, r, err := p.connect(ctx)
	if err == nil {
		if err = p.register(r); err == nil && !p.host.add(p) {
			err = extension.ErrStale
		}
	}
	if err == nil {
		p.set(l, nil)
		go p.supervise(l)
		return nil
	}
	if l != nil {
		l.child.Kill(err, killGrace)
		<-l.child.Done()
	}
	p.work.Wait()
	_ = p.log.Close() // a full disk is no reason to fail
	return err
}

// connect starts the program and waits until it is ready.
func (p *program) connect(ctx context.Context) (*link, *registration, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, p.host.cfg.StartLimit,
		fmt.Errorf("it has not sent ready within %v of its start", p.host.cfg.StartLimit))
	defer cancel()
	l, err := p.dial()
	if err != nil {
		return nil, nil, err
	}
	l.child.Send(p.hello())
	select {
	case r := <-l.ready:
		if err = p.agree(l, r); err == nil {
			return l, r, nil
		}
	case <-l.child.Done():
		return nil, nil, l.child.Err()
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	l.child.Kill(err, killGrace)
	return nil, nil, l.child.Err()
}

// hello is the message initialize.
func (p *program) hello() []byte {
	p.mu.Lock()
	restarts := p.runs
	p.runs++
	p.mu.Unlock()
	x := p.api.Context()
	return appendCall("initialize", 0,
		value("protocol", Version), value("name", p.manifest.Name), value("version", p.host.cfg.Version),
		value("cwd", x.CWD()), value("mode", x.Mode()), value("hasUI", x.HasUI()),
		value("restarts", restarts), value("maxLine", p.host.cfg.MaxLine), value("capabilities", capabilities()))
}

// offer is what this host can do.
type offer struct {
	Events   []string `json:"events"`
	Actions  []string `json:"actions"`
	Features []string `json:"features"`
}

func capabilities() *offer {
	o := &offer{Features: []string{fullMessages}}
	for _, policy := range extension.Policies() {
		o.Events = append(o.Events, policy.Event)
	}
	for name := range actions {
		o.Actions = append(o.Actions, name)
	}
	slices.Sort(o.Actions)
	return o
}

// agree checks whether the program speaks the same protocol.
func (p *program) agree(l *link, r *registration) error {
	if r.Protocol != Version {
		return fmt.Errorf("it speaks version %d of the protocol, and this program version %d", r.Protocol, Version)
	}
	l.full = slices.Contains(r.Capabilities, fullMessages)
	return nil
}

// supervise starts the program again when it ends.
func (p *program) supervise(l *link) {
	defer close(p.done)
	restarts := child.Restarts{Pauses: p.host.cfg.Pauses}
	for {
		since := time.Now()
		err := l.child.Err()
		p.set(nil, nil)
		if p.isClosing() {
			return
		}
		ran := time.Since(since)
		for l = nil; l == nil; ran = 0 {
			pause, ok := restarts.Next(ran)
			if !ok {
				p.giveUp(err, restarts.Starts())
				return
			}
			if p.isClosing() {
				return
			}
			p.report("process", fmt.Errorf("%w; it is started again", err))
			if !p.pause(pause) {
				return
			}
			l, err = p.restart()
		}
		p.set(l, nil)
		if p.isClosing() { // stop has not seen this run
			l.child.Kill(extension.ErrStale, killGrace)
		}
	}
}

// restart starts the program again, registers what it brings now, and tells it of the session.
func (p *program) restart() (*link, error) {
	ctx, cancel := p.untilClosing()
	defer cancel()
	l, r, err := p.connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.replace(r); err != nil {
		p.report("register", err)
	}
	p.mu.Lock()
	start := p.session
	p.mu.Unlock()
	if start == nil || !slices.Contains(r.Events, extension.KindSessionStart.String()) {
		return l, nil
	}
	limit := extension.KindSessionStart.Policy().Deadline
	ctx, stop := context.WithTimeoutCause(ctx, limit, extension.ErrDeadline)
	defer stop()
	c := &call{ctx: ctx, x: p.api.Context()}
	if _, err := l.ask(c, p.host.patience(), "event", field{"event", start}); err != nil {
		p.report(extension.KindSessionStart.String(), err)
	}
	return l, nil
}

// untilClosing is a context that ends when the program is to end.
func (p *program) untilClosing() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	stopped := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-p.closing:
			cancel(extension.ErrStale)
		case <-stopped:
		}
	})
	return ctx, func() { close(stopped); watch.Wait(); cancel(nil) }
}

func (p *program) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.closing:
		return false
	}
}

func (p *program) isClosing() bool {
	select {
	case <-p.closing:
		return true
	default:
		return false
	}
}

func (p *program) giveUp(err error, starts int) {
	err = fmt.Errorf("%w; it has been started %d times and stays ended: reload to start it again", err, starts)
	p.set(nil, err)
	p.report("process", err)
}

// set says which run of the program is to be asked.
func (p *program) set(l *link, failed error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live, p.failed = l, failed
	if p.change != nil {
		close(p.change)
	}
	p.change = make(chan struct{})
}

// living is the run that is ready; nil if there is none.
func (p *program) living() *link {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.live
}

// reach returns the run of the program to ask, and waits while it is started again. The error
// is ErrEnded if it stays ended.
func (p *program) reach(ctx context.Context) (*link, error) {
	for {
		p.mu.Lock()
		l, failed, change := p.live, p.failed, p.change
		p.mu.Unlock()
		switch {
		case l != nil && !l.ended():
			return l, nil
		case failed != nil:
			return nil, fmt.Errorf("%w: %w", errEnded, failed)
		}
		select {
		case <-change:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-p.closing:
			return nil, extension.ErrStale
		}
	}
}

// errEnded means that an extension's program stays ended, which was reported before.
var errEnded = errors.New("the extension's process has ended")

// stop asks the program to end, and ends it if it does not.
func (p *program) stop() {
	p.closed.Do(func() { close(p.closing) })
	if l := p.living(); l != nil {
		l.child.Send(appendCall("shutdown", 0))
		l.child.CloseInput()
		timer := time.NewTimer(p.host.cfg.Grace)
		defer timer.Stop()
		select {
		case <-l.child.Done():
		case <-timer.C:
			l.child.Kill(errors.New("the process was ended, since it did not end after shutdown"), killGrace)
		}
	}
	<-p.done
	p.work.Wait()
	_ = p.log.Close() // a full disk is no reason to fail
}

// remember keeps the last start of a session, to tell it to a program that is started again.
func (p *program) remember(e *extension.SessionStart) {
	again := *e
	again.Reason = extension.ReasonReload
	raw, err := extension.Encode(&again)
	if err != nil {
		return
	}
	p.mu.Lock()
	p.session = raw
	p.mu.Unlock()
}

func decodeLine(raw []byte, into any) error { return json.Unmarshal(raw, into, lenient.Options) }

// report tells of a failure that nobody waits for.
func (p *program) report(what string, err error) {
	p.api.Report(&extension.Error{Event: what, Err: err})
}
