package process

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/internal/child"
	"github.com/rondo-agent/rondo/internal/lenient"
)

const (
	// maxGarbage is how many lines that are no messages are reported of one run of a program.
	maxGarbage = 10
	// maxActions is how many actions of one program may wait at the same time.
	maxActions = 64
)

// link is one run of an extension's program: calls in one direction, actions in the other.
type link struct {
	p     *program
	child *child.Child
	ctx   context.Context // ends with the program
	end   context.CancelCauseFunc
	ready chan *registration
	full  bool // the program wants messages in full; set before the first call

	// work is actions that wait, and calls that are overdue. It is that of the program: one
	// that makes the session ask the program must not keep that from being started again.
	work *sync.WaitGroup

	mu      sync.Mutex
	greeted bool // ready has come
	over    bool
	last    int64
	calls   map[int64]*call
	actions map[string]context.CancelFunc
	waiting int
	garbage int
}

// call is a question to the program.
type call struct {
	id      int64
	ctx     context.Context
	x       *extension.Context
	command *extension.CommandContext // nil unless it is a command
	event   *extension.Envelope       // nil unless it is an event
	update  func(partial jsontext.Value)
	answer  chan *message
}

// dial starts the program.
func (p *program) dial() (*link, error) {
	l := &link{
		p: p, work: &p.work, ready: make(chan *registration, 1),
		calls: make(map[int64]*call), actions: make(map[string]context.CancelFunc),
	}
	l.ctx, l.end = context.WithCancelCause(context.Background())
	opts := &child.Options{
		Command: p.manifest.Command, Dir: p.manifest.Dir, Env: environ(p.manifest),
		MaxLine: p.host.cfg.MaxLine, Line: l.line, TooLong: l.tooLong,
	}
	if p.log != nil {
		opts.Log = p.log
	}
	started := make(chan struct{}) // lines may come before the program is known
	opts.Line = func(line []byte) { <-started; l.line(line) }
	opts.TooLong = func(line []byte) { <-started; l.tooLong(line) }
	c, err := child.Start(opts)
	if err != nil {
		l.end(err)
		return nil, err
	}
	l.child = c
	close(started)
	l.work.Go(func() {
		<-c.Done()
		l.mu.Lock()
		l.over = true
		l.mu.Unlock()
		l.end(c.Err())
	})
	return l, nil
}

// ended reports whether the program has ended.
func (l *link) ended() bool {
	select {
	case <-l.child.Done():
		return true
	default:
		return false
	}
}

// open gives a call its number.
func (l *link) open(c *call) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return false
	}
	l.last++
	c.id, c.answer = l.last, make(chan *message, 1)
	l.calls[c.id] = c
	return true
}

func (l *link) close(c *call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.calls, c.id)
}

// ask sends a call and waits for its answer. When its context is done, the program is told,
// and has some time to answer nevertheless; patience is how long this function waits for
// that. A program that takes longer than the grace period is ended.
func (l *link) ask(c *call, patience time.Duration, kind string, fields ...field) (*message, error) {
	if !l.open(c) {
		return nil, l.child.Err()
	}
	l.child.Send(appendCall(kind, c.id, fields...))
	select {
	case m := <-c.answer:
		l.close(c)
		return m.answered()
	case <-l.child.Done():
		return l.lastAnswer(c)
	case <-c.ctx.Done():
	}
	l.child.Send(appendCall("cancel", c.id))
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case m := <-c.answer:
		l.close(c)
		if m.Type == "error" {
			return nil, context.Cause(c.ctx)
		}
		return m, nil
	case <-l.child.Done():
		return l.lastAnswer(c)
	case <-timer.C:
		l.work.Go(func() { l.insist(c, kind, l.p.host.cfg.Grace-patience) })
		return nil, context.Cause(c.ctx)
	}
}

// lastAnswer is what the program has answered before it ended.
func (l *link) lastAnswer(c *call) (*message, error) {
	l.close(c)
	select {
	case m := <-c.answer:
		return m.answered()
	default:
		return nil, l.child.Err()
	}
}

// insist ends a program that does not even answer a call that was cancelled.
func (l *link) insist(c *call, kind string, grace time.Duration) {
	defer l.close(c)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-c.answer:
	case <-l.child.Done():
	case <-timer.C:
		l.child.Kill(fmt.Errorf("the process was ended, since it has not answered a message of the type %s within %v of its being cancelled",
			kind, l.p.host.cfg.Grace), killGrace)
	}
}

func (m *message) answered() (*message, error) {
	if m.Type == "error" {
		return nil, m.failure()
	}
	return m, nil
}

// line takes a line of the program.
func (l *link) line(raw []byte) {
	if mended, err := lenient.JSON(raw); err == nil {
		raw = mended
	}
	m, err := parse(raw)
	if err != nil {
		l.complain(fmt.Errorf("a line of stdout is no message (%w): %s; print to stderr what is for people", err, excerpt(raw)))
		return
	}
	switch m.Type {
	case "ready":
		l.greet(raw)
	case "result", "error":
		l.settle(m)
	case "progress":
		if c := l.callOf(m.ID); c != nil && c.update != nil {
			c.update(m.Result)
		}
	case "action":
		l.act(m)
	case "cancel":
		l.cancelAction(m.ID)
	}
}

func (l *link) greet(raw []byte) {
	r := new(registration)
	if err := decodeLine(raw, r); err != nil {
		l.child.Kill(fmt.Errorf("its message ready is wrong: %w", err), killGrace)
		return
	}
	l.mu.Lock()
	again := l.greeted
	l.greeted = true
	l.mu.Unlock()
	if again {
		l.complain(errors.New("it has sent ready again; use the action register"))
		return
	}
	l.ready <- r
}

func (l *link) callOf(id jsontext.Value) *call {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls[number(id)]
}

// settle hands an answer over.
func (l *link) settle(m *message) {
	c := l.callOf(m.ID)
	if c == nil {
		l.complain(fmt.Errorf("it answers a call that is not under way: id %s", m.ID))
		return
	}
	select {
	case c.answer <- m:
	default:
		l.complain(fmt.Errorf("it answers a call twice: id %s", m.ID))
	}
}

// tooLong takes the beginning of a line over the limit, and lets nobody wait for it.
func (l *link) tooLong(raw []byte) {
	err := fmt.Errorf("a line is longer than %d bytes: %s", l.p.host.cfg.MaxLine, excerpt(raw))
	l.complain(err)
	switch m := head(raw); m.Type {
	case "result", "error":
		if c := l.callOf(m.ID); c != nil {
			m.Type, m.Error = "error", value("", err.Error()).value
			l.settle(m)
		}
	case "action":
		if m.ID != nil {
			l.child.Send(appendAnswer(m.ID, nil, err))
		}
	}
}

// complain reports what is wrong with what the program sends, a few times.
func (l *link) complain(err error) {
	l.mu.Lock()
	l.garbage++
	n := l.garbage
	l.mu.Unlock()
	switch {
	case n < maxGarbage:
		l.p.report("protocol", err)
	case n == maxGarbage:
		l.p.report("protocol", fmt.Errorf("%w (and more of that kind, which is not reported)", err))
	}
}

// act does what the program asks for.
func (l *link) act(m *message) {
	a, ok := actions[m.Action]
	if !ok {
		l.reply(m, nil, fmt.Errorf("there is no action %q", m.Action))
		return
	}
	on := &acting{link: l, p: l.p, x: l.p.api.Context(), call: l.owner(m)}
	if on.call != nil && on.call.x != nil {
		on.x = on.call.x
	}
	if !a.waits {
		result, err := a.guarded(l.ctx, on, m.Params)
		l.reply(m, result, err)
		return
	}
	ctx, cancel := l.life(a, on.call)
	if !l.admit(m.ID, cancel) {
		cancel()
		l.reply(m, nil, fmt.Errorf("%d actions wait already", maxActions))
		return
	}
	l.work.Go(func() {
		defer cancel()
		result, err := a.guarded(ctx, on, m.Params)
		l.dismiss(m.ID)
		l.reply(m, result, err)
	})
}

// owner is the call that an action belongs to: the one that it names, or the oldest, which is
// the one that a program works at that does one thing at a time. Null is none.
func (l *link) owner(m *message) *call {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m.For != nil {
		return l.calls[number(m.For)]
	}
	var oldest *call
	for _, c := range l.calls {
		if oldest == nil || c.id < oldest.id {
			oldest = c
		}
	}
	return oldest
}

// life is the context of an action. All end with the program; some end with their call.
func (l *link) life(a action, c *call) (context.Context, context.CancelFunc) {
	base := l.ctx
	switch {
	case c != nil && a.bound:
		base = c.ctx
	case c != nil:
		base = context.WithoutCancel(c.ctx)
	}
	ctx, cancel := context.WithCancel(base)
	stop := context.AfterFunc(l.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

func (l *link) admit(id jsontext.Value, cancel context.CancelFunc) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting >= maxActions || l.over {
		return false
	}
	l.waiting++
	if id != nil {
		l.actions[string(id)] = cancel
	}
	return true
}

func (l *link) dismiss(id jsontext.Value) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting--
	delete(l.actions, string(id))
}

func (l *link) cancelAction(id jsontext.Value) {
	l.mu.Lock()
	cancel := l.actions[string(id)]
	l.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// reply answers an action. The failure of one that nobody waits for is reported.
func (l *link) reply(m *message, result any, err error) {
	switch {
	case m.ID != nil:
		l.child.Send(appendAnswer(m.ID, result, err))
	case err != nil && l.ctx.Err() == nil:
		l.p.report("action:"+m.Action, err)
	}
}

// guarded makes an error of a panic: this is no goroutine of a handler.
func (a action) guarded(ctx context.Context, on *acting, params jsontext.Value) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
			on.p.api.Report(&extension.Error{Event: "action", Err: err, Stack: string(debug.Stack())})
		}
	}()
	return a.run(ctx, on, params)
}
