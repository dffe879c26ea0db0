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

// house has the sessions that clients have asked for, by their ids.
type house struct {
	opts *Options

	mu      sync.Mutex
	entries map[string]*entry
	opened  int // entries that are live
	closed  bool

	crowded chan struct{} // holds a value when more are open than may stay so
}

// entry is a session: open, or at rest.
type entry struct {
	id       string
	receipts receipts

	// turn is held while the session is opened or closed.
	turn   sync.Mutex
	path   string             // its file; empty for a session in memory
	header *transcript.Header // of a session that was made here; nil for one that was found
	held   []transcript.Entry // what it has, as long as that is in no file
	inRAM  *memory.Store      // nil unless it is kept in memory

	// The house's mutex guards what follows.
	live  *live // nil while at rest
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

func newHouse(opts *Options) *house {
	return &house{opts: opts, entries: make(map[string]*entry), crowded: make(chan struct{}, 1)}
}

// create makes a session in a folder, open and used; release ends the use.
func (h *house) create(cwd string) (l *live, release func(), err error) {
	if info, err := os.Stat(cwd); err != nil || !info.IsDir() || !filepath.IsAbs(cwd) {
		return nil, nil, fmt.Errorf("a session cannot work in %q: name a folder that is there, by its absolute path", cwd)
	}
	header := transcript.NewHeader(transcript.CanonicalDir(cwd))
	e := &entry{id: header.ID, header: header}
	if h.opts.Dir == "" {
		e.inRAM = memory.New(header)
	} else {
		e.path = filepath.Join(h.opts.Dir, jsonl.FileName(header))
	}
	h.mu.Lock()
	h.entries[e.id] = e
	h.mu.Unlock()
	l, release, err = h.use(context.Background(), e.id)
	if err != nil {
		h.mu.Lock()
		delete(h.entries, e.id)
		h.mu.Unlock()
	}
	return l, release, err
}

// use returns the session of an id, open, and keeps it so until release is called. It
// returns [ErrNoSession], [ErrClosing], or the error of opening the session.
func (h *house) use(ctx context.Context, id string) (l *live, release func(), err error) {
	e, err := h.find(id)
	if err != nil {
		return nil, nil, err
	}
	release = sync.OnceFunc(func() { h.leave(e) })
	e.turn.Lock()
	defer e.turn.Unlock()
	if l = h.liveOf(e); l != nil {
		return l, release, nil
	}
	if ctx.Err() != nil {
		release()
		return nil, nil, ctx.Err()
	}
	if l, err = h.open(e); err != nil {
		release()
		return nil, nil, err
	}
	return l, release, nil
}

// find returns the entry of an id, and counts a use of it.
func (h *house) find(id string) (*entry, error) {
	for {
		h.mu.Lock()
		if h.closed {
			h.mu.Unlock()
			return nil, ErrClosing
		}
		if e := h.entries[id]; e != nil {
			e.uses++
			h.mu.Unlock()
			return e, nil
		}
		h.mu.Unlock()
		path, err := h.file(id)
		if err != nil {
			return nil, err
		}
		h.mu.Lock()
		if h.entries[id] == nil {
			h.entries[id] = &entry{id: id, path: path, saved: true}
		}
		h.mu.Unlock()
	}
}

// file returns the file of a session that nobody has asked for yet.
func (h *house) file(id string) (string, error) {
	if h.opts.Dir == "" || !transcript.ValidID(id) {
		return "", ErrNoSession
	}
	info, err := jsonl.Find(h.opts.Dir, id)
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

func (h *house) liveOf(e *entry) *live {
	h.mu.Lock()
	defer h.mu.Unlock()
	return e.live
}

func (h *house) leave(e *entry) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e.uses--
	e.used = time.Now()
	if h.opened > h.opts.MaxOpen {
		select {
		case h.crowded <- struct{}{}:
		default:
		}
	}
}

// open opens the session of an entry, whose turn is held.
func (h *house) open(e *entry) (*live, error) {
	store, err := h.openStore(e)
	if err != nil {
		return nil, err
	}
	saved := store.Leaf() != ""
	ui := newUI()
	opened, err := h.opts.Open(&Opening{Store: store, UI: ui})
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	l := newLive(opened, ui, &e.receipts, h.opts.Ring)
	if e.inRAM != nil {
		l.Keep = true // there is nowhere to put it
	}
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil, errors.Join(ErrClosing, l.Session.Close(context.Background()))
	}
	e.live = l
	h.opened++
	h.mu.Unlock()
	reason := extension.ReasonResume
	if !saved {
		reason = extension.ReasonNew
	}
	go l.begin(reason) // live.close waits for it
	return l, nil
}

// openStore opens the store of an entry.
func (h *house) openStore(e *entry) (transcript.Store, error) {
	if e.inRAM != nil {
		return e.inRAM, nil
	}
	h.mu.Lock()
	saved := e.saved
	h.mu.Unlock()
	if saved {
		return jsonl.Open(e.path, nil)
	}
	store, err := jsonl.Create(e.path, e.header, nil)
	if err != nil {
		return nil, err
	}
	if len(e.held) > 0 {
		if err := store.Append(e.held...); err != nil {
			return nil, errors.Join(err, store.Close())
		}
	}
	return store, nil
}

// note remembers what a store that is about to be closed has not put into a file.
func (h *house) note(e *entry, store transcript.Store) error {
	file, ok := store.(*jsonl.Store)
	if !ok {
		return nil
	}
	e.held = nil
	if file.Saved() {
		h.mu.Lock()
		defer h.mu.Unlock()
		e.saved = true
		return nil
	}
	for kept, err := range file.Entries() {
		if err != nil {
			return err
		}
		e.held = append(e.held, kept)
	}
	return nil
}

// tidy lets sessions rest that nobody uses: those that nobody has used for the time of
// Options.Rest, and, where more are open than Options.MaxOpen allows, those that were used the
// longest ago.
func (h *house) tidy(ctx context.Context) {
	h.mu.Lock()
	var idle []*entry
	for _, e := range h.entries {
		if e.live != nil && e.uses == 0 {
			idle = append(idle, e)
		}
	}
	slices.SortFunc(idle, func(a, b *entry) int { return a.used.Compare(b.used) })
	now := time.Now()
	n := max(len(idle)-h.opts.MaxOpen, 0)
	for n < len(idle) && now.Sub(idle[n].used) >= h.opts.Rest {
		n++
	}
	h.mu.Unlock()
	for _, e := range idle[:n] {
		if err := h.rest(ctx, e); err != nil {
			h.opts.Note(fmt.Sprintf("session %s did not close well: %v", e.id, err))
		}
	}
}

// rest closes a session, unless somebody uses it or it is at work.
func (h *house) rest(ctx context.Context, e *entry) error {
	e.turn.Lock()
	defer e.turn.Unlock()
	h.mu.Lock()
	l := e.live
	if l == nil || e.uses > 0 || l.active() {
		h.mu.Unlock()
		return nil
	}
	h.mu.Unlock()
	return h.end(ctx, e, l)
}

// end closes the session of an entry, whose turn is held.
func (h *house) end(ctx context.Context, e *entry, l *live) error {
	l.end()
	l.ui.end()
	err := errors.Join(h.note(e, l.Session.Store()), l.Session.Close(ctx))
	l.close()
	h.mu.Lock()
	defer h.mu.Unlock()
	e.live = nil
	h.opened--
	return err
}

// close ends all sessions; none is opened any more.
func (h *house) close(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	var all []*entry
	for _, e := range h.entries {
		if e.live != nil {
			all = append(all, e)
		}
	}
	h.mu.Unlock()
	errs := make([]error, len(all))
	var ends sync.WaitGroup
	for i, e := range all {
		ends.Go(func() {
			e.turn.Lock()
			defer e.turn.Unlock()
			if l := h.liveOf(e); l != nil {
				errs[i] = h.end(ctx, e, l)
			}
		})
	}
	ends.Wait()
	return errors.Join(errs...)
}

// remove deletes a session and its file. It returns an error that says so if somebody else
// uses it.
func (h *house) remove(ctx context.Context, id string) error {
	e, err := h.find(id)
	if err != nil {
		return err
	}
	defer h.leave(e)
	e.turn.Lock()
	defer e.turn.Unlock()
	h.mu.Lock()
	l, others := e.live, e.uses-1
	h.mu.Unlock()
	if l != nil {
		if others > 0 && l.active() {
			return errors.New("the session is at work: abort it first")
		}
		if err := h.end(ctx, e, l); err != nil {
			return err
		}
	}
	if e.inRAM == nil {
		if err := jsonl.Remove(ctx, e.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.entries, id)
	return nil
}

// overview is what a list says of the sessions that clients have asked for.
type overview struct {
	id     string
	l      *live              // nil while at rest
	header *transcript.Header // nil if it is in a file
}

func (h *house) overviews() []overview {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []overview
	for _, e := range h.entries {
		o := overview{id: e.id, l: e.live}
		if !e.saved {
			o.header = e.header
		}
		all = append(all, o)
	}
	return all
}
