package extension

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// Factory sets an instance of an extension up: it registers what the extension brings. An
// error or a panic takes everything back. Actions on the session are refused until all
// extensions have been loaded.
type Factory func(ctx context.Context, api *API) error

// Source is an extension that can be loaded.
type Source struct {
	// Path is the file, or a name in angle brackets for one that is compiled in.
	Path string
	Info SourceInfo
	// Host names the kind of host that loads the file; empty is the one for its suffix.
	Host string
	// Factory is nil for a file, which the runner's hosts load.
	Factory Factory
}

// Builtin returns an extension that is compiled in.
func Builtin(name string, factory Factory) Source {
	path := "<" + name + ">"
	return Source{Path: path, Info: SourceInfo{Path: path, Source: "builtin", Scope: "user", Origin: "top-level"}, Factory: factory}
}

// SourceInfo says where an extension, or what it brings, is from (Pi 0.85).
type SourceInfo struct {
	Path    string `json:"path"`
	Source  string `json:"source"`
	Scope   string `json:"scope"`  // user, project or temporary
	Origin  string `json:"origin"` // package or top-level
	BaseDir string `json:"baseDir,omitzero"`
}

// Host loads extensions that are files. One host serves all files of its kind in one
// runner, so that it may hold them in one machine; it is opened when the first such file is
// loaded and closed when the last call into its extensions has returned.
type Host interface {
	// Load reads a file and returns its factory. Nothing of the extension runs before the
	// factory is called.
	Load(ctx context.Context, path string) (Factory, error)
	// Close ends what the host's extensions have begun, timers and processes included.
	Close() error
}

// HostKind says which files a kind of host loads.
type HostKind struct {
	// Name is what a [Source] may ask for; empty if it is the suffix alone that counts.
	Name     string
	Suffixes []string // such as ".ts", in lower case
	Open     OpenHost
}

// OpenHost opens a host. The options are those of the runner that it is opened for.
type OpenHost func(opts *Options) (Host, error)

// Envelope is an event on its way to a handler of another language.
type Envelope struct {
	Event Event
	// JSON is the event, encoded once for all handlers. It must not be changed.
	JSON jsontext.Value
}

// Reply is what a handler of another language answers.
type Reply struct {
	// Result is what the handler returned; nil for nothing, undefined or null.
	Result jsontext.Value
	// Mutated is the field that the event's policy names as mutable, as the handler has
	// left it; nil if it is unchanged.
	Mutated jsontext.Value
	// Native is a result of the Go type, instead of Result, where JSON cannot hold it: a
	// [*UserBashResult] with Exec.
	Native any
}

// JSONHandler is a handler of another language; see [API.OnJSON].
type JSONHandler func(ctx context.Context, x *Context, e *Envelope) (Reply, error)

// Errors of what extensions may not do.
var (
	// ErrStale means that an API or a context belongs to an instance of the extension that
	// has ended, since the session was replaced or reloaded.
	ErrStale = errors.New("this instance of the extension has ended, since the session was replaced or reloaded: use the context that the handler or withSession gets")
	// ErrLoading means that an action was called while the extensions are being loaded.
	ErrLoading = errors.New("the extensions are still being loaded: a factory registers things, and acts on the session in its handlers, such as that of session_start")
	// ErrDeadline is the cause with which the context of a handler ends that takes too long.
	ErrDeadline = errors.New("the handler takes too long")
	// ErrReturned is the cause with which the context of a handler ends that has returned.
	ErrReturned = errors.New("the handler has returned")
)
