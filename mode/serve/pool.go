package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/memory"
)

// pool has the sessions that clients have asked for, by their ids. Those that are not used are
// closed, and opened again when they are asked for.
type pool struct {
	opts *Options

	mu      sync.Mutex
	entries map[string]*entry
	opened  int // entries that are live
	closed  bool

	excess chan struct{} // holds a value when more are open than may stay so
}

// entry is a session, open or closed.
type entry struct {
	id       string
	receipts receipts

	// opening is held while the session is opened or closed.
	opening sync.Mutex
	path    string             // its file; empty for a session in memory
	header  *transcript.Header // of a session that was made here; nil for one that was found
	unsaved []transcript.Entry // what it has, as long as that is in no file
	memory  *memory.Store      // nil unless it is kept in memory

	// The pool's mutex guards what follows.
	live  *live // nil while closed
	uses  int   // by requests
	used  time.Time
	saved bool // it is in its file
}

// Errors of a server that refuses.
var (
	// ErrNoSession means that there is no session of an id.
	ErrNoSession = errors.New("there is no such session; GET /api/sessions lists them")
	// ErrClosing means that the server is ending.
	ErrClosing = errors.New("the server is ending; try again when it is back")
)

func newPool(opts *Options) *pool {
	return &pool{opts: opts, entries: make(map[string]*entry), excess: make(chan struct{}, 1)}
}

// create makes a session in a folder, open and used; release ends the use.
func (p *pool) create(cwd string) (l *live, release func(), err error) {
	if info, err := os.Stat(cwd); err != nil || !info.IsDir() || !filepath.IsAbs(cwd) {
		return nil, nil, fmt.Errorf("a session cannot work in %q: name a folder that is there, by its absolute path", cwd)
	}
	header := transcript.NewHeader(transcript.CanonicalDir(cwd))
	e := &entry{id: header.ID, header: header}
	if p.opts.Dir == "" {
		e.memory = memory.New(header)
	} else {
		e.path = filepath.Join(p.opts.Dir, jsonl.FileName(header))
	}
	p.mu.Lock()
	p.entries[e.id] = e
	p.mu.Unlock()
	l, release, err = p.use(context.Background(), e.id)
	if err != nil {
		p.mu.Lock()
		delete(p.entries, e.id)
		p.mu.Unlock()
	}
	return l, release, err
}

// use returns the session of an id, open, and keeps it so until release is called. It
// returns [ErrNoSession], [ErrClosing], or the error of opening the session.
func (p *pool) use(ctx context.Context, id string) (l *live, release func(), err error) {
	e, err := p.find(id)
	if err != nil {
		return nil, nil, err
	}
	release = sync.OnceFunc(func() { p.release(e) })
	e.opening.Lock()
	defer e.opening.Unlock()
	if l = p.liveOf(e); l != nil {
		return l, release, nil
	}
	if ctx.Err() != nil {
		release()
		return nil, nil, ctx.Err()
	}
	if l, err = p.open(e); err != nil {
		release()
		return nil, nil, err
	}
	return l, release, nil
}

// find returns the entry of an id, and counts a use of it.
func (p *pool) find(id string) (*entry, error) {
	for {
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return nil, ErrClosing
		}
		if e := p.entries[id]; e != nil {
			e.uses++
			p.mu.Unlock()
			return e, nil
		}
		p.mu.Unlock()
		path, err := p.file(id)
		if err != nil {
			return nil, err
		}
		p.mu.Lock()
		if p.entries[id] == nil {
			p.entries[id] = &entry{id: id, path: path, saved: true}
		}
		p.mu.Unlock()
	}
}

// file returns the file of a session that no client has asked for yet.
func (p *pool) file(id string) (string, error) {
	if p.opts.Dir == "" || !transcript.ValidID(id) {
		return "", ErrNoSession
	}
	info, err := jsonl.Find(p.opts.Dir, id)
	if _, none := errors.AsType[*jsonl.NotFoundError](err); none {
		return "", ErrNoSession
	}
	if _, several := errors.AsType[*jsonl.AmbiguousError](err); several {
		return "", ErrNoSession
	}
	if err != nil {
		return "", err
	}
	if info.Header.ID != id { // a part of an id is none
		return "", ErrNoSession
	}
	return info.Path, nil
}

func (p *pool) liveOf(e *entry) *live {
	p.mu.Lock()
	defer p.mu.Unlock()
	return e.live
}

func (p *pool) release(e *entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e.uses--
	e.used = time.Now()
	if p.opened > p.opts.Limits.MaxOpen {
		select {
		case p.excess <- struct{}{}:
		default:
		}
	}
}

// open opens the session of an entry, whose lock opening is held.
func (p *pool) open(e *entry) (*live, error) {
	store, err := p.openStore(e)
	if err != nil {
		return nil, err
	}
	saved := store.Leaf() != ""
	ui := newUI()
	opened, err := p.opts.Open(&Opening{Store: store, UI: ui})
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	l := newLive(opened, ui, &e.receipts, p.opts.Limits.Ring)
	if e.memory != nil {
		l.Keep = true // there is nowhere to put it
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errors.Join(ErrClosing, l.Session.Close(context.Background()))
	}
	e.live = l
	p.opened++
	p.mu.Unlock()
	reason := extension.ReasonResume
	if !saved {
		reason = extension.ReasonNew
	}
	go l.begin(reason) // live.close waits for it
	return l, nil
}

// openStore opens the store of an entry.
func (p *pool) openStore(e *entry) (transcript.Store, error) {
	if e.memory != nil {
		return e.memory, nil
	}
	p.mu.Lock()
	saved := e.saved
	p.mu.Unlock()
	if saved {
		return jsonl.Open(e.path, nil)
	}
	store, err := jsonl.Create(e.path, e.header, nil)
	if err != nil {
		return nil, err
	}
	if len(e.unsaved) > 0 {
		if err := store.Append(e.unsaved...); err != nil {
			return nil, errors.Join(err, store.Close())
		}
	}
	return store, nil
}

// keepUnsaved remembers what a store that is about to be closed has not put into a file.
func (p *pool) keepUnsaved(e *entry, store transcript.Store) error {
	file, ok := store.(*jsonl.Store)
	if !ok {
		return nil
	}
	e.unsaved = nil
	if file.Saved() {
		p.mu.Lock()
		defer p.mu.Unlock()
		e.saved = true
		return nil
	}
	for kept, err := range file.Entries() {
		if err != nil {
			return err
		}
		e.unsaved = append(e.unsaved, kept)
	}
	return nil
}

// evict closes sessions that are not used: those that were not for [Limits.Idle], and, where more
// are open than [Limits.MaxOpen] allows, those that were used the longest ago.
func (p *pool) evict(ctx context.Context) {
	p.mu.Lock()
	var idle []*entry
	for _, e := range p.entries {
		if e.live != nil && e.uses == 0 {
			idle = append(idle, e)
		}
	}
	slices.SortFunc(idle, func(a, b *entry) int { return a.used.Compare(b.used) })
	now := time.Now()
	n := max(len(idle)-p.opts.Limits.MaxOpen, 0)
	for n < len(idle) && now.Sub(idle[n].used) >= p.opts.Limits.Idle {
		n++
	}
	p.mu.Unlock()
	for _, e := range idle[:n] {
		if err := p.closeIdle(ctx, e); err != nil {
			p.opts.Note(fmt.Sprintf("session %s did not close well: %v", e.id, err))
		}
	}
}

// closeIdle closes a session, unless it is used or works.
func (p *pool) closeIdle(ctx context.Context, e *entry) error {
	e.opening.Lock()
	defer e.opening.Unlock()
	p.mu.Lock()
	l := e.live
	if l == nil || e.uses > 0 || l.active() {
		p.mu.Unlock()
		return nil
	}
	p.mu.Unlock()
	return p.end(ctx, e, l)
}

// end closes the session of an entry, whose lock opening is held.
func (p *pool) end(ctx context.Context, e *entry, l *live) error {
	l.end()
	l.ui.end()
	err := errors.Join(p.keepUnsaved(e, l.Session.Store()), l.Session.Close(ctx))
	l.close()
	p.mu.Lock()
	defer p.mu.Unlock()
	e.live = nil
	p.opened--
	return err
}

// close ends all sessions; none is opened any more.
func (p *pool) close(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	var all []*entry
	for _, e := range p.entries {
		if e.live != nil {
			all = append(all, e)
		}
	}
	p.mu.Unlock()
	errs := make([]error, len(all))
	var ends sync.WaitGroup
	for i, e := range all {
		ends.Go(func() {
			e.opening.Lock()
			defer e.opening.Unlock()
			if l := p.liveOf(e); l != nil {
				errs[i] = p.end(ctx, e, l)
			}
		})
	}
	ends.Wait()
	return errors.Join(errs...)
}

// remove deletes a session and its file. It returns an error if another client uses it.
func (p *pool) remove(ctx context.Context, id string) error {
	e, err := p.find(id)
	if err != nil {
		return err
	}
	defer p.release(e)
	e.opening.Lock()
	defer e.opening.Unlock()
	p.mu.Lock()
	l, others := e.live, e.uses-1
	p.mu.Unlock()
	if l != nil {
		if others > 0 && l.active() {
			return errors.New("the session is at work: abort it first")
		}
		if err := p.end(ctx, e, l); err != nil {
			return err
		}
	}
	if e.memory == nil {
		if err := jsonl.Remove(ctx, e.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.entries, id)
	return nil
}

// overview is what a list says of the sessions that clients have asked for.
type overview struct {
	id     string
	l      *live              // nil while closed
	header *transcript.Header // nil if it is in a file
}

func (p *pool) overviews() []overview {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []overview
	for _, e := range p.entries {
		o := overview{id: e.id, l: e.live}
		if !e.saved {
			o.header = e.header
		}
		all = append(all, o)
	}
	return all
}
