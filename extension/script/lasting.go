package script

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	program "github.com/rondo-agent/rondo/extension/internal/child"
)

// lasting is a machine in a process of its own that is started again, with the extensions that
// it had, by the first call after it has ended.
type lasting struct {
	program *Remote
	dir     string
	opts    Options
	restore func(ctx context.Context, m *remote) // loads the extensions

	ctx    context.Context //nolint:containedctx // its life
	cancel context.CancelCauseFunc
	work   sync.WaitGroup

	mu       sync.Mutex
	now      *remote
	since    time.Time
	restarts program.Restarts
	reviving chan struct{} // closed at its end; nil if the process is not being started
	stays    bool          // ended
}

var _ machine = (*lasting)(nil)

func newLasting(r *Remote, dir string, opts Options, restore func(context.Context, *remote)) (*lasting, error) {
	l := &lasting{program: r, dir: dir, opts: opts, restore: restore, restarts: program.Restarts{Pauses: program.DefaultPauses}}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	var err error
	l.now, err = newRemote(l.ctx, r, dir, opts)
	if err != nil {
		return nil, errors.Join(err, l.closeLog())
	}
	l.since = time.Now()
	return l, nil
}

// closeLog closes the log, which all processes have had in turn.
func (l *lasting) closeLog() error {
	if l.program.Log == nil {
		return nil
	}
	return l.program.Log.Close()
}

// restoring marks calls that belong to the start of a process.
type restoring struct{}

func (l *lasting) current() *remote {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// reach returns the process to call, and waits for one that is being started. What a process
// does itself goes to it, whatever its state.
func (l *lasting) reach(ctx context.Context) (*remote, error) {
	if ctx.Value(restoring{}) != nil || ctx.Value(remoteKey{}) != nil {
		return l.current(), nil
	}
	l.mu.Lock()
	if l.reviving == nil && l.now.ended() && !l.stays && l.ctx.Err() == nil {
		l.reviving = make(chan struct{})
		ran := l.now.lived(l.since)
		l.work.Go(func() { l.revive(ran) })
	}
	m, reviving := l.now, l.reviving
	l.mu.Unlock()
	if reviving == nil {
		return m, nil
	}
	select {
	case <-reviving:
		return l.current(), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// revive starts the process again, which may need several attempts.
func (l *lasting) revive(ran time.Duration) {
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		close(l.reviving)
		l.reviving = nil
	}()
	err := l.current().gone()
	for ; ; ran = 0 {
		pause, ok := l.restarts.Next(ran)
		if !ok {
			l.mu.Lock()
			l.stays = true
			l.mu.Unlock()
			l.opts.Report(Fault{Kind: "process", Message: fmt.Sprintf("%v; it has been started %d times and stays ended: reload to start it again", err, l.restarts.Starts())})
			return
		}
		if !l.pause(pause) {
			return
		}
		var m *remote
		if m, err = newRemote(l.ctx, l.program, l.dir, l.opts); err != nil {
			continue
		}
		old := l.current()
		l.mu.Lock()
		l.now, l.since = m, time.Now()
		l.mu.Unlock()
		_ = old.Close()
		l.restore(context.WithValue(l.ctx, restoring{}, true), m)
		return
	}
}

func (l *lasting) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.ctx.Done():
		return false
	}
}

func (l *lasting) add(b *Bundle) (name string, err error) { return l.current().add(b) }

// Invoke implements machine.
func (l *lasting) Invoke(ctx context.Context, name, arg string) (string, error) {
	return l.invoke(ctx, name, false, func() string { return arg })
}

func (l *lasting) invoke(ctx context.Context, name string, urgent bool, arg func() string) (string, error) {
	m, err := l.reach(ctx)
	if err != nil {
		return "", err
	}
	return m.invoke(ctx, name, urgent, arg)
}

// Draw implements machine. What a process that has ended has shown is gone.
func (l *lasting) Draw(ctx context.Context, name, arg string) (string, error) {
	return l.current().Draw(ctx, name, arg)
}

func (l *lasting) tell(name, arg string) { l.current().tell(name, arg) }

func (l *lasting) ordered() bool { return false }

// Close implements machine.
func (l *lasting) Close() error {
	l.cancel(ErrClosed)
	first := l.current()
	err := first.Close()
	l.work.Wait()
	if m := l.current(); m != first { // which has been started meanwhile
		err = errors.Join(err, m.Close())
	}
	return errors.Join(err, l.closeLog())
}
