package tui

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// call is a message of the program: something to do with the model.
type call func()

// tasks are what runs beside the loop. What comes of a task is done by the loop.
type tasks struct {
	ctx    context.Context
	prog   *tea.Program
	full   func() // called when a task is refused, since too many wait
	group  sync.WaitGroup
	serial chan func()
}

// maxSerial is how many tasks wait for each other.
const maxSerial = 1000

// endLimit is how long the end waits for what was asked of the session and of extensions. A
// command of an extension that never ends goes with the session.
const endLimit = 500 * time.Millisecond

func newTasks(ctx context.Context, full func()) *tasks {
	return &tasks{ctx: ctx, full: full, serial: make(chan func(), maxSerial)}
}

// Context implements [command.Host].
func (t *tasks) Context() context.Context { return t.ctx }

// Do implements [command.Host].
func (t *tasks) Do(fn func(ctx context.Context) (then func())) {
	t.group.Go(func() { t.finish(fn) })
}

// InOrder implements [command.Host].
func (t *tasks) InOrder(fn func(ctx context.Context) (then func())) {
	select {
	case t.serial <- func() { t.finish(fn) }:
	default:
		t.full()
	}
}

func (t *tasks) finish(fn func(ctx context.Context) (then func())) {
	if then := fn(t.ctx); then != nil {
		t.prog.Send(call(then))
	}
}

// follow carries out what a key has come to, outside of Update.
func (t *tasks) follow(cmd tea.Cmd) {
	if cmd != nil {
		go func() { t.prog.Send(cmd()) }() // ends with the program at the latest
	}
}

// work does what must happen in order, until the context is done.
func (t *tasks) work() {
	for {
		select {
		case fn := <-t.serial:
			fn()
		case <-t.ctx.Done():
			return
		}
	}
}

// end waits for the tasks, but not for ever.
func (t *tasks) end(helpers *sync.WaitGroup) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		helpers.Wait()
		t.group.Wait()
	}()
	select {
	case <-done:
	case <-time.After(endLimit):
	}
}
