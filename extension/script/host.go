package script

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"modernc.org/quickjs"
)

// registerHost gives JavaScript the few functions on which everything else is built. boot.js
// takes them off the global object again.
func (e *Engine) registerHost() error {
	for name, fn := range map[string]quickjs.HostFunc{
		"__host":      e.hostSync,
		"__hostAsync": e.hostAsync,
		"__cancel":    e.hostCancel,
		"__settle":    e.hostSettle,
		"__timer":     e.hostTimer,
		"__report":    e.hostReport,
		"__log":       e.hostLog,
		"__library":   e.hostLibrary,
		"__module":    e.hostModule,
		"__evaluate":  e.hostEvaluate,
	} {
		if err := e.vm.RegisterHostFunc(name, fn); err != nil {
			return fmt.Errorf("register %s: %w", name, err)
		}
	}
	return nil
}

// hostSync is __host(op, json): the operation runs on a goroutine of its own while this one
// serves those who call back.
func (e *Engine) hostSync(args []any) (any, error) {
	name, in := text(args, 0), text(args, 1)
	op, ok := e.opts.Ops[name]
	if !ok {
		return answer(nil, unknownOp(name))
	}
	if err := e.acceptable(name, in); err != nil {
		return answer(nil, err)
	}
	resume := e.watch.pause(e.opts.Limits.Turn)
	defer resume()
	if e.opts.CallsBack == nil || !e.opts.CallsBack(name) {
		out, err := guarded(e.ctx, name, op, []byte(in))
		return answer(out, err)
	}
	n := &nest{jobs: make(chan func()), over: make(chan struct{})}
	type result struct {
		out []byte
		err error
	}
	done := make(chan result, 1)
	e.ops.Go(func() {
		out, err := guarded(context.WithValue(e.ctx, nestKey{}, n), name, op, []byte(in))
		done <- result{out, err}
	})
	outer := e.nest
	e.nest = n
	defer func() { e.nest = outer }()
	for {
		e.hurry()
		select {
		case <-e.wake:
		case r := <-done:
			e.hurry() // what the operation has caused comes before what follows it
			close(n.over)
			return answer(r.out, r.err)
		case job := <-n.jobs:
			job()
		}
	}
}

// answer is what boot.js gets: JSON, or ! and an error. The engine would cut the text of an
// exception after 255 bytes.
func answer(out []byte, err error) (any, error) {
	if err != nil {
		return "!" + wire(err), nil
	}
	return string(out), nil
}

// acceptable refuses what would weigh on the session. Files are bounded where they are read.
func (e *Engine) acceptable(name, in string) error {
	if !strings.HasPrefix(name, "pi.") {
		return nil
	}
	return e.opts.Limits.fits("what "+name+" was given", len(in))
}

func unknownOp(name string) error {
	return fmt.Errorf("%s is not supported by this host", name)
}

// hostAsync is __hostAsync(op, json, id): it returns an error as answer does; answers go to __rondo.deliver(id, kind, json).
func (e *Engine) hostAsync(args []any) (any, error) {
	name, in, id := text(args, 0), text(args, 1), number(args, 2)
	op, ok := e.opts.Ops[name]
	if !ok {
		return answer(nil, unknownOp(name))
	}
	if err := e.acceptable(name, in); err != nil {
		return answer(nil, err)
	}
	ctx, cancel := context.WithCancel(e.ctx)
	e.cancels[id] = cancel
	ctx = context.WithValue(ctx, emitKey{}, func(chunk []byte) {
		e.post(func() { e.handOver(id, "chunk", string(chunk)) })
	})
	run := guard(&e.turns, name, op, []byte(in))
	e.ops.Go(func() {
		out, err := run(ctx)
		e.post(func() {
			cancel()
			delete(e.cancels, id)
			if err != nil {
				e.handOver(id, "error", wire(err))
				return
			}
			e.handOver(id, "done", string(out))
		})
	})
	return nil, nil
}

type emitKey struct{}

// Emit sends a part of the answer of an asynchronous operation to JavaScript, where the
// function given to hostStream gets it. It returns at once and does nothing in an operation
// that JavaScript waits for.
func Emit(ctx context.Context, chunk []byte) {
	if emit, ok := ctx.Value(emitKey{}).(func([]byte)); ok {
		emit(chunk)
	}
}

func (e *Engine) handOver(id int, kind, payload string) {
	err := e.turn(func() error {
		_, err := e.deliver.Call(quickjs.UndefinedValue, id, kind, payload)
		return err
	})
	if err != nil {
		e.fault("callback", err)
	}
}

// hostCancel is __cancel(id).
func (e *Engine) hostCancel(args []any) (any, error) {
	if cancel, ok := e.cancels[number(args, 0)]; ok {
		cancel()
	}
	return nil, nil
}

// hostSettle is __settle(id, outcome).
func (e *Engine) hostSettle(args []any) (any, error) {
	e.settle(number(args, 0), text(args, 1))
	return nil, nil
}

// hostTimer is __timer(id, milliseconds): __rondo.fire(id) comes once; negative takes it back.
func (e *Engine) hostTimer(args []any) (any, error) {
	id, ms := number(args, 0), number(args, 1)
	if t, ok := e.timers[id]; ok {
		t.Stop()
		delete(e.timers, id)
	}
	if ms < 0 {
		return nil, nil
	}
	e.timers[id] = time.AfterFunc(time.Duration(ms)*time.Millisecond, func() {
		e.post(func() { e.fireTimer(id) })
	})
	return nil, nil
}

func (e *Engine) fireTimer(id int) {
	if _, ok := e.timers[id]; !ok {
		return
	}
	delete(e.timers, id)
	err := e.turn(func() error {
		_, err := e.fire.Call(quickjs.UndefinedValue, id)
		return err
	})
	if err != nil {
		e.fault("timer", err)
	}
}

// hostReport is __report(kind, message, stack).
func (e *Engine) hostReport(args []any) (any, error) {
	e.report(Fault{Kind: text(args, 0), Message: e.meant(text(args, 1)), Stack: text(args, 2)})
	return nil, nil
}

// hostLog is __log(line).
func (e *Engine) hostLog(args []any) (any, error) {
	if e.opts.Log == nil {
		return nil, nil
	}
	line, over := e.console.write(text(args, 0), e.opts.Limits.Log)
	if line != "" || text(args, 0) == "" {
		e.opts.Log(line)
	}
	if over {
		e.report(Fault{Kind: "console", Message: fmt.Sprintf("more than %d bytes were written to the console within a second; the rest of that second is left out", e.opts.Limits.Log)})
	}
	return nil, nil
}

// console counts what is written to it, by the second.
type console struct {
	second time.Time
	left   int64
	told   bool
}

// write returns what of a line may be written, and whether a second's share is used up with
// it.
func (c *console) write(line string, limit int64) (rest string, over bool) {
	if now := time.Now(); limit <= 0 || now.Sub(c.second) >= time.Second {
		c.second, c.left, c.told = now, limit, false
	}
	size := int64(len(line)) + 1
	if limit <= 0 || size <= c.left {
		c.left -= size
		return line, false
	}
	line = line[:max(c.left-1, 0)]
	over, c.left, c.told = !c.told, 0, true
	return strings.ToValidUTF8(line, ""), over
}

// fault reports an error that nobody waits for.
func (e *Engine) fault(kind string, err error) {
	if errors.Is(err, ErrInterrupted) && e.ctx.Err() != nil {
		return // the end of the machine is nobody's fault
	}
	f := Fault{Kind: kind}
	switch t := e.thrown(err).(type) { //nolint:errorlint // thrown returns these themselves
	case *ScriptError:
		f.Message, f.Stack = t.Message, t.Stack
	default:
		f.Message = t.Error()
	}
	e.report(f)
}

func text(args []any, i int) string {
	if i >= len(args) {
		return ""
	}
	s, _ := args[i].(string)
	return s
}

func number(args []any, i int) int {
	if i >= len(args) {
		return 0
	}
	switch n := args[i].(type) {
	case int:
		return n
	case int32:
		return int(n)
	case int64:
		return int(n)
	case float64:
		return int(n)
	}
	return 0
}
