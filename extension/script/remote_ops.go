package script

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// take takes a line of JavaScript, on the goroutine that reads them.
func (m *remote) take(line []byte) {
	u := new(upward)
	if err := json.Unmarshal(line, u, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		m.fault(Fault{Kind: "protocol", Message: err.Error()})
		return
	}
	switch u.T {
	case "host":
		m.sync(u)
	case "async":
		m.async(u)
	case "library":
		m.library(u)
	case "module":
		m.ops.Go(func() { m.module(u) })
	case "cancel":
		m.mu.Lock()
		cancel := m.cancels[u.ID]
		m.mu.Unlock()
		if cancel != nil {
			cancel()
		}
	case "entered":
		m.entered(u)
	case "settle":
		m.settle(u)
	case "report":
		m.fault(Fault{Kind: u.Kind, Message: u.Message, Stack: u.Stack})
	case "log":
		m.print([]byte(u.Message))
	case "up":
		close(m.up)
	}
}

func (m *remote) fault(f Fault) {
	if m.opts.Report == nil {
		return
	}
	m.mu.Lock()
	for _, file := range m.loaded {
		if len(m.loaded) == 1 || strings.Contains(f.Stack, filepath.Dir(file)+string(filepath.Separator)) {
			f.File = file
			break
		}
	}
	m.mu.Unlock()
	m.opts.Report(f)
}

// sync runs an operation that JavaScript waits for.
func (m *remote) sync(u *upward) {
	op, ok := m.opts.Ops[u.Op]
	if !ok {
		m.answer(u.Seq, nil, unknownOp(u.Op))
		return
	}
	if m.opts.CallsBack == nil || !m.opts.CallsBack(u.Op) {
		out, err := guarded(m.ctx, u.Op, op, []byte(u.JSON))
		m.answer(u.Seq, out, err)
		return
	}
	m.mu.Lock()
	m.waits[u.Seq] = true
	m.mu.Unlock()
	m.ops.Go(func() {
		out, err := guarded(context.WithValue(m.ctx, remoteKey{}, u.Seq), u.Op, op, []byte(u.JSON))
		m.answer(u.Seq, out, err)
	})
}

// answer ends the waiting of JavaScript. What is called from now on comes to it as usual.
func (m *remote) answer(seq int, out []byte, err error) {
	d := &downward{T: "answer", Seq: seq}
	if err != nil {
		d.Error = wire(err)
	} else {
		text := string(out)
		d.JSON = &text
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.waits, seq)
	m.child.Answer(d.line())
}

// async runs an operation whose outcome is delivered.
func (m *remote) async(u *upward) {
	op, ok := m.opts.Ops[u.Op]
	if !ok {
		m.answer(u.Seq, nil, unknownOp(u.Op))
		return
	}
	ctx, cancel := context.WithCancel(m.ctx)
	m.mu.Lock()
	m.cancels[u.ID] = cancel
	m.mu.Unlock()
	m.answer(u.Seq, nil, nil)
	deliver := func(kind, payload string) {
		m.child.Send((&downward{T: "deliver", ID: u.ID, Kind: kind, Payload: payload}).line())
	}
	ctx = context.WithValue(ctx, emitKey{}, func(chunk []byte) { deliver("chunk", string(chunk)) })
	run := guard(&m.turns, u.Op, op, []byte(u.JSON))
	m.ops.Go(func() {
		defer cancel()
		out, err := run(ctx)
		m.mu.Lock()
		delete(m.cancels, u.ID)
		m.mu.Unlock()
		if err != nil {
			deliver("error", wire(err))
			return
		}
		deliver("done", string(out))
	})
}

// library writes a module of the library where JavaScript can load it.
func (m *remote) library(u *upward) {
	d := &downward{T: "answer", Seq: u.Seq}
	name := canonical(u.Name)
	if libraryFile(name) != "" {
		file, err := m.files.library(name)
		if err != nil {
			d.Error = err.Error() // which boot.js takes as it is
		} else {
			d.Name, d.File = name, file
		}
	}
	m.child.Answer(d.line())
}

// module finds what a script asks for while it runs. What Node can load it loads itself.
func (m *remote) module(u *upward) {
	w := wantedModule{remote: true}
	err := json.Unmarshal([]byte(u.JSON), &w)
	var f *foundModule
	if err == nil {
		f, err = w.find()
	}
	if err == nil && f.Builtin == "" && w.Kind != "resolve" && !f.share(&w) {
		f.Module, f.Wrapped, err = m.files.module(f, f.sharing(w.Shared))
	}
	out, mErr := json.Marshal(f)
	line := string(out)
	if err = cmp.Or(err, mErr); err != nil {
		line = "!" + wire(err)
	}
	m.child.Answer((&downward{T: "answer", Seq: u.Seq, JSON: &line}).line())
}

// entered ends a call, unless it has returned a promise that is waited for.
func (m *remote) entered(u *upward) {
	m.mu.Lock()
	c := m.calls[u.ID]
	if c != nil {
		c.entered = true
		if u.S != nil {
			c.slow.Stop()
			delete(m.calls, u.ID)
		}
	}
	m.mu.Unlock()
	switch {
	case c == nil:
	case u.S != nil:
		c.finish(remoteOutcome(*u.S))
	case !c.wait:
		c.finish("", nil) // what becomes of it later is reported only if it fails
	}
}

func (m *remote) settle(u *upward) {
	m.mu.Lock()
	c := m.calls[u.ID]
	delete(m.calls, u.ID)
	m.mu.Unlock()
	if c == nil || u.S == nil {
		return
	}
	c.slow.Stop()
	out, err := remoteOutcome(*u.S)
	select {
	case <-c.done:
	default:
		c.finish(out, err)
		return
	}
	if thrown, ok := errors.AsType[*ScriptError](err); ok {
		m.fault(Fault{Kind: "rejection", Message: thrown.Message, Stack: thrown.Stack})
	}
}

// remoteOutcome is Engine.outcome for stacks that name the source files already.
func remoteOutcome(s string) (string, error) {
	if s == "" || s[0] == '=' {
		return s[min(1, len(s)):], nil
	}
	thrown := new(ScriptError)
	if err := json.Unmarshal([]byte(s[1:]), thrown, jsontext.AllowInvalidUTF8(true)); err != nil {
		return "", err
	}
	return "", thrown
}
