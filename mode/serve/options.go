package serve

import (
	"net/http"
	"time"

	"github.com/rondo-agent/rondo/mode/rpc"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/ring"
	"github.com/rondo-agent/rondo/transcript"
)

// Options are the settings of a [Server].
type Options struct {
	// Token lets clients in. It must have [MinToken] bytes.
	Token string
	// Hosts are names, beside IP addresses and localhost, that the server is reached by. For
	// localhost and addresses of the loopback interface there is no need to name them.
	Hosts []string
	// Version is what the server says of the program.
	Version string

	// CWD is the folder that sessions work in if a client names none.
	CWD string
	// Dir is the folder of the session files; empty keeps sessions in memory.
	Dir string
	// Open makes a session over a store, with what its folder asks for. If it fails, the
	// server closes the store.
	Open func(*Opening) (*Opened, error)
	// Models are those that a client may choose from before there is a session.
	Models rpc.Models
	// Relay, if set, serves the relay's clients; it judges their token itself.
	Relay http.Handler
	// Note, if set, gets what the operator should know. It may be called
	// from any goroutine.
	Note func(string)

	// Limits bound times, sizes and numbers.
	Limits Limits
}

// Limits bound what a [Server] holds and waits for. The zero value is a good start.
type Limits struct {
	// Idle is how long a session that is not used is kept open; 0 means five minutes.
	Idle time.Duration
	// MaxOpen is how many sessions that are not used are kept open; the one that was used the
	// longest ago is closed first. 0 means 256.
	MaxOpen int
	// Ring bounds what is kept of a session's events.
	Ring ring.Limits
	// KeepAlive is how often a stream gets a comment while nothing happens, so that both
	// sides notice a dead connection; 0 means 15 seconds.
	KeepAlive time.Duration
	// WriteTimeout is how long a reader may take for 16 KiB; 0 means 30 seconds. A reader that takes
	// longer is disconnected, and goes on where it was when it comes back.
	WriteTimeout time.Duration
	// MaxBody is the largest request in bytes; 0 means 64 MiB, since a prompt may carry
	// images.
	MaxBody int64
	// AdmitTimeout is how long a request may take until its token was judged; 0 means ten
	// seconds.
	AdmitTimeout time.Duration
	// MaxStrangers is how many connections may be open without a token; a further one takes the
	// place of the oldest. 0 means 128.
	MaxStrangers int
	// CloseTimeout bounds the wait for what runs when the server ends; 0 means ten seconds.
	CloseTimeout time.Duration
}

// MinToken is how long a token must be, in bytes.
const MinToken = 16

// Opening is a session that is to be opened.
type Opening struct {
	Store transcript.Store
	// UI asks and notifies the people at the clients. The server gives it to the session's
	// extensions.
	UI *UI
}

// Opened is a session with what its commands need.
type Opened struct {
	Session  *session.Session
	Models   rpc.Models
	Settings rpc.Settings
	// Keep says that the session is not closed while it is not used.
	Keep bool
}

func (o Options) orDefault() Options {
	o.Limits = o.Limits.orDefault()
	if o.Note == nil {
		o.Note = func(string) {}
	}
	return o
}

func (l Limits) orDefault() Limits {
	defaultTo(&l.Idle, 5*time.Minute)
	defaultTo(&l.MaxOpen, 256)
	defaultTo(&l.KeepAlive, 15*time.Second)
	defaultTo(&l.WriteTimeout, 30*time.Second)
	defaultTo(&l.MaxBody, 64<<20)
	defaultTo(&l.CloseTimeout, 10*time.Second)
	return l
}

// defaultTo sets a limit that is not set.
func defaultTo[T int | int64 | time.Duration](limit *T, to T) {
	if *limit <= 0 {
		*limit = to
	}
}
