package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

// RuntimeOptions are the settings of a [Runtime].
type RuntimeOptions struct {
	// Repository is where other sessions are; without one, the session cannot be replaced.
	Repository transcript.Repository
	// Open makes a session over a store, with the model, the tools and the prompt that
	// its folder asks for. If it fails, the runtime closes the store.
	Open func(transcript.Store) (*Session, error)
	// Before, if set, is asked before each replacement, when nothing has happened yet. An
	// error prevents it; one that is [ErrCancelled] says that this is what the user wants.
	Before func(context.Context, *Change) error
	// Replaced, if set, is called when a session has taken the place of another, before
	// the events of the new one.
	Replaced func(old, now *Session, r *Change)
	// CloseTimeout bounds the wait for what runs in a session that is replaced; 0 means
	// ten seconds.
	CloseTimeout time.Duration
}

// Change is the replacement of a session by another one.
type Change struct {
	Reason Reason
	// Path is the file to go on with; of [ReasonSwitch] and [ReasonImport].
	Path string
	// EntryID and Position say where a fork begins.
	EntryID  transcript.EntryID
	Position Position

	setup func(transcript.Store) error // fills a new session before it starts; nil leaves it empty
}

// Reason says why a session is replaced.
type Reason string

// The reasons.
const (
	ReasonNew    Reason = "new"
	ReasonSwitch Reason = "resume"
	ReasonFork   Reason = "fork"
	ReasonImport Reason = "import"
	// ReasonReload makes the session anew, with what the files say now.
	ReasonReload Reason = "reload"
)

// Position says what a fork takes along.
type Position string

// The positions.
const (
	// Before takes what lies before a message of the user, which is to be written anew.
	Before Position = "before"
	// At takes the entry along.
	At Position = "at"
)

// Errors of a [Runtime] that does not replace its session.
var (
	// ErrCancelled means that the replacement was called off.
	ErrCancelled = errors.New("the session was not replaced: it was called off")
	// ErrNoRepository means that the runtime has a single session.
	ErrNoRepository = errors.New("this session cannot be replaced by another: the program was started for it alone")
	// ErrNothingToFork means that the session has no entries to take along.
	ErrNothingToFork = errors.New("the session is empty: there is nothing to take along; send a prompt first")
)

// Runtime holds the session that is worked with, and puts others in its place: a new one,
// one of another file, a fork. Whoever shows sessions works with a runtime, so that it need
// not know when the session changes. All methods may be called from any goroutine.
//
// A replacement happens in this order: the other session is opened; what runs in the old
// one is aborted, its results are stored, and it is closed; the new one takes its place. If
// the other session cannot be opened, the old one goes on as if nothing had been asked.
//
// Extensions that want to know that their session ends are told before those of the other
// one are loaded: then what runs in the old one is aborted first, and if the other one cannot
// be opened, they begin anew with it. A subscriber must not replace the session while it is
// being called: the old one waits for it.
type Runtime struct {
	opts RuntimeOptions
	turn chan struct{} // holds a value while a session is being replaced

	mu          sync.Mutex
	session     *Session
	unsubscribe func()
	subs        []*follower // copied on write
	frontend    *Frontend   // nil until the sessions are shown
	closed      bool
}

// follower is a subscriber of a runtime, whichever session it has.
type follower struct{ fn func(event.Event) }

// NewRuntime returns a runtime that begins with the session s. The options may be nil.
func NewRuntime(s *Session, opts *RuntimeOptions) *Runtime {
	r := &Runtime{turn: make(chan struct{}, 1)}
	if opts != nil {
		r.opts = *opts
	}
	r.install(s)
	return r
}

// Session returns the session that is worked with now.
func (r *Runtime) Session() *Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session
}

// Subscribe adds a subscriber, which gets the events of whichever session is worked with,
// as [Session.SubscribeStored] gives them. The returned function removes it.
func (r *Runtime) Subscribe(fn func(event.Event)) (unsubscribe func()) {
	sub := &follower{fn}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.subs = append(slices.Clone(r.subs), sub)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.subs = slices.DeleteFunc(slices.Clone(r.subs), func(f *follower) bool { return f == sub })
	}
}

// forward passes an event of the session on.
func (r *Runtime) forward(ev event.Event) {
	r.mu.Lock()
	subs := r.subs
	r.mu.Unlock()
	for _, sub := range subs {
		sub.fn(ev)
	}
}

// install makes s the session.
func (r *Runtime) install(s *Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unsubscribe != nil {
		r.unsubscribe()
	}
	r.session = s
	r.unsubscribe = s.SubscribeStored(r.forward)
	s.binding.setRuntime(r)
	if r.frontend != nil {
		s.Attach(*r.frontend)
	}
}

// Attach says what shows the session, and those that follow, to their extensions, which begin
// with it.
func (r *Runtime) Attach(ctx context.Context, f Frontend) {
	r.mu.Lock()
	r.frontend = &f
	s := r.session
	r.mu.Unlock()
	s.Attach(f)
	s.Begin(ctx, extension.ReasonStartup, "")
}

// New begins a new session in the folder of the present one. parent is the file that it
// comes from, or empty.
func (r *Runtime) New(ctx context.Context, parent string) error { return r.begin(ctx, parent, nil) }

// begin is New with a function that fills the session before it starts.
func (r *Runtime) begin(ctx context.Context, parent string, setup func(transcript.Store) error) error {
	return r.replace(ctx, &Change{Reason: ReasonNew, setup: setup}, func(old *Session) (transcript.Store, error) {
		return r.opts.Repository.Create(follow(old.Store().Header(), parent), old.Store())
	})
}

// Reload makes the session anew where it is, with the settings, the resources and the
// extensions that the files say now. What runs is aborted first.
func (r *Runtime) Reload(ctx context.Context) error {
	return r.replace(ctx, &Change{Reason: ReasonReload}, func(old *Session) (transcript.Store, error) { return old.Store(), nil })
}

// Switch goes on with the session of another file. It returns the errors of [Repository.Open], and
// a [*MissingDirError] if the folder that the session works in is gone. The file of the
// present session is read from its end again.
func (r *Runtime) Switch(ctx context.Context, path string) error {
	if path == "" {
		return errors.New("switch to a session: name its file")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("switch to a session: %w", err)
	}
	return r.replace(ctx, &Change{Reason: ReasonSwitch, Path: path}, func(old *Session) (transcript.Store, error) {
		if sameFile(path, old.Store().Path()) {
			return old.Store(), nil
		}
		store, err := r.opts.Repository.Open(path, follow(old.Store().Header(), ""))
		if err != nil {
			return nil, err
		}
		if _, err := store.Header().Dir(); err != nil {
			return nil, errors.Join(err, store.Close())
		}
		return store, nil
	})
}

// Fork begins a session with a part of the present one: what lies before a message of the
// user, whose text is returned for being written anew, or an entry and all that leads to
// it. The new session names the old one as its parent. It returns [ErrNoEntry], or an error
// that says that the entry is no message of the user.
func (r *Runtime) Fork(ctx context.Context, id transcript.EntryID, position Position) (text string, err error) {
	err = r.replace(ctx, &Change{Reason: ReasonFork, EntryID: id, Position: position}, func(old *Session) (transcript.Store, error) {
		leaf := id
		switch position {
		case Before:
			m, err := userMessage(old.Store(), id)
			if err != nil {
				return nil, err
			}
			text, leaf = m.Text, m.parent
		case At:
			if _, err := old.Store().Entry(id); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("unknown position %q: use %q or %q", position, Before, At)
		}
		return r.branch(old, leaf)
	})
	if err != nil {
		return "", err
	}
	return text, nil
}

// Clone begins a session with all that the present one has on its active branch, and goes
// on there. It returns [ErrNothingToFork] for a session without messages.
func (r *Runtime) Clone(ctx context.Context) error {
	return r.replace(ctx, &Change{Reason: ReasonFork, EntryID: r.Session().Store().Leaf(), Position: At}, func(old *Session) (transcript.Store, error) {
		if !hasMessages(old.Store()) {
			return nil, ErrNothingToFork
		}
		if err := old.conductor.quiesce(ctx); err != nil {
			return nil, err
		}
		return r.branch(old, old.Store().Leaf())
	})
}

// branch makes a store that begins with the path to leaf.
func (r *Runtime) branch(old *Session, leaf transcript.EntryID) (transcript.Store, error) {
	store, err := r.opts.Repository.Create(follow(old.Store().Header(), old.Store().Path()), old.Store())
	if err != nil {
		return nil, err
	}
	if err := transcript.CopyBranch(store, old.Store(), leaf); err != nil {
		return nil, errors.Join(err, discard(store))
	}
	return store, nil
}

// Import copies the session of a file, with all branches, to where the present one is kept,
// and goes on there. The copy keeps the id, unless a session there has it. cwd is the folder
// that it works in; empty stands for the one that the file names, and a
// [*MissingDirError] says that this is gone.
func (r *Runtime) Import(ctx context.Context, path, cwd string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("import a session: %w", err)
	}
	return r.replace(ctx, &Change{Reason: ReasonImport, Path: path}, func(old *Session) (transcript.Store, error) {
		src, err := r.opts.Repository.Read(path)
		if err != nil {
			return nil, err
		}
		defer src.Close()
		header := *src.Header()
		header.Version = transcript.Version
		if cwd != "" {
			header.CWD = transcript.CanonicalDir(cwd)
		}
		if _, err := header.Dir(); err != nil {
			return nil, err
		}
		store, err := r.copyOf(src, header, old.Store())
		if errors.Is(err, fs.ErrExist) {
			header.ID = transcript.NewID()
			store, err = r.copyOf(src, header, old.Store())
		}
		return store, err
	})
}

func (r *Runtime) copyOf(src transcript.Store, header transcript.Header, beside transcript.Store) (transcript.Store, error) {
	store, err := r.opts.Repository.Create(&header, beside)
	if err != nil {
		return nil, err
	}
	if err := transcript.CopyTree(store, src); err != nil {
		return nil, errors.Join(err, discard(store))
	}
	return store, nil
}

// Prompt sends a prompt to the session, as [Session.Prompt] does. If it was a command that has
// put another session in its place, that has settled as well.
func (r *Runtime) Prompt(ctx context.Context, p Prompt) (*Result, error) {
	s := r.Session()
	result, err := s.Prompt(ctx, p)
	for now := r.Session(); err == nil && now != s; now = r.Session() {
		s, err = now, now.Wait(ctx)
	}
	return result, err
}

// Close closes the session; none takes its place any more.
func (r *Runtime) Close(ctx context.Context) error {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
	}
	r.mu.Lock()
	r.closed = true
	s := r.session
	r.mu.Unlock()
	return s.Close(ctx)
}
