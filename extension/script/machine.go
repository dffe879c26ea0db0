package script

import (
	"context"
	"path"

	"modernc.org/quickjs"
)

// machine is what runs scripts: an [Engine], or a [remote] one in a process of its own.
type machine interface {
	// add makes a bundle known and returns the name that it is imported by.
	add(b *Bundle) (name string, err error)
	Invoke(ctx context.Context, name, arg string) (string, error)
	invoke(ctx context.Context, name string, urgent bool, arg func() string) (string, error)
	Draw(ctx context.Context, name, arg string) (string, error)
	// tell calls an entry whose outcome nobody waits for; a failure is a fault.
	tell(name, arg string)
	// ordered reports whether calls run in the order in which their arguments are made.
	ordered() bool
	Close() error
}

var (
	_ machine = (*Engine)(nil)
	_ machine = (*remote)(nil)
)

func (e *Engine) add(b *Bundle) (name string, err error) {
	if !e.post(func() { e.know(b) }) {
		return "", ErrClosed
	}
	return b.Path, nil
}

// know makes a bundle one that can be imported. It is compiled, which takes seconds where
// there are megabytes of it, unless the cache has it; one that does not compile says why when
// it is imported.
func (e *Engine) know(b *Bundle) {
	name := b.key()
	known := e.modules[name] != nil
	e.modules[name] = b
	if known {
		return
	}
	c := cache{e.opts.Cache}
	key := path.Join("modules", digest([]byte(quickjs.Version() + bytecodeFormat + name + "\x00" + b.code))[:32])
	if code := c.read(key); code != nil && e.raw.declare(code) {
		return
	}
	if code := e.raw.compile(name, b.code); code != nil {
		c.write(key, code)
	}
}

func (e *Engine) tell(name, arg string) {
	e.post(func() {
		c := newCall()
		e.begin(c, name, arg, true)
		c.finish("", nil) // a promise that fails later is a fault
		if c.err != nil {
			e.fault(name, c.err)
		}
	})
}

func (e *Engine) ordered() bool { return true }
